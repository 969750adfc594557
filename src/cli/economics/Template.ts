/** A table of all items to fill in, with what the seller's table says today: as a workbook, or as CSV. */
import { existsSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Days from "../../domain/Days.js"
import type { Cell } from "../../engine/facts/Cell.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as EconomicsColumns from "../../engine/language/shared/EconomicsColumns.js"
import * as EconomicsTable from "../../engine/language/shared/EconomicsTable.js"
import type { Key } from "../../engine/language/shared/OwnFact.js"
import * as Plural from "../../reporting/Plural.js"
import * as Planning from "../plan/Planning.js"
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
    const { chosen, rules, within } = yield* Planning.open(asked)
    const items = yield* within(Assortment.read)
    const sheet = sheetOf(items, rules, Days.ofMarket(yield* Clock.currentTimeMillis))
    const asCsv = Delimited.write(sheet)
    if (out !== undefined)
      yield* OutFile.write(out, Workbook.isNamed(out) ? Workbook.write([sheet]) : asCsv, "--out")
    if (asked.json)
      return yield* Output.json("economics-template", {
        account: chosen.name,
        items: items.map(({ itemId, name, vendorCode }) => ({ itemId, vendorCode, name })),
        columns: sheet.columns.map(({ title }) => title),
        out: out ?? null
      })
    if (out === undefined) return yield* Output.data(asCsv.replace("\ufeff", ""))
    yield* Output.text(`A table of ${Plural.of(items.length, "item")} is in ${out}.`)
    yield* Output.note(
      "Fill in what each item costs; what is the same for all stands once, in the row *. An empty cell is unknown, never zero. Then: bidhelm economics"
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

const widths = { Item: 14, VendorCode: 16, Name: 32, ValidFrom: 12, Term: 13 } as const

/** The row of all items first. */
const sheetOf = (
  items: ReadonlyArray<Assortment.Item>,
  { ownFacts = [] }: RuleSet,
  day: Days.Day
): Sheet.Sheet => {
  const { columns } = EconomicsColumns
  const dated = new Map(ownFacts.map(({ dated, fact }) => [fact.word, dated]))
  const row = (keys: ReadonlyArray<Key>, words: Readonly<Record<"Item" | "VendorCode" | "Name", string>>) =>
    columns.map(({ meaning }): Sheet.Cell => {
      if (meaning._tag !== "Term") return meaning._tag === "ValidFrom" ? undefined : words[meaning._tag]
      const own = dated.get(meaning.word)
      const said = keys
        .map((key) => own && EconomicsTable.ofKey(own, key, day))
        .find((cell) => cell !== undefined)
      return shown(said, meaning.reads)
    })
  return {
    name: "economics",
    columns: columns.map(({ meaning, title }) => ({
      title,
      width: widths[meaning._tag],
      holds: meaning._tag !== "Term" ? "text" : holds[meaning.reads]
    })),
    rows: [
      row([EconomicsTable.everyItem], { Item: EconomicsTable.everyItem, VendorCode: "", Name: "every item" }),
      ...items.map(({ itemId, name, vendorCode }) =>
        row([itemId, vendorCode], { Item: String(itemId), VendorCode: vendorCode, Name: name })
      )
    ]
  }
}

const holds = { money: "money", share: "percent", taxBase: "text" } as const

/** A cell that cannot be read today stays empty. */
const shown = (cell: Cell | undefined, reads: keyof typeof holds): Sheet.Cell => {
  if (cell?._tag !== "Known") return undefined
  if (reads === "taxBase") return cell.value === true ? "profit" : "revenue"
  return reads === "share" ? Math.round(Number(cell.value) * 1_000_000) / 10_000 : Number(cell.value)
}
