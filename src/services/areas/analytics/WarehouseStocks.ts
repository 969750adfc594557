/**
 * Stock of sizes per warehouse (seed 002, "Inventory"). A missing row is zero stock only when the pages that would
 * hold it have been read to their end (field note A15), so what a walk knows is a value of its own.
 */
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ItemId, SizeId } from "../../../domain/Ids.js"
import * as Batches from "../../Batches.js"
import { mostRows } from "../../endpoints/Inventory.js"
import type { CallError } from "../../MarketplaceError.js"
import { mostPages } from "../../Pages.js"
import { type Place, placeOf } from "./StockMetrics.js"

/** One size in one place. Undefined numbers were not named, and are not zero. */
export interface StockRow {
  readonly itemId: ItemId
  /** Size id; undefined where the marketplace named none. */
  readonly sizeId: number | undefined
  readonly place: Place
  readonly quantity: number | undefined
  /** On the way to buyers; only of platform warehouses. */
  readonly toClient: number | undefined
  /** On the way back from buyers; only of platform warehouses. */
  readonly fromClient: number | undefined
}

/** What to ask for: at most 1000 items, or all when `items` is left out; `sizes` only counts beside items. */
export interface StockQuery {
  readonly items?: ReadonlyArray<ItemId>
  readonly sizes?: ReadonlyArray<SizeId>
}

/** What a walk over many items found. */
export interface StockWalk {
  readonly rows: ReadonlyArray<StockRow>
  /** True when every page of every item was read. */
  readonly complete: boolean
  /** Items whose pages could not be read to their end: nothing is known of them. */
  readonly failures: ReadonlyArray<Batches.Failure<ItemId>>
  /** Units of an item in all places: 0 only if its pages were read to the end, undefined where that is not known. */
  readonly quantityOf: (item: ItemId) => number | undefined
}

/** A row of either warehouse report. */
export interface WireRow {
  readonly nmId: ItemId
  readonly chrtId?: number | undefined
  readonly warehouseId?: number | undefined
  readonly warehouseName?: string | undefined
  readonly regionName?: string | undefined
  readonly quantity?: number | undefined
  readonly inWayToClient?: number | undefined
  readonly inWayFromClient?: number | undefined
}

/** One page of a report. */
export type Fetch = (payload: {
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
export const walk = (fetch: Fetch, items: ReadonlyArray<ItemId>): Effect.Effect<StockWalk> =>
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

const toRow = (row: WireRow): StockRow => ({
  itemId: row.nmId,
  sizeId: row.chrtId === undefined || row.chrtId <= 0 ? undefined : row.chrtId,
  place: placeOf(row.warehouseId, row.warehouseName, row.regionName),
  quantity: row.quantity,
  toClient: row.inWayToClient,
  fromClient: row.inWayFromClient
})
