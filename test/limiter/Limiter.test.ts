import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { describe, expect, it } from "vitest"
import { AccountName } from "../../src/domain/Ids.js"
import * as ScaledClock from "../../src/domain/ScaledClock.js"
import { type Bucket, Consumer, type Feedback, Limiter, MaxWait } from "../../src/services/Limiter.js"
import * as LimiterLive from "../../src/services/LimiterLive.js"
import { LimiterStore } from "../../src/services/ports/LimiterStore.js"
import * as VirtualClock from "../scenario/VirtualClock.js"
import { fromMemory, layerMemory, type Memory, memory } from "./LimiterMemory.js"
import { dice, make as makeServer, type StrictServer } from "./StrictServer.js"

const bucketOf = (burst: number, intervalMs: number, more: Partial<Bucket> = {}): Bucket => ({
  account: AccountName("shop"),
  tokenKind: "personal",
  limitGroup: "group",
  burst,
  intervalMs,
  cost4xx: 1,
  ...more
})

const told = (exit: Exit.Exit<Feedback, never>): Feedback =>
  Exit.isSuccess(exit) ? exit.value : { status: undefined, retryAfterMs: undefined, remaining: undefined }

const ask = (server: StrictServer, bucket: Bucket) =>
  Effect.flatMap(Limiter, (limiter) => limiter.call(bucket, server.request(bucket), told))

const limiterOn = (rows: Memory, owner = "one") => Layer.provide(LimiterLive.layer, layerMemory(rows, owner))

const live = <A, E>(
  time: VirtualClock.VirtualTime,
  effect: Effect.Effect<A, E, Limiter>,
  rows = memory(),
  owner = "one"
) => Effect.runPromise(time.run(Effect.provide(effect, limiterOn(rows, owner))))

/** Runs calls under a limiter that is killed after `ms`: nothing it would still have stored is stored. */
const killedAfter = <A, E>(ms: number, effect: Effect.Effect<A, E, Limiter>, rows: Memory, owner: string) =>
  Effect.gen(function* () {
    const copy: Memory = { rows: new Map(rows.rows), quotas: new Map(rows.quotas), dead: rows.dead }
    const fiber = yield* Effect.fork(Effect.provide(effect, limiterOn(copy, owner)))
    yield* Effect.sleep(ms)
    for (const [name, row] of copy.rows) rows.rows.set(name, row)
    rows.dead.add(owner)
    yield* Fiber.interrupt(fiber)
  })

const shifted = (clock: Clock.Clock, byMs: number): Clock.Clock => {
  const millis = () => clock.unsafeCurrentTimeMillis() + byMs
  const nanos = () => clock.unsafeCurrentTimeNanos() + BigInt(byMs) * 1_000_000n
  return {
    ...clock,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos)
  }
}

const many = <A, E, R>(n: number, effect: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: n }, () => effect),
    { concurrency: "unbounded" }
  )

const answer = (feedback: Partial<Feedback>) => Effect.succeed({ ...silent, ...feedback })
const silent: Feedback = { status: 200, retryAfterMs: undefined, remaining: undefined }

describe("the limiter", () => {
  for (const [burst, intervalMs] of [
    [5, 200],
    [1, 1000],
    [4, 500],
    [20, 6000],
    [1, 20_000],
    [10, 60_000]
  ] as const) {
    for (const jitterMs of [0, 40]) {
      it(`uses a limit of burst ${burst} every ${intervalMs} ms to the last token, jitter ${jitterMs} ms, and is never refused`, async () => {
        const time = VirtualClock.make(1_000_000)
        const server = makeServer({ jitterMs, random: dice(burst + jitterMs) })
        const n = burst + 200
        await live(time, many(n, ask(server, bucketOf(burst, intervalMs))))
        expect(server.count()).toEqual({ arrived: n, refused: 0 })
        const ratio = (time.now() - 1_000_000) / (200 * intervalMs)
        expect(ratio).toBeLessThanOrEqual(burst === 1 ? 1 + (jitterMs + 5) / intervalMs : 1.01)
      })
    }
  }

  it("sends nothing a second time and nothing too early after a kill in the middle", async () => {
    for (let seed = 0; seed < 30; seed++) {
      const random = dice(seed)
      const time = VirtualClock.make(5_000)
      const server = makeServer({ jitterMs: 40, random })
      const bucket = bucketOf(1 + Math.floor(random() * 4), 100 + Math.floor(random() * 900))
      const rows = memory()
      await Effect.runPromise(
        time.run(
          Effect.gen(function* () {
            for (let life = 0; life < 4; life++) {
              yield* killedAfter(random() * 3_000, many(50, ask(server, bucket)), rows, `life ${life}`)
            }
            yield* Effect.provide(many(20, ask(server, bucket)), limiterOn(rows, "last"))
          })
        )
      )
      expect(server.count().refused, `seed ${seed}`).toBe(0)
      expect(server.count().arrived).toBeGreaterThanOrEqual(20)
    }
  })

  it("is never refused while requests are on their way for minutes and somebody still waits for them", async () => {
    for (const burst of [1, 3]) {
      const time = VirtualClock.make(5_000)
      const server = makeServer({ jitterMs: 120_000, random: dice(burst) })
      await live(time, many(30, ask(server, bucketOf(burst, 20_000))))
      expect(server.count()).toEqual({ arrived: 30, refused: 0 })
    }
  })

  it("lets two processes on one store share a limit without a refusal", async () => {
    for (const burst of [1, 3]) {
      const time = VirtualClock.make(5_000)
      const server = makeServer({ jitterMs: 40, random: dice(burst) })
      const bucket = bucketOf(burst, 500)
      const rows = memory()
      const half = (owner: string) => Effect.provide(many(40, ask(server, bucket)), limiterOn(rows, owner))
      await Effect.runPromise(time.run(Effect.all([half("a"), half("b")], { concurrency: 2 })))
      expect(server.count()).toEqual({ arrived: 80, refused: 0 })
      expect(time.now() - 5_000).toBeLessThan(80 * 500 * (burst === 1 ? 1.3 : 1.02))
    }
  })

  it("lets two processes beside a fast sandbox share a limit though a request takes half a second of the machine", async () => {
    const time = VirtualClock.make(5_000)
    const clock = ScaledClock.make({ speed: 60, machine: time.clock })
    const server = makeServer({ jitterMs: 30_000, random: dice(3) })
    const bucket = bucketOf(1, 20_000)
    const rows = memory()
    const half = (owner: string) => Effect.provide(many(40, ask(server, bucket)), limiterOn(rows, owner))
    const both = Effect.all([half("a"), half("b")], { concurrency: 2 })
    await Effect.runPromise(time.run(Effect.withClock(both, clock)))
    expect(server.count()).toEqual({ arrived: 80, refused: 0 })
  })

  it("lets two processes share a limit of seconds though the store takes long to keep what it allowed to one of them", async () => {
    for (const slowMs of [2_000, 14_000, 40_000]) {
      const time = VirtualClock.make(5_000)
      const server = makeServer({ jitterMs: 10_000, random: dice(5) })
      const bucket = bucketOf(1, 20_000)
      const rows = memory()
      const quick = fromMemory(rows, "a")
      const random = dice(9)
      const slow: typeof quick = {
        ...quick,
        update: (...asked) =>
          Effect.zipLeft(quick.update(...asked), Effect.sleep(random() < 0.3 ? slowMs : 1))
      }
      const half = (store: typeof quick) =>
        Effect.provide(
          many(30, ask(server, bucket)),
          Layer.provide(LimiterLive.layer, Layer.succeed(LimiterStore, store))
        )
      const both = Effect.all([half(slow), half(fromMemory(rows, "b"))], { concurrency: 2 })
      await Effect.runPromise(time.run(Effect.provide(both, Logger.remove(Logger.defaultLogger))))
      expect(server.count(), `${slowMs} ms`).toEqual({ arrived: 60, refused: 0 })
    }
  })

  it("lets two processes beside a fast sandbox share a limit though one is killed with a request half a second under way", async () => {
    const time = VirtualClock.make(5_000)
    const clock = ScaledClock.make({ speed: 60, machine: time.clock })
    const server = makeServer({ jitterMs: 0, random: dice(3) })
    const bucket = bucketOf(1, 20_000)
    const rows = memory()
    const late = Effect.forkDaemon(Effect.zipRight(Effect.sleep(500 * 60), server.request(bucket)))
    const killed = Effect.flatMap(Limiter, (limiter) =>
      limiter.call(bucket, Effect.flatMap(late, Fiber.join), told)
    )
    const program = Effect.gen(function* () {
      yield* killedAfter(60, killed, rows, "a")
      yield* Effect.provide(many(2, ask(server, bucket)), limiterOn(rows, "b"))
    })
    await Effect.runPromise(time.run(Effect.withClock(program, clock)))
    expect(server.count()).toEqual({ arrived: 3, refused: 0 })
  })

  it("lets two processes share a limit whose clocks are apart, who gain no more than that once, however often they take turns", async () => {
    for (const apartMs of [-20_000, -3_000, -300, 300, 3_000, 20_000]) {
      const time = VirtualClock.make(5_000_000)
      const server = makeServer({ jitterMs: 40, random: dice(7) })
      const bucket = bucketOf(5, 12_000)
      const rows = memory()
      const asked = Effect.withClock(server.request(bucket), time.clock)
      const calls = many(
        60,
        Effect.flatMap(Limiter, (limiter) => limiter.call(bucket, asked, told))
      )
      const other = Effect.withClock(
        Effect.provide(calls, limiterOn(rows, "b")),
        shifted(time.clock, apartMs)
      )
      const both = Effect.all([Effect.provide(calls, limiterOn(rows, "a")), other], { concurrency: 2 })
      await Effect.runPromise(time.run(both))
      const { arrived, refused } = server.count()
      expect(arrived).toBe(120)
      expect(refused, `${apartMs} ms`).toBeLessThanOrEqual(Math.floor(Math.abs(apartMs) / bucket.intervalMs))
    }
  })

  it("is never refused under random waits, latencies, consumers and interruptions", async () => {
    for (let seed = 100; seed < 140; seed++) {
      const random = dice(seed)
      const time = VirtualClock.make(0)
      const server = makeServer({ jitterMs: random() * 900, random, headers: random() < 0.5 })
      const bucket = bucketOf(1 + Math.floor(random() * 6), 50 + Math.floor(random() * 1000))
      const one = Effect.gen(function* () {
        yield* Effect.sleep(random() * 20_000)
        const call = ask(server, bucket).pipe(Effect.provideService(Consumer, `c${Math.floor(random() * 3)}`))
        yield* random() < 0.3 ? Effect.timeoutOption(call, random() * 2_000) : call
      })
      await live(time, many(60, one))
      expect(server.count().refused, `seed ${seed}`).toBe(0)
    }
  })

  it("gives the token back when interrupted before sending", async () => {
    const time = VirtualClock.make(0)
    const server = makeServer({ jitterMs: 0, random: dice(1) })
    const bucket = bucketOf(1, 1000)
    await live(
      time,
      Effect.gen(function* () {
        yield* ask(server, bucket)
        const waiting = yield* many(10, Effect.fork(ask(server, bucket)))
        yield* Effect.sleep(100)
        yield* Fiber.interruptAll(waiting)
        yield* ask(server, bucket)
      })
    )
    expect(server.count()).toEqual({ arrived: 2, refused: 0 })
    expect(time.now()).toBeLessThan(1010)
  })

  it("counts a request interrupted under way as spent", async () => {
    const time = VirtualClock.make(0)
    const server = makeServer({ jitterMs: 500, random: () => 0.9 })
    const bucket = bucketOf(1, 2000)
    await live(
      time,
      Effect.gen(function* () {
        yield* Effect.timeoutOption(ask(server, bucket), 10)
        yield* ask(server, bucket)
      })
    )
    expect(server.count()).toEqual({ arrived: 2, refused: 0 })
    expect(time.now()).toBeGreaterThan(2450)
  })

  it("keeps the order of one consumer and lets a small one pass a flood in turns", async () => {
    const time = VirtualClock.make(0)
    const bucket = bucketOf(1, 1000)
    const order: Array<string> = []
    const named = (name: string, consumer: string) =>
      Effect.flatMap(Limiter, (limiter) =>
        limiter.call(
          bucket,
          Effect.as(
            Effect.sync(() => order.push(name)),
            silent
          ),
          told
        )
      ).pipe(Effect.provideService(Consumer, consumer))
    const all = [
      ...Array.from({ length: 60 }, (_, index) => named(`flood ${index}`, "flood")),
      ...Array.from({ length: 5 }, (_, index) => named(`small ${index}`, "small"))
    ]
    await live(time, Effect.all(all, { concurrency: "unbounded" }))
    expect(order.filter((name) => name.startsWith("flood"))).toEqual(
      Array.from({ length: 60 }, (_, index) => `flood ${index}`)
    )
    expect(order.slice(0, 10).filter((name) => name.startsWith("small"))).toEqual(
      Array.from({ length: 5 }, (_, index) => `small ${index}`)
    )
  })
})

describe("a refusal", () => {
  const refuse = (retryAfterMs: number | undefined) => answer({ status: 429, retryAfterMs })
  const at = (time: VirtualClock.VirtualTime, sent: Array<number>) =>
    Effect.sync(() => void sent.push(time.now()))
  const call = (bucket: Bucket, send: Effect.Effect<Feedback>) =>
    Effect.flatMap(Limiter, (limiter) => limiter.call(bucket, send, told))

  it("freezes the bucket until the announced moment, then lets one through per interval", async () => {
    const time = VirtualClock.make(0)
    const bucket = bucketOf(5, 200)
    const sent: Array<number> = []
    await live(
      time,
      Effect.gen(function* () {
        yield* call(bucket, refuse(564_000))
        yield* many(3, call(bucket, Effect.zipRight(at(time, sent), answer({}))))
      })
    )
    expect(sent).toEqual([564_001, 564_201, 564_401])
  })

  it("stays in force after a restart", async () => {
    const time = VirtualClock.make(0)
    const bucket = bucketOf(5, 200)
    const rows = memory()
    const sent: Array<number> = []
    await live(time, call(bucket, refuse(18_236_000)), rows, "one")
    rows.dead.add("one")
    await live(time, call(bucket, Effect.zipRight(at(time, sent), answer({}))), rows, "two")
    expect(sent).toEqual([18_236_001])
  })

  it("without an announced moment waits an interval, longer when refused again", async () => {
    const time = VirtualClock.make(0)
    const bucket = bucketOf(1, 1000)
    const sent: Array<number> = []
    const refused = call(bucket, Effect.zipRight(at(time, sent), refuse(undefined)))
    await live(time, Effect.all([refused, refused, refused, refused]))
    expect(sent).toEqual([0, 1001, 2502, 4753])
  })

  it("sends callers away whose patience ends before, and keeps the others", async () => {
    const time = VirtualClock.make(0)
    const bucket = bucketOf(5, 200)
    const sent: Array<number> = []
    const patient = call(bucket, Effect.zipRight(at(time, sent), answer({})))
    const [hasty] = await live(
      time,
      Effect.gen(function* () {
        yield* call(bucket, refuse(3_600_000))
        const hurried = Effect.either(patient.pipe(Effect.provideService(MaxWait, 60_000)))
        const stopped = hurried.pipe(Effect.map((result) => ({ result, at: time.now() })))
        return yield* Effect.all([stopped, patient], { concurrency: 2 })
      })
    )
    expect(hasty.at).toBe(0)
    expect(hasty.result).toMatchObject({
      left: { _tag: "LimitStopped", waitMs: 3_600_001, frozenUntil: 3_600_001 }
    })
    expect(sent).toEqual([3_600_001])
  })
})

describe("patience", () => {
  it("lets as many through as can leave in time and sends the rest away at once", async () => {
    const time = VirtualClock.make(0)
    const server = makeServer({ jitterMs: 0, random: dice(1) })
    const call = Effect.either(ask(server, bucketOf(2, 1000))).pipe(Effect.provideService(MaxWait, 3_500))
    const results = await live(time, many(10, call))
    expect(results.filter((result) => result._tag === "Right")).toHaveLength(5)
    expect(server.count()).toEqual({ arrived: 5, refused: 0 })
    expect(time.now()).toBeLessThan(3_500)
  })

  it("ends though the store takes too long to keep any turn, says what is slow, and warns once", async () => {
    const time = VirtualClock.make(5_000)
    const quick = fromMemory(memory())
    const slow: typeof quick = {
      ...quick,
      update: (...asked) => Effect.zipLeft(quick.update(...asked), Effect.sleep(16_000))
    }
    const warnings: Array<unknown> = []
    const logger = Logger.make(({ message }) => warnings.push(message))
    const call = Effect.flatMap(Limiter, (limiter) =>
      limiter.call(bucketOf(5, 1_000), answer({ status: 200 }), told)
    )
    const waiting = (patienceMs: number) =>
      Effect.map(Effect.provideService(Effect.either(call), MaxWait, patienceMs), (result) => [
        time.now(),
        result
      ])
    const results = await Effect.runPromise(
      time.run(
        Effect.all([waiting(5_000), waiting(0), waiting(40_000)], { concurrency: "unbounded" }).pipe(
          Effect.provide(Layer.provide(LimiterLive.layer, Layer.succeed(LimiterStore, slow))),
          Effect.provide(Logger.replace(Logger.defaultLogger, logger))
        )
      )
    )
    const stopped = expect.objectContaining({
      left: expect.objectContaining({
        because: "not_kept",
        message: expect.stringMatching(
          /the limit of group: the store took 16 s .* see what keeps its disk or server busy/
        )
      })
    })
    expect(results).toEqual([
      [21_000, stopped],
      [21_000, stopped],
      [53_000, stopped]
    ])
    expect(warnings).toEqual([[expect.stringMatching(/the store took 16 s/)]])
  })
})

describe("what answers say", () => {
  const bucket = bucketOf(10, 1000, { cost4xx: 10 })
  const call = (send: Effect.Effect<Feedback>) =>
    Effect.flatMap(Limiter, (limiter) => limiter.call(bucket, send, told))
  const available = Effect.flatMap(Limiter, (limiter) => limiter.states).pipe(
    Effect.map((states) => states[0]!.available)
  )

  it("a smaller remainder than ours lowers ours, a larger one changes nothing", async () => {
    const time = VirtualClock.make(0)
    const seen = await live(
      time,
      Effect.gen(function* () {
        yield* call(answer({ remaining: 30 }))
        const before = yield* available
        yield* call(answer({ remaining: 2 }))
        return [before, yield* available]
      })
    )
    expect(seen).toEqual([9, 2])
  })

  it("another program's calls are noticed before they cause a refusal", async () => {
    const time = VirtualClock.make(0)
    const server = makeServer({ jitterMs: 0, random: dice(1) })
    await live(
      time,
      Effect.gen(function* () {
        yield* ask(server, bucket)
        server.drain(bucket, 7)
        for (let index = 0; index < 20; index++) yield* ask(server, bucket)
      })
    )
    expect(server.count()).toEqual({ arrived: 21, refused: 0 })
  })

  it("a 4xx costs what the operation's host charges for it", async () => {
    const time = VirtualClock.make(0)
    const server = makeServer({ jitterMs: 0, random: dice(1), headers: false, status: () => 409 })
    await live(time, Effect.all([ask(server, bucket), ask(server, bucket)]))
    expect(server.count()).toEqual({ arrived: 2, refused: 0 })
    expect(time.now()).toBeGreaterThanOrEqual(1_000)
  })

  it("the answer itself is passed on, failure included", async () => {
    const time = VirtualClock.make(0)
    const result = await live(
      time,
      Effect.flatMap(Limiter, (limiter) =>
        Effect.flip(limiter.call(bucket, Effect.fail("broken"), () => ({ ...silent, status: 500 })))
      )
    )
    expect(result).toBe("broken")
  })
})
