/** An expression as written, before its words mean anything. Offsets are in the expression's own text. */
import type { ArithmeticOp, CompareOp } from "../Policy.js"
import type { Range } from "../yaml/Source.js"

/** `pieces` are a count with its unit in words: `12 шт`. */
export type Unit = "percent" | "money" | "duration" | "pieces" | "none"

export type Ast = Range &
  (
    | {
        readonly _tag: "Number"
        readonly digits: string
        readonly unit: Unit
        readonly milliseconds?: number
        /** As a variable's value is written: what it says where a text stands. */
        readonly text?: string
      }
    /** `misread`: why the digits of a variable's quoted value are no number. */
    | { readonly _tag: "Text"; readonly value: string; readonly misread?: Fault }
    | { readonly _tag: "Word"; readonly name: string; readonly window?: Bracket }
    /** `from`: the list as a variable holds it, the same wherever it is used. */
    | { readonly _tag: "List"; readonly items: ReadonlyArray<Ast>; readonly from?: object }
    | { readonly _tag: "Arithmetic"; readonly op: ArithmeticOp; readonly left: Ast; readonly right: Ast }
    | { readonly _tag: "Compare"; readonly op: CompareOp; readonly left: Ast; readonly right: Ast }
    | { readonly _tag: "Between"; readonly value: Ast; readonly low: Ast; readonly high: Ast }
    | { readonly _tag: "In"; readonly value: Ast; readonly list: Ast; readonly negated: boolean }
    | { readonly _tag: "Matches"; readonly value: Ast; readonly pattern: Ast }
    | { readonly _tag: "Contains"; readonly value: Ast; readonly words: Ast }
    | { readonly _tag: "Call"; readonly name: FunctionName; readonly args: ReadonlyArray<Ast> }
    /** `window` is what stands after the comma: `7d`, `7d, settle 1d`. */
    | { readonly _tag: "Change"; readonly value: Ast; readonly window: Bracket }
    | { readonly _tag: "Default"; readonly value: Ast; readonly fallback: Ast }
    /** `all(…)`, `any(…)`: a condition about the rows below. */
    | { readonly _tag: "Quantified"; readonly quantifier: "all" | "any"; readonly condition: Ast }
    /** `sum(…)` of a value over the rows below; with `group = "…"` over the account's campaigns with that label. */
    | { readonly _tag: "Sum"; readonly value: Ast; readonly group?: Ast }
    | { readonly _tag: "Known"; readonly value: Ast; readonly negated: boolean }
    | { readonly _tag: "Confidence"; readonly comparison: Ast; readonly level: 95 | 99 }
    | { readonly _tag: "And"; readonly parts: ReadonlyArray<Ast> }
    | { readonly _tag: "Or"; readonly parts: ReadonlyArray<Ast> }
    | { readonly _tag: "Not"; readonly part: Ast }
    /** What a fault was told of. */
    | { readonly _tag: "Unread" }
  )

export type FunctionName = "min" | "max"

/** What stands in the square brackets after a field: `14d`, `today`, `14d, settle 1d`. */
export interface Bracket extends Range {
  readonly text: string
}

/** The variables an expression may name; see `Vars.ts`. */
export interface Variables {
  /** The value as if it stood at the place of use, or E15. */
  readonly lookup: (name: string, at: Range) => Ast | Fault
}

/** Why a part of an expression cannot be read, at the first place of it that makes no sense. */
export interface Fault extends Range {
  readonly _tag: "Fault"
  readonly code:
    | "Y05"
    | "Y06"
    | "Y14"
    | "Y17"
    | "Y20"
    | "E05"
    | "E06"
    | "E07"
    | "E08"
    | "E09"
    | "E10"
    | "E11"
    | "E12"
    | "E14"
    | "E15"
    | "E20"
    | "K07"
  readonly message: string
  readonly fix?: string
}

export const fault = (code: Fault["code"], range: Range, message: string, fix?: string): Fault => ({
  _tag: "Fault",
  code,
  start: range.start,
  end: Math.max(range.end, range.start + 1),
  message,
  ...(fix === undefined ? {} : { fix })
})

export const maxLength = 4000
/** Brackets and `not` inside each other. */
export const maxNesting = 24

/** The words of a text in quotes, or of a variable's value, which may be digits: `501`. */
export const wording = (ast: Ast): string | undefined =>
  ast._tag === "Text" ? ast.value : ast._tag === "Number" ? ast.text : undefined

// What comparisons mean for each other.

type Table = Readonly<Record<CompareOp, CompareOp>>

/** The comparison that holds exactly where this one does not, of two known values. */
export const opposite: Table = { "<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "=" }

/** The comparison that says the same with its sides exchanged: `a < b` is `b > a`. */
export const mirrored: Table = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!=" }
