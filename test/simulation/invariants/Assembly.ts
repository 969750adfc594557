/**
 * Invariant 19: an order goes into one supply: it leaves one only when a closed one left it over, when a mark of it keeps the
 * others back, or by a person; and no order is handed over twice without having been sent again between.
 * Invariant 31: one supply is made for one wish: what was asked for, or may have been, is never asked for again.
 * Invariant 32: what was cancelled goes into no supply and is not handed over, once that could be seen.
 * Invariant 33: nothing of orders is done without a person's word where its policy asks for one; no order is cancelled by a
 * rule, and no supply deleted that somebody else made or that anything was put into within the hour.
 * Invariant 34: no hand-over is asked for of a supply that has an order whose mark is missing or refused.
 * Invariant 35: passes are asked for ten minutes apart, and one that was refused not again within the hour.
 * Judged by what each request asks for, and how the marketplace itself had those orders when it left.
 */
import type { Cycle, Observed, Request, Row, Violation } from "../chaos/Record.js"
import type { OrderLook } from "../chaos/ShopLook.js"
import * as Effects from "./Effects.js"
import * as Held from "./Held.js"
import { isArmed, violation } from "./Judging.js"

const minuteMs = 60_000

/** What the program sent of an operation; a process that hung before the first byte could look at nothing any more. */
const sent = (observed: Observed, operation: string): ReadonlyArray<Request> =>
  observed.requests.filter((one) => one.operation === operation && !Held.of(observed).has(one))

/** What a person has looked at themselves. */
const isByHand = ({ cycle }: Request): boolean => cycle?.kind === "call" || cycle?.kind === "undo"

const orders = (found: ReadonlyArray<OrderLook>): string =>
  `order${found.length === 1 ? "" : "s"} ${found.map(({ orderId }) => orderId).join(", ")}`

export const oneSupply = (observed: Observed): ReadonlyArray<Violation> => [
  ...sent(observed, "addOrdersToSupply").flatMap((request) => {
    if (isByHand(request) || request.cycle?.kind === "approve") return []
    const { orders: all = [], supplyId } = request.shop ?? {}
    const moved = all.filter(
      ({ from, isFailing, isLeftOver, isSettled }) =>
        from !== undefined && from !== supplyId && isSettled && !isLeftOver && !isFailing
    )
    return moved.length === 0
      ? []
      : [
          violation(
            19,
            request,
            `${orders(moved)} left ${moved[0]?.from} for ${supplyId}, and nothing was wrong with it`
          )
        ]
  }),
  ...handedOverTwice(observed)
]

const handedOverTwice = ({ ledger }: Observed): ReadonlyArray<Violation> => {
  const gone = new Map<number, number>()
  return ledger.flatMap(({ at, operation, seq, slot, target: { orderId } }): ReadonlyArray<Violation> => {
    if (slot !== "order" || orderId === undefined) return []
    if (operation !== "deliverSupply") {
      gone.delete(orderId)
      return []
    }
    const before = gone.get(orderId)
    gone.set(orderId, seq)
    if (before === undefined) return []
    return [{ invariant: 19, at, what: `order ${orderId} was handed over twice`, entries: [before, seq] }]
  })
}

/** A plain no: the marketplace did nothing. */
const isRefused = ({ status }: Request): boolean =>
  status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 499

export const madeOnce = (observed: Observed): ReadonlyArray<Violation> => {
  const asked = new Map<string, Request>()
  return observed.requests.flatMap((request) => {
    if (request.operation !== "createSupply") return []
    const name = String(JSON.parse(request.body).name)
    const before = asked.get(name)
    if (!isRefused(request)) asked.set(name, request)
    return before === undefined ? [] : [violation(31, request, `"${name}" was asked for again`)]
  })
}

export const nothingCancelled = (observed: Observed): ReadonlyArray<Violation> =>
  ["addOrdersToSupply", "deliverSupply"].flatMap((operation) =>
    sent(observed, operation).flatMap((request) => {
      const cancelled = (request.shop?.orders ?? []).filter(({ isCancelled }) => isCancelled)
      if (cancelled.length === 0 || isByHand(request)) return []
      return [violation(32, request, `${orders(cancelled)} had been cancelled long before`)]
    })
  )

export const byAPersonsWord = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  return Effects.of(observed).flatMap((effect) => {
    const { cycle, entry, request } = effect
    if (!Effects.isOfOrders(entry.slot) || cycle === undefined || isByHand(request)) return []
    const found = (what: string): ReadonlyArray<Violation> => [
      { invariant: 33, at: entry.at, what: `${Effects.place(entry)}: ${what}`, entries: [entry.seq] }
    ]
    if (cycle.kind === "approve") {
      const shown = new Set(cycle.plan?.changes.map(({ id }) => id))
      const strange = rows(effect).find((row) => !shown.has(Effects.changeOf(row).id))
      return strange === undefined ? [] : found(`nobody was shown ${strange.slot}`)
    }
    if (cycle.kind !== "schedule") return found(`done by a turn of ${cycle.kind}`)
    if (entry.operation === "cancelOrder") return found("no person has asked for it")
    if (entry.operation === "deleteSupply" && !isForgotten(observed, entry))
      return found("it is somebody else's, or something was put into it within the hour")
    const asking = rows(effect).find((row) => asks(cycle, row))
    return asking === undefined ? [] : found(`nobody has approved it, and ${asking.policy} asks for that`)
  })
}

/** Empty it is, or the marketplace would have refused; what left it may have left it a minute ago. */
const isForgotten = ({ ledger }: Observed, { at, seq, target }: Observed["ledger"][number]): boolean => {
  const past = ledger.filter((one) => one.seq < seq && one.target.supplyId === target.supplyId)
  const filled = past.filter(({ operation }) => operation !== "cancelOrder")
  return filled[0]?.operation === "createSupply" && filled.every((one) => at - one.at >= 60 * minuteMs)
}

const irreversible = /^supply_(delivery|deletion):/

const asks = ({ rules }: Cycle, { policy, slot }: Row): boolean => {
  const found = rules.fulfilment.find(({ id }) => id === policy)
  return found?.mode === "approve" || (found?.deliver === "approve" && irreversible.test(slot))
}

export const fitToGo = (observed: Observed): ReadonlyArray<Violation> =>
  sent(observed, "deliverSupply").flatMap((request) => {
    const failing = (request.shop?.orders ?? []).filter(({ wasFailing }) => wasFailing)
    return failing.length === 0 || areLeftOut(observed, request)
      ? []
      : [violation(34, request, `the marks of ${orders(failing)} were missing or refused long before`)]
  })

/** Of an order that the list of its supply leaves out, or a mark that its record does, nobody can know; the marketplace refuses then. */
const areLeftOut = (observed: Observed, { at }: Request): boolean =>
  isArmed(observed, { at, backMs: minuteMs }, new Set(["omit"]), hiding)

const hiding: ReadonlySet<string> = new Set(["getSupplyOrderIds", "getOrderLabels"])

const gapMs = 10 * minuteMs
const refusedForMs = 60 * minuteMs

/** The machine's clock may have been set between, and a process may have slept. */
const isTimed = ({ events, zombies }: Observed, fromMs: number, toMs: number): boolean =>
  !events.some(({ _tag, at }) => _tag === "Clock" && at >= fromMs - gapMs && at <= toMs) &&
  !zombies.some(({ hungAt, wokenAt = toMs }) => hungAt <= toMs && wokenAt >= fromMs)

export const passesApart = (observed: Observed): ReadonlyArray<Violation> => {
  const asked = sent(observed, "createPass").filter(({ status }) => status !== 429)
  return asked.flatMap((request, i) => {
    const before = asked[i - 1]
    if (before === undefined || !isTimed(observed, before.at, request.at)) return []
    const apart = request.at - before.at
    // Both are sent after a call limit's wait of their own, which is not exact to the second.
    if (apart < gapMs - 1000)
      return [violation(35, request, `${Math.round(apart / 1000)} s after the last one was asked for`)]
    const refused = asked
      .slice(0, i)
      .find(
        (one) =>
          isRefused(one) &&
          one.body === request.body &&
          request.at - one.at < refusedForMs &&
          isTimed(observed, one.at, request.at)
      )
    return refused === undefined ? [] : [violation(35, request, "it was refused within the hour")]
  })
}
