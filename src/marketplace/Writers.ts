/** Writes the engine's changes through the services: grouped, merged where needed, never sent twice. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type WriteBatch, Writer } from "../engine/door/Writer.js"
import type { AdChange, Change, Of } from "../engine/kinds/Change.js"
import * as Kinds from "../engine/kinds/Kinds.js"
import type { KindName } from "../engine/kinds/Parts.js"
import * as Clusters from "../services/areas/advertising/Clusters.js"
import * as Finance from "../services/areas/advertising/Finance.js"
import * as Management from "../services/areas/advertising/Management.js"
import * as Promo from "../services/areas/promotions/Promo.js"
import { type Client, MarketplaceClient } from "../services/MarketplaceClient.js"
import { MarkVault } from "../services/ports/MarkVault.js"
import type { OrderEvents } from "../services/ports/OrderEvents.js"
import type { PackingTables } from "../services/ports/PackingTables.js"
import type { SupplyOrders } from "../services/ports/SupplyOrders.js"
import * as LiveOrders from "./fulfilment/LiveOrders.js"
import * as Requests from "./fulfilment/Requests.js"
import * as SupplyNames from "./fulfilment/SupplyNames.js"
import * as ScarceCalendar from "./ScarceCalendar.js"
import * as CampaignSettings from "./writes/CampaignSettings.js"
import * as ClusterBids from "./writes/ClusterBids.js"
import * as Deposits from "./writes/Deposits.js"
import * as Enrolments from "./writes/Enrolments.js"
import * as LiveValues from "./writes/LiveValues.js"
import * as MinusLists from "./writes/MinusLists.js"

/** How long until a change can be seen, milliseconds. */
export interface Visibility {
  readonly bidMs: number
  readonly statusMs: number
  readonly minusMs: number
  readonly filedMs: number
  readonly assemblyMs: number
}

/**
 * Bids take effect every 30 s, statuses every minute, the database every 3 minutes (seed 001, field note M02); lists of
 * orders and supplies lag by seconds (O28).
 */
const visibility: Visibility = {
  bidMs: 90_000,
  statusMs: 180_000,
  minusMs: 200_000,
  filedMs: 600_000,
  assemblyMs: 5_000
}

/** The writer of the client's account. A sandbox with a fast clock is given a shorter `visibility`. */
export const layer = (
  seen: Visibility = visibility
): Layer.Layer<Writer, never, MarketplaceClient | OrderEvents | PackingTables | SupplyOrders> =>
  Layer.effect(
    Writer,
    Effect.gen(function* () {
      const packed = yield* Effect.context<OrderEvents | PackingTables | SupplyOrders>()
      return make(yield* MarketplaceClient, packed, seen, yield* Effect.serviceOption(MarkVault))
    })
  )

/** Without a vault no mark is sent. */
const make = (
  client: Client,
  packed: Requests.Packed,
  seen: Visibility = visibility,
  vault: Option.Option<typeof MarkVault.Service> = Option.none()
): typeof Writer.Service => {
  const names = SupplyNames.make(client)
  const requests = requestsBy(client, Requests.make(client, names, packed, vault))
  return {
    isReadOnly: client.isReadOnly === true,
    clockAheadMs: client.clockAheadMs,
    readLive: (changes, sparing) =>
      Effect.zipWith(
        LiveValues.read(client, changes, sparing),
        LiveOrders.read(client, names, changes),
        (ofAds, ofOrders) => new Map([...ofAds, ...ofOrders])
      ),
    batches: (changes) =>
      Effect.map(
        Effect.forEach(Kinds.byTurn(changes), (group) =>
          (requests[group[0].kind] as RequestsOf<Change>)(group)
        ),
        (groups) => groups.flat()
      ),
    ...(ScarceCalendar.isScarce(client) ? { dearLook: Enrolments.dearLook } : {}),
    visibilityMs: ({ kind }) => seen[shownAs[kind]],
    purse: ({ subject: { campaignId } }, spentFrom) =>
      campaignId === undefined
        ? Effect.succeed(undefined)
        : Deposits.purse(Finance.make(client), campaignId, spentFrom)
  }
}

type RequestsOf<C extends Change = AdChange> = (
  changes: ReadonlyArray<C>
) => Effect.Effect<ReadonlyArray<WriteBatch>>

/** How changes of each kind become requests. */
const requestsBy = (
  client: Client,
  assembly: ReturnType<typeof Requests.make>
): { readonly [K in KindName]: RequestsOf<Of<K>> } => {
  const clusters = Clusters.make(client)
  const finance = Finance.make(client)
  const management = Management.make(client)
  const one =
    (request: (service: typeof management, change: AdChange) => WriteBatch): RequestsOf =>
    (changes) =>
      Effect.succeed(changes.map((change) => request(management, change)))
  return {
    campaign_deposit: (changes) => Effect.succeed(Deposits.batches(finance, changes)),
    campaign_status: one(CampaignSettings.status),
    campaign_placements: one(CampaignSettings.placements),
    campaign_name: one(CampaignSettings.name),
    campaign_stop: one(CampaignSettings.stop),
    campaign_deletion: one(CampaignSettings.deletion),
    campaign_items: (changes) => Effect.succeed(CampaignSettings.items(management, changes)),
    enrolment: (changes) => Effect.succeed(Enrolments.batches(Promo.make(client), changes)),
    minus_phrase: (changes) => MinusLists.batches(clusters, changes),
    item_bid: (changes) => Effect.succeed(CampaignSettings.itemBids(management, changes)),
    cluster_bid: (changes) => Effect.succeed(ClusterBids.batches(client, clusters, changes)),
    supply_creation: (changes) => Effect.succeed(assembly.creations(changes)),
    order_in_supply: (changes) => Effect.succeed(assembly.filling(changes)),
    order_mark: (changes) => Effect.succeed(assembly.marks(changes)),
    label_deletion: (changes) => Effect.succeed(assembly.labelDeletions(changes)),
    shipping_units: (changes) => Effect.succeed(assembly.units(changes)),
    supply_delivery: (changes) => Effect.succeed(assembly.deliveries(changes)),
    order_cancellation: (changes) => Effect.succeed(assembly.cancellations(changes)),
    supply_deletion: (changes) => Effect.succeed(assembly.supplyDeletions(changes)),
    pass_creation: (changes) => Effect.succeed(assembly.passes(changes))
  }
}

/** Budgets and placements are in the database like minus phrases (seed 001 "Timing"). */
const shownAs: Readonly<Record<KindName, keyof Visibility>> = {
  campaign_deposit: "minusMs",
  campaign_status: "statusMs",
  campaign_placements: "minusMs",
  campaign_name: "minusMs",
  campaign_stop: "statusMs",
  campaign_deletion: "statusMs",
  campaign_items: "minusMs",
  enrolment: "filedMs",
  minus_phrase: "minusMs",
  item_bid: "bidMs",
  cluster_bid: "bidMs",
  supply_creation: "assemblyMs",
  order_in_supply: "assemblyMs",
  order_mark: "assemblyMs",
  label_deletion: "assemblyMs",
  shipping_units: "assemblyMs",
  supply_delivery: "assemblyMs",
  order_cancellation: "assemblyMs",
  supply_deletion: "assemblyMs",
  pass_creation: "assemblyMs"
}
