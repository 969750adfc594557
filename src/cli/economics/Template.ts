/** A table of all items to fill in, with what the seller's table says today: as a workbook, or as CSV. */
import { existsSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Days from "../../domain/Days.js"
import * as Plural from "../../domain/Plural.js"
import type { Cell } from "../../engine/facts/Cell.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as EconomicsColumns from "../../engine/language/shared/EconomicsColumns.js"
import * as EconomicsTable from "../../engine/language/shared/EconomicsTable.js"
import type { Key } from "../../engine/language/shared/OwnFact.js"
import * as Planning from "../plan/Planning.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import * as Delimited from "../tables/Delimited.js"
import type * as Sheet from "../tables/Sheet.js"
import * as Workbook from "../tables/Workbook.js"
import type * as Flags from "../terminal/Flags.js"
import * as OutFile from "../terminal/OutFile.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as Assortment from "./Assortment.js"

interface Asked extends Flags.Session {
  readonly out: Option.Option<string>
  readonly rules: Option.Option<string>
}

/** A file that is there is never written over: it may hold days and columns that this one has not. */
export const show = (asked: Asked) =>
  Effect.gen(function* () {
    const out = Option.getOrUndefined(asked.out)
    if (out !== undefined) yield* writable(out)
    const { chosen, rules, within } = yield* Planning.open(
      asked,
      RuleFiles.answering("economics-template", asked.json)
    )
    const items = yield* within(Assortment.read)
    const day = Days.ofMarket(yield* Clock.currentTimeMillis)
    yield* readable(items, rules, day)
    const sheet = sheetOf(items, rules, day)
    const asCsv = Delimited.write(sheet)
    if (out !== undefined)
      yield* OutFile.write(out, Workbook.isNamed(out) ? Workbook.write([sheet]) : asCsv, "--out")
    const later = laterRows(rules, day)
    if (later > 0)
      yield* Output.note(
        `${Plural.of(later, "row")} of ${pathOf(rules)} with a later day in valid from ${later === 1 ? "is" : "are"} not in it: it has what holds on ${day}. Copy ${later === 1 ? "it" : "them"} over.`
      )
    if (asked.json)
      return yield* Output.json("economics-template", {
        account: chosen.name,
        items: items.map(({ itemId, name, vendorCode }) => ({ itemId, vendorCode, name })),
        columns: sheet.columns.map(({ title }) => title),
        laterRows: later,
        out: out ?? null
      })
    if (out === undefined) return yield* Output.data(asCsv.replace("\ufeff", ""))
    yield* Output.text(`A table of ${Plural.of(items.length, "item")} is in ${out}.`)
    yield* Output.note(
      "Fill in what each item costs; what is the same for all stands once, in the row *. An empty cell is unknown unless the row * fills it; it is never zero. Then: bidhelm economics"
    )
  })

const writable = (out: string) =>
  Effect.gen(function* () {
    if (!/\.(xlsx|csv)$/i.test(out))
      return yield* stop(1, `--out ${out}: name a file that ends in .xlsx or .csv`)
    if (existsSync(out))
      return yield* stop(
        1,
        `--out ${out} is there already and stays as it is: name another file, today's values are filled in. Nothing was asked`
      )
    return yield* OutFile.ready(out, "--out")
  })

const mostNamed = 10

/** A value that cannot be read would be left out of the new table, and what holds for every item would stand in for it. */
const readable = (items: ReadonlyArray<Assortment.Item>, rules: RuleSet, day: Days.Day) => {
  const { ownFacts = [] } = rules
  const lines = rowsOf(items).flatMap(({ keys, words }) => {
    const titles = EconomicsColumns.columns.flatMap(({ meaning, title }) => {
      const said = meaning._tag === "Term" ? saidOf(ownFacts, meaning.word, keys, day) : undefined
      return said?._tag === "Unknown" && said.reason === "unreadable" ? [title] : []
    })
    const who = words.Item === EconomicsTable.everyItem ? "every item" : `item ${words.Item}`
    return titles.length === 0 ? [] : [`${who}: ${titles.join("; ")}`]
  })
  const more = lines.length - mostNamed
  const told = [...lines.slice(0, mostNamed), ...(more > 0 ? [`and ${Plural.of(more, "more item")}`] : [])]
  return lines.length === 0
    ? Effect.void
    : stop(
        1,
        `${pathOf(rules)} has values that cannot be read, and a new table would lose them. bidhelm check names their rows: mend these, then ask again. Nothing was written\n${told.map((line) => `  ${line}`).join("\n")}`
      )
}

const pathOf = ({ ownFacts = [] }: RuleSet): string | undefined =>
  ownFacts.find(({ dated }) => dated !== undefined)?.data?.path

/** Rows of the table that hold from a day on that is yet to come. */
const laterRows = ({ ownFacts = [] }: RuleSet, day: Days.Day): number => {
  const found = new Set<string>()
  for (const { dated } of ownFacts)
    for (const [key, said] of (dated?.said ?? []).entries())
      for (const { from } of said ?? []) if (from > day) found.add(`${key} ${from}`)
  return found.size
}

interface Row {
  readonly keys: ReadonlyArray<Key>
  readonly words: Readonly<Record<"Item" | "VendorCode" | "Name", string>>
}

/** The row of all items first. */
const rowsOf = (items: ReadonlyArray<Assortment.Item>): ReadonlyArray<Row> => [
  {
    keys: [EconomicsTable.everyItem],
    words: { Item: EconomicsTable.everyItem, VendorCode: "", Name: "every item" }
  },
  ...items.map(({ itemId, name, vendorCode }) => ({
    keys: [itemId, vendorCode],
    words: { Item: String(itemId), VendorCode: vendorCode, Name: name }
  }))
]

/** What the table says today of the first of the keys of which it says something. */
const saidOf = (
  ownFacts: NonNullable<RuleSet["ownFacts"]>,
  word: string,
  keys: ReadonlyArray<Key>,
  day: Days.Day
): Cell | undefined => {
  const dated = ownFacts.find(({ dated, fact }) => dated !== undefined && fact.word === word)?.dated
  return keys
    .map((key) =>
      dated === undefined
        ? undefined
        : (EconomicsTable.ofKey(dated, key, day) ??
          (typeof key === "string" ? EconomicsTable.ofLookAlike(dated, key) : undefined))
    )
    .find((cell) => cell !== undefined)
}

const widths = { Item: 14, VendorCode: 16, Name: 32, ValidFrom: 12, Term: 13 } as const

const sheetOf = (
  items: ReadonlyArray<Assortment.Item>,
  { ownFacts = [] }: RuleSet,
  day: Days.Day
): Sheet.Sheet => {
  const { columns } = EconomicsColumns
  return {
    name: "economics",
    columns: columns.map(({ meaning, title }) => ({
      title,
      width: widths[meaning._tag],
      holds: meaning._tag !== "Term" ? "text" : holds[meaning.reads]
    })),
    rows: rowsOf(items).map(({ keys, words }) =>
      columns.map(({ meaning }): Sheet.Cell => {
        if (meaning._tag === "Term") return shown(saidOf(ownFacts, meaning.word, keys, day), meaning.reads)
        return meaning._tag === "ValidFrom" ? undefined : words[meaning._tag]
      })
    )
  }
}

const holds = { money: "money", share: "percent", taxBase: "text" } as const

const shown = (cell: Cell | undefined, reads: keyof typeof holds): Sheet.Cell => {
  if (cell?._tag !== "Known") return undefined
  if (reads === "taxBase") return cell.value === true ? "profit" : "revenue"
  return reads === "share" ? Math.round(Number(cell.value) * 1_000_000) / 10_000 : Number(cell.value)
}
