/** Seed 002, "CSV reports". */
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"

export const group = HttpApiGroup.make("csvReports")
