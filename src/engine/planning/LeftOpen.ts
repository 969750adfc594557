/** Supplies that turns made, under rules that have no policy of orders any more: nothing would be due to name them. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { ChangeLog } from "../door/ChangeLog.js"
import * as SupplyCreation from "../kinds/fulfilment/SupplyCreation.js"
import type { Job } from "../schedule/Job.js"

/** Supplies that turns made go within days; one that is older is missed by somebody. */
const missedAfterMs = 7 * 86_400_000

/** Whether a turn made a supply that may be open yet: the marketplace tells a turn that looks. */
export const mayBe = (account: string): Effect.Effect<boolean, StoreFailure, ChangeLog> =>
  Effect.gen(function* () {
    const sinceMs = (yield* Clock.currentTimeMillis) - missedAfterMs
    const rows = yield* (yield* ChangeLog).ofSlotsNamed(account, `${SupplyCreation.prefix}:`, sinceMs)
    return rows.some(
      ({ change, state }) =>
        change.kind === SupplyCreation.name && change.details.wave !== undefined && state !== "rejected"
    )
  })

/** The turn that looks. A blank stands in no policy's id. */
export const job: Pick<Job, "id" | "lane" | "schedule"> = {
  id: "supplies left open",
  lane: "orders",
  schedule: { every: 1_800_000, tz: "UTC" }
}
