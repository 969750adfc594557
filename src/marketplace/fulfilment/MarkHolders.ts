/**
 * Which other order has a mark at the very moment at which it is to be set: what was kept for an order that waited may have been
 * given to another one since, and one unit of goods has one mark.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { OrderId } from "../../domain/Ids.js"
import { type OutcomeReason, of as reasonOf } from "../../domain/OutcomeReason.js"
import type { WriteOutcome } from "../../engine/door/Writer.js"
import { identitiesOf, identity, ofLabel } from "../../engine/fulfilment/marks/Mark.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import * as OrderRecords from "../../services/areas/orders/OrderRecords.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import type { Client } from "../../services/MarketplaceClient.js"
import type { MarkVault } from "../../services/ports/MarkVault.js"

/** Of the marks of one plan. */
export interface MarkHolders {
  /** What speaks against setting these marks on an order; undefined where nothing does. */
  readonly against: (
    orderId: OrderId,
    key: string,
    marks: ReadonlyArray<string>
  ) => Effect.Effect<OutcomeReason | undefined>
  /** These marks are set on an order, or may be: nobody has refused them, and they did not stay here. */
  readonly took: (orderId: OrderId, key: string, marks: ReadonlyArray<string>) => void
}

/**
 * Asks the marketplace about orders alone that were given a mark of these from here, and counts those in assembly: of what was handed
 * over a person has said whether its goods came back.
 */
export const make = (client: Client, vault: typeof MarkVault.Service): MarkHolders => {
  /** By `Mark.identity`: the order that it was set on in this plan. */
  const taken = new Map<string, OrderId>()
  /** By `Mark.identity`: the orders that were given it from here; read once. */
  let given: ReadonlyMap<string, ReadonlySet<OrderId>> | undefined
  const all = Effect.suspend(() =>
    given === undefined
      ? Effect.map(vault.since(client.account, 0), (read) => {
          const orders = new Map<string, Set<OrderId>>()
          for (const { key, marks, orderId } of read)
            for (const mark of identitiesOf(key, Redacted.value(marks)))
              orders.set(mark, (orders.get(mark) ?? new Set()).add(OrderId.make(orderId)))
          given = orders
          return orders
        })
      : Effect.succeed(given)
  )
  return {
    against: (orderId, key, marks) =>
      Effect.gen(function* () {
        const own = new Set(identitiesOf(key, marks))
        if (own.size === 0) return undefined
        for (const mark of own) {
          const other = taken.get(mark)
          if (other !== undefined && other !== orderId) return used(other)
        }
        const orders = yield* all
        const others = new Set([...own].flatMap((mark) => [...(orders.get(mark) ?? [])]))
        others.delete(orderId)
        const holder = yield* having(client, [...others], own)
        return holder === undefined ? undefined : used(holder)
      }).pipe(Effect.orElseSucceed(() => reasonOf("mark_holder_unread"))),
    took: (orderId, key, marks) => {
      for (const mark of identitiesOf(key, marks)) taken.set(mark, orderId)
    }
  }
}

/** What another order has is as good as refused: no turn tries it again for an hour. */
export const unsent = (reason: OutcomeReason): WriteOutcome => ({
  _tag: reason.code === "mark_used" ? "Rejected" : "NotSent",
  reason
})

const used = (otherOrderId: OrderId): OutcomeReason => ({ code: "mark_used", otherOrderId })

/** The first of these orders that is in assembly with one of these marks. Fails where one was not answered. */
const having = (client: Client, orders: ReadonlyArray<OrderId>, marks: ReadonlySet<string>) =>
  Effect.gen(function* () {
    if (orders.length === 0) return undefined
    const states = (yield* Orders.make(client).statuses(orders)).values
    if (states.length < orders.length) return yield* Effect.fail("unanswered" as const)
    const assembled = states
      .filter((state) => state.supplier._tag === "confirm" && !OrderRecords.isCancelled(state))
      .map(({ orderId }) => orderId)
    if (assembled.length === 0) return undefined
    const answered = (yield* Labels.make(client).read(assembled)).values
    if (answered.length < assembled.length) return yield* Effect.fail("unanswered" as const)
    return answered.find(({ labels }) =>
      labels.flatMap(({ key, value }) => ofLabel(key, value)).some((one) => marks.has(identity(one)))
    )?.orderId
  })
