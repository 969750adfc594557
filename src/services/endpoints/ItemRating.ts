/** Seed 002, "Item rating". Personal and Service tokens only (field note A20). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as Operation from "../Operation.js"
import * as Periods from "./Periods.js"
import { flag, list, maybe, number, text, underData, whole } from "./Shapes.js"

/** Values of `orderBy.field` (not-shown §7.1). */
export const sortFields = [
  "feedbackRating",
  "feedbackCount",
  "fiveStar",
  "fourStar",
  "threeStar",
  "twoStar",
  "oneStar",
  "disqualified"
] as const

const Counted = Schema.Struct({ current: number, dynamics: number, total: number })

/** New reviews of the period, all and by stars. */
export const FeedbackIncrease = Schema.Struct({
  ...Counted.fields,
  fiveStar: maybe(Counted),
  fourStar: maybe(Counted),
  threeStar: maybe(Counted),
  twoStar: maybe(Counted),
  oneStar: maybe(Counted)
})

/** `feedbackRating.percentile` may be null, and `dynamics` is absent without a past period (A20, A12). */
export const RatingItem = Schema.Struct({
  nmId: whole,
  title: text,
  vendorCode: text,
  subjectId: whole,
  subjectName: text,
  brandName: text,
  tagName: text,
  tagId: whole,
  pinnedFeedback: flag,
  rating: number,
  feedbackRating: Periods.ranked,
  feedbackCount: Periods.paired,
  fiveStar: Periods.paired,
  fourStar: Periods.paired,
  threeStar: Periods.paired,
  twoStar: Periods.paired,
  oneStar: Periods.paired,
  disqualified: whole,
  isShadowed: flag
})

const getItemRating = Operation.read(
  HttpApiEndpoint.post("getItemRating", "/api/analytics/v2/item-rating")
    .setPayload(
      Schema.Struct({
        currentPeriod: Periods.Period,
        pastPeriod: Schema.optional(Periods.Period),
        ...Periods.nmIds(50),
        ...Periods.filters(50),
        isNotIncludeNmsWithoutSales: Schema.optional(Schema.Boolean),
        onlyShadowedNms: Schema.optional(Schema.Boolean),
        orderBy: Periods.orderBy(sortFields),
        limit: Schema.optional(Periods.limitUpTo(1000)),
        offset: Periods.Offset
      })
    )
    .addSuccess(
      underData(
        Schema.Struct({
          sellerRating: Periods.paired,
          feedbackIncrease: maybe(FeedbackIncrease),
          items: list(RatingItem)
        })
      )
    ),
  {
    area: "itemRating",
    host: "analytics",
    tokenCategory: "analytics",
    tokenKinds: ["personal", "service"],
    limits: { personal: Operation.limit("1 min", 3, 3), base: "not available" },
    errors: [400, 401, 403, 429],
    errorShape: "detail",
    batch: { field: "nmIds", max: 50 },
    paging: { kind: "offset", rows: "data.items", most: 1_000 },
    entries: Operation.apart("data.items", RatingItem),
    notes: ["A20"]
  }
)

export const group = HttpApiGroup.make("itemRating").add(getItemRating)
