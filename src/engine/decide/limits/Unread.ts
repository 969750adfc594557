/**
 * `max_unknown`: when too many rows of a policy could not be read, what could be read is no fair picture either, and
 * nothing of the policy is done.
 */
import * as Reason from "../../../domain/Reason.js"
import type { RuleFound } from "../../facts/Funnel.js"
import type { MaxUnknown } from "../../kinds/HeldReason.js"
import type { Policy } from "../../language/Policy.js"
import type { PolicySummary } from "../Plan.js"

/** Fewer rows than this say nothing about the data, however small the policy's scope. */
const leastRows = 5

/**
 * Of the rows in scope or possibly so, those that nobody could decide on because a fact failed or is stale. What the
 * marketplace does not have, what the call limit left out, and a price that another promotion makes, is no sign of trouble.
 */
export const of = (
  scope: Int32Array,
  rules: ReadonlyArray<RuleFound>
): NonNullable<PolicySummary["unread"]> => {
  const counts = new Map<Reason.Reason, number>()
  let asked = scope.length
  for (const { undecided } of rules) {
    for (const byte of undecided.reasons) {
      const reason = Reason.fromCode(byte)
      if (reason !== undefined && isTrouble(byte)) counts.set(reason, (counts.get(reason) ?? 0) + 1)
    }
    asked += outside(scope, undecided.rows)
  }
  const reasons = [...counts]
    .map(([reason, rows]) => ({ reason, rows }))
    .sort((a, b) => b.rows - a.rows || Reason.code(a.reason) - Reason.code(b.reason))
  const rows = reasons.reduce((sum, one) => sum + one.rows, 0)
  return { rows, of: asked, ...(rows === 0 ? {} : { reasons }) }
}

/** How many of the rows are not in scope; both ascend. */
const outside = (scope: Int32Array, rows: Int32Array): number => {
  let found = 0
  let at = 0
  for (const row of rows) {
    while (at < scope.length && scope[at]! < row) at++
    if (scope[at] !== row) found++
  }
  return found
}

/** Whether a row is undecided because something could not be read, by the byte of its `domain/Reason`. */
export const isTrouble = (byte: number): boolean => {
  const reason = Reason.fromCode(byte)
  return reason !== undefined && !Reason.isMissing(byte) && !noTrouble.has(reason)
}

const noTrouble: ReadonlySet<Reason.Reason> = new Set([
  "notFetched",
  "pending",
  "otherPromotion",
  "otherUnread",
  "otherDay"
])

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
    most,
    ...(unread.reasons === undefined ? {} : { reasons: unread.reasons })
  }
}
