/** Seed 002, "Order feed". */
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"

export const group = HttpApiGroup.make("orderFeed")
