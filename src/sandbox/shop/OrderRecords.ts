/** Assembly orders as the lists show them (not-shown §4.1 and §4.3); empty lists of an order are null (field note O08). */
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type * as World from "../market/World.js"
import * as LabelChecks from "./LabelChecks.js"
import * as Orders from "./Orders.js"
import * as Sales from "./Sales.js"
import type { Order } from "./State.js"
import * as Stickers from "./Stickers.js"
import * as Warehouses from "./Warehouses.js"

/** A row of the new orders. */
export const fresh = (world: World.World, order: Order) => {
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
export const listed = (world: World.World, order: Order, nowMs: number) => ({
  ...common(world, order),
  scanPrice: isScanned(order, nowMs) ? share(order.sale.priceKopecks, 97) : null,
  ...(order.supplyId === undefined ? {} : { supplyId: order.supplyId })
})

/** A row of the archive: nested, with words for codes. */
export const archived = (world: World.World, order: Order, nowMs: number) => {
  const { sale } = order
  return {
    id: order.id,
    rid: sale.srid,
    orderUid: order.orderUid,
    createdAt: Moscow.dayText(sale.day),
    cargoType: cargoWords[order.cargoType],
    crossBorderType: order.crossBorder ? "crossBorder" : "local",
    crossBorder: order.crossBorder ? { parcel: Stickers.parcelId(order) } : null,
    colorCode: null,
    isZeroOrder: order.zeroStock,
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
  const office = Warehouses.seller.find(({ id }) => id === order.warehouseId)?.officeName
  return {
    id: order.id,
    rid: sale.srid,
    orderUid: order.orderUid,
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
    isZeroOrder: order.zeroStock,
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
