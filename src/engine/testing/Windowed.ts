/** Statistics of a row over the windows that a policy reads: given as such, summed from days, or computed from sums. */

import type { Day } from "../../domain/Days.js"
import * as Days from "../../domain/Days.js"
import type { Window } from "../../domain/Window.js"
import * as Windows from "../../domain/Window.js"
import type { Cell } from "../facts/Cell.js"
import * as Cells from "../facts/Cell.js"
import * as DerivedFacts from "../facts/DerivedFacts.js"
import type { Fact } from "../facts/FactType.js"
import { factKey } from "../facts/Table.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { Policy } from "../language/Policy.js"
import type { Problems } from "../language/problems/Diagnostic.js"
import type { Entry } from "../language/yaml/Node.js"
import * as PolicyParts from "./PolicyParts.js"
import type { Statement, Statements } from "./TestFile.js"

/** Where the days of the series begin, and the instant the windows are counted from. */
export interface Calendar {
  readonly from: Day | undefined
  readonly nowMs: number
}

/** Value of a statistic over a window; undefined when the test says nothing that it could be made of. */
export const value = (
  fact: string,
  window: Window,
  said: Statements,
  calendar: Calendar
): Cell | undefined => {
  const given = stated(fact, window, said, calendar)
  if (given !== undefined) return given
  const { level, name } = split(fact)
  const cells = new Map(bases.map((word) => [word, stated(`${level}.${word}`, window, said, calendar)]))
  const needed = basesOf(name).map((word) => cells.get(word))
  if (needed.length === 0 || needed.some((cell) => cell === undefined)) return undefined
  const total = (word: string): number | undefined => {
    const cell = cells.get(word)
    return cell?._tag === "Known" ? Number(cell.value) : undefined
  }
  return Cells.worst(needed) ?? ratio(name, total)
}

const ratio = (name: string, total: (word: string) => number | undefined): Cell | undefined => {
  const ratios = DerivedFacts.ratios({
    views: total("views"),
    clicks: total("clicks"),
    orders: total("orders"),
    spendKopecks: total("spend"),
    revenueKopecks: total("revenue")
  })
  const [, found] = Object.entries(ratios).find(([of]) => of === name) ?? []
  return found === undefined ? undefined : Cells.ofGiven(found)
}

/** The sums that a ratio cannot do without; none for other facts. */
const basesOf = (name: string): ReadonlyArray<string> =>
  ratioNames.has(name)
    ? bases.filter((left) => ratio(name, (word) => (word === left ? undefined : 1))?._tag === "Unknown")
    : []

/** True for facts that are counted over days. */
export const isStatistic = (fact: string): boolean => Vocabulary.byFactId(fact)?.windowed === true

/** The word of a fact. */
export const wordOf = (fact: string): string => Vocabulary.byFactId(fact)?.word ?? fact

const bases = ["views", "clicks", "orders", "spend", "revenue"]
const ratioNames = new Set(Object.keys(DerivedFacts.ratios({})))

const split = (fact: string) => {
  const dot = fact.indexOf(".")
  return { level: fact.slice(0, dot), name: fact.slice(dot + 1) }
}

const stated = (fact: string, window: Window, said: Statements, calendar: Calendar): Cell | undefined => {
  const found = said.get(factKey({ id: fact, window })) ?? said.get(fact)
  if (found === undefined) return undefined
  if (found.said._tag === "Value") return found.said.cell
  return fact.endsWith(".avg_pos")
    ? weighted(found.said.days, fact, window, said, calendar)
    : sum(found.said.days, window, calendar)
}

/** As the marketplace counts: days without a report add nothing, and a window without any report is unknown. */
const sum = (days: ReadonlyArray<Cell>, window: Window, calendar: Calendar): Cell => {
  const reported = within(days, window, calendar).flatMap((cell) =>
    cell?._tag === "Known" ? [Number(cell.value)] : []
  )
  return reported.length === 0
    ? Cells.unknown("absent")
    : Cells.known(reported.reduce((total, one) => total + one, 0))
}

/** Places are weighted by the views of their day. */
const weighted = (
  days: ReadonlyArray<Cell>,
  fact: string,
  window: Window,
  said: Statements,
  calendar: Calendar
): Cell => {
  const views = said.get(`${split(fact).level}.views`)?.said
  if (views?._tag !== "Series") return Cells.unknown("absent")
  const weights = within(views.days, window, calendar)
  let seen = 0
  let places = 0
  for (const [i, cell] of within(days, window, calendar).entries()) {
    const weight = weights[i]
    if (cell?._tag !== "Known" || weight?._tag !== "Known") continue
    seen += Number(weight.value)
    places += Number(weight.value) * Number(cell.value)
  }
  return seen === 0 ? Cells.unknown("absent") : Cells.known(places / seen)
}

const within = (
  days: ReadonlyArray<Cell>,
  window: Window,
  { from, nowMs }: Calendar
): ReadonlyArray<Cell | undefined> => {
  if (from === undefined) return []
  const range = Windows.resolve(window, nowMs)
  const first = Days.between(from, range.from)
  return Array.from({ length: Days.length(range) }, (_, i) => days[first + i])
}

/** Why a fact cannot be given day by day; undefined when it can. */
export const refusesSeries = (fact: Fact): string | undefined => {
  if (!fact.windowed) return `${fact.word} is what it is now: it has no series of days.`
  const { name } = split(fact.id)
  if (ratioNames.has(name)) return `${fact.word} is computed (${fact.unit}). Give the series it is made of.`
  const adds = fact.type._tag === "Count" || fact.type._tag === "Money" || name === "avg_pos"
  return adds ? undefined : `${fact.word} cannot be added up over days.`
}

/** Says when the policy reads the fact over several windows, so that one is meant, or does not read it at all. */
export const check = (
  made: Statement,
  { key, keyRange }: Entry,
  policy: Policy,
  problems: Problems
): undefined => {
  const { level, name } = split(made.fact)
  const base = bases.includes(name)
  const isTouched = (id: string): boolean => {
    if (id === made.fact) return true
    if (!base) return false
    const other = split(id)
    return other.level === level && (ratioNames.has(other.name) || other.name === "avg_pos")
  }
  const touched = PolicyParts.reads(policy).flatMap(({ id, window }) =>
    window !== undefined && isTouched(id) ? [window] : []
  )
  const windows = [...new Set(touched.map(Windows.key))].sort()
  const word = key.replace(/\[.*$/, "")
  if (made.window !== undefined) {
    if (windows.includes(Windows.key(made.window))) return undefined
    const known =
      windows.length === 0 ? "" : ` It reads ${windows.map((one) => `${word}[${one}]`).join(", ")}.`
    return problems.warning(
      "T09",
      keyRange,
      `${policy.id} does not read ${key}; the value changes nothing.${known}`
    )
  }
  if (touched.length === 0) {
    return problems.warning("T09", keyRange, `${policy.id} does not read ${key}; the value changes nothing.`)
  }
  if (windows.length <= 1 || made.said._tag === "Series") return undefined
  const fixes = windows.map((one) => `"${word}[${one}]"`)
  return problems.error(
    "T07",
    keyRange,
    `${policy.id} reads ${key} over several windows. Say which.`,
    fixes.join(", or ")
  )
}
