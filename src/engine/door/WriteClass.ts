/**
 * What a write is, for the moment when nobody knows whether it arrived: five classes, one for every operation that
 * writes. Pure data; a test holds it against the catalogue.
 */
import type { WriteClass } from "../kinds/Kind.js"

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
