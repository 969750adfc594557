/** The accepted writes of the program, each with the request that made it and the turn that asked for it. */
import type { Change } from "../../../src/engine/kinds/Change.js"
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import * as Timeline from "../../../src/sandbox/Timeline.js"
import type { Claimed, Cycle, Observed, Request, Row } from "../chaos/Record.js"

export interface Effect {
  readonly entry: Ledger.Entry
  readonly request: Request
  /** The turn in which the request was made; undefined when none was under way. */
  readonly cycle: Cycle | undefined
}

/** In the ledger's order. What the network repeated or delivered late is left out: the program asked once. */
export const of = (observed: Observed): ReadonlyArray<Effect> => {
  const bySeq = new Map(observed.ledger.map((entry) => [entry.seq, entry]))
  return observed.requests.flatMap((request) => {
    const { cycle } = request
    return request.entries.flatMap((seq) => {
      const entry = bySeq.get(seq)
      return entry === undefined || observed.echoed.has(seq) ? [] : [{ entry, request, cycle }]
    })
  })
}

/** What a write is about: one key per place of the marketplace. */
export const place = ({ slot, target }: Pick<Ledger.Entry, "slot" | "target">): string =>
  isOfOrders(slot)
    ? `${slot} ${target.orderId ?? target.supplyId ?? target.passId ?? ""}/${target.labelKey ?? ""}`
    : `${slot} ${target.promotionId ?? target.campaignId ?? ""}/${target.itemId ?? ""}/${target.cluster ?? ""}`

/** Whether a slot is one of the orders' lane. */
export const isOfOrders = (slot: Ledger.Slot): boolean =>
  slot === "order" || slot === "supply" || slot === "label" || slot === "pass" || slot === "units"

/** How long the marketplace takes to show it, milliseconds. */
export const lagMs = (slot: Ledger.Slot): number =>
  isOfOrders(slot)
    ? 0
    : slot.startsWith("bid")
      ? Timeline.delays.bid
      : slot === "status"
        ? Timeline.delays.status
        : Timeline.delays.database

export const isBid = (slot: Ledger.Slot): boolean => slot.startsWith("bid")

/** What somebody else did to the account, or the network by repeating a request. */
export const byOthers = (observed: Observed): ReadonlyArray<Ledger.Entry> =>
  observed.ledger.filter(({ operation, seq }) => operation === "human-edit" || observed.echoed.has(seq))

/** The rows that ask for an effect, among those on their way when its request left. */
export const asking = ({ entry, request }: Effect): ReadonlyArray<Claimed> => {
  const { campaignId, cluster, itemId } = entry.target
  const starts = (head: string) => (row: Claimed) => row.slot.startsWith(head)
  const rows = request.claimed.filter(({ state }) => state === "dispatching" || state === "claimed")
  switch (entry.slot) {
    case "order":
    case "supply":
    case "label":
    case "pass":
    case "units":
      return rows.filter(({ slot }) => ofShop(entry, request).includes(slot.split("/")[0] ?? ""))
    case "status":
      return rows.filter(({ slot }) => slot === `status:${campaignId}`)
    case "budget":
      return rows.filter(({ slot }) => slot === `deposit:${campaignId}`)
    case "placements":
      return rows.filter(({ slot }) => slot === `placement:${campaignId}`)
    case "minus":
      return rows.filter(starts(`minus:${campaignId}/${itemId}/`))
    case "promotion":
      return rows.filter(({ slot }) =>
        (entry.task?.asked ?? []).some((item) => slot === `enrolment:${entry.target.promotionId}/${item}`)
      )
    case "bid":
      // Without a bid of its own a cluster has that of its item, so a removed bid is none in the ledger.
      return rows.filter(
        (row) =>
          row.slot === `cluster_bid:${campaignId}/${itemId}/${cluster}` &&
          (entry.after === null || row.after === entry.after)
      )
    default:
      return rows.filter(
        (row) => row.slot.startsWith(`item_bid:${campaignId}/${itemId}/`) && row.after === entry.after
      )
  }
}

/** How the journal calls what an entry of the orders' lane is about, up to the key of a mark or the car of a pass. */
const ofShop = ({ operation, target }: Ledger.Entry, { body }: Request): ReadonlyArray<string> => {
  const { orderId, supplyId } = target
  switch (operation) {
    case "createSupply":
      return [`supply_creation:new:${JSON.parse(body).name}`]
    case "deleteSupply":
      return [`supply_deletion:${supplyId}`]
    // Of each of its orders, too.
    case "deliverSupply":
      return [`supply_delivery:${supplyId}`]
    case "addOrdersToSupply":
      return [`order_in_supply:${orderId}`]
    case "cancelOrder":
      return [`order_cancellation:${orderId}`]
    case "addShippingUnits":
      return [`shipping_units:${supplyId}`]
    case "deleteOrderLabel":
      return [`label_deletion:${orderId}`]
    case "createPass":
      return [`pass_creation:${JSON.parse(body).officeId}`]
    default:
      return [`order_mark:${orderId}`]
  }
}

/** Changes of the journal that asked for effects, by effect, as they stood when all was over. */
export const rowsOf = (observed: Observed): ((effect: Effect) => ReadonlyArray<Row>) => {
  const byPlace = new Map(observed.rows.map((row) => [`${row.runId} ${row.slot}`, row]))
  return (effect) =>
    asking(effect).flatMap(({ runId, slot }) => {
      const row = byPlace.get(`${runId} ${slot}`)
      return row === undefined ? [] : [row]
    })
}

/** The change of a row as the journal keeps it. */
export const changeOf = ({ change }: Pick<Row, "change">): Change => JSON.parse(change)
