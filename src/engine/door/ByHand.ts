/**
 * Calls made by hand (`bidhelm call`) right before a run: for minutes the marketplace still shows what was there before
 * them, so that a run would write over them, or pay a second time. It waits until they can be seen; then what they
 * changed is left alone like any other edit.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { Change } from "../kinds/Change.js"
import { Journal, type RunRecord } from "./Journal.js"
import * as Since from "./Since.js"
import { Stopping } from "./Stopping.js"
import * as WriteClass from "./WriteClass.js"
import { Writer } from "./Writer.js"

/** More calls than can be made by hand while one of them cannot be seen yet are not looked for. */
const mostCalls = 100

/** Waits until calls about campaigns of these changes can be seen. Call it while holding the apply lock. */
export const seen = (
  account: string,
  changes: ReadonlyArray<Change>
): Effect.Effect<void, StoreFailure, Journal | Writer> =>
  Effect.gen(function* () {
    if (changes.length === 0) return
    const { visibilityMs } = yield* Writer
    const longest = (some: ReadonlyArray<Change>) =>
      some.reduce((most, change) => Math.max(most, visibilityMs(change)), 0)
    const nowMs = yield* Clock.currentTimeMillis
    // A call may have set anything, whatever these changes set.
    const longestMs = longest(changes)
    const runs = yield* (yield* Journal).runs(account, mostCalls)
    const fresh = runs.filter((run) => isWrite(run) && Math.abs(nowMs - endOf(run, nowMs)) < longestMs)
    const named = new Set(fresh.flatMap(({ planId }) => planId.match(/\d+/g) ?? []))
    const met = changes.filter(({ subject: target }) => named.has(`${target.campaignId}`))
    if (met.length === 0) return
    const { asked } = yield* Stopping
    const ends = fresh.map((run) => endOf(run, nowMs))
    const visible = Since.sleep(Math.max(...ends), longest(met))
    yield* Effect.raceFirst(visible, asked)
  })

/** What it was is told by its counts, in which its operation is counted (`cli/call/RawCall.ts`); what was refused did nothing. */
const isWrite = ({ counts, runId, status }: RunRecord): boolean =>
  runId.startsWith("call-") &&
  status !== "failed" &&
  Object.keys(counts).some((operation) => Object.hasOwn(WriteClass.ofOperation, operation))

const endOf = ({ finishedAt }: RunRecord, nowMs: number): number => finishedAt ?? nowMs
