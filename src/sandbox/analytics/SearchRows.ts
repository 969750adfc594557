/** Items and groups as rows of the search reports. */
import type { Context } from "../Call.js"
import * as Dice from "../Dice.js"
import { status } from "../market/Blueprint.js"
import type { Days } from "../market/Statistics.js"
import type * as World from "../market/World.js"
import * as Advertising from "../shop/Advertising.js"
import * as Timeline from "../Timeline.js"
import type * as Change from "./Change.js"
import * as Goods from "./Goods.js"
import * as Reviews from "./Reviews.js"
import * as SearchFigures from "./SearchFigures.js"

/** What a request of the search reports asks for. */
export interface Asked {
  readonly current: Days
  readonly past: Days | undefined
  readonly cluster: SearchFigures.PositionCluster
}

export interface Row {
  readonly good: Goods.Good
  readonly now: SearchFigures.ItemFigures
  readonly past: SearchFigures.ItemFigures | undefined
}

export interface Includes {
  readonly includeSubstitutedSKUs?: boolean | undefined
  readonly includeSearchTexts?: boolean | undefined
}

/** Substituted items and ordinary ones, as asked; both unless a flag is false. */
export const included = (goods: ReadonlyArray<Goods.Good>, includes: Includes): ReadonlyArray<Goods.Good> =>
  goods.filter((good) =>
    good.isSubstituted ? includes.includeSubstitutedSKUs !== false : includes.includeSearchTexts !== false
  )

/** One row for each item that has a text in the asked cluster of positions. */
export const ofGoods = (
  { world, nowMs }: Context,
  goods: ReadonlyArray<Goods.Good>,
  asked: Asked
): ReadonlyArray<Row> =>
  goods.flatMap((good) => {
    const now = SearchFigures.ofItem(world, good.id, asked.current, nowMs, asked.cluster)
    if (asked.cluster !== "all" && now.texts.length === 0) return []
    const past =
      asked.past === undefined
        ? undefined
        : SearchFigures.ofItem(world, good.id, asked.past, nowMs, asked.cluster)
    return [{ good, now, past }]
  })

/** Held by a campaign that is active now. */
export const isAdvertised = (world: World.World, itemId: number, nowMs: number): boolean =>
  Advertising.campaignsOf(world, itemId, nowMs).some(
    (campaign) =>
      Timeline.at(campaign.status, nowMs) === status.active &&
      Timeline.at(campaign.items, nowMs).includes(itemId)
  )

/** The fields of `orderBy` that every search report knows, read from a kind of rows. */
export const fieldsBy = <A>(figuresOf: (row: A) => SearchFigures.Figures): Change.Fields<A> =>
  Object.fromEntries(
    Object.entries(SearchFigures.fields).map(([name, read]) => [name, (row: A) => read(figuresOf(row))])
  )

/** Fields that item rows and text rows share. */
export const described = ({ world, nowMs }: Context, good: Goods.Good) => ({
  nmId: good.id,
  name: good.title,
  vendorCode: good.vendorCode,
  subjectName: good.subjectName,
  brandName: good.brandName,
  isCardRated: true,
  rating: Reviews.cardRating(world, good.id),
  feedbackRating: Reviews.mean(Reviews.ofAllTime(world, good.id, nowMs)) ?? 0,
  price: prices(good)
})

/** Sizes differ a little in price. */
export const prices = (good: Goods.Good) => {
  const roubles = Math.round(good.priceKopecks / 100)
  return { minPrice: roubles, maxPrice: roubles + (Dice.uint(Dice.roll(951, good.id)) % 3) * 50 }
}

/** A row of getSearchReportDetails. */
export const item = (context: Context, { good, now, past }: Row) => ({
  ...described(context, good),
  isAdvertised: isAdvertised(context.world, good.id, context.nowMs),
  isSubstitutedSKU: good.isSubstituted,
  ...SearchFigures.metrics(now, past)
})

export interface GroupRow {
  readonly group: Goods.Group
  readonly rows: ReadonlyArray<Row>
  readonly now: SearchFigures.Figures
  readonly past: SearchFigures.Figures | undefined
}

/** What breaks ties between groups: the first item. */
export const groupId = ({ group }: GroupRow): number => group.goods[0]?.id ?? 0

export const groupsOf = (
  rows: ReadonlyArray<Row>,
  tagIds: ReadonlyArray<number> | undefined
): ReadonlyArray<GroupRow> => {
  const byId = new Map(rows.map((row) => [row.good.id, row]))
  return Goods.groups(
    rows.map((row) => row.good),
    tagIds
  ).map((group) => {
    const members = group.goods.flatMap((good) => byId.get(good.id) ?? [])
    const past = members.flatMap((row) => row.past ?? [])
    return {
      group,
      rows: members,
      now: SearchFigures.together(members.map((row) => row.now)),
      past: past.length === 0 ? undefined : SearchFigures.together(past)
    }
  })
}

export const groupWire = (context: Context, { group, rows, now, past }: GroupRow) => ({
  subjectName: group.subjectName,
  subjectId: group.subjectId,
  brandName: group.brandName,
  tagName: group.tag?.name ?? "",
  tagId: group.tag?.id ?? 0,
  metrics: SearchFigures.metrics(now, past),
  items: rows.map((row) => item(context, row))
})
