/**
 * What a write is, for the moment when nobody knows whether it arrived: five classes, one for every operation that
 * writes. Pure data; a test holds it against the catalogue.
 */
import type { WriteClass } from "../kinds/Kind.js"

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
