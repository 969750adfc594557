/**
 * Records of the search reports in the seller's words: `openCard` is opens, `addToCart` carts, and the rates keep
 * their names (field note A01). Positions of 0 are absent (A13), visibility is percent.
 */
import type * as Days from "../../../domain/Days.js"
import type { ItemId } from "../../../domain/Ids.js"
import type * as Money from "../../../domain/Money.js"
import type { Pair, RankedPair } from "../../endpoints/Periods.js"
import type * as Wire from "../../endpoints/SearchReports.js"
import * as Amounts from "../Amounts.js"
import * as Asked from "../Asked.js"
import * as Measures from "./Measures.js"

/** How items do in search; `M` is a measure, ranked or not. */
export interface SearchNumbers<M extends Measures.Measure = Measures.Measure> {
  /** Average place; lower is better. */
  readonly position: Measures.Measure
  readonly opens: M
  readonly carts: M
  readonly openToCartPercent: M
  readonly orders: M
  readonly cartToOrderPercent: M
  readonly visibilityPercent: Measures.Measure
}

interface Described {
  readonly name: string | undefined
  readonly vendorCode: string | undefined
  readonly subject: string | undefined
  readonly brand: string | undefined
  readonly cardRated: boolean | undefined
  /** Quality of the card, 0 to 10. */
  readonly cardRating: number | undefined
  /** Buyers' rating, 0 to 5. */
  readonly feedbackRating: number | undefined
  readonly minPriceKopecks: Money.Kopecks | undefined
  readonly maxPriceKopecks: Money.Kopecks | undefined
}

export interface SearchItem extends SearchNumbers, Described {
  readonly itemId: ItemId
  readonly advertised: boolean | undefined
  readonly substituted: boolean | undefined
}

export interface SearchGroup {
  readonly subjectId: number | undefined
  readonly subject: string | undefined
  readonly brand: string | undefined
  readonly tagId: number | undefined
  readonly tag: string | undefined
  readonly numbers: SearchNumbers
  readonly items: ReadonlyArray<SearchItem>
}

/** How one item does under one search text; ranked against the competitors. */
export interface SearchText extends SearchNumbers<Measures.RankedMeasure>, Described {
  readonly text: string
  readonly itemId: ItemId
  /** Times the text was searched for. */
  readonly searches: Measures.Measure
  readonly searchesPerWeek: number | undefined
  readonly medianPosition: Measures.Measure
}

export interface VisibilityPoint {
  readonly day: Days.Day
  readonly visibilityPercent: number | undefined
  readonly opens: number | undefined
}

/** Main page. */
export interface SearchReport {
  readonly supplierRating: Measures.Measure
  readonly advertisedItems: Measures.Measure
  readonly totalItems: number | undefined
  readonly position: Measures.Measure
  readonly medianPosition: Measures.Measure
  readonly positions: ReadonlyArray<{
    readonly day: Days.Day
    readonly average: number | undefined
    readonly median: number | undefined
  }>
  /** Items whose position is in the first hundred, the second, or below. */
  readonly clusters: {
    readonly firstHundred: Measures.Measure
    readonly secondHundred: Measures.Measure
    readonly below: Measures.Measure
  }
  readonly visibilityPercent: Measures.Measure
  readonly opens: Measures.Measure
  readonly byDay: ReadonlyArray<VisibilityPoint>
  readonly byWeek: ReadonlyArray<VisibilityPoint>
  readonly byMonth: ReadonlyArray<VisibilityPoint>
  readonly groups: ReadonlyArray<SearchGroup>
  readonly currency: string | undefined
}

/** A day of a search text. */
export interface TextDay {
  readonly day: Days.Day
  /** Absent when the item was not shown. */
  readonly position: number | undefined
  readonly orders: number | undefined
}

/** The main page; without data all of it is absent. */
export const report = (wire: typeof Wire.SearchReport.Type | undefined): SearchReport => ({
  supplierRating: Measures.measure(wire?.commonInfo?.supplierRating),
  advertisedItems: Measures.measure(wire?.commonInfo?.advertisedProducts),
  totalItems: wire?.commonInfo?.totalProducts,
  position: Measures.positions(wire?.positionInfo?.average),
  medianPosition: Measures.positions(wire?.positionInfo?.median),
  positions: dated(wire?.positionInfo?.chartItems, (point) => ({
    average: Measures.position(point.average),
    median: Measures.position(point.median)
  })),
  clusters: {
    firstHundred: Measures.measure(wire?.positionInfo?.clusters?.firstHundred),
    secondHundred: Measures.measure(wire?.positionInfo?.clusters?.secondHundred),
    below: Measures.measure(wire?.positionInfo?.clusters?.below)
  },
  visibilityPercent: Measures.measure(wire?.visibilityInfo?.visibility),
  opens: Measures.measure(wire?.visibilityInfo?.openCard),
  byDay: dated(wire?.visibilityInfo?.byDay, visibility),
  byWeek: dated(wire?.visibilityInfo?.byWeek, visibility),
  byMonth: dated(wire?.visibilityInfo?.byMonth, visibility),
  groups: (wire?.groups ?? []).map(group),
  currency: wire?.currency
})

export const group = (wire: typeof Wire.SearchGroup.Type): SearchGroup => ({
  subjectId: Measures.id(wire.subjectId),
  subject: Measures.filled(wire.subjectName),
  brand: Measures.filled(wire.brandName),
  tagId: Measures.id(wire.tagId),
  tag: Measures.filled(wire.tagName),
  numbers: numbers(wire.metrics),
  items: Asked.only(undefined, wire.items.map(item)).rows
})

/** Absent when the answer does not say which item it is. */
export const item = (wire: typeof Wire.SearchItem.Type): SearchItem | undefined => {
  const itemId = Asked.itemId(wire.nmId)
  if (itemId === undefined) return undefined
  return {
    itemId,
    ...described(wire),
    advertised: wire.isAdvertised,
    substituted: wire.isSubstitutedSKU,
    ...numbers(wire)
  }
}

/** Absent when the answer does not say which item or which text it is. */
export const text = (wire: typeof Wire.SearchTextRow.Type): SearchText | undefined => {
  const itemId = Asked.itemId(wire.nmId)
  if (itemId === undefined || wire.text === undefined) return undefined
  return {
    text: wire.text,
    itemId,
    ...described(wire),
    searches: Measures.measure(wire.frequency),
    searchesPerWeek: wire.weekFrequency,
    medianPosition: Measures.positions(wire.medianPosition),
    position: Measures.positions(wire.avgPosition),
    opens: Measures.ranked(wire.openCard),
    carts: Measures.ranked(wire.addToCart),
    openToCartPercent: Measures.ranked(wire.openToCart),
    orders: Measures.ranked(wire.orders),
    cartToOrderPercent: Measures.ranked(wire.cartToOrder),
    visibilityPercent: Measures.measure(wire.visibility)
  }
}

export const textDays = (wire: ReadonlyArray<typeof Wire.TextDay.Type> | undefined): ReadonlyArray<TextDay> =>
  dated(wire, (point) => ({ position: Measures.position(point.avgPosition), orders: point.orders }))

type WireNumbers = Partial<Record<(typeof Wire.metricFields)[number], Pair | RankedPair | undefined>>

const numbers = (wire: WireNumbers | undefined): SearchNumbers => ({
  position: Measures.positions(wire?.avgPosition),
  opens: Measures.measure(wire?.openCard),
  carts: Measures.measure(wire?.addToCart),
  openToCartPercent: Measures.measure(wire?.openToCart),
  orders: Measures.measure(wire?.orders),
  cartToOrderPercent: Measures.measure(wire?.cartToOrder),
  visibilityPercent: Measures.measure(wire?.visibility)
})

const described = (
  wire: Pick<
    typeof Wire.SearchItem.Type,
    | "name"
    | "vendorCode"
    | "subjectName"
    | "brandName"
    | "isCardRated"
    | "rating"
    | "feedbackRating"
    | "price"
  >
): Described => ({
  name: Measures.filled(wire.name),
  vendorCode: Measures.filled(wire.vendorCode),
  subject: Measures.filled(wire.subjectName),
  brand: Measures.filled(wire.brandName),
  cardRated: wire.isCardRated,
  cardRating: wire.rating,
  feedbackRating: wire.feedbackRating,
  minPriceKopecks: Amounts.decimal(wire.price?.minPrice),
  maxPriceKopecks: Amounts.decimal(wire.price?.maxPrice)
})

const visibility = (point: {
  readonly visibility?: number | undefined
  readonly open?: number | undefined
}) => ({
  visibilityPercent: point.visibility,
  opens: point.open
})

/** Points with a readable date. */
const dated = <W extends { readonly dt?: string | undefined }, A extends object>(
  wire: ReadonlyArray<W> | undefined,
  of: (point: W) => A
): ReadonlyArray<A & { readonly day: Days.Day }> =>
  (wire ?? []).flatMap((point) => {
    const day = Measures.day(point.dt)
    return day === undefined ? [] : [{ ...of(point), day }]
  })
