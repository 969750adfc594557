/** Seed 002 "Order feed": paged by snapshot, the newest status first (field notes A09, A10). */
import * as Either from "effect/Either"
import * as TextOrder from "../../domain/TextOrder.js"
import * as Answer from "../Answer.js"
import { type Refusal, refuse } from "../Answer.js"
import * as Change from "../analytics/Change.js"
import * as Goods from "../analytics/Goods.js"
import type * as Call from "../Call.js"
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type * as World from "../market/World.js"
import * as Course from "../shop/Course.js"
import * as Sales from "../shop/Sales.js"
import type { Sale } from "../shop/State.js"
import * as Warehouses from "../shop/Warehouses.js"

export const handlers: Call.Handlers<"getOrderFeed"> = {
  getOrderFeed: (call) =>
    Either.gen(function* () {
      const { payload, world } = call
      const { start, end } = payload.selectedPeriod
      const { snapshotTime, offset = 0, limit = 50 } = payload.pagination ?? {}
      const snapshotMs = yield* snapshotOf(snapshotTime, call.nowMs)
      const fromMs = yield* startOf(start, call.nowMs)
      const toMs = end === undefined ? call.nowMs : Date.parse(end)
      if (!(fromMs <= toMs)) return yield* Either.left(refuse(400, "selectedPeriod: start is after end"))
      const goods = Goods.select(call, {
        itemIds: payload.nmIds,
        subjectIds: payload.subjectIds,
        brandNames: payload.brandNames,
        tagIds: payload.tagIds
      })
      const rows = between(world, goods, fromMs, toMs, snapshotMs)
      const orders = Change.page(rows, offset, limit).map((row) => wire(world, row))
      return Answer.json({ data: { snapshotTime: Moscow.timeText(snapshotMs), currency: "RUB", orders } })
    })
}

const longestMs = 31 * 86_400_000
/** The period may have been computed a while before the request arrives. */
const toleranceMs = 3_600_000

const startOf = (text: string, nowMs: number): Either.Either<number, Refusal> => {
  const ms = Date.parse(text)
  return Number.isNaN(ms) || ms < nowMs - longestMs - toleranceMs
    ? Either.left(refuse(400, "selectedPeriod.start must be a date-time within the last 31 days"))
    : Either.right(ms)
}

/** Whole seconds, as the answer spells it, so that the first page and the later ones see the same. */
const snapshotOf = (text: string | undefined, nowMs: number): Either.Either<number, Refusal> => {
  const ms = text === undefined ? nowMs : Date.parse(text)
  return Number.isNaN(ms) || ms > nowMs
    ? Either.left(refuse(400, "pagination.snapshotTime must be the one of the first answer"))
    : Either.right(Math.floor(ms / 1000) * 1000)
}

// Sales by the time of their current status, as the order feed shows them (seed 002 "Order-feed row").

interface Row {
  readonly sale: Sale
  readonly outcome: ReturnType<typeof Course.outcome>
}

/** The longest way from an order to its last status, days: a seller may let orders wait, the platform does not. */
const longestCourseDays = { seller: 60, both: 60, platform: 15 } as const

/** Rows whose status, as it was at the snapshot, began between two instants; the newest first, ties by `srid`. */
const between = (
  world: World.World,
  goods: ReadonlyArray<Goods.Good>,
  fromMs: number,
  toMs: number,
  snapshotMs: number
): ReadonlyArray<Row> => {
  const until = Math.min(toMs, snapshotMs)
  const rows: Array<Row> = []
  for (const good of goods) {
    const back = longestCourseDays[Sales.fulfilment(world, good.id)]
    const days = { from: Moscow.dayOf(fromMs) - back, to: Moscow.dayOf(until) }
    for (const sale of Sales.ofItem(world, good.id, days, snapshotMs)) {
      const outcome = Course.outcome(world, sale, snapshotMs)
      if (outcome.at >= fromMs && outcome.at <= until) rows.push({ sale, outcome })
    }
  }
  return rows.sort((a, b) => b.outcome.at - a.outcome.at || TextOrder.compare(a.sale.srid, b.sale.srid))
}

/** Invented, as every place here. */
const places = [
  ["Верхнеозёрск", "Северный округ"],
  ["Новолесье", "Северный округ"],
  ["Заречный Бор", "Западный округ"],
  ["Каменка-на-Холме", "Южный округ"],
  ["Среднеполье", "Южный округ"],
  ["Дальняя Пристань", "Восточный округ"],
  ["Старый Маяк", "Восточный округ"],
  ["Белоречье", "Центральный округ"]
] as const

/** `sellerPrice` is roubles with fractions; `cancelType` only where cancelled (field note A10). */
const wire = (world: World.World, { sale, outcome }: Row) => {
  const [city, district] = Dice.pick(Dice.mix(sale.seed, 951), places)
  const warehouse = Warehouses.ofSale(world, sale)
  return {
    nmId: sale.itemId,
    chrtId: sale.sizeId,
    srid: sale.srid,
    createdAt: Moscow.timeText(sale.orderedAt),
    updatedAt: Moscow.timeText(outcome.at),
    status: outcome.status,
    ...(outcome.cancelType === undefined ? {} : { cancelType: outcome.cancelType }),
    // The aggregate of platform warehouses has a name and no region (not-shown §7.5).
    warehouseName: warehouse.name,
    warehouseRegion: warehouse.id === Warehouses.aggregateId ? "" : warehouse.regionName,
    isMp: sale.fulfilledBy === "seller",
    destinationCity: city,
    destinationDistrict: district,
    sellerPrice: sale.priceKopecks / 100,
    isB2b: sale.business
  }
}
