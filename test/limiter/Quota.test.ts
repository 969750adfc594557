import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { AccountName } from "../../src/domain/Ids.js"
import { type Bucket, type Feedback, Limiter, LimitStopped, MaxWait } from "../../src/services/Limiter.js"
import * as LimiterLive from "../../src/services/LimiterLive.js"
import { LimiterStore } from "../../src/services/ports/LimiterStore.js"
import * as VirtualClock from "../scenario/VirtualClock.js"
import { inFolder, store } from "../store/Fixture.js"
import { fromMemory, layerMemory, type Memory, memory } from "./LimiterMemory.js"

const hourMs = 3_600_000
/** 21 November 2026, 15:00 in Moscow: nine hours before midnight. */
const startMs = Date.parse("2026-11-21T12:00:00Z")
const bucket: Bucket = {
  account: AccountName("shop"),
  tokenKind: "personal",
  limitGroup: "analytics.createCsvReport",
  burst: 3,
  intervalMs: 20_000,
  cost4xx: 1,
  quota: { group: "csvReports", perDay: 20 }
}

const silent: Feedback = { status: undefined, retryAfterMs: undefined, remaining: undefined }
const told = (exit: Exit.Exit<Feedback>): Feedback => (Exit.isSuccess(exit) ? exit.value : silent)
const call = (answer: Partial<Feedback>, of = bucket) =>
  Effect.flatMap(Limiter, (limiter) => limiter.call(of, Effect.succeed({ ...silent, ...answer }), told))
const served = call({ status: 200 })
const refusedDaily = call({ status: 429, daily: true })
const repeated = (n: number, one: typeof served) =>
  Effect.all(
    Array.from({ length: n }, () => Effect.either(one)),
    { concurrency: "unbounded" }
  )
const passed = (results: ReadonlyArray<{ readonly _tag: string }>) =>
  results.filter((one) => one._tag === "Right").length

const on = (rows: Memory) => Layer.provide(LimiterLive.layer, layerMemory(rows))
const live = <A, E>(time: VirtualClock.VirtualTime, effect: Effect.Effect<A, E, Limiter>, rows = memory()) =>
  Effect.runPromise(time.run(Effect.provide(effect, on(rows))))
const used = Effect.flatMap(Limiter, (limiter) => Effect.map(limiter.quotas, (all) => all[0]?.used))

describe("a daily quota", () => {
  it("lets as many calls leave as the day has, and stops the next at once with the moment it opens", async () => {
    const time = VirtualClock.make(startMs)
    const [results, atMs] = await live(
      time,
      Effect.gen(function* () {
        const first = yield* repeated(20, served)
        const before = time.now()
        const more = yield* repeated(5, served)
        return [[...first, ...more], time.now() - before] as const
      })
    )
    expect(passed(results)).toBe(20)
    expect(atMs).toBe(0)
    const stopped = results.find((one) => one._tag === "Left")?.left
    expect(stopped).toBeInstanceOf(LimitStopped)
    expect(stopped?.message).toBe(
      "the daily quota of csvReports leaves no room for another call: 20 of 20 are booked; run again after 2026-11-22 00:00 in Moscow"
    )
    expect(stopped?.frozenUntil).toBe(startMs + 9 * hourMs)
    expect(stopped?.because).toBe("no_room")
  })

  it("does not let a call wait for which nothing will be left", async () => {
    const time = VirtualClock.make(startMs)
    const stopped: Array<number> = []
    const one = Effect.tapError(served, () => Effect.sync(() => stopped.push(time.now() - startMs)))
    const results = await live(time, repeated(25, one))
    expect([passed(results), stopped]).toEqual([20, [0, 0, 0, 0, 0]])
  })

  it("counts those that wait, though another program came between and the store tries the transaction anew", async () => {
    const time = VirtualClock.make(startMs)
    const rows = memory()
    await live(time, repeated(15, served), rows)
    const store = fromMemory(rows)
    const anew: typeof store = {
      ...store,
      updateQuota: (account, quota, change) =>
        store.updateQuota(account, quota, (stored) => {
          change(undefined)
          return change(stored)
        })
    }
    const startedAt = time.now()
    const stopped: Array<number> = []
    const one = Effect.tapError(served, () => Effect.sync(() => stopped.push(time.now() - startedAt)))
    const limiter = Layer.provide(LimiterLive.layer, Layer.succeed(LimiterStore, anew))
    const results = await Effect.runPromise(time.run(Effect.provide(repeated(10, one), limiter)))
    expect([passed(results), stopped]).toEqual([5, [0, 0, 0, 0, 0]])
  })

  it("loses only the bookings of requests in the air when the process is killed", async () => {
    const time = VirtualClock.make(startMs)
    const rows = memory()
    const left = await Effect.runPromise(
      time.run(
        Effect.gen(function* () {
          const slow = Effect.flatMap(Limiter, (limiter) =>
            limiter.call(bucket, Effect.as(Effect.sleep(500), { ...silent, status: 200 }), told)
          )
          const copy: Memory = { rows: new Map(), quotas: new Map(), dead: rows.dead }
          const fiber = yield* Effect.fork(Effect.provide(repeated(20, slow), on(copy)))
          yield* Effect.sleep(40_700)
          for (const [name, row] of copy.quotas) rows.quotas.set(name, row)
          yield* Fiber.interrupt(fiber)
          return yield* Effect.provide(repeated(20, served), on(rows))
        })
      )
    )
    // Three of the burst, one after 20 s and one in the air after 40 s.
    expect(passed(left)).toBe(15)
  })

  it("opens again at midnight in Moscow, not at midnight in London", async () => {
    const time = VirtualClock.make(startMs)
    const counts = await live(
      time,
      Effect.gen(function* () {
        yield* repeated(20, served)
        yield* Effect.sleep(startMs + 9 * hourMs - 1 - time.now())
        const before = yield* repeated(1, served)
        yield* Effect.sleep(1)
        return [passed(before), passed(yield* repeated(25, served))]
      })
    )
    expect(counts).toEqual([0, 20])
  })

  it("belongs to the account: other tokens share it, other accounts do not; operations of one group share it", async () => {
    const time = VirtualClock.make(startMs)
    const counts = await live(
      time,
      Effect.gen(function* () {
        yield* repeated(20, served)
        const base = call({ status: 200 }, { ...bucket, tokenKind: "base" })
        const retry = call({ status: 200 }, { ...bucket, limitGroup: "analytics.retryCsvReport" })
        const other = call({ status: 200 }, { ...bucket, account: AccountName("other") })
        const all = [yield* repeated(1, base), yield* repeated(1, retry), yield* repeated(1, other)]
        return all.map(passed)
      })
    )
    expect(counts).toEqual([0, 0, 1])
  })

  it("gets the booking of a call back that never reached the marketplace, and of no other", async () => {
    const time = VirtualClock.make(startMs)
    const seen = await live(
      time,
      Effect.gen(function* () {
        const counts: Array<number | undefined> = []
        for (const answer of [
          { status: 200 },
          { status: 400 },
          { status: 500 },
          {},
          { arrived: "no" }
        ] as const) {
          yield* call(answer)
          counts.push(yield* used)
        }
        yield* call({ status: 429, retryAfterMs: hourMs })
        counts.push(yield* used)
        yield* Effect.either(served).pipe(Effect.provideService(MaxWait, 1_000))
        counts.push(yield* used)
        yield* Effect.timeoutOption(served, 1_000)
        counts.push(yield* used)
        return counts
      })
    )
    expect(seen).toEqual([1, 2, 3, 4, 4, 5, 5, 5])
  })

  it("is shared by processes and survives restarts through the store", async () => {
    const time = VirtualClock.make(startMs)
    const counts = await inFolder((path) => {
      const life = () => LimiterLive.layer.pipe(Layer.provide(store({ filename: join(path, "bidhelm.db") })))
      const half = Effect.provide(repeated(15, served), life())
      return time.run(
        Effect.gen(function* () {
          const both = yield* Effect.all([half, half], { concurrency: 2 })
          const later = yield* Effect.provide(Effect.zip(repeated(3, served), used), life())
          return [passed(both.flat()), passed(later[0]), later[1]]
        })
      )
    })
    expect(counts).toEqual([20, 0, 20])
  })

  it("sends nothing when turn and booking together took the store too long for the other processes, and loses neither", async () => {
    const time = VirtualClock.make(startMs)
    const rows = memory()
    const quick = fromMemory(rows)
    let asked = 0
    const slow: typeof quick = {
      ...quick,
      update: (...change) => Effect.zipLeft(quick.update(...change), Effect.sleep(14_000)),
      // The first look at the quota is that before the turn.
      updateQuota: (...change) =>
        Effect.zipLeft(
          quick.updateQuota(...change),
          Effect.suspend(() => Effect.sleep(asked++ === 1 ? 14_000 : 1))
        )
    }
    const program = Effect.flatMap(Limiter, (limiter) =>
      Effect.all([Effect.flip(served), limiter.quotas, limiter.states])
    )
    const [stopped, quotas, states] = await Effect.runPromise(
      time.run(Effect.provide(program, Layer.provide(LimiterLive.layer, Layer.succeed(LimiterStore, slow))))
    )
    expect(stopped).toBeInstanceOf(LimitStopped)
    expect(stopped).toMatchObject({ because: "not_kept", message: expect.stringMatching(/took 28 s/) })
    expect(quotas).toMatchObject([{ used: 0 }])
    expect(states).toMatchObject([{ inFlight: 0, available: 3 }])
  })

  it("gets the booking of a call back that is interrupted before it leaves", async () => {
    const time = VirtualClock.make(startMs)
    const rows = memory()
    const quick = fromMemory(rows)
    let asked = 0
    const slow: typeof quick = {
      ...quick,
      // The first look at the quota is that before the turn.
      updateQuota: (...change) =>
        Effect.zipLeft(
          quick.updateQuota(...change),
          Effect.suspend(() => Effect.sleep(asked++ === 1 ? 1_000 : 0))
        )
    }
    const program = Effect.gen(function* () {
      const left = yield* Effect.timeoutOption(served, 500)
      return [left._tag, yield* used, (yield* (yield* Limiter).states)[0]?.inFlight]
    })
    const limiter = Layer.provide(LimiterLive.layer, Layer.succeed(LimiterStore, slow))
    expect(await Effect.runPromise(time.run(Effect.provide(program, limiter)))).toEqual(["None", 0, 0])
  })

  it("sends nothing when the booking cannot be stored, and says what to do", async () => {
    const failure = await inFolder((path) => {
      const long = { ...bucket, quota: { group: "x".repeat(1_000_000), perDay: 20 } }
      return Effect.flip(call({ status: 200 }, long)).pipe(
        Effect.provide(
          LimiterLive.layer.pipe(Layer.provide(store({ filename: join(path, "bidhelm.db"), maxPages: 200 })))
        )
      )
    })
    expect(failure.message).toMatch(/could not store the daily quota: the disk is full; free some space/)
  })
})

describe("a refusal of the daily quota", () => {
  it("shuts the quota until midnight, and not the bucket", async () => {
    const time = VirtualClock.make(startMs)
    const [blocked, free, elapsedMs] = await live(
      time,
      Effect.gen(function* () {
        yield* refusedDaily
        const stopped = yield* Effect.flip(served)
        const { quota: _, ...plain } = bucket
        yield* call({ status: 200 }, plain)
        const elapsed = time.now() - startMs
        yield* Effect.sleep(9 * hourMs)
        return [stopped, yield* Effect.either(served), elapsed] as const
      })
    )
    expect(blocked.message).toContain(
      "the marketplace says that it is used up; run again after 2026-11-22 00:00"
    )
    expect(elapsedMs).toBe(0)
    expect(free._tag).toBe("Right")
  })

  it("that comes again after midnight is probed once an hour, until a call is served", async () => {
    const time = VirtualClock.make(startMs)
    const answers = [429, 429, 429, 200]
    const sentAt: Array<number> = []
    const send = Effect.sync((): Feedback => {
      sentAt.push((time.now() - startMs) / hourMs)
      const status = answers.shift() ?? 200
      return { ...silent, status, daily: status === 429 }
    })
    const impatient = Effect.flatMap(Limiter, (limiter) => Effect.either(limiter.call(bucket, send, told)))
    await live(time, Effect.repeatN(Effect.zipLeft(impatient, Effect.sleep(10 * 60_000)), 12 * 6 - 1))
    // At once, at midnight, an hour later, and another hour later it is served; from then on every ten minutes.
    expect(sentAt.slice(0, 5)).toEqual([0, 9, 10, 11, 11 + 1 / 6])
  })

  it("is told among the quotas", async () => {
    const states = await live(
      VirtualClock.make(startMs),
      Effect.zipRight(
        refusedDaily,
        Effect.flatMap(Limiter, (limiter) => limiter.quotas)
      )
    )
    expect(states).toEqual([
      {
        account: "shop",
        quota: { group: "csvReports", perDay: 20 },
        used: 1,
        closedUntil: startMs + 9 * hourMs,
        refused: true
      }
    ])
  })
})
