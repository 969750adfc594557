/**
 * The marketplace's smallest bids today, for bids that are to come back down: one below the minimum would have the whole
 * request of its campaign refused (field note M06).
 */

import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Target from "../../domain/Target.js"
import * as Sources from "../facts/Sources.js"
import * as Bids from "../kinds/Bids.js"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import { FactSource } from "./FactSource.js"

/**
 * Answers the smallest bid of a change's slot, kopecks; undefined when it could not be read, or when the change does not
 * lower a bid. Campaigns must have been read before; one call per campaign and hundred items.
 */
export const read = (
  changes: ReadonlyArray<Change>
): Effect.Effect<(change: Change) => number | undefined, never, FactSource> =>
  Effect.gen(function* () {
    const source = yield* FactSource
    const pairs = new Map(
      changes.filter(lowers).flatMap(({ subject: { campaignId, itemId } }) => {
        if (itemId === undefined) return []
        const pair = { campaignId, itemId }
        return [[Target.key(pair), pair] as const]
      })
    )
    const found = new Map<string, number>()
    const { batch } = Sources.sources.minimumBids
    const campaigns = Arr.groupBy([...pairs.values()], ({ campaignId }) => `${campaignId}`)
    for (const keys of Object.values(campaigns).flatMap((ofOne) => Arr.chunksOf(ofOne, batch))) {
      const { rows } = yield* source.fetch({ source: "minimumBids", keys })
      for (const { cells, target } of rows) {
        if (target === "account") continue
        for (const [fact, cell] of cells) {
          if (cell._tag === "Known") found.set(`${Target.key(target)} ${fact}`, Number(cell.value))
        }
      }
    }
    return (change) => {
      const { campaignId, itemId } = change.subject
      if (itemId === undefined || !lowers(change)) return undefined
      return found.get(`${Target.key({ campaignId, itemId })} ${Kinds.of(change).minimum?.(change)}`)
    }
  })

/** A bid that is removed follows its item's, which is the marketplace's to allow. */
const lowers = (change: Change): boolean =>
  Kinds.of(change).minimum !== undefined &&
  Bids.detailsOf(change).clears !== true &&
  Number(change.after) < Number(change.before)
