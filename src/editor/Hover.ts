/** What stands under the cursor, in words: facts, variables, keys, actions and their options. */
import type { Range as Offsets } from "../engine/language/yaml/Source.js"
import * as Completion from "./Completion.js"
import * as CursorPlace from "./CursorPlace.js"
import * as Expressions from "./Expressions.js"
import type { Price } from "./FactCard.js"
import * as FactCard from "./FactCard.js"
import type { Position, Range } from "./Place.js"
import type { Page, Project } from "./Project.js"
import * as Shapes from "./Shapes.js"
import * as Variables from "./Variables.js"

interface Told {
  readonly range: Range
  /** Markdown. */
  readonly text: string
}

export const at = (
  project: Project,
  path: string,
  position: Position,
  price: Price = () => undefined
): Told | undefined => {
  const page = project.page(path)
  if (page === undefined) return undefined
  const offset = page.sheet.offset(position)
  const range = wordAt(page.sheet.source.text, offset)
  const text = range === undefined ? undefined : tell(project, page, offset, range, price)
  return range === undefined || text === undefined || text === ""
    ? undefined
    : { range: page.sheet.range(range), text }
}

const tell = (
  project: Project,
  page: Page,
  offset: number,
  range: Offsets,
  price: Price
): string | undefined => {
  const { text } = page.sheet.source
  const word = text.slice(range.start, range.end)
  const variable = Variables.at(project, page, offset)
  if (variable !== undefined) return aboutVariable(variable)
  const place = CursorPlace.of(text, range.end)
  if (place === undefined) return undefined
  const isKey = place.slot !== "value" && /^["']?[ \t]*:(\s|$)/.test(text.slice(range.end))
  if (isKey) return aboutKey(project, page, place, word, price)
  const shape = Shapes.at(page.schema, place.path)
  const setting = { ...Completion.setting({ project, page, place, price }), allowed: "everything" as const }
  if (Completion.expressionAt(page, place.path, shape) !== undefined) {
    const fact = isText(place.fragment) ? undefined : Expressions.fact(word, setting)
    return fact === undefined ? undefined : FactCard.markdown(fact, word, price)
  }
  const key = Shapes.keys(shape).find(({ name }) => name === word)
  if (key !== undefined) return titled(key)
  return Shapes.words(shape).includes(word) ? Shapes.aboutAt(page.schema, place.path) : undefined
}

const aboutVariable = ({ isShared, name, page, range, value }: Variables.Definition): string => {
  const where = isShared ? "Shared by all policies: " : "Defined in "
  const line = page.sheet.position(range.start).line + 1
  return `**$${name}** = \`${value.replaceAll("`", "'")}\`\n\n${where}${page.path}, line ${line}.`
}

const aboutKey = (
  project: Project,
  page: Page,
  place: CursorPlace.CursorPlace,
  word: string,
  price: Price
): string | undefined => {
  const key = Shapes.keys(Shapes.at(page.schema, place.path)).find(({ name }) => name === word)
  if (key !== undefined) return titled(key)
  if (page.kind !== "tests") return undefined
  const fact = Expressions.fact(word, {
    ...Completion.setting({ project, page, place, price }),
    allowed: "everything"
  })
  return fact === undefined ? undefined : FactCard.markdown(fact, word, price)
}

const titled = (key: Shapes.Key): string => `**${key.name}** — ${Completion.aboutKey(key)}`

/** The cursor is inside quotes of the expression. */
const isText = (fragment: string): boolean =>
  (fragment.match(/"/g) ?? []).length % 2 === 1 || (fragment.match(/'/g) ?? []).length % 2 === 1

const wordAt = (text: string, offset: number): Offsets | undefined => {
  const before = /\$?[\p{L}\p{N}_.]*$/u.exec(text.slice(0, offset))?.[0] ?? ""
  const after = /^\$?[\p{L}\p{N}_.]*/u.exec(text.slice(offset))?.[0] ?? ""
  const range = { start: offset - before.length, end: offset + after.length }
  return range.start === range.end ? undefined : range
}
