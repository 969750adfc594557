/** One measurement: so many calls through the limiter to a strict server, in virtual time. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { AccountName } from "../../src/domain/Ids.js"
import { type Bucket, Consumer, type Feedback, Limiter } from "../../src/services/Limiter.js"
import * as LimiterLive from "../../src/services/LimiterLive.js"
import { layerMemory, type Memory, memory } from "../../src/services/ports/LimiterStore.js"
import * as VirtualClock from "../../test/scenario/VirtualClock.js"
import type { Shape } from "./Shapes.js"
import * as StrictServer from "./StrictServer.js"

export interface Result {
  /** Wall time over max(0, n − burst) × interval. */
  readonly ratio: number
  readonly refused: number
}

/** A marketplace to measure against: sends one request, answers what it said. */
export interface Server {
  readonly request: (bucket: Bucket) => Effect.Effect<Feedback>
  readonly count: () => { readonly arrived: number; readonly refused: number }
}

/** `calls` beyond the burst, all wanted at once. */
export const steady = (shape: Shape, jitterMs: number, calls: number): Effect.Effect<Result> =>
  inVirtualTime(shape, jitterMs, ({ server, time }) =>
    Effect.gen(function* () {
      yield* Effect.provide(atOnce(server, shape, shape.burst + calls), limiter(memory(), "one"))
      return time.now() / (calls * shape.intervalMs)
    })
  )

/** The same, with the process killed in the middle and another started on its store at once. */
export const restarted = (shape: Shape, jitterMs: number, calls: number): Effect.Effect<Result> =>
  inVirtualTime(shape, jitterMs, ({ server, time, departed, departs }) =>
    Effect.gen(function* () {
      const store = memory()
      const wanted = shape.burst + calls
      const first = yield* Effect.fork(Effect.provide(atOnce(server, shape, wanted), limiter(store, "one")))
      yield* departs(Math.floor(wanted / 2))
      yield* Effect.sleep(1)
      // A killed process stores nothing on its way out, so the second one starts from a copy taken before.
      const left = { rows: new Map(store.rows), dead: new Set(["one"]) }
      yield* Fiber.interrupt(first)
      yield* Effect.provide(atOnce(server, shape, wanted - departed()), limiter(left, "two"))
      return time.now() / (calls * shape.intervalMs)
    })
  )

/**
 * A consumer that makes `few` calls one after the other while another wants 60 at once: its time over its fair
 * share, which is every second token.
 */
export const behindFlood = (shape: Shape, jitterMs: number, few: number): Effect.Effect<Result> =>
  inVirtualTime(shape, jitterMs, ({ server, time }) =>
    Effect.gen(function* () {
      const flood = yield* Effect.fork(Effect.provideService(atOnce(server, shape, 60), Consumer, "flood"))
      yield* Effect.sleep(5)
      const startMs = time.now()
      const small = Effect.forEach(Array.from({ length: few }), () => call(server, shape), { discard: true })
      yield* Effect.provideService(small, Consumer, "small")
      const tookMs = time.now() - startMs
      yield* Fiber.join(flood)
      return tookMs / (2 * few * shape.intervalMs)
    }).pipe(Effect.provide(limiter(memory(), "one")))
  )

interface Course {
  readonly server: Server
  readonly time: VirtualClock.VirtualTime
  /** Requests that have left. */
  readonly departed: () => number
  /** Ends when so many have left; the last of them is in the air then. */
  readonly departs: (n: number) => Effect.Effect<void>
}

/** Runs a course that answers its ratio, on a clock that starts at 0. */
const inVirtualTime = (
  shape: Shape,
  jitterMs: number,
  course: (course: Course) => Effect.Effect<number>
): Effect.Effect<Result> =>
  Effect.suspend(() => {
    const time = VirtualClock.make(0)
    const strict = StrictServer.make({ jitterMs, random: StrictServer.dice(shape.burst * 7 + jitterMs) })
    let departed = 0
    const awaited = new Map<number, Deferred.Deferred<void>>()
    const departs = (n: number) =>
      Effect.flatMap(Deferred.make<void>(), (one) => {
        awaited.set(n, one)
        return Deferred.await(one)
      })
    const server: Server = {
      request: (bucket) =>
        Effect.suspend(() => {
          departed++
          const one = awaited.get(departed)
          if (one !== undefined) Deferred.unsafeDone(one, Effect.void)
          return strict.request(bucket)
        }),
      count: strict.count
    }
    return Effect.map(time.run(course({ server, time, departed: () => departed, departs })), (ratio) => ({
      ratio,
      refused: strict.count().refused
    }))
  })

const limiter = (rows: Memory, owner: string) => Layer.provide(LimiterLive.layer, layerMemory(rows, owner))

const atOnce = (server: Server, shape: Shape, n: number) =>
  Effect.all(
    Array.from({ length: n }, () => call(server, shape)),
    { concurrency: "unbounded", discard: true }
  )

/** One call through the limiter. */
export const call = (server: Server, shape: Shape): Effect.Effect<void, never, Limiter> => {
  const bucket = bucketOf(shape)
  return Effect.flatMap(Limiter, (limits) => Effect.orDie(limits.call(bucket, server.request(bucket), told)))
}

const bucketOf = (shape: Shape): Bucket => ({
  account: AccountName("bench"),
  tokenKind: "personal",
  limitGroup: shape.name,
  burst: shape.burst,
  intervalMs: shape.intervalMs,
  cost4xx: 1
})

const told = (exit: Exit.Exit<Feedback>): Feedback =>
  Exit.isSuccess(exit) ? exit.value : { status: undefined, retryAfterMs: undefined, remaining: undefined }
