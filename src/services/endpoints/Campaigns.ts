/** Seed 001, "Campaign lists and details". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { CampaignId, ItemId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import { answer, commaList, flag, list, listNamed, maybe, text, whole } from "./Shapes.js"

const area = { area: "campaigns", host: "advert", tokenCategory: "promotion" } as const

/** Placements of a campaign; custom bid only has both apart. */
const Placements = Schema.Struct({ search: flag, recommendations: flag })

/** Campaign information record. Bids are minor units; `status` is a code of "States and transitions". */
export const Campaign = Schema.Struct({
  id: CampaignId,
  bid_type: text,
  currency: text,
  status: whole,
  nm_settings: list(
    Schema.Struct({
      nm_id: ItemId,
      bids_kopecks: maybe(Schema.Struct({ search: whole, recommendations: whole })),
      subject: maybe(Schema.Struct({ id: whole, name: text }))
    })
  ),
  restrictions: maybe(Schema.Struct({ can_change_nms: flag })),
  settings: maybe(Schema.Struct({ name: text, payment_type: text, placements: maybe(Placements) })),
  timestamps: maybe(Schema.Struct({ created: text, updated: text, started: text, deleted: text }))
})

const ListedCampaign = Schema.Struct({ advertId: CampaignId, changeTime: text })

/** Campaign lists record: ids by type and status. An answer that names none must say so: without it an account looks as if it had none. */
export const CampaignLists = Schema.Struct({
  adverts: listNamed(
    Schema.Struct({
      type: whole,
      status: whole,
      count: whole,
      advert_list: list(ListedCampaign)
    })
  ),
  all: whole
})

const listCampaignIds = Operation.read(
  HttpApiEndpoint.get("listCampaignIds", "/adv/v1/promotion/count").addSuccess(CampaignLists),
  {
    ...area,
    testHost: true,
    limits: { personal: Operation.limit("1 s", 5, 5), base: Operation.hourly(4) },
    errors: [400, 401, 403, 429],
    errorShape: "problem",
    entries: Operation.apart("adverts.*.advert_list", ListedCampaign),
    notes: ["M03", "M38"]
  }
)

const getCampaigns = Operation.read(
  HttpApiEndpoint.get("getCampaigns", "/api/advert/v2/adverts")
    .setUrlParams(
      Schema.Struct({
        ids: Schema.optional(commaList(CampaignId, 50)),
        statuses: Schema.optional(commaList(Schema.Int, 50)),
        payment_type: Schema.optional(Schema.Literal("cpm", "cpc"))
      })
    )
    .addSuccess(answer({ adverts: list(Campaign) })),
  {
    ...area,
    limits: { personal: Operation.limit("1 s", 5, 5), base: Operation.hourly(1) },
    batch: { field: "ids", max: 50 },
    errors: [400, 401, 403, 429],
    errorShape: "problem",
    entries: Operation.apart("adverts", Campaign),
    notes: ["M03", "M04", "M39"]
  }
)

export const group = HttpApiGroup.make("campaigns").add(listCampaignIds).add(getCampaigns)
