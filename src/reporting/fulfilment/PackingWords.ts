/** What the person at the packing table is told: the one place that makes sentences of it. */
import * as Plural from "../../domain/Plural.js"
import type { Alarm, Gone, Refusal, Told, Want } from "../../engine/fulfilment/packing/Packing.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import { ofMark } from "./MarkWords.js"
import * as VerdictWords from "./VerdictWords.js"

/** A sentence without the stop at its end. */
export const of = (told: Told): string => {
  switch (told._tag) {
    case "Show":
      return `order ${told.orderId}`
    case "PrintLabel":
      return `print the label of order ${told.orderId}`
    case "Ask":
      return `order ${told.orderId}: ${wanted(told.want)}`
    case "Packed":
      return `order ${told.orderId} is packed; ${told.left === 0 ? "it was the last" : `${Plural.of(told.left, "order")} left`}`
    case "Basket":
      return told.left.length === 0
        ? `all ${Plural.of(told.packed, "order")} of the basket are packed: keep them together`
        : `the basket has ${Plural.of(told.left.length, "more order")}: ${told.left.join(", ")}`
    case "PutBack":
      return `order ${told.orderId} is put back, and nothing of it is kept`
    case "TakenOut":
      return `the parcel of order ${told.orderId} is taken out`
    case "Finished":
      return `the supply is packed: ${Plural.of(told.packed, "order")}${told.cancelled === 0 ? "" : `, ${told.cancelled} cancelled`}`
    case "Alarm":
      return ofAlarm(told.alarm)
  }
}

const wanted = (want: Want): string => {
  switch (want._tag) {
    case "Goods":
      return "scan the goods"
    case "Sticker":
      return "stick the label on and scan it"
    case "Mark":
      return `scan the ${OrderMark.called[want.kind]}`
  }
}

/** What is wrong, and what to do. */
const ofAlarm = (alarm: Alarm): string => {
  switch (alarm.code) {
    case "unknown_code":
      return "nothing in this supply has this code. Scan the barcode of the goods, the label of an order, or a mark"
    case "unreadable_mark":
      return ofMark(alarm.problem, alarm.kind)
    case "wrong_goods":
      return `wrong goods: order ${alarm.wanted} is of other ones. Put them away and take the right ones`
    case "goods_not_wanted":
      return alarm.cancelled.length === 0
        ? "every order of these goods is packed: this unit is one too many. Put it back"
        : `no order wants these goods any more (cancelled: ${alarm.cancelled.join(", ")}). Put them back`
    case "wrong_sticker":
      return `this is the label of order ${alarm.found}, and order ${alarm.wanted} is in hand. Take it off and stick the right one on`
    case "ambiguous_sticker":
      return `orders ${some(alarm.orders)} have this number alike. Scan the square code of the label`
    case "not_in_supply":
      return `order ${alarm.found} is in another supply. Put it away`
    case "packed_already":
      return `order ${alarm.orderId} is packed already. Look whether its label was printed twice`
    case "order_cancelled":
      return `order ${alarm.orderId} is cancelled. Put its goods back and throw its label away`
    case "packed_order_cancelled":
      return `order ${alarm.orderId} was cancelled after it was packed. Take its parcel out and scan its label`
    case "packed_order_moved":
      return `order ${alarm.orderId} was packed here and travels with another supply. Take its parcel out, scan its label, and bring it to the table of that supply`
    case "mark_not_asked":
      return alarm.wanted === undefined
        ? "a mark, and no goods in hand. Scan the goods first"
        : `order ${alarm.wanted} needs no such mark, or has it already`
    case "mark_used":
      return `order ${alarm.by} has this mark already: it is on one unit of goods only. Look at the goods of both orders`
    case "mark_of_other_goods":
      return `the mark is of the goods of order ${alarm.goodsOf}, and order ${alarm.wanted} is in hand. Take the right goods`
    case "mark_refused":
      return alarm.kind === undefined
        ? `the marketplace did not take a mark that order ${alarm.orderId} was packed with. Take the parcel, look whether the mark that is set now is of its unit, and scan its label and its goods`
        : `the marketplace does not take the ${OrderMark.called[alarm.kind]} of order ${alarm.orderId}${refusedFor(alarm.refusal)}. Take the parcel, scan its label and its goods, and give it another mark`
    case "nothing_in_hand":
      return "nothing is in hand"
    case "hand_not_empty":
      return `order ${alarm.orderId} is not finished. Finish it, or put it back`
    case "orders_left":
      return `not packed yet: ${Plural.of(alarm.orders.length, "order")} (${some(alarm.orders)}). Pack them, or move them to another supply`
    case "parcels_to_take_out":
      return `parcels of orders that do not go are still in: ${some(alarm.orders)}. Take each out and scan its label`
    case "finished_already":
      return "the supply is packed. Nothing is added to it"
    case "supply_gone":
      return `${goneWords[alarm.how]}: nothing is packed into it any more${alarm.left.length === 0 ? "" : `, and ${Plural.of(alarm.left.length, "order")} ${Plural.choose(alarm.left.length, "was", "were")} not packed (${some(alarm.left)})`}. Put the goods back, end packing here, and look at the supply in the seller's account`
  }
}

const goneWords: Readonly<Record<Gone, string>> = {
  closed: "the supply was handed over or closed elsewhere",
  deleted: "the supply was deleted elsewhere",
  emptied: "no order is in the supply any more"
}

const refusedFor = (refusal: Refusal | undefined): string => {
  if (refusal === undefined) return ""
  const { action, says } = VerdictWords.refused(refusal.code, refusal.decision)
  return `: ${says}. What helps: ${action}`
}

const some = (orders: ReadonlyArray<number>): string =>
  `${orders.slice(0, 5).join(", ")}${orders.length > 5 ? `, … ${orders.length - 5} more` : ""}`
