/**
 * One desk per source and window: keys of many rows come in, full calls go out, and every key is asked once per run.
 * A call leaves when it is full, or when everybody who might still bring keys has passed: so the number of calls is
 * the least the batch bound allows, while the first calls are already under way.
 */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import type * as Scope from "effect/Scope"
import type { DayRange } from "../../domain/Days.js"
import * as Progress from "../../domain/Progress.js"
import type { Reason } from "../../domain/Reason.js"
import * as Target from "../../domain/Target.js"
import type { Window } from "../../domain/Window.js"
import type { Cost, Source } from "../facts/Sources.js"
import {
  type FactAnswer,
  type FactRow,
  FactSource,
  type Remembered,
  type SourceFailure
} from "./FactSource.js"
import type { Line } from "./Line.js"
import type { Claim } from "./Worth.js"

/** What is known about one key afterwards; facts the rows do not mention are unknown for reason `missing`. */
export interface KeyAnswer {
  readonly key: Target.Subject | "account"
  readonly rows: ReadonlyArray<FactRow>
  readonly missing: Reason
}

/**
 * Stage of a policy that brings keys. Keys of different stages never share a partial call: a stage waits for earlier
 * stages only, so partial calls cannot wait for each other in a circle.
 */
export type Phase = Cost | "coarse" | "actions"

/** What all desks of a run share and write down. */
export interface Ledger {
  readonly scope: Scope.Scope
  /** Instant the run counts from, epoch milliseconds. */
  readonly nowMs: number
  /** Takes an answer in as soon as it has come, once per key: answers that wait for others fill the memory. */
  readonly enter: (desk: Desk, answer: KeyAnswer) => void
  /** Number of a key in the table, if the table has it: a text for each key would fill the memory. */
  readonly numberOf: (key: Target.Subject, level: Source["keyLevel"]) => number | undefined
  readonly failures: Array<SourceFailure>
  /** What became of the keys of scarce sources, by operation. */
  readonly scarce: Map<string, Tally>
  /** Answers of earlier runs that were used: when each was read, epoch milliseconds, by source and key. */
  readonly remembered: Map<string, Map<string, number>>
  /** Clusters without a row, because no store gives their names back as they were. */
  unstorable: number
  /** Set once the token was refused: nothing more is asked (field note T12). */
  stopped: boolean
  /** Calls of scarce sources that may still be made. */
  scarceCallsLeft: number
}

/** Keys of a scarce source. */
export interface Tally {
  /** Asked by a call; left unasked, because the budget of scarce calls was used up. */
  asked: number
  left: number
  /** By policy that wants them. */
  readonly policies: Map<string, { wanted: number; left: number }>
}

/** What a flow tells a scarce desk about the keys it brings: enough to say which are worth their calls. */
export interface Plea {
  readonly policy: string
  /** As many keys as were foreseen last, if any were; see `foresee`. */
  readonly foreseen: number | undefined
  /** Done when the conditions' other facts are in the table: claims are made then. */
  readonly ready: Effect.Effect<void>
  /** By key, given what earlier runs read about some of them. */
  readonly claims: (recalled: ReadonlyMap<string, Remembered>) => ReadonlyMap<string, Claim>
}

interface Queue {
  readonly keys: Array<Target.Subject>
  /** Callers that have been announced and have not come yet. */
  comers: number
}

export class Desk {
  /** 0 is most urgent; see `Line`. */
  urgency = 1
  /** When the oldest of its answers was read, epoch milliseconds; undefined before the first. */
  oldestReadAt: number | undefined
  protected readonly waits: WaitsOfKeys
  private readonly queues = new Map<Phase, Queue>()
  private asked = 0
  private answered = 0

  constructor(
    readonly source: Source,
    readonly window: Window | undefined,
    readonly days: DayRange | undefined,
    private readonly line: Line<FactSource>,
    protected readonly ledger: Ledger
  ) {
    this.waits = new WaitsOfKeys((key) => ledger.numberOf(key, source.keyLevel))
  }

  /** Announces that `count` callers will come in a phase, each to `bring` keys or to `pass` once. */
  expect(phase: Phase, count: number): void {
    this.queue(phase).comers += count
  }

  /** A comer of a phase will bring no more than `now` keys; `before` is what it said before, if it did. */
  foresee(_phase: Phase, _before: number | undefined, _now: number): Effect.Effect<void, never, FactSource> {
    return Effect.void
  }

  /** Brings keys and counts as come; done when all are known. */
  bring(
    phase: Phase,
    keys: ReadonlyArray<Target.Subject>,
    _plea?: Plea
  ): Effect.Effect<void, never, FactSource> {
    return Effect.flatten(this.handIn(phase, keys))
  }

  /** Brings keys and counts as come, without waiting: what it answers is how to wait. */
  handIn(
    phase: Phase,
    keys: ReadonlyArray<Target.Subject>
  ): Effect.Effect<Effect.Effect<void>, never, FactSource> {
    return Effect.suspend(() => {
      const queue = this.queue(phase)
      const fresh: Array<Target.Subject> = []
      for (const key of keys) {
        if (this.waits.get(key) !== undefined) continue
        this.waits.set(key, nobody)
        fresh.push(key)
      }
      return Effect.flatMap(this.unanswered(fresh), (unanswered) => {
        queue.comers -= 1
        for (const key of unanswered) queue.keys.push(key)
        return Effect.as(this.flush(queue), this.wait(keys))
      })
    })
  }

  /** Those of the keys, which nobody has brought before, that a call must answer. */
  protected unanswered(
    keys: ReadonlyArray<Target.Subject>
  ): Effect.Effect<ReadonlyArray<Target.Subject>, never, FactSource> {
    return Effect.succeed(keys)
  }

  /** Done when all keys are known. Keys for which the same callers wait share one list of them. */
  protected wait(keys: ReadonlyArray<Target.Subject>): Effect.Effect<void> {
    const wait: Wait = { left: 0, done: Deferred.unsafeMake(FiberId.none) }
    let before: ReadonlyArray<Wait> | undefined
    let after = nobody
    for (const key of keys) {
      const waits = this.waits.get(key) ?? nobody
      if (waits === "entered") continue
      if (waits !== before) {
        before = waits
        after = [...waits, wait]
      }
      wait.left += 1
      this.waits.set(key, after)
    }
    return wait.left === 0 ? Effect.void : Deferred.await(wait.done)
  }

  /** Counts as come without keys. */
  pass(phase: Phase, _foreseen?: number): Effect.Effect<void, never, FactSource> {
    return Effect.suspend(() => {
      const queue = this.queue(phase)
      queue.comers -= 1
      return this.flush(queue)
    })
  }

  private queue(phase: Phase): Queue {
    const existing = this.queues.get(phase)
    if (existing !== undefined) return existing
    const made = { keys: [], comers: 0 }
    this.queues.set(phase, made)
    return made
  }

  protected nameOf(key: Target.Subject): string {
    return this.source.keyLevel === "account" ? "account" : Target.key(key)
  }

  /** Takes the calls that are due out of the queue at once, before any other fiber can add to it. */
  private flush(queue: Queue): Effect.Effect<void, never, FactSource> {
    const { batch, oneCampaignPerCall } = this.source
    // Keys of one campaign are brought all at once, so there is nothing to wait for.
    const everything = queue.comers <= 0 || oneCampaignPerCall
    const calls: Array<ReadonlyArray<Target.Subject>> = []
    while (queue.keys.length >= batch || (everything && queue.keys.length > 0)) {
      const [first] = queue.keys
      const other = oneCampaignPerCall
        ? queue.keys.findIndex(({ campaignId }) => campaignId !== first?.campaignId)
        : -1
      calls.push(queue.keys.splice(0, other < 0 ? batch : Math.min(batch, other)))
    }
    return this.askAll(calls)
  }

  /** Calls about keys that have an unsettled answer; each is made when its turn comes. */
  protected askAll(
    calls: ReadonlyArray<ReadonlyArray<Target.Subject>>
  ): Effect.Effect<void, never, FactSource> {
    this.asked += calls.length
    const send = (keys: ReadonlyArray<Target.Subject>) =>
      this.line.send(
        this.urgency,
        Effect.suspend(() => this.ask(keys)),
        this.ledger.scope
      )
    return Effect.forEach(calls, send, { discard: true })
  }

  private ask(keys: ReadonlyArray<Target.Subject>): Effect.Effect<void, never, FactSource> {
    return Effect.flatMap(this.fetch(keys), (answer) => this.take(keys, answer)).pipe(
      Effect.catchAllCause((cause) => this.giveUp(keys, cause))
    )
  }

  private take(keys: ReadonlyArray<Target.Subject>, answer: FactAnswer): Effect.Effect<void> {
    this.answered += 1
    if (answer.readAt > 0) this.oldestReadAt = Math.min(this.oldestReadAt ?? answer.readAt, answer.readAt)
    this.ledger.failures.push(...answer.failures)
    this.ledger.unstorable += answer.unstorable ?? 0
    if (answer.failures.some((failure) => failure.stopsAccount)) this.ledger.stopped = true
    return Progress.report({ stage: this.source.operation, done: this.answered, total: this.asked }).pipe(
      Effect.zipRight(this.keep(keys, answer)),
      Effect.zipRight(this.hand(keys, answer))
    )
  }

  /** Whoever waits for these keys ends as their call did; else a mistake of the program would let the plan hang. */
  private giveUp(keys: ReadonlyArray<Target.Subject>, cause: Cause.Cause<never>): Effect.Effect<void> {
    return Effect.sync(() => {
      for (const key of keys) {
        const waits = this.waits.get(key)
        for (const { done } of waits === undefined || waits === "entered" ? nobody : waits)
          Deferred.unsafeDone(done, Effect.failCause(cause))
      }
    })
  }

  /** Told of every answer before it is handed out. */
  protected keep(_keys: ReadonlyArray<Target.Subject>, _answer: FactAnswer): Effect.Effect<void> {
    return Effect.void
  }

  /** The answer about each key by itself, for later runs; none where something of it could not be read. */
  protected answersOf(keys: ReadonlyArray<Target.Subject>, answer: FactAnswer): ReadonlyArray<Remembered> {
    if (answer.failures.length > 0) return []
    const rowsOf = this.rowsOf(answer)
    return keys.map((key) => ({ key: this.nameOf(key), readAt: answer.readAt, rows: rowsOf(key) }))
  }

  /** Answers a key from what an earlier run read. */
  protected reuse(key: Target.Subject, { readAt, rows }: Remembered): void {
    const { id } = this.source
    const known = this.ledger.remembered.get(id) ?? new Map<string, number>()
    this.ledger.remembered.set(id, known.set(this.nameOf(key), readAt))
    this.settle(key, rows, "absent")
  }

  /** Nothing more will come: what is not kept yet is kept now. */
  close(): Effect.Effect<void> {
    return Effect.void
  }

  private fetch(keys: ReadonlyArray<Target.Subject>): Effect.Effect<FactAnswer, never, FactSource> {
    if (this.ledger.stopped) return Effect.succeed(refused(this.source.operation, keys.length))
    const { nowMs } = this.ledger
    const request = { source: this.source.id, keys: this.source.keyLevel === "account" ? [] : keys, nowMs }
    return Effect.flatMap(FactSource, (source) =>
      source.fetch(this.days === undefined ? request : { ...request, days: this.days })
    )
  }

  private hand(keys: ReadonlyArray<Target.Subject>, answer: FactAnswer): Effect.Effect<void> {
    const failed = answer.failures[0]?.reason ?? (answer.failures.length > 0 ? "failed" : "absent")
    return Effect.sync(() => {
      // In one go: a pair that others make known meanwhile would have another name.
      const rowsOf = this.rowsOf(answer)
      for (const key of keys) {
        const found = rowsOf(key)
        this.settle(key, found, found.length > 0 ? "absent" : failed)
      }
    })
  }

  private rowsOf({ later = [], rows }: FactAnswer): (key: Target.Subject) => ReadonlyArray<FactRow> {
    const told = this.byKey(rows)
    const more = new Map(later.map((one) => [this.keyOf(one.key), one.rows]))
    return (key) => {
      const name = this.keyOf(key)
      const first = told.get(name)
      const others = more.get(name)?.() ?? []
      return first === undefined ? others : others.length === 0 ? first : [...first, ...others]
    }
  }

  /** Rows of one item mostly follow each other, and are named once. */
  private byKey(rows: ReadonlyArray<FactRow>): ReadonlyMap<string | number, ReadonlyArray<FactRow>> {
    const found = new Map<string | number, Array<FactRow>>()
    let before: FactRow["target"] | undefined
    let same: Array<FactRow> = []
    for (const row of rows) {
      const { target } = row
      if (before !== undefined && isOfOneItem(before, target)) same.push(row)
      else {
        const name = this.keyOf(target)
        const known = found.get(name)
        same = known ?? [row]
        if (known === undefined) found.set(name, same)
        else known.push(row)
      }
      before = target
    }
    return found
  }

  /** What tells the key of a row from others: its number, for a text of each would cost more than what the rows say. */
  private keyOf(target: Target.Subject | "account"): string | number {
    if (target === "account") return "account"
    switch (this.source.keyLevel) {
      case "account":
        return "account"
      case "campaign":
        return target.campaignId ?? "account"
      case "promotion":
        return target.promotionId ?? "account"
      case "item":
        return target.itemId ?? "account"
      case "campaign_item": {
        const pair = Target.pairOf(target)
        return pair === undefined
          ? "account"
          : (this.ledger.numberOf(pair, "campaign_item") ?? Target.key(pair))
      }
    }
  }

  protected settle(key: Target.Subject, rows: ReadonlyArray<FactRow>, missing: Reason): void {
    const waits = this.waits.get(key)
    if (waits === "entered") return
    this.ledger.enter(this, { key: this.source.keyLevel === "account" ? "account" : key, rows, missing })
    this.waits.set(key, "entered")
    for (const wait of waits ?? nobody) {
      wait.left -= 1
      if (wait.left === 0) Deferred.unsafeDone(wait.done, Effect.void)
    }
  }
}

/** Whether two keys are one; what is below an item is not that item. */
export const isSameKey = (one: FactRow["target"], other: FactRow["target"]): boolean =>
  isOfOneItem(one, other) && one !== "account" && other !== "account" && one.cluster === other.cluster

const isOfOneItem = (one: FactRow["target"], other: FactRow["target"]): boolean =>
  one !== "account" &&
  other !== "account" &&
  one.campaignId === other.campaignId &&
  one.promotionId === other.promotionId &&
  one.itemId === other.itemId

const refused = (operation: string, keys: number): FactAnswer => ({
  rows: [],
  failures: [{ operation, keys, message: "not asked: the token was refused", stopsAccount: true }],
  readAt: 0
})

// Who waits for the answers about which keys at one desk: eight bytes for each key that the table has.

/** Somebody who waits for so many keys yet. */
interface Wait {
  left: number
  readonly done: Deferred.Deferred<void>
}

/** Of one key: those who wait, until its answer was entered. */
type Waits = ReadonlyArray<Wait> | "entered"

const nobody: ReadonlyArray<Wait> = []

class WaitsOfKeys {
  /** By the number of a key in the table. */
  private readonly known: Array<Waits | undefined> = []
  /** By name, of keys that were not in the table when they came. */
  private readonly strangers = new Map<string, Waits>()

  constructor(private readonly numberOf: (key: Target.Subject) => number | undefined) {}

  /** Undefined for a key that nobody has brought. */
  get(key: Target.Subject): Waits | undefined {
    const stranger = this.strangers.size === 0 ? undefined : this.strangers.get(Target.key(key))
    if (stranger !== undefined) return stranger
    const number = this.numberOf(key)
    return number === undefined ? undefined : this.known[number]
  }

  set(key: Target.Subject, waits: Waits): void {
    const number = this.numberOf(key)
    const isStranger =
      number === undefined || (this.strangers.size > 0 && this.strangers.has(Target.key(key)))
    if (isStranger) {
      this.strangers.set(Target.key(key), waits)
      return
    }
    // Without gaps it stays an array for the engine, of eight bytes a key.
    while (this.known.length < number) this.known.push(undefined)
    this.known[number] = waits
  }
}
