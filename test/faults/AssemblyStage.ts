/**
 * A day of assembly in real processes: the sandbox over HTTP, `bidhelm run` once or twice, a person's commands, and whoever
 * kills them. What comes of it is judged by `DayJudge`.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import * as Bundle from "../cli/Bundle.js"
import * as Shop from "../cli/Shop.js"
import * as Judge from "../fulfilment/day/DayJudge.js"
import * as Script from "../fulfilment/day/DayScript.js"
import * as MemoryFolder from "../MemoryFolder.js"
import * as Postgres from "../store/Postgres.js"
import * as Person from "./AssemblyPerson.js"
import { freePort } from "./Waiting.js"

export interface Options {
  readonly orders: number
  /** How much faster than the machine's the sandbox's clock runs; as the machine is busy unless given. */
  readonly speed?: number
  /** A PostgreSQL database for two runners; without it one runner works on SQLite. */
  readonly store?: string
  /** Runners and a share of a person's commands die by SIGKILL. */
  readonly kills?: {
    /** Real milliseconds that a runner lives once it has said something, drawn between the two. */
    readonly lives: readonly [number, number]
    /** Share of commands, 0 to 1. */
    readonly commands: number
  }
}

export interface Lived extends Judge.Evidence {
  /** Happenings that found no order to happen to. */
  readonly open: ReadonlyArray<string>
  /** What happened, one line each, by the sandbox's clock. */
  readonly log: ReadonlyArray<string>
  readonly kills: { readonly runners: number; readonly commands: number }
  readonly speed: number
  /** Commands of the person, by name. */
  readonly commands: Readonly<Record<string, number>>
}

/** Lives through the day, and tells what the marketplace has in the end. */
export const live = async (options: Options): Promise<Lived> => {
  const stage = await Stage.open(options)
  try {
    return await stage.day()
  } finally {
    await stage.close()
  }
}

/**
 * A look of a person, from a cut-off to the car that leaves 75 minutes later, is some 25 commands, and must fit in between on
 * a machine that is busy with other things too. Where processes are killed there is half as much time again; two runners that begin
 * anew time after time, and a database server beside them, leave a command a third of two cores.
 */
const speedOf = async ({ kills, speed, store }: Options): Promise<number> => {
  if (speed !== undefined) return speed
  const shop = await openShop(60, Script.startMs)
  const tookMs: Array<number> = []
  for (let n = 0; n < 3; n++) {
    const begun = performance.now()
    await shop.run("orders", "--json")
    tookMs.push(performance.now() - begun)
  }
  await shop.close()
  const commandMs = tookMs.toSorted((a, b) => a - b)[1] ?? 0
  const fits = (75 * Script.minuteMs) / (25 * commandMs)
  return Math.round(
    Math.min(90, Math.max(15, fits)) * (kills === undefined ? 1 : store === undefined ? 2 / 3 : 1 / 3)
  )
}

/** Small: nearly all orders are made by the script. */
const openShop = (speed: number, originMs: number): Promise<Shop.Shop> =>
  Shop.Shop.open({ speed, originMs, scale: { campaigns: 1, items: 1, clusters: 1 } })

/** Real milliseconds before the first order comes: the program is set up meanwhile. */
const setUpMs = 6_000

/** Where a test is given up, nobody else ends them. */
const living = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of living) child.kill("SIGKILL")
})

// While a command runs in this process, the variables are the command's.
const { DAY_LOG: shownIn, PATH: path = "" } = process.env

class Stage {
  private readonly startedAt = performance.now()
  private readonly log: Array<string> = []
  private readonly runners: Array<Runner> = []
  private readonly killed = { runners: 0, commands: 0 }
  private readonly draw = drawn(1)
  private readonly program = Bundle.program()
  private isOver = false

  private constructor(
    private readonly options: Options & { readonly speed: number },
    private readonly shop: Shop.Shop,
    private readonly originMs: number
  ) {}

  static async open(options: Options): Promise<Stage> {
    const speed = await speedOf(options)
    const originMs = Script.startMs - setUpMs * speed
    const shop = await openShop(speed, originMs)
    const rules = join(shop.folder, "rules")
    for (const name of readdirSync(rules)) if (name.endsWith(".yaml")) rmSync(join(rules, name))
    shop.write("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {}\n")
    shop.write("rules/13-fulfilment.yaml", Script.policy("approve", options.orders))
    const stage = new Stage({ ...options, speed }, shop, originMs)
    await stage.addRunners()
    return stage
  }

  /** One in the shop's own folder; or two in folders of their own, with one database for them and for whoever assembles. */
  private async addRunners(): Promise<void> {
    const { store } = this.options
    if (store === undefined) {
      this.runners.push(new Runner("run", this.shop.folder))
      return
    }
    const own = this.shop.read("bidhelm.yaml").replace(/^store:.*\n/m, "")
    const config = `${own}store: "${store}"\nstore_password: {env: STORE_PASSWORD}\n`
    this.shop.write("bidhelm.yaml", config)
    for (const name of ["run 1", "run 2"]) {
      const folder = mkdtempSync(join(MemoryFolder.path, "bidhelm-day-"))
      const listen = `runner: {listen: "127.0.0.1:${await freePort()}", shards: 20, lock_seconds: 6}\n`
      this.shop.write("bidhelm.yaml", `${config}${listen}`)
      cpSync(this.shop.folder, folder, { recursive: true })
      this.runners.push(new Runner(name, folder))
    }
    this.shop.write("bidhelm.yaml", config)
    this.shop.environment = { STORE_PASSWORD: Postgres.password }
  }

  async day(): Promise<Lived> {
    const { orders } = this.options
    const person = new Person.Person({
      run: (...words) => this.command(words),
      write: (path, text) => this.shop.write(path, text),
      now: () => this.now(),
      tell: (line) => this.tell(`person: ${line}`)
    })
    const cancelled = new Map<number, Script.Cancelled>()
    const living = Promise.all([
      ...this.runners.map((runner) => this.keepsRunning(runner)),
      this.script(Script.happenings(orders), cancelled),
      this.looking(person)
    ])
    const ended = await living
    const open = ended[this.runners.length] as ReadonlyArray<string>
    for (const runner of this.runners) runner.kill()
    await Promise.all(this.runners.map(({ gone }) => gone))
    const { code, stderr, stdout } = await this.shop.run("orders", "--json")
    if (code !== 0) throw new Error(`orders --json: ${stderr}`)
    const board = JSON.parse(stdout) as { readonly orders: ReadonlyArray<Person.Entry> }
    const told = new Map(
      board.orders.flatMap(({ goesInto, orderId, supplyId, why }) => {
        const says = why?.message ?? goesInto ?? supplyId
        return says === null ? [] : [[orderId, says] as const]
      })
    )
    return {
      seen: await this.seen(cancelled),
      ledger: await this.ask("ledger"),
      told,
      agreed: person.agreed,
      mostOrders: Script.mostOrders(orders),
      open,
      log: this.log,
      kills: this.killed,
      speed: this.options.speed,
      commands: person.counts
    }
  }

  async close(): Promise<void> {
    this.isOver = true
    for (const runner of this.runners) runner.kill()
    await Promise.all(this.runners.map(({ gone }) => gone))
    for (const { folder } of this.runners)
      if (folder !== this.shop.folder) rmSync(folder, { recursive: true, force: true })
    await this.shop.close()
  }

  private async now(): Promise<number> {
    return (await this.ask<{ readonly nowMs: number }>("clock")).nowMs
  }

  private async isDayOver(): Promise<boolean> {
    return this.isOver || (await this.now()) >= Script.endMs
  }

  private async ask<A>(route: string): Promise<A> {
    return (await (await fetch(`${this.shop.url}/_sandbox/${route}`)).json()) as A
  }

  private async seen(cancelled: ReadonlyMap<number, Script.Cancelled>): Promise<Script.Seen> {
    const shop = await this.ask<Pick<Script.Seen, "orders" | "supplies">>("shop?orders=all")
    return { ...shop, ...(await this.ask<Pick<Script.Seen, "faults">>("faults")), cancelled }
  }

  /** By the sandbox's clock, as far as this process can tell without asking. */
  private tell(line: string): void {
    const atMs = this.originMs + (performance.now() - this.startedAt) * this.options.speed
    this.note(`${Judge.at(atMs)} ${line}`)
  }

  /** `DAY_LOG=FILE` shows a day as it goes on. */
  private note(line: string): void {
    this.log.push(line)
    if (shownIn !== undefined) appendFileSync(shownIn, `${line}\n`)
  }

  /** Lets happen what is due; answers what never could. */
  private async script(
    happenings: ReadonlyArray<Script.Happening>,
    cancelled: Map<number, Script.Cancelled>
  ): Promise<ReadonlyArray<string>> {
    let coming = happenings
    while (!(await this.isDayOver())) {
      const later: Array<Script.Happening> = []
      for (const one of coming) {
        const isDue = (await this.now()) >= Script.startMs + one.at * Script.minuteMs
        const seen = isDue ? await this.seen(cancelled) : undefined
        const step = seen === undefined ? undefined : one.step(seen)
        if (seen === undefined || step === undefined) {
          later.push(one)
          continue
        }
        await this.shop.control(step.route, step.body)
        this.tell(
          `${one.what}${step.route === "shop" && step.cancels !== undefined ? `: ${step.cancels}` : ""}`
        )
        if (step.route === "shop" && step.cancels !== undefined)
          cancelled.set(step.cancels, Script.cancelledOf(seen, step, await this.now()))
      }
      coming = later
      await pause(50)
    }
    return coming.map(({ what }) => what)
  }

  private async looking(person: Person.Person): Promise<void> {
    while ((await this.now()) < Script.startMs) await pause(50)
    while (!(await this.isDayOver())) {
      await person.looks()
      await pause((2 * Script.minuteMs) / this.options.speed)
    }
  }

  /** A runner that is killed, or ends by itself, is started again. */
  private async keepsRunning(runner: Runner): Promise<void> {
    const { kills } = this.options
    while (!(await this.isDayOver())) {
      const child = this.spawned(["run"], runner.folder)
      runner.started(child)
      // Its life begins when it is up: one that is killed before is never seen by anybody.
      let endsAt = Number.POSITIVE_INFINITY
      let said = ""
      for (const stream of [child.child.stdout, child.child.stderr])
        stream?.on("data", (part: string) => {
          said += part
          if (kills !== undefined && endsAt === Number.POSITIVE_INFINITY && said.includes("\n"))
            endsAt = performance.now() + this.between(kills.lives)
        })
      while (!runner.isGone && performance.now() < endsAt && !(await this.isDayOver())) await pause(50)
      if (await this.isDayOver()) return
      if (!runner.isGone) this.killed.runners++
      this.tell(`${runner.name} ${runner.isGone ? "ended by itself" : "is killed"}`)
      runner.kill()
      const { stderr, stdout } = await child.end
      for (const line of `${stdout}${stderr}`.split("\n").filter((one) => one !== ""))
        this.note(`  ${runner.name}: ${line}`)
      await pause(200)
    }
  }

  private between([least, most]: readonly [number, number]): number {
    return least + (most - least) * this.draw()
  }

  /** A command of the person, of which some are killed on their way. */
  private async command(words: ReadonlyArray<string>): Promise<Shop.Ended> {
    const begun = performance.now()
    const { kills } = this.options
    if (kills !== undefined && this.draw() < kills.commands) {
      const { child, end } = this.spawned(words)
      const timer = setTimeout(() => child.kill("SIGKILL"), this.between([50, 2_000]))
      const ended = await end
      clearTimeout(timer)
      if (ended.code === null) this.killed.commands++
      return ended
    }
    const ended = await this.shop.run(...words)
    this.tell(`person: ${words.slice(0, 3).join(" ")}: ${Math.round(performance.now() - begun)} ms`)
    return ended
  }

  private spawned(words: ReadonlyArray<string>, folder = this.shop.folder): Child {
    const child = spawn(process.execPath, [this.program, ...words], {
      cwd: folder,
      env: {
        PATH: path,
        BIDHELM_TOKEN: sandboxToken(),
        STORE_PASSWORD: Postgres.password
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    living.add(child)
    child.once("close", () => living.delete(child))
    return { child, end: Shop.ended(child) }
  }
}

interface Child {
  readonly child: ChildProcess
  readonly end: Promise<Shop.Ended>
}

class Runner {
  private now: Child | undefined

  constructor(
    readonly name: string,
    readonly folder: string
  ) {}

  started(child: Child): void {
    this.now = child
  }

  get isGone(): boolean {
    const child = this.now?.child
    return child === undefined || child.exitCode !== null || child.signalCode !== null
  }

  get gone(): Promise<unknown> {
    return this.now?.end ?? Promise.resolve()
  }

  kill(): void {
    this.now?.child.kill("SIGKILL")
  }
}

const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms))

/** Numbers from 0 to 1, the same ones every time. */
const drawn = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
