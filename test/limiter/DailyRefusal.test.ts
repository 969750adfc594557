import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { assert, describe } from "vitest"
import { json, withMarketplace } from "../services/FakeMarketplace.js"

const hosts = { advert: "http://advert.test", analytics: "http://analytics.test" }
const request = {
  payload: {
    id: "06eae887-9d9f-491f-b16a-bb1766fcb8d2",
    reportType: "DETAIL_HISTORY_REPORT",
    params: { startDate: "2026-11-01", endDate: "2026-11-10" }
  }
}
const daily = {
  title: "too many requests",
  detail: "daily limit of 20 reports reached",
  requestId: "a",
  origin: "b"
}

const answered = (operation: string, asked: object, body: object) =>
  withMarketplace(
    () => json(body, 429),
    ({ client, feedback, sent }) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00Z"))
        const fiber = yield* Effect.fork(Effect.flip(client.read(operation, asked)))
        yield* TestClock.adjust("1 minute")
        const error = yield* fiber
        return { error, sent: sent.length, daily: feedback.some((one) => one.daily === true) }
      }),
    { hosts }
  )

describe("the two kinds of 429", () => {
  it.effect("a body without status that speaks of the day's number is the quota's, and is not repeated", () =>
    Effect.gen(function* () {
      const { error, ...rest } = yield* answered("createCsvReport", request, daily)
      assert.deepStrictEqual(rest, { sent: 1, daily: true })
      assert.deepInclude({ ...error }, { _tag: "Throttled", daily: true, retryAfterMs: 9 * 3_600_000 })
      assert.include(error.message, "the daily quota is used up (429)")
      assert.include(error.message, "after midnight in Moscow")
    })
  )

  for (const [what, body] of [
    ["has a status", { ...daily, status: 429 }],
    ["does not speak of the day", { ...daily, detail: "global limiter, 200 requests" }],
    ["has no detail", { title: "too many requests" }]
  ] as const) {
    it.effect(`a body that ${what} is the bucket's, and is repeated`, () =>
      Effect.map(answered("createCsvReport", request, body), ({ error, ...rest }) => {
        assert.deepStrictEqual(rest, { sent: 3, daily: false })
        assert.notProperty({ ...error }, "daily")
      })
    )
  }

  it.effect("an operation without a quota knows only the bucket's", () =>
    Effect.map(answered("getBalance", {}, daily), (seen) => {
      assert.strictEqual(seen.daily, false)
      assert.strictEqual(seen.sent, 3)
    })
  )
})
