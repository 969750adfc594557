/**
 * A seller's folder, a sandbox marketplace over HTTP, and the real program: in the test's own process where that is all
 * the same (`InProcess`), and as a process of its own.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as LedgerCheck from "../../src/cli/sandbox/LedgerCheck.js"
import * as SandboxServer from "../../src/cli/sandbox/SandboxServer.js"
import * as ScaledClock from "../../src/domain/ScaledClock.js"
import * as FirstDay from "../../src/engine/decide/limits/FirstDay.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type { Scale } from "../../src/sandbox/market/Scale.js"
import { sandboxToken, type TokenOptions } from "../../src/sandbox/SandboxToken.js"
import * as MemoryFolder from "../MemoryFolder.js"
import * as Bundle from "./Bundle.js"
import * as InProcess from "./InProcess.js"
import * as NobodyWaits from "./NobodyWaits.js"

/** Every command is a process of its own, also where it need not be. */
const inProcesses = process.env.BIDHELM_TEST_PROCESSES !== undefined

/** How much of the sandbox's time a command takes, so that it may not wait for long: a process takes longer to start. */
const usualSpeed = inProcesses ? 60 : 240

let starter: Promise<string> | undefined

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  readonly scale?: Scale
  readonly speed?: number
  readonly token?: TokenOptions
  /** When the sandbox's clock starts, epoch milliseconds: an afternoon in Moscow unless given. */
  readonly originMs?: number
}

export class Shop {
  private constructor(
    readonly url: string,
    readonly folder: string,
    private readonly scope: Scope.CloseableScope,
    private readonly token: string,
    private readonly goOn: (byMs: number) => Effect.Effect<void>
  ) {}

  /** Begins in an afternoon in Moscow unless another hour is asked for, so that no test runs over midnight. */
  static async open(options: Options = {}): Promise<Shop> {
    const scope = Effect.runSync(Scope.make())
    const { advance, url } = await Effect.runPromise(
      SandboxServer.open({
        port: 0,
        seed: 1,
        speed: options.speed ?? usualSpeed,
        scale: options.scale ?? { campaigns: 3, items: 2, clusters: 10 },
        originMs: options.originMs ?? Date.parse("2026-09-01T15:00:00+03:00")
      }).pipe(Scope.extend(scope), Effect.provideService(ScaledClock.Machine, NobodyWaits.machine))
    )
    const shop = new Shop(
      url,
      mkdtempSync(join(MemoryFolder.path, "bidhelm-shop-")),
      scope,
      sandboxToken(options.token),
      advance
    )
    await shop.init()
    shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replaceAll("http://127.0.0.1:8090", url))
    // A second morning is far away: without the wait the first plan shows every kind of change.
    const minus = "rules/02-minus-low-ctr.yaml"
    shop.write(minus, shop.read(minus).replace(/^hold_for: .*\n/m, ""))
    return shop
  }

  /** The first folder of a test file is made by the program, the others are copies of it. */
  private async init(): Promise<void> {
    starter ??= this.run("init", "--yes").then(() => {
      const kept = mkdtempSync(join(MemoryFolder.path, "bidhelm-starter-"))
      cpSync(this.folder, kept, { recursive: true })
      process.once("exit", () => rmSync(kept, { recursive: true, force: true }))
      return kept
    })
    cpSync(await starter, this.folder, { recursive: true })
  }

  /** Ends the sandbox. No test may end with a request that broke a limit of the marketplace. */
  async close(): Promise<void> {
    const { breaches, counters } = (await (await fetch(`${this.url}/_sandbox/ledger`)).json()) as {
      readonly breaches: number
      readonly counters: Readonly<Record<string, { readonly breaches: number }>>
    }
    const broken = Object.keys(counters).filter((operation) => counters[operation]?.breaches !== 0)
    if (breaches > 0) throw new Error(`${breaches} requests broke a limit: ${broken.join(", ")}`)
    await Effect.runPromise(Scope.close(this.scope, Exit.void))
    await InProcess.closed(this.folder)
    rmSync(this.folder, { recursive: true, force: true })
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8")
  }

  /** Takes the shipped rules and their tests away; what they share stays. */
  removeRules(): void {
    const rules = join(this.folder, "rules")
    for (const name of readdirSync(rules)) if (name.endsWith(".yaml")) rmSync(join(rules, name))
    rmSync(join(rules, "tests"), { recursive: true, force: true })
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true })
    writeFileSync(join(this.folder, path), text)
  }

  /** More variables for the programs started from now on. */
  environment: Readonly<Record<string, string>> = {}

  private place(): InProcess.Place {
    const environment = {
      PATH: process.env.PATH ?? "",
      BIDHELM_TOKEN: this.token,
      ...this.environment
    }
    return { folder: this.folder, environment }
  }

  /** Starts the program as a process; its output is collected by `ended`. */
  start(...args: ReadonlyArray<string>): ChildProcess {
    return startIn(this.place(), args)
  }

  /** As `start`; what is written to the child's input it reads. */
  startReading(...args: ReadonlyArray<string>): ChildProcess {
    return startIn(this.place(), args, "pipe")
  }

  /** As `start`, both outputs into a file that is open. */
  startOnto(file: number, ...args: ReadonlyArray<string>): ChildProcess {
    return startIn(this.place(), args, "ignore", file)
  }

  /** Runs the program to its end, in this process where a process of its own would be no other. */
  run(...args: ReadonlyArray<string>): Promise<Ended> {
    return runIn(this.place(), args)
  }

  /** As `run`, of a command that must end well. */
  async well(...args: ReadonlyArray<string>): Promise<Ended> {
    const told = await this.run(...args)
    if (told.code !== 0)
      throw new Error(`${args.join(" ")} ended with ${told.code}: ${told.stderr}${told.stdout}`)
    return told
  }

  /** As `run`, of a command that reads lines; in this process always. */
  talk(talk: InProcess.Talk, ...args: ReadonlyArray<string>): Promise<Ended> {
    return InProcess.run(this.place(), args, talk)
  }

  /** Lets the sandbox's clock go on; a program that runs has read it before. */
  async advance(byMs: number): Promise<void> {
    await Effect.runPromise(this.goOn(byMs))
  }

  /**
   * Says that the rules may deposit although the store does not know the account for a day yet, and lets the time pass
   * until the marketplace's list of top-ups is believed.
   */
  async allowDeposits(): Promise<void> {
    await this.well("account", "deposits", "main", "--allow")
    await this.advance(FirstDay.listedAfterMs)
  }

  /** What the marketplace accepted. */
  async ledger(): Promise<LedgerCheck.Ledger> {
    return (await (await fetch(`${this.url}/_sandbox/ledger`)).json()) as LedgerCheck.Ledger
  }

  async compare(changes: ReadonlyArray<Change>): Promise<LedgerCheck.Comparison> {
    return LedgerCheck.compare(changes, await this.ledger())
  }

  /** Posts to a control route of the sandbox. */
  async control(route: string, body: unknown): Promise<void> {
    const answer = await fetch(`${this.url}/_sandbox/${route}`, {
      method: "POST",
      body: JSON.stringify(body)
    })
    if (!answer.ok) throw new Error(await answer.text())
  }
}

const startIn = (
  { environment, folder }: InProcess.Place,
  args: ReadonlyArray<string>,
  input: "ignore" | "pipe" = "ignore",
  output: "pipe" | number = "pipe"
): ChildProcess =>
  spawn(process.execPath, [Bundle.program(), ...args], {
    cwd: folder,
    env: environment,
    stdio: [input, output, output]
  })

/** As `Shop.run`, anywhere. */
export const runIn = (place: InProcess.Place, args: ReadonlyArray<string>): Promise<Ended> =>
  needsProcess(place, args) ? ended(startIn(place, args)) : InProcess.run(place, args)

/** Commands that have a process to themselves: they serve, or they start others. */
const alone: ReadonlySet<string | undefined> = new Set(["run", "sandbox", "demo", "lsp"])

/** True when what is asked is of the process: how it starts (`main.ts`), is killed, or what Node itself is told. */
const needsProcess = ({ environment }: InProcess.Place, [first, ...rest]: ReadonlyArray<string>): boolean =>
  inProcesses ||
  alone.has(first) ||
  (rest.length === 0 && (first === undefined || first.startsWith("-") || first === "help")) ||
  "BIDHELM_STOP_AT" in environment ||
  "NODE_OPTIONS" in environment

/** Exit code and output of a child. */
export const ended = (child: ChildProcess): Promise<Ended> =>
  new Promise((resolve) => {
    let stdout = ""
    let stderr = ""
    child.stdout?.setEncoding("utf8").on("data", (part: string) => {
      stdout += part
    })
    child.stderr?.setEncoding("utf8").on("data", (part: string) => {
      stderr += part
    })
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })
