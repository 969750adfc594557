/**
 * Scan to pack: the goods in somebody's hands become packed orders of a supply, one scan after the other. Pure: an event
 * and a state give the next state and what the person is told. What does not fit is loud and changes nothing.
 *
 * An order is packed when its goods, its sticker and every mark it needs were scanned. Goods first chooses the next order
 * of the stored list that wants them; a sticker first chooses its own order.
 */
import type { OrderId, SupplyId } from "../../../domain/Ids.js"
import { gtinOf, identity, isUnique, type Mark, type MarkKind } from "../marks/Mark.js"
import type { MarkProblem } from "../marks/MarkProblem.js"
import * as ReadMark from "../marks/ReadMark.js"
import type { RefusalCode } from "../marks/Verdict.js"
import * as Scan from "./Scan.js"

export interface PackOrder {
  readonly orderId: OrderId
  /** Orders of one basket share it; undefined when the marketplace did not say. */
  readonly basketId: string | undefined
  /** Of the goods. */
  readonly barcodes: ReadonlyArray<string>
  /** What the order's sticker says when it is scanned, in every form it has. */
  readonly stickers: ReadonlyArray<string>
  /** Marks to be scanned, in this order; those that are set already are left out. */
  readonly needs: ReadonlyArray<MarkKind>
}

/** What is packed, and what is known around it. */
export interface Work {
  readonly supplyId: SupplyId
  /** In the stored order of the supply, which list and labels have too. */
  readonly orders: ReadonlyArray<PackOrder>
  /** Stickers of orders in other supplies. */
  readonly strangers: ReadonlyMap<string, OrderId>
  /** Those of them that were cancelled before they were packed. */
  readonly cancelledStrangers: ReadonlySet<OrderId>
  /** Marks of live orders by `Mark.identity`. */
  readonly liveMarks: ReadonlyMap<string, OrderId>
  /** Orders that were cancelled before packing began. */
  readonly cancelled: ReadonlyArray<OrderId>
  /** Orders that were packed here and were moved away before packing began: their parcels may lie here. */
  readonly moved: ReadonlyArray<OrderId>
  /** Orders of the supply that are to be packed once more: their parcels may lie here. */
  readonly again: ReadonlyArray<OrderId>
}

export type Event =
  | { readonly _tag: "Scanned"; readonly text: string; readonly nowMs: number }
  /** The marketplace says so. */
  | { readonly _tag: "Cancelled"; readonly orderId: OrderId }
  /** It travels with another supply. */
  | { readonly _tag: "Moved"; readonly orderId: OrderId }
  /** The marketplace does not take a mark of an order that may be packed already; `refusal` where its check says why. */
  | {
      readonly _tag: "Refused"
      readonly orderId: OrderId
      readonly kind: MarkKind
      readonly refusal: Refusal | undefined
    }
  /** What the marketplace says has become of the whole supply; undefined where orders are in it after all. */
  | { readonly _tag: "Gone"; readonly how: Gone | undefined }
  /** The person puts the goods in hand back. */
  | { readonly _tag: "PutBack" }
  | { readonly _tag: "Finished" }

/** Why nothing is packed into a supply any more. `closed`: handed over, or closed by its first scan. */
export type Gone = "closed" | "deleted" | "emptied"

/** What the check of a mark came to; `decision` is what was said where no code is for it. */
export interface Refusal {
  readonly code: RefusalCode
  readonly decision?: string
}

/** The order in hand. */
export interface Hand {
  readonly orderId: OrderId
  readonly hasGoods: boolean
  readonly hasSticker: boolean
  readonly marks: ReadonlyArray<Mark>
}

export interface State {
  readonly work: Work
  readonly hand: Hand | undefined
  /** Marks of packed orders, in the order they were packed; an order without marks has none. */
  readonly packed: ReadonlyMap<OrderId, ReadonlyArray<Mark>>
  /** Not packed here any more. */
  readonly cancelled: ReadonlySet<OrderId>
  /** Those of `cancelled` that are only not packed here: they travel with another supply. */
  readonly moved: ReadonlySet<OrderId>
  /** Cancelled or moved when they were packed, with their marks: their parcels must be taken out, and their stickers scanned. */
  readonly toTakeOut: ReadonlyMap<OrderId, ReadonlyArray<Mark>>
  /** Packed with a mark that was refused since: their parcels lie in the pile until they are packed once more, or put back. */
  readonly again: ReadonlySet<OrderId>
  /** What became of the supply elsewhere; undefined while it is packed. */
  readonly gone: Gone | undefined
  readonly isFinished: boolean
}

/** What an order still wants. */
export type Want =
  | { readonly _tag: "Goods" }
  | { readonly _tag: "Sticker" }
  | { readonly _tag: "Mark"; readonly kind: MarkKind }

export type Told =
  | { readonly _tag: "Show"; readonly orderId: OrderId }
  | { readonly _tag: "PrintLabel"; readonly orderId: OrderId }
  | { readonly _tag: "Ask"; readonly orderId: OrderId; readonly want: Want }
  | {
      readonly _tag: "Packed"
      readonly orderId: OrderId
      readonly marks: ReadonlyArray<Mark>
      readonly left: number
    }
  /** Of a basket with several orders; it is whole when nothing is left of it. */
  | {
      readonly _tag: "Basket"
      readonly basketId: string
      readonly packed: number
      readonly left: ReadonlyArray<OrderId>
    }
  | { readonly _tag: "PutBack"; readonly orderId: OrderId }
  | { readonly _tag: "TakenOut"; readonly orderId: OrderId }
  | { readonly _tag: "Finished"; readonly packed: number; readonly cancelled: number }
  | { readonly _tag: "Alarm"; readonly alarm: Alarm }

/** Loud: nothing goes on before the person has looked. `wanted` is the order in hand. */
export type Alarm =
  | { readonly code: "unknown_code" }
  | { readonly code: "unreadable_mark"; readonly kind: MarkKind; readonly problem: MarkProblem }
  | { readonly code: "wrong_goods"; readonly wanted: OrderId }
  /** Goods of the supply, and every order that wants them is packed or cancelled. */
  | { readonly code: "goods_not_wanted"; readonly cancelled: ReadonlyArray<OrderId> }
  /** The sticker of another order of this supply. */
  | { readonly code: "wrong_sticker"; readonly wanted: OrderId; readonly found: OrderId }
  /** Several orders have this short form: scan the square code of the label. */
  | { readonly code: "ambiguous_sticker"; readonly orders: ReadonlyArray<OrderId> }
  | { readonly code: "not_in_supply"; readonly found: OrderId }
  | { readonly code: "packed_already"; readonly orderId: OrderId }
  | { readonly code: "order_cancelled"; readonly orderId: OrderId }
  /** Take the parcel out. */
  | { readonly code: "packed_order_cancelled" | "packed_order_moved"; readonly orderId: OrderId }
  | { readonly code: "mark_not_asked"; readonly wanted: OrderId | undefined }
  | { readonly code: "mark_used"; readonly by: OrderId }
  /** The code names goods of another order of the supply. */
  | { readonly code: "mark_of_other_goods"; readonly wanted: OrderId; readonly goodsOf: OrderId }
  /** The order is to be packed once more, with another mark; `kind` is undefined where nothing shows by now which was refused. */
  | {
      readonly code: "mark_refused"
      readonly orderId: OrderId
      readonly kind: MarkKind | undefined
      readonly refusal: Refusal | undefined
    }
  | { readonly code: "nothing_in_hand" }
  | { readonly code: "hand_not_empty"; readonly orderId: OrderId }
  | { readonly code: "orders_left"; readonly orders: ReadonlyArray<OrderId> }
  | { readonly code: "parcels_to_take_out"; readonly orders: ReadonlyArray<OrderId> }
  | { readonly code: "finished_already" }
  /** Nothing is packed into it any more; `left` are the orders that were not packed until then. */
  | { readonly code: "supply_gone"; readonly how: Gone; readonly left: ReadonlyArray<OrderId> }

export interface Step {
  readonly state: State
  readonly told: ReadonlyArray<Told>
}

export const start = (work: Work): State => ({
  work,
  hand: undefined,
  packed: new Map(),
  cancelled: new Set([...work.cancelled, ...work.moved]),
  moved: new Set(work.moved),
  toTakeOut: new Map(),
  again: new Set(work.again),
  gone: undefined,
  isFinished: false
})

/** Packing that goes on: `done` are orders that were packed before, with their marks. Those cancelled or moved since are to be taken out. */
export const resume = (work: Work, done: ReadonlyMap<OrderId, ReadonlyArray<Mark>>): State => {
  const state = start(work)
  const known = [...done].filter(([orderId]) => orderOf(state, orderId) !== undefined)
  return {
    ...state,
    packed: new Map(known.filter(([orderId]) => !state.cancelled.has(orderId))),
    toTakeOut: new Map(known.filter(([orderId]) => state.cancelled.has(orderId)))
  }
}

/** The same with stickers that were not there before. */
export const withStickers = (state: State, found: ReadonlyMap<OrderId, ReadonlyArray<string>>): State => ({
  ...state,
  work: {
    ...state.work,
    orders: state.work.orders.map((order) => ({
      ...order,
      stickers: found.get(order.orderId) ?? order.stickers
    }))
  }
})

/** The same without marks that `holder` has not after all; of whom `others` tells may have them still. */
export const withoutMarks = (
  state: State,
  holder: OrderId,
  released: ReadonlyArray<string>,
  others: ReadonlyMap<string, OrderId>
): State => ({
  ...state,
  work: {
    ...state.work,
    liveMarks: new Map(
      [...state.work.liveMarks].flatMap(([mark, by]) => {
        const next = by === holder && released.includes(mark) ? others.get(mark) : by
        return next === undefined ? [] : [[mark, next] as const]
      })
    )
  }
})

/** What is in hand still wants: the first of it is asked for. Goods and marks before the sticker closes the parcel. */
export const wants = (state: State): ReadonlyArray<Want> => {
  const order = orderOf(state, state.hand?.orderId)
  if (state.hand === undefined || order === undefined) return []
  const { hasGoods, hasSticker, marks } = state.hand
  const given = marks.map(({ kind }) => kind)
  return [
    ...(hasGoods ? [] : [{ _tag: "Goods" } as const]),
    ...order.needs.filter((kind) => !given.includes(kind)).map((kind): Want => ({ _tag: "Mark", kind })),
    ...(hasSticker ? [] : [{ _tag: "Sticker" } as const])
  ]
}

/** Orders that are neither packed nor cancelled, in the stored order. */
export const left = ({ cancelled, packed, work }: State): ReadonlyArray<OrderId> =>
  work.orders.map(({ orderId }) => orderId).filter((id) => !packed.has(id) && !cancelled.has(id))

/** The next state, and what the person is told, in this order. */
export const next = (state: State, event: Event): Step => {
  if (event._tag === "Cancelled" || event._tag === "Moved") return cancel(state, event)
  if (event._tag === "Refused") return refused(state, event)
  if (event._tag === "Gone") return gone(state, event.how)
  if (state.isFinished) return alarm(state, { code: "finished_already" })
  switch (event._tag) {
    case "Scanned":
      return scanned(state, event.text, event.nowMs)
    case "PutBack":
      return state.hand === undefined ? alarm(state, { code: "nothing_in_hand" }) : putBack(state, state.hand)
    case "Finished":
      return finish(state)
  }
}

/** Whose label came first, that parcel is in hand: it lies in the pile no more. */
const putBack = (state: State, { hasGoods, hasSticker, orderId }: Hand): Step =>
  state.again.has(orderId) && hasSticker && !hasGoods
    ? {
        state: { ...state, hand: undefined, again: without(state.again, orderId) },
        told: [{ _tag: "TakenOut", orderId }]
      }
    : { state: { ...state, hand: undefined }, told: [{ _tag: "PutBack", orderId }] }

/** Told once; what was in hand is not packed. */
const gone = (state: State, how: Gone | undefined): Step =>
  how === undefined || how === state.gone
    ? { state: { ...state, gone: how }, told: [] }
    : alarm({ ...state, gone: how, hand: undefined }, supplyGone(state, how))

const supplyGone = (state: State, how: Gone): Alarm => ({ code: "supply_gone", how, left: left(state) })

const without = (orders: ReadonlySet<OrderId>, orderId: OrderId): ReadonlySet<OrderId> =>
  new Set([...orders].filter((one) => one !== orderId))

const alarm = (state: State, what: Alarm): Step => ({ state, told: [{ _tag: "Alarm", alarm: what }] })

const orderOf = ({ work }: State, orderId: OrderId | undefined): PackOrder | undefined =>
  work.orders.find((order) => order.orderId === orderId)

/** Why the parcel of an order that was packed here is to be taken out. */
export const takeOut = ({ moved }: State, orderId: OrderId): Alarm => ({
  code: moved.has(orderId) ? "packed_order_moved" : "packed_order_cancelled",
  orderId
})

const notHere = ({ moved }: State, orderId: OrderId): Alarm =>
  moved.has(orderId) ? { code: "not_in_supply", found: orderId } : { code: "order_cancelled", orderId }

const cancel = (before: State, { _tag, orderId }: Extract<Event, { _tag: "Cancelled" | "Moved" }>): Step => {
  if (orderOf(before, orderId) === undefined || before.cancelled.has(orderId))
    return { state: before, told: [] }
  const cancelled = new Set(before.cancelled).add(orderId)
  const state = { ...before, moved: _tag === "Moved" ? new Set(before.moved).add(orderId) : before.moved }
  const isInHand = state.hand?.orderId === orderId
  const hand = isInHand ? undefined : state.hand
  if (!state.packed.has(orderId) && !state.again.has(orderId)) {
    const now = { ...state, cancelled, hand }
    return isInHand ? alarm(now, notHere(now, orderId)) : { state: now, told: [] }
  }
  const packed = new Map(state.packed)
  const toTakeOut = new Map(state.toTakeOut).set(orderId, packed.get(orderId) ?? [])
  packed.delete(orderId)
  const again = without(state.again, orderId)
  return alarm(
    { ...state, cancelled, hand, packed, toTakeOut, again, isFinished: false },
    takeOut(state, orderId)
  )
}

/** A packed order is packed once more, and wants the refused mark only; of one in hand the mark is asked for again. */
const refused = (state: State, { kind, orderId, refusal }: Extract<Event, { _tag: "Refused" }>): Step => {
  const order = orderOf(state, orderId)
  if (order === undefined || state.cancelled.has(orderId)) return { state, told: [] }
  const isPacked = state.packed.has(orderId)
  const needs = isPacked ? [kind] : order.needs.includes(kind) ? order.needs : [...order.needs, kind]
  const orders = state.work.orders.map((one) => (one === order ? { ...order, needs } : one))
  const packed = new Map(state.packed)
  packed.delete(orderId)
  return alarm(
    {
      ...state,
      work: { ...state.work, orders },
      packed,
      again: isPacked ? new Set(state.again).add(orderId) : state.again,
      isFinished: state.isFinished && !isPacked
    },
    { code: "mark_refused", orderId, kind, refusal }
  )
}

const finish = (state: State): Step => {
  if (state.hand !== undefined) return alarm(state, { code: "hand_not_empty", orderId: state.hand.orderId })
  if (state.toTakeOut.size > 0)
    return alarm(state, { code: "parcels_to_take_out", orders: [...state.toTakeOut.keys()] })
  const orders = left(state)
  if (state.gone !== undefined && (orders.length > 0 || state.packed.size === 0))
    return alarm(state, supplyGone(state, state.gone))
  if (orders.length > 0) return alarm(state, { code: "orders_left", orders })
  return {
    state: { ...state, isFinished: true },
    told: [
      { _tag: "Finished", packed: state.packed.size, cancelled: state.cancelled.size - state.moved.size }
    ]
  }
}

const scanned = (state: State, text: string, nowMs: number): Step => {
  const asked = wants(state).flatMap((want) => (want._tag === "Mark" ? [want.kind] : []))
  const found = Scan.of(state.work, text, asked, nowMs)
  const isOut = found._tag === "Sticker" && state.toTakeOut.has(found.orderId)
  if (state.gone !== undefined && !isOut) return alarm(state, supplyGone(state, state.gone))
  switch (found._tag) {
    case "Sticker":
      return sticker(state, found.orderId)
    case "Ambiguous":
      return alarm(state, { code: "ambiguous_sticker", orders: found.orders })
    case "Stranger": {
      const { orderId } = found
      return alarm(
        state,
        state.work.cancelledStrangers.has(orderId)
          ? { code: "order_cancelled", orderId }
          : { code: "not_in_supply", found: orderId }
      )
    }
    case "Goods":
      return goods(state, found.code, nowMs)
    case "Mark":
      return mark(state, found.mark)
    case "SpoiltMark":
      return alarm(state, { code: "unreadable_mark", kind: found.kind, problem: found.problem })
    case "Unknown":
      return alarm(state, { code: "unknown_code" })
  }
}

const sticker = (state: State, orderId: OrderId): Step => {
  const { cancelled, hand, packed, toTakeOut } = state
  if (toTakeOut.has(orderId)) {
    const rest = new Map(toTakeOut)
    rest.delete(orderId)
    return { state: { ...state, toTakeOut: rest }, told: [{ _tag: "TakenOut", orderId }] }
  }
  if (cancelled.has(orderId)) return alarm(state, notHere(state, orderId))
  if (packed.has(orderId)) return alarm(state, { code: "packed_already", orderId })
  if (hand === undefined)
    return told({ ...state, hand: { orderId, hasGoods: false, hasSticker: true, marks: [] } }, [
      { _tag: "Show", orderId }
    ])
  return hand.orderId === orderId
    ? told({ ...state, hand: { ...hand, hasSticker: true } })
    : alarm(state, { code: "wrong_sticker", wanted: hand.orderId, found: orderId })
}

const goods = (state: State, code: string, nowMs: number): Step => {
  const { again, cancelled, hand, moved, packed, work } = state
  const wanting = work.orders.filter(({ barcodes }) => Scan.isOfGoods(barcodes, code))
  if (hand !== undefined) {
    if (!wanting.some(({ orderId }) => orderId === hand.orderId))
      return alarm(state, { code: "wrong_goods", wanted: hand.orderId })
    if (!hand.hasGoods) return told({ ...state, hand: { ...hand, hasGoods: true } })
    const gtin = ownGtin(state, code, nowMs)
    // Else a second unit of the same goods, before the first is packed.
    return gtin === undefined
      ? alarm(state, { code: "hand_not_empty", orderId: hand.orderId })
      : told({ ...state, hand: { ...hand, marks: [...hand.marks, gtin] } })
  }
  const free = wanting.filter(({ orderId }) => !packed.has(orderId) && !cancelled.has(orderId))
  // The parcel of one to be packed again lies in the pile, with its label on it.
  const order = free.find(({ orderId }) => !again.has(orderId)) ?? free[0]
  if (order === undefined)
    return alarm(state, {
      code: "goods_not_wanted",
      cancelled: wanting.map(({ orderId }) => orderId).filter((id) => cancelled.has(id) && !moved.has(id))
    })
  const { orderId } = order
  return told({ ...state, hand: { orderId, hasGoods: true, hasSticker: false, marks: [] } }, [
    { _tag: "Show", orderId },
    { _tag: "PrintLabel", orderId }
  ])
}

/**
 * The barcode of the goods in hand as their GTIN, while that is asked for next: every mark of the unit itself was scanned before it, so
 * that a second unit, which has the same GTIN, changes nothing. A number that begins with 2 was given out within a shop (GS1) and is none.
 */
const ownGtin = (state: State, code: string, nowMs: number): Mark | undefined => {
  const [want] = wants(state)
  if (want?._tag !== "Mark" || want.kind !== "gtin" || /^0?2/.test(code)) return undefined
  const read = ReadMark.read("gtin", Scan.asGtin(code), nowMs)
  return read._tag === "Mark" ? read.mark : undefined
}

const mark = (state: State, given: Mark): Step => {
  const { hand } = state
  const isAsked = wants(state).some((want) => want._tag === "Mark" && want.kind === given.kind)
  const holder = holderOf(state, given)
  if (holder !== undefined) return alarm(state, { code: "mark_used", by: holder })
  if (hand === undefined || !isAsked) return alarm(state, { code: "mark_not_asked", wanted: hand?.orderId })
  const other = otherGoods(state, given, hand.orderId)
  if (other !== undefined)
    return alarm(state, { code: "mark_of_other_goods", wanted: hand.orderId, goodsOf: other })
  return told({ ...state, hand: { ...hand, marks: [...hand.marks, given] } })
}

/** Who has the mark: an order packed here, a cancelled one whose parcel is still in, or another live one. */
const holderOf = (
  { cancelled, hand, moved, packed, toTakeOut, work }: State,
  given: Mark
): OrderId | undefined => {
  if (!isUnique(given.kind)) return undefined
  const id = identity(given)
  const here = [...packed, ...toTakeOut].find(([, marks]) => marks.some((one) => identity(one) === id))?.[0]
  const live = work.liveMarks.get(id)
  const isFree = live === undefined || live === hand?.orderId || (cancelled.has(live) && !moved.has(live))
  return here ?? (isFree ? undefined : live)
}

/** Goods are known by their own number where it is a barcode of the supply; the seller's own barcodes tell nothing. */
const otherGoods = ({ work }: State, given: Mark, wanted: OrderId): OrderId | undefined => {
  const gtin = gtinOf(given)
  if (gtin === undefined) return undefined
  const has = ({ barcodes }: PackOrder) => barcodes.some((code) => code.padStart(14, "0") === gtin)
  const order = work.orders.find(({ orderId }) => orderId === wanted)
  return order === undefined || has(order) ? undefined : work.orders.find(has)?.orderId
}

/** Asks for what is still wanted; an order that wants nothing is packed. */
const told = (state: State, before: ReadonlyArray<Told> = []): Step => {
  const { hand } = state
  const [want] = wants(state)
  if (hand === undefined) return { state, told: before }
  if (want !== undefined) return { state, told: [...before, { _tag: "Ask", orderId: hand.orderId, want }] }
  const packed = new Map(state.packed).set(hand.orderId, hand.marks)
  const now: State = { ...state, hand: undefined, packed, again: without(state.again, hand.orderId) }
  return {
    state: now,
    told: [
      ...before,
      { _tag: "Packed", orderId: hand.orderId, marks: hand.marks, left: left(now).length },
      ...basketTold(now, hand.orderId)
    ]
  }
}

const basketTold = (state: State, orderId: OrderId): ReadonlyArray<Told> => {
  const basketId = orderOf(state, orderId)?.basketId
  if (basketId === undefined) return []
  const all = state.work.orders.filter((one) => one.basketId === basketId).map((one) => one.orderId)
  if (all.length < 2) return []
  const rest = left(state).filter((id) => all.includes(id))
  return [{ _tag: "Basket", basketId, packed: all.filter((id) => state.packed.has(id)).length, left: rest }]
}
