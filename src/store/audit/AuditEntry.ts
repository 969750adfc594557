/** A row of the audit chain, and how its hash comes about. */
import { hash } from "node:crypto"
import * as Hash from "../../domain/Hash.js"

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

/**
 * SHA-256 of the canonical JSON of a row without its hash, as `Hash.of` would make it: the names are in order already,
 * and a long run writes tens of thousands of rows.
 */
export const hashOf = (row: Omit<AuditRow, "hash">): string => {
  const { account, after_value, at, before_value, change_id, content, previous } = row
  const { run_id, seq, state, what, who, why } = row
  const text = Hash.canonical
  return sha256(
    `{"account":${text(account)},"after_value":${text(after_value)},"at":${text(at)},"before_value":${text(before_value)},"change_id":${text(change_id)},"content":${text(content)},"previous":${text(previous)},"run_id":${text(run_id)},"seq":${text(seq)},"state":${text(state)},"what":${text(what)},"who":${text(who)},"why":${text(why)}}`
  )
}

/** As 64 hexadecimal digits. */
export const sha256 = (text: string): string => hash("sha256", text)
