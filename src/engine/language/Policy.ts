/**
 * A checked policy: what a rule file means once every problem has been ruled out. Plain data, safe to print as
 * JSON; the engine evaluates it and the editor exchanges it. Made only by `Check.ts`.
 */
import type { PolicyId } from "../../domain/Ids.js"
import type { Kopecks } from "../../domain/Money.js"
import type { Window } from "../../domain/Window.js"
import type { FactType } from "../facts/FactType.js"

/** What a row of the policy is (`each:`). */
export type Each = "campaign" | "campaign_item" | "cluster"

/** Place in a rule file; lines and columns count from 1, the end is exclusive. */
export interface Span {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

/** A fact as a policy names it: the vocabulary's id and the window it is read over, if it has one. */
export interface FactRef {
  /** Vocabulary id: `cluster.ctr`, `campaign.status`, `campaign_item.min_bid`. */
  readonly id: string
  readonly window?: Window
}

export type ArithmeticOp = "+" | "-" | "*" | "/"
export type CompareOp = "<" | "<=" | ">" | ">=" | "=" | "!="

/** A typed expression. `type` says how the value is held, see `FactType`. */
export type Expr =
  | { readonly _tag: "Literal"; readonly type: FactType; readonly value: number | string | boolean }
  | { readonly _tag: "Fact"; readonly type: FactType; readonly fact: FactRef }
  | {
      readonly _tag: "Arithmetic"
      readonly type: FactType
      readonly op: ArithmeticOp
      readonly left: Expr
      readonly right: Expr
    }
  /** `value default fallback`: the fallback stands in where the marketplace has no value (see `Reason.isMissing`). */
  | { readonly _tag: "Default"; readonly type: FactType; readonly value: Expr; readonly fallback: Expr }
  /** `min(…)`, `max(…)`: unknown as soon as one of them is. */
  | {
      readonly _tag: "Extreme"
      readonly type: FactType
      readonly pick: "min" | "max"
      readonly of: ReadonlyArray<Expr>
    }

/** A yes/no question about one row, answered true, false or unknown (Kleene). */
export type Condition =
  | { readonly _tag: "Compare"; readonly op: CompareOp; readonly left: Expr; readonly right: Expr }
  | { readonly _tag: "Between"; readonly value: Expr; readonly low: Expr; readonly high: Expr }
  | { readonly _tag: "In"; readonly value: Expr; readonly options: ReadonlyArray<Expr> }
  /** Shell-like pattern, `*` and `?` only, compared without case: no regular expressions, so no runaway matching. */
  | { readonly _tag: "Matches"; readonly value: Expr; readonly pattern: string }
  /** Any of the words occurs as a whole or part of the text, compared without case. */
  | { readonly _tag: "Contains"; readonly value: Expr; readonly words: ReadonlyArray<string> }
  | { readonly _tag: "IsTrue"; readonly value: Expr }
  /** False where the marketplace has no value; unknown where it could not be read. */
  | { readonly _tag: "IsKnown"; readonly value: Expr }
  | ConfidentCondition
  | { readonly _tag: "And"; readonly all: ReadonlyArray<Condition> }
  | { readonly _tag: "Or"; readonly any: ReadonlyArray<Condition> }
  | { readonly _tag: "Not"; readonly condition: Condition }

/**
 * `ctr < 1% with 99% confidence`: `hits` of `trials` (clicks of views, orders of clicks) prove by a one-sided binomial
 * test at 100 − `level` percent that the rate is on that side of the threshold (a ratio).
 */
export interface ConfidentCondition {
  readonly _tag: "Confident"
  readonly op: "<" | "<=" | ">" | ">="
  /** The rate itself, as written. */
  readonly value: Expr
  readonly hits: Expr
  readonly trials: Expr
  readonly threshold: Expr
  readonly level: 95 | 99
}

/** One line of `where:` or `when:`, with its own text for traces. The list means "and". */
export interface Clause {
  readonly text: string
  readonly condition: Condition
  readonly span: Span
}

/** How far a relative bid action moves: basis points (10% is 1000), an amount, or bid steps. */
export type Move =
  | { readonly _tag: "Percent"; readonly basisPoints: number }
  | { readonly _tag: "Amount"; readonly kopecks: Kopecks }
  | { readonly _tag: "Steps"; readonly steps: number }

/** Which bid of a campaign item; `combined` is chosen by itself for standard-bid campaigns. */
export type Placement = "search" | "recommendations"

/** An action of `do:`. Bounds are expressions of type money; `span` is the action's place. */
export type Action =
  | {
      readonly _tag: "RaiseBid"
      readonly by: Move
      readonly toward?: Expr
      readonly cap: Expr
      readonly placement: Placement
      readonly span: Span
    }
  | {
      readonly _tag: "LowerBid"
      readonly by: Move
      readonly toward?: Expr
      readonly floor: Expr
      readonly placement: Placement
      readonly span: Span
    }
  | {
      readonly _tag: "SetBid"
      readonly to: Expr
      readonly maxStepBasisPoints?: number
      readonly deadbandBasisPoints?: number
      readonly floor?: Expr
      readonly cap: Expr
      readonly placement: Placement
      readonly span: Span
    }
  /** `maxTotal`: the list is not grown beyond this many phrases (the marketplace stores 1000). */
  | { readonly _tag: "AddMinus"; readonly maxTotal: number; readonly span: Span }
  | { readonly _tag: "RemoveMinus"; readonly span: Span }
  | { readonly _tag: "Pause"; readonly span: Span }
  | { readonly _tag: "Start"; readonly span: Span }

/** When a policy is due: `every` in milliseconds, or `at` minutes of the day; `between` and `at` are in `tz`. */
export interface Schedule {
  readonly every?: number
  readonly at?: ReadonlyArray<number>
  readonly days?: ReadonlyArray<"mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun">
  readonly between?: { readonly fromMinute: number; readonly toMinute: number }
  readonly tz: string
}

/** Limits a policy sets itself; `_shared/limits.yaml` may be tighter, and the tightest wins. */
export interface PolicyLimits {
  readonly changesPerRun?: number
  /** Share of the rows in scope that may change in one run, basis points. */
  readonly shareOfScopeBasisPoints?: number
  /** Farthest a bid may move from the day's first bid, basis points. */
  readonly movePerDayBasisPoints?: number
  readonly maxBidKopecks?: { readonly cpm?: Kopecks; readonly cpc?: Kopecks }
}

/** Whose word counts first in a slot, highest first. */
export const tiers = ["safety", "event", "normal", "explore"] as const
export type Tier = (typeof tiers)[number]

/** What to do with a row for which every clause is true. */
export interface Rule {
  readonly name?: string
  readonly when: ReadonlyArray<Clause>
  readonly action: Action
}

export interface Policy {
  readonly id: PolicyId
  readonly file: string
  readonly name: string
  readonly mode: "preview" | "apply" | "disabled"
  readonly schedule?: Schedule
  readonly each: Each
  readonly where: ReadonlyArray<Clause>
  readonly tier: Tier
  /**
   * At least one; a plain `when:` and `do:` is one. Per row the first rule that matches acts, and one that is unknown
   * ends the search.
   */
  readonly rules: ReadonlyArray<Rule>
  readonly ifUnknown: "skip" | "notify"
  /** Above this share of rows that could not be read nothing of the policy is done, basis points. */
  readonly maxUnknownBasisPoints: number
  /** Runs in a row, each with new evidence, in which a rule must match before it acts; one when absent. */
  readonly holdForRuns?: number
  readonly cooldownMs?: number
  readonly limits: PolicyLimits
  /** Hash of the meaning (not of comments or layout): the same rules give the same hash. */
  readonly hash: string
}

/** `_shared/limits.yaml`: what no policy may exceed. */
export interface AccountLimits {
  readonly maxBidKopecks?: { readonly cpm?: Kopecks; readonly cpc?: Kopecks }
  readonly changesPerRun?: number
  readonly movePerDayBasisPoints?: number
  readonly shareOfScopeBasisPoints?: number
  /** True stops every write of the account. */
  readonly killSwitch: boolean
  /** Rows that match are never changed; conditions over campaign facts. An unknown answer counts as a match. */
  readonly neverTouch: ReadonlyArray<Clause>
  /** Further limits for campaigns that match, each tighter or equal. */
  readonly campaigns: ReadonlyArray<{
    readonly where: ReadonlyArray<Clause>
    readonly maxBidKopecks?: { readonly cpm?: Kopecks; readonly cpc?: Kopecks }
    readonly changesPerRun?: number
  }>
}

/** A whole folder of rules, checked together. Policies are sorted by id. */
export interface RuleSet {
  readonly policies: ReadonlyArray<Policy>
  readonly limits: AccountLimits
  readonly hash: string
}
