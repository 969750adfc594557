/** CSV reports: order one, take up those left open, read their rows (seed 002, "CSV reports"). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as Days from "../../domain/Days.js"
import type { ReportId } from "../../domain/Ids.js"
import type { Client } from "../MarketplaceClient.js"
import type { CallError } from "../MarketplaceError.js"
import { ReportStore, type StoredReport } from "../ports/ReportStore.js"
import * as ReportOrder from "./ReportOrder.js"
import * as ReportPoll from "./ReportPoll.js"
import type { ReportType, RowOf } from "./ReportRow.js"
import * as ReportRows from "./ReportRows.js"
import * as ReportStatus from "./ReportStatus.js"
import { refused } from "./ReportStopped.js"
import * as ReportTask from "./ReportTask.js"
import type { ReportUnreadable } from "./ReportUnreadable.js"

export interface Settings {
  /** Milliseconds between two list calls; the refill of their bucket unless set. */
  readonly intervalMs?: number
  /** How long one report is waited for, milliseconds; six hours unless set. */
  readonly patienceMs?: number
}

/** A task of the marketplace's list, whichever tool created it. */
export interface ListedReport {
  readonly id: string
  readonly status: ReportStatus.ReportStatus
  readonly name: string | undefined
  readonly sizeBytes: number | undefined
  readonly from: string | undefined
  readonly to: string | undefined
}

/** What became of a task that was taken up. */
export interface Resumed<E> {
  readonly id: ReportId
  readonly outcome: Either.Either<ReportTask.ReportFile, ReportTask.ReportError | E>
}

/** Make one per account: its reports share one poll. */
export const make = (client: Client, settings: Settings = {}) =>
  Effect.map(ReportStore, (store) => {
    const { account, api, tokenKind } = client
    const { intervalMs = tokenKind === "base" ? 3_600_000 : 20_000, patienceMs = 6 * 3_600_000 } = settings
    const desk = { client, store, poll: ReportPoll.make(api, intervalMs), patienceMs }
    const running = new Set<ReportId>()

    const run = <E, R>(stored: StoredReport, request: ReportOrder.Request, keep: ReportTask.Keep<E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => running.add(stored.id)),
        () => ReportTask.run(desk, { stored, request }, keep),
        () => Effect.sync(() => running.delete(stored.id))
      )

    /** Orders a report and sees it through to its file. `keep` gets the raw file before the task counts as done. */
    const order = <E = never, R = never>(
      wanted: ReportOrder.ReportOrder,
      keep: ReportTask.Keep<E, R> = () => Effect.void
    ): Effect.Effect<ReportTask.ReportFile, ReportTask.ReportError | E, R> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const id = yield* ReportOrder.freshId
        const request = yield* Either.mapLeft(
          ReportOrder.requestOf(id, wanted, Days.at(nowMs, "Europe/Moscow")),
          (problem) => refused(undefined, problem)
        )
        const stored: StoredReport = {
          id,
          account,
          request: JSON.stringify(request),
          state: "stored",
          storedAt: nowMs,
          askedAt: undefined,
          retries: 0,
          readyAt: undefined,
          detail: undefined,
          updatedAt: nowMs
        }
        yield* store.save(stored)
        return yield* run(stored, request, keep)
      })

    return {
      order,

      /** Takes up every task of the account that was left open, all at once; one that fails does not stop the others. */
      resume: <E = never, R = never>(keep: ReportTask.Keep<E, R> = () => Effect.void) =>
        Effect.gen(function* () {
          const open = (yield* store.open(account)).filter(({ id }) => !running.has(id))
          return yield* Effect.forEach(
            open,
            (stored): Effect.Effect<Resumed<E>, never, R> =>
              Either.match(ReportOrder.parse(stored.request), {
                onLeft: () =>
                  Effect.succeed(refused(stored.id, "it was stored by another version of bidhelm")).pipe(
                    Effect.map((error) => ({ id: stored.id, outcome: Either.left(error) }))
                  ),
                onRight: (request) =>
                  Effect.map(Effect.either(run(stored, request, keep)), (outcome) => ({
                    id: stored.id,
                    outcome
                  }))
              }),
            { concurrency: "unbounded" }
          )
        }),

      /** Orders a report and reads it. Skip rest rows in sums by item (`ReportRows.ofItems`). */
      rows: <T extends ReportType, E = never, R = never>(
        wanted: ReportOrder.ReportOrder<T>,
        keep: ReportTask.Keep<E, R> = () => Effect.void
      ): Stream.Stream<RowOf[T], ReportTask.ReportError | ReportUnreadable | E, R> =>
        Stream.unwrap(
          Effect.map(order(wanted, keep), ({ bytes }) => ReportRows.read(wanted.reportType, bytes))
        ),

      /** Recent tasks, those of other tools included (field note A23). */
      list: Effect.map(
        api.csvReports.listCsvReports({ urlParams: {} }),
        ({ data }): ReadonlyArray<ListedReport> =>
          data.map((task) => ({
            id: task.id,
            status: ReportStatus.of(task),
            name: task.name,
            sizeBytes: task.size,
            from: task.startDate,
            to: task.endDate
          }))
      ) satisfies Effect.Effect<ReadonlyArray<ListedReport>, CallError>
    }
  })
