/** A mark that is found unfit before it leaves is tried no more often than one that the marketplace refused. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { expect, it } from "vitest"
import { OrderId } from "../../src/domain/Ids.js"
import { ChangeLog } from "../../src/engine/door/ChangeLog.js"
import * as OrderMark from "../../src/engine/kinds/fulfilment/OrderMark.js"
import * as Orders from "../../src/sandbox/shop/Orders.js"
import * as Staging from "../../src/sandbox/shop/Staging.js"
import { MarkVault } from "../../src/services/ports/MarkVault.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Waves from "./Waves.js"

const { policy, shopOf, warehouse } = Waves

const turn = (world: Scenario.World) => Effect.zipRight(Waves.turn(world), world.advance("10 minutes"))

it("rests an hour each time", () =>
  Scenario.run({ rules: [policy], scale: { campaigns: 1, items: 1, clusters: 1 } }, (world) =>
    Effect.gen(function* () {
      shopOf(world).shop.ordersTo = world.now()
      const [id] = Staging.make(
        shopOf(world),
        {
          ...{ count: 1, warehouses: [warehouse], cargo: [1], minutesAgo: 4 },
          ...{ crossBorderShare: 0, businessShare: 0, markedShare: 0, marks: [] }
        },
        world.now()
      ) as ReadonlyArray<number>
      yield* world.advance("1 hours")
      yield* turn(world)
      const order = Orders.find(shopOf(world), id!, world.now())!
      shopOf(world).shop.orders.set(id!, { ...order, optional: ["expiration"] })
      const date = "20.09.2026"
      const mark = { fingerprint: OrderMark.fingerprint([date]), marks: Redacted.make([date]) }
      yield* Effect.flatMap(MarkVault, (vault) =>
        vault.keep(Scenario.account, [{ orderId: id!, key: "expiration", ...mark }])
      )
      for (let n = 0; n < 18; n++) yield* turn(world)
      const slot = OrderMark.slot({ orderId: OrderId.make(id!) }, "expiration")
      const rows = yield* (yield* ChangeLog).ofSlotsNamed(Scenario.account, slot)
      expect(rows.map(({ reason, state }) => [state, reason?.code])).toEqual(
        Array.from({ length: 3 }, () => ["skipped", "unfit"])
      )
      expect(world.requests("setOrderExpiration")).toBe(0)
    }).pipe(Effect.provide(world.context))
  ))
