/** `deposit` and `placements` with their options, and what a policy with deposits must say. */
import * as Money from "../../../domain/Money.js"
import * as FactRefs from "../../facts/FactRefs.js"
import type { Action, Clause, Condition, DepositSource, Policy, Rule } from "../Policy.js"
import type { Problems } from "../problems/Diagnostic.js"
import * as Suggest from "../problems/Suggest.js"
import type { Node } from "../yaml/Node.js"
import { entry, get } from "../yaml/Node.js"
import type { Range } from "../yaml/Source.js"
import * as Amounts from "./Amounts.js"
import * as Overlays from "./Overlays.js"

interface Chosen {
  readonly range: Range
  readonly options: Node
}

/** Least deposit and what deposits are multiples of, roubles (field note M28). */
const least = 1000
const step = 50

/** `deposit` with its options; undefined when something was reported. */
export const deposit = (chosen: Chosen, span: Action["span"], problems: Problems): Action | undefined => {
  const written = Amounts.keyed(chosen.options, "amount")
  const kopecks = Amounts.kopecks(written, problems)
  const from = get(chosen.options, "from")
  if (written === undefined || kopecks === undefined || from?._tag !== "Scalar") return undefined
  if (kopecks < least * 100 || kopecks % (step * 100) !== 0) {
    const near = Math.max(least, Math.round(kopecks / 100 / step) * step)
    const message = `amount: the marketplace takes ${least} ₽ or more, in steps of ${step} ₽.`
    return problems.error("K14", written.node.range, message, `${near} ₽`)
  }
  // What else it may be was reported by the check of shapes.
  return {
    _tag: "Deposit",
    amountRoubles: Money.Roubles(kopecks / 100),
    from: from.text.trim() as DepositSource,
    span
  }
}

/** `placements` with its options; undefined when something was reported. */
export const placements = (chosen: Chosen, span: Action["span"], problems: Problems): Action | undefined => {
  const search = toggle(chosen.options, "search")
  const recommendations = toggle(chosen.options, "recommendations")
  if (search === undefined && recommendations === undefined) {
    const message = "placements needs search: or recommendations:, each on or off."
    const example = Suggest.forExample("{search: on, recommendations: off}")
    return problems.error("K03", chosen.range, message + example)
  }
  if (search === false && recommendations === false) {
    const message = "The campaign would be shown nowhere. Leave one placement on, or write do: pause"
    return problems.error("K33", chosen.range, message)
  }
  return {
    _tag: "Placements",
    ...(search === undefined ? {} : { search }),
    ...(recommendations === undefined ? {} : { recommendations }),
    span
  }
}

const toggle = (options: Node, key: string): boolean | undefined => {
  const written = Amounts.keyed(options, key)?.node.text.trim()
  return written === undefined ? undefined : /^(on|yes|true)$/.test(written)
}

/** K12 and S01: deposits need a limit per day, and something that keeps them from being repeated in every run. */
export const checkDeposits = (
  root: Node,
  where: ReadonlyArray<Clause>,
  rules: ReadonlyArray<Rule>,
  problems: Problems
): void => {
  const [written] = Overlays.actionsOf(root).filter(({ key }) => key === "deposit")
  if (written === undefined) return
  const perDay = Amounts.keyed(get(root, "limits"), "money_per_day")
  if (perDay === undefined) {
    const message = "deposit needs limits.money_per_day: the most a campaign may get in a day."
    problems.error("K12", written.range, message + Suggest.forExample("limits: {money_per_day: 6000 ₽}"))
  }
  const depositing = rules.flatMap(({ action, when }) =>
    action._tag === "Deposit" ? [{ action, when }] : []
  )
  const isGuarded = ({ when }: Pick<Rule, "when">) =>
    [...where, ...when].some(({ condition }) => boundsBudget(condition))
  if (entry(root, "cooldown") === undefined && !depositing.every(isGuarded)) {
    const message = "Nothing keeps the deposit from being repeated in each run. Add cooldown: or budget < …."
    problems.error("S01", written.range, message + Suggest.forExample("cooldown: 4h"))
  }
}

/** K14: a deposit that no limit of the policy ever lets through. */
export const checkAmounts = (
  root: Node,
  { moneyPerDayKopecks, policyMoneyPerDayKopecks }: Policy["limits"],
  rules: ReadonlyArray<Rule>,
  problems: Problems
): void => {
  const largest = Math.max(
    0,
    ...rules.map(({ action }) => (action._tag === "Deposit" ? action.amountRoubles * 100 : 0))
  )
  const bounds = [
    ["money_per_day", moneyPerDayKopecks],
    ["policy_money_per_day", policyMoneyPerDayKopecks]
  ] as const
  for (const [key, kopecks] of bounds) {
    const found = entry(get(root, "limits"), key)
    if (found === undefined || kopecks === undefined || kopecks >= largest) continue
    const shown = Money.format(Money.Kopecks(largest))
    const message = `${key} is less than one deposit of ${shown}: it would never be made.`
    problems.error("K14", found.value.range, message, shown)
  }
}

/** True for a condition that says how little budget must be left. */
const boundsBudget = (condition: Condition): boolean => {
  const names = (part: Parameters<typeof FactRefs.ofExpr>[0]) =>
    FactRefs.ofExpr(part).some(({ id }) => id === "campaign.budget")
  switch (condition._tag) {
    case "Compare":
      return condition.op === "<" || condition.op === "<="
        ? names(condition.left)
        : (condition.op === ">" || condition.op === ">=") && names(condition.right)
    case "Between":
      return names(condition.value)
    case "And":
      return condition.all.some(boundsBudget)
    case "Or":
      return condition.any.every(boundsBudget)
    default:
      return false
  }
}
