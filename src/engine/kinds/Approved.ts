/** A plan that somebody answers for, as far as whoever carries it out has to know it. Pure. */
import type { AccountName, PlanId } from "../../domain/Ids.js"
import type { Change } from "./Change.js"

const seal: unique symbol = Symbol("bidhelm/ApprovedPlan")

/** Exactly `changes` may be written. `issue` alone makes one. */
export interface ApprovedPlan {
  readonly account: AccountName
  readonly planId: PlanId
  /** Epoch milliseconds. */
  readonly madeAtMs: number
  readonly changes: ReadonlyArray<Change>
  readonly approvedBy: string
  readonly [seal]: true
}

/** For who has reviewed the changes against the limits: the one caller is `Review.approve` (test/house.test.ts). */
export const issue = (plan: Omit<ApprovedPlan, typeof seal>): ApprovedPlan => ({ ...plan, [seal]: true })
