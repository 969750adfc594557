/** Seed 002 "Inventory": what lies where now, and metrics of a period by group, item, size and region. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { type Refusal, refuse } from "../Answer.js"
import * as Change from "../analytics/Change.js"
import * as Goods from "../analytics/Goods.js"
import * as Periods from "../analytics/Periods.js"
import * as SearchRows from "../analytics/SearchRows.js"
import * as StockFigures from "../analytics/StockFigures.js"
import * as StockRows from "../analytics/StockRows.js"
import type * as Call from "../Call.js"
import type { Context } from "../Call.js"
import type { Days } from "../market/Statistics.js"
import * as Sales from "../shop/Sales.js"
import * as Stock from "../shop/Stock.js"

export const handlers: Call.Handlers<
  | "getPlatformWarehouseStocks"
  | "getSellerWarehouseStocks"
  | "getStockGroups"
  | "getStockProducts"
  | "getStockSizes"
  | "getStockOffices"
> = {
  getPlatformWarehouseStocks: (call) =>
    Either.right(Answer.json({ data: { items: warehouseRows(call, call.payload, "platform") } })),

  /** Nothing to show is 204 (field notes A15, T22). */
  getSellerWarehouseStocks: (call) => {
    const items = warehouseRows(call, call.payload, "mp")
    return Either.right(items.length === 0 ? Answer.empty(204) : Answer.json({ data: { items } }))
  },

  getStockGroups: (call) =>
    Either.gen(function* () {
      const { payload } = call
      const asked = yield* askedOf(call, payload)
      const rows = StockRows.ofGoods(call, goodsOf(call, payload), asked, payload.availabilityFilters)
      const byId = new Map(rows.map((row) => [row.good.id, row]))
      const groups = Goods.groups(
        rows.map((row) => row.good),
        payload.tagIDs
      ).map((group) => {
        const members = group.goods.flatMap((good) => byId.get(good.id) ?? [])
        const figures = StockFigures.together(
          members.map((row) => row.figures),
          asked.days,
          call.nowMs
        )
        return { group, members, figures, prices: span(members) }
      })
      const idOf = (row: (typeof groups)[number]) => row.group.goods[0]?.id ?? 0
      const sorted = yield* Change.sorted(groups, payload.orderBy, StockRows.fields, idOf)
      const page = Change.page(sorted, payload.offset, payload.limit ?? 100)
      return Answer.json({
        data: {
          groups: page.map(({ group, members, figures }) => ({
            subjectID: group.subjectId,
            subjectName: group.subjectName,
            brandName: group.brandName,
            tagID: group.tag?.id ?? 0,
            tagName: group.tag?.name ?? "",
            metrics: StockFigures.metrics(figures),
            items: members.map(StockRows.item)
          })),
          currency: "RUB"
        }
      })
    }),

  getStockProducts: (call) =>
    Either.gen(function* () {
      const { payload } = call
      const asked = yield* askedOf(call, payload)
      const goods = Goods.select(call, {
        itemIds: payload.nmIDs,
        subjectIds: Goods.oneOrAll(payload.subjectID, 0),
        brandNames: Goods.oneOrAll(payload.brandName, ""),
        tagIds: Goods.oneOrAll(payload.tagID, 0),
        skipDeleted: payload.skipDeletedNm
      })
      const rows = StockRows.ofGoods(call, goods, asked, payload.availabilityFilters)
      const sorted = yield* Change.sorted(rows, payload.orderBy, StockRows.fields, (row) => row.good.id)
      const page = Change.page(sorted, payload.offset, payload.limit ?? 100)
      return Answer.json({ data: { items: page.map(StockRows.item), currency: "RUB" } })
    }),

  /** An unsized item has only offices; without them the body is empty (field note A19). */
  getStockSizes: (call) =>
    Either.gen(function* () {
      const { payload, world } = call
      const asked = yield* askedOf(call, payload)
      const [good] = Goods.select(call, { itemIds: [payload.nmID] })
      if (good === undefined)
        return yield* Either.left(refuse(400, `nmID: item ${payload.nmID} is not found`))
      const sizes = Sales.sizes(world, good.id)
      if (!StockRows.hasSizes(sizes))
        return payload.includeOffice
          ? Answer.json({ data: { offices: officesOf(call, good, sizes, asked), currency: "RUB" } })
          : Answer.empty()
      const rows = sizes.map((size) => ({
        size,
        figures: StockFigures.ofItem(
          world,
          good.id,
          good.priceKopecks,
          StockFigures.placesOf(world, [size], asked.type),
          asked.days,
          call.nowMs
        ),
        prices: SearchRows.prices(good)
      }))
      const sorted = yield* Change.sorted(rows, payload.orderBy, StockRows.fields, (row) => row.size.id)
      return Answer.json({
        data: {
          sizes: sorted.map(({ size, figures, prices }) => ({
            name: size.techSize,
            chrtID: size.id,
            ...(payload.includeOffice ? { offices: officesOf(call, good, [size], asked) } : {}),
            metrics: { ...StockFigures.metrics(figures), currentPrice: prices }
          })),
          currency: "RUB"
        }
      })
    }),

  /** The platform's aggregate and the seller's warehouses never list offices (seed 002, not-shown §7.5). */
  getStockOffices: (call) =>
    Either.gen(function* () {
      const { payload } = call
      const asked = yield* askedOf(call, payload)
      const goods = goodsOf(call, payload)
      const regions = StockRows.offices.flatMap((office) => {
        const all = goods.flatMap((good) => {
          const sizes = Sales.sizes(call.world, good.id)
          return StockRows.atOffice(call, good, sizes, office, asked) ?? []
        })
        if (all.length === 0) return []
        const metrics = regional(StockFigures.together(all, asked.days, call.nowMs))
        const { officeId, officeName, regionName } = office
        const offices = officeId > 0 ? [{ officeID: officeId, officeName, metrics }] : []
        return [{ regionName, metrics, offices }]
      })
      return Answer.json({ data: { regions, currency: "RUB" } })
    })
}

interface WarehouseQuery {
  readonly nmIds?: ReadonlyArray<number> | undefined
  readonly chrtIds?: ReadonlyArray<number> | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** Sizes are looked at only together with items (seed 002). */
const warehouseRows = (call: Call.Context, query: WarehouseQuery, type: "platform" | "mp") => {
  const { nmIds = [], chrtIds = [], limit = 250_000, offset = 0 } = query
  const sizeIds = nmIds.length > 0 && chrtIds.length > 0 ? new Set(chrtIds) : undefined
  const goods = Goods.select(call, { itemIds: nmIds })
  return Change.page(warehouseRow(call, goods, sizeIds, type), offset, limit)
}

interface Periodic {
  readonly currentPeriod: Periods.Period
  readonly stockType: StockFigures.StockType
}

const askedOf = (call: Call.Context, payload: Periodic): Either.Either<StockRows.Asked, Refusal> =>
  Either.map(
    Periods.read(payload.currentPeriod, call.nowMs, { backDays: Periods.threeMonths }),
    (days: Days) => ({ days, type: payload.stockType })
  )

interface Filters {
  readonly nmIDs?: ReadonlyArray<number> | undefined
  readonly subjectIDs?: ReadonlyArray<number> | undefined
  readonly brandNames?: ReadonlyArray<string> | undefined
  readonly tagIDs?: ReadonlyArray<number> | undefined
  readonly skipDeletedNm: boolean
}

const goodsOf = (call: Call.Context, filters: Filters): ReadonlyArray<Goods.Good> =>
  Goods.select(call, {
    itemIds: filters.nmIDs,
    subjectIds: filters.subjectIDs,
    brandNames: filters.brandNames,
    tagIds: filters.tagIDs,
    skipDeleted: filters.skipDeletedNm
  })

const span = (rows: ReadonlyArray<StockRows.Measured>) => ({
  minPrice: Math.min(...rows.map((row) => row.prices.minPrice)),
  maxPrice: Math.max(...rows.map((row) => row.prices.maxPrice))
})

const officesOf = (
  call: Call.Context,
  good: Goods.Good,
  sizes: ReadonlyArray<Sales.Size>,
  asked: StockRows.Asked
) =>
  StockRows.offices.flatMap((office) => {
    const figures = StockRows.atOffice(call, good, sizes, office, asked)
    if (figures === undefined) return []
    const { officeId, officeName, regionName } = office
    return [{ regionName, officeID: officeId, officeName, metrics: StockFigures.metrics(figures) }]
  })

const regional = (figures: StockFigures.Figures) => {
  const { stockCount, stockSum, saleRate, toClientCount, fromClientCount } = StockFigures.metrics(figures)
  return { stockCount, stockSum, saleRate, toClientCount, fromClientCount }
}

// What lies in each warehouse now: one row is one size in one warehouse, and only where something is or moves (A15).

/** Rows of the platform's or of the seller's warehouses, by item, size and warehouse. */
const warehouseRow = (
  { world, nowMs }: Context,
  goods: ReadonlyArray<Goods.Good>,
  sizeIds: ReadonlySet<number> | undefined,
  type: "platform" | "mp"
) =>
  goods.flatMap((good) => {
    const sizes = Sales.sizes(world, good.id).filter((size) => sizeIds?.has(size.id) ?? true)
    return StockFigures.placesOf(world, sizes, type).flatMap(({ sizeId, warehouse }) => {
      const quantity = Stock.left(world, sizeId, warehouse, nowMs)
      const way = StockFigures.ofSize(world, sizeId, warehouse, nowMs)
      const shown = {
        nmId: good.id,
        chrtId: sizeId,
        warehouseId: warehouse.id,
        warehouseName: warehouse.name,
        regionName: warehouse.regionName,
        quantity
      }
      if (type === "mp") return quantity === 0 ? [] : [shown]
      return quantity + way.toClient + way.fromClient === 0
        ? []
        : [{ ...shown, inWayToClient: way.toClient, inWayFromClient: way.fromClient }]
    })
  })
