/** CSV reports: order one, take up those left open, read their rows (seed 002, "CSV reports"). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as Days from "../../../domain/Days.js"
import type { ReportId } from "../../../domain/Ids.js"
import type { Client } from "../../MarketplaceClient.js"
import type { CallError } from "../../MarketplaceError.js"
import { ReportStore, type StoredReport } from "../../ports/ReportStore.js"
import type { ReportUnreadable } from "./ReportFile.js"
import * as ReportFile from "./ReportFile.js"
import type { ReportType, RowOf } from "./ReportRow.js"
import * as ReportTask from "./ReportTask.js"
import { refused } from "./ReportTask.js"

export interface Settings {
  /** Milliseconds between two list calls; the refill of their bucket unless set. */
  readonly intervalMs?: number
  /** How long one report is waited for, milliseconds; six hours unless set. */
  readonly patienceMs?: number
}

/** A task of the marketplace's list, whichever tool created it. */
export interface ListedReport {
  readonly id: string
  readonly status: ReportTask.ReportStatus
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
    const desk = { client, store, poll: ReportTask.makePoll(api, intervalMs), patienceMs }
    const running = new Set<ReportId>()

    const forget = (ids: ReadonlyArray<ReportId>) =>
      Effect.sync(() => {
        for (const id of ids) running.delete(id)
      })

    /** Open tasks of the account that nobody here is busy with; from now on somebody is. */
    const claimed = Effect.map(store.open(account), (open) => {
      const free = open.filter(({ id }) => !running.has(id))
      for (const { id } of free) running.add(id)
      return free
    })

    /** Orders a report and sees it through to its file. `keep` gets the raw file before the task counts as done. */
    const order = <E = never, R = never>(
      wanted: ReportTask.ReportOrder,
      keep: ReportTask.Keep<E, R> = () => Effect.void
    ): Effect.Effect<ReportTask.ReportFile, ReportTask.ReportError | E, R> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const id = yield* ReportTask.freshId
        const request = yield* Either.mapLeft(
          ReportTask.requestOf(id, wanted, Days.ofMarket(nowMs)),
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
        return yield* Effect.acquireUseRelease(
          Effect.sync(() => running.add(id)),
          () => Effect.zipRight(store.save(stored), ReportTask.run(desk, { stored, request }, keep)),
          () => forget([id])
        )
      })

    const takenUp = <E, R>(
      stored: StoredReport,
      keep: ReportTask.Keep<E, R>
    ): Effect.Effect<Resumed<E>, never, R> => {
      const { id } = stored
      return Either.match(ReportTask.parse(stored.request), {
        onLeft: () => {
          const error = refused(id, "it was stored by another version of bidhelm")
          return Effect.succeed({ id, outcome: Either.left(error) })
        },
        onRight: (request) =>
          Effect.map(Effect.either(ReportTask.run(desk, { stored, request }, keep)), (outcome) => ({
            id,
            outcome
          }))
      })
    }

    return {
      order,

      /** Takes up every task of the account that was left open, all at once; one that fails does not stop the others. */
      resume: <E = never, R = never>(keep: ReportTask.Keep<E, R> = () => Effect.void) =>
        Effect.acquireUseRelease(
          claimed,
          (free) => Effect.forEach(free, (stored) => takenUp(stored, keep), { concurrency: "unbounded" }),
          (free) => forget(free.map(({ id }) => id))
        ),

      /** Orders a report and reads it. Skip rest rows in sums by item (`ReportFile.ofItems`). */
      rows: <T extends ReportType, E = never, R = never>(
        wanted: ReportTask.ReportOrder<T>,
        keep: ReportTask.Keep<E, R> = () => Effect.void
      ): Stream.Stream<RowOf[T], ReportTask.ReportError | ReportUnreadable | E, R> =>
        Stream.unwrap(
          Effect.map(order(wanted, keep), ({ bytes }) => ReportFile.read(wanted.reportType, bytes))
        ),

      /** Recent tasks, those of other tools included (field note A23). */
      list: Effect.map(
        api.csvReports.listCsvReports({ urlParams: {} }),
        ({ data }): ReadonlyArray<ListedReport> =>
          data.map((task) => ({
            id: task.id,
            status: ReportTask.statusOf(task),
            name: task.name,
            sizeBytes: task.size,
            from: task.startDate,
            to: task.endDate
          }))
      ) satisfies Effect.Effect<ReadonlyArray<ListedReport>, CallError>
    }
  })
