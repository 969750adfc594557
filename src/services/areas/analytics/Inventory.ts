/** Stock: per warehouse, per group, per item, per size and per region (seed 002, "Inventory"). */
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Days from "../../../domain/Days.js"
import type { ItemId, SizeId } from "../../../domain/Ids.js"
import * as Batches from "../../Batches.js"
import type * as Wire from "../../endpoints/Inventory.js"
import { mostRows } from "../../endpoints/Inventory.js"
import { ofRange, type Sort } from "../../endpoints/Periods.js"
import type { Client } from "../../MarketplaceClient.js"
import { type CallError, local, Refused } from "../../MarketplaceError.js"
import * as Pages from "../../Pages.js"
import { mostPages } from "../../Pages.js"
import * as Amounts from "../Amounts.js"
import * as Asked from "../Asked.js"
import * as Reach from "./Reach.js"
import * as Sentinels from "./Sentinels.js"

/** Whose stock a report tells. */
type Owner = "all" | "platform" | "seller"

export interface Scope {
  /** Moscow days; clipped to the last three months and to today (field note A18). */
  readonly days: Days.DayRange
  readonly owner: Owner
  readonly withDeleted: boolean
}

/** Filters that combine with AND; one left out or empty means all. */
export interface Groups {
  readonly items?: ReadonlyArray<ItemId>
  readonly subjectIds?: ReadonlyArray<number>
  readonly brands?: ReadonlyArray<string>
  readonly tagIds?: ReadonlyArray<number>
}

/** Filters of the report of items: one group, or the whole report. */
export interface OneGroup {
  readonly items?: ReadonlyArray<ItemId>
  readonly subjectId?: number
  readonly brand?: string
  readonly tagId?: number
}

/** `availability` empty means every kind. A field that rarely ties keeps paging stable. */
export interface Order {
  readonly availability: ReadonlyArray<typeof Wire.Availability.Type>
  readonly sort: Sort<(typeof Wire.stockFields)[number]>
}

const pageSize = 1000

export const make = ({ api }: Client) => {
  const platform: Fetch = (payload) =>
    Effect.map(api.inventory.getPlatformWarehouseStocks({ payload }), ({ data }) => data?.items ?? [])
  const seller: Fetch = (payload) =>
    Effect.map(api.inventory.getSellerWarehouseStocks({ payload }), ({ data }) => data?.items ?? [])
  return {
    /** Sizes in platform warehouses; not for Base tokens. Reaching the end of the stream means to have seen all. */
    platformStocks: (query: StockQuery = {}) => rows(platform, query),

    /** Sizes in the seller's own warehouses; Personal and Service tokens only. */
    sellerStocks: (query: StockQuery = {}) => rows(seller, query),

    /** Stock of any number of items, with what is not known told apart from zero. */
    platformWalk: (items: ReadonlyArray<ItemId>) => walk(platform, items),
    sellerWalk: (items: ReadonlyArray<ItemId>) => walk(seller, items),

    groups: (scope: Scope, groups: Groups, order: Order) =>
      paged("getStockGroups", scope, (asked, page) =>
        Effect.map(
          api.inventory.getStockGroups({
            payload: { ...manyOf(groups), ...asked, ...orderOf(order), ...page }
          }),
          ({ data }) => (data?.groups ?? []).map(toGroup(named(groups.items), data?.currency))
        )
      ),

    /** Items that were not asked for are left out: a filter the marketplace ignores brings everything (A16). */
    items: (scope: Scope, group: OneGroup, order: Order): Stream.Stream<StockItem, CallError> =>
      paged("getStockProducts", scope, (asked, page) =>
        Effect.map(
          api.inventory.getStockProducts({
            payload: { ...oneOf(group), ...asked, ...orderOf(order), ...page }
          }),
          ({ data }) => (data?.items ?? []).map((row) => toItem(row, data?.currency))
        )
      ).pipe(
        Asked.onlyAsked<StockItem>("getStockProducts", named(group.items)),
        Pages.distinct(({ itemId }) => itemId)
      ),

    /**
     * `sizes` is empty for an item without sizes, whose stock is told by `offices`. Such an item is always asked with its
     * warehouses: without them it answers nothing (A19).
     */
    sizes: (
      item: { readonly itemId: ItemId; readonly hasSizes: boolean; readonly withOffices: boolean },
      scope: Omit<Scope, "withDeleted">,
      sort: Order["sort"]
    ) =>
      Effect.gen(function* () {
        const { currentPeriod, stockType } = yield* scoped("getStockSizes", { ...scope, withDeleted: true })
        const { data } = yield* api.inventory.getStockSizes({
          payload: {
            nmID: item.itemId,
            currentPeriod,
            stockType,
            orderBy: sort,
            includeOffice: item.withOffices || !item.hasSizes
          }
        })
        return {
          offices: (data?.offices ?? []).map(toOffice),
          sizes: (data?.sizes ?? []).map((size) => ({
            name: size.name,
            sizeId: size.chrtID,
            metrics: toMetrics(size.metrics),
            offices: size.offices.map(toOffice)
          }))
        }
      }),

    regions: (scope: Scope, groups: Groups) =>
      Effect.gen(function* () {
        const asked = yield* scoped("getStockOffices", scope)
        const { data } = yield* api.inventory.getStockOffices({ payload: { ...manyOf(groups), ...asked } })
        return (data?.regions ?? []).map(toRegion)
      })
  }
}

interface Scoped {
  readonly currentPeriod: ReturnType<typeof ofRange>
  readonly stockType: typeof Wire.StockType.Type
  readonly skipDeletedNm: boolean
}

/** The scope in the words of the wire, its days clipped to what is kept. */
const scoped = (operation: string, { days, owner, withDeleted }: Scope): Effect.Effect<Scoped, CallError> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    Either.match(Reach.clipMonths(days, Days.ofMarket(nowMs)), {
      onLeft: (problem) => Effect.fail(new Refused(local(operation, problem))),
      onRight: (clipped) =>
        Effect.succeed({
          currentPeriod: ofRange(clipped),
          stockType: owner === "all" ? "" : owner === "seller" ? "mp" : "platform",
          skipDeletedNm: !withDeleted
        })
    })
  )

const paged = <A>(
  operation: string,
  scope: Scope,
  fetch: (
    asked: Scoped,
    page: { readonly limit: number; readonly offset: number }
  ) => Effect.Effect<ReadonlyArray<A>, CallError>
): Stream.Stream<A, CallError> =>
  Stream.unwrap(
    Effect.map(scoped(operation, scope), (asked) =>
      Pages.byOffset(pageSize, (limit, offset) => fetch(asked, { limit, offset }))
    )
  )

const orderOf = ({ availability, sort }: Order) => ({ availabilityFilters: availability, orderBy: sort })

const manyOf = ({ brands, items, subjectIds, tagIds }: Groups) => ({
  nmIDs: items ?? [],
  subjectIDs: subjectIds ?? [],
  brandNames: brands ?? [],
  tagIDs: tagIds ?? []
})

const oneOf = ({ brand, items, subjectId, tagId }: OneGroup) => ({
  nmIDs: items ?? [],
  ...(subjectId === undefined ? {} : { subjectID: subjectId }),
  ...(brand === undefined ? {} : { brandName: brand }),
  ...(tagId === undefined ? {} : { tagID: tagId })
})

/** An empty list means all items here, as the marketplace takes it. */
const named = (items: ReadonlyArray<ItemId> = []): Asked.Items => (items.length === 0 ? undefined : items)

const toGroup = (asked: Asked.Items, currency: string | undefined) => (row: typeof Wire.StockGroup.Type) => ({
  subjectId: row.subjectID,
  subject: row.subjectName,
  brand: row.brandName,
  tagId: row.tagID,
  tag: row.tagName,
  metrics: toMetrics(row.metrics),
  items: Asked.only(
    asked,
    row.items.map((item) => toItem(item, currency))
  ).rows
})

const toOffice = (row: typeof Wire.StockOffice.Type) => ({
  place: placeOf(row.officeID, row.officeName, row.regionName),
  region: row.regionName,
  metrics: toMetrics(row.metrics)
})

/** `aggregate` sums warehouses that are not told apart: no region may be concluded from it (field note A14). */
const toRegion = (row: typeof Wire.StockRegion.Type) => ({
  kind: isSellerRegion(row.regionName)
    ? ("seller" as const)
    : row.offices.length === 0
      ? ("aggregate" as const)
      : ("region" as const),
  name: row.regionName,
  metrics: toMetrics(row.metrics),
  offices: row.offices.map(toOffice)
})

// Stock of sizes per warehouse (seed 002, "Inventory"). A missing row is zero stock only when the pages that would
// hold it have been read to their end (field note A15), so what a walk knows is a value of its own.

/** What to ask for: at most 1000 items, or all when `items` is left out; `sizes` only counts beside items. */
interface StockQuery {
  readonly items?: ReadonlyArray<ItemId>
  readonly sizes?: ReadonlyArray<SizeId>
}

/** What a walk over many items found. */
interface StockWalk {
  readonly rows: ReadonlyArray<StockRow>
  /** True when every page of every item was read. */
  readonly complete: boolean
  /** Items whose pages could not be read to their end: nothing is known of them. */
  readonly failures: ReadonlyArray<Batches.Failure<ItemId>>
  /** Units of an item in all places: 0 only if its pages were read to the end, undefined where that is not known. */
  readonly quantityOf: (item: ItemId) => number | undefined
}

/** A row of either warehouse report: one of the seller's warehouses says nothing of what is on the way. */
type WireRow = typeof Wire.PlatformWarehouseRow.Type

/** One page of a report. */
type Fetch = (payload: {
  readonly nmIds?: ReadonlyArray<ItemId>
  readonly chrtIds?: ReadonlyArray<SizeId>
  readonly limit: number
  readonly offset: number
}) => Effect.Effect<ReadonlyArray<WireRow>, CallError>

/**
 * Rows page by page. A row that moved to a later page while walking comes once; rows of items that were not asked for
 * are left out. The stream ends only after the last page: whoever saw its end has seen everything.
 */
export const rows = (fetch: Fetch, query: StockQuery, limit = mostRows): Stream.Stream<StockRow, CallError> =>
  Stream.suspend(() => {
    if (query.items?.length === 0) return Stream.empty
    const seen = new Set<string>()
    const asked = query.items === undefined ? undefined : new Set(query.items)
    const filters = {
      ...(query.items === undefined ? {} : { nmIds: query.items }),
      ...(query.sizes === undefined ? {} : { chrtIds: query.sizes })
    }
    return Stream.paginateChunkEffect(0, (page: number) =>
      Effect.map(fetch({ ...filters, limit, offset: page * limit }), (found) => {
        const fresh = found.filter((row) => !seen.has(keyOf(row)) && asked?.has(row.nmId) !== false)
        for (const row of found) seen.add(keyOf(row))
        const last = found.length < limit || page + 1 >= mostPages
        return [Chunk.fromIterable(fresh.map(toRow)), last ? Option.none() : Option.some(page + 1)]
      })
    )
  })

/** Walks any number of items, 1000 to a request; a chunk that fails leaves its items unknown and the others whole. */
const walk = (fetch: Fetch, items: ReadonlyArray<ItemId>): Effect.Effect<StockWalk> =>
  Effect.gen(function* () {
    const unique = Arr.dedupe(items)
    const { failures, values } = yield* Batches.run(unique, 1000, (chunk) =>
      Effect.map(Stream.runCollect(rows(fetch, { items: chunk })), (all) => [...all])
    )
    const failed = new Set(failures.flatMap(({ keys }) => keys))
    const known = new Set(unique.filter((item) => !failed.has(item)))
    const totals = new Map<ItemId, number | undefined>()
    for (const row of values) {
      const total = totals.has(row.itemId) ? totals.get(row.itemId) : 0
      totals.set(
        row.itemId,
        row.quantity === undefined || total === undefined ? undefined : total + row.quantity
      )
    }
    return {
      rows: values,
      complete: failures.length === 0,
      failures,
      quantityOf: (item) => (totals.has(item) ? totals.get(item) : known.has(item) ? 0 : undefined)
    }
  })

const keyOf = (row: WireRow): string => `${row.nmId} ${row.chrtId} ${row.warehouseId} ${row.warehouseName}`

/** One size in one place. Undefined numbers were not named, and are not zero. */
const toRow = (row: WireRow) => ({
  itemId: row.nmId,
  /** Size id; undefined where the marketplace named none. */
  sizeId: row.chrtId === undefined || row.chrtId <= 0 ? undefined : row.chrtId,
  place: placeOf(row.warehouseId, row.warehouseName, row.regionName),
  quantity: row.quantity,
  /** On the way to buyers, and back from them; only of platform warehouses. */
  toClient: row.inWayToClient,
  fromClient: row.inWayFromClient
})

type StockRow = Readonly<ReturnType<typeof toRow>>

// Metrics and places of the stock reports in the seller's words.

/**
 * Where stock lies. `aggregate` sums warehouses that are not told apart and has no id of a real one (field note A14);
 * `seller` is the sum of the seller's own warehouses.
 */
type Place =
  | { readonly _tag: "warehouse"; readonly id: number; readonly name: string | undefined }
  | { readonly _tag: "aggregate" }
  | { readonly _tag: "seller" }

/** The v2 reports name the seller's own warehouses by a region: its name now, and until August 2026 (not-shown §7.5). */
const sellerRegions: ReadonlySet<string> = new Set(["Свой склад", "Маркетплейс"])

/** True for the region that sums the seller's own warehouses. */
export const isSellerRegion = (name: string | undefined): boolean =>
  name !== undefined && sellerRegions.has(name.trim())

/** A place by its id and names; no id, 0 and a negative one name no warehouse. */
const placeOf = (id: number | undefined, name: string | undefined, region: string | undefined): Place =>
  isSellerRegion(region)
    ? { _tag: "seller" }
    : id !== undefined && id > 0
      ? { _tag: "warehouse", id, name: name === "" ? undefined : name }
      : { _tag: "aggregate" }

/** Metrics of a period; undefined is what the marketplace did not name, never zero. */
const toMetrics = (row: typeof Wire.StockMetrics.Type | undefined) =>
  row && {
    orders: row.ordersCount,
    ordersSumKopecks: Amounts.decimal(row.ordersSum),
    ordersPerDay: row.avgOrders,
    ordersPerDayByMonth: row.avgOrdersByMonth.map(({ end, start, value }) => ({
      from: start,
      to: end,
      value
    })),
    buyouts: row.buyoutCount,
    buyoutsSumKopecks: Amounts.decimal(row.buyoutSum),
    buyoutPercent: row.buyoutPercent,
    stock: row.stockCount,
    stockSumKopecks: Amounts.decimal(row.stockSum),
    /** How long the stock lasts at the present rate of sales. */
    lasts: Sentinels.duration(row.saleRate),
    turnover: Sentinels.duration(row.avgStockTurnover),
    toClient: row.toClientCount,
    fromClient: row.fromClientCount,
    /** How long warehouses that sell the item were without it. */
    missing: Sentinels.duration(row.officeMissingTime),
    lostOrders: Sentinels.lost(row.lostOrdersCount),
    lostOrdersSum: Sentinels.lostSum(row.lostOrdersSum),
    lostBuyouts: Sentinels.lost(row.lostBuyoutsCount),
    lostBuyoutsSum: Sentinels.lostSum(row.lostBuyoutsSum)
  }

export type StockMetrics = Readonly<NonNullable<ReturnType<typeof toMetrics>>>

/** Stock of one item over a period; `currency` is that of all amounts, as the report names it. */
const toItem = (row: typeof Wire.StockItem.Type, currency: string | undefined) => ({
  itemId: row.nmID,
  name: row.name,
  vendorCode: row.vendorCode,
  brand: row.brandName,
  subject: row.subjectName,
  deleted: row.isDeleted,
  hasSizes: row.hasSizes,
  /** deficient, actual, balanced, nonActual, nonLiquid, invalidData, or a word that came later. */
  availability: row.availability ?? row.metrics?.availability,
  minPriceKopecks: Amounts.decimal(row.metrics?.currentPrice?.minPrice),
  maxPriceKopecks: Amounts.decimal(row.metrics?.currentPrice?.maxPrice),
  metrics: toMetrics(row.metrics),
  currency
})

export type StockItem = Readonly<ReturnType<typeof toItem>>
