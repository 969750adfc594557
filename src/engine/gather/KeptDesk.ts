/**
 * The desk of a source whose answers hold for a day, such as least bids (field note M09): what an earlier run read is used as
 * long as it is fresh, is an answer to what would be asked now, bounds nothing, and nothing of its campaign was refused since.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { DayRange } from "../../domain/Days.js"
import type * as Target from "../../domain/Target.js"
import type { Window } from "../../domain/Window.js"
import type { Source } from "../facts/Sources.js"
import * as Desk from "./Desk.js"
import { type FactAnswer, FactSource, type Keeping } from "./FactSource.js"
import type { Line } from "./Line.js"
import { type Memory, Recall } from "./Recall.js"

const anyAnswer: Keeping = { questionOf: () => "", isSure: () => true }

export class KeptDesk extends Desk.Desk {
  private readonly recall: Recall
  private keeping: Keeping = anyAnswer

  constructor(
    source: Source,
    window: Window | undefined,
    days: DayRange | undefined,
    line: Line<FactSource>,
    ledger: Desk.Ledger,
    private readonly memory: Memory
  ) {
    super(source, window, days, line, ledger)
    this.recall = new Recall(source, memory, ledger.failures)
  }

  protected override unanswered(
    keys: ReadonlyArray<Target.Subject>
  ): Effect.Effect<ReadonlyArray<Target.Subject>, never, FactSource> {
    return Effect.gen(this, function* () {
      const { keeping = anyAnswer } = yield* FactSource
      this.keeping = keeping
      const recalled = yield* this.recall.of(keys.map((key) => this.nameOfAnswer(key)))
      if (recalled.size === 0) return keys
      const nowMs = yield* Clock.currentTimeMillis
      return keys.filter((key) => {
        const answer = recalled.get(this.nameOfAnswer(key))
        const holds =
          answer !== undefined &&
          this.recall.isFresh(answer, nowMs) &&
          answer.readAt > this.refusedAt(key) &&
          keeping.isSure(key, answer.rows, this.memory.maxBids)
        if (holds) this.reuse(key, answer)
        return !holds
      })
    })
  }

  protected override keep(keys: ReadonlyArray<Target.Subject>, answer: FactAnswer): Effect.Effect<void> {
    const answers = this.answersOf(keys, answer)
    const sure = answers.flatMap((one, at) => {
      const key = keys[at]!
      return this.keeping.isSure(key, one.rows, this.memory.maxBids)
        ? [{ ...one, key: this.nameOfAnswer(key) }]
        : []
    })
    return this.recall.keep(sure)
  }

  override close(): Effect.Effect<void> {
    return this.recall.close
  }

  private nameOfAnswer(key: Target.Subject): string {
    return `${this.nameOf(key)} ${this.keeping.questionOf(key)}`
  }

  private refusedAt({ campaignId }: Target.Subject): number {
    const at = campaignId === undefined ? undefined : this.memory.refusedAt.get(campaignId)
    return at ?? Number.NEGATIVE_INFINITY
  }
}
