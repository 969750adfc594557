/** What people took back or set by hand, for a store that takes the place of the one that knows it. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Memory from "../../engine/decide/intents/Memory.js"
import * as HumanEdits from "../../engine/decide/limits/HumanEdits.js"
import type { HumanEdit } from "../../engine/kinds/HumanEdit.js"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import * as RuleMemorySql from "../journal/RuleMemorySql.js"
import * as StopsSql from "./StopsSql.js"

/** A value that the rules leave alone, or that a person gave back to them (`liftedBy`). */
export interface Kept extends HumanEdit {
  readonly account: string
  readonly liftedBy?: string
}

/** A row of `seen`. */
export interface SeenRow extends StopsSql.EditRow {
  readonly account: string
  readonly lifted_by: string | null
}

/** Every edit that a plan has met; in SQLite's words and PostgreSQL's alike. */
export const seen = `SELECT account, slot, ours, written_at, live, first_seen_at, lifted_at, lifted_by FROM human_edits`

/** A row of `undone`. */
export interface UndoneRow {
  readonly account: string
  readonly slot: string
  readonly policy: string
  readonly memory: string | null
  readonly at: number
}

const persons = [OperatorHold.undoPolicy, OperatorHold.callPolicy].map((name) => `'${name}'`).join(", ")

/**
 * Slots of which a person's change was the last that left: an undo that no plan has met yet is no edit so far. One that may not have
 * arrived counts too. In both databases' words.
 */
export const undone = `SELECT account, slot, policy, memory, at FROM (
    SELECT account, slot, policy, memory, COALESCE(sent_at, updated_at) AS at, ROW_NUMBER() OVER (
      PARTITION BY account, slot ORDER BY nth DESC) AS place
    FROM changes WHERE state IN ('dispatching', 'accepted', 'unknown', 'applied')) AS latest
  WHERE place = 1 AND policy IN (${persons})`

/** The edits of all accounts that those rows tell of. */
export const of = (rows: ReadonlyArray<SeenRow>, undoes: ReadonlyArray<UndoneRow>): ReadonlyArray<Kept> => [
  ...rows.map(
    (row): Kept => ({
      ...StopsSql.toEdit(row),
      account: row.account,
      ...(row.lifted_by === null ? {} : { liftedBy: row.lifted_by })
    })
  ),
  ...undoes.flatMap(({ account, at, memory, policy, slot }) => {
    const left = RuleMemorySql.memory(memory)
    if (left === undefined) return []
    const history = {
      slot,
      lastPolicy: policy,
      lastAppliedAt: Number(at),
      pendingSince: undefined,
      dayFirstBid: undefined,
      ...Memory.lastWritten(policy, Number(at), left)
    }
    const found = HumanEdits.standing(new Map([[slot, history]]), [])
    return [...found.values()].map((edit): Kept => ({ ...edit, account }))
  })
]

/**
 * Remembers them unless a later one of the same slot is known: the one of the later write of ours, of one write the one seen later,
 * and that a person gave the slot back. Answers of how many the rules leave alone what this store did not know. Call it in a
 * transaction.
 */
export const keep = (sql: SqlClient.SqlClient, edits: ReadonlyArray<Kept>): Effect.Effect<number, SqlError> =>
  Effect.gen(function* () {
    const fresh = new Set<string>()
    for (const edit of edits) {
      const rows = yield* sql`INSERT INTO human_edits
          (account, slot, ours, written_at, live, first_seen_at, lifted_at, lifted_by)
        VALUES (${edit.account}, ${edit.slot}, ${JSON.stringify(edit.ours)}, ${Math.floor(edit.writtenAt)},
          ${JSON.stringify(edit.live)}, ${Math.floor(edit.firstSeenAt)},
          ${edit.liftedAt === undefined ? null : Math.floor(edit.liftedAt)}, ${edit.liftedBy ?? null})
        ON CONFLICT (account, slot) DO UPDATE SET ours = excluded.ours, written_at = excluded.written_at,
          live = excluded.live, first_seen_at = excluded.first_seen_at, lifted_at = excluded.lifted_at,
          lifted_by = excluded.lifted_by
        WHERE human_edits.written_at < excluded.written_at OR (human_edits.written_at = excluded.written_at AND (
          human_edits.first_seen_at < excluded.first_seen_at OR (human_edits.first_seen_at = excluded.first_seen_at
          AND human_edits.lifted_at IS NULL AND excluded.lifted_at IS NOT NULL)))
        RETURNING slot`
      const key = JSON.stringify([edit.account, edit.slot])
      if (rows.length === 0) continue
      if (edit.liftedAt === undefined) fresh.add(key)
      else fresh.delete(key)
    }
    return fresh.size
  })
