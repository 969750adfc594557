/** The facts that a test gives its rows: named by the words of the vocabulary, written as in conditions. */

import type { Reason } from "../../domain/Reason.js"
import * as Window from "../../domain/Window.js"
import * as Cells from "../facts/Cell.js"
import type { Fact, FactType } from "../facts/FactType.js"
import { factKey } from "../facts/Table.js"
import * as Texts from "../facts/Texts.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import { Scope } from "../language/check/Scope.js"
import * as Values from "../language/check/Values.js"
import type { Policy } from "../language/Policy.js"
import type { Problems } from "../language/problems/Diagnostic.js"
import * as Parser from "../language/syntax/Parser.js"
import { type Entry, isEmpty, type Node, rangeIn, type ScalarNode } from "../language/yaml/Node.js"
import type { Range } from "../language/yaml/Source.js"
import { keyBelow, keyScalar } from "./Layout.js"
import * as PolicyParts from "./PolicyParts.js"
import type { Said, Statement, Statements } from "./TestFile.js"
import * as Windowed from "./Windowed.js"

/** Statements of a map, `id` left out; what cannot be read is reported. */
export const read = (node: Node | undefined, policy: Policy, problems: Problems): Statements => {
  const found = new Map<string, Statement>()
  for (const entry of node?._tag === "Map" ? node.entries : []) {
    if (entry.key === "id" || entry.key === keyBelow(PolicyParts.levelOf(policy))) continue
    const statement = one(entry, policy, problems)
    if (statement !== undefined) found.set(keyOf(statement), statement)
  }
  return found
}

/** Key of a statement among others. */
const keyOf = ({ fact, window }: Pick<Statement, "fact" | "window">): string =>
  window === undefined ? fact : factKey({ id: fact, window })

const one = (entry: Entry, policy: Policy, problems: Problems): Statement | undefined => {
  const key = keyScalar(entry)
  const payment = PolicyParts.payment(policy) ?? "cpm"
  const scope = (node: ScalarNode) =>
    new Scope(
      {
        each: PolicyParts.levelOf(policy),
        allowed: "everything",
        window: { value: Window.last(1), node },
        payment,
        own: PolicyParts.ownWords(policy)
      },
      node,
      problems
    )
  const word = Parser.value(entry.key)
  if (word._tag !== "Word") {
    const message = `"${entry.key}" is no field. Write the facts of a row by their names, such as orders: 5`
    return problems.error("E01", key.range, message)
  }
  if (Vocabulary.resolve(word.name, PolicyParts.levelOf(policy))?.source === "clock") {
    const message = `${entry.key} is what the clock says at the instant of the run: change now: or at: instead.`
    return problems.error("T07", key.range, message)
  }
  const expr = scope(key).fact(word)
  if (expr?._tag === "Derived") {
    const message = `${entry.key} is computed. Give what it is made of, in the row or in its rows below.`
    return problems.error("T07", key.range, message)
  }
  if (expr?._tag !== "Fact") return undefined
  const { id, window } = expr.fact
  const explicit = word.window === undefined ? undefined : window
  const fact = Vocabulary.byFactId(id)
  if (fact === undefined) return undefined
  const said = reading(entry, fact, scope, problems)
  if (said === undefined) return undefined
  const made = { fact: id, ...(explicit === undefined ? {} : { window: explicit }), said }
  if (fact.windowed) Windowed.check(made, entry, policy, problems)
  return made
}

const reading = (
  { key, keyRange, value: node }: Entry,
  fact: Fact,
  scope: (node: ScalarNode) => Scope,
  problems: Problems
): Said | undefined => {
  if (node._tag !== "Scalar") return problems.error("K16", node.range, `${key}: one value should stand here.`)
  const text = node.text.trim()
  // An empty text in quotes: a row without labels.
  if (fact.type._tag === "Labels" && !isEmpty(node) && !/^(missing$|unknown\b)/.test(text))
    return { _tag: "Value", cell: Cells.known(Texts.labels(text)) }
  if (isEmpty(node) || text === "") {
    return problems.error(
      "K16",
      keyRange,
      `${key}: has no value. What is not known is written: missing`,
      "missing"
    )
  }
  if (text === "missing") return single("absent")
  if (/^unknown\b/.test(text)) return unknown(text, node, problems)
  if (fact.type._tag === "Text") return { _tag: "Value", cell: Cells.known(node.text) }
  if (looksLike(text)) return series(node, fact, problems)
  if (spaced.test(text.replace(sign, "")) && Windowed.refusesSeries(fact) === undefined)
    return problems.error("E06", node.range, oneOrSeveral(text))
  const value = literal(node, fact, scope(node))
  return value === undefined ? undefined : { _tag: "Value", cell: Cells.known(value) }
}

const single = (reason: Reason): Said => ({ _tag: "Value", cell: Cells.unknown(reason) })

const reasons: Readonly<Record<string, Reason>> = {
  stale: "stale",
  failed: "failed",
  pending: "pending",
  "0/0": "zeroOverZero",
  "not fetched": "notFetched",
  unlearned: "unlearned"
}

const unknown = (text: string, node: ScalarNode, problems: Problems): Said | undefined => {
  const reason = reasons[text.slice("unknown".length).trim()]
  if (reason !== undefined) return single(reason)
  const words = Object.keys(reasons).map((word) => `unknown ${word}`)
  return problems.error("T07", node.range, `Say why it is unknown: missing, ${words.join(", ")}.`, "missing")
}

/** A value as a condition would hold it. Fields and arithmetic are refused: a test says what is so. */
const literal = (
  node: ScalarNode,
  { id, type }: Fact,
  scope: Scope
): number | string | boolean | undefined => {
  const before = scope.problems.reports
  const ast = Values.parsed(node, scope.problems)
  if (scope.problems.reports > before) return undefined
  if (type._tag !== "Enum" && type._tag !== "YesNo" && ast._tag !== "Number") {
    return scope.error("T07", ast, `"${scope.part(ast)}" is not a value. Write ${example(type)}, or: missing`)
  }
  const made =
    type._tag === "Enum"
      ? Values.enumWord(ast, type, scope)
      : type._tag === "YesNo"
        ? Values.yesNo(ast, scope)
        : Values.value(ast, scope, type, Vocabulary.mayBeNegative(id))
  // Never a zero below zero.
  return made?._tag === "Literal" ? (made.value === 0 ? 0 : made.value) : undefined
}

const example = (type: FactType): string =>
  type._tag === "Money" ? "450 ₽" : type._tag === "Ratio" ? "1%" : type._tag === "Duration" ? "6h" : "5"

const series = (node: ScalarNode, fact: Fact, problems: Problems): Said | undefined => {
  const refused = Windowed.refusesSeries(fact)
  if (refused !== undefined) return problems.error("T07", node.range, refused)
  const made = readSeries(node.text)
  if (made._tag === "Wrong") {
    return problems.error("T07", rangeIn(node, made.range.start, made.range.end), made.message)
  }
  const isMoney = fact.type._tag === "Money"
  if (isMoney && !made.currency) {
    return problems.error(
      "E04",
      node.range,
      `${fact.word} is money: end the series with its sign.`,
      `${node.text.trim()} ₽`
    )
  }
  if (!isMoney && made.currency) return problems.error("K09", node.range, `${fact.word} is not money.`)
  if (fact.type._tag === "Count" && made.days.some((day) => day?.includes("."))) {
    return problems.error("K09", node.range, `${fact.word} is a count: whole numbers only.`)
  }
  const scale = isMoney ? 100 : 1
  const days = made.days.map((day) =>
    day === undefined ? Cells.unknown("absent") : Cells.known(Math.round(Number(day) * scale * 100) / 100)
  )
  return { _tag: "Series", days }
}

// Values of consecutive days, written short: `100 120 _ 90`, `100+50x6` (100, then 50 more six times: seven days),
// `5x3` (four days of 5), `_x2` or `missing` for days without a report. The unit stands once, at the end: `100+20x6
// ₽`.

/** Longest series in days. */
const maxDays = 400

interface Series {
  readonly _tag: "Series"
  /** Digits of each day without a unit, or undefined for a day that was not reported. */
  readonly days: ReadonlyArray<string | undefined>
  readonly currency: boolean
}

type Read = Series | { readonly _tag: "Wrong"; readonly range: Range; readonly message: string }

/** True for texts that mean several days. `1 000` does not: it is a number with a space in it, and refused as such. */
const looksLike = (text: string): boolean => {
  const body = text.trim().replace(sign, "")
  if (spaced.test(body)) return false
  return /^(\d|_|missing\s)/.test(body) && /\s|\dx\d|^_/.test(body)
}

/** Days of three digits look like one large number. */
const spaced = /^\d{1,3}( \d{3})+$/

const oneOrSeveral = (text: string): string => {
  const [number, ...end] = text.split(sign).map((part) => part.trim())
  const unit = end[0] === undefined ? "" : ` ${end[0]}`
  const [first, ...others] = number!.split(" ")
  return `One number? Remove the space: ${number!.replaceAll(" ", "")}${unit}. Several days? Write ${first}x0 ${others.join(" ")}${unit}`
}

/** As rules write it. */
const sign = /\s*(₽|(?:rub|руб\p{L}*|р)\.?)\s*$/iu

const readSeries = (text: string): Read => {
  const currency = sign.test(text)
  const body = text.replace(sign, "")
  const days: Array<string | undefined> = []
  for (const match of body.matchAll(/\S+/g)) {
    const range = { start: match.index, end: match.index + match[0].length }
    const some = token(match[0])
    if (some === undefined) {
      const message = `"${match[0]}" is no part of a series. Write a number, 100+50x6, 5x3, or _ for a day without a report.`
      return { _tag: "Wrong", range, message }
    }
    days.push(...some)
    if (days.length > maxDays)
      return { _tag: "Wrong", range, message: `A series has at most ${maxDays} days.` }
  }
  return { _tag: "Series", days, currency }
}

const token = (text: string): ReadonlyArray<string | undefined> | undefined => {
  if (text === "missing") return [undefined]
  const gap = /^_(?:x(\d{1,3}))?$/.exec(text)
  if (gap !== null) return Array.from({ length: Number(gap[1] ?? 1) }, () => undefined)
  const number = /^(\d+(?:\.\d{1,2})?)(?:([+-])(\d+(?:\.\d{1,2})?))?(?:x(\d{1,3}))?$/.exec(text)
  if (number === null || (number[2] !== undefined && number[4] === undefined)) return undefined
  const start = hundredths(number[1]!)
  const step = hundredths(number[3] ?? "0") * (number[2] === "-" ? -1 : 1)
  const times = Number(number[4] ?? 0)
  const values = Array.from({ length: times + 1 }, (_, i) => start + step * i)
  return values.some((value) => value < 0) ? undefined : values.map((value) => String(value / 100))
}

/** Whole numbers, so that steps of 0.1 add up. */
const hundredths = (digits: string): number => Math.round(Number(`${digits}e2`))
