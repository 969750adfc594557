/** Seed 001, "Promo calendar". Every call of the area draws from one bucket (field note P07). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { ItemId, PromotionId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import { distinct, flag, idIn, list, maybe, number, text, underData, whole } from "./Shapes.js"

const area = {
  area: "promo",
  host: "calendar",
  tokenCategory: "pricesAndDiscounts",
  limitGroup: "calendar",
  limits: { personal: Operation.limit("6 s", 10, 5), base: Operation.hourly(1) },
  errorShape: "errorText"
} as const

/** UTC, no fractions: `2026-11-20T00:00:00Z` (P01). */
const DateTime = Schema.String.pipe(
  Schema.pattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/, {
    description: "an instant in UTC, such as 2026-11-20T00:00:00Z"
  })
)
const page = {
  limit: Schema.optional(idIn(Schema.Int.pipe(Schema.between(1, 1000)))),
  offset: Schema.optional(idIn(Schema.Int.pipe(Schema.nonNegative())))
}

const listEntry = { id: PromotionId, name: text, startDateTime: text, endDateTime: text, type: text }

const ListedPromotion = Schema.Struct(listEntry)

const listPromotions = Operation.read(
  HttpApiEndpoint.get("listPromotions", "/api/v1/calendar/promotions")
    .setUrlParams(
      Schema.Struct({
        startDateTime: DateTime,
        endDateTime: DateTime,
        allPromo: Schema.BooleanFromString,
        ...page
      })
    )
    .addSuccess(underData(Schema.Struct({ promotions: list(ListedPromotion) }))),
  {
    ...area,
    errors: [400, 401, 402, 403, 429],
    paging: { kind: "offset", rows: "data.promotions", most: 1_000 },
    entries: Operation.apart("data.promotions", ListedPromotion),
    notes: ["P01", "P03", "P06"]
  }
)

export const PromotionDetails = Schema.Struct({
  ...listEntry,
  description: text,
  advantages: list(Schema.String),
  inPromoActionLeftovers: whole,
  inPromoActionTotal: whole,
  notInPromoActionLeftovers: whole,
  notInPromoActionTotal: whole,
  participationPercentage: whole,
  exceptionProductsCount: whole,
  ranging: list(Schema.Struct({ condition: text, participationRate: whole, boost: whole }))
})

const getPromotionDetails = Operation.read(
  HttpApiEndpoint.get("getPromotionDetails", "/api/v1/calendar/promotions/details")
    .setUrlParams(Schema.Struct({ promotionIDs: distinct(idIn(PromotionId), 100) }))
    .addSuccess(underData(Schema.Struct({ promotions: list(PromotionDetails) }))),
  {
    ...area,
    batch: { field: "promotionIDs", min: 1, max: 100 },
    errors: [400, 401, 402, 403, 429],
    entries: Operation.apart("data.promotions", PromotionDetails),
    notes: ["P01"]
  }
)

/** Prices are base units with fractions, discounts whole percent (P05). */
const PromotionItem = Schema.Struct({
  id: ItemId,
  inAction: flag,
  price: number,
  currencyCode: text,
  planPrice: number,
  discount: whole,
  planDiscount: whole
})

const listPromotionItems = Operation.read(
  HttpApiEndpoint.get("listPromotionItems", "/api/v1/calendar/promotions/nomenclatures")
    .setUrlParams(
      Schema.Struct({ promotionID: idIn(PromotionId), inAction: Schema.BooleanFromString, ...page })
    )
    .addSuccess(underData(Schema.Struct({ nomenclatures: list(PromotionItem) }))),
  {
    ...area,
    errors: [400, 401, 402, 403, 422, 429],
    paging: { kind: "offset", rows: "data.nomenclatures", most: 1_000 },
    entries: Operation.apart("data.nomenclatures", PromotionItem),
    notes: ["P01", "P02", "P03", "P05"]
  }
)

const uploadPromotionItems = Operation.write(
  HttpApiEndpoint.post("uploadPromotionItems", "/api/v1/calendar/promotions/upload")
    .setPayload(
      Schema.Struct({
        data: Schema.Struct({
          promotionID: PromotionId,
          uploadNow: Schema.Boolean,
          nomenclatures: distinct(ItemId, 1000)
        })
      })
    )
    .addSuccess(Schema.Struct({ data: maybe(Schema.Struct({ alreadyExists: flag, uploadID: whole })) })),
  {
    ...area,
    retry: "verify",
    verifyBy: "a repeat answers alreadyExists true",
    batch: { field: "data.nomenclatures", min: 1, max: 1000 },
    errors: [400, 401, 402, 403, 422, 429],
    notes: ["P02", "P04", "P06"]
  }
)

export const group = HttpApiGroup.make("promo")
  .add(listPromotions)
  .add(getPromotionDetails)
  .add(listPromotionItems)
  .add(uploadPromotionItems)
