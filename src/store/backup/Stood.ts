/** What a store knows that a backup made before cannot know, read before the backup takes its place and kept in what takes it. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { OperatorHold } from "../../engine/kinds/OperatorHold.js"
import * as LimitsMemorySql from "../accounts/LimitsMemorySql.js"
import * as OrderEventsSql from "../fulfilment/OrderEventsSql.js"
import * as SupplyOrdersSql from "../fulfilment/SupplyOrdersSql.js"
import * as ApprovalsSql from "../people/ApprovalsSql.js"
import * as EditsKept from "../people/EditsKept.js"
import * as StopsSql from "../people/StopsSql.js"
import type * as BackupFile from "./BackupFile.js"
import * as JournalKept from "./JournalKept.js"

/** What stood in the store that is replaced, and stands on; undefined what could not be read. */
export interface Stood {
  readonly holds: ReadonlyArray<OperatorHold> | undefined
  readonly marks: ReadonlyArray<LimitsMemorySql.Mark> | undefined
  /** Values undone or set by a person. */
  readonly edits: ReadonlyArray<EditsKept.Kept> | undefined
  readonly rejected: ReadonlyArray<ApprovalsSql.Row> | undefined
  readonly orders: OrdersKnown | undefined
  readonly journal: JournalKept.Since | undefined
}

/** What happened to orders, and their order in supplies. */
interface OrdersKnown {
  readonly events: ReadonlyArray<OrderEventsSql.EventRow>
  readonly places: ReadonlyArray<SupplyOrdersSql.PlaceRow>
}

/** How much of it the backup did not know; undefined what could not be read. */
export interface Kept {
  /** Values undone or set by a person that are left alone. */
  readonly edits: number | undefined
  readonly rejected: number | undefined
  readonly areOrdersRead: boolean
  /** Changes that were made, or moved on. */
  readonly changes: number | undefined
}

/** Days of which it is carried over in any case what happened to orders, for accounts may live by another clock than the backup's: no supply is open for longer. */
const orderDays = 14

/**
 * Reads what a backup does not know, `read` answering the rows of a statement; undefined where they cannot be read: each by
 * itself, for other pages of a file may be damaged.
 */
export const read = <E = never>(
  header: Pick<BackupFile.Header, "createdAt" | "heads">,
  read: <Row extends object>(statement: string) => Effect.Effect<ReadonlyArray<Row> | undefined, E>,
  noted: JournalKept.Noted
): Effect.Effect<Stood, E> =>
  Effect.gen(function* () {
    const sinceMs = Date.parse(header.createdAt)
    const holds = yield* read<StopsSql.HoldRow>(`${StopsSql.unlifted} ORDER BY since, account, kind, what`)
    const marks = yield* read<LimitsMemorySql.Mark>(LimitsMemorySql.everyMark)
    const seen = yield* read<EditsKept.SeenRow>(EditsKept.seen)
    const undone = yield* read<EditsKept.UndoneRow>(EditsKept.undone)
    const rejected = yield* read<ApprovalsSql.Row>(ApprovalsSql.rejectedLately)
    const events = yield* read<OrderEventsSql.EventRow>(OrderEventsSql.since(sinceMs, orderDays))
    const places = yield* read<SupplyOrdersSql.PlaceRow>(SupplyOrdersSql.since(sinceMs, orderDays))
    const journal = yield* JournalKept.read(header, read, noted)
    return {
      journal,
      holds: holds?.map(StopsSql.toHold),
      marks,
      edits: seen === undefined || undone === undefined ? undefined : EditsKept.of(seen, undone),
      rejected,
      orders: events === undefined || places === undefined ? undefined : { events, places }
    }
  })

/** Keeps it in the store that takes the place, but for the marks. Call it in the transaction that fills that. */
export const keep = (
  sql: SqlClient.SqlClient,
  { edits, holds, journal, orders, rejected }: Stood,
  nowMs: number
): Effect.Effect<Kept, SqlError> =>
  Effect.gen(function* () {
    yield* StopsSql.keep(sql, holds ?? [])
    yield* OrderEventsSql.keep(sql, orders?.events ?? [])
    yield* SupplyOrdersSql.keep(sql, orders?.places ?? [])
    const changes = journal === undefined ? undefined : yield* JournalKept.keep(sql, journal, nowMs)
    return {
      changes: journal?.unknown.length === 0 ? changes : undefined,
      edits: edits === undefined ? undefined : yield* EditsKept.keep(sql, edits),
      rejected: rejected === undefined ? undefined : yield* ApprovalsSql.keepRejected(sql, rejected),
      areOrdersRead: orders !== undefined
    }
  })
