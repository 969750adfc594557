/** Branded identifiers. A number or text that names something never mixes with one that names something else. */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"

const id = <B extends string>(brand: B) => Schema.Int.pipe(Schema.positive(), Schema.brand(brand))

/** Advertising campaign id (wire: `id`, `advert_id`, `advertId`). */
export const CampaignId = id("CampaignId")
export type CampaignId = typeof CampaignId.Type

/** Item (article) id of the marketplace (wire: `nm_id`, `nmId`, `nm`). */
export const ItemId = id("ItemId")
export type ItemId = typeof ItemId.Type

/** Promotion id of the promo calendar. */
export const PromotionId = id("PromotionId")
export type PromotionId = typeof PromotionId.Type

/** Assembly order id (wire: `id`, `orderId`, `orderID`; field note O27). One order is one unit of goods. */
export const OrderId = id("OrderId")
export type OrderId = typeof OrderId.Type

/** Supply id, `PLATFORM-GI-<digits>`; the test environment puts letters between (not-shown §5). */
export const SupplyId = Schema.String.pipe(
  Schema.pattern(/^PLATFORM-GI-[A-Z0-9-]*\d$/, { description: "a supply such as PLATFORM-GI-1234567" }),
  Schema.brand("SupplyId")
)
export type SupplyId = typeof SupplyId.Type

/** Shipping unit id, `PLATFORM-TRBX-<digits>`. */
export const UnitId = Schema.String.pipe(
  Schema.pattern(/^PLATFORM-TRBX-[A-Z0-9-]*\d$/, { description: "a unit such as PLATFORM-TRBX-1234567" }),
  Schema.brand("UnitId")
)
export type UnitId = typeof UnitId.Type

/** Pass that admits a vehicle to a platform warehouse. */
export const PassId = id("PassId")
export type PassId = typeof PassId.Type

/** Office (platform warehouse) id. */
export const OfficeId = id("OfficeId")
export type OfficeId = typeof OfficeId.Type

/** Size of an item (wire: `chrtId`, `chrtID`). */
export const SizeId = id("SizeId")
export type SizeId = typeof SizeId.Type

/** Id of a CSV report task: a UUID chosen by the caller (field note A22). */
export const ReportId = Schema.UUID.pipe(Schema.brand("ReportId"))
export type ReportId = typeof ReportId.Type

/** Text of a search cluster exactly as the marketplace spells it (wire: `norm_query`, `normQuery`). */
export const Cluster = Schema.String.pipe(Schema.brand("Cluster"))
export type Cluster = typeof Cluster.Type

/** File stem of a policy, such as `01-raise-to-reach-max`. */
export type PolicyId = string & Brand.Brand<"PolicyId">
export const PolicyId = Brand.nominal<PolicyId>()

/** Name of a seller account as written in `bidhelm.yaml`. */
export type AccountName = string & Brand.Brand<"AccountName">
export const AccountName = Brand.nominal<AccountName>()

/** Identity of a plan: a hash of its content, so equal plans have equal ids. */
export type PlanId = string & Brand.Brand<"PlanId">
export const PlanId = Brand.nominal<PlanId>()

/** Identity of one change inside a plan: plan id and slot. */
export type ChangeId = string & Brand.Brand<"ChangeId">
export const ChangeId = Brand.nominal<ChangeId>()

/** So much of a change's id names it to `undo`, `resolve` and `approve`. */
export const shortChange = (id: string): string => id.slice(0, 8)
