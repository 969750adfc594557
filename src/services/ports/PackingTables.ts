/** Who packs which supply at this moment: a supply that somebody packs is not handed over. Tables on other machines are not seen. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SupplyId } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"

export class PackingTables extends Context.Tag("bidhelm/PackingTables")<
  PackingTables,
  {
    /** Who packs the supply now, in words for people; undefined where nobody does. A process that died packs nothing. */
    readonly packerOf: (
      account: string,
      supplyId: SupplyId
    ) => Effect.Effect<string | undefined, StoreFailure>
  }
>() {}
