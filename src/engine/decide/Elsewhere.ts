/**
 * A saved plan that this store did not make: written on another machine, changed by hand, or older than the store. Its
 * file is no proof of anything, so it only chooses: of a plan made anew, the changes that are exactly the same are
 * applied. What the rules would not do now, in that way, is refused by name, and then nothing of the plan is sent.
 */
import * as Inverse from "./Inverse.js"
import type { Change, Plan } from "./Plan.js"
import * as Review from "./Review.js"
import * as Slot from "./Slot.js"

export type Judged =
  | { readonly _tag: "Same"; readonly reviewed: Review.ReviewedPlan }
  /** One sentence per change that the rules would not make so. */
  | { readonly _tag: "Refused"; readonly why: ReadonlyArray<string> }

/** `saved` is what the file says, `fresh` what the rules make of the account now. */
export const judge = (saved: Plan, fresh: Review.ReviewedPlan): Judged => {
  const made = new Map(fresh.plan.changes.map((change) => [keyOf(change), change]))
  const why = saved.changes.flatMap((change) => {
    const same = made.get(keyOf(change))
    return same !== undefined && isSame(change, same)
      ? []
      : [`${nameOf(change)}: ${objection(change, fresh.plan)}`]
  })
  if (why.length > 0) return { _tag: "Refused", why }
  return { _tag: "Same", reviewed: Review.only(fresh, new Set(saved.changes.map(({ id }) => id))) }
}

/** One policy's wish for one slot. */
const keyOf = (change: Change): string => `${change.policy}\n${Slot.key(change)}`

/** Everything that is sent, and everything that is kept for taking it back. */
const isSame = (a: Change, b: Change): boolean => written.every((field) => a[field] === b[field])

const written = [
  "id",
  "policy",
  "action",
  "placement",
  "before",
  "after",
  "unit",
  "inherited",
  "clears",
  "overlayPolicy",
  "overlayBasisPoints",
  "baseBeforeKopecks",
  "baseKopecks",
  "depositFrom",
  "takesBack",
  "revertsTo"
] as const satisfies ReadonlyArray<keyof Change>

const nameOf = (change: Change): string =>
  `${change.action} of ${Slot.key(change)} by ${change.policy}, ${change.before} → ${change.after}`

const objection = (change: Change, fresh: Plan): string => {
  if (Inverse.isByPerson(change))
    return "what is taken back stands in this store alone; make it here: bidhelm undo"
  const slot = Slot.key(change)
  const own = fresh.changes.find((one) => one.policy === change.policy && Slot.key(one) === slot)
  if (own !== undefined) return `the policy makes it ${own.before} → ${own.after}`
  const held = fresh.held.find((one) => one.change.policy === change.policy && Slot.key(one.change) === slot)
  if (held !== undefined) return `held by ${held.limit}: ${held.over}`
  const still = [...fresh.unchanged, ...fresh.unknown].find(
    ({ policy, target }) =>
      policy === change.policy &&
      target.campaignId === change.target.campaignId &&
      target.itemId === change.target.itemId &&
      target.cluster === change.target.cluster
  )
  return still === undefined
    ? `the policy does not make this change`
    : `the policy does not make this change: ${still.why}`
}
