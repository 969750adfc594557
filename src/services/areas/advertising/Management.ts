/** Changing campaigns, and advice on their bids (seed 001, "Campaign management"). */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Groups from "../../../domain/Groups.js"
import { type CampaignId, Cluster, type ItemId } from "../../../domain/Ids.js"
import type * as Money from "../../../domain/Money.js"
import type { Pair } from "../../../domain/Target.js"
import type { WritePermit } from "../../../domain/WritePermit.js"
import * as Batches from "../../Batches.js"
import type * as Wire from "../../endpoints/Management.js"
import type { Client } from "../../MarketplaceClient.js"
import { type CallError, Undecodable } from "../../MarketplaceError.js"
import * as Amounts from "../Amounts.js"

/** `combined` for the standard bid, `search` or `recommendations` for the custom bid. */
export interface ItemBid extends Pair {
  readonly placement: "combined" | "search" | "recommendations"
  readonly bidKopecks: Money.Kopecks
}

export interface PlacementsChange {
  readonly campaignId: CampaignId
  readonly search: boolean
  readonly recommendations: boolean
}

export interface ItemsChange {
  readonly campaignId: CampaignId
  readonly add: ReadonlyArray<ItemId>
  readonly remove: ReadonlyArray<ItemId>
}

/** Steps of bids, in minor units. */
export interface Steps {
  readonly currency: string | undefined
  readonly cpmStepKopecks: Money.Kopecks | undefined
  readonly cpcStepKopecks: Money.Kopecks | undefined
}

type Written = Effect.Effect<void, CallError, WritePermit>

export const make = ({ api }: Client) => {
  const management = api.campaignManagement
  return {
    start: (campaignId: CampaignId): Written => management.startCampaign({ urlParams: { id: campaignId } }),
    pause: (campaignId: CampaignId): Written => management.pauseCampaign({ urlParams: { id: campaignId } }),
    /** Final: a stopped campaign cannot be started again (field note M33). */
    stop: (campaignId: CampaignId): Written => management.stopCampaign({ urlParams: { id: campaignId } }),
    /** Status 4 only. */
    delete: (campaignId: CampaignId): Written => management.deleteCampaign({ urlParams: { id: campaignId } }),
    rename: (campaignId: CampaignId, name: string): Written =>
      management.renameCampaign({ payload: { advertId: campaignId, name } }),

    /** Values are the rows that were accepted. */
    setPlacements: (changes: ReadonlyArray<PlacementsChange>) =>
      Batches.run(changes, 50, (chunk) =>
        Effect.as(
          management.setCampaignPlacements({
            payload: {
              placements: chunk.map(({ campaignId, search, recommendations }) => ({
                advert_id: campaignId,
                placements: { search, recommendations }
              }))
            }
          }),
          chunk
        )
      ),

    /**
     * Values are the rows that were accepted. A request is all or nothing (field note M06), so campaigns travel
     * apart: one bad row costs at most the rows of its own campaign, 50 at a time.
     */
    setItemBids: (bids: ReadonlyArray<ItemBid>) =>
      Batches.runChunks(byCampaign(bids), (chunk) =>
        Effect.as(management.setItemBids({ payload: { bids: itemBids(chunk) } }), chunk)
      ),

    /** Values tell what was really added and removed. */
    changeItems: (changes: ReadonlyArray<ItemsChange>) =>
      Batches.run(changes, 20, (chunk) =>
        Effect.map(
          management.changeCampaignItems({
            payload: {
              nms: chunk.map(({ campaignId, add, remove }) => ({
                advert_id: campaignId,
                nms: { add, delete: remove }
              }))
            }
          }),
          ({ nms }) =>
            nms.map((row) => ({
              campaignId: row.advert_id,
              added: row.nms?.added ?? [],
              removed: row.nms?.deleted ?? []
            }))
        )
      ),

    /** One pair per call, and few calls a minute. A campaign that is not running is refused (field note M27). */
    recommendations: (pair: Pair): Effect.Effect<Recommendations, CallError> =>
      Effect.flatMap(
        management.getBidRecommendations({ urlParams: { nmId: pair.itemId, advertId: pair.campaignId } }),
        (wire) =>
          (wire.advertId ?? pair.campaignId) === pair.campaignId && (wire.nmId ?? pair.itemId) === pair.itemId
            ? Effect.succeed(fromWire(wire))
            : Effect.fail(ofAnother(pair, wire))
      ),

    /** Personal and Service tokens only. */
    config: Effect.map(
      management.getPromotionConfig(),
      ({ currency, cpmStep, cpcStep }): Steps => ({
        currency,
        cpmStepKopecks: Amounts.minor(cpmStep),
        cpcStepKopecks: Amounts.minor(cpcStep)
      })
    )
  }
}

/** Advice for one item must not become another's bid. */
const ofAnother = (asked: Pair, wire: typeof Wire.Recommendations.Type): Undecodable =>
  new Undecodable({
    operation: "getBidRecommendations",
    status: 200,
    text: `campaign ${asked.campaignId} and item ${asked.itemId} were asked for, and the answer is for campaign ${wire.advertId} and item ${wire.nmId}`,
    retryAfterMs: undefined,
    arrived: "yes"
  })

/** Chunks of at most 50 rows of one campaign each, in the order the campaigns first appear. */
const byCampaign = (bids: ReadonlyArray<ItemBid>): ReadonlyArray<ReadonlyArray<ItemBid>> =>
  [...Groups.by(bids, ({ campaignId }) => campaignId).values()].flatMap((group) => Arr.chunksOf(group, 50))

const itemBids = (chunk: ReadonlyArray<ItemBid>) =>
  chunk.slice(0, 1).map(({ campaignId }) => ({
    advert_id: campaignId,
    nm_bids: chunk.map(({ itemId, bidKopecks, placement }) => ({
      nm_id: itemId,
      bid_kopecks: bidKopecks,
      placement
    }))
  }))

// Advice on bids, in two shapes by payment type (field note M27). Absent or 0 means no advice.

/** Bids for 50-60 %, 61-75 % and 76-100 % of a cluster's views (not-shown §6.1). */
interface ClusterAdvice {
  readonly cluster: Cluster
  readonly reachMinKopecks: Money.Kopecks | undefined
  readonly reachMediumKopecks: Money.Kopecks | undefined
  readonly reachMaxKopecks: Money.Kopecks | undefined
}

/** Bids for positions 1-2, 3-10 and 11-34. */
interface LevelAdvice {
  readonly top2Kopecks: Money.Kopecks | undefined
  readonly top10Kopecks: Money.Kopecks | undefined
  readonly top34Kopecks: Money.Kopecks | undefined
}

export type Recommendations =
  | {
      readonly _tag: "Cpm"
      readonly competitiveKopecks: Money.Kopecks | undefined
      readonly leadersKopecks: Money.Kopecks | undefined
      readonly top2Kopecks: Money.Kopecks | undefined
      readonly clusters: ReadonlyArray<ClusterAdvice>
    }
  | { readonly _tag: "Cpc"; readonly levels: ReadonlyArray<LevelAdvice> }

const fromWire = (wire: typeof Wire.Recommendations.Type): Recommendations =>
  wire.paymentType === "cpc"
    ? {
        _tag: "Cpc",
        levels: wire.levels.map((level) => ({
          top2Kopecks: Amounts.advised(level.range1To2),
          top10Kopecks: Amounts.advised(level.range3To10),
          top34Kopecks: Amounts.advised(level.range11To34)
        }))
      }
    : {
        _tag: "Cpm",
        competitiveKopecks: Amounts.advised(wire.base?.competitiveBid),
        leadersKopecks: Amounts.advised(wire.base?.leadersBid),
        top2Kopecks: Amounts.advised(wire.base?.top2),
        clusters: wire.normQueries.map((row) => ({
          cluster: Cluster.make(row.normQuery),
          reachMinKopecks: Amounts.advised(row.reachMin),
          reachMediumKopecks: Amounts.advised(row.reachMedium),
          reachMaxKopecks: Amounts.advised(row.reachMax)
        }))
      }
