/** Which wave a supply was made for, by the journal: the marketplace knows nothing of waves. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { ChangeLog } from "../door/ChangeLog.js"
import * as SupplyCreation from "../kinds/fulfilment/SupplyCreation.js"
import * as SupplyRef from "../kinds/fulfilment/SupplyRef.js"

/** A wave's name, and until when it is handed over, epoch milliseconds; and what else a turn made the supply for. */
export interface SupplyWave {
  /** Id of the policy. */
  readonly policy: string
  readonly warehouseId: number | undefined
  readonly wave: string
  readonly handOverByMs: number
}

/** A supply that has been open for longer goes with no wave any more; without a bound every turn would read all the past. */
const rememberedMs = 90 * 86_400_000

/** The wave that a supply was made for, by its name: the seller may have renamed it, its marker stays. */
export const of = (
  account: string
): Effect.Effect<(supplyName: string) => SupplyWave | undefined, StoreFailure, ChangeLog> =>
  Effect.gen(function* () {
    const sinceMs = (yield* Clock.currentTimeMillis) - rememberedMs
    const rows = yield* (yield* ChangeLog).ofSlotsNamed(account, `${SupplyCreation.prefix}:`, sinceMs)
    const byMarker = new Map<string, SupplyWave>()
    for (const { change } of rows) {
      if (change.kind !== SupplyCreation.name) continue
      const { handOverByMs, name, warehouseId, wave } = change.details
      const marker = SupplyRef.markerOf(name)
      if (marker !== undefined && wave !== undefined && handOverByMs !== undefined)
        byMarker.set(marker, { policy: change.origin.name, warehouseId, wave, handOverByMs })
    }
    return (name: string) => {
      const marker = SupplyRef.markerOf(name)
      return marker === undefined ? undefined : byMarker.get(marker)
    }
  })
