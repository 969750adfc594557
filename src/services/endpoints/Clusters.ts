/** Seed 001, "Search clusters". Spellings differ by operation: v0 speaks snake_case, v1 and list camelCase (M17). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { CampaignId, Cluster, ItemId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import { answer, batch, list, listIfNamed, listNamed, maybe, text, upTo, whole } from "./Shapes.js"

const area = { area: "clusters", host: "advert", tokenCategory: "promotion" } as const
const row = {
  limits: { personal: Operation.limit("1 s", 5, 10), base: Operation.hourly(5) },
  errors: [400, 401, 403, 429],
  errorShape: "problem"
} as const
const setLimit = Operation.limit("1 s", 2, 4)

/** Pair and row in snake_case. */
const pair = { advert_id: CampaignId, nm_id: ItemId }
const named = { ...pair, norm_query: Cluster }
const Pairs = Schema.Struct({ items: batch(Schema.Struct(pair), 100) })

/** Pair and row in camelCase. */
const pairCamel = { advertId: CampaignId, nmId: ItemId }
const namedCamel = { ...pairCamel, normQuery: Cluster }

/** Live answers of the v0 set and delete: success and failed lists, or nothing at all (field note M12). */
const Outcome = answer({
  success: list(Schema.Struct({ ...named, currency: text })),
  failed: list(Schema.Struct({ ...named, reason: text }))
})

/** `bid` is base units, `bid_kopecks` minor units; they may disagree, trust the latter (M19). */
const OwnBid = Schema.Struct({ ...named, bid: whole, bid_kopecks: whole, currency: text })

const getClusterBids = Operation.read(
  HttpApiEndpoint.post("getClusterBids", "/adv/v0/normquery/get-bids")
    .setPayload(Pairs)
    .addSuccess(
      Schema.Struct({
        /** A cluster without a row runs on its item's bid, so an answer that does not name the list is unreadable. */
        bids: listNamed(OwnBid)
      })
    ),
  {
    ...area,
    ...row,
    batch: { field: "items", max: 100 },
    entries: Operation.apart("bids", OwnBid),
    notes: ["M19", "M16"]
  }
)

const setClusterBidsMinorUnits = Operation.write(
  HttpApiEndpoint.post("setClusterBidsMinorUnits", "/api/advert/v1/normquery/bids")
    .setPayload(
      Schema.Struct({
        bids: batch(Schema.Struct({ ...namedCamel, bidMinorUnits: Schema.Int.pipe(Schema.positive()) }), 100)
      })
    )
    .addSuccess(
      answer({
        success: list(Schema.Struct({ ...namedCamel, currency: text })),
        failed: list(Schema.Struct({ ...namedCamel, reason: text }))
      })
    ),
  {
    ...area,
    ...row,
    limits: { personal: setLimit, base: "not available" },
    tokenKinds: ["personal", "service"],
    retry: "verify",
    verifyBy: "getClusterBids",
    batch: { field: "bids", max: 100 },
    notes: ["M07", "M12", "M13"]
  }
)

const setClusterBids = Operation.write(
  HttpApiEndpoint.post("setClusterBids", "/adv/v0/normquery/bids")
    .setPayload(
      Schema.Struct({
        /** Whole base units, never minor ones (field note M11). */
        bids: batch(Schema.Struct({ ...named, bid: Schema.Int.pipe(Schema.positive()) }), 100)
      })
    )
    .addSuccess(Outcome),
  {
    ...area,
    ...row,
    limits: { personal: setLimit, base: Operation.hourly(5) },
    retry: "verify",
    verifyBy: "getClusterBids",
    batch: { field: "bids", max: 100 },
    notes: ["M11", "M12", "M13"]
  }
)

const deleteClusterBids = Operation.write(
  HttpApiEndpoint.del("deleteClusterBids", "/adv/v0/normquery/bids")
    .setPayload(Schema.Struct({ bids: batch(Schema.Struct(named), 100) }))
    .addSuccess(Outcome),
  {
    ...area,
    ...row,
    retry: "verify",
    verifyBy: "getClusterBids",
    batch: { field: "bids", max: 100 },
    notes: ["T14", "M12"]
  }
)

const PairMinus = Schema.Struct({ ...pair, norm_queries: listIfNamed(Cluster) })

const getMinusPhrases = Operation.read(
  HttpApiEndpoint.post("getMinusPhrases", "/adv/v0/normquery/get-minus")
    .setPayload(Pairs)
    .addSuccess(
      answer({
        items: list(PairMinus)
      })
    ),
  {
    ...area,
    ...row,
    batch: { field: "items", max: 100 },
    entries: Operation.apart("items", PairMinus),
    notes: ["M03", "M16"]
  }
)

const setMinusPhrases = Operation.write(
  HttpApiEndpoint.post("setMinusPhrases", "/adv/v0/normquery/set-minus")
    /** Replaces the whole list of the pair; an empty list clears it. The body is flat (M14). */
    .setPayload(Schema.Struct({ ...pair, norm_queries: upTo(Cluster, 1000) }))
    .addSuccess(HttpApiSchema.Empty(200)),
  {
    ...area,
    ...row,
    retry: "verify",
    verifyBy: "getMinusPhrases",
    batch: { field: "norm_queries", max: 1000 },
    notes: ["M14"]
  }
)

const ListedPair = Schema.Struct({
  ...pairCamel,
  normQueries: maybe(
    Schema.Struct({ active: list(Cluster), excluded: list(Cluster), archived: list(Cluster) })
  )
})

const listClusters = Operation.read(
  HttpApiEndpoint.post("listClusters", "/adv/v0/normquery/list")
    .setPayload(Schema.Struct({ items: batch(Schema.Struct(pairCamel), 100) }))
    .addSuccess(
      answer({
        items: list(ListedPair)
      })
    ),
  {
    ...area,
    ...row,
    batch: { field: "items", max: 100 },
    entries: Operation.apart("items", ListedPair),
    notes: ["M15", "M16", "M17"]
  }
)

export const group = HttpApiGroup.make("clusters")
  .add(getClusterBids)
  .add(setClusterBidsMinorUnits)
  .add(setClusterBids)
  .add(deleteClusterBids)
  .add(getMinusPhrases)
  .add(setMinusPhrases)
  .add(listClusters)
