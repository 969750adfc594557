/** The record of every kind of change, by its name. A kind joins the program here and in `Parts.ts`. */
import * as CampaignDeletion from "./CampaignDeletion.js"
import * as CampaignItems from "./CampaignItems.js"
import * as CampaignName from "./CampaignName.js"
import * as CampaignStop from "./CampaignStop.js"
import type { Of } from "./Change.js"
import * as ClusterBid from "./ClusterBid.js"
import * as Deposit from "./Deposit.js"
import * as Enrolment from "./Enrolment.js"
import * as ItemBid from "./ItemBid.js"
import type { Kind } from "./Kind.js"
import * as MinusPhrase from "./MinusPhrase.js"
import type { KindName } from "./Parts.js"
import * as Placements from "./Placements.js"
import * as Status from "./Status.js"

export const all = {
  campaign_deposit: Deposit.kind,
  campaign_status: Status.kind,
  campaign_placements: Placements.kind,
  campaign_name: CampaignName.kind,
  campaign_stop: CampaignStop.kind,
  campaign_deletion: CampaignDeletion.kind,
  campaign_items: CampaignItems.kind,
  minus_phrase: MinusPhrase.kind,
  enrolment: Enrolment.kind,
  item_bid: ItemBid.kind,
  cluster_bid: ClusterBid.kind
} satisfies { readonly [K in KindName]: Kind<Of<K>> }
