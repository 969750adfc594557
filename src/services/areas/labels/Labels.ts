/**
 * Label identifiers of assembly orders (seed 000, "Label identifiers"). Checks run asynchronously: after a set the
 * decision is pending and turns later (field note O14), so read the labels again before the hand-over.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Days from "../../../domain/Days.js"
import type { OrderId } from "../../../domain/Ids.js"
import type { WritePermit } from "../../../domain/WritePermit.js"
import type * as Wire from "../../endpoints/Labels.js"
import type { Client } from "../../MarketplaceClient.js"
import { type CallError, local, Refused } from "../../MarketplaceError.js"
import * as OrderDates from "../orders/OrderDates.js"
import * as Orders from "../orders/Orders.js"
import * as LabelRecords from "./LabelRecords.js"

/** Keys that can be removed; an expiration can only be overwritten (O17). */
export type DeletableKey = typeof Wire.DeletableKey.Type

type Written = Effect.Effect<void, CallError, WritePermit>

/** Every set needs an order in confirm whose record exposes the key, and replaces what was there. */
export const make = ({ api }: Client) => ({
  /** Labels of each order with their decisions; an order that is missing was not answered. */
  read: (orders: ReadonlyArray<OrderId>) => read(api, orders),

  setSgtins: (orderId: OrderId, codes: ReadonlyArray<string>): Written =>
    sent("setOrderSgtins", sgtins(codes), (sgtins) =>
      api.labels.setOrderSgtins({ path: { orderId }, payload: { sgtins } })
    ),

  /** The check may need 30 minutes after the contract specification was loaded; a stale `uinNotFound` clears only
   * after a removal and another set (O16). */
  setUin: (orderId: OrderId, text: string): Written =>
    sent("setOrderUin", uin(text), (uin) => api.labels.setOrderUin({ path: { orderId }, payload: { uin } })),

  setImei: (orderId: OrderId, text: string): Written =>
    sent("setOrderImei", imei(text), (imei) =>
      api.labels.setOrderImei({ path: { orderId }, payload: { imei } })
    ),

  setGtin: (orderId: OrderId, text: string): Written =>
    sent("setOrderGtin", gtin(text), (gtin) =>
      api.labels.setOrderGtin({ path: { orderId }, payload: { gtin } })
    ),

  /** `dd.mm.yyyy`; can be changed later but not removed. */
  setExpiration: (orderId: OrderId, text: string): Written =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      sent("setOrderExpiration", expiration(text, nowMs), (expiration) =>
        api.labels.setOrderExpiration({ path: { orderId }, payload: { expiration } })
      )
    ),

  setCustomsDeclaration: (orderId: OrderId, text: string): Written =>
    sent("setOrderCustomsDeclaration", customsDeclaration(text), (customsDeclaration) =>
      api.labels.setOrderCustomsDeclaration({ path: { orderId }, payload: { customsDeclaration } })
    ),

  /** Removes all values of a key. */
  remove: (orderId: OrderId, key: DeletableKey): Written =>
    api.labels.deleteOrderLabel({ path: { orderId }, urlParams: { key } })
})

const read = (
  api: Client["api"],
  orders: ReadonlyArray<OrderId>
): Effect.Effect<Orders.Answered<LabelRecords.OrderLabels>> =>
  Orders.askByOrder(orders, 100, (chunk) =>
    Effect.map(api.labels.getOrderLabels({ payload: { orders: chunk } }), (answer) =>
      answer.orders.map(LabelRecords.fromWire)
    )
  )

/** Sends a value that passed its check; nothing leaves for another. */
const sent = <A>(
  operation: string,
  checked: Either.Either<A, string>,
  call: (value: A) => Written
): Written =>
  Either.match(checked, {
    onLeft: (problem) => Effect.fail(new Refused(local(operation, problem))),
    onRight: call
  })

// What label identifiers must look like (seed 000 "Label identifiers"). A value is checked here before it leaves,
// because a refusal on this host costs ten requests (field note T09). Each function answers the value to send, or
// what is wrong with it and how to mend it.

type Checked<A> = Either.Either<A, string>

/** GS1 group separator, one control character. */
const separator = "\u001d"

/** One marking code: spaces around it go, its group separators must be the control character U+001D (O15). */
export const sgtin = (text: string): Checked<string> => {
  const code = text.trim()
  const separated = code.indexOf(separator, 1) > 0
  const written = (separated ? /\\u001d|\\x1d/i : /\\u001d|\\x1d|<gs>|\{gs\}|␝/i).exec(code)
  if (written !== null) {
    return Either.left(
      `the code holds the text "${written[0]}" instead of a group separator; put the control character U+001D there`
    )
  }
  const foreign = /[^!-~]/u.exec(code.replaceAll(separator, "-"))
  if (foreign !== null) return Either.left(foreignText(foreign[0], foreign.index + 1))
  if (code.length < 16 || code.length > 135) {
    return Either.left(`the code has ${code.length} characters; 16 to 135 are needed`)
  }
  return separated
    ? Either.right(code)
    : Either.left(
        "the code has no group separator (U+001D) inside; scanners and spreadsheets lose it: scan the code again " +
          "with a reader that passes control characters"
      )
}

/** Marking codes of one order, 1 to 100. */
export const sgtins = (texts: ReadonlyArray<string>): Checked<ReadonlyArray<string>> =>
  texts.length < 1 || texts.length > 100
    ? Either.left(`${texts.length} codes were given; 1 to 100 are allowed`)
    : Either.all(
        texts.map((text, i) => Either.mapLeft(sgtin(text), (problem) => `code ${i + 1}: ${problem}`))
      )

/** 16 characters. */
export const uin = (text: string): Checked<string> => exactly("UIN", text, 16)

/** 15 characters: the first IMEI only of a device that has two. */
export const imei = (text: string): Checked<string> =>
  text.trim().length >= 30
    ? Either.left("more than one IMEI was given; of a device that has two give the first only, 15 characters")
    : exactly("IMEI", text, 15)

/** 13 characters. */
export const gtin = (text: string): Checked<string> => exactly("GTIN", text, 13)

/** Days the marketplace wants between its date and the expiration, and one for the difference of the clocks (O17). */
const leastDays = 30 + 1

/** `dd.mm.yyyy`, a real day that is far enough from the Moscow date of `nowMs`. */
export const expiration = (text: string, nowMs: number): Checked<string> => {
  const day = OrderDates.dottedDay(text.trim())
  if (day === undefined) {
    return Either.left(`"${text}" is not a day; write it as dd.mm.yyyy, such as 31.12.2027`)
  }
  const earliest = Days.shift(Days.ofMarket(nowMs), leastDays)
  return day < earliest
    ? Either.left(
        `${OrderDates.dotted(day)} is too soon: goods must keep for 30 days; the earliest day is ${OrderDates.dotted(earliest)}`
      )
    : Either.right(OrderDates.dotted(day))
}

/** 17 to 29 characters. */
export const customsDeclaration = (text: string): Checked<string> => {
  const number = text.trim()
  return number.length < 17 || number.length > 29
    ? Either.left(`the customs declaration number has ${number.length} characters; 17 to 29 are needed`)
    : Either.right(number)
}

const exactly = (name: string, text: string, length: number): Checked<string> => {
  const value = text.trim()
  return value.length === length
    ? Either.right(value)
    : Either.left(`the ${name} has ${value.length} characters; exactly ${length} are needed`)
}

const foreignText = (character: string, place: number): string => {
  const code = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`
  const shown = /[\p{C}\p{Z}]/u.test(character) ? code : `"${character}" (${code})`
  return (
    `character ${place} of the code is ${shown}; only Latin letters, digits, signs and the group separator ` +
    "are allowed: check the keyboard layout of the scanner"
  )
}
