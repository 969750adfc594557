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
import * as Periods from "../../endpoints/Periods.js"
import type * as Wire from "../../endpoints/SearchReports.js"
import type { Client } from "../../MarketplaceClient.js"
import type { CallError } from "../../MarketplaceError.js"
import * as Pages from "../../Pages.js"
import * as Windows from "../../Windows.js"
import * as Asked from "../Asked.js"
import * as PaidPlan from "./PaidPlan.js"
import * as Reach from "./Reach.js"
import * as Records from "./SearchRecords.js"

export type MetricField = (typeof Wire.metricFields)[number]
export type SortField = (typeof Wire.sortFields)[number]
export type Top = typeof Wire.TopOrderBy.Type

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
export interface Texts extends Batches.Batched<ItemId, Records.SearchText> {
  readonly foreign: number
}

export interface Settings {
  /** Search texts of a call, by the seller's plan (A11); 30 unless configured. */
  readonly textsPerCall?: 30 | 100
}

export type Failure = CallError | PaidPlan.PlanMissing

/** The last 365 days (not-shown §7.4). */
export const reach: Reach.Reach = { oldest: 365, newest: 0 }

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
      Effect.map(({ data }) => Records.report(data)),
      Effect.flatMap((report) =>
        Effect.map(narrowed("getSearchReport", request.items, report.groups), (groups) => ({
          ...report,
          groups
        }))
      ),
      Effect.mapError(PaidPlan.told)
    ),

  /** Groups page by page, each once. */
  groups: (request: GroupsRequest): Stream.Stream<Records.SearchGroup, Failure> =>
    Asked.named("getSearchReportGroups", request.items).pipe(
      Effect.zipRight(Reach.clipBoth("getSearchReportGroups", request, reach)),
      Effect.map((asked) =>
        Pages.byOffset(pageSize, (limit, offset) =>
          Effect.flatMap(
            api.searchReports.getSearchReportGroups({
              payload: { ...filtered(request, asked), orderBy: request.sort ?? byOpens, limit, offset }
            }),
            ({ data }) =>
              narrowed("getSearchReportGroups", request.items, (data?.groups ?? []).map(Records.group))
          )
        )
      ),
      Stream.unwrap,
      Pages.distinct(groupKey),
      Stream.mapError(PaidPlan.told)
    ),

  /** Items page by page, each once, with or without a filter. */
  details: (request: DetailsRequest): Stream.Stream<Records.SearchItem, Failure> =>
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
              ({ data }) => (data?.products ?? []).map(Records.item)
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
          ({ data }) => [Asked.only(nmIds, (data?.items ?? []).map(Records.text))]
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
  groups: ReadonlyArray<Records.SearchGroup>
): Effect.Effect<ReadonlyArray<Records.SearchGroup>> => {
  const own = groups.map((group) => ({ group, ...Asked.only(items, group.items) }))
  const foreign = own.reduce((sum, row) => sum + row.foreign, 0)
  return Effect.as(
    Asked.warn(operation, foreign),
    own.map(({ group, rows }) => ({ ...group, items: rows }))
  )
}

const groupKey = ({ brand, subject, subjectId, tag, tagId }: Records.SearchGroup): string =>
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
  readonly rows: ReturnType<typeof Records.textDays>
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
  readonly total: ReturnType<typeof Records.textDays> | undefined
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
              values.map((data) => Records.textDays(data?.total)),
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
      rows: Windows.join([before?.rows ?? [], Records.textDays(dateItems)], ({ day }) => day)
    })
  }
  return [...texts.values()]
}
