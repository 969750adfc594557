/** The built program as child processes: one sandbox marketplace, and runners each in a folder of its own. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"

const program = join(dirname(fileURLToPath(import.meta.url)), "..", "bidhelm.js")
/** Small accounts: what is measured is their number. */
const scale = "campaigns=2,items=2,clusters=10"

/** What a runner says of one cycle. Instants are epoch milliseconds of the marketplace's clock. */
export interface Cycle {
  readonly account: string
  readonly begunAt: number
  readonly endedAt: number
  readonly outcome: string
  readonly said: string
}

export interface Runner {
  readonly child: ChildProcess
  readonly folder: string
  readonly cycles: ReadonlyArray<Cycle>
  /** The end of what it wrote to stderr. */
  readonly said: () => string
}

export interface Setting {
  readonly accounts: number
  /** When the policy of every account is due, as `schedule:` says it. */
  readonly schedule: () => string
  /** Of the policy: `apply`, or `preview` to plan only. */
  readonly mode: "apply" | "preview"
  /** Lines of the configuration beside accounts and hosts. */
  readonly config: (folder: string) => string
  readonly env?: Readonly<Record<string, string>>
  /** How many times faster the marketplace's clock runs than the machine's; 1 for figures that are told. */
  readonly speed: number
}

/** `shop-1` and so on. */
const names = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, i) => `shop-${i + 1}`)

export class Machinery {
  private readonly children: Array<ChildProcess> = []
  private constructor(
    private readonly folder: string,
    private readonly setting: Setting,
    private readonly url: string,
    readonly sandbox: ChildProcess,
    private readonly aheadMs: number
  ) {}

  /** The marketplace's clock, epoch milliseconds. */
  now(): number {
    return performance.now() * this.setting.speed + this.aheadMs
  }

  /** Until that instant of the marketplace's clock. */
  sleepUntil(epochMs: number): Promise<unknown> {
    return pause(Math.max(0, epochMs - this.now()) / this.setting.speed)
  }

  /** Starts the marketplace. */
  static async open(setting: Setting): Promise<Machinery> {
    if (!existsSync(program)) throw new Error(`${program} is missing; build first: npm run build`)
    const folder = mkdtempSync(join(tmpdir(), "bidhelm-scale-"))
    const words = [
      program,
      "sandbox",
      "--json",
      "--port",
      "0",
      "--scale",
      scale,
      "--speed",
      String(setting.speed)
    ]
    const child = spawn(process.execPath, words, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] })
    let said = ""
    child.stdout?.on("data", (part: Buffer) => (said += String(part)))
    const url = () => /"url"\s*:\s*"([^"]+)"/.exec(said)?.[1]
    await until(() => url() !== undefined, "the sandbox starts", 60_000)
    const clock = await fetch(`${url()}/_sandbox/clock`)
    const { nowMs } = (await clock.json()) as { readonly nowMs: number }
    const aheadMs = nowMs - performance.now() * setting.speed
    const made = new Machinery(folder, setting, url() ?? "", child, aheadMs)
    made.children.push(child)
    return made
  }

  /** Starts a runner in a new folder. */
  start(): Runner {
    const { config, env } = this.setting
    const folder = mkdtempSync(join(this.folder, "runner-"))
    const all = names(this.setting.accounts)
    this.rules(join(folder, "rules"))
    const lines = all.map((name, i) => `  - {name: ${name}, token: {env: TOKEN_${i + 1}}, sandbox: true}`)
    const hosts = `hosts: {advert: "${this.url}", calendar: "${this.url}"}`
    writeFileSync(
      join(folder, "bidhelm.yaml"),
      `version: 1\naccounts:\n${lines.join("\n")}\n${hosts}\n${config(folder)}\n`
    )
    const child = spawn(process.execPath, [...nodeOptions(), program, "run", "--json"], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", ...tokens(this.setting.accounts), ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.children.push(child)
    const cycles: Array<Cycle> = []
    let said = ""
    child.stderr?.on("data", (part: Buffer) => (said = `${said}${part}`.slice(-4000)))
    linesOf(child, (line) => cycles.push(...cyclesOf(line)))
    return { child, folder, cycles, said: () => said }
  }

  private rules(folder: string): void {
    mkdirSync(folder)
    cpSync("rules/_shared", join(folder, "_shared"), { recursive: true })
    const { mode, schedule } = this.setting
    const text = readFileSync("rules/02-minus-low-ctr.yaml", "utf8")
    writeFileSync(
      join(folder, "02-minus-low-ctr.yaml"),
      text
        .replace(/^schedule: .*$/m, `schedule: ${schedule()}`)
        .replace(/^mode: .*$/m, `mode: ${mode}`)
        .replace(/^hold_for: .*\n/m, "")
    )
  }

  /** Which process has which account, as `bidhelm status` of this runner tells; empty while it does not answer. */
  async standing(
    runner: Runner
  ): Promise<ReadonlyMap<string, { readonly pid: number; readonly state: string }>> {
    const told = await new Promise<string>((resolve) => {
      const env = { PATH: process.env.PATH ?? "", ...this.setting.env }
      const words = [program, "status", "--json"]
      execFile(process.execPath, words, { cwd: runner.folder, env, timeout: 20_000 }, (_, out) =>
        resolve(out)
      )
    })
    const found = new Map<string, { pid: number; state: string }>()
    if (!told.startsWith("{")) return found
    const { accounts } = JSON.parse(told) as {
      readonly accounts?: ReadonlyArray<{ account: string; runner?: string; state: string }>
    }
    for (const { account, runner: holder, state } of accounts ?? []) {
      const pid = /^pid (\d+)/.exec(holder ?? "")?.[1]
      if (pid !== undefined) found.set(account, { pid: Number(pid), state })
    }
    return found
  }

  /** Slows one operation of the marketplace down by so long, or none any more. */
  async slow(operation?: string): Promise<void> {
    const faults = operation === undefined ? [] : [{ kind: "latency", operation, ms: 180_000 }]
    await fetch(`${this.url}/_sandbox/faults`, { method: "POST", body: JSON.stringify({ faults }) })
  }

  /** How many changes the marketplace accepted, and how many of them it had accepted before. */
  async written(): Promise<{ readonly changes: number; readonly twice: number }> {
    const answer = await fetch(`${this.url}/_sandbox/ledger`)
    const { entries } = (await answer.json()) as {
      readonly entries: ReadonlyArray<{ seller: string; slot: string; target: unknown; after: unknown }>
    }
    const words = entries.map(({ after, seller, slot, target }) =>
      JSON.stringify([seller, slot, target, after])
    )
    return { changes: words.length, twice: words.length - new Set(words).size }
  }

  async close(): Promise<void> {
    const gone = this.children.map((child) =>
      isGone(child) ? undefined : new Promise((ended) => child.once("exit", ended))
    )
    // A profile is written by a process that ends by itself.
    const signal = nodeOptions().length === 0 ? "SIGKILL" : "SIGTERM"
    for (const child of this.children) child.kill(signal)
    await Promise.all(gone)
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** By itself, or by a signal. */
export const isGone = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null

const linesOf = (child: ChildProcess, take: (line: string) => void): void => {
  let rest = ""
  child.stdout?.on("data", (part: Buffer) => {
    const lines = `${rest}${part}`.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) take(line)
  })
}

const cyclesOf = (line: string): ReadonlyArray<Cycle> => {
  if (!line.startsWith("{")) return []
  const told = JSON.parse(line) as {
    readonly kind: string
    readonly at: string
    readonly account: string
    readonly outcome: string
    readonly said: string
    readonly tookMs: number
  }
  if (told.kind !== "cycle") return []
  const endedAt = Date.parse(told.at)
  const { account, outcome, said, tookMs } = told
  return [{ account, outcome, said, endedAt, begunAt: endedAt - tookMs }]
}

const tokens = (count: number) =>
  Object.fromEntries(
    names(count).map((_, i) => [
      `TOKEN_${i + 1}`,
      sandboxToken({ seller: `5a4d0000-0000-4000-8000-${(i + 16).toString(16).padStart(12, "0")}` })
    ])
  )

/** `BENCH_NODE_OPTIONS="--cpu-prof --cpu-prof-dir=/tmp/profile"` shows where the time of a runner goes. */
const nodeOptions = (): ReadonlyArray<string> => process.env.BENCH_NODE_OPTIONS?.split(" ") ?? []

/** Seconds of processor time that a process has used. */
export const cpuSeconds = ({ pid }: ChildProcess): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  // Ticks of a hundredth of a second, on every Linux that Node runs on.
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Milliseconds that a process's main thread ran, and that it could have run had a processor been free. */
export const scheduled = ({ pid }: ChildProcess): { readonly ranMs: number; readonly queuedMs: number } => {
  const [ran, queued] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ").map(Number)
  return { ranMs: (ran ?? 0) / 1e6, queuedMs: (queued ?? 0) / 1e6 }
}

/** Memory of a process: now and at most, MiB. */
export const memoryMiB = ({ pid }: ChildProcess): { readonly now: number; readonly peak: number } => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1024
  return { now: of("VmRSS"), peak: of("VmHWM") }
}

export const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms))

/** Asks again and again; gives up with what it waited for. */
export const until = async (
  reached: () => boolean | Promise<boolean>,
  what: string,
  patienceMs: number
): Promise<void> => {
  const end = Date.now() + patienceMs
  while (!(await reached())) {
    if (Date.now() > end) throw new Error(`waited ${patienceMs / 1000} s in vain: ${what}`)
    await pause(100)
  }
}

export const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
