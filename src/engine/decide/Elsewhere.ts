/**
 * A saved plan that this store did not make: written on another machine, changed by hand, or older than the store. Its
 * file is no proof of anything, so it only chooses: of a plan made anew, the changes that are exactly the same are
 * applied. What the rules would not do now, in that way, is refused by name, and then nothing of the plan is sent.
 */

import * as Hash from "../../domain/Hash.js"
import type { Change, PolicyOrigin } from "../kinds/Change.js"
import type { HeldReason } from "../kinds/HeldReason.js"
import * as Kinds from "../kinds/Kinds.js"
import * as Inverse from "./Inverse.js"
import type { Plan } from "./Plan.js"
import * as Review from "./Review.js"
import type { UnchangedReason, UnknownReason } from "./RowReason.js"

export type Judged =
  | { readonly _tag: "Same"; readonly reviewed: Review.ReviewedPlan }
  /** One for each change that the rules would not make so. */
  | { readonly _tag: "Refused"; readonly strays: ReadonlyArray<Stray> }

/** A change of a file that a plan made here does not have in the same way. */
export interface Stray {
  /** As the file has it. */
  readonly change: Change
  readonly made: Made
}

/** What a plan made here has in place of a stray. */
export type Made =
  /** The same policy changes the same slot, but not so; `fields` are what differs, at least one. */
  | { readonly _tag: "Otherwise"; readonly change: Change; readonly fields: ReadonlyArray<string> }
  /** Another policy, in this mode, changes the slot. */
  | { readonly _tag: "ByAnother"; readonly change: Change; readonly mode: string }
  | { readonly _tag: "Held"; readonly because: HeldReason }
  /** What a person takes back stands in the store that did it, and in no plan of the rules. */
  | { readonly _tag: "TakenBack" }
  /** The policy leaves the slot as it is; `because`, when it had a reason to look at it. */
  | { readonly _tag: "Nothing"; readonly because: UnchangedReason | UnknownReason | undefined }

/** `saved` is what the file says, `fresh` what the rules make of the account now. */
export const judge = (saved: Plan, fresh: Review.ReviewedPlan): Judged => {
  const strays = straysOf(saved, fresh.plan)
  if (strays.length > 0) return { _tag: "Refused", strays }
  return { _tag: "Same", reviewed: Review.only(fresh, new Set(saved.changes.map(({ id }) => id))) }
}

/** The changes of a file that a plan made here does not have in exactly the same way, in the order of the file. */
export const straysOf = (saved: Pick<Plan, "changes">, made: Plan): ReadonlyArray<Stray> => {
  const bySlot = new Map(made.changes.map((change) => [Kinds.slotOf(change), change]))
  return saved.changes.flatMap((change) => {
    const own = bySlot.get(Kinds.slotOf(change))
    const fields = own === undefined ? [] : differing(change, own)
    return own !== undefined && fields.length === 0
      ? []
      : [{ change, made: instead(change, made, own, fields) }]
  })
}

/** Names of what differs of everything that is sent, that is kept for taking it back, and whose it is. */
const differing = (change: Change, own: Change): ReadonlyArray<string> => [
  ...written.filter((field) => change[field] !== own[field]),
  ...detailsDiffering(change.details, own.details),
  ...ofOrigin.filter((field) => valueOf(change.origin, field) !== valueOf(own.origin, field))
]

const ofOrigin = ["by", "name", "takesBack", "revertsTo", "revertsInherited"] as const

const valueOf = (origin: Change["origin"], field: (typeof ofOrigin)[number]): unknown =>
  (origin as Partial<PolicyOrigin>)[field]

const written = ["id", "kind", "action", "before", "after"] as const satisfies ReadonlyArray<keyof Change>

const detailsDiffering = (
  some: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, unknown>>
): ReadonlyArray<string> =>
  [...new Set([...Object.keys(some), ...Object.keys(own)])]
    .filter(
      (name) => !onlyForLimits.has(name) && Hash.of([some[name] ?? null]) !== Hash.of([own[name] ?? null])
    )
    .map((name) => `details.${name}`)

/** Seen when the change was planned, or when that was, and not sent. */
const onlyForLimits = new Set([
  "dayFirstKopecks",
  "balanceKopecks",
  "status",
  "day",
  "besides",
  "besidesUnread"
])

const instead = (
  change: Change,
  plan: Plan,
  own: Change | undefined,
  fields: ReadonlyArray<string>
): Made => {
  if (Inverse.isByPerson(change)) return { _tag: "TakenBack" }
  if (own?.origin.name === change.origin.name) return { _tag: "Otherwise", change: own, fields }
  if (own !== undefined) {
    const mode = plan.policies.find(({ id }) => id === own.origin.name)?.mode ?? "preview"
    return { _tag: "ByAnother", change: own, mode }
  }
  const slot = Kinds.slotOf(change)
  const held = plan.held.find(
    (one) => one.change.origin.name === change.origin.name && Kinds.slotOf(one.change) === slot
  )
  if (held !== undefined) return { _tag: "Held", because: held.because }
  const still = [...plan.unchanged, ...plan.unknown].find(
    ({ policy, subject: target }) =>
      policy === change.origin.name &&
      target.campaignId === change.subject.campaignId &&
      target.itemId === change.subject.itemId &&
      target.cluster === change.subject.cluster
  )
  return { _tag: "Nothing", because: still?.because }
}
