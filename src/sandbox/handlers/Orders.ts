/** Seed 000 "Assembly orders"; stickers are in `Stickers.ts`. */
import * as Either from "effect/Either"
import * as Days from "../../domain/Days.js"
import * as Answer from "../Answer.js"
import { type Refusal, refuseCode } from "../Answer.js"
import * as Call from "../Call.js"
import * as Dice from "../Dice.js"
import * as Faults from "../Faults.js"
import * as Moscow from "../Moscow.js"
import type * as World from "../market/World.js"
import * as Images from "../shop/Images.js"
import * as LabelChecks from "../shop/LabelChecks.js"
import * as Orders from "../shop/Orders.js"
import * as Progress from "../shop/Progress.js"
import * as Sales from "../shop/Sales.js"
import type { Order } from "../shop/State.js"
import * as Stickers from "../shop/Stickers.js"
import * as Warehouses from "../shop/Warehouses.js"

const windowMs = 30 * 86_400_000

export const handlers: Call.Handlers<
  | "listNewOrders"
  | "listOrders"
  | "getOrderStatuses"
  | "listReshipmentOrders"
  | "cancelOrder"
  | "getOrderStatusHistory"
  | "getOrderClients"
  | "listArchivedOrders"
> = {
  /** All at once; what entered a supply or was cancelled is gone (field note O03). */
  listNewOrders: (call) => {
    const seenMs = Call.seenMs(call)
    const fresh = Orders.all(call.world, call.nowMs).filter(
      (order) => order.sale.orderedAt <= seenMs && Orders.mayAssemble(call.world, order, seenMs)
    )
    return Either.right(Answer.json({ orders: fresh.map((order) => freshRecord(call.world, order)) }))
  },

  /** From 30 days before now, and for at most 30 days, unless the caller says otherwise (seed 000, field note O02). */
  listOrders: (call) => {
    const { dateFrom, dateTo, limit, next } = call.query
    const from = dateFrom === undefined ? call.nowMs - windowMs : dateFrom * 1000
    const to = dateTo === undefined ? Math.min(call.nowMs, from + windowMs) : dateTo * 1000
    const least = Math.max(from, listedFrom(call.nowMs))
    const found = Orders.all(call.world, call.nowMs).filter(
      ({ sale }) => sale.orderedAt >= least && sale.orderedAt <= to
    )
    const rows = after(found, next, limit)
    const seenMs = Call.seenMs(call)
    const orders = rows.map((order) => listedRecord(call.world, order, seenMs))
    return Either.right(Answer.json({ next: nextOf(rows, next, limit), orders }))
  },

  /** Ids the seller never had are left out. */
  getOrderStatuses: (call) => {
    const seenMs = Call.seenMs(call)
    const orders = Orders.known(call.world, call.payload.orders, call.nowMs).map((order) => ({
      id: order.id,
      supplierStatus: Orders.status(call.world, order, seenMs),
      platformStatus: Orders.platformStatus(call.world, order, seenMs),
      isCancellable: Orders.isCancellable(call.world, order, seenMs)
    }))
    return Either.right(Answer.json({ orders }))
  },

  /** Orders of closed supplies that did not turn up at acceptance (field note O21). */
  listReshipmentOrders: (call) => {
    const orders = Orders.all(call.world, call.nowMs)
      .filter((order) => order.reshipment)
      .map((order) => ({ supplyID: order.supplyId, orderID: order.id }))
    return Either.right(Answer.json({ orders }))
  },

  cancelOrder: (call) => {
    const order = Orders.find(call.world, call.path.orderId, call.nowMs)
    if (order === undefined) return Either.left(notFound(call.path.orderId))
    const before = Orders.status(call.world, order, call.nowMs)
    if (before === "cancel")
      return Either.left(refuseCode(409, "StatusMismatch", "the order is cancelled already"))
    if (!Orders.isCancellable(call.world, order, call.nowMs))
      return Either.left(refuseCode(409, "StatusChangeNotAllowed", "the order can no longer be cancelled"))
    const { supplyId } = order
    Orders.cancel(order, call.nowMs)
    Call.record(call, {
      slot: "order",
      target: { orderId: order.id, ...(supplyId === undefined ? {} : { supplyId }) },
      before,
      after: "cancel",
      effectiveAt: call.nowMs
    })
    return Either.right(Answer.empty(204))
  },

  /** Domestic orders are left out. */
  getOrderStatusHistory: (call) =>
    Either.map(existing(call, call.payload.orders), (orders) =>
      Answer.json({
        orders: orders
          .filter((order) => order.crossBorder)
          .map((order) => crossBorderHistory(call.world, order, call.nowMs))
      })
    ),

  /** Null where none of the orders goes to the one country (field note O25). */
  getOrderClients: (call) =>
    Either.map(existing(call, call.payload.orders), (orders) => {
      const clients = orders.flatMap((order) => crossBorderClient(order) ?? [])
      return Answer.json({ orders: clients.length === 0 ? null : clients })
    }),

  /** The cursor ends in null. */
  listArchivedOrders: (call) => {
    const { limit, month, next, year } = call.query
    const rows = after(ofMonth(call.world, year, month, call.nowMs), next, limit)
    const orders = rows.map((order) => archivedRecord(call.world, order, call.nowMs))
    const last = rows.length < limit ? undefined : rows.at(-1)
    return Either.right(Answer.json({ next: last?.id ?? null, orders }))
  }
}

const after = (orders: ReadonlyArray<Order>, next: number, limit: number): ReadonlyArray<Order> =>
  orders.filter(({ id }) => id > next).slice(0, limit)

/** The cursor of the next page: 0 after a short page, the same again after an empty one (field note O01). */
const nextOf = (rows: ReadonlyArray<Order>, asked: number, limit: number): number => {
  const last = rows.at(-1)
  return last === undefined ? asked : rows.length < limit ? 0 : last.id
}

/** The orders of these ids that exist; 404 where none exists, but never in the test environment (seed 000 "always 200"). */
const existing = (
  call: Call.Context,
  ids: ReadonlyArray<number>
): Either.Either<ReadonlyArray<Order>, Refusal> => {
  const orders = Orders.known(call.world, ids, call.nowMs)
  return orders.length > 0 || call.world.shop.testEnvironment
    ? Either.right(orders)
    : Either.left(notFound(ids[0]))
}

const notFound = (id: number | undefined): Refusal =>
  refuseCode(404, "NotFound", `order ${id} does not exist`)

// What is in the list of orders, and what in the archive; for a while an order can be in neither (field note O26).

/** Orders made since this instant are in the list: three calendar months before now. */
export const listedFrom = (nowMs: number): number => {
  const now = new Date(nowMs)
  const lastOfMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 0))
  const day = Math.min(now.getUTCDate(), lastOfMonth.getUTCDate())
  return Date.UTC(lastOfMonth.getUTCFullYear(), lastOfMonth.getUTCMonth(), day) + (nowMs % 86_400_000)
}

/** Archived orders created in a month (1..12) of the Moscow calendar, ascending by id. */
const ofMonth = (world: World.World, year: number, month: number, nowMs: number): ReadonlyArray<Order> => {
  const prefix = `${year}-${`${month}`.padStart(2, "0")}`
  const open = openSupplies(world, nowMs)
  const before = listedFrom(nowMs)
  return Orders.all(world, nowMs).filter(
    (order) =>
      order.sale.orderedAt < before &&
      Moscow.dayText(order.sale.day).startsWith(prefix) &&
      isOver(world, order, nowMs) &&
      (order.supplyId === undefined || !open.has(order.supplyId))
  )
}

/** A supply goes to the archive as a whole: these hold an order that is not over. */
const openSupplies = (world: World.World, nowMs: number): ReadonlySet<string> =>
  new Set(
    Orders.all(world, nowMs).flatMap((order) =>
      order.supplyId === undefined || isOver(world, order, nowMs) ? [] : [order.supplyId]
    )
  )

const isOver = (world: World.World, order: Order, nowMs: number): boolean =>
  Progress.isFinal(Orders.platformStatus(world, order, nowMs))

// Assembly orders as the lists show them (not-shown §4.1 and §4.3); empty lists of an order are null (field note O08).

/** A row of the new orders. */
const freshRecord = (world: World.World, order: Order) => {
  const { price, convertedPrice } = prices(order)
  const oversize = order.cargoType !== 1
  return {
    ...common(world, order),
    scanPrice: null,
    finalPrice: share(price, 95),
    convertedFinalPrice: share(convertedPrice, 95),
    salePrice: order.sale.business ? null : share(price, 98),
    isPickupPointShipmentAllowed: order.pickupPointAllowed,
    requiredMeta: orNull(order.required),
    optionalMeta: orNull(order.optional),
    ...(oversize ? { ddate: dayAfter(order, 5) } : {}),
    sellerDate: order.cargoType === 3 ? dayAfter(order, 2) : null
  }
}

/** A row of the list of orders. The price at acceptance is known once the order was scanned. */
const listedRecord = (world: World.World, order: Order, seenMs: number) => {
  const supplyId = Orders.placeAt(order, seenMs)
  return {
    ...common(world, order),
    scanPrice: isScanned(order, seenMs) ? share(order.sale.priceKopecks, 97) : null,
    ...(supplyId === undefined ? {} : { supplyId })
  }
}

/** A row of the archive: nested, with words for codes. */
const archivedRecord = (world: World.World, order: Order, nowMs: number) => {
  const { sale } = order
  return {
    id: order.id,
    rid: sale.srid,
    orderUid: Orders.uid(world, order),
    createdAt: Moscow.dayText(sale.day),
    cargoType: cargoWords[order.cargoType],
    crossBorderType: order.crossBorder ? "crossBorder" : "local",
    crossBorder: order.crossBorder ? { parcel: Stickers.parcelId(order) } : null,
    colorCode: null,
    isZeroOrder: Orders.isOversold(world, order),
    metaDetails: orNull(LabelChecks.details(world, order, nowMs)),
    options: { isB2B: sale.business },
    priceInfo: prices(order),
    product: {
      article: Sales.article(sale.itemId),
      chrtId: sale.sizeId,
      nmId: sale.itemId,
      skus: skus(world, order)
    },
    scanPrice: isScanned(order, nowMs) ? share(sale.priceKopecks, 97) : null,
    status: {
      supplierStatus: Orders.status(world, order, nowMs),
      platformStatus: Orders.platformStatus(world, order, nowMs)
    },
    stickerId: Stickers.stickerId(order),
    supplyId: order.supplyId ?? null,
    warehouseId: order.warehouseId
  }
}

const cargoWords = { 1: "mgt", 2: "sgt", 3: "kgtPlus" } as const

const common = (world: World.World, order: Order) => {
  const { sale } = order
  const office = Warehouses.ofSeller(order.warehouseId)?.officeName
  return {
    id: order.id,
    rid: sale.srid,
    orderUid: Orders.uid(world, order),
    article: Sales.article(sale.itemId),
    nmId: sale.itemId,
    chrtId: sale.sizeId,
    skus: skus(world, order),
    warehouseId: order.warehouseId,
    officeId: order.officeId,
    offices: office === undefined || order.crossBorder ? null : [office],
    createdAt: Moscow.utcText(sale.orderedAt),
    ...prices(order),
    cargoType: order.cargoType,
    crossBorderType: Number(order.crossBorder),
    deliveryType: "fbs",
    isZeroOrder: Orders.isOversold(world, order),
    options: { isB2B: sale.business },
    comment: Dice.unit(Dice.mix(sale.seed, 81)) < 0.05 ? "Пожалуйста, упакуйте как подарок" : "",
    colorCode: "",
    address:
      order.cargoType === 3
        ? { fullAddress: "Северный округ, город Верхнеозёрск", longitude: "", latitude: "" }
        : null
  }
}

const rouble = 643
const tenge = 398

/** In the buyer's currency and in the seller's; a tenge is sold at 11 for two roubles here. */
const prices = ({ crossBorder, sale: { priceKopecks } }: Order) => ({
  price: crossBorder ? Math.floor((priceKopecks * 11) / 2) : priceKopecks,
  currencyCode: crossBorder ? tenge : rouble,
  convertedPrice: priceKopecks,
  convertedCurrencyCode: rouble
})

const share = (minorUnits: number, percent: number): number => Math.floor((minorUnits * percent) / 100)

const skus = (world: World.World, { sale }: Order): ReadonlyArray<string> =>
  Sales.sizes(world, sale.itemId).flatMap(({ id, sku }) => (id === sale.sizeId ? [sku] : []))

const isScanned = (order: Order, nowMs: number): boolean =>
  order.scannedAt !== undefined && order.scannedAt <= nowMs

const orNull = <A>(list: ReadonlyArray<A>) => (list.length === 0 ? null : list)

/** `dd.mm.yyyy`, days after the order. */
const dayAfter = (order: Order, days: number): string => Moscow.dottedText(order.sale.day + days)

// What is told of cross-border orders only: the history of an order's statuses, and who its buyer is (not-shown
// §4.4).

/** Statuses with their times, and the next one to come without; codes are in either case (field note O25). */
const crossBorderHistory = (world: World.World, order: Order, nowMs: number) => {
  const spell = (code: string) => (order.id % 2 === 0 ? code.toUpperCase() : code)
  const codes = [...bySeller(order, nowMs), ...byPlatform(world, order, nowMs)].sort((a, b) => a.at - b.at)
  const { status } = Progress.platform(world, order, nowMs)
  const planned = Progress.isFinal(status) ? [] : [{ code: spell("delivered"), date: null }]
  return {
    orderID: order.id,
    deliveryDate: Moscow.utcText(order.sale.orderedAt + 14 * 86_400_000),
    statuses: [...codes.map(({ code, at }) => ({ code: spell(code), date: Moscow.utcText(at) })), ...planned]
  }
}

interface Coded {
  readonly code: string
  readonly at: number
}

const bySeller = (order: Order, nowMs: number): ReadonlyArray<Coded> =>
  order.statuses.filter(({ at }) => at <= nowMs).map(({ status, at }) => ({ code: sellerCodes[status], at }))

const sellerCodes = {
  new: "created",
  confirm: "assembling",
  complete: "dispatched_by_seller",
  cancel: "canceled_by_seller",
  cancel_carrier: "canceled"
} as const

const byPlatform = (world: World.World, order: Order, nowMs: number): ReadonlyArray<Coded> => [
  ...Progress.stations(world, order, nowMs).flatMap(({ status, at }) => {
    const code = platformCodes[status]
    return code === undefined ? [] : [{ code, at }]
  }),
  ...order.plays.filter(({ at }) => at <= nowMs).map(({ what, at }) => ({ code: playedCodes[what], at }))
]

const platformCodes: Partial<Readonly<Record<Progress.PlatformStatus, string>>> = {
  sent_to_carrier: "dispatched_to_delivery_service",
  accepted_by_carrier: "accepted_by_carrier",
  sorted: "accepted_at_platform_sc",
  postponed_delivery: "on_way_to_pp",
  ready_for_pickup: "ready_for_pick_up",
  sold: "received_by_client",
  canceled_by_client: "canceled_by_client",
  canceled_by_carrier: "canceled",
  defect: "accepted_for_return"
}

const playedCodes = {
  decline: "canceled_by_client",
  withdraw: "canceled_by_client",
  deliver: "ready_for_pick_up",
  receive: "received_by_client",
  reject: "canceled_by_client",
  defect: "accepted_for_return"
} as const

const firstNames = ["Elif", "Deniz", "Mehmet", "Zeynep"]
const lastNames = ["Yılmaz", "Kaya", "Demir", "Şahin"]

/** The buyer, invented; told for orders of one country only, so undefined for every other. */
const crossBorderClient = (order: Order) => {
  if (!order.crossBorder || Dice.unit(Dice.mix(order.sale.seed, 82)) < 0.5) return undefined
  const firstName = Dice.pick(Dice.mix(order.sale.seed, 83), firstNames)
  const lastName = Dice.pick(Dice.mix(order.sale.seed, 84), lastNames)
  return {
    orderID: order.id,
    firstName,
    lastName,
    middleName: "",
    fullName: `${firstName} ${lastName}`,
    phone: `+90000${`${order.id % 10_000_000}`.padStart(7, "0")}`,
    phoneCode: ""
  }
}

// Seed 000 "Assembly orders": stickers of orders, and of cross-border parcels.

export const stickerHandlers: Call.Handlers<"getOrderStickers" | "getCrossBorderStickers"> = {
  getOrderStickers: (call) => {
    const orders = printable(call, call.payload.orders)
    if (orders.some((order) => lacksDeclaration(call, order)))
      return Either.left(
        refuseCode(409, "CustomsDeclarationIsRequired", "an order lacks its customs declaration")
      )
    const size = call.query.width === 58 ? Images.large : Images.small
    const late = lateStickers(call)
    const stickers = orders
      .filter((order) => !late(order))
      .map((order) => ({
        orderId: order.id,
        ...Stickers.parts(order),
        file: Images.base64(Stickers.code(order), call.query.type, size)
      }))
    return Either.right(Answer.json({ stickers }))
  },

  /** Domestic orders are silently missing too. */
  getCrossBorderStickers: (call) => {
    const late = lateStickers(call)
    const stickers = printable(call, call.payload.orders)
      .filter((order) => order.crossBorder)
      .map((order) => crossBorderSticker(call, order, late(order)))
    return Either.right(Answer.json({ stickers }))
  }
}

/** Orders in confirm or complete; any other is silently missing (field note O12). */
const printable = (call: Call.Context, ids: ReadonlyArray<number>): ReadonlyArray<Order> =>
  Orders.known(call.world, ids, call.nowMs).filter((order) => {
    const status = Orders.status(call.world, order, call.nowMs)
    return status === "confirm" || status === "complete"
  })

const lacksDeclaration = (call: Call.Context, order: Order): boolean =>
  order.required.includes("customsDeclaration") &&
  LabelChecks.detail(call.world, order, "customsDeclaration", call.nowMs).value === null

/** Orders whose stickers a fault holds back. */
const lateStickers = (call: Call.Context) => {
  const faults = Faults.ofShop(call.faults, call.operation, "lateSticker")
  return (order: Order): boolean => {
    const since = order.statuses.find(({ status }) => status === "confirm")?.at ?? call.nowMs
    return faults.some(
      (fault) =>
        Faults.strikes(call.world.seed, fault, order.id) && call.nowMs < since + (fault.ms ?? Days.hourMs)
    )
  }
}

const crossBorderSticker = (call: Call.Context, order: Order, isLate: boolean) => {
  const readyAt = Stickers.readyAt(call.world, order)
  return readyAt !== undefined && readyAt <= call.nowMs && !isLate
    ? {
        orderId: order.id,
        status: "ready",
        parcelId: Stickers.parcelId(order),
        file: Stickers.crossBorderFile(order),
        ...Stickers.parts(order)
      }
    : {
        orderId: order.id,
        status: "awaitingTrackNumber",
        parcelId: "",
        file: "",
        partA: "",
        partB: "",
        barcode: ""
      }
}
