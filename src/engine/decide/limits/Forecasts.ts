/**
 * A policy with `optimise` whose predictions were too far off too often for chance plans as before and sends nothing, budget by budget:
 * what it believes of the market is not true just now (decision 0100).
 */
import type { Change } from "../../kinds/Change.js"
import type { HeldReason } from "../../kinds/HeldReason.js"
import type { Scope } from "../../kinds/OperatorHold.js"
import * as Optimised from "../../kinds/Optimised.js"
import type { Calibration } from "../forecasts/Calibration.js"

/** Why a change is only shown; undefined where its budget's predictions hold, or nobody knows yet. */
export const verdict = (change: Change, calibrations: ReadonlyArray<Calibration>): HeldReason | undefined => {
  const { origin, subject } = change
  if (Optimised.of(change) === undefined || origin.by !== "policy") return undefined
  const found = fallen({ policy: origin.name, subject }, calibrations)
  return found?.fallen === undefined ? undefined : reason(found.policy, found.budget, found.fallen)
}

/** Of the budget that pays for a policy's move, where its predictions do not hold. */
export const fallen = (
  { policy, subject }: Pick<Change, "subject"> & { readonly policy: string },
  calibrations: ReadonlyArray<Calibration>
): Calibration | undefined =>
  calibrations.find(
    (one) =>
      one.fallen !== undefined &&
      one.policy === policy &&
      (one.budget === accountBudget || one.budget === String(subject.campaignId))
  )

const reason = (policy: string, budget: string, fallen: NonNullable<Calibration["fallen"]>): HeldReason => ({
  code: "forecast_missed",
  policy,
  budget,
  ...fallen
})

/** What a person resumes: the campaign, or the policy where one budget is for all. */
export const scopeOf = ({ budget, policy }: Pick<Calibration, "budget" | "policy">): Scope =>
  budget === accountBudget ? { kind: "policy", what: policy } : { kind: "target", what: budget }

/** Name of the one budget that all campaigns share. */
export const accountBudget = "account"
