/** The distinct limits of the 35 operations, read from their declarations: one operation stands for each. */
import * as Catalogue from "../../src/services/Catalogue.js"
import * as Operation from "../../src/services/Operation.js"

type Kind = "personal" | "base"

/** Tokens at once, and one more every interval. */
export interface Shape {
  readonly kind: Kind
  readonly burst: number
  readonly intervalMs: number
  /** Operation that is called to measure it. */
  readonly operation: string
  /** What it is called with. */
  readonly request: object
  /** How many operations have this limit. */
  readonly shared: number
}

/** Personal limits first, then those of the Base token; each by interval and burst. Throws where none can be called. */
export const shapes = (): ReadonlyArray<Shape> =>
  (["personal", "base"] as const).flatMap((kind) => {
    const groups = new Map<string, Array<Catalogue.Entry>>()
    for (const entry of Catalogue.operations) {
      const limit = Operation.limitOf(entry, kind)
      if (limit === undefined) continue
      const key = `${limit.burst} every ${limit.intervalMs} ms`
      groups.set(key, [...(groups.get(key) ?? []), entry])
    }
    return [...groups]
      .map(([key, entries]) => represented(kind, key, entries))
      .sort((a, b) => a.intervalMs - b.intervalMs || a.burst - b.burst)
  })

/** A read where there is one. */
const represented = (kind: Kind, key: string, entries: ReadonlyArray<Catalogue.Entry>): Shape => {
  const known = entries.filter((entry) => requests[entry.id] !== undefined)
  const chosen = known.find((entry) => entry.access === "read") ?? known[0]
  const limit = chosen && Operation.limitOf(chosen, kind)
  const request = chosen && requests[chosen.id]
  if (limit === undefined || request === undefined)
    throw new Error(
      `no operation to measure ${key}: give one of ${entries.map((e) => e.id).join(", ")} a request`
    )
  const { burst, intervalMs } = limit
  return { kind, burst, intervalMs, operation: chosen!.id, request, shared: entries.length }
}

const pair = { advert_id: 1_000_001, nm_id: 200_000_001 }
const days = { from: "2026-08-31", to: "2026-08-31" }

/** Requests the sandbox answers with success; the two limits that only writes have are measured by writes. */
const requests: Readonly<Record<string, object>> = {
  listCampaignIds: {},
  getCampaigns: { urlParams: {} },
  getClusterBids: { payload: { items: [pair] } },
  getCampaignBudget: { urlParams: { id: pair.advert_id } },
  setClusterBids: { payload: { bids: [{ ...pair, norm_query: "bench", bid: 450 }] } },
  listPromotions: {
    urlParams: {
      startDateTime: "2026-09-01T00:00:00Z",
      endDateTime: "2026-09-30T23:59:59Z",
      allPromo: false
    }
  },
  setCampaignPlacements: {
    payload: {
      placements: [{ advert_id: pair.advert_id, placements: { search: true, recommendations: true } }]
    }
  },
  getBalance: {},
  getMinimumBids: {
    payload: {
      advert_id: pair.advert_id,
      nm_ids: [pair.nm_id],
      payment_type: "cpm",
      placement_types: ["search"]
    }
  },
  getClusterStats: { payload: { ...days, items: [pair] } },
  getBidRecommendations: { urlParams: { nmId: pair.nm_id, advertId: pair.advert_id } },
  getCampaignStats: { urlParams: { ids: [pair.advert_id], beginDate: days.from, endDate: days.to } },
  getPromotionConfig: {}
}
