/** Rows of the journal's tables, and the records they stand for. */

import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Lane } from "../../domain/Lane.js"
import { OutcomeReason } from "../../domain/OutcomeReason.js"
import { StoreFailure } from "../../domain/StoreFailure.js"
import * as Deposits from "../../engine/decide/limits/Deposits.js"
import { Plan } from "../../engine/decide/Plan.js"
import type { JournalRow, JournalState, RunRecord } from "../../engine/door/Journal.js"
import * as Bids from "../../engine/kinds/Bids.js"
import { Change } from "../../engine/kinds/Change.js"
import type { Deposited } from "../../engine/kinds/Deposit.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import { parts } from "../../engine/kinds/Parts.js"
import * as Packed from "../Packed.js"

/** A row of `changes` with its run's plan. */
export interface ChangeRow {
  readonly run_id: string
  readonly plan_id: string
  readonly account: string
  readonly slot: string
  readonly change: string
  readonly state: JournalState
  readonly operation: string | null
  readonly request_hash: string | null
  readonly reason: string | null
  readonly updated_at: number
  readonly sent_at: number | null
  readonly evidence: string | null
  readonly deadline_at: number | null
}

/** A deposit among `changes`, with the moment it left. */
export interface DepositRow {
  readonly slot: string
  readonly change: string
  readonly at: number
}

/** A row of `runs`. */
export interface RunRow {
  readonly run_id: string
  readonly account: string
  readonly lane: Lane
  readonly plan_id: string
  readonly started_at: number
  readonly finished_at: number | null
  readonly status: RunRecord["status"]
  readonly counts: string
}

export const toRow = (row: ChangeRow): Effect.Effect<JournalRow, StoreFailure> =>
  Effect.zipWith(decodeChange(row.change), decodedReason(row.reason), (change, reason) => ({
    runId: row.run_id,
    planId: row.plan_id,
    account: row.account,
    slot: row.slot,
    change,
    state: row.state,
    operation: row.operation ?? undefined,
    requestHash: row.request_hash ?? undefined,
    reason,
    updatedAt: row.updated_at,
    sentAt: row.sent_at ?? undefined,
    ...(row.evidence === null ? {} : { evidence: row.evidence }),
    ...(row.deadline_at === null ? {} : { deadlineAt: row.deadline_at })
  }))

export const toDeposited = ({ at, change, slot }: DepositRow): Effect.Effect<Deposited, StoreFailure> =>
  Effect.map(decodeChange(change), (made) => ({ ...Deposits.asDeposited(made), slot, at }))

export const toRun = (row: RunRow): RunRecord => ({
  runId: row.run_id,
  account: row.account,
  lane: row.lane,
  planId: row.plan_id,
  startedAt: row.started_at,
  finishedAt: row.finished_at ?? undefined,
  status: row.status,
  counts: JSON.parse(row.counts) as Readonly<Record<string, number>>
})

/** Where `move_per_day` begins to count, kopecks: the bid a change starts from, under an overlay its base; null for other changes. */
export const bidBefore = (change: Change): number | null =>
  Kinds.isSteered(change) && typeof change.before === "number"
    ? (Bids.detailsOf(change).dayFirstKopecks ?? Bids.baseBefore(change))
    : null

const stored = <A, I>(what: string, schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(Schema.parseJson(schema))
  return (text: string): Effect.Effect<A, StoreFailure> => Effect.mapError(decode(text), unreadable(what))
}

const unreadable =
  (what: string) =>
  (cause: unknown): StoreFailure =>
    new StoreFailure({
      action: `could not read a stored ${what}`,
      hint: "the store holds something this program did not write; restore a backup, or move the store away",
      cause
    })

const decodeChange = stored("change", Change)

/** Only what tells an order's way: thousands are read each turn, and to check the rest of them takes longer than to read them. */
export const toPut = stored("change", Schema.Struct(parts.order_in_supply))

const decodeReason = stored("reason of a change", OutcomeReason)
const decodedReason = (text: string | null): Effect.Effect<OutcomeReason | undefined, StoreFailure> =>
  text === null ? Effect.succeed(undefined) : decodeReason(text)

/** A reason as the table keeps it. */
export const reasonText = (reason: OutcomeReason): string => JSON.stringify(reason)

/** A plan as the tables keep it. */
export const planBytes = (plan: Plan): Uint8Array => Packed.ofPieces(planText(plan))

/** The JSON of a plan in pieces; of a large account its lists have half a million rows. */
function* planText(plan: Plan): Generator<string, void> {
  let text = "{"
  for (const [key, value] of Object.entries(plan)) {
    if (value === undefined) continue
    text += `"${key}":`
    if (!Array.isArray(value) || value.length <= rowsPerPiece) text += JSON.stringify(value)
    else {
      for (let first = 0; first < value.length; first += rowsPerPiece) {
        yield `${text}${first === 0 ? "[" : ","}${JSON.stringify(value.slice(first, first + rowsPerPiece)).slice(1, -1)}`
        text = ""
      }
      text = "]"
    }
    text += ","
  }
  yield `${text.slice(0, -1)}}`
}
/** A text of ten megabytes stands until all memory is looked through, and those of a large plan stood beside each other. */
const rowsPerPiece = 500

/** A plan of such bytes. */
export const toPlan = (bytes: Uint8Array): Effect.Effect<Plan, StoreFailure> =>
  Effect.flatMap(Effect.try({ try: () => Packed.text(bytes), catch: unreadable("plan") }), decodePlan)

const decodePlan = stored("plan", Plan)
