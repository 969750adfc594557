/** The main page of the search report: the seller, positions and visibility over time (seed 002 "Main page"). */
import type { Context } from "../Call.js"
import * as Moscow from "../Moscow.js"
import type { Days } from "../market/Statistics.js"
import * as Change from "./Change.js"
import * as Periods from "./Periods.js"
import * as Reviews from "./Reviews.js"
import * as SearchFigures from "./SearchFigures.js"
import * as SearchRows from "./SearchRows.js"
import * as SearchTexts from "./SearchTexts.js"

export const of = (context: Context, rows: ReadonlyArray<SearchRows.Row>, asked: SearchRows.Asked) => {
  const now = SearchFigures.together(rows.map((row) => row.now))
  const past =
    asked.past === undefined ? undefined : SearchFigures.together(rows.flatMap((row) => row.past ?? []))
  const pair = (read: (figures: SearchFigures.Figures) => number) =>
    Change.pair(read(now), past === undefined ? undefined : read(past))
  const byDay = figuresByDay(context, rows, asked.current)
  const chart = (parts: ReadonlyArray<Days>) =>
    parts.flatMap((part) => {
      const days = Periods.each(part).flatMap((day) => byDay.get(day) ?? [])
      if (days.length === 0) return []
      const sum = SearchFigures.together(days)
      return [{ dt: Moscow.dayText(part.from), visibility: sum.visibility, open: sum.opens }]
    })
  return {
    commonInfo: {
      supplierRating: { current: sellerRating(context, rows) },
      advertisedProducts: {
        current: rows.filter((row) => SearchRows.isAdvertised(context.world, row.good.id, context.nowMs))
          .length
      },
      totalProducts: rows.length
    },
    positionInfo: {
      average: pair((f) => f.position),
      median: pair((f) => f.median),
      chartItems: [...byDay].map(([day, figures]) => ({
        dt: Moscow.dayText(day),
        average: figures.position,
        median: figures.median
      })),
      clusters: {
        firstHundred: itemsIn(rows, "firstHundred", asked.past !== undefined),
        secondHundred: itemsIn(rows, "secondHundred", asked.past !== undefined),
        below: itemsIn(rows, "below", asked.past !== undefined)
      }
    },
    visibilityInfo: {
      visibility: pair((f) => f.visibility),
      openCard: pair((f) => f.opens),
      byDay: chart(Periods.parts(asked.current, "day")),
      byWeek: chart(Periods.parts(asked.current, "week")),
      byMonth: chart(Periods.months(asked.current))
    }
  }
}

/** All items of the rows together, by day, ascending; only the texts that the rows count. */
const figuresByDay = (
  { world, nowMs }: Context,
  rows: ReadonlyArray<SearchRows.Row>,
  days: Days
): ReadonlyMap<number, SearchFigures.Figures> => {
  const found = new Map<number, Array<SearchFigures.Figures>>()
  for (const { good, now } of rows) {
    const counted = new Set(now.texts.map((text) => text.text))
    for (const [day, texts] of SearchTexts.ofDays(world, good.id, days, nowMs)) {
      const figures = SearchFigures.ofTextDays(texts.filter((text) => counted.has(text.text)))
      found.set(day, [...(found.get(day) ?? []), figures])
    }
  }
  const ascending = [...found].sort(([a], [b]) => a - b)
  return new Map(ascending.map(([day, all]) => [day, SearchFigures.together(all)]))
}

const itemsIn = (
  rows: ReadonlyArray<SearchRows.Row>,
  cluster: SearchFigures.PositionCluster,
  compared: boolean
) => {
  const now = rows.filter((row) => SearchFigures.isIn(row.now.position, cluster)).length
  const past = rows.filter((row) => SearchFigures.isIn(row.past?.position ?? 0, cluster)).length
  return Change.pair(now, compared ? past : undefined)
}

const sellerRating = ({ world, nowMs }: Context, rows: ReadonlyArray<SearchRows.Row>): number => {
  const all = rows.reduce<Reviews.Stars>(
    (sum, row) => Reviews.add(sum, Reviews.ofAllTime(world, row.good.id, nowMs)),
    Reviews.none
  )
  return Reviews.mean(all) ?? 0
}
