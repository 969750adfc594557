// @effect-diagnostics missingEffectContext:off
// @effect-diagnostics floatingEffect:off
import type * as Effect from "effect/Effect"
import { assertType, expect, test } from "vitest"
import { CampaignId } from "../../src/domain/Ids.js"
import type { WritePermit } from "../../src/domain/WritePermit.js"
import * as Catalogue from "../../src/services/Catalogue.js"
import type { Client } from "../../src/services/MarketplaceClient.js"
import type { CallError } from "../../src/services/MarketplaceError.js"
import * as Operation from "../../src/services/Operation.js"

const id = CampaignId.make(777)

/** Never run: the compiler is the judge of this function. */
const judged = (client: Client) => {
  const { campaignManagement, campaigns, clusters } = client.api
  const read: Effect.Effect<unknown, CallError> = campaigns.getCampaigns({ urlParams: { ids: [id] } })
  const post: Effect.Effect<unknown, CallError> = clusters.getClusterBids({ payload: { items: [] } })
  // @ts-expect-error a GET that changes state is a write: without a WritePermit it does not compile
  const pause: Effect.Effect<void, CallError> = campaignManagement.pauseCampaign({ urlParams: { id } })
  const allowed: Effect.Effect<void, CallError, WritePermit> = campaignManagement.pauseCampaign({
    urlParams: { id }
  })
  // @ts-expect-error so is a PATCH
  const bids: Effect.Effect<unknown, CallError> = campaignManagement.setItemBids({ payload: { bids: [] } })
  // @ts-expect-error and a call by id, whatever the id is
  const byId: Effect.Effect<unknown, CallError> = client.call("getBalance", {})
  // @ts-expect-error a number that was never checked to be a campaign id is not one
  campaignManagement.pauseCampaign({ urlParams: { id: 777 } })
  return [read, post, pause, allowed, bids, byId]
}

/** The method's requirement, read off its type. */
type Needs<M> = M extends (request: never) => Effect.Effect<unknown, unknown, infer R> ? R : "not a method"
type Area<A extends keyof Client["api"]> = {
  readonly [Id in keyof Client["api"][A]]: [Needs<Client["api"][A][Id]>] extends [never] ? "read" : "write"
}

test("a write demands a permit in its type, a read does not, in every area", () => {
  assertType<(client: Client) => unknown>(judged)
  const access = {
    orders: {
      listNewOrders: "read",
      listOrders: "read",
      getOrderStatuses: "read",
      listReshipmentOrders: "read",
      cancelOrder: "write",
      getOrderStickers: "read",
      getCrossBorderStickers: "read",
      getOrderStatusHistory: "read",
      getOrderClients: "read",
      listArchivedOrders: "read"
    },
    labels: {
      getOrderLabels: "read",
      deleteOrderLabel: "write",
      setOrderSgtins: "write",
      setOrderUin: "write",
      setOrderImei: "write",
      setOrderGtin: "write",
      setOrderExpiration: "write",
      setOrderCustomsDeclaration: "write"
    },
    supplies: {
      createSupply: "write",
      listSupplies: "read",
      addOrdersToSupply: "write",
      getSupply: "read",
      deleteSupply: "write",
      getSupplyOrderIds: "read",
      deliverSupply: "write",
      getSupplyBarcode: "read",
      listShippingUnits: "read",
      addShippingUnits: "write",
      deleteShippingUnits: "write",
      getShippingUnitStickers: "read"
    },
    passes: {
      listPassOffices: "read",
      listPasses: "read",
      createPass: "write",
      updatePass: "write",
      deletePass: "write"
    },
    campaigns: { listCampaignIds: "read", getCampaigns: "read" },
    campaignCreation: {
      getMinimumBids: "read",
      createCampaign: "write",
      listCampaignSubjects: "read",
      listCampaignItems: "read"
    },
    campaignManagement: {
      deleteCampaign: "write",
      renameCampaign: "write",
      startCampaign: "write",
      pauseCampaign: "write",
      stopCampaign: "write",
      setCampaignPlacements: "write",
      setItemBids: "write",
      changeCampaignItems: "write",
      getBidRecommendations: "read",
      getPromotionConfig: "read"
    },
    clusters: {
      getClusterBids: "read",
      setClusterBidsMinorUnits: "write",
      setClusterBids: "write",
      deleteClusterBids: "write",
      getMinusPhrases: "read",
      setMinusPhrases: "write",
      listClusters: "read"
    },
    finance: {
      getBalance: "read",
      getCampaignBudget: "read",
      depositCampaignBudget: "write",
      getCostHistory: "read",
      getPaymentHistory: "read"
    },
    statistics: { getClusterStats: "read", getCampaignStats: "read", getClusterDailyStats: "read" },
    promo: {
      listPromotions: "read",
      getPromotionDetails: "read",
      listPromotionItems: "read",
      uploadPromotionItems: "write"
    },
    funnel: { getFunnelProducts: "read", getFunnelProductHistory: "read", getFunnelGroupedHistory: "read" },
    orderFeed: { getOrderFeed: "read" },
    searchReports: {
      getSearchReport: "read",
      getSearchReportGroups: "read",
      getSearchReportDetails: "read",
      getProductSearchTexts: "read",
      getProductSearchOrders: "read"
    },
    inventory: {
      getPlatformWarehouseStocks: "read",
      getSellerWarehouseStocks: "read",
      getStockGroups: "read",
      getStockProducts: "read",
      getStockSizes: "read",
      getStockOffices: "read"
    },
    itemRating: { getItemRating: "read" },
    csvReports: {
      createCsvReport: "read",
      listCsvReports: "read",
      retryCsvReport: "read",
      downloadCsvReport: "read"
    }
  } as const satisfies { readonly [A in keyof Client["api"]]: Area<A> }
  const declared = Operation.areas.map((area) => [
    area,
    Object.fromEntries(
      Catalogue.operations.filter((entry) => entry.area === area).map((entry) => [entry.id, entry.access])
    )
  ])
  expect(Object.fromEntries(declared)).toEqual(access)
})
