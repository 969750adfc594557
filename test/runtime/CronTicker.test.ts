/** Wake-ups by node-cron itself, on the real clock: two minutes are not waited for, so its timers are driven. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { getTasks } from "node-cron"
import { afterEach, describe, expect, it, vi } from "vitest"
import { Ticker } from "../../src/engine/schedule/Ticker.js"
import * as CronTicker from "../../src/runtime/CronTicker.js"

afterEach(() => vi.useRealTimers())

describe("wake-ups by node-cron", () => {
  it("come at the due times alone, and leave no task behind", async () => {
    vi.useFakeTimers({ now: Date.parse("2026-09-01T05:58:30Z") })
    const program = Effect.gen(function* () {
      const ticker = yield* Ticker
      const woken = yield* Ref.make<ReadonlyArray<string>>([])
      const note = Effect.suspend(() => {
        const now = new Date().toISOString().slice(11, 19)
        return Ref.update(woken, (before) => [...before, now])
      })
      const schedules = [{ at: [360, 361], tz: "UTC" }]
      const fiber = yield* Effect.fork(Stream.runForEach(ticker.ticks(schedules), () => note))
      yield* Effect.promise(() => vi.advanceTimersByTimeAsync(60))
      const during = getTasks().size
      yield* Effect.promise(() => vi.advanceTimersByTimeAsync(3 * 60_000))
      yield* Fiber.interrupt(fiber)
      return { during, after: getTasks().size, woken: yield* Ref.get(woken) }
    })
    const running = Effect.runPromise(Effect.provide(program, CronTicker.layer))
    await vi.advanceTimersByTimeAsync(1)
    const { after, during, woken } = await running
    expect([during, after]).toEqual([1, 0])
    expect(woken).toEqual(["06:00:00", "06:01:00"])
  })
})
