/**
 * Clusters that answers leave out. What no cluster brought is taken for what recommendations brought; an answer without some clusters is
 * well formed, and gives theirs to the bid in recommendations, or to one bid for all.
 */
import type * as Unlisted from "../../facts/Unlisted.js"
import type { UnknownReason } from "../RowReason.js"
import type * as Counting from "./Counting.js"

/** One item of a campaign that is shown in search and paid by views. */
export interface Item {
  readonly itemId: number
  readonly all: Counting.Counting
  readonly clusters: ReadonlyArray<Cluster>
  readonly unlisted: (period: Counting.Period) => Unlisted.Unlisted | undefined
}

interface Cluster {
  readonly counting: Counting.Counting
  /** Listed as active, and no minus phrase. */
  readonly isActive: boolean
}

/** Of all views of an item: what less than that brought may be anybody's. */
const slight = 0.1
/** Fewer views say too little. */
const leastViews = 1000
/** Of the active clusters: fewer may have been shown nowhere of late. */
const manySilent = 0.25

/** Why nobody knows which bid brought what; undefined where clusters tell of as much as one may expect. */
export const verdict = (item: Item, periods: Counting.Periods): UnknownReason | undefined => {
  for (const period of periods) {
    const views = viewsOf(item.all, period)
    const { clusters, views: named } = item.unlisted(period)?.listable ?? nothing
    if (views !== undefined && named >= leastViews && named >= views * slight)
      return { code: "clusters_unlisted", itemId: item.itemId, clusters, views: named, days: period.days }
  }
  return silent(item, periods[0])
}

const nothing = { clusters: 0, views: 0 }

/** Clusters without statistics are taken to have had as many views as the others, at most all that none brought. */
const silent = (item: Item, period: Counting.Period): UnknownReason | undefined => {
  const views = viewsOf(item.all, period)
  if (views === undefined) return undefined
  let [active, told, viewsTold, known] = [0, 0, 0, 0]
  for (const { counting, isActive } of item.clusters) {
    const own = viewsOf(counting, period)
    known += own ?? 0
    if (!isActive || counting.liveDays(period) * 2 < period.days) continue
    active += 1
    if (own === undefined) continue
    told += 1
    viewsTold += own
  }
  const rest = Math.max(0, views - known - (item.unlisted(period)?.views ?? 0))
  const missing = active - told
  const usual = told === 0 ? rest : (viewsTold / told) * missing
  const isOdd = active === 0 ? rest === views : missing > 0 && missing >= active * manySilent
  const lost = Math.min(rest, usual)
  return isOdd && lost >= leastViews && lost >= views * slight
    ? {
        code: "clusters_silent",
        itemId: item.itemId,
        clusters: missing,
        active,
        views: rest,
        days: period.days
      }
    : undefined
}

const viewsOf = (counting: Counting.Counting, period: Counting.Period): number | undefined => {
  const counts = counting.of(period)
  return counts._tag === "Known" ? counts.value.views : undefined
}
