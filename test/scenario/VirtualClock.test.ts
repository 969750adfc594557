import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import * as ScaledClock from "../../src/domain/ScaledClock.js"
import * as VirtualClock from "./VirtualClock.js"

describe("virtual time", () => {
  it("runs thirty days of five-minute ticks at once", async () => {
    const time = VirtualClock.make(1_000)
    const tick = Effect.sleep("5 minutes")
    const ticks = await Effect.runPromise(
      time.run(
        Effect.forEach(Array.from({ length: 8640 }), () => tick).pipe(
          Effect.as(Clock.currentTimeMillis),
          Effect.flatten
        )
      )
    )
    expect(ticks).toBe(1_000 + 30 * 86_400_000)
  })

  it("wakes sleepers in order of their instants, equal ones in order of falling asleep", async () => {
    const time = VirtualClock.make()
    const seen: Array<string> = []
    const say = (name: string, ms: number) =>
      Effect.andThen(
        Effect.sleep(ms),
        Effect.sync(() => seen.push(`${name}@${time.now()}`))
      )
    await Effect.runPromise(
      time.run(
        Effect.all([say("c", 30), say("a", 10), say("b", 10), say("d", 5)], { concurrency: "unbounded" })
      )
    )
    expect(seen).toEqual(["d@5", "a@10", "b@10", "c@30"])
  })

  it("advances to the end of the given span and wakes nobody later", async () => {
    const time = VirtualClock.make()
    const woken = await Effect.runPromise(
      Effect.gen(function* () {
        yield* Effect.fork(Effect.sleep(10))
        yield* Effect.fork(Effect.sleep(11))
        return yield* time.advance(10)
      }).pipe(Effect.provide(time.layer))
    )
    expect([woken, time.now()]).toEqual([1, 10])
  })

  it("forgets an interrupted sleeper", async () => {
    const time = VirtualClock.make()
    await Effect.runPromise(time.run(Effect.race(Effect.sleep("1 hour"), Effect.sleep(3))))
    expect(time.now()).toBe(3)
  })

  it("dies instead of hanging when nothing sleeps", async () => {
    const exit = await Effect.runPromiseExit(VirtualClock.make().run(Effect.never))
    expect(Exit.isFailure(exit)).toBe(true)
  })
})

describe("scaled time", () => {
  it("passes as many times faster as asked, for reading and for sleeping", async () => {
    const scaled = Effect.gen(function* () {
      const from = yield* Clock.currentTimeMillis
      yield* Effect.sleep("10 seconds")
      return [from, (yield* Clock.currentTimeMillis) - from] as const
    }).pipe(Effect.provide(ScaledClock.layer({ speed: 200, originMs: 5_000_000 })))
    const [from, passed] = await Effect.runPromise(scaled)
    expect(from - 5_000_000).toBeLessThan(5_000)
    expect(passed).toBeGreaterThanOrEqual(9_600)
    expect(passed).toBeLessThan(60_000)
  })

  it("goes by the machine's time that it is given", async () => {
    const time = VirtualClock.make()
    const scaled = Effect.sleep("10 hours").pipe(
      Effect.provide(ScaledClock.layer({ speed: 60 })),
      Effect.provideService(ScaledClock.Machine, time.clock)
    )
    await Effect.runPromise(time.run(scaled))
    expect(time.now()).toBe(600_000)
  })

  it("tells what a time of the machine is in it, whoever else was only given the clock", async () => {
    const clock = ScaledClock.make({ speed: 300 })
    expect(await Effect.runPromise(Effect.withClock(ScaledClock.ofMachine(30_000), clock))).toBe(9_000_000)
    expect(await Effect.runPromise(ScaledClock.ofMachine(30_000))).toBe(30_000)
  })
})
