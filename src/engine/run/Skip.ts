/** Changes of a run that are not sent after all: `skipped`, with the reason. What has left its plan already stays. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Change } from "../kinds/Change.js"
import { Journal } from "./Journal.js"
import type { StoreFailure } from "./Ports.js"

/** `why` is what history tells of each of them. */
export const planned = (
  runId: string,
  changes: ReadonlyArray<Change>,
  why: string
): Effect.Effect<void, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const ids = changes.map(({ id }) => id)
    yield* (yield* Journal).move(runId, ids, ["planned"], "skipped", { nowMs, detail: why })
  })
