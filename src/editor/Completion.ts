/** Completion at a position of a rule file: keys, words, actions, and what an expression may go on with. */
import * as FactType from "../engine/facts/FactType.js"
import * as Vocabulary from "../engine/facts/Vocabulary.js"
import * as Actions from "../engine/language/check/Actions.js"
import * as Format from "../engine/language/format/Format.js"
import * as Kinds from "../engine/language/shape/Kinds.js"
import { entry } from "../engine/language/yaml/Node.js"
import * as CursorPlace from "./CursorPlace.js"
import * as Expressions from "./Expressions.js"
import type { Price } from "./FactCard.js"
import type { Position, TextEdit } from "./Place.js"
import { entries, everyEach, type Page, type Project, stem } from "./Project.js"
import * as Shapes from "./Shapes.js"
import { hole, plain, type Suggestion, suggest } from "./Suggestion.js"
import * as Variables from "./Variables.js"

/** A suggestion, and the word under the cursor that it takes the place of. */
export interface Offered extends Omit<Suggestion, "snippet"> {
  /** With `${1:value}` where the cursor jumps, for editors that know snippets. */
  readonly snippet: TextEdit
  readonly plain: TextEdit
}

/** Everything that may stand at the position. Never throws, whatever the text. */
export const at = (
  project: Project,
  path: string,
  position: Position,
  price: Price = () => undefined
): ReadonlyArray<Offered> => {
  const page = project.page(path)
  if (page === undefined) return []
  const { sheet } = page
  const offset = sheet.offset(position)
  const { text } = sheet.source
  const place = CursorPlace.of(text, offset)
  if (place === undefined) return []
  const behind = /^[\p{L}\p{N}_.]*/u.exec(text.slice(offset))?.[0] ?? ""
  const begun = /\$?[\p{L}\p{N}_.]*$/u.exec(text.slice(place.start, offset))?.[0] ?? ""
  const range = sheet.range({ start: offset - begun.length, end: offset + behind.length })
  const hasColon = /^[ \t]*:(\s|$)/.test(text.slice(offset + behind.length))
  return offers({ project, page, place, price, hasColon }).map(({ snippet, ...one }) => ({
    ...one,
    snippet: { range, newText: snippet },
    plain: { range, newText: plain(snippet) }
  }))
}

interface Question {
  readonly project: Project
  readonly page: Page
  readonly place: CursorPlace.CursorPlace
  readonly price: Price
  /** The key under the cursor has its colon already. */
  readonly hasColon: boolean
}

const offers = (question: Question): ReadonlyArray<Suggestion> => {
  const { page, place } = question
  if (page.kind === "tests") {
    const rows = rowOffers(question.project, page, place)
    if (rows.length > 0) return rows
  }
  const used = usedOffers(question.project, page, place)
  if (used !== undefined) return used
  const shape = Shapes.at(page.schema, place.path)
  if (page.kind !== "tests" && place.path.length === 1 && place.path[0] === "kind")
    return Kinds.names.map((one) => suggest("word", one, { about: aboutKind, rank: 1 }))
  const expression = place.slot === "key" ? undefined : expressionAt(page, place.path, shape)
  if (expression !== undefined)
    return Expressions.after(place.fragment.replace(/\s+/g, " "), expression, setting(question))
  const canBeWord = /^[\w./+-]*$/.test(place.fragment)
  if (!canBeWord) return []
  return [
    ...(place.slot === "key" ? [] : values(shape, question)),
    ...(place.slot === "value" ? [] : keys(shape, question)),
    ...(mayHaveKind(question)
      ? [suggest("key", "kind", { about: aboutKind, snippet: "kind: ", rank: 2 })]
      : [])
  ]
}

const aboutKind = "What the file holds; a policy over rows has no kind."

/** In a file of which nothing says yet that it is a policy over rows. */
const mayHaveKind = ({ hasColon, page, place }: Question): boolean =>
  page.kind === "policy" &&
  place.path.length === 0 &&
  !hasColon &&
  !["kind", ...Kinds.ofRows].some((key) => place.present.has(key))

/** Whether the value at a path is an expression over facts. */
export const expressionAt = (
  page: Page,
  path: CursorPlace.Path,
  shape: Shapes.Shape
): Expressions.Kind | undefined => {
  const named = path.filter((step) => typeof step === "string")
  const kind = Format.kindOf(named.at(-1) ?? "", named.at(-2) ?? "")
  if (kind === "condition") return "condition"
  if (kind !== "value" || page.kind === "tests" || !named.includes("do")) return undefined
  // Options that are shares or steps take no facts; the schema's examples tell.
  return Shapes.examples(shape).some((one) => /^\+?\d+%$/.test(one)) ? undefined : "value"
}

export const setting = (question: Omit<Question, "hasColon">): Expressions.Setting => {
  const { page, place, price, project } = question
  const each = project.each(page)
  return {
    each: each === undefined ? everyEach : [each],
    allowed: page.kind === "limits" ? "campaign" : place.path.includes("where") ? "lasting" : "everything",
    variables: [
      ...(page.kind === "templates" ? Variables.parametersOf(page, String(place.path[1])) : []),
      ...Variables.visible(project, page)
    ],
    own: project.own,
    price
  }
}

const values = (shape: Shapes.Shape, { page, place, project }: Question): ReadonlyArray<Suggestion> => {
  const allowed = Shapes.words(shape).filter((one) => !isAction(one) || fitsRows(one, project, page))
  const words = allowed.map((one) =>
    suggest(isAction(one) ? "action" : "word", one, {
      about: Shapes.aboutAt(page.schema, place.path),
      rank: 1
    })
  )
  if (place.slot === "either") return words
  const actions = Shapes.keys(shape).filter(({ name }) => isAction(name) && !allowed.includes(name))
  const below = actions.filter(({ name }) => fitsRows(name, project, page) && !place.isFlow)
  return [...words, ...below.map((one) => action(one, "\n  ", "\n    "))]
}

const keys = (shape: Shapes.Shape, { hasColon, page, place, project }: Question): ReadonlyArray<Suggestion> =>
  Shapes.keys(shape).flatMap((key) => {
    if (place.present.has(key.name)) return []
    const detail = key.isNeeded ? "needed" : ""
    const rank = key.isNeeded ? 1 : 3
    if (!isAction(key.name)) {
      const snippet = hasColon ? key.name : withValue(key, place.isFlow)
      return [suggest("key", key.name, { detail, about: aboutKey(key), snippet, rank })]
    }
    if (!fitsRows(key.name, project, page) || Shapes.words(shape).includes(key.name)) return []
    return [
      hasColon || place.isFlow ? suggest("action", key.name, { about: key.about }) : action(key, "", "\n  ")
    ]
  })

/** A description with its examples, as Markdown. */
export const aboutKey = (key: Shapes.Key): string => {
  const words = Shapes.words(key.shape)
  const shown = [...new Set(words.length > 0 ? words : key.shape.flatMap((one) => Shapes.examples([one])))]
  return shown.length === 0
    ? key.about
    : `${key.about}\n\n${words.length > 0 ? "One of" : "For example"} ${shown.map((one) => `\`${one}\``).join(", ")}`
}

const withValue = ({ name, shape }: Shapes.Key, isFlow: boolean): string => {
  if (isFlow) return `${name}: `
  if (Shapes.isMap(shape)) return `${name}:\n  `
  return Shapes.isList(shape) || Format.kindOf(name, "") === "condition" ? `${name}:\n  - ` : `${name}: `
}

const isAction = (name: string): name is keyof typeof Actions.targets => Object.hasOwn(Actions.targets, name)

const fitsRows = (name: string, project: Project, page: Page): boolean => {
  const each = project.each(page)
  return !isAction(name) || each === undefined || Actions.targets[name].includes(each)
}

/** An action with the options it needs, each with an example to write over. */
const action = (key: Shapes.Key, before: string, between: string): Suggestion => {
  const needed = Shapes.keys(key.shape).filter(({ isNeeded }) => isNeeded)
  const lines = needed.map(({ name, shape }, index) => {
    const example = Shapes.examples(shape)[0] ?? ""
    return `${between}${name}: ${hole(index + 1, example)}`
  })
  const snippet = `${before}${key.name}:${lines.length === 0 ? " " : lines.join("")}`
  return suggest("action", key.name, { about: key.about, snippet, rank: 1 })
}

// Completion in files of rule tests: the tested policy, and the facts of its rows.

/** What the schema of tests cannot know, because it depends on the policy; empty where the schema knows. */
const rowOffers = (
  project: Project,
  page: Page,
  place: CursorPlace.CursorPlace
): ReadonlyArray<Suggestion> => {
  const { fragment, path, present, slot } = place
  if (path.length === 1 && path[0] === "policy") return policies(project)
  const each = project.each(page)
  const owner = path.findLast((step) => typeof step === "string" && /^(rows|defaults)$/.test(step))
  if (each === undefined || owner === undefined || !/^[\w.]*$/.test(fragment)) return []
  const last = path.at(-1)
  if (slot !== "value" && (last === "defaults" || typeof last === "number"))
    return [...(last === "defaults" || present.has("id") ? [] : [id]), ...facts(each, present)]
  return typeof last === "string" && last !== owner ? rowValues(last, each) : []
}

const id = suggest("key", "id", { snippet: "id: ", about: "Id of the row.", rank: 1 })

const policies = (project: Project): ReadonlyArray<Suggestion> =>
  [...project.pages.values()]
    .filter(({ kind }) => kind === "policy")
    .map(({ path }) => suggest("word", stem(path), { about: path, rank: 1 }))

type Level = Parameters<typeof Vocabulary.words>[0]

const facts = (each: Level, present: ReadonlySet<string>): ReadonlyArray<Suggestion> =>
  Vocabulary.words(each).flatMap((word) => {
    const fact = Vocabulary.resolve(word, each)
    if (fact === undefined || present.has(word)) return []
    return [
      suggest("fact", word, {
        detail: FactType.describe(fact.type),
        about: fact.about,
        snippet: `${word}: `,
        rank: 2
      })
    ]
  })

const rowValues = (word: string, each: Level): ReadonlyArray<Suggestion> => {
  const type = Vocabulary.resolve(word.replace(/\[.*$/, ""), each)?.type
  const words = type?._tag === "Enum" ? type.words : type?._tag === "YesNo" ? ["yes", "no"] : []
  return [...words, "missing"].map((one) => suggest("word", one))
}

// Completion of `use:` and `with:`: the templates there are, and what the chosen one takes.

/** Undefined where neither is meant. */
const usedOffers = (
  project: Project,
  page: Page,
  { path, present, slot }: CursorPlace.CursorPlace
): ReadonlyArray<Suggestion> | undefined => {
  if (page.kind !== "policy" || path.length !== 1) return undefined
  if (path[0] === "use") return project.templates.map(({ key }) => suggest("word", key, { rank: 1 }))
  if (path[0] !== "with" || slot === "value") return undefined
  return entries(entry(project.template(page), "params")?.value)
    .filter(({ key }) => !present.has(key))
    .map(({ key, value }) => {
      const text = value._tag === "Scalar" ? value.text.trim() : ""
      const isNeeded = text === "required"
      const detail = isNeeded ? "needed" : text === "" ? "" : `${text} unless said`
      return suggest("key", key, { detail, snippet: `${key}: `, rank: isNeeded ? 1 : 3 })
    })
}
