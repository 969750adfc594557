/** Every item of the account, by the stock report: its number, the seller's code and its name. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Days from "../../domain/Days.js"
import type { ItemId } from "../../domain/Ids.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as Inventory from "../../services/areas/analytics/Inventory.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import { ofCall } from "../terminal/Stop.js"

export interface Item {
  readonly itemId: ItemId
  readonly vendorCode: string
  readonly name: string
}

/** By number; items that were deleted are left out. */
export const read = Effect.gen(function* () {
  const inventory = Inventory.make(yield* MarketplaceClient)
  const to = Days.ofMarket(yield* Clock.currentTimeMillis)
  const scope = { days: { from: to, to }, owner: "all", withDeleted: false } as const
  const order = { availability: [], sort: { field: "stockSum", mode: "desc" } } as const
  const found = yield* Stream.runCollect(inventory.items(scope, {}, order)).pipe(
    Effect.mapError((error) => ofCall(error))
  )
  return [...found]
    .flatMap(
      ({ itemId, name, vendorCode }): ReadonlyArray<Item> =>
        itemId === undefined ? [] : [{ itemId, vendorCode: vendorCode?.trim() ?? "", name: name ?? "" }]
    )
    .sort(TextOrder.by(({ itemId }) => itemId))
})
