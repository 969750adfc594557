/**
 * A checked policy: what a rule file means once every problem has been ruled out. Plain data, safe to print as
 * JSON; the engine evaluates it and the editor exchanges it. Made only by `Check.ts`.
 */
import type { PolicyId } from "../../domain/Ids.js"
import type { Kopecks, Roubles } from "../../domain/Money.js"
import type { Schedule } from "../../domain/Schedule.js"
import type { Window } from "../../domain/Window.js"
import type { FactType, WorstDay } from "../facts/FactType.js"
import type { Level } from "../facts/Level.js"
import type { FigureName } from "../facts/UnitEconomics.js"
import type { FulfilmentPolicy } from "./Fulfilment.js"
import type { Moded } from "./Mode.js"
import type { OwnFact } from "./shared/OwnFact.js"

/** What a row of the policy is (`each:`). */
export type Each = Level

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
  | SumExpr
  /** A figure of `UnitEconomics`: unknown as soon as one of its terms is. Only in formulas of the vocabulary. */
  | {
      readonly _tag: "Figure"
      readonly type: FactType
      readonly name: FigureName
      readonly of: ReadonlyArray<Expr>
      /** That of the worst day of the row's promotion (`Table.ahead`), its terms being all of that day. */
      readonly ahead?: WorstDay
    }
  /** A fact of the vocabulary that is a formula: `of` with the window of `fact` handed down. */
  | { readonly _tag: "Derived"; readonly type: FactType; readonly fact: FactRef; readonly of: Expr }

/**
 * Sum of `of` over the rows of level `over` (for which `where` is true) below the row of level `at`, which is the row
 * itself or what it belongs to. Unknown as soon as one of them is; over no rows at all absent.
 */
export interface SumExpr {
  readonly _tag: "Sum"
  readonly type: FactType
  readonly at: Each
  readonly over: Each
  readonly of: Expr
  readonly where?: LabelCondition
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
  | LabelCondition
  | { readonly _tag: "IsTrue"; readonly value: Expr }
  /** False where the marketplace has no value; unknown where it could not be read. */
  | { readonly _tag: "IsKnown"; readonly value: Expr }
  | ConfidentCondition
  | QuantifiedCondition
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

/** `all(…)`, `any(…)` over the row's rows of level `over`, as by "and" or "or"; over none unknown (`absent`). */
export interface QuantifiedCondition {
  readonly _tag: "Quantified"
  readonly quantifier: "all" | "any"
  readonly over: Each
  readonly condition: Condition
}

/** One of the labels is among those of the value, whole; compared without case. */
interface LabelCondition {
  readonly _tag: "HasLabel"
  readonly value: Expr
  readonly labels: ReadonlyArray<string>
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

/** Which money pays a deposit. */
export type DepositSource = "balance" | "net" | "bonus"

/** A piece of a message: words as they are, or a value that is printed with its unit. */
export type TextPart =
  | { readonly _tag: "Words"; readonly text: string }
  | { readonly _tag: "Value"; readonly value: Expr }

/** The tier that a set of items is to reach, what each of them costs a day by joining, and the most that all may cost. */
export interface Reach {
  readonly tier: "next"
  readonly cost: Expr
  readonly atMostKopecks?: Kopecks
}

/**
 * Bids and minus phrases of all campaigns that match, chosen together for the most of a goal within a daily budget. Shares
 * are basis points.
 */
export interface Optimise {
  readonly _tag: "Optimise"
  readonly goal: "profit" | "orders" | "revenue"
  /** What an order leaves before advertising, on the row of an item in a campaign: a share of the item's price, or money. */
  readonly margin: Expr
  /** Per day, on the row of a campaign. */
  readonly budget: Expr
  readonly budgetOf: "campaign" | "account"
  /** The most that advertising may cost of what is ordered. */
  readonly drrBasisPoints?: number
  /** A bid whose payment type has none is left alone. */
  readonly cap: { readonly cpm?: Kopecks; readonly cpc?: Kopecks }
  readonly moveBasisPoints: number
  readonly deadbandBasisPoints: number
  /** Of the budget. */
  readonly exploreBasisPoints: number
  /** Percent sure that a cluster never pays; it becomes no minus phrase when absent. */
  readonly minus?: 95 | 99
  readonly park: boolean
  /** Clusters that are left as they are; an unknown answer counts as a yes. */
  readonly leave?: Clause
  /** Complete days whose statistics are looked at. */
  readonly window: Window
  readonly span: Span
}

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
  /**
   * An overlay over the base bid while `during:` lasts: +20% is 2000 basis points, -15% is -1500. A raise has a `cap`,
   * a cut a `floor`.
   */
  | {
      readonly _tag: "AdjustBid"
      readonly basisPoints: number
      readonly cap?: Expr
      readonly floor?: Expr
      readonly placement: Placement
      readonly span: Span
    }
  /** Tops the campaign's budget up, `balance` and so on as the facts `balance`, `balance.net`, `balance.bonus`. */
  | {
      readonly _tag: "Deposit"
      readonly amountRoubles: Roubles
      readonly from: DepositSource
      readonly span: Span
    }
  /** Where the campaign is shown; what is not named stays as it is. */
  | {
      readonly _tag: "Placements"
      readonly search?: boolean
      readonly recommendations?: boolean
      readonly span: Span
    }
  /** Files the item for its promotion: nothing takes it out again. */
  | {
      readonly _tag: "Enrol"
      /** Of the rows that match, the cheapest set that reaches a tier; each of them when absent. */
      readonly reach?: Reach
      /** Joins beside other promotions at the same time, too. */
      readonly overlap?: "allowed"
      readonly span: Span
    }
  | Optimise
  /** Tells a person; changes nothing. */
  | { readonly _tag: "Notify"; readonly text: ReadonlyArray<TextPart>; readonly span: Span }
  /** Made of `revert_when:`: takes back what the policy itself did to the slot, and nothing else. */
  | { readonly _tag: "Revert"; readonly span: Span }

/** Whose word counts first in a slot, highest first. */
export const tiers = ["safety", "event", "normal", "explore"] as const
type Tier = (typeof tiers)[number]

/** What to do with a row for which every clause is true. */
export interface Rule {
  readonly name?: string
  readonly when: ReadonlyArray<Clause>
  readonly action: Action
}

/** Limits a policy sets itself; `_shared/limits.yaml` may be tighter, and the tightest wins. */
export interface PolicyLimits {
  readonly changesPerRun?: number
  /** Share of the rows in scope that may change in one run, basis points. */
  readonly shareOfScopeBasisPoints?: number
  /** Over the number or the share those that spend most go all the same; all are held when absent. */
  readonly excess?: "worst_first"
  /** Farthest a bid may move from the day's first bid, basis points. */
  readonly movePerDayBasisPoints?: number
  readonly maxBidKopecks?: { readonly cpm?: Kopecks; readonly cpc?: Kopecks }
  /** The most that deposits of the policy bring one campaign in a day, and all campaigns together. */
  readonly moneyPerDayKopecks?: Kopecks
  readonly policyMoneyPerDayKopecks?: Kopecks
}

/**
 * When an overlay holds: minutes of the day in the schedule's zone, `toMinute` exclusive. A part of the day that ends
 * before it begins goes on past midnight, and `days` name the day it begins on; every day when absent.
 */
export interface During {
  readonly days?: ReadonlyArray<"mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun">
  readonly fromMinute: number
  readonly toMinute: number
}

/** The longest that `watch: after` and `cooldown` may say, milliseconds: the store keeps changes that long for them. */
export const longestAfterMs = 60 * 86_400_000
export const longestCooldownMs = 90 * 86_400_000

/** `watch:` so long after a change the conditions are asked of its row; where they hold, it is taken back. */
export interface Watch {
  /** Milliseconds after the change, ascending, at least one. */
  readonly afterMs: ReadonlyArray<number>
  readonly rollBackWhen: ReadonlyArray<Clause>
  /** Where `roll_back_when` stands. */
  readonly span: Span
}

export interface Policy extends Moded {
  readonly id: PolicyId
  readonly file: string
  readonly name: string
  readonly schedule?: Schedule
  /** With `mode: apply`: what nobody can take back needs no person either. */
  readonly irreversible?: "accepted"
  /** Only with `adjust_bid`. */
  readonly during?: During
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
  readonly watch?: Watch
  /**
   * What a run does when the call limit leaves room for some of the rows only: `rotate` asks those whose facts are
   * oldest, so that all get their turn; absent, those with the most money at stake.
   */
  readonly partial?: "rotate"
  readonly limits: PolicyLimits
  /** Made of the account's limits, not written in a file of its own. */
  readonly isOfLimits?: true
  /** Where the policy names its template; absent when it is written out. */
  readonly use?: Span
  /** Hash of the meaning (not of comments or layout): the same rules give the same hash. */
  readonly hash: string
}

/** What such a policy changes are the bids below its rows. */
export const optimises = ({ rules }: Pick<Policy, "rules">): boolean =>
  rules.some(({ action }) => action._tag === "Optimise")

/** Whether it is switched on and one of its rules makes deposits. */
export const paysDeposits = ({ mode, rules }: Pick<Policy, "mode" | "rules">): boolean =>
  mode !== "disabled" && rules.some(({ action }) => action._tag === "Deposit")

/** Whether it is switched on and one of its rules lays a share over bids. */
export const laysOverlays = ({ mode, rules }: Pick<Policy, "mode" | "rules">): boolean =>
  mode !== "disabled" && rules.some(({ action }) => action._tag === "AdjustBid")

/** Whether it is switched on, pauses campaigns, and starts again those that it paused. */
export const startsAgain = ({ mode, rules }: Pick<Policy, "mode" | "rules">): boolean =>
  mode !== "disabled" &&
  rules.some(({ action }) => action._tag === "Pause") &&
  rules.some(({ action }) => action._tag === "Revert")

/** `_shared/limits.yaml`: what no policy may exceed. */
export interface AccountLimits {
  readonly maxBidKopecks?: { readonly cpm?: Kopecks; readonly cpc?: Kopecks }
  readonly changesPerRun?: number
  readonly movePerDayBasisPoints?: number
  readonly shareOfScopeBasisPoints?: number
  /** The most that all deposits bring in a day. */
  readonly moneyPerDayKopecks?: Kopecks
  /** Once today's spend of all campaigns reaches this, nothing is done that makes anything dearer. */
  readonly spendPerDayKopecks?: Kopecks
  /** What becomes of bids above `max_bid` that no rule touches; they are shown (`preview`) unless said. */
  readonly enforceMaxBid?: "preview" | "apply" | "off"
  /** Where `max_bid` stands. */
  readonly maxBidSpan?: Span
  /** How long a value that somebody else set is left alone; three days when absent, 0 never. */
  readonly humanEditHoldMs?: number
  /** True stops every write of the account. */
  readonly killSwitch: boolean
  /** Campaigns that match are never changed, nor what is in them. An unknown answer counts as a match. */
  readonly neverTouch: ReadonlyArray<Clause>
  /** Of `never_touch` the conditions about items: those that match are never changed, in any campaign or promotion. */
  readonly neverTouchItems?: ReadonlyArray<Clause>
  /** Further limits for campaigns that match, each tighter or equal. */
  readonly campaigns: ReadonlyArray<{
    readonly where: ReadonlyArray<Clause>
    readonly maxBidKopecks?: { readonly cpm?: Kopecks; readonly cpc?: Kopecks }
    readonly changesPerRun?: number
    readonly maxBidSpan?: Span
  }>
}

/** A whole folder of rules, checked together. Policies are sorted by id. */
export interface RuleSet {
  /** Facts from tables of the seller's; absent when there are none. Their values do not count for the hash. */
  readonly ownFacts?: ReadonlyArray<OwnFact>
  /** Rows of the economics table are found by the seller's own codes, which the marketplace must be asked for. */
  readonly needsVendorCodes?: true
  /** Columns of the economics table that the program does not know. */
  readonly unknownColumns?: ReadonlyArray<string>
  readonly policies: ReadonlyArray<Policy>
  /** Policies of `kind: fulfilment` that are not disabled, sorted by id. */
  readonly fulfilment: ReadonlyArray<FulfilmentPolicy>
  readonly limits: AccountLimits
  /** The file that holds them; absent when none does. It does not count for the hash. */
  readonly limitsFile?: string
  readonly hash: string
  /** What plans are held against: those of the orders' lane go by none of the rules that the others go by. */
  readonly hashes: { readonly orders: string; readonly others: string }
}
