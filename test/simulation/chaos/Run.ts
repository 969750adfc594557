/**
 * One seed: an account, its rules, and everything that goes wrong, for some hours of virtual time; then all is healed
 * and the program gets an hour to come to rest. What was seen is handed to the oracles.
 */

import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import * as HttpClient from "@effect/platform/HttpClient"
import { DatabaseSync } from "@photostructure/sqlite"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { Change } from "../../../src/engine/decide/Plan.js"
import type { RuleSet } from "../../../src/engine/language/Policy.js"
import * as Faults from "../../../src/sandbox/Faults.js"
import * as Sandbox from "../../../src/sandbox/Sandbox.js"
import { defaultSeller } from "../../../src/sandbox/SandboxToken.js"
import type { Service } from "../../../src/sandbox/Service.js"
import * as InMemoryHttp from "../../scenario/InMemoryHttp.js"
import * as Scenario from "../../scenario/Scenario.js"
import * as VirtualClock from "../../scenario/VirtualClock.js"
import { Chance } from "./Chance.js"
import * as Driver from "./Driver.js"
import * as Events from "./Events.js"
import * as Humans from "./Humans.js"
import * as Machine from "./Machine.js"
import * as Program from "./Program.js"
import * as Record from "./Record.js"
import * as RuleSets from "./RuleSets.js"
import * as Wire from "./Wire.js"

export interface Options {
  readonly seed: number
  readonly hours: number
  /** A planted bug. */
  readonly wrap?: Program.Wrap
  /** Instead of the drawn ones, for tests of one thing. */
  readonly events?: ReadonlyArray<Events.Event>
  readonly versions?: ReadonlyArray<RuleSet>
  readonly driver?: Driver.Driver
}

export interface Outcome {
  readonly observed: Record.Observed
  readonly trace: ReadonlyArray<string>
  /** Hash of the trace: the same seed gives the same. */
  readonly hash: string
  readonly crashes: number
}

const hourMs = 3_600_000
const scale = { campaigns: 3, items: 3, clusters: 4 }
const memory = "/dev/shm"

/** Runs a seed from beginning to end. */
export const run = async (options: Options): Promise<Outcome> => {
  const disk = new Machine.Disk(`${options.seed}`, existsSync(memory) ? memory : undefined)
  const time = VirtualClock.make(Scenario.startMs)
  try {
    return await Effect.runPromise(
      time
        .run(Effect.scoped(story(options, disk, time)))
        .pipe(
          Effect.provide(Logger.remove(Logger.defaultLogger)),
          Effect.withRandom(Random.make(options.seed))
        )
    )
  } finally {
    disk.remove()
  }
}

const story = (options: Options, disk: Machine.Disk, time: VirtualClock.VirtualTime) =>
  Effect.gen(function* () {
    const { hours, seed } = options
    const marketplace = yield* Layer.build(InMemoryHttp.layer({ seed, scale }))
    const fromMs = time.now()
    const healedAt = fromMs + hours * hourMs
    const versions = options.versions ?? RuleSets.draw(seed)
    const events = options.events ?? Events.draw(seed, fromMs, healedAt)
    const stage = new Stage(
      options,
      disk,
      time,
      versions,
      Context.get(marketplace, Sandbox.Sandbox),
      Context.get(marketplace, HttpClient.HttpClient)
    )
    yield* stage.play(events, healedAt)
    return stage.outcome(fromMs, healedAt)
  })

interface Due {
  readonly at: number
  readonly event: Events.Event
  readonly begins: boolean
}

/** How long the program has for coming to rest once nothing goes wrong any more. */
const restMs = hourMs

class Stage {
  readonly record = new Record.Record()
  private readonly machine = { offsetMs: 0 }
  private readonly killed: { why: string | undefined } = { why: undefined }
  private readonly windows = new Map<Events.Event, ReadonlyArray<Faults.Fault>>()
  private readonly network: {
    trouble: Wire.Network["trouble"]
    chance: Chance
    copies: Map<string, { status: number; text: string }>
  }
  private version = 0
  private life = new Machine.Life(0)
  private downMs = 0

  constructor(
    private readonly options: Options,
    private readonly disk: Machine.Disk,
    private readonly time: VirtualClock.VirtualTime,
    private readonly versions: ReadonlyArray<RuleSet>,
    private readonly sandbox: Service,
    private readonly base: HttpClient.HttpClient
  ) {
    this.network = { trouble: undefined, chance: new Chance(options.seed, "wire"), copies: new Map() }
  }

  /** Events in their order while the program lives, dies and is started again beside them. */
  play(events: ReadonlyArray<Events.Event>, healedAt: number): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      const lives = yield* Effect.forkDaemon(this.lives())
      const due = events.flatMap((event): ReadonlyArray<Due> => {
        const begin = { at: event.at, event, begins: true }
        return "untilMs" in event ? [begin, { at: event.untilMs, event, begins: false }] : [begin]
      })
      for (const { at, begins, event } of [...due].sort((a, b) => a.at - b.at)) {
        yield* this.until(at)
        if (begins) yield* this.begin(event)
        else this.end(event)
      }
      yield* this.until(healedAt)
      this.note("healed")
      yield* this.until(healedAt + restMs)
      yield* Fiber.interruptFork(lives)
    })
  }

  private until(at: number): Effect.Effect<void> {
    return Effect.suspend(() => Effect.sleep(Math.max(0, at - this.time.now())))
  }

  /** One life after the other. */
  private lives(): Effect.Effect<never> {
    return Effect.forever(
      Effect.gen(this, function* () {
        const life = new Machine.Life(this.life.number + 1)
        this.life = life
        const disk = yield* Scope.make()
        const clock = Machine.clock(this.time, this.machine)
        const fiber = yield* Effect.forkDaemon(Effect.withClock(this.alive(life, disk), clock))
        // A life also ends by itself, when its store cannot be opened.
        yield* Effect.raceFirst(Deferred.await(life.died), Effect.exit(Fiber.join(fiber)))
        life.dead = true
        this.note(`life ${life.number} is over`)
        yield* life.undo
        yield* Scope.close(disk, Exit.void)
        yield* Effect.sleep(Math.max(1000, this.downMs))
        this.downMs = 0
      })
    )
  }

  private alive(life: Machine.Life, disk: Scope.Scope): Effect.Effect<never, unknown> {
    return Effect.gen(this, function* () {
      const wire: Wire.Wire = {
        sandbox: this.sandbox,
        base: this.base,
        time: this.time,
        disk: this.disk,
        record: this.record,
        network: this.network
      }
      const store = yield* Layer.buildWithScope(Machine.store(this.disk, life), disk)
      const layers = Program.layer(wire, life, this.killed, this.options.wrap ?? {})
      // Only the database's file is closed when the process dies; nobody else gets to say good-bye.
      const context = yield* Layer.buildWithScope(
        Layer.provide(layers, Layer.succeedContext(store)),
        yield* Scope.make()
      )
      this.record.runsBefore.set(life.number, this.runs())
      return yield* (this.options.driver ?? Driver.timetable).run({
        life,
        context,
        rules: () => this.versions[this.version] as RuleSet,
        record: this.record,
        time: this.time,
        chance: new Chance(this.options.seed, `life ${life.number}`)
      })
    })
  }

  private begin(event: Events.Event): Effect.Effect<void> {
    return Effect.sync(() => {
      const now = this.time.now()
      this.record.events.push(event)
      this.note(Events.print(event))
      switch (event._tag) {
        case "Faults":
          this.windows.set(event, event.list)
          this.arm()
          return
        case "Network":
          this.network.trouble = event
          return
        case "Human":
          Humans.edit(this.sandbox, event, now)
          return
        case "OtherSoftware":
          Humans.others(this.sandbox, event.requests, event.pick, now)
          return
        case "Crash":
          this.record.crashes++
          this.downMs = event.downMs
          this.life.doom(event.where, event.calls, event.isAfter)
          return
        case "Stop":
          this.downMs = event.downMs
          this.life.doom("store", 1, true)
          return
        case "Kill":
          this.killed.why = "pulled by the simulation"
          this.record.killed.push({ from: now, to: Number.POSITIVE_INFINITY })
          return
        case "DiskFull":
          this.disk.full = true
          return
        case "Clock":
          this.machine.offsetMs += event.byMs
          return
        case "Rules":
          this.version = event.version
      }
    })
  }

  private end(event: Events.Event): void {
    this.note(`over: ${event._tag}`)
    switch (event._tag) {
      case "Faults":
        this.windows.delete(event)
        this.arm()
        return
      case "Network":
        if (this.network.trouble !== event) return
        this.network.trouble = undefined
        this.network.copies.clear()
        return
      case "Kill": {
        this.killed.why = undefined
        for (const span of this.record.killed) span.to = Math.min(span.to, this.time.now())
        return
      }
      case "DiskFull":
        this.disk.full = false
    }
  }

  private arm(): void {
    Faults.arm(this.sandbox.faults, [...this.windows.values()].flat())
  }

  private note(text: string): void {
    this.record.trace.push(`${this.time.now()} ${text}`)
  }

  private runs(): ReadonlySet<string> {
    return new Set(this.read("SELECT run_id FROM runs").map((row) => String(row.run_id)))
  }

  private read(query: string): ReadonlyArray<{ readonly [column: string]: unknown }> {
    const database = new DatabaseSync(this.disk.filename, { readOnly: true })
    try {
      return database.prepare(query).all()
    } finally {
      database.close()
    }
  }

  outcome(fromMs: number, healedAt: number): Outcome {
    const { cycles, crashes, echoed, events, killed, requests, runsBefore, trace } = this.record
    const observed: Record.Observed = {
      seed: this.options.seed,
      fromMs,
      toMs: this.time.now(),
      healedAt,
      cycles,
      echoed,
      events,
      killed,
      requests,
      runsBefore,
      ledger: this.sandbox.ledger.entries,
      world: this.sandbox.world(defaultSeller),
      seller: defaultSeller,
      rows: this.read("SELECT * FROM changes ORDER BY run_id, position").map(rowOf),
      versions: this.versions
    }
    const ledger = observed.ledger.map((entry) => JSON.stringify(entry))
    const hash = createHash("sha256")
      .update([...trace, ...ledger].join("\n"))
      .digest("hex")
    return { observed, trace, hash, crashes }
  }
}

const decode = Schema.decodeUnknownEither(Schema.parseJson(Change))

const rowOf = (row: { readonly [column: string]: unknown }): Record.Row => ({
  ...Wire.claimed(row),
  policy: String(row.policy),
  updatedAt: Number(row.updated_at),
  detail: row.detail === null ? null : String(row.detail),
  change: String(row.change),
  decoded: decode(String(row.change))._tag === "Right"
})
