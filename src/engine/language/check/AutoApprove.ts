/** `auto_approve:` of a policy, and `human_edit_hold:` of the limits: what needs no person, and what a person's hand holds. */

import * as Days from "../../../domain/Days.js"
import type { AutoApprove, Mode } from "../Mode.js"
import type { AccountLimits, Policy, Rule } from "../Policy.js"
import type { Problems } from "../problems/Diagnostic.js"
import { entry, get, type Node } from "../yaml/Node.js"
import * as Amounts from "./Amounts.js"

/** In mode `apply` nothing asks, so bounds on what goes without asking would promise what nobody keeps. */
export const read = (root: Node, mode: Mode, problems: Problems): Pick<Policy, "autoApprove"> => {
  const found = entry(root, "auto_approve")
  if (found === undefined) return {}
  if (mode === "apply") {
    problems.error(
      "K35",
      found.keyRange,
      "auto_approve: says what mode approve does without asking; mode apply never asks. Write mode: approve, or leave auto_approve out."
    )
    return {}
  }
  const map = get(root, "auto_approve")
  const bid = Amounts.basisPoints(Amounts.keyed(map, "bid_change"), 1, 10_000, problems)
  const money = Amounts.kopecks(Amounts.keyed(map, "money_per_day"), problems)
  const autoApprove: AutoApprove = {
    ...(bid === undefined ? {} : { bidChangeBasisPoints: bid }),
    ...(money === undefined ? {} : { moneyPerDayKopecks: money })
  }
  return { autoApprove }
}

/** What nobody can take back goes without a person where the policy says so in as many words, and nowhere else. */
export const irreversible = (
  root: Node,
  mode: Mode,
  rules: ReadonlyArray<Rule>,
  problems: Problems
): Pick<Policy, "irreversible"> => {
  const found = entry(root, "irreversible")
  const enrols = rules.some(({ action }) => action._tag === "Enrol")
  if (found !== undefined && (mode !== "apply" || !enrols)) {
    const message = "irreversible: accepted belongs to mode: apply and do: enrol. Leave it out."
    problems.error("K38", found.keyRange, message)
  }
  const written = entry(root, "mode")
  if (found === undefined && mode === "apply" && enrols && written !== undefined) {
    const message =
      "Nothing takes an item out of a promotion. Write mode: approve, or irreversible: accepted beside mode: apply."
    problems.error("K38", written.value.range, message, "approve")
  }
  return found === undefined ? {} : { irreversible: "accepted" }
}

/** `0` as well as `0d`: nothing is left alone. */
export const humanEditHold = (
  account: Node | undefined,
  problems: Problems
): Pick<AccountLimits, "humanEditHoldMs"> => {
  const of = Amounts.keyed(account, "human_edit_hold")
  if (of?.node.text.trim() === "0") return { humanEditHoldMs: 0 }
  const ms = Amounts.milliseconds(of, 0, 90 * Days.dayMs, problems)
  return ms === undefined ? {} : { humanEditHoldMs: ms }
}
