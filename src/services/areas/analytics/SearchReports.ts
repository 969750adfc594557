/**
 * How items do in search: positions, visibility, opens, carts and orders (seed 002, "Search reports"). Every method
 * fails with `PlanMissing` where the seller has no paid plan; `PaidPlan.orAbsent` makes a value of it.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Days from "../../../domain/Days.js"
import type { ItemId } from "../../../domain/Ids.js"
import * as Batches from "../../Batches.js"
import type { Pair, RankedPair } from "../../endpoints/Periods.js"
import * as Periods from "../../endpoints/Periods.js"
import type * as Wire from "../../endpoints/SearchReports.js"
import type { Client } from "../../MarketplaceClient.js"
import type { CallError } from "../../MarketplaceError.js"
import * as Pages from "../../Pages.js"
import * as Windows from "../../Windows.js"
import * as Amounts from "../Amounts.js"
import * as Asked from "../Asked.js"
import * as Measures from "./Measures.js"
import * as PaidPlan from "./PaidPlan.js"
import * as Reach from "./Reach.js"

type MetricField = (typeof Wire.metricFields)[number]
type SortField = (typeof Wire.sortFields)[number]
type Top = typeof Wire.TopOrderBy.Type

interface Included {
  /** Which clicks count: those of substituted items, those that came with a search text; not neither. */
  readonly substituted?: boolean
  readonly searchTexts?: boolean
}

interface Placed {
  /** `all` unless set. */
  readonly positions?: typeof Wire.PositionCluster.Type
}

export interface ReportRequest extends Reach.Compared, Asked.Filters, Included, Placed {
  readonly items?: Asked.Items
  readonly sort?: Periods.Sort<SortField>
}

/** At least one filter by subject, brand or tag, else there are no groups. */
export interface GroupsRequest extends Omit<ReportRequest, "sort"> {
  readonly sort?: Periods.Sort<MetricField>
}

/** Items by id, or of the group that the three fields select together. */
export interface DetailsRequest extends Reach.Compared, Included, Placed {
  readonly items?: Asked.Items
  readonly subjectId?: number
  readonly brand?: string
  readonly tagId?: number
  readonly sort?: Periods.Sort<SortField>
}

export interface TextsRequest extends Reach.Compared, Included {
  readonly items: ReadonlyArray<ItemId>
  /** Texts that are best by this count. */
  readonly top: Top
  readonly sort?: Periods.Sort<MetricField>
}

/** Search texts of items; `foreign` rows of items that were not asked for were dropped (A16). */
export interface Texts extends Batches.Batched<ItemId, SearchText> {
  readonly foreign: number
}

export interface Settings {
  /** Search texts of a call, by the seller's plan (A11); 30 unless configured. */
  readonly textsPerCall?: 30 | 100
}

export type Failure = CallError | PaidPlan.PlanMissing

/** The last 365 days (not-shown §7.4). */
const reach: Reach.Reach = { oldest: 365, newest: 0 }

const pageSize = 1000
const itemsPerCall = 50
const byOpens = { field: "openCard", mode: "desc" } as const

export const make = ({ api }: Client, { textsPerCall = 30 }: Settings = {}) => ({
  /** The main page with the first 1000 groups; every field is absent where the marketplace says nothing. */
  report: (request: ReportRequest) =>
    Asked.named("getSearchReport", request.items).pipe(
      Effect.zipRight(Reach.clipBoth("getSearchReport", request, reach)),
      Effect.flatMap((asked) =>
        api.searchReports.getSearchReport({
          payload: {
            ...filtered(request, asked),
            orderBy: request.sort ?? byOpens,
            limit: pageSize,
            offset: 0
          }
        })
      ),
      Effect.map(({ data }) => report(data)),
      Effect.flatMap((report) =>
        Effect.map(narrowed("getSearchReport", request.items, report.groups), (groups) => ({
          ...report,
          groups
        }))
      ),
      Effect.mapError(PaidPlan.told)
    ),

  /** Groups page by page, each once. */
  groups: (request: GroupsRequest): Stream.Stream<SearchGroup, Failure> =>
    Asked.named("getSearchReportGroups", request.items).pipe(
      Effect.zipRight(Reach.clipBoth("getSearchReportGroups", request, reach)),
      Effect.map((asked) =>
        Pages.byOffset(pageSize, (limit, offset) =>
          Effect.flatMap(
            api.searchReports.getSearchReportGroups({
              payload: { ...filtered(request, asked), orderBy: request.sort ?? byOpens, limit, offset }
            }),
            ({ data }) => narrowed("getSearchReportGroups", request.items, (data?.groups ?? []).map(group))
          )
        )
      ),
      Stream.unwrap,
      Pages.distinct(groupKey),
      Stream.mapError(PaidPlan.told)
    ),

  /** Items page by page, each once, with or without a filter. */
  details: (request: DetailsRequest): Stream.Stream<SearchItem, Failure> =>
    Stream.unwrap(
      Effect.map(Reach.clipBoth("getSearchReportDetails", request, reach), (asked) =>
        Asked.stream("getSearchReportDetails", request.items, itemsPerCall, (nmIds) =>
          Pages.byOffset(pageSize, (limit, offset) =>
            Effect.map(
              api.searchReports.getSearchReportDetails({
                payload: {
                  ...periods(asked),
                  ...included(request),
                  subjectId: request.subjectId,
                  brandName: request.brand,
                  tagId: request.tagId,
                  nmIds,
                  positionCluster: request.positions ?? "all",
                  orderBy: request.sort ?? byOpens,
                  limit,
                  offset
                }
              }),
              ({ data }) => (data?.products ?? []).map(item)
            )
          )
        )
      )
    ).pipe(Stream.mapError(PaidPlan.told)),

  /** The best search texts of any number of items, as many as the plan allows. */
  texts: (request: TextsRequest): Effect.Effect<Texts, Failure> =>
    Effect.gen(function* () {
      const asked = yield* Reach.clipBoth("getProductSearchTexts", request, reach)
      const unlessMissing = PaidPlan.stopping()
      const read = yield* Batches.run([...new Set(request.items)], itemsPerCall, (nmIds) =>
        Effect.map(
          unlessMissing(
            api.searchReports.getProductSearchTexts({
              payload: {
                ...periods(asked),
                ...included(request),
                nmIds,
                topOrderBy: request.top,
                orderBy: request.sort ?? { field: request.top, mode: "desc" },
                limit: textsPerCall
              }
            })
          ),
          ({ data }) => [Asked.only(nmIds, (data?.items ?? []).map(text))]
        )
      )
      const { failures, values } = read
      yield* PaidPlan.failIfMissing(read)
      return {
        values: Windows.join(
          values.map(({ rows }) => rows),
          ({ itemId, text }) => `${itemId} ${text}`
        ),
        failures,
        foreign: values.reduce((sum, { foreign }) => sum + foreign, 0)
      }
    }),

  /** Orders and positions of an item by day and text; longer periods and more texts take several calls. */
  orders: (request: Request): Effect.Effect<TextOrders, Failure> =>
    Effect.flatMap(Reach.clip("getProductSearchOrders", request.days, reach), (days) =>
      fetch(api, { ...request, days }, textsPerCall)
    )
})

const periods = ({ days, past }: Reach.Asked) => ({
  currentPeriod: Periods.ofRange(days),
  pastPeriod: past === undefined ? undefined : Periods.ofRange(past)
})

const included = ({ searchTexts, substituted }: Included) => ({
  includeSubstitutedSKUs: substituted,
  includeSearchTexts: searchTexts
})

const filtered = (request: Omit<ReportRequest, "sort">, asked: Reach.Asked) => ({
  ...periods(asked),
  ...included(request),
  nmIds: request.items,
  ...Asked.filtersToWire(request),
  positionCluster: request.positions ?? "all"
})

/** Groups with the items that were asked for only (A16). */
const narrowed = (
  operation: string,
  items: Asked.Items,
  groups: ReadonlyArray<SearchGroup>
): Effect.Effect<ReadonlyArray<SearchGroup>> => {
  const own = groups.map((group) => ({ group, ...Asked.only(items, group.items) }))
  const foreign = own.reduce((sum, row) => sum + row.foreign, 0)
  return Effect.as(
    Asked.warn(operation, foreign),
    own.map(({ group, rows }) => ({ ...group, items: rows }))
  )
}

const groupKey = ({ brand, subject, subjectId, tag, tagId }: SearchGroup): string =>
  JSON.stringify([subjectId, subject, brand, tagId, tag])

// Orders and positions of one item by day and search text (seed 002, "Search reports").

interface Request {
  readonly days: Days.DayRange
  readonly item: ItemId
  readonly texts: ReadonlyArray<string>
}

interface TextHistory {
  readonly text: string
  /** Times the text was searched for, as the newest window that tells says. */
  readonly searches: number | undefined
  readonly rows: ReturnType<typeof textDays>
}

interface TextWindow {
  readonly text: string
  readonly days: Days.DayRange
}

interface TextOrders {
  /** The days that were asked for, which may be fewer than wanted. */
  readonly days: Days.DayRange
  readonly texts: ReadonlyArray<TextHistory>
  /** Sums as answered; absent where the texts took several calls, whose sums cannot be joined. */
  readonly total: ReturnType<typeof textDays> | undefined
  /** Texts and windows that could not be read. */
  readonly failures: ReadonlyArray<Batches.Failure<TextWindow>>
}

/** Days of one call. */
const windowDays = 7

/** Asks window by window, `textsPerCall` texts at a time; the days must be within the reach of the report. */
const fetch = (
  api: Client["api"],
  { days, item, texts: named }: Request,
  textsPerCall: number
): Effect.Effect<TextOrders, PaidPlan.PlanMissing> =>
  Effect.gen(function* () {
    const texts = [...new Set(named)]
    const parts = Windows.cut(days, windowDays).flatMap((window) =>
      Arr.chunksOf(texts, textsPerCall).map((chunk) => chunk.map((text) => ({ text, days: window })))
    )
    const unlessMissing = PaidPlan.stopping()
    const read = yield* Batches.runChunks(parts, (part) =>
      Effect.map(
        unlessMissing(
          api.searchReports.getProductSearchOrders({
            payload: {
              period: Periods.ofRange(part[0]?.days ?? days),
              nmId: item,
              searchTexts: part.map(({ text }) => text)
            }
          })
        ),
        ({ data }) => [data]
      )
    )
    const { failures, values } = read
    yield* PaidPlan.failIfMissing(read)
    return {
      days,
      texts: histories(values.flatMap((data) => data?.items ?? [])),
      total:
        texts.length > textsPerCall
          ? undefined
          : Windows.join(
              values.map((data) => textDays(data?.total)),
              ({ day }) => day
            ),
      failures
    }
  })

/** One text per entry, its days from all windows; an item without shows has days without a position. */
const histories = (
  entries: ReadonlyArray<(typeof Wire.TextOrders.Type)["items"][number]>
): ReadonlyArray<TextHistory> => {
  const texts = new Map<string, TextHistory>()
  for (const { dateItems, frequency, text } of entries) {
    if (text === undefined) continue
    const before = texts.get(text)
    texts.set(text, {
      text,
      searches: frequency ?? before?.searches,
      rows: Windows.join([before?.rows ?? [], textDays(dateItems)], ({ day }) => day)
    })
  }
  return [...texts.values()]
}

// Records of the search reports in the seller's words: `openCard` is opens, `addToCart` carts, and the rates keep
// their names (field note A01). Positions of 0 are absent (A13), visibility is percent.

/** The main page; without data all of it is absent. */
const report = (wire: typeof Wire.SearchReport.Type | undefined) => ({
  supplierRating: Measures.measure(wire?.commonInfo?.supplierRating),
  advertisedItems: Measures.measure(wire?.commonInfo?.advertisedProducts),
  totalItems: wire?.commonInfo?.totalProducts,
  position: Measures.positions(wire?.positionInfo?.average),
  medianPosition: Measures.positions(wire?.positionInfo?.median),
  positions: dated(wire?.positionInfo?.chartItems, (point) => ({
    average: Measures.position(point.average),
    median: Measures.position(point.median)
  })),
  /** Items whose position is in the first hundred, the second, or below. */
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

const group = (wire: typeof Wire.SearchGroup.Type) => ({
  subjectId: Measures.id(wire.subjectId),
  subject: Measures.filled(wire.subjectName),
  brand: Measures.filled(wire.brandName),
  tagId: Measures.id(wire.tagId),
  tag: Measures.filled(wire.tagName),
  numbers: numbers(wire.metrics),
  items: Asked.only(undefined, wire.items.map(item)).rows
})

type SearchGroup = Readonly<ReturnType<typeof group>>

/** Absent when the answer does not say which item it is. */
const item = (wire: typeof Wire.SearchItem.Type) => {
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

type SearchItem = Readonly<NonNullable<ReturnType<typeof item>>>

/**
 * How one item does under one search text, ranked against the competitors; absent when the answer does not say which
 * item or which text it is.
 */
const text = (wire: typeof Wire.SearchTextRow.Type) => {
  const itemId = Asked.itemId(wire.nmId)
  if (itemId === undefined || wire.text === undefined) return undefined
  return {
    text: wire.text,
    itemId,
    ...described(wire),
    /** Times the text was searched for. */
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

type SearchText = Readonly<NonNullable<ReturnType<typeof text>>>

/** The days of a search text; no position where the item was not shown. */
const textDays = (wire: ReadonlyArray<typeof Wire.TextDay.Type> | undefined) =>
  dated(wire, (point) => ({ position: Measures.position(point.avgPosition), orders: point.orders }))

type WireNumbers = Partial<Record<(typeof Wire.metricFields)[number], Pair | RankedPair | undefined>>

/** How items do in search. */
const numbers = (wire: WireNumbers | undefined) => ({
  /** Average place; lower is better. */
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
) => ({
  name: Measures.filled(wire.name),
  vendorCode: Measures.filled(wire.vendorCode),
  subject: Measures.filled(wire.subjectName),
  brand: Measures.filled(wire.brandName),
  cardRated: wire.isCardRated,
  /** Quality of the card, 0 to 10. */
  cardRating: wire.rating,
  /** Buyers' rating, 0 to 5. */
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
