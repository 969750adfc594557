/** Holds the rows of the journal against what the audit chain says of them, while the chain is walked backwards. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { AuditRow } from "./AuditEntry.js"
import { contentOf } from "./AuditSql.js"

export interface Comparison {
  /** Rows of the chain, latest first. */
  readonly compare: (rows: ReadonlyArray<AuditRow>) => Effect.Effect<void, SqlError>
  readonly finish: Effect.Effect<void, SqlError>
}

interface Stored {
  readonly run_id: string
  readonly change_id: string
  readonly slot: string
  readonly change: string
  readonly state: string
}

export const make = (
  sql: SqlClient.SqlClient,
  account: string,
  broken: (seq: number, what: string) => void
): Comparison => {
  /** Changes whose last state has been seen but not yet their beginning; runs whose end has been seen. */
  const seen = new Set<string>()
  const ended = new Set<string>()
  const begun = new Set<string>()
  const planned = new Map<string, number>()
  let purgedBefore = 0
  let oldest = Number.POSITIVE_INFINITY

  const change = (row: AuditRow, stored: Stored | undefined) => {
    const name = `change ${row.change_id} of ${row.run_id}`
    const id = key(row.run_id, row.change_id)
    const isLast = !seen.has(id)
    if (row.what === "change planned") {
      seen.delete(id)
      planned.set(row.run_id ?? "", (planned.get(row.run_id ?? "") ?? 0) + 1)
    } else seen.add(id)
    if (stored === undefined) {
      if (isLast && row.at >= purgedBefore) broken(row.seq, `${name} is missing in the journal`)
      return
    }
    if (isLast && stored.state !== row.state) {
      broken(row.seq, `${name} is "${stored.state}" in the journal, the chain says "${row.state}"`)
    }
    if (row.what === "change planned" && contentOf(stored.slot, stored.change) !== row.content) {
      broken(row.seq, `${name} is not the change that was planned: it was edited in the journal`)
    }
  }

  const run = (row: AuditRow) =>
    Effect.gen(function* () {
      const runId = row.run_id ?? ""
      if (row.what === "run finished" && !ended.has(runId)) {
        ended.add(runId)
        const [found] = yield* sql<{ status: string }>`SELECT status FROM runs WHERE run_id = ${runId}`
        if (found === undefined && row.at >= purgedBefore)
          broken(row.seq, `${runId} is missing in the journal`)
        if (found !== undefined && found.status !== row.state) {
          broken(row.seq, `${runId} is "${found.status}" in the journal, the chain says "${row.state}"`)
        }
      }
      if (row.what !== "run begun") return
      begun.add(runId)
      oldest = Math.min(oldest, row.at)
      const [count] = yield* sql<{ n: number }>`SELECT COUNT(*) AS n FROM changes WHERE run_id = ${runId}`
      const of = planned.get(runId) ?? 0
      planned.delete(runId)
      if (Number(count?.n ?? 0) > of)
        broken(row.seq, `the journal has changes of ${runId} that were never planned`)
    })

  return {
    compare: (rows) =>
      Effect.gen(function* () {
        const found = yield* load(sql, rows)
        for (const row of rows) {
          if (row.what === "purged") purgedBefore = Math.max(purgedBefore, Number(row.after_value ?? 0))
          if (row.change_id !== null) change(row, found.get(key(row.run_id, row.change_id)))
          else if (row.run_id !== null) yield* run(row)
        }
      }),
    finish: Effect.gen(function* () {
      if (oldest === Number.POSITIVE_INFINITY) return
      const later = yield* sql<{ run_id: string }>`SELECT run_id FROM runs
        WHERE account = ${account} AND started_at > ${oldest}`
      for (const { run_id } of later) if (!begun.has(run_id)) broken(0, `${run_id} is not in the chain`)
    })
  }
}

const key = (runId: string | null, changeId: string | null): string => `${runId}\n${changeId}`

const load = (sql: SqlClient.SqlClient, rows: ReadonlyArray<AuditRow>) =>
  Effect.gen(function* () {
    const changes = rows.filter((row) => row.change_id !== null)
    if (changes.length === 0) return new Map<string, Stored>()
    const runs = [...new Set(changes.map((row) => row.run_id ?? ""))]
    const ids = [...new Set(changes.map((row) => row.change_id ?? ""))]
    const found = yield* sql<Stored>`SELECT run_id, change_id, slot, change, state FROM changes
      WHERE run_id IN ${sql.in(runs)} AND change_id IN ${sql.in(ids)}`
    return new Map(found.map((row) => [key(row.run_id, row.change_id), row]))
  })
