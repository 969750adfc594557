/** What we filed for promotions, by the journal, against the promotions' own lists of who is in. Pure. */
import type { ItemId, PromotionId } from "../../domain/Ids.js"
import { type JournalRow, openStates } from "../../engine/door/Journal.js"
import type { Change, Of } from "../../engine/kinds/Change.js"
import * as Enrolment from "../../engine/kinds/Enrolment.js"
import { deadlines } from "../../engine/kinds/Kind.js"

type Enrolling = Of<typeof Enrolment.name>

/** An item that we filed for a promotion. */
export interface Filing {
  readonly promotionId: PromotionId
  readonly itemId: ItemId
  readonly row: JournalRow
  readonly details: Enrolling["details"]
  /** Epoch milliseconds. */
  readonly sentAt: number
  readonly task: Enrolment.Filed
}

/**
 * `in`: its list shows it. `waiting`: the promotion has not begun, or its task may still be under way. `left_out`: it has begun and the
 * item is not in. `gone`: it was in, and is not any more. Where the list could not be read or lacks some, `was_in`: it was in when we last
 * saw it; `unseen`: nobody knows.
 */
export type Standing = "in" | "waiting" | "left_out" | "gone" | "was_in" | "unseen"

/** What left, or may have left, and was not refused, in the order of the rows. */
export const all = (rows: ReadonlyArray<JournalRow>): ReadonlyArray<Filing> =>
  rows.flatMap((row): ReadonlyArray<Filing> => {
    const { change, sentAt, state } = row
    if (!isEnrolling(change) || sentAt === undefined || state === "rejected") return []
    const { itemId, promotionId } = change.subject
    const task = Enrolment.filedBy(row.evidence) ?? {}
    return [{ promotionId, itemId, row, details: change.details, sentAt, task }]
  })

/** Of each item in a promotion the latest. */
export const filings = (rows: ReadonlyArray<JournalRow>): ReadonlyArray<Filing> => {
  const latest = new Map(all(rows).map((one) => [one.row.slot, one]))
  return [...latest.values()].sort((a, b) => a.promotionId - b.promotionId || a.itemId - b.itemId)
}

/** A promotion's list of who is in; `isWhole` is false where it lacks some that the promotion counts. */
export interface Members {
  readonly ids: ReadonlySet<ItemId>
  readonly isWhole: boolean
}

/** `members` is undefined where the list could not be read, `hasBegun` where nobody knows. */
export const standingOf = (
  { itemId, row, sentAt }: Filing,
  members: Members | undefined,
  hasBegun: boolean | undefined,
  nowMs: number
): Standing => {
  const wasSeen = row.state === "applied"
  if (members?.ids.has(itemId) === true) return "in"
  const isUnderWay = openStates.includes(row.state) && nowMs < sentAt + deadlines.filing
  if (isUnderWay && members !== undefined) return "waiting"
  if (members?.isWhole !== true) return wasSeen ? "was_in" : "unseen"
  if (wasSeen) return "gone"
  return hasBegun === undefined ? "unseen" : hasBegun ? "left_out" : "waiting"
}

const isEnrolling = (change: Change): change is Enrolling => change.kind === Enrolment.name
