/** One valid request for every operation. */
import * as CsvReports from "./requests/CsvReports.js"
import * as Funnel from "./requests/Funnel.js"
import type { Inputs } from "./requests/Inputs.js"
import * as Inventory from "./requests/Inventory.js"
import * as ItemRating from "./requests/ItemRating.js"
import * as Labels from "./requests/Labels.js"
import * as OrderFeed from "./requests/OrderFeed.js"
import * as Orders from "./requests/Orders.js"
import * as Passes from "./requests/Passes.js"
import * as SearchReports from "./requests/SearchReports.js"
import * as Supplies from "./requests/Supplies.js"

const pairSnake = { advert_id: 777, nm_id: 1001 }
const pairCamel = { advertId: 777, nmId: 1001 }
const days = { from: "2026-11-01", to: "2026-11-07" }
const ranking = { startDateTime: "2026-11-01T00:00:00Z", endDateTime: "2026-11-30T23:59:59Z" }

export const inputs: Inputs = {
  listCampaignIds: {},
  getCampaigns: { urlParams: { ids: [777, 778], payment_type: "cpm" } },
  getMinimumBids: {
    payload: { advert_id: 777, nm_ids: [1001], payment_type: "cpm", placement_types: ["recommendation"] }
  },
  createCampaign: { payload: { name: "Boots", nms: [1001], bid_type: "manual", payment_type: "cpm" } },
  listCampaignSubjects: { urlParams: { payment_type: "cpm" } },
  listCampaignItems: { payload: [12, 13] },
  deleteCampaign: { urlParams: { id: 777 } },
  renameCampaign: { payload: { advertId: 777, name: "Boots" } },
  startCampaign: { urlParams: { id: 777 } },
  pauseCampaign: { urlParams: { id: 777 } },
  stopCampaign: { urlParams: { id: 777 } },
  setCampaignPlacements: {
    payload: { placements: [{ advert_id: 777, placements: { search: true, recommendations: false } }] }
  },
  setItemBids: {
    payload: {
      bids: [{ advert_id: 777, nm_bids: [{ nm_id: 1001, bid_kopecks: 45000, placement: "search" }] }]
    }
  },
  changeCampaignItems: { payload: { nms: [{ advert_id: 777, nms: { add: [1002], delete: [] } }] } },
  getBidRecommendations: { urlParams: { nmId: 1001, advertId: 777 } },
  getPromotionConfig: {},
  getClusterBids: { payload: { items: [pairSnake] } },
  setClusterBidsMinorUnits: {
    payload: { bids: [{ ...pairCamel, normQuery: "кеды", bidMinorUnits: 45000 }] }
  },
  setClusterBids: { payload: { bids: [{ ...pairSnake, norm_query: "кеды", bid: 450 }] } },
  deleteClusterBids: { payload: { bids: [{ ...pairSnake, norm_query: "кеды" }] } },
  getMinusPhrases: { payload: { items: [pairSnake] } },
  setMinusPhrases: { payload: { ...pairSnake, norm_queries: [] } },
  listClusters: { payload: { items: [pairCamel] } },
  getBalance: {},
  getCampaignBudget: { urlParams: { id: 777 } },
  depositCampaignBudget: { urlParams: { id: 777 }, payload: { sum: 1000, type: 1, return: true } },
  getCostHistory: { urlParams: days },
  getPaymentHistory: { urlParams: days },
  getClusterStats: { payload: { ...days, items: [pairSnake] } },
  getCampaignStats: { urlParams: { ids: [777], beginDate: days.from, endDate: days.to } },
  getClusterDailyStats: { payload: { ...days, items: [pairCamel] } },
  listPromotions: { urlParams: { ...ranking, allPromo: false, limit: 1000, offset: 0 } },
  getPromotionDetails: { urlParams: { promotionIDs: [5, 6] } },
  listPromotionItems: { urlParams: { promotionID: 5, inAction: true } },
  uploadPromotionItems: { payload: { data: { promotionID: 5, uploadNow: false, nomenclatures: [1001] } } },
  ...Orders.inputs,
  ...Labels.inputs,
  ...Supplies.inputs,
  ...Passes.inputs,
  ...Funnel.inputs,
  ...OrderFeed.inputs,
  ...SearchReports.inputs,
  ...Inventory.inputs,
  ...ItemRating.inputs,
  ...CsvReports.inputs
}
