/** A checked file of rule tests: plain data, made only by `ReadTests.ts`. */
import type { Day } from "../../domain/Days.js"
import type { Subject } from "../../domain/Target.js"
import type { Window } from "../../domain/Window.js"
import type { Cell } from "../facts/Cell.js"
import type { Policy, Span } from "../language/Policy.js"

/** A fact that a test gives a row. */
export interface Statement {
  /** Vocabulary id. */
  readonly fact: string
  /** Only where the test writes one: `orders[7d]`. */
  readonly window?: Window
  readonly said: Said
}

/** One value, or one value for each day from the case's `from:` on. */
export type Said =
  | { readonly _tag: "Value"; readonly cell: Cell }
  | { readonly _tag: "Series"; readonly days: ReadonlyArray<Cell> }

/** Statements by fact and window: a later one replaces an earlier one. */
export type Statements = ReadonlyMap<string, Statement>

export interface Row {
  readonly id: string
  readonly span: Span
  readonly target: Subject
  /** The row's own and the case's defaults. */
  readonly statements: Statements
  /** Its items or campaigns. */
  readonly below: ReadonlyArray<Below>
}

/** A row below a row, one level finer. */
export interface Below {
  readonly target: Subject
  readonly statements: Statements
}

/** What a row is expected to become. `because` is what bound a bid. */
export interface Expected {
  readonly id: string
  readonly span: Span
  readonly want:
    | {
        readonly _tag: "Bid"
        readonly kopecks: number
        /** True where an overlay must have begun or ended: `adjust_bid: 528 ₽`. */
        readonly byOverlay?: boolean
        readonly because?: string
      }
    | { readonly _tag: "Deposit"; readonly kopecks: number }
    /** Where the campaign is shown then: `search, recommendations`. */
    | { readonly _tag: "Placements"; readonly shown: string }
    /** Part of what a person is told. */
    | { readonly _tag: "Notify"; readonly text: string }
    | { readonly _tag: "Do"; readonly action: PlainAction }
}

export const plainActions = ["pause", "start", "add_minus", "remove_minus", "enrol"] as const
export type PlainAction = (typeof plainActions)[number]

/** A row that matches and stays as it is; `because` is part of the reason. */
export interface Unchanged {
  readonly id: string
  readonly because?: string
}

/** One plan of a case: at an instant, with facts that are new since the run before. */
export interface Run {
  readonly atMs: number
  readonly span: Span
  readonly facts: ReadonlyMap<string, Statements>
  /** By row, what is new of the rows below it. */
  readonly below: ReadonlyMap<string, ReadonlyArray<Below>>
  readonly expect: ReadonlyArray<Expected>
  /** Every row that is undecided, no other. */
  readonly undecided: ReadonlyArray<string>
  readonly unchanged: ReadonlyArray<Unchanged>
  readonly held: ReadonlyArray<string>
}

/**
 * `usual`: bids and `never_touch`; `counted`: also limits on the number of changes, as if the rows were the whole
 * account; `none`: only what the policy says itself.
 */
export const limitWords = ["usual", "counted", "none"] as const
export type LimitWord = (typeof limitWords)[number]

export interface Case {
  readonly name: string
  readonly span: Span
  readonly rows: ReadonlyArray<Row>
  readonly limits: LimitWord
  /** First day of every series. */
  readonly from?: Day
  /** At least one, in the order of time. */
  readonly runs: ReadonlyArray<Run>
}

export interface TestFile {
  readonly file: string
  readonly policy: Policy
  readonly cases: ReadonlyArray<Case>
}
