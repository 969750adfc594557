/** Words that a condition looks for: several that stand in one text, and letters of another alphabet. */
import type { Problems } from "../problems/Diagnostic.js"
import * as Suggest from "../problems/Suggest.js"
import { type Ast, wording } from "../syntax/Syntax.js"
import { rangeIn, type ScalarNode } from "../yaml/Node.js"
import type { Scope } from "./Scope.js"

/** E24: of each text in quotes, words that only look like those of one alphabet and so match nothing. */
export const alphabets = (node: ScalarNode, problems: Problems): void => {
  for (const { 0: text, index } of node.text.matchAll(/"[^"]*"|'[^']*'/g)) mixed(node, text, index, problems)
}

/** The same of one text of a node, which begins `at` a place. */
export const mixed = (node: ScalarNode, text: string, at: number, problems: Problems): void => {
  const found = Suggest.oneAlphabet(text)
  if (found === undefined) return
  const message = `${found.message} It looks right and matches nothing that is written in one alphabet.`
  problems.warning("E24", rangeIn(node, at, at + text.length), message, found.meant)
}

/** What stands between words where a list lacks its brackets; a comma between digits is a decimal one. */
const between = /[;|]|,(?!\d)|(?<!\d),/
const anywhere = /[,;|]/

const parts = (text: string, sign: RegExp): ReadonlyArray<string> =>
  text
    .split(sign)
    .map((word) => word.trim())
    .filter((word) => word !== "")

/** Whether a text is no label: in the cell that holds labels these signs end one. */
export const isNoLabel = (text: string): boolean => anywhere.test(text)

/** What is written for one label, in quotes; several where signs stand in it that no label has. */
export const labels = (ast: Ast, scope: Scope): ReadonlyArray<string> => {
  const written = scope.part(ast)
  if (written.startsWith("$")) return [written]
  const found = parts(wording(ast) ?? "", anywhere)
  return found.length > 1 ? found.map((one) => `"${one}"`) : [ast._tag === "Word" ? `"${written}"` : written]
}

/** E23: one text with several words is found only where all of it stands, signs included. No label has such a sign: E16. */
export const several = (ast: Extract<Ast, { _tag: "Contains" }>, scope: Scope, isLabel: boolean): void => {
  const words = (ast.words._tag === "List" ? ast.words.items : [ast.words]).map((one) => wording(one) ?? "")
  const sign = isLabel ? anywhere : between
  const odd = words.find((word) => sign.test(word))
  if (odd === undefined) return
  const list = `[${words.flatMap((word) => parts(word, sign).map((one) => `"${one}"`)).join(", ")}]`
  const isVariable = scope.part(ast.words).startsWith("$")
  const [at, fix] = isVariable ? [ast.words, list] : [ast, `${scope.part(ast.value)} contains any ${list}`]
  if (isLabel)
    scope.error("E16", at, `Never true: "${odd}" is no label, as none has a comma, semicolon or bar.`, fix)
  else
    scope.warning(
      "E23",
      at,
      `"${odd}" is one text, looked for as a whole: each word of a list has its own quotes.`,
      fix
    )
}

/** E23: `matches "TEST*, SALE*"`. */
export const patterns = (ast: Extract<Ast, { _tag: "Matches" }>, pattern: string, scope: Scope): void => {
  if (!/\*\s*[,;|]|[,;|]\s*\*/.test(pattern)) return
  const of = scope.part(ast.value)
  const fix = parts(pattern, anywhere)
    .map((one) => `${of} matches "${one}"`)
    .join(" or ")
  scope.warning(
    "E23",
    ast,
    `"${pattern}" is one pattern, commas included: each has its own matches.`,
    scope.part(ast) === scope.node.text.trim() ? fix : `(${fix})`
  )
}
