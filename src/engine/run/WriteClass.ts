/**
 * What a write is, for the moment when nobody knows whether it arrived: five classes, one for every operation that
 * writes. Pure data; a test holds it against the catalogue.
 */
import type { Change } from "../decide/Plan.js"
import * as Slot from "../decide/Slot.js"

/**
 * `A` sets a value and may be sent again; `B` replaces a whole list; `C` creates something without a key; `D` pays;
 * `E` cannot be taken back.
 */
export type WriteClass = "A" | "B" | "C" | "D" | "E"

/** What an unknown outcome means, and what is done about it. */
export interface AfterUnknown {
  readonly about: string
  /** How the outcome is found: by the value itself, the whole list, a marker, the money, or the state. */
  readonly proof: "value" | "list" | "marker" | "money" | "state"
  /** True when a later plan may send the same again once the old value was seen twice. */
  readonly maySendAgain: boolean
}

export const classes: Readonly<Record<WriteClass, AfterUnknown>> = {
  A: { about: "sets a value", proof: "value", maySendAgain: true },
  B: { about: "replaces a whole list", proof: "list", maySendAgain: true },
  C: { about: "creates something without a key", proof: "marker", maySendAgain: false },
  D: { about: "pays", proof: "money", maySendAgain: false },
  E: { about: "cannot be taken back", proof: "state", maySendAgain: false }
}

/** Class of every operation of the catalogue that leaves something behind. */
export const ofOperation: Readonly<Record<string, WriteClass>> = {
  setClusterBidsMinorUnits: "A",
  setClusterBids: "A",
  deleteClusterBids: "A",
  setItemBids: "A",
  setCampaignPlacements: "A",
  renameCampaign: "A",
  startCampaign: "A",
  pauseCampaign: "A",
  changeCampaignItems: "A",
  addOrdersToSupply: "A",
  setOrderSgtins: "A",
  setOrderUin: "A",
  setOrderImei: "A",
  setOrderGtin: "A",
  setOrderExpiration: "A",
  setOrderCustomsDeclaration: "A",
  updatePass: "A",
  /** Under a UUID of our own. */
  createCsvReport: "A",
  retryCsvReport: "A",
  setMinusPhrases: "B",
  createCampaign: "C",
  createSupply: "C",
  addShippingUnits: "C",
  createPass: "C",
  depositCampaignBudget: "D",
  stopCampaign: "E",
  deleteCampaign: "E",
  deliverSupply: "E",
  deleteSupply: "E",
  deleteShippingUnits: "E",
  deleteOrderLabel: "E",
  deletePass: "E",
  cancelOrder: "E",
  uploadPromotionItems: "E"
}

/** Class of a planned change. Rules plan nothing of the classes C and E. */
export const ofChange = ({ unit }: Pick<Change, "unit">): WriteClass =>
  unit === "minus_phrase" ? "B" : unit === "kopecks_deposit" ? "D" : "A"

/** Until when an outcome must be known after the request left, milliseconds; later somebody is told. */
export const deadlines = {
  bid: 120_000,
  status: 240_000,
  /** What is kept in the marketplace's database: lists, placements, budgets. */
  database: 600_000,
  deletion: 1_200_000
} as const

/** Money may take until `DepositProof.decideMs` and two readings more. */
export const deadlineMs = (change: Pick<Change, "unit">): number =>
  Slot.isBid(change)
    ? deadlines.bid
    : change.unit === "status"
      ? deadlines.status
      : change.unit === "kopecks_deposit"
        ? deadlines.database + 2 * 60_000
        : deadlines.database
