/** What the seller did before the origin: every day the orders of the last day went out, except those just come in. */
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type * as World from "../market/World.js"
import * as Progress from "./Progress.js"
import type { LabelKey, Order, Supply } from "./State.js"

/** How far back there are assembly orders, days; the oldest are in the archive. */
export const days = 110

const hour = 3_600_000
const day = 24 * hour
/** Below every supply made since. */
const firstId = 9_000_001
/** What was ordered this late before the origin is still new. */
const freshMs = 12 * hour

/** Ships the orders of the past, by day and by what may go together; a few were cancelled instead. */
export const ship = (world: World.World): void => {
  const groups = new Map<string, Array<Order>>()
  for (const order of world.shop.orders.values()) {
    const { orderedAt, seed } = order.sale
    const ago = Math.floor((world.originMs - freshMs - orderedAt) / day)
    if (ago < 0) continue
    if (Progress.platform(world, order, world.originMs).status === "declined_by_client") continue
    if (Dice.unit(Dice.mix(seed, 71)) < 0.02) {
      order.statuses.push({ status: "cancel", at: orderedAt + 2 * hour })
      continue
    }
    const kind = `${order.warehouseId} ${order.cargoType} ${order.crossBorder} ${order.sale.business}`
    const key = `${`${days - ago}`.padStart(4, "0")} ${kind}`
    groups.set(key, [...(groups.get(key) ?? []), order])
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [index, [key, orders]] of sorted.entries()) {
    const ago = days - Number(key.slice(0, 4))
    send(world, `PLATFORM-GI-${firstId + index}`, orders, world.originMs - freshMs - ago * day)
  }
}

const send = (world: World.World, id: string, orders: ReadonlyArray<Order>, packedAt: number): void => {
  const supply: Supply = {
    id,
    name: `Отгрузка ${Moscow.dayText(Moscow.dayOf(packedAt))}`,
    createdAt: packedAt,
    closedAt: packedAt + hour,
    scannedAt: undefined,
    units: []
  }
  world.shop.supplies.set(supply.id, supply)
  for (const order of orders) {
    order.supplyId = supply.id
    order.statuses.push({ status: "confirm", at: packedAt }, { status: "complete", at: packedAt + hour })
    for (const key of order.required)
      order.labels.set(key, { values: [valueOf(order, key)], setAt: packedAt })
  }
}

const valueOf = (order: Order, key: LabelKey): string => {
  const digits = (count: number): string =>
    Array.from({ length: count }, (_, i) => Dice.uint(Dice.roll(order.sale.seed, 72, i)) % 10).join("")
  switch (key) {
    case "imei":
      return digits(15)
    case "uin":
      return digits(16)
    case "gtin":
      return digits(13)
    case "sgtin":
      return `010${digits(13)}215${digits(12)}\u001d91EE06\u001d92${digits(44)}`
    case "expiration":
      return Moscow.dottedText(order.sale.day + 365)
    case "customsDeclaration":
      return `${digits(8)}/${digits(6)}/${digits(7)}`
  }
}
