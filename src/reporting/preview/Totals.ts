/** The changes of a plan added up by rule, campaign or kind: how many they are, and their three sums of money. */
import * as Groups from "../../domain/Groups.js"
import { format, Kopecks } from "../../domain/Money.js"
import * as Plural from "../../domain/Plural.js"
import * as TextOrder from "../../domain/TextOrder.js"
import type { Plan } from "../../engine/decide/Plan.js"
import * as Stakes from "../../engine/decide/Stakes.js"
import type { Change } from "../../engine/kinds/Change.js"
import { cleanLine } from "../Clean.js"
import * as Wording from "../Wording.js"
import type { Grouping } from "./View.js"

export interface Total {
  readonly name: string
  readonly changes: number
  readonly stakes: Stakes.Stakes
}

/** Totals of one grouping, those with the most money first. */
export interface Totals {
  /** What the names are of: `campaign`, `rule`, `supply or pass`. */
  readonly by: string
  readonly rows: ReadonlyArray<Total>
  /** Of more groups than are listed, how many, and what they come to together. */
  readonly rest: { readonly groups: number; readonly total: Total } | undefined
}

/** What of a change's grouping is the same for the whole group: `1000001 Autumn`, `01-raise`, `raise_bid`. */
export const nameOf = (change: Change, by: Grouping): string => {
  switch (by) {
    case "campaign":
      return cleanLine(`${Wording.containerId(Wording.place(change))} ${change.campaignName}`).trim()
    case "rule":
      return cleanLine(change.origin.name)
    case "kind":
      return change.action
  }
}

/** Adds up; of more than `most` groups the rest is one row. */
export const of = (plan: Plan, by: Grouping, most: number): Totals => {
  const judge = Stakes.judge(plan)
  const groups = Groups.by(plan.changes, (change) => nameOf(change, by))
  const sumOf = (changes: ReadonlyArray<Change>) => Stakes.sum(changes.map(judge))
  const sorted = [...groups]
    .map(([name, own]) => ({ name, changes: own.length, stakes: sumOf(own) }))
    .sort((a, b) => money(b) - money(a) || b.changes - a.changes || TextOrder.compare(a.name, b.name))
  const rest = sorted.slice(most)
  const noun = by === "campaign" ? Wording.placeNouns(plan.changes) : by
  if (rest.length === 0) return { by: noun, rows: sorted, rest: undefined }
  const name = noun === by ? Plural.of(rest.length, `more ${by}`) : `${rest.length} more`
  const stakes = sumOf(rest.flatMap((row) => groups.get(row.name) ?? []))
  const changes = rest.reduce((sum, row) => sum + row.changes, 0)
  return {
    by: noun,
    rows: sorted.slice(0, most),
    rest: { groups: rest.length, total: { name, changes, stakes } }
  }
}

const money = ({ stakes }: Total): number =>
  stakes.raises.kopecks + stakes.savings.kopecks + stakes.depositsKopecks

/** A table of texts: the first column is a name, the others are figures. Columns of which all is empty are left out. */
export interface Table {
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** As people read it. */
export const table = ({ by, rest, rows }: Totals, currency: string): Table => {
  const all = [...rows, ...(rest === undefined ? [] : [rest.total])]
  const columns = figures.filter(({ of }) => all.some((total) => of(total, currency) !== ""))
  return {
    head: [`By ${by}`, ...columns.map(({ title }) => title)],
    rows: all.map((total) => [total.name, ...columns.map(({ of }) => of(total, currency))])
  }
}

interface Figure {
  readonly title: string
  readonly of: (total: Total, currency: string) => string
}

const amount = (kopecks: number, currency: string): string =>
  kopecks === 0 ? "" : format(Kopecks(kopecks), Wording.sign(currency))

const count = (n: number): string => (n === 0 ? "" : String(n))

const figures: ReadonlyArray<Figure> = [
  { title: "changes", of: ({ changes }) => String(changes) },
  {
    title: "raises a day, about",
    of: ({ stakes }, currency) =>
      stakes.raises.kopecks === 0 ? "" : `+${amount(stakes.raises.kopecks, currency)}`
  },
  {
    title: "savings a day, about",
    of: ({ stakes }, currency) => amount(0 - stakes.savings.kopecks, currency)
  },
  { title: "deposits", of: ({ stakes }, currency) => amount(stakes.depositsKopecks, currency) },
  {
    title: "no estimate",
    of: ({ stakes }) => count(Stakes.unestimated(stakes))
  },
  { title: "count nothing", of: ({ stakes }) => count(stakes.underPause) }
]
