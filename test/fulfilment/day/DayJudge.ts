/**
 * Judges a day of assembly by what the marketplace itself holds in the end and by its ledger: each order in exactly one
 * supply that was handed over in its wave, or cancelled; none put in that was cancelled before; no supply twice; no hand-over
 * that nobody agreed to; no limit hit.
 */
import * as Arr from "effect/Array"
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import * as Script from "./DayScript.js"

/** `GET ledger` of the sandbox. */
export type LedgerReport = ReturnType<typeof Ledger.report>

export interface Evidence {
  readonly seen: Pick<Script.Seen, "cancelled" | "orders" | "supplies">
  readonly ledger: LedgerReport
  /** What the program says of orders that are in no supply that was handed over: why, or where they go. */
  readonly told: ReadonlyMap<number, string>
  /** When somebody agreed to the hand-over of a supply, epoch milliseconds; undefined where turns may do it by themselves. */
  readonly agreed?: ReadonlyMap<string, number>
  readonly mostOrders: number
}

/** Everything that is wrong, each with order, supply and time; none where the day went well. */
export const problems = (evidence: Evidence): ReadonlyArray<string> => [
  ...ofSupplies(evidence),
  ...ofHandOvers(evidence),
  ...evidence.seen.orders.flatMap((order) => ofOrder(evidence, order)),
  ...ofLimits(evidence.ledger)
]

const isOurs = ({ name }: Script.Supply): boolean => name.includes("#")

const entriesOf = ({ ledger }: Evidence, operation: string, slot: string) =>
  ledger.entries.filter((entry) => entry.operation === operation && entry.slot === slot)

/** No name twice, one kind of orders in each, none too full. */
const ofSupplies = ({ mostOrders, seen }: Evidence): ReadonlyArray<string> => {
  const ours = seen.supplies.filter(isOurs)
  const inside = Arr.groupBy(seen.orders, ({ supplyId }) => String(supplyId))
  return [
    ...Object.entries(Arr.groupBy(ours, ({ name }) => name)).flatMap(([name, same]) =>
      same.length === 1 ? [] : [`"${name}" was made ${same.length} times: ${same.map(({ id }) => id)}`]
    ),
    ...ours.flatMap(({ id, name }) => {
      const orders = inside[id] ?? []
      const kinds = [...new Set(orders.map(Script.company))]
      return [
        ...(kinds.length > 1 ? [`${id} "${name}" mixes ${kinds.join(" with ")}`] : []),
        ...(orders.length > mostOrders && !name.startsWith(Script.byHand)
          ? [`${id} "${name}" has ${orders.length} orders, ${mostOrders} are the most`]
          : [])
      ]
    })
  ]
}

/** Each supply is handed over once, after somebody agreed. */
const ofHandOvers = (evidence: Evidence): ReadonlyArray<string> => {
  const { agreed } = evidence
  const handedOver = entriesOf(evidence, "deliverSupply", "supply")
  return Object.entries(Arr.groupBy(handedOver, ({ target }) => String(target.supplyId))).flatMap(
    ([supplyId, [first, ...again]]) => {
      const agreedAt = agreed?.get(supplyId)
      return [
        ...(again.length === 0 ? [] : [`${supplyId} was handed over ${again.length + 1} times`]),
        ...(agreed !== undefined && (agreedAt === undefined || agreedAt > first.at)
          ? [`${supplyId} was handed over at ${at(first.at)}, and nobody had agreed`]
          : [])
      ]
    }
  )
}

const ofOrder = (evidence: Evidence, order: Script.Order): ReadonlyArray<string> => {
  const { seen, told } = evidence
  const { id, orderedAt, platformStatus, supplierStatus, supplyId } = order
  const wrong: Array<string> = []
  const say = (what: string) =>
    wrong.push(
      `order ${id} of ${at(orderedAt)} (${supplierStatus}, ${platformStatus}, ${Script.company(order)}): ${what}`
    )
  const cancelled = seen.cancelled.get(id)
  for (const put of entriesOf(evidence, "addOrdersToSupply", "order"))
    if (put.target.orderId === id && cancelled !== undefined && put.at > cancelled.atMs)
      say(
        `put into ${put.target.supplyId} at ${at(put.at)}, cancelled by its ${cancelled.by} at ${at(cancelled.atMs)}`
      )
  const left = entriesOf(evidence, "deliverSupply", "order").filter(({ target }) => target.orderId === id)
  if (left.length > 1)
    say(
      `handed over ${left.length} times: ${left.map(({ at: ms, target }) => `${target.supplyId} at ${at(ms)}`)}`
    )
  if (isOver(order)) return wrong
  const supply = seen.supplies.find((one) => one.id === supplyId)
  const wave = Script.waveOf(orderedAt)
  const why = told.get(id)
  if (wave === undefined) {
    if (supply === undefined && why === undefined)
      say("of tomorrow, in no supply, and the program does not say why")
    return wrong
  }
  const byMs = Script.startMs + wave.handOverBy * Script.minuteMs
  if (supply === undefined)
    say(`in no supply; it was of wave ${wave.name}. The program says: ${why ?? "nothing"}`)
  else if (supply.closedAt === null)
    say(`in ${supply.id} "${supply.name}", which is open; it was of wave ${wave.name}`)
  else if (supply.closedAt > byMs)
    say(
      `handed over in ${supply.id} "${supply.name}" at ${at(supply.closedAt)}; wave ${wave.name} left at ${at(byMs)}`
    )
  return wrong
}

/** Nothing more is expected of it. */
export const isOver = ({ platformStatus }: Script.Order): boolean =>
  /^(sold|canceled|canceled_by_client|declined_by_client|defect|canceled_by_carrier)$/.test(platformStatus)

/** No request was too many; those of the marketplace host, where a refusal counts as ten, among them. */
const ofLimits = ({ breaches, counters, forgotten }: LedgerReport): ReadonlyArray<string> => [
  ...Object.entries(counters).flatMap(([operation, one]) =>
    one.throttled + one.breaches === 0
      ? []
      : [`${operation}: ${one.throttled} answers of 429, ${one.breaches} requests beyond its limit`]
  ),
  ...(breaches > 0 ? [`${breaches} requests beyond a limit`] : []),
  ...(forgotten > 0 ? [`${forgotten} entries of the ledger are forgotten`] : [])
]

/** Supplies that acceptance closed, and nobody handed over. */
export const closedThemselves = (evidence: Evidence): ReadonlyArray<string> => {
  const handedOver = new Set(
    entriesOf(evidence, "deliverSupply", "supply").map(({ target }) => target.supplyId)
  )
  return evidence.seen.supplies
    .filter((supply) => isOurs(supply) && supply.closedAt !== null && !handedOver.has(supply.id))
    .map(({ id }) => id)
}

/** `12:30:05` in Moscow. */
export const at = (ms: number): string => new Date(ms + 3 * 3_600_000).toISOString().slice(11, 19)
