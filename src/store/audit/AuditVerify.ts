/**
 * Walks the audit chain of an account from its end to its beginning, and holds the journal against it. Nothing is
 * kept but one page of rows, so the length of the chain does not matter.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../engine/run/Ports.js"
import * as Failure from "../clients/Failure.js"
import * as Transaction from "../clients/Transaction.js"
import { type AuditRow, hashOf } from "./AuditEntry.js"
import * as AuditJournal from "./AuditJournal.js"

/** Something that does not fit. `seq` is the row of the chain, 0 when it is the journal alone. */
export interface Break {
  readonly account: string
  readonly seq: number
  readonly what: string
}

export interface Verified {
  readonly account: string
  /** Rows walked, and the last row's hash: what to note down elsewhere. */
  readonly rows: number
  readonly head: string
  /** Rows that were purged before, and are not there any more. */
  readonly purged: number
  /** Oldest first; at most a hundred. */
  readonly breaks: ReadonlyArray<Break>
}

const page = 1_000
const mostBreaks = 100

/** Accounts that have a chain. */
export const accounts: Effect.Effect<ReadonlyArray<string>, StoreFailure, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* sql<{ account: string }>`SELECT account FROM audit_heads
      UNION SELECT DISTINCT account FROM audit ORDER BY account`
    return found.map(({ account }) => account)
  }
).pipe(Effect.mapError((error) => Failure.from("read the audit chain", error)))

/**
 * Verifies one account as it is at one moment; `onProgress` is told how many rows of how many were walked. Give it a
 * connection that reads without locking others out (`SqliteClient` with `readOnly`).
 */
export const verify = (
  account: string,
  onProgress: (done: number, total: number) => Effect.Effect<void> = () => Effect.void
): Effect.Effect<Verified, StoreFailure, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Transaction.read(sql, "verify the audit chain", walk(sql, account, onProgress))
  )

interface Head {
  readonly seq: number
  readonly hash: string
  readonly purged_seq: number
  readonly purged_hash: string
}

const walk = (
  sql: SqlClient.SqlClient,
  account: string,
  onProgress: (done: number, total: number) => Effect.Effect<void>
): Effect.Effect<Verified, SqlError> =>
  Effect.gen(function* () {
    const chain = new Chain(account)
    const journal = AuditJournal.make(sql, account, (seq, what) => chain.broken(seq, what))
    const [head] = yield* sql<Head>`SELECT seq, hash, purged_seq, purged_hash FROM audit_heads
      WHERE account = ${account}`
    const [last] = yield* sql<{
      seq: number | null
    }>`SELECT MAX(seq) AS seq FROM audit WHERE account = ${account}`
    const end = last?.seq ?? 0
    chain.begin(head, end)
    const total = Math.max(0, (head?.seq ?? end) - (head?.purged_seq ?? 0))
    for (let below = end + 1; ; ) {
      const rows = yield* sql<AuditRow>`SELECT * FROM audit WHERE account = ${account} AND seq < ${below}
        ORDER BY seq DESC LIMIT ${page}`
      for (const row of rows) chain.take(row)
      yield* journal.compare(rows)
      if (rows.length > 0) yield* onProgress(chain.rows, total)
      if (rows.length < page) break
      below = rows[rows.length - 1]!.seq
    }
    chain.finish(head)
    yield* journal.finish
    return {
      account,
      rows: chain.rows,
      head: head?.hash ?? "",
      purged: head?.purged_seq ?? 0,
      breaks: chain.breaks.sort((a, b) => a.seq - b.seq).slice(0, mostBreaks)
    }
  })

/** What the next row down must be. */
class Chain {
  readonly breaks: Array<Break> = []
  rows = 0
  private seq = 0
  private hash = ""
  /** Hash and number of the last row that was purged, as the latest note of a purge says it. */
  private purge: { readonly seq: number; readonly hash: string } | undefined

  constructor(private readonly account: string) {}

  broken(seq: number, what: string): void {
    this.breaks.push({ account: this.account, seq, what })
  }

  begin(head: Head | undefined, end: number): void {
    this.seq = head?.seq ?? end
    this.hash = head?.hash ?? ""
    if (head === undefined) this.broken(end, "the note of the chain's end is missing")
    else if (end > head.seq)
      this.broken(end, `${end - head.seq} rows stand behind the noted end ${head.seq}: they were inserted`)
    if (head !== undefined && end > head.seq) this.seq = end
    if (head === undefined || end > head.seq) this.hash = ""
  }

  take(row: AuditRow): void {
    this.rows++
    if (row.seq !== this.seq) {
      const gone = this.seq - row.seq
      this.broken(
        this.seq,
        `${gone} row${gone === 1 ? " is" : "s are"} missing, from ${row.seq + 1} to ${this.seq}`
      )
    } else if (this.hash !== "" && row.hash !== this.hash) {
      this.broken(
        row.seq,
        "the row is not the one that the row after it was written for: it was replaced or edited"
      )
    }
    if (hashOf(row) !== row.hash)
      this.broken(row.seq, `the row was edited: ${row.what}, ${row.change_id ?? row.run_id ?? ""}`)
    if (row.what === "purged" && this.purge === undefined && row.before_value !== null) {
      this.purge = { seq: Number(row.before_value), hash: row.content ?? "" }
    }
    this.seq = row.seq - 1
    this.hash = row.previous
  }

  finish(head: Head | undefined): void {
    const purged = head?.purged_seq ?? 0
    if (this.seq !== purged) {
      this.broken(
        purged + 1,
        this.seq > purged
          ? `rows ${purged + 1} to ${this.seq} are missing at the beginning`
          : "there are rows that should have been purged"
      )
    } else if (head !== undefined && this.hash !== "" && this.hash !== head.purged_hash) {
      this.broken(purged + 1, "the first row does not follow what was purged, or the beginning")
    }
    if (
      head !== undefined &&
      purged > 0 &&
      (this.purge?.seq !== purged || this.purge.hash !== head.purged_hash)
    ) {
      this.broken(purged, "the note of what was purged is not what the chain says of it")
    }
  }
}
