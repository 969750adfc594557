/** Promotions of the calendar and the seller's items in them (seed 001, "Promo calendar"). */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ItemId, PromotionId } from "../../../domain/Ids.js"
import type { WritePermit } from "../../../domain/WritePermit.js"
import * as Batches from "../../Batches.js"
import type { PromotionDetails } from "../../endpoints/Promo.js"
import type { Client } from "../../MarketplaceClient.js"
import * as Pages from "../../Pages.js"
import * as Amounts from "../Amounts.js"

/** What filing items answered; a filed task is not yet an enrolment (field note P04). */
export interface Upload {
  readonly uploadId: number | undefined
  readonly alreadyExists: boolean | undefined
}

/** An item of a promotion. Prices are kopecks, discounts whole percent; `plan…` is what entry asks for. */
export type Item = Stream.Stream.Success<ReturnType<ReturnType<typeof make>["items"]>>

/** Items of one answer; a shorter one is the last (field note P03). */
export const pageSize = 1000

export const make = ({ api }: Client) => ({
  /** Promotions that touch a period; instants as `YYYY-MM-DDTHH:MM:SSZ`. `all` includes closed and auto ones. */
  list: (period: { readonly from: string; readonly to: string; readonly all: boolean }) =>
    Pages.byOffset(pageSize, (limit, offset) =>
      Effect.map(
        api.promo.listPromotions({
          urlParams: {
            startDateTime: period.from,
            endDateTime: period.to,
            allPromo: period.all,
            limit,
            offset
          }
        }),
        ({ data }) => data?.promotions ?? []
      )
    ),

  details: (
    ids: ReadonlyArray<PromotionId>
  ): Effect.Effect<Batches.Batched<PromotionId, typeof PromotionDetails.Type>> =>
    Batches.run([...new Set(ids)], 100, (chunk) =>
      Effect.map(
        api.promo.getPromotionDetails({ urlParams: { promotionIDs: chunk } }),
        ({ data }) => data?.promotions ?? []
      )
    ),

  /** Items that are in the promotion, or that could be. Not for auto promotions (field note P02). */
  items: (promotionId: PromotionId, enrolled: boolean) =>
    Pages.byOffset(pageSize, (limit, offset) =>
      Effect.map(
        api.promo.listPromotionItems({
          urlParams: { promotionID: promotionId, inAction: enrolled, limit, offset }
        }),
        ({ data }) => data?.nomenclatures ?? []
      )
    ).pipe(
      Stream.map((item) => ({
        itemId: item.id,
        enrolled: item.inAction,
        priceKopecks: Amounts.decimal(item.price),
        planPriceKopecks: Amounts.decimal(item.planPrice),
        /** Whole percent; `plan…` is the least for entry. */
        discountPercent: item.discount,
        planDiscountPercent: item.planDiscount,
        currency: item.currencyCode
      }))
    ),

  /**
   * Files items for a promotion, 1000 to a task. No operation withdraws them (field note P06). Their prices fall `now`, or wait for the
   * promotion's start (not-shown §6.4).
   */
  upload: (
    promotionId: PromotionId,
    items: ReadonlyArray<ItemId>,
    now: boolean
  ): Effect.Effect<Batches.Batched<ItemId, Upload>, never, WritePermit> =>
    Batches.run([...new Set(items)], 1000, (chunk) =>
      Effect.map(
        api.promo.uploadPromotionItems({
          payload: { data: { promotionID: promotionId, uploadNow: now, nomenclatures: chunk } }
        }),
        ({ data }) => [{ uploadId: data?.uploadID, alreadyExists: data?.alreadyExists }]
      )
    )
})
