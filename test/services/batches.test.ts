import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { assert, describe } from "vitest"
import * as Batches from "../../src/services/Batches.js"
import { fromAnswer, type MarketplaceError } from "../../src/services/MarketplaceError.js"
import * as Pages from "../../src/services/Pages.js"

const error = (status: number): MarketplaceError =>
  fromAnswer({ operation: "test", status, text: "", retryAfterMs: undefined })

/** Answers each chunk with its keys, unless it holds a bad one. */
const service = (bad: ReadonlySet<number>, status: number) => {
  const chunks: Array<ReadonlyArray<number>> = []
  const call = (chunk: ReadonlyArray<number>) => {
    chunks.push(chunk)
    return chunk.some((key) => bad.has(key)) ? Effect.fail(error(status)) : Effect.succeed(chunk)
  }
  return { chunks, call }
}

describe("any number of keys", () => {
  const keys = fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 250 })

  it.effect.prop(
    "travel in the fewest calls the bound allows, and each is answered or failed once",
    [
      keys,
      fc.integer({ min: 1, max: 100 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 5 })
    ],
    ([all, max, bad]) =>
      Effect.gen(function* () {
        const { chunks, call } = service(new Set(bad), 400)
        const { values, failures } = yield* Batches.run(all, max, call, { concurrency: 4 })
        assert.strictEqual(chunks.length, Math.ceil(all.length / max))
        assert.isTrue(chunks.every((chunk) => chunk.length <= max))
        const lost = failures.flatMap((failure) => failure.keys)
        assert.deepStrictEqual([...values, ...lost].sort(), [...all].sort())
        assert.deepStrictEqual(
          values,
          all.filter((key) => values.includes(key))
        )
        assert.isTrue(all.filter((key) => bad.includes(key)).every((key) => lost.includes(key)))
      })
  )

  it.effect("stop at a refused token: what was not begun fails for the same reason", () =>
    Effect.gen(function* () {
      const { chunks, call } = service(new Set([3]), 401)
      const { values, failures } = yield* Batches.run([1, 2, 3, 4, 5, 6, 7], 2, call)
      assert.deepStrictEqual(chunks, [
        [1, 2],
        [3, 4]
      ])
      assert.deepStrictEqual(values, [1, 2])
      assert.deepStrictEqual(
        failures.map((failure) => [failure.keys, failure.error._tag]),
        [
          [[3, 4], "Unauthorised"],
          [[5, 6], "Unauthorised"],
          [[7], "Unauthorised"]
        ]
      )
    })
  )

  it.effect("are halved after a 5xx where that is allowed, so that few are lost", () =>
    Effect.gen(function* () {
      const { chunks, call } = service(new Set([5]), 504)
      const { values, failures } = yield* Batches.run([1, 2, 3, 4, 5, 6, 7, 8], 8, call, { halvings: 2 })
      assert.deepStrictEqual(values, [1, 2, 3, 4, 7, 8])
      assert.deepStrictEqual(
        failures.map(({ keys }) => keys),
        [[5, 6]]
      )
      assert.lengthOf(chunks, 5)
    })
  )
})

describe("a list walked by offset", () => {
  it.effect("ends at the first page that is short, and holds every row once", () =>
    Effect.gen(function* () {
      for (const total of [0, 1, 9, 10, 11, 35]) {
        const all = Array.from({ length: total }, (_, i) => i)
        const offsets: Array<number> = []
        const rows = yield* Stream.runCollect(
          Pages.byOffset(10, (limit, offset) => {
            offsets.push(offset)
            return Effect.succeed(all.slice(offset, offset + limit))
          })
        )
        assert.deepStrictEqual([...rows], all)
        assert.lengthOf(offsets, Math.floor(total / 10) + 1)
      }
    })
  )

  it.effect("is not followed for ever", () =>
    Effect.gen(function* () {
      const count = yield* Stream.runCount(Pages.byOffset(1, () => Effect.succeed(["again"])))
      assert.strictEqual(count, Pages.mostPages)
    })
  )
})
