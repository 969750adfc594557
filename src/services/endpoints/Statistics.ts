/** Seed 001, "Statistics". Money is base units with fractions: read it by its digits (field note M26). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { CampaignId, Cluster, ItemId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import {
  answer,
  batch,
  commaList,
  Day,
  list,
  maybe,
  number,
  orElse,
  spanWithin,
  text,
  whole
} from "./Shapes.js"

const area = { area: "statistics", host: "advert", tokenCategory: "promotion" } as const
const errors = [400, 401, 403, 429]

/** `views`, `ctr` and `cpm` are null or absent for cpc campaigns (M20). */
const clusterTotals = {
  views: whole,
  clicks: whole,
  ctr: number,
  cpc: number,
  cpm: number,
  atbs: whole,
  orders: whole,
  shks: whole,
  spend: number,
  currency: text
}

const ClusterStats = Schema.Struct({ norm_query: Cluster, avg_pos: number, ...clusterTotals })
export const PairStats = Schema.Struct({ advert_id: CampaignId, nm_id: ItemId, stats: list(ClusterStats) })

const getClusterStats = Operation.read(
  HttpApiEndpoint.post("getClusterStats", "/adv/v0/normquery/stats")
    .setPayload(
      Schema.Struct({
        from: Day,
        to: Day,
        items: batch(Schema.Struct({ advert_id: CampaignId, nm_id: ItemId }), 100)
      })
    )
    .addSuccess(
      answer({
        stats: list(PairStats)
      })
    ),
  {
    ...area,
    limits: { personal: Operation.limit("1 min", 10, 20), base: Operation.hourly(5) },
    batch: { field: "items", max: 100 },
    errors,
    errorShape: "problem",
    entries: {
      apart: [
        { at: "stats", of: PairStats },
        { at: "stats.*.stats", of: ClusterStats }
      ]
    },
    notes: ["M16", "M17", "M20"]
  }
)

/** `sum` is the spend and `sum_price` the value of the orders. */
const totals = {
  views: whole,
  clicks: whole,
  ctr: number,
  cpc: number,
  cr: number,
  atbs: whole,
  orders: whole,
  shks: whole,
  canceled: whole,
  sum: number,
  sum_price: number
}

/** An entry without `advertId` is a refusal inside a 200 (one of the four faces of no data, M21). */
export const CampaignStats = Schema.Struct({
  advertId: maybe(CampaignId),
  currency: text,
  ...totals,
  boosterStats: list(Schema.Struct({ date: text, nm: maybe(ItemId), avg_position: number })),
  days: list(
    Schema.Struct({
      date: text,
      ...totals,
      apps: list(
        Schema.Struct({
          appType: whole,
          ...totals,
          nms: list(Schema.Struct({ nmId: maybe(ItemId), name: text, ...totals }))
        })
      )
    })
  )
})

/** The answer may also be null or one refusal object where a list was promised; neither holds rows. */
const CampaignStatsAnswer = orElse(
  Schema.Array(CampaignStats),
  Schema.NullOr(Schema.Struct({ status: Schema.Number })),
  []
)

const getCampaignStats = Operation.read(
  HttpApiEndpoint.get("getCampaignStats", "/adv/v3/fullstats")
    .setUrlParams(
      Schema.Struct({ ids: commaList(CampaignId, 50), beginDate: Day, endDate: Day }).pipe(
        Schema.filter(({ beginDate, endDate }) => spanWithin(beginDate, endDate, 31))
      )
    )
    .addSuccess(CampaignStatsAnswer),
  {
    ...area,
    limits: { personal: Operation.limit("1 min", 3, 1), base: Operation.hourly(1) },
    batch: { field: "ids", max: 50 },
    errors,
    errorShape: "fields",
    entries: Operation.apart("", CampaignStats),
    notes: ["M21", "M22", "M23", "M24", "M25", "M26"]
  }
)

const PairDays = Schema.Struct({
  advertId: CampaignId,
  nmId: ItemId,
  /** Several entries per date, one per cluster (M40). */
  dailyStats: list(
    Schema.Struct({
      date: text,
      stat: maybe(Schema.Struct({ normQuery: Cluster, avgPos: number, ...clusterTotals }))
    })
  )
})

const getClusterDailyStats = Operation.read(
  HttpApiEndpoint.post("getClusterDailyStats", "/api/advert/v1/normquery/stats")
    .setPayload(
      Schema.Struct({
        from: Day,
        to: Day,
        items: batch(Schema.Struct({ advertId: CampaignId, nmId: ItemId }), 100)
      })
    )
    .addSuccess(
      answer({
        items: list(PairDays)
      })
    ),
  {
    ...area,
    altPath: "/adv/v1/normquery/stats",
    limits: { personal: Operation.limit("1 min", 10, 20), base: Operation.hourly(2) },
    batch: { field: "items", max: 100 },
    errors,
    errorShape: "problem",
    entries: Operation.apart("items", PairDays),
    notes: ["M16", "M17", "M20", "M40"]
  }
)

export const group = HttpApiGroup.make("statistics")
  .add(getClusterStats)
  .add(getCampaignStats)
  .add(getClusterDailyStats)
