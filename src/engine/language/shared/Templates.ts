/**
 * Templates: `_shared/templates.yaml`, and `use:` with `with:` in a policy. A template is a part of a policy with
 * parameters; it is put in as a tree, whose parts keep their places in the templates' file, so that problems name
 * both that place and the policy's `use:`.
 */
import { isError, type Problems, usedHere } from "../problems/Diagnostic.js"
import * as Suggest from "../problems/Suggest.js"
import * as Keys from "../shape/Keys.js"
import * as Schema from "../shape/Schema.js"
import * as Shape from "../shape/Shape.js"
import { type Entry, entry, isEmpty, type ListNode, type MapNode, type Node } from "../yaml/Node.js"
import type { Elsewhere, Range } from "../yaml/Source.js"
import * as Source from "../yaml/Source.js"
import * as Vars from "./Vars.js"

interface Template {
  readonly key: Entry
  readonly source: Source.Source
  /** Parameters by name; those that have no default must be given. */
  readonly params: ReadonlyMap<string, Vars.Declared>
  readonly needed: ReadonlyMap<string, Entry>
  readonly body: MapNode
}

/** The templates of a rule set by name. */
export class Templates {
  private readonly used = new Set<string>()
  constructor(
    readonly all: ReadonlyMap<string, Template>,
    /** Names of templates that could not be read: their policies are not checked. */
    readonly broken: ReadonlySet<string> = new Set()
  ) {}

  find(name: string): Template | undefined {
    this.used.add(name)
    return this.all.get(name)
  }

  /** Warns of templates that no policy uses. */
  unused(problems: Problems): void {
    for (const [name, { key }] of this.all) {
      if (this.used.has(name)) continue
      const message = `No policy uses the template ${name}, so it is not checked. Remove it, or write use: ${name}`
      problems.warning("K25", key.keyRange, message)
    }
  }
}

/** `_shared/templates.yaml`. */
export const read = (root: Node, problems: Problems): Templates => {
  Shape.check(Schema.Templates, root, { key: "This file", range: root.range }, problems, ["templates"])
  const found = entry(root, "templates")
  const map = found?.value
  if (found === undefined || map === undefined || map._tag !== "Map") {
    if (found !== undefined) {
      problems.error("K16", found.keyRange, "templates: holds templates by their names, such as raise-to:")
    }
    return new Templates(new Map())
  }
  const all = new Map<string, Template>()
  const broken = new Set<string>()
  for (const one of map.entries) {
    const before = problems.list().filter(isError).length
    const made = template(one, problems)
    if (made === undefined || problems.list().filter(isError).length > before) broken.add(one.key)
    else all.set(one.key, made)
  }
  return new Templates(all, broken)
}

const bodyKeys = ["params", ...Keys.templateBody]

const template = (key: Entry, problems: Problems): Template | undefined => {
  const { value } = key
  if (value._tag !== "Map") {
    const message = `${key.key}: holds parts of a policy, such as params:, when: and do:`
    return problems.error("K16", isEmpty(value) ? key.keyRange : value.range, message)
  }
  for (const { key: name, keyRange } of value.entries) {
    if (name === "use") {
      problems.error("K24", keyRange, "A template uses no other template. Write its parts out here.")
    } else if (!bodyKeys.includes(name)) Shape.unknownKey(name, keyRange, bodyKeys, problems, value.entries)
  }
  const params = entry(value, "params")
  const body: MapNode = { ...value, entries: value.entries.filter(({ key: name }) => name !== "params") }
  const listed = params?.value._tag === "Map" ? params.value.entries : []
  const needed = listed.filter((one) => isRequired(one, problems))
  const defaults: Node | undefined =
    params?.value._tag === "Map"
      ? { ...params.value, entries: listed.filter((one) => !needed.includes(one)) }
      : params?.value
  const declared = Vars.declared(defaults, params, problems)
  const names = new Set(mentioned(body, ""))
  for (const one of listed) {
    if (names.has(one.key)) continue
    const message = `Nothing in ${key.key} uses $${one.key}. Remove it, or check its spelling where it is meant.`
    problems.warning("K19", one.keyRange, message)
  }
  return {
    key,
    source: problems.source,
    params: declared,
    needed: new Map(needed.map((one) => [one.key, one])),
    body
  }
}

/** `cap: required` has no default. */
const isRequired = ({ key, keyRange, value }: Entry, problems: Problems): boolean => {
  if (isEmpty(value)) {
    problems.error("K16", keyRange, `${key}: has no value. Write a default, or: required`, "required")
    return true
  }
  if (value._tag !== "Scalar") return false
  const text = value.text.trim()
  if (text !== "required" && Suggest.nearest(text, ["required"]) !== undefined) {
    problems.error("K04", value.range, `"${text}" would be a default. Did you mean required?`, "required")
    return true
  }
  return text === "required"
}

const mentioned = (node: Node, key: string): ReadonlyArray<string> => {
  switch (node._tag) {
    case "Map":
      return node.entries.flatMap((one) => mentioned(one.value, one.key))
    case "List":
      return node.items.flatMap((item) => mentioned(item, key))
    case "Scalar":
      return Vars.isProse(key)
        ? []
        : [...node.text.matchAll(/\$([\p{L}_][\p{L}\p{N}_]*)/gu)].map((match) => match[1] ?? "")
  }
}

/** What a policy without a templates' file knows. */
export const none = new Templates(new Map())

interface Expanded {
  readonly root: Node
  /** Where the policy names its template. */
  readonly use?: Source.Range
}

/**
 * A policy's tree with its template put in. Its own keys replace the template's; `where:` and `when:` are joined, the
 * template's first. Undefined when the template or its parameters are wrong, which is reported.
 */
export const expand = (
  root: Node,
  templates: Templates,
  shared: Vars.Vars | undefined,
  problems: Problems
): Expanded | undefined => {
  const [use, given] = [entry(root, "use"), entry(root, "with")]
  if (root._tag !== "Map" || (use === undefined && given === undefined)) return { root }
  if (use === undefined) {
    return problems.error("K13", given!.keyRange, "use: is missing. It names the template that with: is for.")
  }
  const before = problems.count
  const found = named(use, templates, problems)
  if (found === undefined) return undefined
  const params = parameters(found, use, given, problems)
  if (problems.count > before) return undefined
  const related = { span: Source.span(problems.source, use.value.range), message: usedHere }
  const body = moved(found.body, { source: found.source, related })
  const vars = new Vars.Vars(params, shared, "params")
  const parts = Vars.put(body, "", vars, problems)
  const own = root.entries.filter(({ key }) => key !== "use" && key !== "with")
  const merged = merge(parts._tag === "Map" ? parts.entries : [], own)
  return { root: { ...root, entries: merged }, use: use.value.range }
}

const named = (use: Entry, templates: Templates, problems: Problems): Template | undefined => {
  const { value } = use
  if (value._tag !== "Scalar") {
    return problems.error("K24", value.range, "use: takes the name of one template.")
  }
  const name = value.text.trim()
  const found = templates.find(name)
  if (found !== undefined || templates.broken.has(name)) return found
  if (isEmpty(value)) {
    return problems.error("K16", use.keyRange, "use: has no value. It takes the name of a template.")
  }
  const names = [...templates.all.keys(), ...templates.broken].sort()
  const near = Suggest.nearest(name, names)
  const hint =
    names.length === 0
      ? "Templates stand in _shared/templates.yaml."
      : near === undefined
        ? `There is: ${names.join(", ")}.`
        : `Did you mean ${near}?`
  return problems.error("K21", value.range, `No template "${name}". ${hint}`, near)
}

/** The parameters with their values, given ones before defaults. */
const parameters = (
  { key, needed, params, source }: Template,
  use: Entry,
  given: Entry | undefined,
  problems: Problems
): ReadonlyMap<string, Vars.Declared> => {
  const values =
    given === undefined ? new Map<string, Vars.Declared>() : Vars.declared(given.value, given, problems)
  const known = [...needed.keys(), ...params.keys()]
  const meant = new Set<string>()
  for (const [name, { key: at }] of values) {
    if (known.includes(name)) continue
    const near = Suggest.nearest(name, known)
    if (near !== undefined) meant.add(near)
    const hint =
      known.length === 0
        ? "It has no parameters."
        : near === undefined
          ? `It takes ${known.join(", ")}.`
          : `Did you mean ${near}?`
    const message = `The template ${key.key} has no parameter "${name}". ${hint}`
    problems.error("K23", at.keyRange, message, near)
  }
  for (const [name, at] of needed) {
    if (values.has(name) || meant.has(name)) continue
    const related = { span: Source.span(source, at.keyRange), message: "required here" }
    const range: Range = given?.keyRange ?? use.value.range
    const message = `The template ${key.key} needs ${name}. Give it under with:`
    const place = { ...range, elsewhere: { source: problems.source, related } }
    problems.error("K22", place, message, given === undefined ? `with: {${name}: …}` : `${name}: …`)
  }
  const own = [...values].map(([name, value]) => [name, { ...value, given: true as const }] as const)
  return new Map<string, Vars.Declared>([...params, ...own])
}

/** The same tree, whose places are in another file. */
const moved = (node: Node, elsewhere: Elsewhere): Node => {
  const range: Range = { ...node.range, elsewhere }
  switch (node._tag) {
    case "Scalar":
      return { ...node, range }
    case "List":
      return { ...node, range, items: node.items.map((item) => moved(item, elsewhere)) }
    case "Map": {
      const entries = node.entries.map((one) => ({
        ...one,
        keyRange: { ...one.keyRange, elsewhere },
        value: moved(one.value, elsewhere)
      }))
      return { ...node, range, entries }
    }
  }
}

const merge = (template: ReadonlyArray<Entry>, own: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const before = (key: string) => template.find((one) => one.key === key)
  const rest = template.filter(({ key }) => own.every((one) => one.key !== key))
  const mine = own.map((one) => {
    const first = before(one.key)
    return first !== undefined && (one.key === "where" || one.key === "when") ? joined(first, one) : one
  })
  return [...mine, ...rest]
}

/** Conditions mean "and", so two lists are one longer list. */
const joined = (first: Entry, second: Entry): Entry => {
  const items = [...itemsOf(first.value), ...itemsOf(second.value)]
  const value: ListNode = { _tag: "List", range: second.value.range, items }
  return isEmpty(second.value) ? second : { ...second, value }
}

const itemsOf = (node: Node): ReadonlyArray<Node> => (node._tag === "List" ? node.items : [node])
