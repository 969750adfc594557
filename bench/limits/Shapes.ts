/** The limits of the 90 operations, read from their declarations: one operation stands for each limit group. */
import * as Catalogue from "../../src/services/Catalogue.js"
import * as Operation from "../../src/services/Operation.js"
import { inputs } from "../../test/services/Requests.js"

type Kind = "personal" | "base"

/** Tokens at once, and one more every interval. */
export interface Shape {
  readonly kind: Kind
  readonly group: string
  readonly burst: number
  readonly intervalMs: number
  /** Tokens a refusal costs. */
  readonly cost4xx: number
  /** Calls a day has room for; infinite where there is no daily quota. */
  readonly perDay: number
  /** Operation that is called to measure it. */
  readonly operation: string
  /** What it is called with. */
  readonly request: object
  /** The sandbox answers with a page instead of data: for what cannot be done over and over, such as a cancellation. */
  readonly page: boolean
  /** How many operations draw from it. */
  readonly shared: number
  /** Whether it is the first with its burst, interval and cost, which is measured at length. */
  readonly first: boolean
}

/** Personal limits first, then those of the Base token; each by interval, burst and name. */
export const shapes = (): ReadonlyArray<Shape> =>
  (["personal", "base"] as const).flatMap((kind) => {
    const groups = new Map<string, Array<Catalogue.Entry>>()
    for (const entry of Catalogue.operations) {
      if (Operation.prudentLimitOf(entry, kind) === undefined) continue
      groups.set(entry.limitGroup, [...(groups.get(entry.limitGroup) ?? []), entry])
    }
    const seen = new Set<string>()
    return [...groups]
      .map(([group, entries]) => represented(kind, group, entries))
      .sort((a, b) => a.intervalMs - b.intervalMs || a.burst - b.burst || (a.group < b.group ? -1 : 1))
      .map((shape) => {
        const alike = `${shape.burst} ${shape.intervalMs} ${shape.cost4xx}`
        const first = !seen.has(alike) && shape.perDay === Number.POSITIVE_INFINITY
        if (first) seen.add(alike)
        return { ...shape, first }
      })
  })

/** One that the sandbox can answer with data over and over, where there is one. */
const represented = (
  kind: Kind,
  group: string,
  entries: ReadonlyArray<Catalogue.Entry>
): Omit<Shape, "first"> => {
  const repeatable = entries.find((entry) => requests[entry.id] !== undefined)
  const chosen = repeatable ?? entries.find((entry) => entry.access === "read") ?? entries[0]
  const limit = chosen && Operation.prudentLimitOf(chosen, kind)
  const request = chosen && (requests[chosen.id] ?? inputs[chosen.id])
  if (chosen === undefined || limit === undefined || request === undefined)
    throw new Error(`no operation to measure ${group}: give one of its operations a request`)
  return {
    kind,
    group,
    burst: limit.burst,
    intervalMs: limit.intervalMs,
    cost4xx: chosen.cost4xx,
    perDay: chosen.quota?.perDay ?? Number.POSITIVE_INFINITY,
    operation: chosen.id,
    request,
    page: repeatable === undefined,
    shared: entries.length
  }
}

const pair = { advert_id: 1_000_001, nm_id: 200_000_001 }
const days = { from: "2026-08-31", to: "2026-08-31" }

/** Requests the sandbox answers with success, however often. */
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
  getPromotionConfig: {},
  listSupplies: { urlParams: { limit: 1, next: 0 } }
}
