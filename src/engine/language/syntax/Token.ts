/** What an expression's text is made of: numbers with their units, words, signs. `Lexer.ts` reads them. */
import type { Range } from "../yaml/Source.js"
import type { Bracket, Unit } from "./Syntax.js"

export type Token = Range &
  (
    | {
        readonly _tag: "Number"
        readonly digits: string
        readonly unit: Unit
        readonly milliseconds?: number
      }
    | { readonly _tag: "Text"; readonly value: string }
    | { readonly _tag: "Word"; readonly name: string; readonly window?: Bracket }
    /** `$name`, without its sign. */
    | { readonly _tag: "Variable"; readonly name: string }
    /** Lower case, so that `AND` is `and`. */
    | { readonly _tag: "Keyword"; readonly word: string }
    | { readonly _tag: "Sign"; readonly sign: string }
    /** Has been told to be wrong, and may mean anything. */
    | { readonly _tag: "Unread" }
    | { readonly _tag: "End" }
  )

/** What only a condition has: a keyword, or the sign of a comparison. */
export const isQuestion = (token: Token): boolean =>
  token._tag === "Keyword" || (token._tag === "Sign" && /^[<>=!]/.test(token.sign))
