/**
 * Variables: `vars:` of a policy and `_shared/vars.yaml`. A `$name` becomes its value before anything is checked, as
 * a value and never as text, so that problems point at the place of use and hashes know only the value.
 */
import * as Words from "../check/Words.js"
import type { Problems } from "../problems/Diagnostic.js"
import * as Suggest from "../problems/Suggest.js"
import * as Schema from "../shape/Schema.js"
import * as Shape from "../shape/Shape.js"
import * as Parser from "../syntax/Parser.js"
import type { Ast, Fault, Variables } from "../syntax/Syntax.js"
import { fault } from "../syntax/Syntax.js"
import type { Entry, MapNode, Node, ScalarNode } from "../yaml/Node.js"
import { entry, get, isEmpty, rangeIn } from "../yaml/Node.js"
import type { Range } from "../yaml/Source.js"
import * as Source from "../yaml/Source.js"

/** What a file's expressions may name: its own variables first, then the shared ones. */
export class Vars implements Variables {
  private readonly used = new Set<string>()
  constructor(
    readonly own: ReadonlyMap<string, Declared>,
    private readonly shared?: Vars,
    /** The key under which the own ones stand. */
    private readonly home: "vars" | "params" = "vars"
  ) {}

  lookup(name: string, at: Range): Ast | Fault {
    const found = this.find(name)
    if (found === undefined)
      return fault("E15", at, `$${name} is not defined. ${this.hint(name)}`, this.near(name))
    if (found.value !== undefined) return placed(found.value, at)
    const place = this.own.has(name) ? `${this.home}:` : "_shared/vars.yaml"
    return isEmptyList(found.node)
      ? fault("E15", at, `$${name} is an empty list: write at least one word into it, in ${place}`)
      : fault("E15", at, `The value of $${name} could not be read: see ${place}`)
  }

  /** A value that stands alone as a key's value. Reports E15; an unreadable one says nothing more. */
  node(name: string, at: ScalarNode, problems: Problems): Node {
    const found = this.find(name)
    if (found?.value !== undefined) {
      return found.given === true ? keepsPlace(found.node, at, problems.source) : standIn(found.node, at)
    }
    if (found === undefined) {
      problems.error("E15", at.range, `$${name} is not defined. ${this.hint(name)}`, this.near(name))
    }
    return { ...at, kind: "empty", told: true }
  }

  /** Warns of own variables that nothing named. */
  unused(problems: Problems): void {
    for (const [name, { key }] of this.own) {
      if (this.used.has(name)) continue
      problems.warning(
        "K19",
        key.keyRange,
        `Nothing uses $${name}. Remove it, or check its spelling where it is meant.`
      )
    }
  }

  private find(name: string): Declared | undefined {
    const found = this.own.get(name)
    if (found === undefined) return this.shared?.find(name)
    this.used.add(name)
    return found
  }

  private names(): ReadonlyArray<string> {
    return [...new Set([...this.own.keys(), ...(this.shared?.names() ?? [])])].sort()
  }

  private near(name: string): string | undefined {
    const names = this.names()
    const near = Suggest.nearest(name, names) ?? names.find((known) => abbreviates(name, known))
    return near === undefined ? undefined : `$${near}`
  }

  private hint(name: string): string {
    const near = this.near(name)
    return near === undefined ? `Add it under ${this.home}:, such as ${name}: 400 ₽` : `Did you mean ${near}?`
  }
}

export interface Declared {
  readonly key: Entry
  readonly node: Node
  /** Absent when the value was reported. */
  readonly value?: Ast
  /** Given by the file being checked to a template: problems of it are problems of that file. */
  readonly given?: true
}

/** A policy's tree with its variables put in and `vars:` taken out, and the variables for `unused`. */
export const expand = (root: Node, shared: Vars | undefined, problems: Problems) => {
  const vars = new Vars(declared(get(root, "vars"), entry(root, "vars"), problems), shared)
  const rest = root._tag === "Map" ? root.entries.filter(({ key }) => key !== "vars") : []
  const bare: Node = root._tag === "Map" ? { ...root, entries: rest } : root
  // A dollar may also be written as an escape, or left out.
  const mayName = vars.own.size > 0 || /[$\\]/.test(problems.source.text)
  return { root: mayName ? put(bare, "", vars, problems) : bare, vars }
}

/** `_shared/vars.yaml`. */
export const read = (root: Node, problems: Problems): Vars => {
  Shape.check(Schema.Vars, root, { key: "This file", range: root.range }, problems, ["vars"])
  return new Vars(declared(get(root, "vars"), entry(root, "vars"), problems))
}

/** Keys whose text is for people: a `$` in them is a dollar. In the braces of a message it is a variable. */
const prose = new Set(["name"])
/** See `prose`. */
export const isProse = (key: string): boolean => prose.has(key)
/** Keys whose text names variables in braces, or is one as a whole. */
export const isMessage = (key: string): boolean => key === "notify" || key === "text"
/** Whether a text is a variable's name and no more. */
export const isWhole = (text: string): boolean => whole.test(text)
const whole = /^\s*\$([\p{L}_][\p{L}\p{N}_]*)\s*$/u

/** The tree with the variables put in. */
export const put = (node: Node, key: string, vars: Vars, problems: Problems): Node => {
  switch (node._tag) {
    case "Map": {
      const entries = node.entries.map((one) => ({ ...one, value: put(one.value, one.key, vars, problems) }))
      return { ...node, entries }
    }
    case "List":
      return { ...node, items: node.items.map((item) => put(item, key, vars, problems)) }
    case "Scalar": {
      if (prose.has(key)) return node
      // Who leaves the dollar out is told of it.
      if (!node.text.includes("$")) return vars.own.size > 0 ? { ...node, vars } : node
      const name = whole.exec(node.text)?.[1]
      return name === undefined ? { ...node, vars } : vars.node(name, node, problems)
    }
  }
}

/** The variables of a map of values; `at` is the key that holds it. */
export const declared = (
  node: Node | undefined,
  at: Entry | undefined,
  problems: Problems
): ReadonlyMap<string, Declared> => {
  if (at === undefined) return new Map()
  if (node?._tag !== "Map") {
    problems.error("K16", at.keyRange, `${at.key}: holds names with values, such as daily: 3000 ₽`)
    return new Map()
  }
  return new Map(node.entries.map((key) => [key.key, declare(key, problems)]))
}

const declare = (key: Entry, problems: Problems): Declared => {
  const before = problems.count
  const name = key.key.replace(/^\$/, "")
  if (!whole.test(`$${key.key}`)) {
    const fix = /^[\p{L}_]/u.test(name) ? name.replace(/[^\p{L}\p{N}_]/gu, "_") : undefined
    problems.error("K16", key.keyRange, "A variable's name has letters, digits and _ only.", fix)
  }
  const value = valueOf(key, problems)
  const known = problems.count === before && value !== undefined
  return { key, node: key.value, ...(known ? { value } : {}) }
}

const valueOf = ({ key, keyRange, value }: Entry, problems: Problems): Ast | undefined => {
  if (isEmptyList(value))
    return problems.error(
      "K16",
      keyRange,
      `${key}: is an empty list. Write at least one word, such as ${key}: [кеды]`
    )
  const items = value._tag === "List" ? value.items : [value]
  const scalars = items.filter((item): item is ScalarNode => item._tag === "Scalar" && !isEmpty(item))
  if (scalars.length < items.length)
    return problems.error("K16", keyRange, `${key}: holds one value or a list of values.`)
  for (const scalar of scalars) Words.mixed(scalar, scalar.text, 0, problems)
  const read = scalars.map((scalar) => literal(scalar, problems))
  const known = read.filter((one) => one !== undefined)
  if (known.length < read.length) return undefined
  if (value._tag !== "List") return known[0]
  return { _tag: "List", items: known, start: 0, end: 0 }
}

const isEmptyList = (node: Node): boolean => node._tag === "List" && node.items.length === 0

const date = /^\d{4}-\d\d-\d\d$/

/**
 * A number with its unit, or else a text: quotes inside are allowed and not needed. A number keeps how it is written,
 * for it may be a word to look for: `501`.
 */
const literal = (node: ScalarNode, problems: Problems): Ast | undefined => {
  const text = node.text.trim()
  const words: Ast = { _tag: "Text", value: text, start: 0, end: 0 }
  const ast = date.test(text) ? words : Parser.value(text)
  if (ast._tag === "Number") return { ...ast, text }
  if (ast._tag === "Text") return ast
  if (!/^-?[\d$%]/.test(text)) return words
  const isDigits = /^-?\d/.test(text)
  const quoted = isDigits && isQuoted(node, problems)
  if (!Parser.isFault(ast)) {
    if (quoted || !isDigits) return words
    return problems.error("K16", node.range, `A variable holds one value, not a calculation. ${quoteIt}`)
  }
  if (ast.code === "E09" || isPart(ast, text)) return words
  if (quoted || isInWords(ast)) return { ...words, misread: ast }
  const message = ast.code === "E15" ? "A variable holds a value, not another variable." : ast.message
  // Digits may begin a phrase, whose words nobody mends: `1 000 little things`.
  const meant = ast.fix === undefined ? undefined : text.slice(0, ast.start) + ast.fix + text.slice(ast.end)
  const isNumber = meant !== undefined && Parser.value(meant)._tag === "Number"
  const [at, fix] = isNumber ? [rangeIn(node, ast.start, ast.end), ast.fix] : [node.range, meant]
  return problems.error(ast.code, at, isDigits ? `${message.replace(/\.?$/, ".")} ${quoteIt}` : message, fix)
}

const quoteIt = "A word to look for stands in quotes."

const isQuoted = ({ range }: ScalarNode, { source }: Problems): boolean =>
  /["']/.test(source.text[range.start] ?? "")

/** Zeros in front of a part are no number that would change: `01.02.2026`, `09:30`; nor are words behind one: `7 и 8`. */
const isPart = ({ code, end, start }: Fault, text: string): boolean =>
  (code === "Y20" && /\d/.test(text.slice(0, start) + text.slice(end))) ||
  (code === "E07" && !/\d/.test(text.slice(start, end)))

/** `1 процент` and `25.08.2026` are words to look for as likely as numbers; which, their use says. */
const isInWords = ({ code, fix }: Fault): boolean =>
  (code === "E05" && fix === undefined) || (code === "E07" && /^\d+(?:\.\d+)?%$/.test(fix ?? ""))

const placed = (ast: Ast, at: Range): Ast => {
  const range = { start: at.start, end: at.end }
  if (ast._tag !== "List") return { ...ast, ...range }
  const { items } = ast
  return {
    _tag: "List",
    from: items,
    // A long list is used by many conditions, most of which are known already.
    get items() {
      return items.map((item) => placed(item, at))
    },
    ...range
  }
}

/** The value's tree at the place of use: every part of it points there. */
const standIn = (value: Node, { range }: ScalarNode): Node => {
  if (value._tag === "List") {
    const items = value.items.map((item): Node => {
      return item._tag === "Scalar" ? scalarAt(item, range) : item
    })
    return { ...value, items, range }
  }
  return value._tag === "Scalar" ? scalarAt(value, range) : (value satisfies MapNode)
}

/** A value where it was written; the place it stands for is told beside. */
const keepsPlace = (value: Node, at: ScalarNode, checked: Source.Source): Node => {
  const span = Source.span(checked, at.range)
  const elsewhere = { source: checked, related: { span, message: `stands for ${at.text.trim()} here` } }
  const here = <N extends Node>(node: N): N => ({ ...node, range: { ...node.range, elsewhere } })
  return value._tag === "List" ? { ...here(value), items: value.items.map(here) } : here(value)
}

const scalarAt = (value: ScalarNode, range: Range): ScalarNode => {
  const last = value.text.length - 1
  const offsets = Array.from({ length: value.text.length }, () => range.start)
  if (last >= 0) offsets[last] = range.end - 1
  return { ...value, offsets, range }
}

/** `brnd` has the letters of `brand_words`, in order and from the same start. */
const abbreviates = (short: string, long: string): boolean => {
  if (short.length < 2 || short[0] !== long[0]) return false
  let at = 0
  for (const letter of long) if (letter === short[at]) at++
  return at === short.length
}
