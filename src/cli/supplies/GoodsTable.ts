/**
 * The seller's own table of goods, `goods.csv` or `goods.xlsx` beside the shared rules: names, sizes, colours and cells,
 * which the interface of orders does not tell. Without the file nothing of them is known, and nothing is made up.
 */
import { existsSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Groups from "../../domain/Groups.js"
import * as Suggest from "../../engine/language/problems/Suggest.js"
import { movedRow } from "../../engine/language/shared/Complaints.js"
import type { DataRow } from "../../engine/language/shared/OwnFact.js"
import type * as Line from "../../printing/Line.js"
import * as DataFiles from "../rules/DataFiles.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import * as TableFile from "../tables/TableFile.js"
import { stop } from "../terminal/Stop.js"

/** What the table may say of goods. */
export type Told = Partial<Pick<Line.Goods, "name" | "size" | "colour" | "cell">>

/** What an order says of its goods, to look them up by. */
export interface Asked {
  readonly barcodes: ReadonlyArray<string>
  readonly article: string | undefined
  readonly itemId: number | undefined
}

export interface Table {
  /** Undefined when there is no table. */
  readonly path: string | undefined
  /** A barcode tells before an article, an article before an item; what one leaves out the next may tell. */
  readonly of: (asked: Asked) => Told
  /** The table's article that only looks like one which it does not name: it has letters of another alphabet. */
  readonly alike: (article: string) => string | undefined
}

/** Ends the command with every problem of the table at once. */
export const read = (rulesFolder: string) =>
  Effect.gen(function* () {
    const path = pathIn(rulesFolder)
    if (path === undefined) return { path, of: () => ({}), alike: () => undefined } satisfies Table
    const { problems, told } = yield* contentOf(path)
    if (problems.length > 0) return yield* stop(1, problems.join("\n"))
    const spelt = Groups.by(told.keys(), (name) => name.toLowerCase())
    const looks = new Map([...spelt.keys()].map((name) => [Suggest.lookAlike(name), name]))
    return {
      path,
      of: (asked: Asked) => lookedUp(told, spelt, asked),
      alike: (article: string) => {
        const name = `article ${article.trim().toLowerCase()}`
        const [alike] = spelt.get(looks.get(Suggest.lookAlike(name)) ?? "") ?? []
        return spelt.has(name) ? undefined : alike?.slice("article ".length)
      }
    } satisfies Table
  })

/** Every problem of the table, each with its file; none where there is no table. */
export const problemsIn = (rulesFolder: string): Effect.Effect<ReadonlyArray<string>> => {
  const path = pathIn(rulesFolder)
  return path === undefined ? Effect.succeed([]) : Effect.map(contentOf(path), ({ problems }) => problems)
}

const pathIn = (rulesFolder: string): string | undefined =>
  RuleFiles.goodsTables(rulesFolder).find((one) => existsSync(one))

const contentOf = (path: string) =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => {
    const { content } = new DataFiles.Tables().reading(nowMs)(path, TableFile.bySight)
    if (content._tag === "Rows") {
      const { problems, told } = readRows(content.rows)
      return { told, problems: problems.map((problem) => `${path}: ${problem}`) }
    }
    const why = content._tag === "Unreadable" ? content.why : "it is not there any more"
    return { told: new Map<string, Told>(), problems: [`${path} cannot be read: ${why}`] }
  })

type Key = "barcode" | "article" | "item"
type Field = Key | keyof Told

/** Titles of columns as sellers write them. */
const titles: ReadonlyMap<string, Field> = new Map(
  (
    [
      ["barcode", "barcode sku баркод штрихкод"],
      ["article", "article vendor_code артикул"],
      ["item", "item item_id номенклатура"],
      ["name", "name название наименование"],
      ["size", "size размер"],
      ["colour", "colour color цвет"],
      ["cell", "cell ячейка место"]
    ] as const
  ).flatMap(([field, words]) => words.split(" ").map((word) => [word, field] as const))
)

/** `2,04E+12`, as a spreadsheet shows a long number in a narrow column; `5E1234` is a code of somebody's own. */
const shortened = /^\d(?:[.,]\d+)?E\+\d\d$/i

const keys: ReadonlyArray<Key> = ["barcode", "article", "item"]
const facts = ["name", "size", "colour", "cell"] as const
const mostProblems = 20

/** Told by `barcode 2000…`, `article …`, `item …`. */
type ByKey = ReadonlyMap<string, Told>

const readRows = ([head, ...rows]: ReadonlyArray<DataRow>): {
  readonly told: ByKey
  readonly problems: ReadonlyArray<string>
} => {
  const told = new Map<string, Told>()
  const problems: Array<string> = []
  const columns = (head?.cells ?? []).map((title) => titles.get(title.trim().toLowerCase()))
  for (const [i, field] of columns.entries()) {
    const title = head?.cells[i]?.trim() ?? ""
    if (field === undefined && title !== "")
      problems.push(
        `line ${head?.line}: column "${title}" is not known. Known are barcode, article, item, name, size, colour and cell; take it out or rename it`
      )
    else if (field !== undefined && columns.indexOf(field) !== i)
      problems.push(`line ${head?.line}: "${title}" is a second column of ${field}; leave one`)
  }
  if (!keys.some((key) => columns.includes(key)))
    problems.push("no column says which goods a row is about; add barcode, article or item")
  if (problems.length > 0) return { told, problems }
  const lines = new Map<string, number>()
  for (const { cells, line, moved } of rows) {
    if (moved === "long") {
      problems.push(`line ${line}: the row ${movedRow[moved]}`)
      continue
    }
    const cell = (field: Field) => {
      const text = cells[columns.indexOf(field)]?.trim() ?? ""
      return columns.includes(field) && text !== "" ? text : undefined
    }
    const key = keys.find((one) => cell(one) !== undefined)
    if (key === undefined) {
      if (cells.some((text) => text.trim() !== ""))
        problems.push(
          `line ${line}: nothing says which goods it is about; give a barcode, an article or an item`
        )
      continue
    }
    const short = keys.find((one) => shortened.test(cell(one) ?? ""))
    if (short !== undefined) {
      problems.push(
        `line ${line}: ${short} ${cell(short)} was shortened by the spreadsheet, and its last digits are lost; make the column text and enter it anew`
      )
      continue
    }
    const name = `${key} ${cell(key)}`
    const before = lines.get(name)
    if (before !== undefined)
      problems.push(`line ${line}: ${name} stands in line ${before} already; leave one of them`)
    lines.set(name, line)
    told.set(
      name,
      Object.fromEntries(facts.flatMap((fact) => (cell(fact) === undefined ? [] : [[fact, cell(fact)]])))
    )
  }
  const more = problems.length - mostProblems
  return {
    told,
    problems: more > 0 ? [...problems.slice(0, mostProblems), `and ${more} more of these`] : problems
  }
}

const lookedUp = (told: ByKey, spelt: Spelt, { article, barcodes, itemId }: Asked): Told => {
  const names = [
    ...barcodes.map((barcode) => `barcode ${barcode}`),
    ...(article === undefined ? [] : [nameOf(spelt, `article ${article.trim()}`)]),
    ...(itemId === undefined ? [] : [`item ${itemId}`])
  ]
  return Object.assign({}, ...names.toReversed().map((name) => told.get(name)))
}

/** Names of the table, by themselves without case. */
type Spelt = ReadonlyMap<string, ReadonlyArray<string>>

/** As the table writes it: without case, unless it has two that differ only by case, which are two articles. */
const nameOf = (spelt: Spelt, name: string): string => {
  const [only = name, ...others] = spelt.get(name.toLowerCase()) ?? []
  return others.length === 0 ? only : name
}
