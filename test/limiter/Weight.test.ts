import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AccountName } from "../../src/domain/Ids.js"
import { type Bucket, type Feedback, Limiter } from "../../src/services/Limiter.js"
import * as LimiterLive from "../../src/services/LimiterLive.js"
import * as VirtualClock from "../scenario/VirtualClock.js"
import { layerMemory, type Memory, memory } from "./LimiterMemory.js"
import { dice, make as makeServer, type StrictServer } from "./StrictServer.js"

const bucketOf = (burst: number, intervalMs: number): Bucket => ({
  account: AccountName("shop"),
  tokenKind: "personal",
  limitGroup: "marketplace.some",
  burst,
  intervalMs,
  cost4xx: 10
})
const passCreate = bucketOf(1, 600_000)
const general = bucketOf(20, 200)

const silent: Feedback = { status: undefined, retryAfterMs: undefined, remaining: undefined }
const told = (exit: Exit.Exit<Feedback>): Feedback => (Exit.isSuccess(exit) ? exit.value : silent)

const ask = (server: StrictServer, bucket: Bucket) =>
  Effect.flatMap(Limiter, (limiter) => limiter.call(bucket, server.request(bucket), told))

const on = (rows: Memory, owner = "one") => Layer.provide(LimiterLive.layer, layerMemory(rows, owner))

const live = <A, E>(time: VirtualClock.VirtualTime, effect: Effect.Effect<A, E, Limiter>, rows = memory()) =>
  Effect.runPromise(time.run(Effect.provide(effect, on(rows))))

describe("where a refusal weighs ten", () => {
  it("no schedule of calls, refusals, lost answers and processes is ever throttled", () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: fc.integer(),
          shape: fc.constantFrom(general, passCreate, bucketOf(20, 600), bucketOf(20, 60), bucketOf(10, 400)),
          jitterMs: fc.integer({ min: 0, max: 900 }),
          refusedShare: fc.constantFrom(0, 0.1, 0.5, 1),
          headers: fc.boolean(),
          spreadMs: fc.constantFrom(0, 5_000, 60_000)
        }),
        async ({ headers, jitterMs, refusedShare, seed, shape, spreadMs }) => {
          const random = dice(seed)
          const time = VirtualClock.make(0)
          const status = () => (random() < refusedShare ? 409 : 200)
          const server = makeServer({ jitterMs, random, headers, status })
          const one = Effect.gen(function* () {
            yield* Effect.sleep(random() * spreadMs)
            const call = ask(server, shape)
            yield* random() < 0.1 ? Effect.timeoutOption(call, random() * 2_000) : call
          })
          const rows = memory()
          const half = (owner: string) =>
            Effect.all(
              Array.from({ length: 25 }, () => one),
              { concurrency: "unbounded" }
            ).pipe(Effect.provide(on(rows, owner)))
          await Effect.runPromise(time.run(Effect.all([half("a"), half("b")], { concurrency: 2 })))
          expect(server.count().refused).toBe(0)
        }
      ),
      { numRuns: 60 }
    ))

  it("a refused pass pushes the next one out by a hundred minutes", async () => {
    const time = VirtualClock.make(0)
    const statuses = [400, 200, 200]
    const server = makeServer({ jitterMs: 0, random: dice(1), status: () => statuses.shift() ?? 200 })
    const at: Array<number> = []
    const call = Effect.zipRight(
      ask(server, passCreate),
      Effect.sync(() => at.push(Math.round(time.now() / 60_000)))
    )
    await live(time, Effect.all([call, call, call]))
    expect(at).toEqual([0, 100, 110])
    expect(server.count()).toEqual({ arrived: 3, refused: 0 })
  })

  it("the limit is still used to the last token when nothing is refused", async () => {
    for (const jitterMs of [0, 40]) {
      const time = VirtualClock.make(0)
      const server = makeServer({ jitterMs, random: dice(jitterMs) })
      const calls = Array.from({ length: 20 + 300 }, () => ask(server, general))
      await live(time, Effect.all(calls, { concurrency: "unbounded" }))
      expect(server.count()).toEqual({ arrived: 320, refused: 0 })
      expect(time.now() / (300 * 200)).toBeLessThanOrEqual(1.01)
    }
  })

  it("a 429 that announces nothing is taken to weigh ten too", async () => {
    const time = VirtualClock.make(0)
    const at: Array<number> = []
    const answers = [429, 200]
    const send = Effect.sync(() => {
      at.push(time.now())
      return { ...silent, status: answers.shift() ?? 200 }
    })
    const call = Effect.flatMap(Limiter, (limiter) => limiter.call(general, send, told))
    await live(time, Effect.all([call, call]))
    expect(at).toEqual([0, 2001])
  })

  it("a 429 that announces a moment is believed", async () => {
    const time = VirtualClock.make(0)
    const at: Array<number> = []
    const answers = [{ status: 429, retryAfterMs: 1_000 }, { status: 200 }]
    const send = Effect.sync(() => {
      at.push(time.now())
      return { ...silent, ...answers.shift() }
    })
    const call = Effect.flatMap(Limiter, (limiter) => limiter.call(general, send, told))
    await live(time, Effect.all([call, call]))
    expect(at).toEqual([0, 1001])
  })

  it("a request that never reached the marketplace costs one", async () => {
    const time = VirtualClock.make(0)
    const bucket = bucketOf(2, 1_000)
    const at: Array<number> = []
    const send = Effect.sync((): Feedback => {
      at.push(time.now())
      return { ...silent, arrived: "no" }
    })
    const call = Effect.flatMap(Limiter, (limiter) => limiter.call(bucket, send, told))
    await live(time, Effect.all([call, call, call]))
    expect(at).toEqual([0, 0, 1001])
  })
})
