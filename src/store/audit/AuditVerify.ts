/**
 * Walks the audit chain of an account from its end to its beginning, and holds the journal against it. Nothing is
 * kept but one page of rows, so the length of the chain does not matter.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { storable } from "../../domain/Storable.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { Change } from "../../engine/kinds/Change.js"
import * as Failure from "../clients/Failure.js"
import * as Transaction from "../clients/Transaction.js"
import * as JournalRows from "../journal/JournalRows.js"
import { type AuditRow, hashOf } from "./AuditEntry.js"
import { contentOf } from "./AuditSql.js"
import * as HoldsVerify from "./HoldsVerify.js"
import * as JournalAudit from "./JournalAudit.js"

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

/** Accounts that have a chain, or runs or stops and so should have one. */
export const accounts: Effect.Effect<ReadonlyArray<string>, StoreFailure, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* sql<{ account: string }>`SELECT account FROM audit_heads
      UNION SELECT DISTINCT account FROM audit
      UNION SELECT DISTINCT account FROM runs
      UNION SELECT DISTINCT account FROM operator_holds WHERE lifted_at IS NULL ORDER BY account`
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
    const journal = new Comparison(sql, account, (seq, what) => chain.broken(seq, what))
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

interface Stored {
  readonly run_id: string
  readonly change_id: string
  readonly slot: string
  readonly policy: string
  readonly bid_before: number | null
  readonly change: string
  readonly state: string
  readonly request_hash: string | null
  readonly sent_at: number | null
}

/** Holds the rows of the journal against what the audit chain says of them, while the chain is walked backwards. */
class Comparison {
  /** Changes whose last state has been seen but not yet their beginning; runs whose end has been seen. */
  private readonly seen = new Set<string>()
  private readonly ended = new Set<string>()
  private readonly begun = new Set<string>()
  /** Changes of which a request, or the moment at which it was sent, has been seen. */
  private readonly requested = new Set<string>()
  private readonly sent = new Set<string>()
  private readonly stops = new HoldsVerify.Stops()
  private readonly planned = new Map<string, number>()
  private purgedBefore = 0
  private oldest = Number.POSITIVE_INFINITY

  constructor(
    private readonly sql: SqlClient.SqlClient,
    private readonly account: string,
    private readonly broken: (seq: number, what: string) => void
  ) {}

  /** Rows of the chain, latest first. */
  compare(rows: ReadonlyArray<AuditRow>): Effect.Effect<void, SqlError> {
    return Effect.gen(this, function* () {
      const found = yield* load(this.sql, rows)
      for (const row of rows) {
        this.stops.take(row)
        if (row.what === "purged")
          this.purgedBefore = Math.max(this.purgedBefore, Number(row.after_value ?? 0))
        if (row.change_id !== null) this.change(row, found.get(key(row.run_id, row.change_id)))
        else if (row.run_id !== null && row.what === "run finished") yield* this.runFinished(row, row.run_id)
        else if (row.run_id !== null && row.what === "run begun") yield* this.runBegun(row, row.run_id)
      }
    })
  }

  /** When the whole chain was walked. */
  readonly finish: Effect.Effect<void, SqlError> = Effect.gen(this, function* () {
    yield* this.stops.compare(this.sql, this.account, this.purgedBefore, this.broken)
    if (this.oldest === Number.POSITIVE_INFINITY) return
    const later = yield* this.sql<{ run_id: string }>`SELECT run_id FROM runs
      WHERE account = ${this.account} AND started_at > ${this.oldest}`
    for (const { run_id } of later)
      if (!this.begun.has(run_id)) this.broken(0, `${run_id} is not in the chain`)
  })

  private change(row: AuditRow, stored: Stored | undefined): void {
    const name = `change ${row.change_id} of ${row.run_id}`
    const id = key(row.run_id, row.change_id)
    const isLast = !this.seen.has(id)
    if (row.what === "change planned") {
      this.seen.delete(id)
      this.planned.set(row.run_id ?? "", (this.planned.get(row.run_id ?? "") ?? 0) + 1)
    } else this.seen.add(id)
    if (stored === undefined) {
      if (isLast && row.at >= this.purgedBefore) this.broken(row.seq, `${name} is missing in the journal`)
      return
    }
    if (isLast && stored.state !== row.state) {
      this.broken(row.seq, `${name} is "${stored.state}" in the journal, the chain says "${row.state}"`)
    }
    const edited = (what: string) =>
      this.broken(row.seq, `${name} is not ${what}: it was edited in the journal`)
    if (row.what === "change planned") this.planning(row, stored, id, edited)
    else this.sending(row, stored, id, edited)
  }

  private planning(row: AuditRow, stored: Stored, id: string, edited: (what: string) => void): void {
    if (contentOf(stored.slot, stored.change) !== row.content) edited("the change that was planned")
    else if (!isShownAsStored(stored)) edited("shown with the policy or the bid of the change")
    if (stored.request_hash !== null && !this.requested.delete(id))
      edited("sent with the request that the chain knows")
    if (stored.sent_at !== null && !this.sent.delete(id)) edited("sent at a time that the chain knows")
  }

  private sending(row: AuditRow, stored: Stored, id: string, edited: (what: string) => void): void {
    if (stored.sent_at !== null && Number(stored.sent_at) === row.at) this.sent.add(id)
    if (row.content === null || this.requested.has(id)) return
    this.requested.add(id)
    if (stored.request_hash !== row.content) edited("sent with the request that the chain knows")
  }

  private runFinished(row: AuditRow, runId: string): Effect.Effect<void, SqlError> {
    return Effect.gen(this, function* () {
      if (this.ended.has(runId)) return
      this.ended.add(runId)
      const [found] = yield* this.sql<{ status: string; counts: string }>`SELECT status, counts FROM runs
        WHERE run_id = ${runId}`
      if (found === undefined) {
        if (row.at >= this.purgedBefore) this.broken(row.seq, `${runId} is missing in the journal`)
        return
      }
      if (found.status !== row.state) {
        this.broken(row.seq, `${runId} is "${found.status}" in the journal, the chain says "${row.state}"`)
      }
      if (found.counts !== row.why)
        this.broken(row.seq, `${runId} has other counts in the journal than the chain`)
    })
  }

  private runBegun(row: AuditRow, runId: string): Effect.Effect<void, SqlError> {
    return Effect.gen(this, function* () {
      const { broken, sql } = this
      this.begun.add(runId)
      this.oldest = Math.min(this.oldest, row.at)
      const [found] = yield* sql<{ approved_by: string | null }>`SELECT approved_by FROM runs
        WHERE run_id = ${runId}`
      if (found !== undefined && storable(found.approved_by ?? JournalAudit.program) !== row.who)
        broken(row.seq, `${runId} was approved by another one in the journal than in the chain`)
      const [count] = yield* sql<{ n: number }>`SELECT COUNT(*) AS n FROM changes WHERE run_id = ${runId}`
      const of = this.planned.get(runId) ?? 0
      this.planned.delete(runId)
      if (Number(count?.n ?? 0) > of)
        broken(row.seq, `the journal has changes of ${runId} that were never planned`)
    })
  }
}

/** Columns that repeat what the change says, for those who look for it. */
const isShownAsStored = ({ bid_before, change, policy }: Stored): boolean => {
  const stored = JSON.parse(change) as Change
  // Of before a change had an origin.
  if (stored.kind === undefined || stored.origin === undefined) return true
  const bid = bid_before === null ? null : Number(bid_before)
  return policy === stored.origin.name && bid === JournalRows.bidBefore(stored)
}

const key = (runId: string | null, changeId: string | null): string => `${runId}\n${changeId}`

const load = (sql: SqlClient.SqlClient, rows: ReadonlyArray<AuditRow>) =>
  Effect.gen(function* () {
    const changes = rows.filter((row) => row.change_id !== null)
    if (changes.length === 0) return new Map<string, Stored>()
    const runs = [...new Set(changes.map((row) => row.run_id ?? ""))]
    const ids = [...new Set(changes.map((row) => row.change_id ?? ""))]
    const found = yield* sql<Stored>`SELECT run_id, change_id, slot, policy, bid_before, change, state,
        request_hash, sent_at FROM changes
      WHERE run_id IN ${sql.in(runs)} AND change_id IN ${sql.in(ids)}`
    return new Map(found.map((row) => [key(row.run_id, row.change_id), row]))
  })
