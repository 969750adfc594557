/** Seed 000, "Assembly orders". */
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"

export const group = HttpApiGroup.make("orders")
