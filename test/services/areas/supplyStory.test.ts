// @effect-diagnostics missingEffectContext:off
// @effect-diagnostics missingEffectError:off
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { assert, test } from "vitest"
import { OrderId } from "../../../src/domain/Ids.js"
import { sandboxToken } from "../../../src/sandbox/SandboxToken.js"
import * as Passes from "../../../src/services/areas/passes/Passes.js"
import * as Supplies from "../../../src/services/areas/supplies/Supplies.js"
import { why } from "../../../src/services/areas/supplies/SupplyRefusals.js"
import * as Units from "../../../src/services/areas/supplies/Units.js"
import { Limiter } from "../../../src/services/Limiter.js"
import * as MarketplaceClient from "../../../src/services/MarketplaceClient.js"
import type { Marketplace } from "../../sandbox/Real.js"
import { put, withShop } from "../../sandbox/ShopOrders.js"
import { account, token, withPermit } from "../FakeMarketplace.js"

/** A client of the sandbox; ten minutes pass before each call, so that no bucket runs dry. */
const clientOf = (m: Marketplace) =>
  MarketplaceClient.make({
    account,
    token: { ...token, value: Redacted.make(sandboxToken()) },
    hosts: { marketplace: m.url }
  }).pipe(
    Effect.provide(FetchHttpClient.layer),
    Effect.provide(
      Layer.succeed(Limiter, {
        call: (_, send) =>
          Effect.zipRight(
            Effect.sync(() => m.advance(600_000)),
            send
          ),
        states: Effect.succeed([]),
        quotas: Effect.succeed([])
      })
    )
  )

test("a supply is made once, filled but for the order of another warehouse, divided and handed over", () =>
  withShop((m) =>
    Effect.gen(function* () {
      const client = yield* clientOf(m)
      const supplies = Supplies.make(client)
      const units = Units.make(client)
      const fit = put(m, 10).map((id) => OrderId.make(id))
      const [unfit] = put(m, 1, { warehouseId: 71_002 }).map((id) => OrderId.make(id))

      const supplyId = yield* supplies.create("run 7")
      assert.lengthOf([...(yield* Stream.runCollect(supplies.list))], 1)

      const { added, refused } = yield* supplies.addOrders(supplyId, [...fit, unfit!])
      assert.sameMembers([...added], fit)
      assert.deepStrictEqual(
        refused.map(({ alone, error, orderId }) => [orderId, alone, why(error)?._tag]),
        [[unfit, true, "ordersDoNotFit"]]
      )

      const more = yield* Effect.flip(units.add(supplyId, 6))
      assert.include(more.message, "add at most 5")
      const { added: three } = yield* units.add(supplyId, 3)
      assert.lengthOf(three, 3)
      assert.strictEqual(yield* supplies.deliver(supplyId), "delivered")
      assert.strictEqual(yield* supplies.deliver(supplyId), "closed before")
      assert.isTrue((yield* supplies.details(supplyId)).closed)
    }).pipe(withPermit, Effect.runPromise)
  ))

test("a pass is made for a listed office, and has ended after 48 hours", () =>
  withShop((m) =>
    Effect.gen(function* () {
      const passes = Passes.make(yield* clientOf(m))
      const [office] = yield* passes.offices
      const draft = {
        firstName: "Anna",
        lastName: "Petrova",
        carModel: "Gazelle Next",
        carNumber: "A123BC77",
        officeId: office!.officeId
      }
      const fields = Either.getOrThrow(Passes.check(draft))
      const passId = yield* passes.create(fields)
      const [listed] = yield* passes.listAll
      assert.deepInclude(listed, { passId, carNumber: "A123BC77", officeId: office!.officeId })
      const end = listed!.validUntilMs!
      assert.lengthOf(Passes.live([listed!], end - 1), 1)
      assert.lengthOf(Passes.live([listed!], end), 0)
    }).pipe(withPermit, Effect.runPromise)
  ))
