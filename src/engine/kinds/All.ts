/** The record of every kind of change, by its name. A kind joins the program here and in `Parts.ts`. */
import * as CampaignDeletion from "./CampaignDeletion.js"
import * as CampaignItems from "./CampaignItems.js"
import * as CampaignName from "./CampaignName.js"
import * as CampaignStop from "./CampaignStop.js"
import type { Of } from "./Change.js"
import * as ClusterBid from "./ClusterBid.js"
import * as Deposit from "./Deposit.js"
import * as Enrolment from "./Enrolment.js"
import * as LabelDeletion from "./fulfilment/LabelDeletion.js"
import * as OrderCancellation from "./fulfilment/OrderCancellation.js"
import * as OrderInSupply from "./fulfilment/OrderInSupply.js"
import * as OrderMark from "./fulfilment/OrderMark.js"
import * as PassCreation from "./fulfilment/PassCreation.js"
import * as ShippingUnits from "./fulfilment/ShippingUnits.js"
import * as SupplyCreation from "./fulfilment/SupplyCreation.js"
import * as SupplyDeletion from "./fulfilment/SupplyDeletion.js"
import * as SupplyDelivery from "./fulfilment/SupplyDelivery.js"
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
  supply_creation: SupplyCreation.kind,
  order_in_supply: OrderInSupply.kind,
  order_mark: OrderMark.kind,
  label_deletion: LabelDeletion.kind,
  shipping_units: ShippingUnits.kind,
  supply_delivery: SupplyDelivery.kind,
  order_cancellation: OrderCancellation.kind,
  supply_deletion: SupplyDeletion.kind,
  pass_creation: PassCreation.kind,
  item_bid: ItemBid.kind,
  cluster_bid: ClusterBid.kind
} satisfies { readonly [K in KindName]: Kind<Of<K>> }
