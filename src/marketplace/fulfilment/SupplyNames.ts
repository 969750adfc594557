/**
 * Which supply a change means that was planned before its supply was made: the one of its name, which holds a marker (field
 * note O29). The answer that made it is believed before any list, which may lag (O28).
 */
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as Groups from "../../domain/Groups.js"
import { SupplyId } from "../../domain/Ids.js"
import type { OutcomeReason } from "../../domain/OutcomeReason.js"
import type { SupplyRef as Ref } from "../../domain/Target.js"
import * as SupplyRef from "../../engine/kinds/fulfilment/SupplyRef.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import type { Client } from "../../services/MarketplaceClient.js"
import type { CallError } from "../../services/MarketplaceError.js"

export interface SupplyNames {
  /** Notes which supply a request made. */
  readonly made: (name: string, supplyId: SupplyId) => void
  /** The ids of some references, by reference; what is not there is left out. One walk of the list at most. */
  readonly resolve: (refs: ReadonlyArray<Ref>) => Effect.Effect<ReadonlyMap<Ref, Found>, CallError>
}

/** The supply, or why nobody can tell which it is. */
type Found = Either.Either<SupplyId, OutcomeReason>

/** An id as the journal kept it: the marketplace's own, whatever its form. */
export const idOf = (ref: Ref): SupplyId => SupplyId.make(ref, { disableValidation: true })

export const make = (client: Client): SupplyNames => {
  const made = new Map<string, SupplyId>()
  return {
    made: (name, supplyId) => void made.set(name, supplyId),
    resolve: (refs) =>
      Effect.gen(function* () {
        const found = new Map<Ref, Found>()
        const names = new Map<string, Ref>()
        for (const ref of new Set(refs)) {
          const name = SupplyRef.nameOf(ref)
          const supplyId = name === undefined ? idOf(ref) : made.get(name)
          if (supplyId !== undefined) found.set(ref, Either.right(supplyId))
          else if (name !== undefined) names.set(name, ref)
        }
        if (names.size === 0) return found
        const seen = new Map<string, Arr.NonEmptyArray<SupplyId>>()
        yield* Stream.runForEach(Supplies.make(client).list, ({ name = "", supplyId }) =>
          Effect.sync(() => {
            if (names.has(name)) Groups.add(seen, name, supplyId)
          })
        )
        for (const [name, ref] of names) {
          const [supplyId, ...others] = seen.get(name) ?? []
          if (supplyId === undefined) continue
          if (others.length > 0) found.set(ref, Either.left({ code: "supply_ambiguous" }))
          else {
            made.set(name, supplyId)
            found.set(ref, Either.right(supplyId))
          }
        }
        return found
      })
  }
}
