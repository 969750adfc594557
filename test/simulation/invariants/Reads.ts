/** Which requests are about which place of the journal, and which of them read it. */
import type { Claimed, Request } from "../chaos/Record.js"
import * as Effects from "./Effects.js"

/** What a slot of the journal is called, and what it is about. */
interface Slot {
  readonly kind: string
  /** Campaign, and item where there is one. */
  readonly ids: ReadonlyArray<string>
}

const slotOf = (slot: string): Slot => {
  const [kind = "", place = ""] = slot.split(/:(.*)/s)
  // A supply that is made is known by its name, all else of orders by the numbers of the first part.
  if (kind === "supply_creation") return { kind, ids: [place.replace(/^new:/, "")] }
  if (kind in readOfOrders) return { kind, ids: [(place.split("/")[0] ?? "").replace(/^\D+/, "")] }
  const isOfCampaign = kind === "status" || kind === "deposit" || kind === "placement"
  return { kind, ids: place.split("/").slice(0, isOfCampaign ? 1 : 2) }
}

/** Kinds of the orders' lane, and which operation shows what became of a change. */
const readOfOrders: Readonly<Record<string, string>> = {
  supply_creation: "listSupplies",
  supply_deletion: "getSupply",
  supply_delivery: "getSupply",
  order_in_supply: "getOrderStatuses",
  order_cancellation: "getOrderStatuses",
  order_mark: "getOrderLabels",
  label_deletion: "getOrderLabels",
  shipping_units: "listShippingUnits",
  pass_creation: "listPasses"
}

const readBy: Readonly<Record<string, string>> = {
  ...readOfOrders,
  status: "getCampaigns",
  placement: "getCampaigns",
  item_bid: "getCampaigns",
  cluster_bid: "getClusterBids",
  minus: "getMinusPhrases",
  deposit: "getCampaignBudget",
  enrolment: "listPromotionItems"
}

/** True when a request names every id of a slot. */
const names = ({ body, url }: Request, { ids, kind }: Slot): boolean => {
  if (kind === "supply_creation") return body.includes(JSON.stringify(ids[0]))
  const numbers = new Set(`${url} ${body}`.match(/\d+/g) ?? [])
  return ids.every((id) => numbers.has(id))
}

const isListed = (kind: string): boolean => kind === "supply_creation" || kind === "pass_creation"

/** True when a request was answered with the value of a slot of the journal. Nothing of an answer that a fault spoiled. */
export const tells = (request: Request, slot: string): boolean => {
  const { ids, kind } = slotOf(slot)
  return (
    !request.isWrite &&
    request.status === 200 &&
    request.operation === readBy[kind] &&
    // Lists of supplies and passes are whole; bids and statuses of items are read for whole campaigns, enrolments for whole promotions.
    (isListed(kind) ||
      names(request, { kind, ids: kind === "item_bid" || kind === "enrolment" ? ids.slice(0, 1) : ids }))
  )
}

/** How long the marketplace takes to show a slot of the journal, milliseconds. */
export const lagMs = (slot: string): number =>
  slotOf(slot).kind in readOfOrders
    ? 0
    : Effects.lagMs(slot.includes("_bid:") ? "bid" : slot.startsWith("status:") ? "status" : "minus")

/** The journal's rows that a write is about: the marketplace may have refused it, so the ledger cannot tell. */
export const asked = (request: Request): ReadonlyArray<Claimed> =>
  request.claimed.filter(
    ({ operation, slot, state }) =>
      state === "dispatching" &&
      operation !== null &&
      matches(request, operation) &&
      names(request, slotOf(slot))
  )

/** The journal's name for an operation may be its area's. */
const matches = (request: Request, operation: string): boolean =>
  request.operation.startsWith(operation) || operation.startsWith(request.operation)
