/** What is told of cross-border orders only: the history of an order's statuses, and who its buyer is (not-shown §4.4). */
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type * as World from "../market/World.js"
import * as Progress from "./Progress.js"
import type { Order } from "./State.js"

/** Statuses with their times, and the next one to come without; codes are in either case (field note O25). */
export const history = (world: World.World, order: Order, nowMs: number) => {
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
  deliver: "ready_for_pick_up",
  receive: "received_by_client",
  reject: "canceled_by_client",
  defect: "accepted_for_return"
} as const

const firstNames = ["Elif", "Deniz", "Mehmet", "Zeynep"]
const lastNames = ["Yılmaz", "Kaya", "Demir", "Şahin"]

/** The buyer, invented; told for orders of one country only, so undefined for every other. */
export const client = (order: Order) => {
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
