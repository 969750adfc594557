/** What a plan says of one target and one policy. */
import * as Plural from "../../domain/Plural.js"
import * as Target from "../../domain/Target.js"
import type { Plan } from "../../engine/decide/Plan.js"
import type { Change, Held } from "../../engine/kinds/Change.js"
import type { Policy } from "../../engine/language/Policy.js"
import * as RowReasons from "../RowReasons.js"

/**
 * `Agreed`: another policy's change, or what holds it, is what this one wants too; `mode` is that policy's. `Below` is of a policy that optimises, about a row with
 * many bids.
 */
export type Entry =
  | { readonly _tag: "Change"; readonly change: Change }
  | ({ readonly _tag: "Held" } & Held)
  | { readonly _tag: "Overruled"; readonly by: string }
  | {
      readonly _tag: "Agreed"
      readonly by: string
      readonly mode: Policy["mode"] | undefined
      readonly held: Held | undefined
    }
  | { readonly _tag: "Unchanged"; readonly why: string }
  | { readonly _tag: "Unknown"; readonly why: string }
  | { readonly _tag: "Told"; readonly text: string }
  | { readonly _tag: "Below"; readonly changes: number; readonly held: number; readonly why: string }
  | { readonly _tag: "Nothing" }

/** Of the row itself. */
export const of = (plan: Plan, policy: Policy, target: Target.Subject): Entry => {
  const key = Target.key(target)
  const isHere = (one: { readonly subject?: Target.Subject | undefined }): boolean =>
    one.subject !== undefined && Target.key(one.subject) === key
  const mine = (row: { readonly policy: string; readonly subject?: Target.Subject | undefined }): boolean =>
    row.policy === policy.id && isHere(row)
  const ours = (change: Change): boolean => change.origin.name === policy.id && isHere(change)
  const change = plan.changes.find(ours)
  if (change !== undefined) return { _tag: "Change", change }
  const held = plan.held.find((row) => ours(row.change))
  if (held !== undefined) return { _tag: "Held", ...held }
  const won = [...plan.changes, ...plan.held.map((row) => row.change)]
  const winner = won.find((one) => one.overruled.includes(policy.id) && Target.key(one.subject) === key)
  if (winner !== undefined) return { _tag: "Overruled", by: winner.origin.name }
  const agreed = won.find(
    (one) => one.agreed?.includes(policy.id) === true && Target.key(one.subject) === key
  )
  if (agreed !== undefined) {
    const by = agreed.origin.name
    const { mode } = plan.policies.find(({ id }) => id === by) ?? {}
    return { _tag: "Agreed", by, mode, held: plan.held.find((row) => row.change === agreed) }
  }
  const unchanged = plan.unchanged.find(mine)
  if (unchanged !== undefined)
    return { _tag: "Unchanged", why: RowReasons.text(unchanged.because, RowReasons.around(plan)) }
  const unknown = plan.unknown.find(mine)
  if (unknown !== undefined)
    return { _tag: "Unknown", why: RowReasons.text(unknown.because, RowReasons.around(plan)) }
  const notice = (plan.notices ?? []).find(mine)
  return notice === undefined
    ? { _tag: "Nothing" }
    : { _tag: "Told", text: RowReasons.notice(notice, RowReasons.around(plan)) }
}

/**
 * Of a policy that optimises what is asked about is a bid below its row, or a row with many bids. One with none is nobody's: what
 * no list shows, or what a campaign without such bids has.
 */
export const below = (plan: Plan, policy: Policy, target: Target.Subject): Entry => {
  const exact = of(plan, policy, target)
  if (exact._tag !== "Nothing") return exact
  const isBelow = (subject: Target.Subject | undefined): boolean =>
    subject !== undefined &&
    subject.campaignId === target.campaignId &&
    (target.itemId === undefined || subject.itemId === target.itemId) &&
    target.cluster === undefined
  const count = (
    rows: ReadonlyArray<{ readonly policy: string; readonly subject?: Target.Subject | undefined }>
  ) => rows.filter((row) => row.policy === policy.id && isBelow(row.subject)).length
  const ours = (change: Change): boolean => change.origin.name === policy.id && isBelow(change.subject)
  const changes = plan.changes.filter(ours).length
  const held = plan.held.filter(({ change }) => ours(change)).length
  const [unchanged, unknown] = [count(plan.unchanged), count(plan.unknown)]
  if (changes + held + unchanged + unknown === 0) return exact
  const parts = [
    `${Plural.of(changes, "change")} below it`,
    ...(held === 0 ? [] : [`${held} held`]),
    `${Plural.of(unchanged, "bid")} as ${Plural.choose(unchanged, "it is", "they are")}`,
    ...(unknown === 0 ? [] : [`${unknown} that nobody can decide on`])
  ]
  return {
    _tag: "Below",
    changes,
    held,
    why: `${parts.join(", ")}; ask for one of them by its item and cluster`
  }
}
