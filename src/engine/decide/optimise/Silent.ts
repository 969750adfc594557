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
  const shown = item.clusters.filter(
    ({ counting, isActive }) => isActive && counting.liveDays(period) * 2 >= period.days
  )
  const told = shown.flatMap(({ counting }) => viewsOf(counting, period) ?? [])
  const known = sum(item.clusters.map(({ counting }) => viewsOf(counting, period) ?? 0))
  const rest = Math.max(0, views - known - (item.unlisted(period)?.views ?? 0))
  const missing = shown.length - told.length
  const usual = told.length === 0 ? rest : (sum(told) / told.length) * missing
  const isOdd = shown.length === 0 ? rest === views : missing > 0 && missing >= shown.length * manySilent
  const lost = Math.min(rest, usual)
  return isOdd && lost >= leastViews && lost >= views * slight
    ? {
        code: "clusters_silent",
        itemId: item.itemId,
        clusters: missing,
        active: shown.length,
        views: rest,
        days: period.days
      }
    : undefined
}

const viewsOf = (counting: Counting.Counting, period: Counting.Period): number | undefined => {
  const counts = counting.of(period)
  return counts._tag === "Known" ? counts.value.views : undefined
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, one) => total + one, 0)
