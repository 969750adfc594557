/**
 * Enrolments of a store that was restored and reconciled. A task that was filed after the backup is not in its journal, and for hours no
 * list of the marketplace shows its items: until they must have shown themselves nothing is enrolled, no set above all. Pure.
 */
import type { Change } from "../../kinds/Change.js"
import * as Enrolment from "../../kinds/Enrolment.js"
import type { HeldReason } from "../../kinds/HeldReason.js"
import { deadlines } from "../../kinds/Kind.js"

interface Known {
  /** Epoch milliseconds; absent where the account was never reconciled, or nobody asked. */
  readonly reconciledAt?: number | undefined
  readonly nowMs?: number
  readonly zone: string
}

/** What holds a change until tasks of before the reconciliation show. */
export const verdict = (change: Change, { nowMs, reconciledAt, zone }: Known): HeldReason | undefined => {
  if (reconciledAt === undefined || !Enrolment.isEnrolment(change)) return undefined
  const until = reconciledAt + deadlines.filing
  return nowMs !== undefined && nowMs >= until ? undefined : { code: "filed_before_reconcile", until, zone }
}
