/**
 * What earlier runs read of a source, and what this one reads for the next: an answer that is still fresh costs no call. What
 * cannot be remembered is asked again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CampaignId } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { Source } from "../facts/Sources.js"
import type { FactMemory, MaxBids, Remembered, SourceFailure } from "./FactSource.js"

/**
 * Answers are kept in one transaction in five minutes, or for so many keys, and at the end of the run: of a process that is
 * killed, those of its last five minutes are asked again. A transaction takes a millisecond, and of a large account's plan there
 * was one for every eleven answers when it was a minute.
 */
const keptAfterMs = 5 * 60_000
const mostUnkept = 100

/** The account's memory. */
export interface Memory {
  readonly account: string
  readonly store: typeof FactMemory.Service
  /** When the marketplace last refused a change of a campaign, epoch milliseconds. */
  readonly refusedAt: ReadonlyMap<CampaignId, number>
  readonly maxBids: MaxBids
}

export class Recall {
  /** Answers that the store does not have yet. */
  private unkept: Array<Remembered> = []

  constructor(
    private readonly source: Source,
    private readonly memory: Memory | undefined,
    private readonly failures: Array<SourceFailure>
  ) {}

  /** What was read about the keys of these names, however long ago; by name. */
  of(names: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, Remembered>> {
    const { memory } = this
    if (memory === undefined || names.length === 0) return Effect.succeed(new Map())
    const found = this.tell<ReadonlyMap<string, Remembered>>(
      memory.store.recall(memory.account, this.source.id, names),
      new Map()
    )
    // An answer from the future has no age: the clock was set back. It is as good as never read.
    return Effect.zipWith(
      found,
      Clock.currentTimeMillis,
      (all, nowMs) => new Map([...all].filter(([, { readAt }]) => readAt <= nowMs))
    )
  }

  /** Young enough to be used instead of a call. */
  isFresh({ readAt }: Remembered, nowMs: number): boolean {
    return nowMs - readAt < this.source.freshMinutes * 60_000
  }

  /** Keeps what was read just now. */
  keep(answers: ReadonlyArray<Remembered>): Effect.Effect<void> {
    if (this.memory === undefined || answers.length === 0) return Effect.void
    for (const answer of answers) this.unkept.push(answer)
    const isDue = answers[0]!.readAt - this.unkept[0]!.readAt >= keptAfterMs
    return isDue || this.unkept.length >= mostUnkept ? this.close : Effect.void
  }

  /** Nothing more will come. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    const { memory, unkept } = this
    if (memory === undefined || unkept.length === 0) return Effect.void
    this.unkept = []
    return this.tell(memory.store.keep(memory.account, this.source.id, unkept), undefined)
  })

  /** Says once that it cannot be done. */
  private tell<A>(effect: Effect.Effect<A, StoreFailure>, otherwise: A): Effect.Effect<A> {
    return Effect.catchAll(effect, ({ message }) =>
      Effect.sync(() => {
        if (!this.failures.some((failure) => failure.message === message))
          this.failures.push({
            operation: this.source.operation,
            keys: 0,
            message,
            stopsAccount: false
          })
        return otherwise
      })
    )
  }
}
