/** `deposit`: money for a campaign, never more than is known to be there. */
import * as Reason from "../../../domain/Reason.js"
import * as Print from "../../facts/Print.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import * as Deposit from "../../kinds/Deposit.js"
import * as Status from "../../kinds/Status.js"
import type { Action } from "../../language/Policy.js"
import { type Ground, type Intent, type Outcome, stay, targetOf, undecided } from "./Intent.js"

type DepositAction = Extract<Action, { readonly _tag: "Deposit" }>

export const of = (ground: Ground, action: DepositAction): Intent => {
  const target = { campaignId: targetOf(ground).campaignId }
  return { ground, target, slot: Deposit.slot(target), outcome: outcome(ground, action) }
}

/** Deposits are taken in statuses ready, active and paused only (seed 001 "States and transitions"). */
const outcome = (ground: Ground, { amountRoubles, from }: DepositAction): Outcome => {
  const status = ground.table.get(ground.row, "campaign.status")
  if (status._tag === "Unknown") return unsure("campaign.status", status.reason)
  if (!["ready", "active", "paused"].includes(String(status.value))) {
    return stay(`a campaign that is ${status.value} takes no money`, false)
  }
  const pausedBy = status.value === "paused" ? pauserOf(ground) : undefined
  if (pausedBy !== undefined) return stay(`${pausedBy} paused the campaign, which gets no money then`, false)
  const budget = amount(ground, "campaign.budget")
  if (typeof budget !== "number") return budget
  const source = Vocabulary.balanceOf[from]
  const balance = amount(ground, source)
  if (typeof balance !== "number") return balance
  const kopecks = amountRoubles * 100
  const shown = (money: number) => Print.money(money, ground.sign)
  if (balance < kopecks) {
    return stay(`${nameOf(source)} has ${shown(balance)}, ${shown(kopecks)} are needed`, false)
  }
  return {
    _tag: "Move",
    dearer: true,
    setting: {
      before: budget,
      after: budget + kopecks,
      kind: Deposit.name,
      clamps: [],
      reversible: false,
      details: { from, balanceKopecks: balance }
    }
  }
}

/** The policy whose pause still stands: what a plan would refuse beside that pause, no later plan does either. */
const pauserOf = (ground: Ground): string | undefined => {
  const ours = ground.slots.get(Status.slot({ campaignId: targetOf(ground).campaignId }))?.ours
  return ours?.after === "paused" ? ours.policy : undefined
}

const amount = (ground: Ground, id: string): number | Outcome => {
  const cell = ground.table.get(ground.row, id)
  if (cell._tag === "Unknown") return unsure(id, cell.reason)
  return Number.isSafeInteger(cell.value)
    ? Number(cell.value)
    : undecided(`${nameOf(id)} is ${cell.value}, not a whole amount`, false)
}

const unsure = (id: string, reason: Reason.Reason): Outcome =>
  undecided(`${nameOf(id)} is unknown: ${Reason.explain[reason]}`, false)

/** As rules write it. */
const nameOf = (id: string): string => Vocabulary.byFactId(id)?.word ?? id
