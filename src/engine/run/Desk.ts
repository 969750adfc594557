/**
 * One desk per source and window: keys of many rows come in, full calls go out, and every key is asked once per run.
 * A call leaves when it is full, or when everybody who might still bring keys has passed: so the number of calls is
 * the least the batch bound allows, while the first calls are already under way.
 */
import * as Arr from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import type * as Scope from "effect/Scope"
import type { DayRange } from "../../domain/Days.js"
import type { Reason } from "../../domain/Reason.js"
import * as Target from "../../domain/Target.js"
import type { Window } from "../../domain/Window.js"
import type { Cost, Source } from "../facts/Sources.js"
import type { Line } from "./Line.js"
import { type FactAnswer, type FactRow, FactSource, type SourceFailure } from "./Ports.js"
import * as Progress from "./Progress.js"

/** What is known about one key afterwards; facts the rows do not mention are unknown for reason `missing`. */
export class KeyAnswer {
  constructor(
    readonly key: Target.Target | "account",
    private rows: ReadonlyArray<FactRow> | undefined,
    readonly missing: Reason
  ) {}

  /** The rows, to the first who asks; afterwards nothing, so that a big account's answers do not pile up. */
  take(): ReadonlyArray<FactRow> | undefined {
    const rows = this.rows
    this.rows = undefined
    return rows
  }
}

/**
 * Stage of a policy that brings keys. Keys of different stages never share a partial call: a stage waits for earlier
 * stages only, so partial calls cannot wait for each other in a circle.
 */
export type Phase = Cost | "actions"

/** What all desks of a run share and write down. */
export interface Ledger {
  readonly scope: Scope.Scope
  readonly failures: Array<SourceFailure>
  /** Keys that were not asked because the budget of scarce calls was used up, by operation. */
  readonly left: Map<string, number>
  /** Set once the token was refused: nothing more is asked (field note T12). */
  stopped: boolean
  /** Calls of scarce sources that may still be made. */
  scarceCallsLeft: number
}

interface Queue {
  readonly keys: Array<Target.Target>
  /** Callers that have been announced and have not come yet. */
  comers: number
}

export class Desk {
  /** 0 is most urgent; see `Line`. */
  urgency = 1
  private readonly answers = new Map<string, Deferred.Deferred<KeyAnswer>>()
  private readonly queues = new Map<Phase, Queue>()
  private asked = 0
  private answered = 0

  constructor(
    readonly source: Source,
    readonly window: Window | undefined,
    private readonly days: DayRange | undefined,
    private readonly line: Line,
    private readonly ledger: Ledger
  ) {}

  /** Announces that `count` callers will come in a phase, each to `bring` keys or to `pass` once. */
  expect(phase: Phase, count: number): void {
    this.queue(phase).comers += count
  }

  /** Brings keys and counts as come; answers in the order of the keys once all are known. */
  bring(
    phase: Phase,
    keys: ReadonlyArray<Target.Target>
  ): Effect.Effect<ReadonlyArray<KeyAnswer>, never, FactSource> {
    return Effect.suspend(() => {
      const queue = this.queue(phase)
      queue.comers -= 1
      for (const key of keys) {
        const name = this.nameOf(key)
        if (this.answers.has(name)) continue
        this.answers.set(name, Deferred.unsafeMake(FiberId.none))
        queue.keys.push(key)
      }
      const answers = keys.map((key) => this.answers.get(this.nameOf(key))!)
      return Effect.zipRight(this.flush(queue), Effect.forEach(answers, Deferred.await))
    })
  }

  /** Counts as come without keys. */
  pass(phase: Phase): Effect.Effect<void, never, FactSource> {
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

  private nameOf(key: Target.Target): string {
    return this.source.keyLevel === "account" ? "account" : Target.key(key)
  }

  /** Takes the calls that are due out of the queue at once, before any other fiber can add to it. */
  private flush(queue: Queue): Effect.Effect<void, never, FactSource> {
    const { batch, oneCampaignPerCall } = this.source
    // Keys of one campaign are brought all at once, so there is nothing to wait for.
    const everything = queue.comers <= 0 || oneCampaignPerCall
    const calls: Array<ReadonlyArray<Target.Target>> = []
    while (queue.keys.length >= batch || (everything && queue.keys.length > 0)) {
      calls.push(queue.keys.splice(0, batch))
    }
    return Effect.forEach(calls, (keys) => Effect.forkIn(this.call(keys), this.ledger.scope), {
      discard: true
    })
  }

  private call(keys: ReadonlyArray<Target.Target>): Effect.Effect<void, never, FactSource> {
    return Effect.gen(this, function* () {
      if (this.source.cost === "scarce") {
        if (this.ledger.scarceCallsLeft <= 0) return yield* this.leave(keys)
        this.ledger.scarceCallsLeft -= 1
      }
      this.asked += 1
      const answer = yield* this.line.through(
        this.urgency,
        Effect.suspend(() => this.fetch(keys))
      )
      this.answered += 1
      this.ledger.failures.push(...answer.failures)
      if (answer.failures.some((failure) => failure.stopsAccount)) this.ledger.stopped = true
      yield* Progress.report({ stage: this.source.operation, done: this.answered, total: this.asked })
      yield* this.hand(keys, answer)
    })
  }

  private fetch(keys: ReadonlyArray<Target.Target>): Effect.Effect<FactAnswer, never, FactSource> {
    if (this.ledger.stopped) return Effect.succeed(refused(this.source.operation, keys.length))
    const request = { source: this.source.id, keys: this.source.keyLevel === "account" ? [] : keys }
    return Effect.flatMap(FactSource, (source) =>
      source.fetch(this.days === undefined ? request : { ...request, days: this.days })
    )
  }

  private leave(keys: ReadonlyArray<Target.Target>): Effect.Effect<void> {
    const { operation } = this.source
    this.ledger.left.set(operation, (this.ledger.left.get(operation) ?? 0) + keys.length)
    return Effect.forEach(keys, (key) => this.settle(key, [], "notFetched"), { discard: true })
  }

  private hand(keys: ReadonlyArray<Target.Target>, answer: FactAnswer): Effect.Effect<void> {
    const rows = Arr.groupBy(answer.rows, (row) => this.keyOf(row.target))
    const failed = answer.failures[0]?.reason ?? (answer.failures.length > 0 ? "failed" : "absent")
    return Effect.forEach(
      keys,
      (key) => {
        const found = rows[this.nameOf(key)] ?? []
        return this.settle(key, found, found.length > 0 ? "absent" : failed)
      },
      { discard: true }
    )
  }

  private keyOf(target: Target.Target | "account"): string {
    if (target === "account" || this.source.keyLevel === "account") return "account"
    const { campaignId, itemId } = target
    return this.source.keyLevel === "campaign" || itemId === undefined
      ? Target.key({ campaignId })
      : Target.key({ campaignId, itemId })
  }

  private settle(key: Target.Target, rows: ReadonlyArray<FactRow>, missing: Reason): Effect.Effect<boolean> {
    const subject = this.source.keyLevel === "account" ? "account" : key
    return Deferred.succeed(this.answers.get(this.nameOf(key))!, new KeyAnswer(subject, rows, missing))
  }
}

const refused = (operation: string, keys: number): FactAnswer => ({
  rows: [],
  failures: [{ operation, keys, message: "not asked: the token was refused", stopsAccount: true }],
  readAt: 0
})
