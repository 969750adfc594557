/**
 * Supplies that turns made, under rules that have no policy of orders any more: nothing would be due to name them. A turn looks each
 * half hour until it finds none; how it ended is kept with its due time, so that a restart asks nothing again.
 */

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { ChangeLog } from "../door/ChangeLog.js"
import * as SupplyCreation from "../kinds/fulfilment/SupplyCreation.js"
import { type DueRecord, DueTimes } from "../schedule/DueTimes.js"
import type { CycleResult, Job } from "../schedule/Job.js"

/** The turn that looks. A blank stands in no policy's id. */
export const job: Pick<Job, "id" | "lane" | "schedule"> = {
  id: "supplies left open",
  lane: "orders",
  schedule: { every: 30 * Days.minuteMs, tz: "UTC" }
}

/** How a look ends that finds none. */
export const none: CycleResult = {
  _tag: "Done",
  planId: undefined,
  runId: undefined,
  said: "no supply that a turn made is open any more: nothing looks for them from now on",
  ends: "over"
}

/** How a look ends that the token may not have: its owner may have wanted so. */
export const barred = (why: string): CycleResult => ({
  _tag: "Done",
  planId: undefined,
  runId: undefined,
  said: `nobody knows whether supplies that turns made are still open; the next look is in a day, and bidhelm plan --lane orders looks at once: ${why}`,
  ends: "barred"
})

const barredForMs = Days.dayMs

/** Whether a turn made a supply that may be open yet: the marketplace tells a turn that looks. */
export const mayBe = (account: string): Effect.Effect<boolean, StoreFailure, ChangeLog | DueTimes> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const last = (yield* (yield* DueTimes).last({ account, lane: job.lane }, nowMs)).get(job.id)
    const sinceMs = last !== undefined && isEnd(last, nowMs) ? last.updatedAt : undefined
    const rows = yield* (yield* ChangeLog).ofSlotsNamed(account, `${SupplyCreation.prefix}:`, sinceMs)
    return rows.some(
      ({ change, state }) =>
        change.kind === SupplyCreation.name && change.details.wave !== undefined && state !== "rejected"
    )
  })

const isEnd = ({ state, updatedAt }: DueRecord, nowMs: number): boolean =>
  state === "over" || (state === "barred" && nowMs - updatedAt < barredForMs)
