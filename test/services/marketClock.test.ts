/** How far this machine's clock is from the marketplace's, by what its answers say. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as ScaledClock from "../../src/domain/ScaledClock.js"
import * as MarketClock from "../../src/services/MarketClock.js"

const nowMs = Date.parse("2026-09-01T12:00:00Z")
const second = 1_000
const clock: Clock.Clock = { ...Clock.make(), unsafeCurrentTimeMillis: () => nowMs }

type Heard = Parameters<MarketClock.MarketClock["heard"]>[0]

/** After answers to requests that took three seconds. */
const after = (by: Clock.Clock, ...answers: ReadonlyArray<Partial<Heard>>) => {
  const market = MarketClock.make("main")
  return Effect.runSync(
    Effect.zipRight(
      Effect.forEach(answers, (answer) =>
        market.heard({ madeAtMs: undefined, ageMs: undefined, ...answer }, nowMs - 3 * second)
      ),
      market.aheadMs
    ).pipe(Effect.withClock(by))
  )
}

it.each<[string, ReadonlyArray<Partial<Heard>>, number | undefined]>([
  ["is ahead of one an hour behind", [{ madeAtMs: nowMs - 3_603 * second }], 3_600 * second],
  ["is behind one an hour ahead", [{ madeAtMs: nowMs + 3_600 * second }], -3_600 * second],
  ["agrees with one within its answer's way", [{ madeAtMs: nowMs - second }], undefined],
  ["agrees with one half a minute away", [{ madeAtMs: nowMs + 30 * second }], undefined],
  ["is not known where no answer says", [{}], undefined],
  ["is not known by a copy of an answer", [{ madeAtMs: nowMs - 3_600 * second, ageMs: second }], undefined],
  [
    "agrees once it was set right",
    [{ madeAtMs: nowMs - 3_600 * second }, { madeAtMs: nowMs - second }],
    undefined
  ]
])("this machine's clock %s", (_, answers, aheadMs) => {
  expect(after(clock, ...answers)).toBe(aheadMs)
})

it("of a sandbox that is sixty times faster half a minute of the machine's is half an hour", () => {
  const fast = { ...ScaledClock.make({ speed: 60 }), unsafeCurrentTimeMillis: () => nowMs }
  expect(after(fast, { madeAtMs: nowMs + 1_800 * second })).toBe(undefined)
  expect(after(fast, { madeAtMs: nowMs + 1_801 * second })).toBe(-1_801 * second)
})
