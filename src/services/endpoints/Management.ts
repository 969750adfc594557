/** Seed 001, "Campaign management". Four of its GETs change the campaign (field note M01). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { CampaignId, ItemId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import { answer, batch, idIn, list, maybe, orEmpty, text, upTo, whole } from "./Shapes.js"

const area = { area: "campaignManagement", host: "advert", tokenCategory: "promotion" } as const
const oneCampaign = Schema.Struct({ id: idIn(CampaignId) })

/** delete, start, pause and stop have one limit row and one way to look whether they arrived. */
const lifecycle = <Name extends string>(name: Name, path: `/${string}`, errors: ReadonlyArray<number>) =>
  Operation.write(
    HttpApiEndpoint.get(name, path).setUrlParams(oneCampaign).addSuccess(HttpApiSchema.Empty(200)),
    {
      ...area,
      testHost: true,
      limits: { personal: Operation.limit("1 s", 5, 5), base: Operation.hourly(5) },
      retry: "verify",
      verifyBy: "getCampaigns status, not earlier than 60 s after the call",
      errors,
      errorShape: "error",
      notes: ["M01", "M02", "M33"]
    }
  )

const deleteCampaign = lifecycle("deleteCampaign", "/adv/v0/delete", [400, 401, 403, 429])
const startCampaign = lifecycle("startCampaign", "/adv/v0/start", [400, 401, 403, 422, 429])
const pauseCampaign = lifecycle("pauseCampaign", "/adv/v0/pause", [400, 401, 403, 422, 429])
const stopCampaign = lifecycle("stopCampaign", "/adv/v0/stop", [400, 401, 403, 422, 429])

const renameCampaign = Operation.write(
  HttpApiEndpoint.post("renameCampaign", "/adv/v0/rename")
    .setPayload(Schema.Struct({ advertId: CampaignId, name: nameUpTo(100) }))
    .addSuccess(HttpApiSchema.Empty(200)),
  {
    ...area,
    testHost: true,
    limits: { personal: Operation.limit("1 s", 5, 5), base: Operation.hourly(2) },
    retry: "verify",
    verifyBy: "getCampaigns settings.name",
    errors: [400, 401, 403, 422, 429],
    errorShape: "text",
    notes: ["M35"]
  }
)

const setCampaignPlacements = Operation.write(
  HttpApiEndpoint.put("setCampaignPlacements", "/adv/v0/auction/placements")
    .setPayload(
      Schema.Struct({
        placements: batch(
          Schema.Struct({
            advert_id: CampaignId,
            placements: Schema.Struct({ search: Schema.Boolean, recommendations: Schema.Boolean })
          }),
          50
        )
      })
    )
    .addSuccess(HttpApiSchema.Empty(204)),
  {
    ...area,
    limits: { personal: Operation.limit("1 s", 1, 1), base: Operation.hourly(2) },
    retry: "verify",
    verifyBy: "getCampaigns settings.placements",
    batch: { field: "placements", max: 50 },
    success: [204],
    errors: [400, 401, 403, 429],
    errorShape: "problem",
    notes: ["M02"]
  }
)

const setItemBids = Operation.write(
  HttpApiEndpoint.patch("setItemBids", "/api/advert/v1/bids")
    .setPayload(
      Schema.Struct({
        bids: batch(
          Schema.Struct({
            advert_id: CampaignId,
            nm_bids: batch(
              Schema.Struct({
                nm_id: ItemId,
                bid_kopecks: Schema.Int.pipe(Schema.positive()),
                placement: Schema.Literal("combined", "search", "recommendations")
              }),
              50
            )
          }),
          50
        )
      })
    )
    .addSuccess(
      answer({
        bids: list(
          Schema.Struct({
            advert_id: CampaignId,
            nm_bids: list(Schema.Struct({ nm_id: ItemId, bid_kopecks: whole, placement: text }))
          })
        ),
        currency: text
      })
    ),
  {
    ...area,
    limits: { personal: Operation.limit("1 s", 5, 5), base: Operation.hourly(2) },
    retry: "verify",
    verifyBy: "getCampaigns nm_settings.bids_kopecks, not earlier than 30 s (plan 90 s) after the call",
    batch: { field: "bids", max: 50, inner: { field: "nm_bids", max: 50 } },
    errors: [400, 401, 403, 429],
    errorShape: "problem",
    notes: ["M02", "M05", "M06", "M07", "M08"]
  }
)

const changeCampaignItems = Operation.write(
  HttpApiEndpoint.patch("changeCampaignItems", "/adv/v0/auction/nms")
    .setPayload(
      Schema.Struct({
        nms: batch(
          Schema.Struct({
            advert_id: CampaignId,
            nms: Schema.Struct({
              add: Schema.optional(upTo(ItemId, 50)),
              delete: Schema.optional(upTo(ItemId, 50))
            }).pipe(Schema.filter(changesItems))
          }),
          20
        )
      })
    )
    .addSuccess(
      answer({
        nms: list(
          Schema.Struct({
            advert_id: CampaignId,
            nms: maybe(Schema.Struct({ added: list(ItemId), deleted: list(ItemId) }))
          })
        )
      })
    ),
  {
    ...area,
    limits: { personal: Operation.limit("1 s", 1, 1), base: Operation.hourly(2) },
    retry: "verify",
    verifyBy: "getCampaigns nm_settings",
    batch: { field: "nms", max: 20, inner: { field: "nms.add / nms.delete", max: 50 } },
    errors: [400, 401, 403, 429],
    errorShape: "problem",
    notes: ["M02", "M37"]
  }
)

const advised = maybe(Schema.Struct({ bidKopecks: whole, bidKopecksMin: whole }))

const AdvisedCluster = Schema.Struct({
  normQuery: Schema.String,
  reachMax: advised,
  reachMedium: advised,
  reachMin: advised
})

/** Two shapes by `paymentType`: cpm has `base` and `normQueries`, cpc has `levels`; any part may be missing (M27). */
export const Recommendations = Schema.Struct({
  advertId: maybe(CampaignId),
  nmId: maybe(ItemId),
  paymentType: text,
  base: maybe(Schema.Struct({ competitiveBid: advised, leadersBid: advised, top2: advised })),
  normQueries: list(AdvisedCluster),
  levels: list(Schema.Struct({ range1To2: advised, range3To10: advised, range11To34: advised }))
})

const getBidRecommendations = Operation.read(
  HttpApiEndpoint.get("getBidRecommendations", "/api/advert/v0/bids/recommendations")
    .setUrlParams(Schema.Struct({ nmId: idIn(ItemId), advertId: idIn(CampaignId) }))
    .addSuccess(orEmpty(Recommendations, {})),
  {
    ...area,
    limits: { personal: Operation.limit("1 min", 5, 5), base: Operation.hourly(20) },
    errors: [400, 401, 403, 429],
    errorShape: "text",
    entries: Operation.apart("normQueries", AdvisedCluster),
    notes: ["M27"]
  }
)

const getPromotionConfig = Operation.read(
  HttpApiEndpoint.get("getPromotionConfig", "/api/advert/v1/config").addSuccess(
    /** Steps and the least top-up are minor units. */
    Schema.Struct({ currency: text, currencyCode: whole, cpmStep: whole, cpcStep: whole, minTopUp: whole })
  ),
  {
    ...area,
    limits: { personal: Operation.limit("1 min", 1, 10), base: "not available" },
    tokenKinds: ["personal", "service"],
    errors: [400, 401, 403, 429],
    errorShape: "problem",
    notes: ["M07"]
  }
)

export const group = HttpApiGroup.make("campaignManagement")
  .add(deleteCampaign)
  .add(renameCampaign)
  .add(startCampaign)
  .add(pauseCampaign)
  .add(stopCampaign)
  .add(setCampaignPlacements)
  .add(setItemBids)
  .add(changeCampaignItems)
  .add(getBidRecommendations)
  .add(getPromotionConfig)

/** Either list may be left out, and not both: a request that changes nothing is a slip (field note M37). */
function changesItems({
  add = [],
  delete: removed = []
}: {
  readonly add?: ReadonlyArray<ItemId> | undefined
  readonly delete?: ReadonlyArray<ItemId> | undefined
}): true | string {
  if (add.length + removed.length === 0) return "name items to add or to delete"
  return !add.some((item) => removed.includes(item)) || "an item may not be both added and deleted"
}

/** Counts characters, not bytes (field note M35). */
function nameUpTo(max: number) {
  return Schema.String.pipe(
    Schema.filter((name) => (name !== "" && [...name].length <= max) || `a name has 1 to ${max} characters`),
    Schema.annotations({ jsonSchema: { minLength: 1, maxLength: max } })
  )
}
