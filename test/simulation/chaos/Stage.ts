/**
 * What happens to the account, its machine and its program, as the events say, while the program lives, dies and is
 * started again.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Faults from "../../../src/sandbox/Faults.js"
import { defaultSeller } from "../../../src/sandbox/SandboxToken.js"
import * as Truth from "../Truth.js"
import * as Calendars from "./Calendars.js"
import { Chance } from "./Chance.js"
import * as Events from "./Events.js"
import * as Humans from "./Humans.js"
import * as Lives from "./Lives.js"
import * as Machine from "./Machine.js"
import * as Packers from "./Packers.js"
import * as People from "./People.js"
import * as Record from "./Record.js"
import * as Shops from "./Shops.js"

export interface Parts extends Lives.Parts {
  /** For how long the store keeps things when it is tidied. */
  readonly keep: Parameters<typeof People.purge>[1]
}

interface Due {
  readonly at: number
  readonly event: Events.Event
  readonly begins: boolean
}

/** How long the program has for coming to rest once nothing goes wrong any more: its next turn, and one after it. */
const restMs = 2.6 * 3_600_000

/** So long before the end of all somebody looks at the orders. */
const lastLookMs = 4 * 60_000

type Of<Tag extends Events.Event["_tag"]> = Extract<Events.Event, { readonly _tag: Tag }>

export class Stage {
  readonly record = new Record.Record()
  private readonly around: Lives.Surroundings
  private readonly lives: Lives.Lives
  private readonly windows = new Map<Events.Event, ReadonlyArray<Faults.Fault>>()
  private armed: ReadonlyArray<ReadonlyArray<Faults.Fault>> = []
  /** What waits for a request that waits. */
  private readonly waiting = new Map<Events.Event, (operation: string | undefined) => void>()
  /** The run over whose change a person wrote last. */
  private edited: string | undefined

  constructor(readonly parts: Parts) {
    this.around = {
      machine: { offsetMs: 0 },
      killed: { why: undefined },
      watching: { claimed: new Set() },
      network: {
        trouble: undefined,
        lateDeposits: false,
        chance: new Chance(parts.seed, "wire"),
        calendar: new Chance(parts.seed, "wire of the calendar"),
        orders: new Chance(parts.seed, "wire of orders"),
        copies: new Map()
      },
      version: 0
    }
    this.lives = new Lives.Lives(parts, this.record, this.around)
  }

  /** Events in their order while the program lives, dies and is started again beside them. */
  play(events: ReadonlyArray<Events.Event>, healedAt: number): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      const lives = yield* Effect.forkDaemon(this.lives.run)
      const due = events.flatMap((event): ReadonlyArray<Due> => {
        const begin = { at: event.at, event, begins: true }
        const isWindow = "untilMs" in event && event._tag !== "Freeze"
        return isWindow ? [begin, { at: event.untilMs, event, begins: false }] : [begin]
      })
      for (const { at, begins, event } of [...due].sort((a, b) => a.at - b.at)) {
        yield* this.until(at)
        yield* begins ? this.begin(event) : this.end(event)
      }
      yield* this.until(healedAt)
      this.note("healed")
      this.lives.heal()
      // Somebody looks after the account again: what waits for a person is tried.
      yield* this.until(healedAt + 60_000)
      if (this.lives.desk !== undefined) yield* this.lives.desk.wake
      yield* this.until(healedAt + restMs - lastLookMs)
      yield* this.lastLook()
      yield* this.until(healedAt + restMs)
      this.lives.over()
      yield* Fiber.interruptFork(lives)
    })
  }

  /** How the orders look to a person in the end, where there are any. */
  private lastLook(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { desk } = this.lives
      if (desk === undefined || desk.running.rules().fulfilment.length === 0) return Effect.void
      const { life } = desk.running
      return Effect.asVoid(
        Effect.forkDaemon(life.owns(Effect.withClock(Packers.lastLook(desk.running), desk.clock)))
      )
    })
  }

  private until(at: number): Effect.Effect<void> {
    return Effect.suspend(() => Effect.sleep(Math.max(0, at - this.parts.time.now())))
  }

  private begin(event: Events.Event): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.record.events.push(event)
      this.record.count(Events.name(event))
      this.note(Events.print(event))
      switch (event._tag) {
        case "Kill":
          if (event.inWait === true)
            return Effect.sync(() => this.atClaim(event, () => this.pull(this.record.requests.length)))
          return event.inStore === true ? this.hold(event, killScope) : Effect.sync(() => this.pull())
        case "Hold":
          return this.hold(event, this.scope(event))
        case "Look":
        case "Undo":
        case "Decide":
          return this.forwarded((desk) => People.command(desk.running, event, this.edited))
        case "Call":
          return this.forwarded((desk) => {
            const wish = Humans.wish(this.parts.sandbox, event, this.parts.time.now())
            return wish === undefined ? Effect.void : People.call(desk.running, wish)
          })
        case "Errand":
          return this.forwarded((desk) =>
            Packers.errand(desk.running, this.parts.sandbox, this.parts.disk, event)
          )
        case "Purge":
          return this.tidy()
        case "Stop":
          return this.lives.stop(event.downMs)
        default:
          return Effect.sync(() => this.strike(event))
      }
    })
  }

  private strike(
    event: Exclude<
      Events.Event,
      Of<"Kill" | "Hold" | "Look" | "Undo" | "Decide" | "Call" | "Errand" | "Purge" | "Stop">
    >
  ) {
    const now = this.parts.time.now()
    switch (event._tag) {
      case "Faults":
        this.windows.set(event, event.list)
        this.arm()
        return
      case "Network":
        this.around.network.trouble = event
        return
      case "LateDeposits":
        this.around.network.lateDeposits = true
        return
      case "Between":
        this.atClaim(event, (operation) => operation === "setMinusPhrases" && this.between(event))
        return
      case "AtUpload":
        this.atClaim(event, (operation) => {
          if (operation !== "uploadPromotionItems") return false
          this.record.crashes++
          this.lives.crash(event)
          return true
        })
        return
      case "Calendar":
        this.note(Calendars.play(this.parts.sandbox, event, now))
        return
      case "Shop":
        this.note(Shops.play(this.parts.sandbox, event, now))
        return
      case "Human":
        if (event.kind === "ours")
          this.edited = Humans.overwrite(this.parts.sandbox, event, this.record.requests, now)
        else Humans.edit(this.parts.sandbox, event, now)
        return
      case "OtherSoftware":
        Humans.others(this.parts.sandbox, event.requests, event.pick, now)
        return
      case "Crash":
        this.record.crashes++
        this.lives.crash(event)
        return
      case "Freeze":
        this.lives.freeze(event)
        return
      case "DiskFull":
        this.parts.disk.full = true
        return
      case "Clock":
        this.around.machine.offsetMs += event.byMs
        return
      case "Rules":
        this.around.version = event.version
    }
  }

  private end(event: Events.Event): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.note(`over: ${event._tag}`)
      switch (event._tag) {
        case "Faults":
          this.windows.delete(event)
          this.arm()
          return Effect.void
        case "Network":
          if (this.around.network.trouble === event) {
            this.around.network.trouble = undefined
            this.around.network.copies.clear()
          }
          return Effect.void
        case "LateDeposits":
          this.around.network.lateDeposits = false
          return Effect.void
        case "AtUpload":
          this.forgo(event)
          return Effect.void
        case "Between":
          this.forgo(event)
          this.windows.delete(event)
          this.arm()
          return Effect.void
        case "Kill":
          this.forgo(event)
          return event.inStore === true ? this.lift(killScope, true) : Effect.sync(() => this.released())
        case "Hold":
          return this.lift(this.scope(event), false)
        case "DiskFull":
          this.parts.disk.full = false
      }
      return Effect.void
    })
  }

  private pull(requestsFrom?: number): void {
    this.around.killed.why = "pulled by the simulation"
    this.record.killed.push({
      from: this.parts.time.now(),
      to: Number.POSITIVE_INFINITY,
      ...(requestsFrom === undefined ? {} : { requestsFrom })
    })
  }

  /** Waits for the next request whose changes wait for their call limit, for which `act` does not answer false. */
  private atClaim(event: Events.Event, act: (operation: string | undefined) => unknown): void {
    const tell = (operation: string | undefined): void => {
      if (act(operation) === false) return
      this.forgo(event)
      this.record.count(`met: ${Events.name(event)}`)
      this.note(`${Events.name(event)}: now`)
    }
    this.waiting.set(event, tell)
    this.around.watching.claimed.add(tell)
  }

  private forgo(event: Events.Event): void {
    const tell = this.waiting.get(event)
    if (tell !== undefined) this.around.watching.claimed.delete(tell)
    this.waiting.delete(event)
  }

  /** Somebody adds a phrase to the list that was read, and the marketplace lets the program wait before it is replaced. */
  private between(event: Of<"Between">): boolean {
    if (!Humans.addPhrase(this.parts.sandbox, this.parts.disk, this.parts.time.now())) return false
    this.windows.set(event, [{ kind: "throttle", operation: "setMinusPhrases", count: 1, retrySeconds: 20 }])
    this.arm()
    return true
  }

  private released(): void {
    this.around.killed.why = undefined
    for (const span of this.record.killed) span.to = Math.min(span.to, this.parts.time.now())
  }

  /** Runs a process of its own beside the program, on the machine's clock; a full disk lets it do nothing. */
  private beside(work: Effect.Effect<boolean>): Effect.Effect<boolean> {
    const machine = Machine.clock(this.parts.time, this.around.machine, bystander)
    return Effect.suspend(() =>
      this.parts.disk.full ? Effect.succeed(false) : Effect.withClock(work, machine)
    )
  }

  private hold(event: Of<"Kill" | "Hold">, scope: Parameters<typeof People.place>[1]): Effect.Effect<void> {
    return Effect.map(this.beside(People.place(this.parts.disk.filename, scope, undefined)), (isPlaced) => {
      this.note(`${scope.kind} ${scope.what}: ${isPlaced ? "placed" : "the store did not take it"}`)
      if (event._tag === "Kill" && isPlaced)
        this.record.killed.push({ from: this.parts.time.now(), to: Number.POSITIVE_INFINITY })
    })
  }

  /** Lifts until it is lifted, beside everything else. */
  private lift(scope: Parameters<typeof People.lift>[1], isKill: boolean): Effect.Effect<void> {
    const once = this.beside(People.lift(this.parts.disk.filename, scope))
    const lifted = Effect.gen(this, function* () {
      for (let tries = 0; tries < 200 && !(yield* once); tries++) yield* Effect.sleep(1000)
      if (isKill) this.released()
    })
    return Effect.asVoid(Effect.forkDaemon(lifted))
  }

  private scope({ kind, pick }: Of<"Hold">): Parameters<typeof People.place>[1] {
    const { fulfilment = [], policies: steering = [] } = this.parts.versions[0] ?? {}
    const policies = [...steering, ...fulfilment]
    const campaigns = Truth.campaigns(this.parts.sandbox.world(defaultSeller))
    if (kind === "policy") return { kind, what: policies[pick % policies.length]?.id ?? "" }
    return { kind, what: kind === "account" ? "" : `${campaigns[pick % campaigns.length]?.id ?? 0}` }
  }

  private tidy(): Effect.Effect<void> {
    return Effect.map(this.beside(People.purge(this.parts.disk.filename, this.parts.keep)), (isDone) =>
      this.note(`purge: ${isDone ? "done" : "the store did not let it"}`)
    )
  }

  private forwarded(command: (desk: Lives.Desk) => Effect.Effect<void, unknown>): Effect.Effect<void> {
    const { desk } = this.lives
    if (desk === undefined) {
      this.record.count("command: nobody there")
      return Effect.void
    }
    const work = Effect.catchAllCause(command(desk), (cause) =>
      Effect.sync(() => this.note(`a command broke: ${String(cause).split("\n")[0]}`))
    )
    return Effect.asVoid(Effect.forkDaemon(desk.running.life.owns(Effect.withClock(work, desk.clock))))
  }

  /** What was armed until now is counted by the requests that it struck. */
  private arm(): void {
    for (const { fault, fired } of this.parts.sandbox.faults.armed) {
      const list = this.armed.find((one) => one.includes(fault))
      if (list !== undefined) this.record.count(Events.struck(list), fired)
    }
    // Of several at once what began last strikes: what lasts all day would hide the rest.
    this.armed = [...this.windows.values()].reverse()
    Faults.arm(this.parts.sandbox.faults, this.armed.flat())
  }

  private note(text: string): void {
    this.record.trace.push(`${this.parts.time.now()} ${text}`)
  }
}

const killScope = { kind: "kill", what: "" } as const

/** Whoever is not the program: never dies, never hangs. */
const bystander = new Machine.Life(0)
