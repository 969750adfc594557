/** Records that the supply and shipping-unit operations answer with (contract `records`); one shape for all readers. */
import * as Schema from "effect/Schema"
import { SupplyId, UnitId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import { flag, text, whole } from "./Shapes.js"

/** What every operation of the area shares. */
export const area = {
  area: "supplies",
  host: "marketplace",
  tokenCategory: "marketplace",
  limitGroup: "marketplace.general",
  limits: { personal: Operation.limit("1 min", 300, 20), base: "same" },
  errorShape: "code",
  testHost: true
} as const

/** `svg`, `zplv` (vertical), `zplh` (horizontal) or `png`. */
export const CodeFormat = Schema.Literal("svg", "zplv", "zplh", "png")
export type CodeFormat = typeof CodeFormat.Type

/**
 * Until its first order a supply has `cargoType` 0 and null `crossBorderType` and `isB2b` (field note O29);
 * `recommendedWhId` 0 means none. The last five fields are set by operations outside the contract (O20).
 */
export const Supply = Schema.Struct({
  id: SupplyId,
  name: text,
  done: flag,
  createdAt: text,
  closedAt: text,
  scanDt: text,
  cargoType: whole,
  crossBorderType: whole,
  isB2b: flag,
  isPickupPointShipmentAllowed: flag,
  destinationOfficeId: whole,
  recommendedWhId: whole,
  shippingDt: text,
  shippingPointId: whole,
  shippingType: text,
  waybillUuid: text,
  spotAvailable: flag
})

export const ShippingUnit = Schema.Struct({ id: UnitId })

/** A code to print, of a supply or a unit: its value, and a base64 file in the asked format. */
export const Code = Schema.Struct({ barcode: text, file: text })
