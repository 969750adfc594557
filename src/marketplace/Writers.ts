/** Writes the engine's changes through the services: grouped, merged where needed, never sent twice. */

import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Writer } from "../engine/door/Writer.js"
import type { Change, KindName } from "../engine/kinds/Change.js"
import * as ClusterBid from "../engine/kinds/ClusterBid.js"
import * as Deposit from "../engine/kinds/Deposit.js"
import * as ItemBid from "../engine/kinds/ItemBid.js"
import * as Kinds from "../engine/kinds/Kinds.js"
import * as MinusPhrase from "../engine/kinds/MinusPhrase.js"
import * as PlacementsKind from "../engine/kinds/Placements.js"
import * as Status from "../engine/kinds/Status.js"
import * as Clusters from "../services/areas/advertising/Clusters.js"
import * as Finance from "../services/areas/advertising/Finance.js"
import * as Management from "../services/areas/advertising/Management.js"
import { type Client, MarketplaceClient } from "../services/MarketplaceClient.js"
import * as ClusterBids from "./writes/ClusterBids.js"
import * as Deposits from "./writes/Deposits.js"
import * as ItemBids from "./writes/ItemBids.js"
import * as LiveValues from "./writes/LiveValues.js"
import * as MinusLists from "./writes/MinusLists.js"
import * as Placements from "./writes/Placements.js"
import * as Purses from "./writes/Purses.js"
import * as Statuses from "./writes/Statuses.js"

/** How long until a change can be seen, milliseconds. */
export interface Visibility {
  readonly bidMs: number
  readonly statusMs: number
  readonly minusMs: number
}

/** Bids take effect every 30 s, statuses every minute, the database every 3 minutes (seed 001, field note M02). */
export const visibility: Visibility = { bidMs: 90_000, statusMs: 180_000, minusMs: 200_000 }

/** The writer of the client's account. A sandbox with a fast clock is given a shorter `visibility`. */
export const layer = (seen: Visibility = visibility): Layer.Layer<Writer, never, MarketplaceClient> =>
  Layer.effect(
    Writer,
    Effect.map(MarketplaceClient, (client) => make(client, seen))
  )

export const make = (client: Client, seen: Visibility = visibility): typeof Writer.Service => {
  const clusters = Clusters.make(client)
  const management = Management.make(client)
  return {
    readLive: (changes) => LiveValues.read(client, changes),
    batches: (changes) =>
      Effect.map(MinusLists.batches(clusters, changes.filter(isKind(MinusPhrase.name))), (minus) => [
        ...Deposits.batches(Finance.make(client), changes.filter(isKind(Deposit.name))),
        ...Statuses.batches(management, changes.filter(isKind(Status.name))),
        ...Placements.batches(management, changes.filter(isKind(PlacementsKind.name))),
        ...minus,
        ...ItemBids.batches(management, changes.filter(isKind(ItemBid.name))),
        ...ClusterBids.batches(client, clusters, changes.filter(isKind(ClusterBid.name)))
      ]),
    visibilityMs: (change) => visibilityOf(change, seen),
    purse: (change, spentFrom) => Purses.read(Finance.make(client), change.target.campaignId, spentFrom)
  }
}

/** Budgets and placements are in the database like minus phrases (seed 001 "Timing"). */
const visibilityOf = (change: Change, seen: Visibility): number =>
  change.kind === Status.name ? seen.statusMs : Kinds.isSteered(change) ? seen.bidMs : seen.minusMs

const isKind =
  (name: KindName) =>
  ({ kind }: Change): boolean =>
    kind === name
