/** One plain, valid input for every operation, and an answer it can be given. */
import type { Input } from "../../src/services/Invoke.js"

const pairSnake = { advert_id: 777, nm_id: 1001 }
const pairCamel = { advertId: 777, nmId: 1001 }
const days = { from: "2026-11-01", to: "2026-11-07" }
const ranking = { startDateTime: "2026-11-01T00:00:00Z", endDateTime: "2026-11-30T23:59:59Z" }

export const inputs: Readonly<Record<string, Input>> = {
  listCampaignIds: {},
  getCampaigns: { query: { ids: "777,778", payment_type: "cpm" } },
  getMinimumBids: {
    body: { advert_id: 777, nm_ids: [1001], payment_type: "cpm", placement_types: ["recommendation"] }
  },
  createCampaign: { body: { name: "Boots", nms: [1001], bid_type: "manual", payment_type: "cpm" } },
  listCampaignSubjects: { query: { payment_type: "cpm" } },
  listCampaignItems: { body: [12, 13] },
  deleteCampaign: { query: { id: "777" } },
  renameCampaign: { body: { advertId: 777, name: "Boots" } },
  startCampaign: { query: { id: "777" } },
  pauseCampaign: { query: { id: "777" } },
  stopCampaign: { query: { id: "777" } },
  setCampaignPlacements: {
    body: { placements: [{ advert_id: 777, placements: { search: true, recommendations: false } }] }
  },
  setItemBids: {
    body: { bids: [{ advert_id: 777, nm_bids: [{ nm_id: 1001, bid_kopecks: 45000, placement: "search" }] }] }
  },
  changeCampaignItems: { body: { nms: [{ advert_id: 777, nms: { add: [1002], delete: [] } }] } },
  getBidRecommendations: { query: { nmId: "1001", advertId: "777" } },
  getPromotionConfig: {},
  getClusterBids: { body: { items: [pairSnake] } },
  setClusterBidsMinorUnits: { body: { bids: [{ ...pairCamel, normQuery: "кеды", bidMinorUnits: 45000 }] } },
  setClusterBids: { body: { bids: [{ ...pairSnake, norm_query: "кеды", bid: 450 }] } },
  deleteClusterBids: { body: { bids: [{ ...pairSnake, norm_query: "кеды" }] } },
  getMinusPhrases: { body: { items: [pairSnake] } },
  setMinusPhrases: { body: { ...pairSnake, norm_queries: [] } },
  listClusters: { body: { items: [pairCamel] } },
  getBalance: {},
  getCampaignBudget: { query: { id: "777" } },
  depositCampaignBudget: { query: { id: "777" }, body: { sum: 1000, type: 1, return: true } },
  getCostHistory: { query: days },
  getPaymentHistory: { query: days },
  getClusterStats: { body: { ...days, items: [pairSnake] } },
  getCampaignStats: { query: { ids: "777", beginDate: days.from, endDate: days.to } },
  getClusterDailyStats: { body: { ...days, items: [pairCamel] } },
  listPromotions: { query: { ...ranking, allPromo: "false", limit: "1000", offset: "0" } },
  getPromotionDetails: { query: { promotionIDs: ["5", "6"] } },
  listPromotionItems: { query: { promotionID: "5", inAction: "true" } },
  uploadPromotionItems: { body: { data: { promotionID: 5, uploadNow: false, nomenclatures: [1001] } } }
}
