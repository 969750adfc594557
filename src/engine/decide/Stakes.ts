/**
 * What the changes of a plan put at stake, as three sums that are never one: raises, savings and deposits. An estimate
 * that is missing is counted as missing. Only for people to read; nothing decides by it.
 */

import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import type { Plan } from "./Plan.js"

/** What one change puts at stake. Money is kopecks, of raises and savings per day, and never negative. */
export type Stake =
  | { readonly _tag: "Raise"; readonly kopecks: number }
  | { readonly _tag: "Saving"; readonly kopecks: number }
  | { readonly _tag: "Deposit"; readonly kopecks: number }
  /** Nobody can estimate it: a raise, a saving, or not even that is known. */
  | { readonly _tag: "Unknown"; readonly side: "raise" | "saving" | "either"; readonly why: string }
  /** The same plan pauses the campaign, by this policy: whatever its bids and phrases are, it spends nothing. */
  | { readonly _tag: "Paused"; readonly by: string }
  /** No advertising money is spent by it. */
  | { readonly _tag: "Free" }

/** Sums of kopecks, of raises and savings per day; `unknown` counts changes without an estimate. */
export interface Stakes {
  readonly raises: { readonly kopecks: number; readonly unknown: number }
  readonly savings: { readonly kopecks: number; readonly unknown: number }
  /** Changes without an estimate of which nobody knows whether they raise or save. */
  readonly unknown: number
  readonly depositsKopecks: number
  /** Changes that count nothing, because the plan pauses their campaign. */
  readonly underPause: number
}

/** The part of a plan that its stakes are judged by. */
export type Judged = Pick<Plan, "changes" | "policies">

/** How to judge any change of this plan, by itself and by what else the plan does to its campaign. */
export const judge = (plan: Judged): ((change: Change) => Stake) => {
  const sureness = surenessIn(plan)
  const pauses = new Map<number, Change>()
  for (const change of plan.changes) {
    const { campaignId } = change.subject
    if (campaignId === undefined || !isPause(change)) continue
    const other = pauses.get(campaignId)
    if (other === undefined || sureness(other) < sureness(change)) pauses.set(campaignId, change)
  }
  return (change) => {
    const pays = Kinds.paysOf(change)
    if (pays !== undefined) return { _tag: "Deposit", kopecks: pays.amount(change) }
    if (Kinds.of(change).isFree === true) return { _tag: "Free" }
    const { campaignId } = change.subject
    const pause = campaignId === undefined ? undefined : pauses.get(campaignId)
    if (pause !== undefined && Kinds.switches(change) === undefined && sureness(pause) >= sureness(change))
      return { _tag: "Paused", by: pause.origin.name }
    const money = change.moneyPerDayKopecks
    if (typeof money !== "number") return { _tag: "Unknown", side: sideOf(change), why: money.unknown }
    return money > 0
      ? { _tag: "Raise", kopecks: money }
      : { _tag: "Saving", kopecks: money === 0 ? 0 : 0 - money }
  }
}

/** Adds up what changes of a plan put at stake. */
export const sum = (stakes: Iterable<Stake>): Stakes => {
  const raises = { kopecks: 0, unknown: 0 }
  const savings = { kopecks: 0, unknown: 0 }
  let unknown = 0
  let depositsKopecks = 0
  let underPause = 0
  for (const stake of stakes) {
    switch (stake._tag) {
      case "Raise":
        raises.kopecks += stake.kopecks
        break
      case "Saving":
        savings.kopecks += stake.kopecks
        break
      case "Deposit":
        depositsKopecks += stake.kopecks
        break
      case "Unknown":
        if (stake.side === "raise") raises.unknown += 1
        else if (stake.side === "saving") savings.unknown += 1
        else unknown += 1
        break
      case "Paused":
        underPause += 1
        break
      case "Free":
    }
  }
  return { raises, savings, unknown, depositsKopecks, underPause }
}

/** What is in no campaign's budget, as an item that joins a promotion, neither raises its spend nor saves it. */
const sideOf = (change: Change): Extract<Stake, { readonly _tag: "Unknown" }>["side"] => {
  if (change.subject.campaignId === undefined) return "either"
  return Kinds.of(change).isDearer(change) ? "raise" : "saving"
}

/** Changes without an estimate, on whichever side. */
export const unestimated = ({ raises, savings, unknown }: Stakes): number =>
  raises.unknown + savings.unknown + unknown

/** The sums of a whole plan. */
export const of = (plan: Judged): Stakes => sum(plan.changes.map(judge(plan)))

const isPause = (change: Change): boolean => Kinds.switches(change) === "off"

/** A pause that is only shown, or waits for a person, does not stop what is sent without either. */
const surenessIn = ({ policies }: Judged): ((change: Change) => number) => {
  const modes = new Map(policies.map(({ id, mode }) => [id, sureness[mode]]))
  return ({ origin: { name: policy } }) => modes.get(policy) ?? sureness.apply
}

const sureness = { apply: 2, approve: 1, preview: 0, disabled: 0 } as const
