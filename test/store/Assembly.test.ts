/** What the store keeps of assembling orders: in which order a supply is worked on, and what happened to each order. */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { OrderId, SupplyId } from "../../src/domain/Ids.js"
import { type OrderEvent, OrderEvents } from "../../src/services/ports/OrderEvents.js"
import { SupplyOrders } from "../../src/services/ports/SupplyOrders.js"
import * as Fixture from "./Fixture.js"

const supply = SupplyId.make("PLATFORM-GI-1")
const other = SupplyId.make("PLATFORM-GI-2")
const ids = (...all: ReadonlyArray<number>) => all.map((id) => OrderId.make(4_000_000_000 + id))

describe("the stored order of a supply", () => {
  it("is none before it was made; what comes later is appended, also in the next process", () =>
    Fixture.inFolder((path) => {
      const filename = join(path, "store.sqlite")
      const here = <A, E>(use: (memory: typeof SupplyOrders.Service) => Effect.Effect<A, E>) =>
        Effect.provide(Effect.flatMap(SupplyOrders, use), Fixture.store({ filename }))
      return Effect.gen(function* () {
        expect(yield* here((memory) => memory.list("shop", supply))).toEqual([])
        expect(yield* here((memory) => memory.append("shop", supply, ids(3, 1, 2), 1000))).toEqual(
          ids(3, 1, 2)
        )
        expect(yield* here((memory) => memory.append("shop", supply, ids(2, 0, 3, 0), 2000))).toEqual(
          ids(3, 1, 2, 0)
        )
        expect(yield* here((memory) => memory.append("shop", supply, [], 3000))).toEqual(ids(3, 1, 2, 0))
        expect(yield* here((memory) => memory.list("shop", other))).toEqual([])
        expect(yield* here((memory) => memory.list("another", supply))).toEqual([])
      })
    }))

  it("gives each order one place when several append at once, and an order may be in another supply too", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const memory = yield* SupplyOrders
        const all = Array.from({ length: 8 }, (_, i) => ids(i, i + 1, 20))
        yield* Effect.forEach(all, (some) => memory.append("shop", supply, some, 1000), {
          concurrency: "unbounded"
        })
        const stored = yield* memory.list("shop", supply)
        expect(stored).toHaveLength(10)
        expect(new Set(stored)).toEqual(new Set(all.flat()))
        expect(yield* memory.append("shop", other, ids(20), 1000)).toEqual(ids(20))
      })
    ))
})

describe("events of orders", () => {
  const event = (id: number, at: number, kind: OrderEvent["kind"]): OrderEvent => ({
    orderId: ids(id)[0]!,
    at,
    kind,
    detail: { supplyId: supply, label: "печать" }
  })

  it("are told in the order in which they happened, of the asked orders alone, each once", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const events = yield* OrderEvents
        yield* events.record("shop", [
          event(1, 2000, "packed"),
          event(1, 1000, "seen"),
          event(2, 1500, "printed")
        ])
        yield* events.record("shop", [event(1, 2000, "grouped"), event(1, 1000, "seen")])
        yield* events.record("shop", [])
        expect(yield* events.of("shop", ids(1))).toEqual([
          event(1, 1000, "seen"),
          event(1, 2000, "grouped"),
          event(1, 2000, "packed")
        ])
        expect(yield* events.of("shop", ids(1, 2, 2))).toHaveLength(4)
        expect(yield* events.of("another", ids(1))).toEqual([])
        expect(yield* events.of("shop", [])).toEqual([])
      })
    ))

  it("are told of more orders than one statement takes", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const events = yield* OrderEvents
        const all = Array.from({ length: 1201 }, (_, i) => event(i, 1000, "printed"))
        yield* events.record("shop", all)
        expect(
          yield* events.of(
            "shop",
            all.map(({ orderId }) => orderId)
          )
        ).toEqual(all)
      })
    ))
})
