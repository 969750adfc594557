/** The lives of the program on its machine, one after the other; one that hangs goes on beside its successor. */
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { RuleSet } from "../../../src/engine/language/Policy.js"
import type { Service } from "../../../src/sandbox/Service.js"
import type * as VirtualClock from "../../scenario/VirtualClock.js"
import type * as Driver from "./Driver.js"
import type * as Events from "./Events.js"
import * as Machine from "./Machine.js"
import * as Program from "./Program.js"
import type * as Record from "./Record.js"
import type * as Wire from "./Wire.js"

export interface Parts {
  readonly seed: number
  readonly disk: Machine.Disk
  readonly time: VirtualClock.VirtualTime
  readonly versions: ReadonlyArray<RuleSet>
  readonly sandbox: Service
  readonly base: HttpClient.HttpClient
  readonly wrap: Program.Wrap
  readonly driver: Driver.Driver
}

/** What events change while the program lives. */
export interface Surroundings {
  readonly watching: Wire.Watching
  readonly machine: { offsetMs: number }
  readonly killed: { why: string | undefined }
  readonly network: Wire.Network
  version: number
}

/** A process that runs, as whoever forwards a command to it sees it. */
export interface Desk {
  readonly running: Driver.Running
  readonly clock: Clock.Clock
  /** Makes it look again at what it waits out: a person has acted. */
  readonly wake: Effect.Effect<void>
}

type Freeze = Extract<Events.Event, { readonly _tag: "Freeze" }>

export class Lives {
  desk: Desk | undefined
  private life = new Machine.Life(0)
  private readonly living = new Set<number>()
  private downMs = 0
  private frozen: Freeze | undefined
  private asleep: Freeze | undefined
  /** Done when another life takes the lock of the one that sleeps. */
  private overtaken: Deferred.Deferred<void> | undefined

  constructor(
    private readonly parts: Parts,
    private readonly record: Record.Record,
    private readonly around: Surroundings
  ) {}

  /** For ever: a life that ends is followed by another one. */
  readonly run: Effect.Effect<never> = Effect.forever(
    Effect.gen(this, function* () {
      const life = new Machine.Life(this.life.number + 1)
      this.life = life
      this.living.add(life.number)
      const disk = yield* Scope.make()
      const clock = Machine.clock(this.parts.time, this.around.machine, life)
      const fiber = yield* Effect.forkDaemon(
        life.owns(Effect.withClock(this.alive(life, disk, clock), clock))
      )
      // A life also ends by itself: when it was asked to, or when its store cannot be opened.
      const ended = Effect.raceFirst(Deferred.await(life.died), Effect.asVoid(Effect.exit(Fiber.join(fiber))))
      const isHung = yield* Effect.raceFirst(
        Effect.as(ended, false),
        Effect.as(Deferred.await(life.hung), true)
      )
      this.desk = undefined
      if (isHung) yield* Effect.forkDaemon(this.zombie(life, disk, ended))
      else yield* this.bury(life, disk)
      yield* Effect.sleep(Math.max(1000, this.downMs))
      this.downMs = 0
    })
  )

  crash({
    calls,
    downMs,
    isAfter,
    where
  }: Extract<Events.Event, { readonly _tag: "Crash" | "AtUpload" }>): void {
    this.downMs = downMs
    this.life.doom(where, calls, isAfter)
  }

  freeze(event: Freeze): void {
    if (event.isAsleep === true) this.asleep = event
    else this.frozen = event
    this.life.hang(event.where, event.calls, event.isAfter)
  }

  /** Asks the program to end in good order. */
  stop(downMs: number): Effect.Effect<void> {
    this.downMs = downMs
    this.record.stops.push({ life: this.life.number, at: this.parts.time.now() })
    return Effect.asVoid(Deferred.succeed(this.life.asked, undefined))
  }

  /** What was going to end the process does not any more. */
  heal(): void {
    this.life.defuse()
    this.downMs = 0
  }

  /** Nothing of it moves any more. */
  over(): void {
    this.life.dead = true
  }

  /** The other machine wakes at that very moment, and the store takes its time to answer this one. */
  private readonly overtakes: Effect.Effect<void> = Effect.suspend(() => {
    const overtaken = this.overtaken
    if (overtaken === undefined) return Effect.void
    this.overtaken = undefined
    const answer = Effect.withClock(Effect.sleep(1500), this.parts.time.clock)
    return Effect.zipRight(Deferred.succeed(overtaken, undefined), answer)
  })

  private bury(life: Machine.Life, disk: Scope.CloseableScope): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      life.dead = true
      this.living.delete(life.number)
      this.note(`life ${life.number} is over`)
      yield* life.undo
      // In a fiber of its own: what is released leaves what its life's fibers knew on the fiber that releases it.
      yield* Fiber.await(yield* Effect.forkDaemon(Scope.close(disk, Exit.void)))
      Machine.Life.forgetDead()
    })
  }

  /** Hangs until its time, goes on for a while beside its successor, and dies. */
  private zombie(life: Machine.Life, disk: Scope.CloseableScope, ended: Effect.Effect<void>) {
    return Effect.gen(this, function* () {
      const isAsleep = life.isAsleep
      const frozen = isAsleep ? this.asleep : this.frozen
      const { time } = this.parts
      const overtaken = Deferred.unsafeMake<void>(FiberId.none)
      if (isAsleep) this.overtaken = overtaken
      const span: (typeof this.record.zombies)[number] = {
        life: life.number,
        hungAt: time.now(),
        wokenAt: undefined,
        isAtRequest: frozen?.where === "network" && !frozen.isAfter
      }
      this.record.zombies.push(span)
      this.downMs = frozen?.downMs ?? 0
      this.note(`life ${life.number} ${isAsleep ? "sleeps" : "hangs"}`)
      const most = Effect.sleep(Math.max(0, (frozen?.untilMs ?? 0) - time.now()))
      yield* isAsleep ? Effect.raceFirst(most, Deferred.await(overtaken)) : most
      span.wokenAt = time.now()
      if (isAsleep) life.sleptMs += span.wokenAt - span.hungAt
      this.record.count("zombie woken")
      this.note(`life ${life.number} is woken`)
      yield* life.wake
      yield* Effect.raceFirst(Effect.sleep(frozen?.longerMs ?? 0), ended)
      yield* this.bury(life, disk)
    })
  }

  private alive(life: Machine.Life, file: Scope.Scope, clock: Clock.Clock): Effect.Effect<void, unknown> {
    return Effect.gen(this, function* () {
      const { base, disk, driver, sandbox, time, versions, wrap } = this.parts
      const { killed, network } = this.around
      const { record } = this
      const wire: Wire.Wire = { sandbox, base, time, disk, record, network }
      const store = yield* Layer.buildWithScope(Machine.store(disk, life), file)
      const isAlive = (number: number) => this.living.has(number)
      const layers = Program.layer(wire, life, killed, { wrap, isAlive })
      // Only the database's file is closed when the process dies; nobody else gets to say good-bye.
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Layer.provide(layers, Layer.succeedContext(store)), scope)
      record.runsBefore.set(life.number, runsOf(disk))
      const running: Driver.Running = {
        life,
        context,
        rules: () => versions[this.around.version] as RuleSet,
        record,
        time,
        isAlive,
        told: (wake) => {
          if (this.life === life) this.desk = { running, clock, wake }
        },
        claimed: (operation) => {
          for (const tell of this.around.watching.claimed) tell(operation)
        },
        locked: Effect.suspend(() => (this.life === life ? this.overtakes : Effect.void))
      }
      yield* driver.run(running)
      yield* Scope.close(scope, Exit.void)
    })
  }

  private note(text: string): void {
    this.record.trace.push(`${this.parts.time.now()} ${text}`)
  }
}

const runsOf = (disk: Machine.Disk): ReadonlySet<string> =>
  new Set(disk.read("SELECT run_id FROM runs").map((row) => String(row.run_id)))
