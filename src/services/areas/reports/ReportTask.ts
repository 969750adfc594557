/**
 * The course of one CSV report: stored, asked for, waited for, downloaded (seed 002 "CSV report task"). Every step is
 * on disk before the call that takes it, so a task that was broken off anywhere is taken up where it stood: whether
 * the marketplace knows it is looked up before it is asked for again, under the same id (field notes A22, T16).
 */

import { randomUUID } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import * as Days from "../../../domain/Days.js"
import { ReportId } from "../../../domain/Ids.js"
import { type CsvTask, mostDays, ReportRequest } from "../../endpoints/CsvReports.js"
import { ofRange } from "../../endpoints/Periods.js"
import type { Client } from "../../MarketplaceClient.js"
import { type CallError, effectOf } from "../../MarketplaceError.js"
import type { ReportStore, ReportStoreFailure, StoredReport } from "../../ports/ReportStore.js"
import * as Reach from "../analytics/Reach.js"
import * as OrderDates from "../orders/OrderDates.js"
import type { ReportType } from "./ReportRow.js"

/** A finished report as it came: a ZIP or a plain CSV (`ReportFile.read`). */
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
const mostRetries = 2

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
      const status = statusOf(task)
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
  readyAt === undefined ? undefined : readyAt + keptMs

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

/** Where the marketplace stands with a report task (not-shown §7.3). */
export type ReportStatus =
  | { readonly _tag: "Waiting" }
  | { readonly _tag: "Processing" }
  /** The marketplace will try again by itself. */
  | { readonly _tag: "Retrying" }
  /** `readyAt` epoch milliseconds; undefined when it could not be read. */
  | { readonly _tag: "Ready"; readonly readyAt: number | undefined }
  | { readonly _tag: "Failed" }
  /** A word that came later: taken as being on its way. */
  | { readonly _tag: "Unknown"; readonly word: string }

/** How long a finished report is kept. */
const keptMs = 48 * 3_600_000

export const statusOf = ({ createdAt, status }: typeof CsvTask.Type): ReportStatus => {
  switch (status) {
    case "WAITING":
      return { _tag: "Waiting" }
    case "PROCESSING":
      return { _tag: "Processing" }
    case "RETRY":
      return { _tag: "Retrying" }
    case "SUCCESS":
      return { _tag: "Ready", readyAt: moscowTime(createdAt) }
    case "FAILED":
      return { _tag: "Failed" }
    default:
      return { _tag: "Unknown", word: status ?? "" }
  }
}

/** `YYYY-MM-DD HH:MM:SS` without a zone is Moscow time (field note T13); one with a zone is taken at its word. */
export const moscowTime = (text: string | undefined): number | undefined =>
  OrderDates.instant(text?.trim().replace(" ", "T"))

// A report that will not come, and why.

const next = {
  refused: "Mend the order and ask again",
  failed: "Ask for it again later, or for a shorter period",
  expired: "Ask for it again and fetch it within 48 hours",
  overdue: "It stays open: run again to take it up where it stands"
} as const

class ReportStopped extends Data.TaggedError("ReportStopped")<{
  /** Undefined when the order was refused before it had one. */
  readonly id: ReportId | undefined
  /** `overdue` leaves the task open; the others are final. */
  readonly reason: keyof typeof next
  readonly text: string
  /** First day the marketplace has data for, where its refusal named one (field note A24). */
  readonly earliest: Days.Day | undefined
}> {
  override get message(): string {
    const from = this.earliest === undefined ? "" : ` from ${this.earliest} on`
    return `report ${this.id ?? ""}: ${this.text}. ${next[this.reason]}${from}`.replace("report :", "report:")
  }
}

/** A refusal in the marketplace's words. */
export const refused = (id: ReportId | undefined, text: string): ReportStopped => {
  const [day] = /\d{4}-\d{2}-\d{2}/.exec(text) ?? []
  return new ReportStopped({
    id,
    reason: "refused",
    text: text.replace(/[\s.]+$/, ""),
    earliest: day === undefined ? undefined : Days.parse(day)
  })
}

// One list call tells how all open tasks of an account stand (field note A21): whoever waits for news shares the next
// call, and no two are closer than the interval of its bucket.

type Task = typeof CsvTask.Type

interface ReportPoll {
  /** While the effect runs, calls of others ask for this task too. */
  readonly watching: (id: ReportId) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** How a watched task stood at `sinceMs` or later; undefined when the marketplace does not know it. */
  readonly news: (id: ReportId, sinceMs: number) => Effect.Effect<Task | undefined, CallError>
}

interface Answer {
  /** When the call was begun and when it ended: news is as old as the one, the bucket is as full as the other. */
  readonly begunAt: number
  readonly endedAt: number
  readonly tasks: Either.Either<ReadonlyMap<string, Task>, CallError>
}

/** `intervalMs` between two calls, which is the refill of the bucket. */
export const makePoll = (api: Client["api"], intervalMs: number): ReportPoll => {
  const turn = Effect.unsafeMakeSemaphore(1)
  const watched = new Map<ReportId, number>()
  let last: Answer | undefined

  const watch = (id: ReportId, by: 1 | -1) =>
    Effect.sync(() => {
      const count = (watched.get(id) ?? 0) + by
      if (count > 0) watched.set(id, count)
      else watched.delete(id)
    })

  const ask = Effect.gen(function* () {
    const begunAt = yield* Clock.currentTimeMillis
    const tasks = yield* Effect.either(list(api, [...watched.keys()].sort()))
    last = {
      begunAt,
      endedAt: yield* Clock.currentTimeMillis,
      tasks: Either.map(tasks, (found) => new Map(found.map((task) => [task.id.toLowerCase(), task])))
    }
  })

  const news: ReportPoll["news"] = (id, sinceMs) =>
    Effect.gen(function* () {
      let answer = last
      while (answer === undefined || answer.begunAt < sinceMs) {
        const seen = answer
        const due = Math.max(sinceMs, (seen?.endedAt ?? 0) + intervalMs)
        const nowMs = yield* Clock.currentTimeMillis
        if (nowMs < due) yield* Effect.sleep(due - nowMs)
        yield* turn.withPermits(1)(Effect.suspend(() => (last === seen ? ask : Effect.void)))
        answer = last
      }
      return yield* Either.map(answer.tasks, (tasks) => tasks.get(id))
    })

  return {
    watching: (id) => (effect) =>
      Effect.acquireUseRelease(
        watch(id, 1),
        () => effect,
        () => watch(id, -1)
      ),
    news
  }
}

/** One id the marketplace does not know spoils a filtered call (400, field note A23): then all recent tasks are read. */
const list = (
  api: Client["api"],
  ids: ReadonlyArray<ReportId>
): Effect.Effect<ReadonlyArray<Task>, CallError> =>
  api.csvReports.listCsvReports({ urlParams: { "filter[downloadIds]": ids } }).pipe(
    Effect.catchIf(
      (error) => error._tag === "Refused" && error.status === 400,
      () => api.csvReports.listCsvReports({ urlParams: {} })
    ),
    Effect.map(({ data }) => data)
  )

// What a caller wants reported, and how it becomes the body of a create call under an id of its own.

export type Request = typeof ReportRequest.Type
type WithoutId<R> = R extends { readonly id: unknown } ? Omit<R, "id"> : never

/** A report by its type, with the parameters of that type; its name must be plain text (field note A24). */
export type ReportOrder<T extends ReportType = ReportType> = Extract<
  WithoutId<Request>,
  { readonly reportType: T }
>

/**
 * A fresh UUID of version 4. Re-using an id spoils its report (field note A22), so it is not drawn from Effect's
 * `Random`: that starts every process from one of 2^31 seeds, and few reports a day would meet an old id.
 */
export const freshId: Effect.Effect<ReportId> = Effect.sync(() => ReportId.make(randomUUID()))

/**
 * The create call's body: the order under an id, its days clipped to what the marketplace keeps (one year, three
 * months for stock, not after today; field note A24). A text when no day is left or the order breaks a bound.
 */
export const requestOf = (
  id: ReportId,
  order: ReportOrder,
  today: Days.Day
): Either.Either<Request, string> =>
  Either.flatMap(clippedDays(order, today), (days) =>
    Either.mapLeft(
      validate({ ...order, id, params: { ...order.params, ...days } }),
      (error) =>
        ParseResult.ArrayFormatter.formatErrorSync(error)[0]?.message ?? "the order is not as documented"
    )
  )

/** A stored body as it was asked. */
export const parse: (json: string) => Either.Either<Request, ParseResult.ParseError> = Schema.decodeEither(
  Schema.parseJson(ReportRequest)
)

const validate = Schema.validateEither(ReportRequest)

const clippedDays = ({ params, reportType }: ReportOrder, today: Days.Day): Either.Either<object, string> => {
  if (!("currentPeriod" in params)) {
    const days = withinYear(Reach.clipMonths({ from: params.startDate, to: params.endDate }, today, 12))
    return Either.map(days, ({ from, to }) => ({ startDate: from, endDate: to }))
  }
  const { end, start } = params.currentPeriod
  const months =
    reportType === "STOCK_HISTORY_REPORT_CSV" || reportType === "STOCK_HISTORY_DAILY_CSV" ? 3 : 12
  const days = withinYear(Reach.clipMonths({ from: start, to: end }, today, months))
  return Either.map(days, (clipped) => ({ currentPeriod: ofRange(clipped) }))
}

/** Twelve months with a 29 February in them have a day more than a report may be asked for. */
const withinYear = (kept: Either.Either<Days.DayRange, string>): Either.Either<Days.DayRange, string> =>
  Either.map(kept, ({ from, to }) => {
    const earliest = Days.shift(to, 1 - mostDays)
    return { from: from < earliest ? earliest : from, to }
  })
