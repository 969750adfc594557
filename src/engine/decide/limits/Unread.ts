/**
 * `max_unknown`: when too many rows of a policy could not be read, what could be read is no fair picture either, and
 * nothing of the policy is done.
 */
import * as Reason from "../../../domain/Reason.js"
import type { UndecidedRow } from "../../facts/Evaluate.js"
import type { MaxUnknown } from "../../kinds/HeldReason.js"
import type { Policy } from "../../language/Policy.js"
import type { PolicySummary } from "../Plan.js"

/** Fewer rows than this say nothing about the data, however small the policy's scope. */
const leastRows = 5

/**
 * Of the rows in scope or possibly so, those that nobody could decide on because a fact failed or is stale. What the
 * marketplace does not have, and what the call limit left out, is no sign of trouble.
 */
export const of = (
  scope: ReadonlyArray<number>,
  undecided: ReadonlyArray<UndecidedRow>
): NonNullable<PolicySummary["unread"]> => ({
  rows: undecided.filter(({ reason }) => isTrouble(reason)).length,
  of: distinct(scope, undecided)
})

/** A mark per row: of a million rows a set would take fifty times as much. */
const distinct = (scope: ReadonlyArray<number>, undecided: ReadonlyArray<UndecidedRow>): number => {
  let last = -1
  for (const row of scope) last = Math.max(last, row)
  for (const { row } of undecided) last = Math.max(last, row)
  const marks = new Uint8Array(last + 1)
  for (const row of scope) marks[row] = 1
  for (const { row } of undecided) marks[row] = 1
  return marks.reduce((count, mark) => count + mark, 0)
}

const isTrouble = (byte: number): boolean => {
  const reason = Reason.fromCode(byte)
  return reason !== undefined && !Reason.isMissing(byte) && reason !== "notFetched" && reason !== "pending"
}

/** What holds the changes of a policy; undefined while enough could be read. */
export const over = (policy: Policy, unread: PolicySummary["unread"]): MaxUnknown | undefined => {
  const share = policy.maxUnknownBasisPoints
  if (unread === undefined || unread.rows * 10_000 <= share * unread.of) return undefined
  if (unread.rows < leastRows && share > 0) return undefined
  const most = Math.floor((share * unread.of) / 10_000)
  return {
    code: "max_unknown",
    where: `${policy.file} max_unknown`,
    basisPoints: share,
    rows: unread.rows,
    of: unread.of,
    most
  }
}
