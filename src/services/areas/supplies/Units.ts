/** Shipping units of an open supply that goes to a pickup point (seed 000, "Supplies"; field note O22). */
import * as Effect from "effect/Effect"
import type { SupplyId, UnitId } from "../../../domain/Ids.js"
import * as Plural from "../../../domain/Plural.js"
import type { WritePermit } from "../../../domain/WritePermit.js"
import type { Client } from "../../MarketplaceClient.js"
import { type CallError, effectOf, local, Refused } from "../../MarketplaceError.js"
import { lag } from "../Lookback.js"

export interface AddedUnits {
  /** Units that were not there before. */
  readonly added: ReadonlyArray<UnitId>
  /** How many more there are than wanted, because another tool added too; delete them before the hand-over. */
  readonly surplus: number
}

/** Units that a supply of so many orders may have in all: half, rounded down. */
export const mostUnits = (orderCount: number): number => Math.floor(orderCount / 2)

export const make = ({ api }: Client) => {
  const list = (supplyId: SupplyId): Effect.Effect<ReadonlyArray<UnitId>, CallError> =>
    Effect.map(api.supplies.listShippingUnits({ path: { supplyId } }), ({ trbxes }) => [
      ...new Set(trbxes.map(({ id }) => id))
    ])

  return {
    /** Units of a supply, each once. */
    list,

    /**
     * Adds 1 to 1000 units. Never more than `mostUnits` allows: that is refused here, because a refusal of the
     * marketplace costs ten requests (T09). The call must not be repeated, so the list is read before and after.
     */
    add: (supplyId: SupplyId, amount: number): Effect.Effect<AddedUnits, CallError, WritePermit> =>
      Effect.gen(function* () {
        const path = { supplyId }
        const supply = yield* api.supplies.getSupply({ path })
        const { orderIds } = yield* api.supplies.getSupplyOrderIds({ path })
        const before = yield* list(supplyId)
        const most = mostUnits(new Set(orderIds).size)
        const objection =
          stateObjection(supply) ?? (before.length + amount > most ? tooMany(most, before.length) : undefined)
        if (objection !== undefined) return yield* refused("addShippingUnits", supplyId, objection)
        const call = yield* Effect.either(api.supplies.addShippingUnits({ path, payload: { amount } }))
        if (call._tag === "Left" && effectOf(call.left) === "none") return yield* call.left
        if (call._tag === "Left") yield* Effect.sleep(lag)
        const named = call._tag === "Right" ? call.right.trbxIds : []
        const listed = yield* Effect.either(list(supplyId))
        // A list that cannot be read says nothing of the call: units that its answer names exist.
        const after = listed._tag === "Right" ? listed.right : []
        const added = [...new Set([...named, ...after])].filter((id) => !before.includes(id))
        if (call._tag === "Left" && added.length === 0) return yield* call.left
        return { added, surplus: Math.max(0, added.length - amount) }
      })
  }
}

const isClosed = "it is closed, and units change only while it is being assembled"

const stateObjection = (supply: {
  readonly done?: boolean | undefined
  readonly isPickupPointShipmentAllowed?: boolean | undefined
}): string | undefined => {
  if (supply.done === true) return isClosed
  return supply.isPickupPointShipmentAllowed === false
    ? "it does not go to a pickup point, and only such supplies have shipping units"
    : undefined
}

const tooMany = (most: number, present: number): string =>
  `its orders allow ${Plural.of(most, "unit")}, half of their number, and it has ${present}; ${roomFor(most - present)}`

/** What may still be added. */
export const roomFor = (left: number): string => (left > 0 ? `add at most ${left}` : "it takes no more")

const refused = (operation: string, supplyId: SupplyId, text: string): Refused =>
  new Refused(local(operation, `supply ${supplyId}: ${text}`))
