/** Seed 002, "Inventory". */
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"

export const group = HttpApiGroup.make("inventory")
