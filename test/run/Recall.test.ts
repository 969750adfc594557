/** How often answers are kept for later runs while they come one by one. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Sources from "../../src/engine/facts/Sources.js"
import type { Remembered } from "../../src/engine/gather/FactSource.js"
import { Recall } from "../../src/engine/gather/Recall.js"

const minute = 60_000
const answer = (readAt: number): Remembered => ({ key: `1/${readAt}`, readAt, rows: [] })

/** How many answers each transaction keeps of such as come at these instants. */
const transactions = (instants: ReadonlyArray<number>): ReadonlyArray<number> => {
  const kept: Array<number> = []
  const store = {
    recall: () => Effect.succeed(new Map()),
    since: () => Effect.succeed([]),
    keep: (_account: string, _source: string, { length }: ReadonlyArray<Remembered>) =>
      Effect.sync(() => void kept.push(length))
  }
  const memory = { account: "shop", store, refusedAt: new Map(), maxBids: {} }
  const recall = new Recall(Sources.sources.recommendations, memory, [])
  for (const at of instants) Effect.runSync(recall.keep([answer(at)]))
  return kept
}

it("answers that come slowly are one transaction in five minutes", () => {
  const everyMinute = Array.from({ length: 13 }, (_, n) => n * minute)
  expect(transactions(everyMinute)).toEqual([6, 6])
})

it("of answers that come fast no more than a hundred wait", () => {
  const everySecond = Array.from({ length: 250 }, (_, n) => n * 1000)
  expect(transactions(everySecond)).toEqual([100, 100])
})
