import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { AccountName } from "../../src/domain/Ids.js"
import type { Bucket } from "../../src/services/Limiter.js"
import { Gate } from "../../src/services/limiter/Gate.js"
import { fromMemory, key, memory } from "../../src/services/ports/LimiterStore.js"
import * as VirtualClock from "../scenario/VirtualClock.js"

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
    expect(flights).toEqual([{ id: "me 0", owner: "me", sentAt: 7, expiresAt: 16_007 }])
  })
})
