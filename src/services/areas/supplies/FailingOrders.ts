/** Which orders a refused hand-over names: `MetaValidationFail` carries `data.orders` (not-shown §3.2, field note O18). */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Wire from "../../endpoints/Labels.js"
import type { Refused } from "../../MarketplaceError.js"
import * as LabelRecords from "../labels/LabelRecords.js"

const decode = Schema.decodeUnknownOption(Wire.OrderLabels)

/** The orders that failed with the identifiers the refusal names; empty when it names none that can be read. */
export const failingOrders = (error: Refused): ReadonlyArray<LabelRecords.OrderLabels> =>
  Predicate.isRecord(error.data) && Array.isArray(error.data.orders)
    ? error.data.orders.flatMap((row: unknown) =>
        Option.toArray(Option.map(decode(row), LabelRecords.fromWire))
      )
    : []
