import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as NobodyWaits from "./NobodyWaits.js"

const run = <A, E>(command: Effect.Effect<A, E>) =>
  Effect.runPromise(NobodyWaits.during(Effect.withClock(command, NobodyWaits.machine)))

it("leaves out what everybody sleeps through, and wakes each at its time", async () => {
  const wokenAt = (hours: number) =>
    Effect.gen(function* () {
      const from = yield* Clock.currentTimeMillis
      yield* Effect.sleep(`${hours} hours`)
      return Math.floor(((yield* Clock.currentTimeMillis) - from) / 3_600_000)
    })
  const order: Array<number> = []
  const three = [30, 10, 20].map((hours) => Effect.tap(wokenAt(hours), () => order.push(hours)))
  expect(await run(Effect.all(three, { concurrency: "unbounded" }))).toEqual([30, 10, 20])
  expect(order).toEqual([10, 20, 30])
})

it("leaves nothing out while somebody is at work", async () => {
  const work = Effect.sync(() => {
    const until = performance.now() + 20
    while (performance.now() < until);
  })
  const busy = Effect.repeatN(Effect.zipRight(work, Effect.yieldNow()), 5)
  const first = Effect.raceFirst(Effect.as(busy, "worked"), Effect.as(Effect.sleep("1 hour"), "slept"))
  expect(await run(first)).toBe("worked")
})
