/** What a plan says of one policy and one row. */
import * as Target from "../../domain/Target.js"
import type { Plan } from "../../engine/decide/Plan.js"
import type { Change } from "../../engine/kinds/Change.js"
import type { Policy } from "../../engine/language/Policy.js"
import * as Wording from "../Wording.js"

export type Entry =
  | { readonly _tag: "Change"; readonly change: Change }
  | {
      readonly _tag: "Held"
      readonly change: Change
      readonly by: string
      readonly limit: string
      readonly over: string
    }
  | { readonly _tag: "Overruled"; readonly by: string }
  | { readonly _tag: "Unchanged"; readonly why: string }
  | { readonly _tag: "Unknown"; readonly why: string }
  | { readonly _tag: "Told"; readonly text: string }
  | { readonly _tag: "Nothing" }

export const of = (plan: Plan, policy: Policy, target: Target.Subject): Entry => {
  const key = Target.key(target)
  const mine = (row: { readonly policy: string; readonly target?: Target.Subject | undefined }): boolean =>
    row.policy === policy.id && row.target !== undefined && Target.key(row.target) === key
  const change = plan.changes.find(mine)
  if (change !== undefined) return { _tag: "Change", change }
  const held = plan.held.find((row) => mine(row.change))
  if (held !== undefined) return { _tag: "Held", ...held }
  const won = [...plan.changes, ...plan.held.map((row) => row.change)]
  const winner = won.find((one) => one.overruled.includes(policy.id) && Target.key(one.target) === key)
  if (winner !== undefined) return { _tag: "Overruled", by: winner.policy }
  const unchanged = plan.unchanged.find(mine)
  if (unchanged !== undefined) return { _tag: "Unchanged", why: unchanged.why }
  const unknown = plan.unknown.find(mine)
  if (unknown !== undefined) return { _tag: "Unknown", why: unknown.why }
  const notice = (plan.notices ?? []).find(mine)
  return notice === undefined ? { _tag: "Nothing" } : { _tag: "Told", text: notice.text }
}

/** What a policy that did not get its way would do if it were alone. */
export const alone = (
  { alone, plan }: { readonly alone: ReadonlyMap<string, Plan>; readonly plan: Plan },
  policy: string,
  target: Target.Subject
): string => {
  const own = alone.get(policy)
  const key = Target.key(target)
  const change = [...(own?.changes ?? []), ...(own?.held ?? []).map((row) => row.change)].find(
    (one) => one.policy === policy && Target.key(one.target) === key
  )
  return change === undefined ? "something else" : Wording.effect(change, plan.currency)
}
