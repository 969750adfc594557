/** Seed 002, "Sales funnel". */
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"

export const group = HttpApiGroup.make("funnel")
