/** Seed 001 "Search clusters": minus phrases. The list of a pair is replaced as a whole (field note M14). */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { refuse } from "../Answer.js"
import * as Call from "../Call.js"
import * as Bids from "../market/Bids.js"
import * as ClusterBids from "../market/ClusterBids.js"
import * as Timeline from "../Timeline.js"
import { changeable } from "./Settings.js"

export const handlers: Call.Handlers<"getMinusPhrases" | "setMinusPhrases"> = {
  getMinusPhrases: (call) => {
    const items = call.payload.items.map(({ advert_id, nm_id }) => {
      const pair = ClusterBids.pair(call, advert_id, nm_id)
      const phrases =
        pair === undefined ? [] : [...Timeline.at(Bids.minus(call.world, pair.campaign, nm_id), call.nowMs)]
      return { advert_id, nm_id, norm_queries: phrases.length === 0 ? null : phrases }
    })
    return Either.right(Answer.json({ items }))
  },

  setMinusPhrases: (call) =>
    Either.gen(function* () {
      const { advert_id, nm_id, norm_queries } = call.payload
      const campaign = yield* changeable(call, advert_id)
      const pair = ClusterBids.pair(call, advert_id, nm_id)
      if (pair === undefined)
        return yield* Either.left(refuse(400, `item ${nm_id} is not in the campaign ${advert_id}`))
      const unknown = norm_queries.find((phrase) => !pair.item.clusterIndex.has(phrase))
      if (unknown !== undefined) return yield* Either.left(refuse(400, `unknown search phrase "${unknown}"`))
      const timeline = Bids.minus(call.world, campaign, nm_id)
      const before = sorted(Timeline.latest(timeline))
      const after = new Set<string>(norm_queries)
      const effectiveAt = Timeline.write(timeline, call.nowMs, Timeline.delays.database, after)
      const target = { campaignId: advert_id, itemId: nm_id }
      Call.record(call, { slot: "minus", target, before, after: sorted(after), effectiveAt })
      return Answer.empty()
    })
}

const sorted = (phrases: ReadonlySet<string>): ReadonlyArray<string> => [...phrases].sort()
