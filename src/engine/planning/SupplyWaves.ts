/** Which wave a supply was made for, by the journal, or by its marker: the marketplace knows nothing of waves. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { ChangeLog } from "../door/ChangeLog.js"
import * as Assembly from "../fulfilment/Assembly.js"
import * as SupplyCreation from "../kinds/fulfilment/SupplyCreation.js"
import * as SupplyRef from "../kinds/fulfilment/SupplyRef.js"
import type { FulfilmentPolicy } from "../language/Fulfilment.js"
import type { RuleSet } from "../language/Policy.js"

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

export interface Waves {
  /** The seller may have renamed the supply, its marker stays. */
  readonly of: (supply: Assembly.Named) => SupplyWave | undefined
  /** Whether a turn seems to have made it and nobody knows for what; one of a person's own goes with no wave. */
  readonly isUnknown: (supply: Assembly.Named) => boolean
}

/** The waves that supplies were made for. Policies tell those that the journal does not know. */
export const read = (
  account: string,
  policies: ReadonlyArray<FulfilmentPolicy>
): Effect.Effect<Waves, StoreFailure, ChangeLog> =>
  Effect.gen(function* () {
    const sinceMs = (yield* Clock.currentTimeMillis) - rememberedMs
    const rows = yield* (yield* ChangeLog).ofSlotsNamed(account, `${SupplyCreation.prefix}:`, sinceMs)
    const byMarker = new Map<string, SupplyWave | undefined>()
    for (const { change } of rows) {
      if (change.kind !== SupplyCreation.name) continue
      const { handOverByMs, name, warehouseId, wave } = change.details
      const marker = SupplyRef.markerOf(name)
      if (marker === undefined) continue
      const isOfTurn = wave !== undefined && handOverByMs !== undefined
      byMarker.set(
        marker,
        isOfTurn ? { policy: change.origin.name, warehouseId, wave, handOverByMs } : undefined
      )
    }
    const told = new Map<string, SupplyWave | undefined>()
    const of = (supply: Assembly.Named) => {
      const marker = SupplyRef.markerOf(supply.name)
      if (marker === undefined) return undefined
      if (byMarker.has(marker)) return byMarker.get(marker)
      // Thousands of hashes tell a marker: once is enough.
      if (!told.has(supply.name)) told.set(supply.name, waveOf(Assembly.madeFor(policies, account, supply)))
      return told.get(supply.name)
    }
    const isUnknown = (supply: Assembly.Named) =>
      Assembly.looksMade(supply.name) &&
      !byMarker.has(SupplyRef.markerOf(supply.name) ?? "") &&
      of(supply) === undefined
    return { of, isUnknown }
  })

/**
 * Who answers for a supply now: the policy that made it, and where that is gone from the rules, as under another name, or disabled,
 * the one that its warehouse is in now. Undefined where none is.
 */
export const policyOf = (
  policies: RuleSet["fulfilment"],
  { policy, warehouseId }: Pick<SupplyWave, "policy" | "warehouseId">
): FulfilmentPolicy | undefined =>
  policies.find(({ id }) => id === policy) ??
  policies.find(({ warehouseIds }) => warehouseIds.some((id) => id === warehouseId))

const waveOf = (made: Assembly.MadeFor | undefined): SupplyWave | undefined =>
  made && {
    policy: made.policy.id,
    warehouseId: made.warehouseId,
    wave: made.trip.wave.name,
    handOverByMs: made.trip.handOverByMs
  }
