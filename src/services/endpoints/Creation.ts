/** Seed 001, "Creating campaigns". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { CampaignId, ItemId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import { answer, batch, list, rows, text, upTo, whole } from "./Shapes.js"

const area = { area: "campaignCreation", host: "advert", tokenCategory: "promotion" } as const

/** Least bids of an item; `value` is minor units. */
export const ItemFloors = Schema.Struct({
  nm_id: ItemId,
  bids: list(Schema.Struct({ type: text, value: whole, currency: text }))
})

const getMinimumBids = Operation.read(
  HttpApiEndpoint.post("getMinimumBids", "/api/advert/v1/bids/min")
    .setPayload(
      Schema.Struct({
        advert_id: CampaignId,
        nm_ids: batch(ItemId, 100),
        payment_type: Schema.Literal("cpm", "cpc"),
        /** Here the word is `recommendation`, elsewhere `recommendations` (field note M05). */
        placement_types: batch(Schema.Literal("combined", "search", "recommendation"), 3)
      })
    )
    .addSuccess(
      answer({
        bids: list(ItemFloors)
      })
    ),
  {
    ...area,
    limits: { personal: Operation.limit("1 min", 20, 5), base: Operation.hourly(5) },
    batch: { field: "nm_ids", min: 1, max: 100 },
    errors: [400, 401, 403, 429],
    errorShape: "problem",
    entries: Operation.apart("bids", ItemFloors),
    notes: ["M05", "M09"]
  }
)

const createCampaign = Operation.write(
  HttpApiEndpoint.post("createCampaign", "/adv/v2/seacat/save-ad")
    .setPayload(
      Schema.Struct({
        name: Schema.String.pipe(Schema.minLength(1)),
        nms: Schema.optional(upTo(ItemId, 50)),
        bid_type: Schema.optional(Schema.Literal("manual", "unified")),
        payment_type: Schema.optional(Schema.Literal("cpm", "cpc")),
        /** Custom bid (`manual`) only. */
        placement_types: Schema.optional(batch(Schema.Literal("search", "recommendations"), 2))
      }).pipe(
        Schema.filter(
          (body) =>
            body.bid_type !== "unified" ||
            body.placement_types === undefined ||
            "placement_types must be left out for the standard bid (unified)"
        )
      )
    )
    /** The new campaign id as a bare number, or the same as text (field note M29). */
    .addSuccess(Schema.compose(Schema.Union(Schema.Int, Schema.NumberFromString), CampaignId)),
  {
    ...area,
    testHost: true,
    limits: { personal: Operation.limit("1 min", 5, 5), base: Operation.hourly(5) },
    retry: "verify",
    verifyBy:
      "listCampaignIds, then getCampaigns by the unique name, not earlier than 3 minutes after the call",
    batch: { field: "nms", max: 50 },
    errors: [400, 401, 403, 429],
    errorShape: "string",
    notes: ["M29"]
  }
)

const Subject = Schema.Struct({ id: Schema.Int, name: text, count: whole })

const listCampaignSubjects = Operation.read(
  HttpApiEndpoint.get("listCampaignSubjects", "/adv/v1/supplier/subjects")
    .setUrlParams(Schema.Struct({ payment_type: Schema.optional(Schema.Literal("cpm", "cpc")) }))
    .addSuccess(rows(Subject)),
  {
    ...area,
    testHost: true,
    limits: { personal: Operation.limit("12 s", 1, 5), base: Operation.hourly(2) },
    errors: [400, 401, 403, 404, 429],
    errorShape: "problem",
    entries: Operation.apart("", Subject),
    notes: ["M36"]
  }
)

const FitItem = Schema.Struct({ title: text, nm: ItemId, subjectId: whole })

const listCampaignItems = Operation.read(
  HttpApiEndpoint.post("listCampaignItems", "/adv/v2/supplier/nms")
    /** The body is the bare list of subcategory ids. */
    .setPayload(Schema.Array(Schema.Int).pipe(Schema.minItems(1)))
    .addSuccess(rows(FitItem)),
  {
    ...area,
    testHost: true,
    limits: { personal: Operation.limit("1 min", 5, 5), base: Operation.hourly(2) },
    batch: { field: "(body itself)" },
    errors: [400, 401, 403, 429],
    errorShape: "text",
    entries: Operation.apart("", FitItem),
    notes: ["M36"]
  }
)

export const group = HttpApiGroup.make("campaignCreation")
  .add(getMinimumBids)
  .add(createCampaign)
  .add(listCampaignSubjects)
  .add(listCampaignItems)
