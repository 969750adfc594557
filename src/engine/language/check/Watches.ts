/** `watch:`: when a change is looked at again, and under which condition it is taken back. */
import * as FactRefs from "../../facts/FactRefs.js"
import type { Clause, Rule } from "../Policy.js"
import type { Problems } from "../problems/Diagnostic.js"
import { longestAfterMs, type Watch } from "../Timing.js"
import { entry, get, type Node, scalars } from "../yaml/Node.js"
import * as Source from "../yaml/Source.js"
import * as Amounts from "./Amounts.js"
import * as Clauses from "./Clauses.js"
import type { Setting } from "./Scope.js"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Undefined when there is none, or it is wrong, which is reported. */
export const read = (
  root: Node,
  setting: Setting,
  rules: ReadonlyArray<Rule>,
  problems: Problems
): Watch | undefined => {
  const found = entry(root, "watch")
  if (found === undefined || found.value._tag !== "Map") return undefined
  const before = problems.count
  for (const { action } of rules) {
    const why = forGood[action._tag]
    if (why !== undefined) problems.error("K36", found.keyRange, why)
  }
  const marks = scalars(get(found.value, "after")).flatMap((node) => {
    const ms = Amounts.milliseconds({ key: "after", node }, hourMs, longestAfterMs, problems)
    return ms === undefined ? [] : [ms]
  })
  const conditions = entry(found.value, "roll_back_when")
  const rollBackWhen = Clauses.read(get(found.value, "roll_back_when"), setting, problems)
  const afterMs = [...new Set(marks)].sort((a, b) => a - b)
  if (problems.count > before || conditions === undefined) return undefined
  if (afterMs.length === 0 || rollBackWhen.length === 0) return undefined
  reachesBack(rollBackWhen, afterMs[0]!, conditions.value, problems)
  const span = Source.span(problems.source, conditions.keyRange)
  return { afterMs, rollBackWhen, span }
}

const forGood: Readonly<Partial<Record<string, string>>> = {
  AdjustBid: "adjust_bid ends by itself when during: is over. Remove watch:",
  Deposit: "A deposit cannot be taken back. Remove watch:",
  Notify: "A message cannot be taken back. Remove watch:"
}

/** K37: days before the change would decide whether it did harm. */
const reachesBack = (
  clauses: ReadonlyArray<Clause>,
  firstMs: number,
  place: Node,
  problems: Problems
): void => {
  const longest = FactRefs.ofClauses(clauses).reduce(
    (most, { window }) => (window?._tag === "Last" ? Math.max(most, window.days + window.settleDays) : most),
    0
  )
  if (longest * dayMs <= firstMs) return
  const message = `At the first mark the last ${longest === 1 ? "day is" : `${longest} days are`} mostly from before the change. Look later, after: ${longest}d, or over fewer days.`
  problems.warning("K37", place.range, message)
}
