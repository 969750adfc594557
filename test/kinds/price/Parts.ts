/** Stands in for `src/engine/kinds/Parts.ts` when the trial program is built: the same list, and a price. */
import * as Schema from "effect/Schema"
import { ItemId } from "../../../src/domain/Ids.js"
import { parts as own } from "../../../src/engine/kinds/Parts.js"

export * from "../../../src/engine/kinds/Parts.js"

export const parts = {
  ...own,
  /** Of an item, in whatever campaign: no kind of advertising is about that. */
  price: {
    subject: Schema.Struct({ itemId: ItemId }),
    details: Schema.Struct({ discountPercent: Schema.Int })
  }
}

export const kindNames = Object.keys(parts)
