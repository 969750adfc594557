/** Places that limit how many accounts plan at once. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import * as Places from "../../src/engine/schedule/Places.js"

describe("places", () => {
  const free = (places: Effect.Semaphore) =>
    Effect.map(places.withPermitsIfAvailable(1)(Effect.void), (taken) => taken._tag === "Some")

  it("are given on by work that goes on waiting, once", async () => {
    const seen = await Effect.runPromise(
      Effect.gen(function* () {
        const places = yield* Effect.makeSemaphore(1)
        const [left, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const work = yield* Effect.fork(
          Places.held(places, ({ leave }) =>
            Effect.gen(function* () {
              const before = yield* free(places)
              yield* leave
              yield* leave
              yield* Deferred.succeed(left, undefined)
              yield* Deferred.await(end)
              return before
            })
          )
        )
        yield* Deferred.await(left)
        const during = yield* free(places)
        yield* Deferred.succeed(end, undefined)
        const before = yield* Fiber.join(work)
        const two = yield* places.withPermitsIfAvailable(2)(Effect.void)
        return { before, during, after: yield* free(places), two: two._tag }
      })
    )
    expect(seen).toEqual({ before: false, during: true, after: true, two: "None" })
  })

  it("are given on by work that ends or is interrupted before", async () => {
    const seen = await Effect.runPromise(
      Effect.gen(function* () {
        const places = yield* Effect.makeSemaphore(1)
        yield* Effect.ignore(Places.held(places, () => Effect.fail("broken")))
        const afterFailure = yield* free(places)
        const hanging = yield* Effect.fork(Places.held(places, () => Effect.never))
        yield* Effect.yieldNow()
        const queued = yield* Effect.fork(Places.held(places, () => Effect.never))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(queued)
        yield* Fiber.interrupt(hanging)
        return { afterFailure, afterInterruption: yield* free(places) }
      })
    )
    expect(seen).toEqual({ afterFailure: true, afterInterruption: true })
  })

  it("are given on while the work only waits, and taken again before it goes on", async () => {
    const seen = await Effect.runPromise(
      Effect.gen(function* () {
        const places = yield* Effect.makeSemaphore(1)
        const told: Array<string> = []
        const say = (what: string) => Effect.sync(() => void told.push(what))
        const [waited, planned] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const first = yield* Effect.fork(
          Places.held(places, ({ away }) =>
            Effect.zipRight(away(Deferred.await(waited)), Effect.zipRight(say("first goes on"), free(places)))
          )
        )
        yield* Effect.yieldNow()
        const second = yield* Effect.fork(
          Places.held(places, () => Effect.zipRight(say("second plans"), Deferred.await(planned)))
        )
        yield* Effect.yieldNow()
        yield* Deferred.succeed(waited, undefined)
        yield* Effect.yieldNow()
        yield* say("second ends")
        yield* Deferred.succeed(planned, undefined)
        yield* Fiber.join(second)
        return { freeDuring: yield* Fiber.join(first), told, after: yield* free(places) }
      })
    )
    expect(seen).toEqual({
      freeDuring: false,
      told: ["second plans", "second ends", "first goes on"],
      after: true
    })
  })

  it("are free after work was interrupted while it waited for its place again", async () => {
    const after = await Effect.runPromise(
      Effect.gen(function* () {
        const places = yield* Effect.makeSemaphore(1)
        const waited = yield* Deferred.make<void>()
        const first = yield* Effect.fork(Places.held(places, ({ away }) => away(Deferred.await(waited))))
        yield* Effect.yieldNow()
        const second = yield* Effect.fork(Places.held(places, () => Effect.never))
        yield* Effect.yieldNow()
        yield* Deferred.succeed(waited, undefined)
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(first)
        const whileSecond = yield* free(places)
        yield* Fiber.interrupt(second)
        const two = yield* places.withPermitsIfAvailable(2)(Effect.void)
        return { whileSecond, after: yield* free(places), two: two._tag }
      })
    )
    expect(after).toEqual({ whileSecond: false, after: true, two: "None" })
  })
})
