/**
 * Invariant 36: a mark that a person gave stands in the store's column for marks and in its request, and nowhere else: in no
 * line of the log, no journal, no plan.
 * Invariant 37: labels of a supply are printed in its stored order, each with its place, and no place is ever given twice.
 * Invariant 38: when all has come to rest, every order that is in no supply has a reason, and none waits that a turn could
 * have put into one.
 */
import * as Orders from "../../../src/sandbox/shop/Orders.js"
import * as Progress from "../../../src/sandbox/shop/Progress.js"
import type { Observed, Printed, Violation } from "../chaos/Record.js"

const found = (invariant: number, at: number, what: string): Violation => ({
  invariant,
  at,
  what,
  entries: []
})

export const keepsSecrets = ({ leaks }: Observed): ReadonlyArray<Violation> =>
  [...new Map(leaks.map((leak) => [leak.where, leak])).values()].map(({ at, where }) =>
    found(36, at, `a whole mark stands in ${where}`)
  )

export const inStoredOrder = ({ prints }: Observed): ReadonlyArray<Violation> =>
  prints.flatMap((print, i): ReadonlyArray<Violation> => {
    const { at, labels, stored, supplyId } = print
    const wrong = labels.find(({ orderId, position }) => stored[position - 1] !== orderId)
    if (wrong !== undefined)
      return [found(37, at, `order ${wrong.orderId} of ${supplyId} is not at place ${wrong.position}`)]
    const back = labels.find(({ position }, n) => position <= (labels[n - 1]?.position ?? 0))
    if (back !== undefined)
      return [found(37, at, `the label of order ${back.orderId} of ${supplyId} came out of its turn`)]
    const before = prints.slice(0, i).findLast((one) => one.supplyId === supplyId)
    const moved = before && movedBetween(before, print)
    return moved === undefined
      ? []
      : [found(37, at, `order ${moved} of ${supplyId} has another place than on the labels of before`)]
  })

/** An order whose place on labels that stick already is another's, or its own no more. */
const movedBetween = (before: Printed, after: Printed): number | undefined =>
  before.labels.find(({ orderId, position }) => after.stored[position - 1] !== orderId)?.orderId

/** A turn that came after the healing, and had time to end. */
const turnMs = 45 * 60_000

/** Reasons that say nothing but that something could not be read, which in the end everything can. */
const unread: ReadonlySet<string> = new Set(["status_unread", "created_unknown", "supply_unread"])

export const nothingForgotten = (observed: Observed): ReadonlyArray<Violation> => {
  const { cycles, healedAt, left, world } = observed
  if (left === undefined) return []
  const { at, alone, planned, why } = left
  const turn = cycles.find(
    ({ endedAt, error, kind, plan, startedAt }) =>
      kind === "schedule" &&
      startedAt >= healedAt &&
      endedAt !== undefined &&
      endedAt < at &&
      error === undefined &&
      plan?.policies.some(({ id }) => isOfOrders(observed, id)) === true
  )
  return Orders.all(world, observed.toMs).flatMap((order): ReadonlyArray<Violation> => {
    const { id, sale, supplyId } = order
    const isWaiting =
      sale.orderedAt < at - turnMs &&
      supplyId === undefined &&
      Orders.status(world, order, at) === "new" &&
      !Progress.isFinal(Orders.platformStatus(world, order, at))
    if (!isWaiting || (order.moved?.at ?? 0) > at - turnMs) return []
    const reason = why.get(id)
    if (reason === undefined && !planned.has(id)) return [found(38, at, `of order ${id} nothing is said`)]
    if (turn === undefined) return []
    return reason !== undefined && unread.has(reason)
      ? [found(38, at, `order ${id} is in no supply: ${reason}`)]
      : alone.has(id) && wasDue(observed, id, turn.startedAt)
        ? [found(38, at, `order ${id} is in no supply, though a turn could have put it there`)]
        : []
  })
}

const isOfOrders = ({ versions }: Observed, policy: string): boolean =>
  versions.some(({ fulfilment }) => fulfilment.some(({ id }) => id === policy))

/** Left alone no more when that turn planned: it planned another order of the same age, or nothing held it. */
const wasDue = ({ rows, world }: Observed, orderId: number, turnAt: number): boolean => {
  const order = world.shop.orders.get(orderId)
  const isTried = rows.some(
    ({ slot, updatedAt }) => slot === `order_in_supply:${orderId}` && updatedAt > turnAt - 70 * 60_000
  )
  return order !== undefined && turnAt - order.sale.orderedAt > 65 * 60_000 && !isTried
}
