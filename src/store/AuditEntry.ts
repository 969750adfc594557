/** A row of the audit chain, and how its hash comes about. */
import * as Hash from "../domain/Hash.js"

/** What is recorded; the chain adds sequence and hashes. Values are JSON text. */
export interface AuditEntry {
  /** Epoch milliseconds. */
  readonly at: number
  /** Who approved the run, or the part of the program that acted by itself. */
  readonly who: string
  /** `run begun`, `change planned`, `change moved`, `run finished`, `purged`, `restored`, `reconciled`, … */
  readonly what: string
  readonly why?: string | undefined
  readonly before?: string | undefined
  readonly after?: string | undefined
  /** State of the change, or of the run, from now on. */
  readonly state?: string | undefined
  readonly runId?: string | undefined
  readonly changeId?: string | undefined
  /** SHA-256 of what the row is about: the stored change when planned, the request's body when sent. */
  readonly content?: string | undefined
}

/** A row of the table `audit`. */
export type AuditRow = {
  readonly account: string
  readonly seq: number
  readonly at: number
  readonly who: string
  readonly what: string
  readonly why: string | null
  readonly before_value: string | null
  readonly after_value: string | null
  readonly state: string | null
  readonly run_id: string | null
  readonly change_id: string | null
  readonly content: string | null
  /** Hash of the row before; `genesis` for the first. */
  readonly previous: string
  readonly hash: string
}

/** What stands before the first row of an account. */
export const genesis = "0".repeat(64)

/** SHA-256 of the canonical JSON of a row without its hash. */
export const hashOf = (row: Omit<AuditRow, "hash">): string =>
  Hash.of({
    account: row.account,
    seq: row.seq,
    at: row.at,
    who: row.who,
    what: row.what,
    why: row.why,
    before_value: row.before_value,
    after_value: row.after_value,
    state: row.state,
    run_id: row.run_id,
    change_id: row.change_id,
    content: row.content,
    previous: row.previous
  })

/** The row that follows `previous`. */
export const link = (account: string, seq: number, previous: string, entry: AuditEntry): AuditRow => {
  const row = {
    account,
    seq,
    at: Math.floor(entry.at),
    who: entry.who,
    what: entry.what,
    why: entry.why ?? null,
    before_value: entry.before ?? null,
    after_value: entry.after ?? null,
    state: entry.state ?? null,
    run_id: entry.runId ?? null,
    change_id: entry.changeId ?? null,
    content: entry.content ?? null,
    previous
  }
  return { ...row, hash: hashOf(row) }
}
