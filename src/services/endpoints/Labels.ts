/** Seed 000, "Label identifiers". */
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"

export const group = HttpApiGroup.make("labels")
