/** The economics table against a naive reading of the same rows: dated rows by number and code, cells and items that cannot be read. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { ItemId } from "../../src/domain/Ids.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as OwnFacts from "../../src/engine/gather/OwnFacts.js"
import * as Load from "../../src/engine/language/Load.js"
import * as Depth from "../Depth.js"

interface Row {
  /** `*`, a number, a code, or what is neither. */
  readonly who: string
  readonly from: string
  readonly cost: string
  readonly floor: string
}

const path = "rules/_shared/economics.csv"
const columns = { unit_cost: "cost", price_floor: "floor" } as const
type Word = keyof typeof columns

const days = ["2026-03-01", "2026-06-01"]
const cell = fc.constantFrom("", "", "5", "7", "x")
const row: fc.Arbitrary<Row> = fc.record({
  who: fc.constantFrom("*", "*", "1", "2", "a", "b", "c", "?"),
  from: fc.constantFrom("", "", ...days, "soon"),
  cost: cell,
  floor: cell
})
/** By their codes; the table may name them by either, by both or not at all. */
const items = { a: 1, b: 2, c: 3, d: 4 } as const
const codes: ReadonlyArray<keyof typeof items> = ["a", "b", "c", "d"]
const words: ReadonlyArray<Word> = ["unit_cost", "price_floor"]
const asked = ["2026-01-15", "2026-03-01", "2026-08-15"]

const isCode = (who: string) => /^[a-z]$/.test(who)
const isKey = ({ who }: Row) => who !== "?"

/** What the table says, as `5`, `unreadable` or `unlisted`. */
const read = (rows: ReadonlyArray<Row>, code: keyof typeof items, word: Word, day: string): string => {
  const at = Date.parse(`${day}T12:00:00+03:00`)
  const lines = rows.map(({ cost, floor, from, who }) => [
    isCode(who) ? "" : who,
    isCode(who) ? who : "",
    from,
    cost,
    floor
  ])
  const content = {
    _tag: "Rows" as const,
    rows: [["item", "vendor code", "valid from", "cost", "price floor"], ...lines].map((cells, line) => ({
      line: line + 1,
      cells
    }))
  }
  const data = { path, modifiedMs: at, readMs: at, content }
  const tables = OwnFacts.tablesOf(Load.check([{ path, text: "", data }]).ruleSet!, () => true)
  const table = Table.make("item")
  const itemId = ItemId.make(items[code])
  table.add({ itemId })
  OwnFacts.enter(tables, table, [{ itemId }], at)
  OwnFacts.enterCoded(tables, table, itemId, code, at)
  const found = table.get(0, `item.${word}`)
  return found._tag === "Known" ? String(Number(found.value) / 100) : found.reason
}

const naive = (rows: ReadonlyArray<Row>, code: keyof typeof items, word: Word, day: string): string => {
  const text = (one: Row) => one[columns[word]]
  const ofKey = (key: string) => rows.filter(({ who }) => who === key)
  const isSpoiled = (key: string) => {
    const mine = ofKey(key)
    const first = (from: string) => mine.find((one) => one.from === from)!
    return mine.some(
      (one) => one.from === "soon" || one.cost !== first(one.from).cost || one.floor !== first(one.from).floor
    )
  }
  const own = (key: string): string | undefined => {
    if (isSpoiled(key)) return "unreadable"
    const last = ofKey(key)
      .filter((one) => one.from <= day && text(one) !== "")
      .toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0))
      .at(-1)
    return last === undefined ? undefined : text(last) === "x" ? "unreadable" : text(last)
  }
  const number = String(items[code])
  const every = own("*") ?? "unlisted"
  const isLost = rows.some((one) => !isKey(one) && text(one) !== "")
  if (!isLost) return own(number) ?? own(code) ?? every
  // Some row may be the item's own. It is not where one from the beginning of time is; by number alone only while no code says the word.
  const isCoded = rows.some((one) => isCode(one.who) && (text(one) !== "" || isSpoiled(one.who)))
  const sure = (key: string): string | undefined => {
    if (ofKey(key).length === 0) return undefined
    return own(key) ?? (ofKey(key).some(({ from }) => from === "") ? every : "unreadable")
  }
  return (isCoded ? own(number) : sure(number)) ?? sure(code) ?? "unreadable"
}

it("says of each item and day what a naive reading says", () => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 9 }),
      fc.constantFrom(...codes),
      fc.constantFrom(...words),
      fc.constantFrom(...asked),
      (rows, code, word, day) => {
        const said = read(rows, code, word, day)
        expect(said).toBe(naive(rows, code, word, day))
        seen.set(said, (seen.get(said) ?? 0) + 1)
      }
    ),
    { numRuns: Depth.cases(2000) }
  )
  expect([...seen.keys()].sort()).toEqual(["5", "7", "unlisted", "unreadable"])
})
