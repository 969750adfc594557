/**
 * The course of one CSV report: stored, asked for, waited for, downloaded (seed 002 "CSV report task"). Every step is
 * on disk before the call that takes it, so a task that was broken off anywhere is taken up where it stood: whether
 * the marketplace knows it is looked up before it is asked for again, under the same id (field notes A22, T16).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import type { ReportId } from "../../../domain/Ids.js"
import type { Client } from "../../MarketplaceClient.js"
import { type CallError, effectOf } from "../../MarketplaceError.js"
import type { ReportStore, ReportStoreFailure, StoredReport } from "../../ports/ReportStore.js"
import type { Request } from "./ReportOrder.js"
import type { ReportPoll } from "./ReportPoll.js"
import * as ReportStatus from "./ReportStatus.js"
import { ReportStopped, refused } from "./ReportStopped.js"

/** A finished report as it came: a ZIP or a plain CSV (`ReportRows.read`). */
export interface ReportFile {
  readonly id: ReportId
  readonly request: Request
  readonly bytes: Uint8Array
  /** Until when the marketplace keeps it, epoch milliseconds; undefined when it did not say when it was made. */
  readonly keptUntil: number | undefined
}

/** Takes the raw file before the task counts as done; the marketplace forgets it after 48 hours (A24). */
export type Keep<E, R> = (file: ReportFile) => Effect.Effect<unknown, E, R>

export type ReportError = CallError | ReportStoreFailure | ReportStopped

export interface Desk {
  readonly client: Client
  readonly store: typeof ReportStore.Service
  readonly poll: ReportPoll
  /** How long a task is waited for, milliseconds, from when it is taken up. */
  readonly patienceMs: number
}

/** Calls that ask again after FAILED. */
export const mostRetries = 2

/** Create calls of one task, the first included. */
const mostCreates = 3

/** Sees an open task through to its file. */
export const run = <E, R>(
  desk: Desk,
  task: { readonly stored: StoredReport; readonly request: Request },
  keep: Keep<E, R>
): Effect.Effect<ReportFile, ReportError | E, R> =>
  Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + desk.patienceMs
    const asked = yield* ensureAsked(desk, task.stored, task.request, until)
    const ready = yield* awaited(desk, asked, until)
    const { bytes, keptUntil } = yield* downloaded(desk, ready)
    const file: ReportFile = { id: asked.id, request: task.request, bytes, keptUntil }
    yield* keep(file)
    yield* save(desk, ready, { state: "done" })
    return file
  }).pipe(desk.poll.watching(task.stored.id))

/** Creates the task unless the marketplace knows it. */
const ensureAsked = (
  desk: Desk,
  stored: StoredReport,
  request: Request,
  until: number
): Effect.Effect<StoredReport, ReportError> =>
  Effect.gen(function* () {
    let report = stored
    let creates = 0
    while (report.state === "stored") {
      const again = report.askedAt !== undefined
      // It may have arrived: look for it before anything else.
      if (again && (yield* look(desk, report, until)) !== undefined) break
      report = yield* save(desk, report, { askedAt: yield* Clock.currentTimeMillis })
      const answer = yield* Effect.either(desk.client.read("createCsvReport", { payload: request }))
      creates += 1
      if (Either.isRight(answer)) break
      if (effectOf(answer.left) === "none") return yield* notCreated(desk, report, answer.left, again, until)
      if (creates >= mostCreates) return yield* answer.left
    }
    return yield* save(desk, report, { state: "asked" })
  })

/**
 * A create call that changed nothing. A refusal is final, unless an earlier call arrived after all and the id is
 * refused for being taken.
 */
const notCreated = (
  desk: Desk,
  report: StoredReport,
  error: CallError,
  again: boolean,
  until: number
): Effect.Effect<StoredReport, ReportError> =>
  Effect.gen(function* () {
    if (again && (yield* look(desk, report, until)) !== undefined) {
      return yield* save(desk, report, { state: "asked" })
    }
    if (error._tag !== "Refused") {
      yield* save(desk, report, { askedAt: again ? report.askedAt : undefined })
      return yield* error
    }
    yield* save(desk, report, { state: "failed", detail: error.text })
    return yield* refused(report.id, error.text)
  })

/** Waits until the marketplace has finished; answers the task with the moment it did. */
const awaited = (desk: Desk, asked: StoredReport, until: number): Effect.Effect<StoredReport, ReportError> =>
  Effect.gen(function* () {
    // Finished once and forgotten by now: the list would not know it for as long as anybody asks.
    if ((yield* Clock.currentTimeMillis) >= (keptUntilOf(asked) ?? Number.POSITIVE_INFINITY)) return asked
    let report = asked
    let since = yield* firstLook(report)
    let heard = "nothing"
    while ((yield* Clock.currentTimeMillis) <= until) {
      const task = yield* patiently(desk, report.id, since)
      since = (yield* Clock.currentTimeMillis) + 1
      if (task === undefined) continue
      const status = ReportStatus.of(task)
      heard = task.status ?? "no status"
      if (status._tag === "Ready") return yield* save(desk, report, { readyAt: status.readyAt })
      if (status._tag !== "Failed") continue
      report = yield* retried(desk, report)
      since = yield* firstLook(report)
    }
    return yield* new ReportStopped({
      id: report.id,
      reason: "overdue",
      text: `not ready after ${Math.round(desk.patienceMs / 60_000)} minutes; the last heard of it: ${heard}`,
      earliest: undefined
    })
  })

/** Asks for a failed task again, at most twice (reliability: then it is the marketplace's fault). */
const retried = (desk: Desk, report: StoredReport): Effect.Effect<StoredReport, ReportError> =>
  Effect.gen(function* () {
    if (report.retries >= mostRetries) {
      const text = `the marketplace could not make it, also not after ${mostRetries} more tries`
      yield* save(desk, report, { state: "failed", detail: text })
      return yield* new ReportStopped({ id: report.id, reason: "failed", text, earliest: undefined })
    }
    const next = yield* save(desk, report, {
      retries: report.retries + 1,
      askedAt: yield* Clock.currentTimeMillis
    })
    return yield* desk.client.api.csvReports.retryCsvReport({ payload: { downloadId: report.id } }).pipe(
      Effect.as(next),
      Effect.catchAll((error) => {
        // Whether it arrived, and whether it was needed, the next look tells.
        if (effectOf(error) === "unknown" || error._tag === "Refused") return Effect.succeed(next)
        const { askedAt, retries } = report
        return Effect.zipRight(save(desk, next, { askedAt, retries }), Effect.fail(error))
      })
    )
  })

const downloaded = (desk: Desk, report: StoredReport) =>
  Effect.gen(function* () {
    const keptUntil = keptUntilOf(report)
    const gone = Effect.gen(function* () {
      const text = "the marketplace kept it for 48 hours and it was not downloaded in that time"
      yield* save(desk, report, { state: "failed", detail: text })
      return yield* new ReportStopped({ id: report.id, reason: "expired", text, earliest: undefined })
    })
    const late = Effect.map(Clock.currentTimeMillis, (nowMs) => keptUntil !== undefined && nowMs >= keptUntil)
    if (yield* late) return yield* gone
    const bytes = yield* desk.client.api.csvReports
      .downloadCsvReport({ path: { downloadId: report.id } })
      .pipe(
        Effect.catchTag("Refused", (error) => Effect.if(late, { onTrue: () => gone, onFalse: () => error }))
      )
    return { bytes, keptUntil }
  })

const keptUntilOf = ({ readyAt }: StoredReport): number | undefined =>
  readyAt === undefined ? undefined : readyAt + ReportStatus.keptMs

/** The first look comes 15 to 20 seconds after the call (field note A21). */
const firstLook = ({ askedAt, storedAt }: StoredReport): Effect.Effect<number> =>
  Effect.map(Random.nextIntBetween(15_000, 20_000), (ms) => (askedAt ?? storedAt) + ms)

/** The task as the marketplace knows it, undefined when it does not; waits out failures that pass. */
const look = (desk: Desk, report: StoredReport, until: number) =>
  Effect.gen(function* () {
    let since = Math.max(yield* firstLook(report), yield* Clock.currentTimeMillis)
    for (;;) {
      const told = yield* Effect.either(desk.poll.news(report.id, since))
      if (Either.isRight(told)) return told.right
      since = (yield* Clock.currentTimeMillis) + 1
      if (!passes(told.left) || since > until) return yield* told.left
    }
  })

/** News, or none where the call failed in a way that passes. */
const patiently = (desk: Desk, id: ReportId, since: number) =>
  Effect.catchIf(desk.poll.news(id, since), passes, () => Effect.succeed(undefined))

const passes = ({ _tag }: CallError): boolean =>
  _tag === "Throttled" || _tag === "Transport" || _tag === "Unavailable" || _tag === "Undecodable"

const save = (
  desk: Desk,
  report: StoredReport,
  change: Partial<StoredReport>
): Effect.Effect<StoredReport, ReportStoreFailure> =>
  Effect.gen(function* () {
    const next: StoredReport = { ...report, ...change, updatedAt: yield* Clock.currentTimeMillis }
    yield* desk.store.save(next)
    return next
  })
