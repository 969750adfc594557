/** `$name`: where a variable is defined, where it is used, and how to call it otherwise. */
import * as Messages from "../engine/language/check/Messages.js"
import * as Vars from "../engine/language/shared/Vars.js"
import * as Lexer from "../engine/language/syntax/Lexer.js"
import {
  type Entry,
  entry,
  type Node,
  offsetsIn,
  rangeIn,
  type ScalarNode
} from "../engine/language/yaml/Node.js"
import type { Range as Offsets } from "../engine/language/yaml/Source.js"
import type { Location, Position, TextEdit } from "./Place.js"
import { entries, type Page, type Project } from "./Project.js"

/** A `$name`, or a name under `vars:`; the range is the name without its sign. */
export interface Mention {
  readonly name: string
  readonly range: Offsets
}

export interface Definition extends Mention {
  readonly page: Page
  /** The value as written. */
  readonly value: string
  readonly isShared: boolean
}

/** What an expression of a page may name: its own variables, then the shared ones it does not hide. */
export const visible = (project: Project, page: Page): ReadonlyArray<Definition> => {
  const own = defined(page)
  const { shared } = project
  const others = shared === undefined || shared === page || page.kind === "tests" ? [] : defined(shared)
  return [...own, ...others.filter(({ name }) => own.every((one) => one.name !== name))]
}

/** The name at a place; its sign belongs to it. */
export const mentionAt = (page: Page, offset: number): Mention | undefined =>
  [
    ...uses(page).map((one) => ({ ...one, sign: 1 })),
    ...defined(page).map((one) => ({ ...one, sign: 0 }))
  ].find(({ range, sign }) => range.start - sign <= offset && offset <= range.end)

/** The variable at a place, used or defined there. */
export const at = (project: Project, page: Page, offset: number): Definition | undefined => {
  const mention = mentionAt(page, offset)
  return mention === undefined ? undefined : visible(project, page).find(({ name }) => name === mention.name)
}

export const definition = (project: Project, page: Page, position: Position): Location | undefined => {
  const found = at(project, page, page.sheet.offset(position))
  return found === undefined
    ? undefined
    : { path: found.page.path, range: found.page.sheet.range(found.range) }
}

/** Every place that names the variable, its definition included, by file. */
const references = (project: Project, found: Definition): ReadonlyMap<Page, ReadonlyArray<Mention>> => {
  const named = ({ name }: Mention) => name === found.name
  const pages = found.isShared
    ? [...project.pages.values()].filter((page) => page === found.page || !defined(page).some(named))
    : [found.page]
  return new Map(
    pages
      .map((page) => {
        const own = page === found.page ? [{ name: found.name, range: found.range }] : []
        return [page, [...own, ...uses(page).filter(named)]] as const
      })
      .filter(([, mentions]) => mentions.length > 0)
  )
}

/** Edits by path, or a sentence that says why the name cannot be taken. */
export const rename = (
  project: Project,
  found: Definition,
  written: string
): ReadonlyMap<string, ReadonlyArray<TextEdit>> | string => {
  const name = written.trim().replace(/^\$/, "")
  if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name))
    return "A variable's name has letters, digits and _ only, and starts with a letter."
  const places = references(project, found)
  const taken = (page: Page) => visible(project, page).find((one) => one.name === name)
  const clash = name === found.name ? undefined : [found.page, ...places.keys()].map(taken).find(Boolean)
  if (clash !== undefined) return `$${name} is already in ${clash.page.path}.`
  const hiding = [...places.keys()].find((page) =>
    templates(page).some(({ value }) => parameters(value).includes(name))
  )
  if (hiding !== undefined) return `$${name} is a parameter of a template in ${hiding.path}.`
  const edits = [...places].map(([page, mentions]) => {
    const made = mentions.map(({ range }) => ({ range: page.sheet.range(range), newText: name }))
    return [page.path, made] as const
  })
  return new Map(edits)
}

/** Names under `vars:`, in the order of the file. */
const defined = (page: Page): ReadonlyArray<Definition> =>
  page.kind === "tests" ? [] : entries(entry(page.root, "vars")?.value).map((one) => define(one, page))

/** What `$name` may stand for inside one template. */
export const parametersOf = (page: Page, template: string): ReadonlyArray<Definition> => {
  const found = templates(page).find(({ key }) => key === template)
  return entries(entry(found?.value, "params")?.value).map((one) => define(one, page))
}

const define = (one: Entry, page: Page): Definition => ({
  name: one.key,
  range: bare(one, page),
  page,
  value: shown(one, page),
  isShared: page.kind === "vars"
})

/** The name inside the quotes of a quoted key. */
const bare = ({ key, keyRange }: Entry, { sheet }: Page): Offsets =>
  sheet.source.text.slice(keyRange.start, keyRange.end) === key
    ? keyRange
    : { start: keyRange.start + 1, end: keyRange.start + 1 + key.length }

const shown = ({ value }: Entry, { sheet }: Page): string =>
  sheet.source.text.slice(value.range.start, value.range.end).trim()

/** In a template its parameters are no variables: they hide them. */
const uses = (page: Page): ReadonlyArray<Mention> => {
  if (page.root === undefined || page.kind === "tests") return []
  if (page.kind !== "templates") return below(page.root, "")
  return templates(page).flatMap(({ key, value }) => {
    const hidden = new Set(parameters(value))
    return below(value, key).filter(({ name }) => !hidden.has(name))
  })
}

const templates = (page: Page): ReadonlyArray<Entry> => entries(entry(page.root, "templates")?.value)
const parameters = (template: Node): ReadonlyArray<string> =>
  entries(entry(template, "params")?.value).map(({ key }) => key)

const below = (node: Node, key: string): ReadonlyArray<Mention> => {
  switch (node._tag) {
    case "Map":
      return node.entries.flatMap((one) => (one.key === "vars" ? [] : below(one.value, one.key)))
    case "List":
      return node.items.flatMap((item) => below(item, key))
    case "Scalar":
      if (Vars.isProse(key) || !node.text.includes("$")) return []
      return Vars.isMessage(key) && !Vars.isWhole(node.text) ? inMessage(node) : named(node)
  }
}

/** Outside of its braces a message is text, where a `$` is a dollar. */
const inMessage = (node: ScalarNode): ReadonlyArray<Mention> =>
  Messages.inBraces(node.text).flatMap(({ end, start }) =>
    named({
      ...node,
      text: node.text.slice(start, end),
      range: rangeIn(node, start, end),
      offsets: offsetsIn(node, start, end)
    })
  )

/** Texts in quotes and what cannot be read have no variables. */
const named = (node: ScalarNode): ReadonlyArray<Mention> => {
  const tokens = Lexer.tokens(node.text)
  if ("_tag" in tokens) return loose(node, 0, node.text)
  return tokens.flatMap((token) => {
    if (token._tag === "Variable") return [mention(node, token.name, token.start + 1)]
    return token._tag === "Word" && token.window !== undefined
      ? loose(node, token.window.start, token.window.text)
      : []
  })
}

const loose = (node: ScalarNode, start: number, text: string): ReadonlyArray<Mention> =>
  Array.from(text.matchAll(/\$([\p{L}_][\p{L}\p{N}_]*)/gu), (found) =>
    mention(node, found[1] ?? "", start + found.index + 1)
  )

const mention = (node: ScalarNode, name: string, start: number): Mention => ({
  name,
  range: rangeIn(node, start, start + name.length)
})
