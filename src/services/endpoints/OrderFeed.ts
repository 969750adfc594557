/** Seed 002, "Order feed". `sellerPrice` is base units with a fraction: read it by its digits. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as Days from "../../domain/Days.js"
import * as Operation from "../Operation.js"
import * as Periods from "./Periods.js"
import { flag, list, number, text, underData, whole } from "./Shapes.js"

/** ISO 8601 with an offset: `2026-11-20T00:00:00+03:00`. */
const Instant = Schema.String.pipe(
  Schema.pattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/, {
    description: "an instant with its offset, such as 2026-11-20T00:00:00+03:00"
  }),
  Schema.filter((instant) => !Number.isNaN(Date.parse(instant)) || `"${instant}" is no instant`)
).annotations({
  arbitrary: () => (fc) =>
    fc
      .tuple(fc.integer({ min: 0, max: 27 }), fc.integer({ min: 10, max: 23 }))
      .map(([day, hour]) => `${Days.shift(Days.Day("2026-11-01"), day)}T${hour}:00:00+03:00`)
})

/** The longest period, milliseconds. */
const longestMs = 31 * 86_400_000

/** By time of the current status (field note A10); without an end, up to now. */
const Selected = Schema.Struct({ start: Instant, end: Schema.optional(Instant) }).pipe(
  Schema.filter(({ start, end }) => {
    if (end === undefined) return true
    const ms = Date.parse(end) - Date.parse(start)
    return (ms >= 0 && ms <= longestMs) || "the period must end after its start and span at most 31 days"
  })
)

/** One assembly order, which is one item. Codes are open: `status` and `cancelType` stay text (A10). */
export const FeedRow = Schema.Struct({
  nmId: whole,
  chrtId: whole,
  srid: text,
  createdAt: text,
  updatedAt: text,
  status: text,
  cancelType: text,
  warehouseName: text,
  warehouseRegion: text,
  isMp: flag,
  destinationCity: text,
  destinationDistrict: text,
  sellerPrice: number,
  isB2b: flag
})

const getOrderFeed = Operation.read(
  HttpApiEndpoint.post("getOrderFeed", "/api/analytics/v1/order-feed")
    .setPayload(
      Schema.Struct({
        selectedPeriod: Selected,
        ...Periods.nmIds(1000),
        ...Periods.filters(50),
        pagination: Schema.optional(
          Schema.Struct({
            /** As the first answer spelled it (A09). */
            snapshotTime: Schema.optional(Schema.NonEmptyString),
            offset: Schema.optional(Periods.Offset),
            limit: Schema.optional(Periods.limitUpTo(10_000))
          })
        )
      })
    )
    .addSuccess(underData(Schema.Struct({ snapshotTime: text, currency: text, orders: list(FeedRow) }))),
  {
    area: "orderFeed",
    host: "analytics",
    tokenCategory: "analytics",
    limits: { personal: Operation.limit("1 min", 1, 1), base: Operation.limit("3 h", 1, 1) },
    errors: [400, 401, 402, 403, 429],
    errorShape: "detail",
    batch: { field: "nmIds", max: 1000 },
    paging: { kind: "snapshot", rows: "data.orders", most: 10_000 },
    entries: Operation.whole("orders are counted over all pages of one snapshot"),
    notes: ["A09", "A10"]
  }
)

export const group = HttpApiGroup.make("orderFeed").add(getOrderFeed)
