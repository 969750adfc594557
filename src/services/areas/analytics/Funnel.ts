/** Sales funnel of the items: opens, carts, orders, buyouts by period and by day (seed 002, "Sales funnel"). */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import type * as Days from "../../../domain/Days.js"
import type { ItemId } from "../../../domain/Ids.js"
import * as Batches from "../../Batches.js"
import type * as Wire from "../../endpoints/Funnel.js"
import * as Periods from "../../endpoints/Periods.js"
import type { Client } from "../../MarketplaceClient.js"
import type { CallError } from "../../MarketplaceError.js"
import * as Pages from "../../Pages.js"
import * as Windows from "../../Windows.js"
import * as Asked from "../Asked.js"
import * as Records from "./FunnelRecords.js"
import * as Reach from "./Reach.js"

export type SortField = (typeof Wire.sortFields)[number]

export interface ProductsRequest extends Reach.Compared, Asked.Filters {
  readonly items?: Asked.Items
  readonly skipDeleted?: boolean
  readonly sort?: Periods.Sort<SortField>
}

/** A row per day, or per week. */
export type Level = "day" | "week"

export interface HistoryRequest {
  readonly days: Days.DayRange
  readonly items: ReadonlyArray<ItemId>
  readonly by?: Level
  readonly skipDeleted?: boolean
}

export interface GroupsRequest extends Asked.Filters {
  readonly days: Days.DayRange
  readonly by?: Level
  readonly skipDeleted?: boolean
}

export interface ItemHistory extends Records.Attributes {
  readonly itemId: ItemId
  readonly rows: ReadonlyArray<Records.HistoryRow>
  readonly currency: string | undefined
}

/** Told apart by the asked filter and the attributes that are filled (field note A04). */
export interface GroupHistory extends Records.Attributes {
  readonly rows: ReadonlyArray<Records.HistoryRow>
  readonly currency: string | undefined
}

/** Histories that arrived, of these days; an item the marketplace does not know is among the failures (A03). */
export interface Histories extends Batches.Batched<ItemId, ItemHistory> {
  readonly days: Days.DayRange
  /** Entries of items that were not asked for (A16). */
  readonly foreign: number
}

/** Periods within the last 365 days (A02). */
export const productsReach: Reach.Reach = { oldest: 365, newest: 0 }
/** The last seven days, up to yesterday (A03). */
export const historyReach: Reach.Reach = { oldest: 7, newest: 1 }

/** Days and items of one history call. */
const windowDays = 7
const itemsPerCall = 20
/** Calls that one `history` may spend on finding unknown items: enough for two among twenty. */
export const mostBisections = 20

const pageSize = 1000

export const make = ({ api }: Client) => ({
  /**
   * Items page by page, each once. A period is clipped to the last 365 days; read it back from `current.days`. With
   * `compare` a past period is always sent, since the marketplace would otherwise choose one (A02).
   */
  products: (request: ProductsRequest): Stream.Stream<Records.FunnelItem, CallError> =>
    Stream.unwrap(
      Effect.map(Reach.clipBoth("getFunnelProducts", request, productsReach), ({ days, past }) =>
        Asked.stream("getFunnelProducts", request.items, 1000, (nmIds) =>
          Pages.byOffset(pageSize, (limit, offset) =>
            Effect.map(
              api.funnel.getFunnelProducts({
                payload: {
                  selectedPeriod: Periods.ofRange(days),
                  pastPeriod: past === undefined ? undefined : Periods.ofRange(past),
                  nmIds,
                  ...Asked.filtersToWire(request),
                  skipDeletedNm: request.skipDeleted,
                  orderBy: request.sort,
                  limit,
                  offset
                }
              }),
              ({ data }) => (data?.products ?? []).map((row) => Records.item(row, data?.currency))
            )
          )
        )
      )
    ),

  /**
   * Histories of any number of items, the days clipped to the last week. On a 400 a chunk is halved until the item
   * that the marketplace does not know is alone, with at most `mostBisections` further calls in all.
   */
  history: (request: HistoryRequest): Effect.Effect<Histories, CallError> =>
    Effect.gen(function* () {
      const days = yield* Reach.clip("getFunnelProductHistory", request.days, historyReach)
      const call = (window: Days.DayRange, items: ReadonlyArray<ItemId>) =>
        Effect.map(
          api.funnel.getFunnelProductHistory({
            payload: {
              selectedPeriod: Periods.ofRange(window),
              nmIds: items,
              skipDeletedNm: request.skipDeleted,
              aggregationLevel: request.by
            }
          }),
          (entries) => [Asked.only(items, entries.map(itemHistory))]
        )
      const left = yield* Ref.make(mostBisections)
      const parts = yield* Effect.forEach(Windows.cut(days, windowDays), (window) =>
        bisecting(Asked.chunks(request.items, itemsPerCall), left, (items) => call(window, items))
      )
      const answers = parts.flatMap(({ values }) => values)
      return {
        days,
        values: merged(answers.flatMap(({ rows }) => rows)),
        failures: parts.flatMap(({ failures }) => failures),
        foreign: answers.reduce((sum, { foreign }) => sum + foreign, 0)
      }
    }),

  /** Histories of groups; brands x subjects x tags may make at most 16 (seed 002), a longer ask is refused unsent. */
  groups: (
    request: GroupsRequest
  ): Effect.Effect<
    { readonly days: Days.DayRange; readonly groups: ReadonlyArray<GroupHistory> },
    CallError
  > =>
    Effect.gen(function* () {
      const days = yield* Reach.clip("getFunnelGroupedHistory", request.days, historyReach)
      const { data } = yield* api.funnel.getFunnelGroupedHistory({
        payload: {
          selectedPeriod: Periods.ofRange(days),
          ...Asked.filtersToWire(request),
          skipDeletedNm: request.skipDeleted,
          aggregationLevel: request.by
        }
      })
      return { days, groups: data.map(groupHistory) }
    })
})

const groupHistory = (entry: typeof Wire.HistoryEntry.Type): GroupHistory => ({
  ...Records.attributes(entry.product),
  rows: Records.history(entry.history),
  currency: entry.currency
})

const itemHistory = (entry: typeof Wire.HistoryEntry.Type): ItemHistory | undefined => {
  const itemId = Asked.itemId(entry.product?.nmId)
  return itemId === undefined ? undefined : { itemId, ...groupHistory(entry) }
}

/** One history per item, its rows from all windows. */
const merged = (histories: ReadonlyArray<ItemHistory>): ReadonlyArray<ItemHistory> => {
  const items = new Map<ItemId, ItemHistory>()
  for (const history of histories) {
    const before = items.get(history.itemId)
    items.set(history.itemId, {
      ...history,
      rows: Windows.join([before?.rows ?? [], history.rows], ({ day }) => day)
    })
  }
  return [...items.values()]
}

/** Chunks on their own, a refused one in halves while calls are left for it. */
const bisecting = <V>(
  chunks: ReadonlyArray<Asked.Items>,
  left: Ref.Ref<number>,
  call: (items: ReadonlyArray<ItemId>) => Effect.Effect<ReadonlyArray<V>, CallError>
): Effect.Effect<Batches.Batched<ItemId, V>> =>
  Effect.gen(function* () {
    const first = yield* Batches.runChunks(
      chunks.flatMap((chunk) => (chunk === undefined ? [] : [chunk])),
      call
    )
    let values = first.values
    const failures: Array<Batches.Failure<ItemId>> = []
    const queue = [...first.failures]
    for (let failure = queue.shift(); failure !== undefined; failure = queue.shift()) {
      const { error, keys } = failure
      const halve = error._tag === "Refused" && error.status === 400 && keys.length > 1
      if (!halve || (yield* Ref.get(left)) < 2) {
        failures.push(failure)
        continue
      }
      yield* Ref.update(left, (calls) => calls - 2)
      const halves = yield* Batches.runChunks(Arr.chunksOf(keys, Math.ceil(keys.length / 2)), call)
      values = [...values, ...halves.values]
      queue.unshift(...halves.failures)
    }
    return { values, failures }
  })
