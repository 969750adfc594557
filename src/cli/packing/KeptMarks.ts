/**
 * Marks that were given to other orders from here, whatever became of their supplies: open supplies alone do not tell of an
 * order that was handed over. What is kept may be of yesterday, so a holder is asked about before anybody is stopped.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { OrderId } from "../../domain/Ids.js"
import {
  identitiesOf,
  identity,
  isKind,
  isUnique,
  type Mark,
  type MarkKind,
  ofLabel
} from "../../engine/fulfilment/marks/Mark.js"
import type { Label } from "../../services/areas/labels/LabelRecords.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import * as OrderRecords from "../../services/areas/orders/OrderRecords.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import type { Client } from "../../services/MarketplaceClient.js"
import { type Marks, MarkVault } from "../../services/ports/MarkVault.js"
import type * as Account from "../account/Account.js"
import { stop } from "../terminal/Stop.js"

/** By `Mark.identity`, the one who is asked about first behind the others: a mark may have been given to several orders. */
export type Holders = ReadonlyArray<Holding>

export type Holding = readonly [mark: string, holder: Holder]

export interface Holder {
  readonly orderId: OrderId
  readonly kind: MarkKind
  /** False where the order was given another of this kind since. It may have this one all the same: the other was refused, or taken back. */
  readonly isLast: boolean
}

/** Who was given it, with the fingerprint of all that the order was given with it of this kind. */
export interface Given extends Holder {
  readonly fingerprint: string
}

/** All that the store keeps, in the order of the keeping; `ours` are looked at by whoever packs them. */
export const read = ({ name }: Pick<Account.Chosen, "name">, ours: ReadonlySet<OrderId>) =>
  Effect.map(
    Effect.flatMap(MarkVault, (vault) => vault.since(name, 0)),
    (all): ReadonlyArray<readonly [mark: string, holder: Given]> => {
      const last = new Map(all.map((one) => [slotOf(one), one]))
      return all.flatMap((one) => {
        const { fingerprint, key, marks } = one
        const orderId = OrderId.make(one.orderId)
        if (!isKind(key) || !isUnique(key) || ours.has(orderId)) return []
        const holder = { orderId, kind: key, fingerprint, isLast: last.get(slotOf(one)) === one }
        return identitiesOf(key, Redacted.value(marks)).map((mark) => [mark, holder] as const)
      })
    }
  )

const slotOf = ({ key, orderId }: Marks): string => `${orderId} ${key}`

/** Of each mark the holder who is asked about first. */
export const firstAsked = (holders: Holders): ReadonlyMap<string, OrderId> =>
  new Map(holders.map(([mark, { orderId }]) => [mark, orderId]))

/**
 * What of it these orders have not after all: they were cancelled, their goods came back, or they have another mark by now. What is
 * not answered counts as held.
 */
export const released = (
  client: Client,
  holders: Holders,
  asked: ReadonlyArray<OrderId>
): Effect.Effect<Holders> =>
  Effect.gen(function* () {
    const own = holders.filter(([, { orderId }]) => asked.includes(orderId))
    if (own.length === 0) return []
    const { values } = yield* Orders.make(client).statuses(asked)
    const states = new Map(values.map((one) => [one.orderId, one]))
    const going = values.filter((state) => !OrderRecords.isCancelled(state)).map(({ orderId }) => orderId)
    const answered = going.length === 0 ? [] : (yield* Labels.make(client).read(going)).values
    const labelsOf = new Map(answered.map(({ labels, orderId }) => [orderId, labels]))
    return own.filter(([mark, { isLast, kind, orderId }]) => {
      const state = states.get(orderId)
      if (state === undefined) return false
      if (OrderRecords.isCancelled(state)) return true
      const there = labelsOf.get(orderId)?.filter(({ key, value }) => key === kind && value !== undefined)
      if (there === undefined) return false
      if (there.length > 0) return !there.flatMap(marksOf).some((one) => identity(one) === mark)
      // Of one that is handed over nothing waits to be set, and of one that waits the last alone.
      return state.supplier._tag === "complete" || (state.supplier._tag === "new" && !isLast)
    })
  })

/** Of these marks those that one of the holders shows by now, with that order. Fails where one of them is not answered. */
export const shown = (client: Client, holders: Holders, marks: ReadonlyArray<Mark>) =>
  Effect.gen(function* () {
    const wanted = new Set(marks.filter(({ kind }) => isUnique(kind)).map(identity))
    const asked = [...new Set(holders.flatMap(([mark, { orderId }]) => (wanted.has(mark) ? [orderId] : [])))]
    if (asked.length === 0) return new Map<string, OrderId>()
    const states = (yield* Orders.make(client).statuses(asked)).values
    const going = states.filter((state) => !OrderRecords.isCancelled(state)).map(({ orderId }) => orderId)
    const labels = going.length === 0 ? [] : (yield* Labels.make(client).read(going)).values
    if (states.length < asked.length || labels.length < going.length)
      return yield* stop(
        1,
        "whether marks that are kept here are on other orders by now was not answered: begin again in a minute"
      )
    return new Map(
      labels.flatMap((one) =>
        one.labels
          .flatMap(marksOf)
          .map(identity)
          .filter((mark) => wanted.has(mark))
          .map((mark) => [mark, one.orderId] as const)
      )
    )
  })

/** Marks that a label holds. */
export const marksOf = ({ key, value }: Label): ReadonlyArray<Mark> => ofLabel(key, value)
