/**
 * A change: what is about to be different, why, and what it may cost. Every kind has the same envelope; what only one
 * kind has is in its `details`. It is part of the plan's versioned JSON.
 */
import * as Schema from "effect/Schema"
import type * as Types from "effect/Types"
import type { Target } from "../../domain/Target.js"
import * as HeldReasons from "./HeldReason.js"
import { actionNames, type KindName, kindNames, parts } from "./Parts.js"

/** One condition with the value it saw; `value` is printable, with its unit. */
export const ReasonLine = Schema.Struct({
  condition: Schema.String,
  value: Schema.String,
  holds: Schema.Literal("true", "false", "unknown")
}).annotations({ identifier: "ReasonLine" })
export type ReasonLine = typeof ReasonLine.Type

/** What bound a value on its way: which limit, and the value before and after it. */
export const Clamp = Schema.Struct({
  by: Schema.Literal("toward", "max_step", "cap", "floor", "move_per_day", "max_bid", "min_bid", "step"),
  from: Schema.Int,
  to: Schema.Int,
  where: Schema.String
}).annotations({ identifier: "Clamp" })
export type Clamp = typeof Clamp.Type

/** A bid or a budget in kopecks, a status, a name, the places where a campaign is shown, or whether a phrase is in the list. */
export const Value = Schema.Union(Schema.Int, Schema.String, Schema.Boolean)
export type Value = typeof Value.Type

/**
 * Whose change it is: a policy's, by a rule of its file; a person's who takes something back (`bidhelm undo`); or a
 * person's who asks for it by name (`bidhelm call`).
 */
export const Origin = Schema.Union(
  Schema.Struct({
    by: Schema.Literal("policy"),
    name: Schema.String,
    /** Of a policy with several rules, the one that acts: its name, or `rule 2`. */
    rule: Schema.optional(Schema.String),
    /** Of the rule in its file. */
    line: Schema.Int,
    /** True when `revert_when` takes back what the policy did before. */
    takesBack: Schema.optional(Schema.Boolean),
    /** Of a policy with `revert_when`: the value before its unbroken row of changes, to which it would return. */
    revertsTo: Schema.optional(Value),
    /** `revertsTo` is the item's bid: the cluster had none of its own then. */
    revertsInherited: Schema.optionalWith(Schema.Literal(true), { exact: true })
  }),
  Schema.Struct({ by: Schema.Literal("undo"), name: Schema.String }),
  Schema.Struct({ by: Schema.Literal("call"), name: Schema.String, operation: Schema.String })
).annotations({ identifier: "Origin" })
export type Origin = typeof Origin.Type
export type PolicyOrigin = Extract<Origin, { readonly by: "policy" }>

const envelope = {
  id: Schema.String,
  origin: Origin,
  campaignName: Schema.String,
  action: Schema.Literal(...actionNames),
  before: Value,
  after: Value,
  reason: Schema.Array(ReasonLine),
  clamps: Schema.Array(Clamp),
  /** Policies whose intent on the same slot lost. */
  overruled: Schema.Array(Schema.String),
  /** Policies that want the very same of the slot, beside the one in whose name it is changed; absent where there is none. */
  agreed: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }),
  reversible: Schema.Boolean,
  /** Why a change that is not `reversible` is not. */
  irreversible: Schema.optional(Schema.String),
  /** Of a change that takes an earlier one back: its run, its id, and whose it was. */
  undoes: Schema.optional(
    Schema.Struct({ runId: Schema.String, changeId: Schema.String, policy: Schema.String })
  ),
  /**
   * Estimate of the change of spend per day in kopecks, from the window's spend; absent with its reason when
   * there is no spend to estimate from. Never used to decide.
   */
  moneyPerDayKopecks: Schema.Union(Schema.Int, Schema.Struct({ unknown: Schema.String })),
  /** Spend per day of the same window, kopecks: over a limit, the bids with the largest stay. */
  spendPerDayKopecks: Schema.optional(Schema.Int)
}

const Envelope = Schema.Struct(envelope)

type Parts = typeof parts

/** The changes of one kind: what is in memory (`Type`), or in JSON (`Encoded`). */
type Made<K extends KindName, Side extends "Type" | "Encoded"> = Types.Simplify<
  { readonly kind: K } & (typeof Envelope)[Side] & {
      readonly subject: Parts[K]["subject"][Side]
      readonly details: Parts[K]["details"][Side]
    }
>

export type Change = { readonly [K in KindName]: Made<K, "Type"> }[KindName]
type Encoded = { readonly [K in KindName]: Made<K, "Encoded"> }[KindName]

const { id, origin, ...rest } = envelope

const ofKind = (name: KindName) => {
  const { details, subject } = parts[name]
  const kind = Schema.Literal(name)
  return Schema.Struct({ kind, id, origin, subject, ...rest, details })
}

/** The envelope is the same for all; `kind` says what `subject` and `details` hold. */
export const Change = Schema.Union(...kindNames.map(ofKind)).annotations({
  identifier: "Change"
}) as Schema.Schema<Change, Encoded>

/** The changes of one kind. */
export type Of<K extends KindName> = Extract<Change, { readonly kind: K }>

/** A change of a campaign, or of what is in it. */
export type AdChange = Extract<Change, { readonly subject: Target }>

export const isOfCampaign = (change: Change): change is AdChange => change.subject.campaignId !== undefined

/** Some members of a change, of every kind apart, so that `kind` still says what `details` hold. */
export type Part<M extends keyof Change, C extends Change = Change> = C extends Change ? Pick<C, M> : never

/** A change that a limit stopped: shown, never sent. */
export const Held = Schema.Struct({ change: Change, by: HeldReasons.HeldBy, because: HeldReasons.HeldReason })
export type Held = typeof Held.Type

export const held = (change: Change, because: HeldReasons.HeldReason): Held => ({
  change,
  by: HeldReasons.by(because),
  because
})

/** Why the rest of a group that goes whole does not go: `left` of its items might. */
export const parted = (items: number, left: number, first?: HeldReasons.HeldBy): HeldReasons.HeldReason => ({
  code: "set_parted",
  items,
  left,
  ...(first === undefined ? {} : { first })
})
