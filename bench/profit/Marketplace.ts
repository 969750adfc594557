/**
 * The marketplace of a seller without a wire and without call limits: the real client, loaders and writers ask the sandbox
 * within the process, and no request waits for another.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Writers from "../../src/marketplace/Writers.js"
import type { Model } from "../../src/sandbox/market/model/Model.js"
import type { Scale } from "../../src/sandbox/market/Scale.js"
import * as Sandbox from "../../src/sandbox/Sandbox.js"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import { Limiter } from "../../src/services/Limiter.js"
import { MarketplaceClient } from "../../src/services/MarketplaceClient.js"
import { OrderEvents } from "../../src/services/ports/OrderEvents.js"
import { SupplyOrders } from "../../src/services/ports/SupplyOrders.js"
import * as InMemoryHttp from "../../test/scenario/InMemoryHttp.js"
import * as SandboxAccount from "../../test/scenario/SandboxAccount.js"
import * as Account from "./Account.js"
import * as ShortWay from "./ShortWay.js"

/** Buckets that are always full. */
class Full extends Map<string, number> {
  override get(): undefined {
    return undefined
  }
  override set(): this {
    return this
  }
}

const sandbox = (seed: number, market: Model, scale: Scale) =>
  Layer.effect(
    Sandbox.Sandbox,
    Effect.map(Sandbox.make({ seed, market, scale, originMs: Account.startMs }), (service) => ({
      ...service,
      buckets: new Full()
    }))
  )

const limiter = Layer.succeed(Limiter, {
  call: (_, send) => send,
  states: Effect.succeed([]),
  quotas: Effect.succeed([])
})

const client = Layer.effect(
  MarketplaceClient,
  Effect.zipWith(MarketplaceClient, Sandbox.Sandbox, ShortWay.through)
).pipe(Layer.provide(SandboxAccount.clientWithin(sandboxToken())))

const nothingPacked = Layer.mergeAll(
  Layer.succeed(OrderEvents, { record: () => Effect.void, of: () => Effect.succeed([]) }),
  Layer.succeed(SupplyOrders, {
    list: () => Effect.succeed([]),
    append: (_account, _supplyId, sorted) => Effect.succeed(sorted)
  })
)

export const layer = (seed: number, market: Model, scale: Scale) =>
  Writers.layer().pipe(
    Layer.provideMerge(client),
    Layer.provide(nothingPacked),
    Layer.provideMerge(Layer.mergeAll(limiter, InMemoryHttp.client)),
    Layer.provideMerge(sandbox(seed, market, scale))
  )
