/**
 * Durable memory of CSV report tasks: a task is stored under its id before the marketplace hears of it, because the id
 * is the only thing by which it can be found again after an unknown outcome (field notes A22, T16).
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { AccountName, ReportId } from "../../domain/Ids.js"

/**
 * `stored`: the marketplace may or may not know it; `asked`: it does; `done`: the file was handed over; `failed`: it
 * will not come. The first two are open.
 */
export type ReportState = "stored" | "asked" | "done" | "failed"

export interface StoredReport {
  readonly id: ReportId
  readonly account: AccountName
  /** Body of the create call, JSON. */
  readonly request: string
  readonly state: ReportState
  /** Epoch milliseconds, as all times here. */
  readonly storedAt: number
  /** When the latest create or retry call was about to leave; undefined before the first. */
  readonly askedAt: number | undefined
  /** Retry calls after FAILED. */
  readonly retries: number
  /** When the marketplace finished the file, which it keeps for 48 hours; undefined until known. */
  readonly readyAt: number | undefined
  /** Why it failed, in words. */
  readonly detail: string | undefined
  readonly updatedAt: number
}

/** The memory of reports failed. The message says what to do. */
export class ReportStoreFailure extends Data.TaggedError("ReportStoreFailure")<{
  readonly message: string
  readonly cause: unknown
}> {}

export class ReportStore extends Context.Tag("bidhelm/ReportStore")<
  ReportStore,
  {
    /** Writes the task, new or changed; on disk before it answers. */
    readonly save: (report: StoredReport) => Effect.Effect<void, ReportStoreFailure>
    readonly find: (id: ReportId) => Effect.Effect<StoredReport | undefined, ReportStoreFailure>
    /** Open tasks of the account, oldest first. */
    readonly open: (account: AccountName) => Effect.Effect<ReadonlyArray<StoredReport>, ReportStoreFailure>
  }
>() {}
