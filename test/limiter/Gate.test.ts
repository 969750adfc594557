import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { AccountName } from "../../src/domain/Ids.js"
import type { Bucket } from "../../src/services/Limiter.js"
import { Gate } from "../../src/services/limiter/Gate.js"
import { key } from "../../src/services/ports/LimiterStore.js"
import * as VirtualClock from "../scenario/VirtualClock.js"
import { fromMemory, memory } from "./LimiterMemory.js"

const bucket: Bucket = {
  account: AccountName("shop"),
  tokenKind: "personal",
  limitGroup: "group",
  burst: 1,
  intervalMs: 60_000,
  cost4xx: 1
}

describe("the door of a bucket", () => {
  it("takes back a turn whose owner was called off in the same moment", async () => {
    const time = VirtualClock.make(0)
    const rows = memory()
    await Effect.runPromise(
      time.run(
        Effect.scoped(
          Effect.gen(function* () {
            const gate = new Gate(bucket, fromMemory(rows), yield* Effect.scope)
            const first = yield* gate.join("ads", "a", Number.POSITIVE_INFINITY)
            yield* Deferred.await(first.turn)
            expect(rows.rows.get(key(bucket))?.stored.flights).toHaveLength(1)
            const second = yield* gate.join("ads", "a", Number.POSITIVE_INFINITY)
            yield* gate.cancel(first)
            yield* Deferred.await(second.turn)
          })
        )
      )
    )
    expect(time.now()).toBe(0)
  })

  it("does not turn the bucket back when the process hung on its way to the store", async () => {
    const time = VirtualClock.make(0)
    const rows = memory()
    const woken = await Effect.runPromise(Deferred.make<void>())
    const store = fromMemory(rows, "hung")
    let isHung = false
    const hanging: typeof store = {
      ...store,
      update: (...asked) =>
        Effect.suspend(() =>
          isHung ? Effect.zipRight(Deferred.await(woken), store.update(...asked)) : store.update(...asked)
        )
    }
    await Effect.runPromise(
      time.run(
        Effect.scoped(
          Effect.gen(function* () {
            const answer = { status: 200, retryAfterMs: undefined, remaining: undefined }
            const leave = (gate: Gate) =>
              Effect.flatMap(gate.join("ads", "a", Number.POSITIVE_INFINITY), ({ turn }) =>
                Deferred.await(turn)
              )
            const hung = new Gate(bucket, hanging, yield* Effect.scope)
            const other = new Gate(bucket, fromMemory(rows, "other"), yield* Effect.scope)
            const id = yield* leave(hung)
            isHung = true
            yield* Effect.fork(hung.arrive(id, answer))
            yield* Effect.sleep(10 * bucket.intervalMs)
            yield* other.arrive(yield* leave(other), answer)
            const leftAt = time.now()
            yield* Deferred.succeed(woken, undefined)
            yield* Effect.yieldNow()
            isHung = false
            yield* leave(hung)
            expect(time.now() - leftAt).toBeGreaterThanOrEqual(bucket.intervalMs)
          })
        )
      )
    )
  })

  it("has recorded the departure before the turn comes, so that a killed process cannot forget it", async () => {
    const time = VirtualClock.make(7)
    const rows = memory()
    const flights = await Effect.runPromise(
      time.run(
        Effect.scoped(
          Effect.gen(function* () {
            const gate = new Gate(bucket, fromMemory(rows, "me"), yield* Effect.scope)
            const waiter = yield* gate.join("ads", "a", Number.POSITIVE_INFINITY)
            yield* Deferred.await(waiter.turn)
            return rows.rows.get(key(bucket))?.stored.flights
          })
        )
      )
    )
    expect(flights).toEqual([{ id: "me 0", owner: "me", sentAt: 7, expiresAt: 30_007 }])
  })
})
