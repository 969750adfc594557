/** Completion in files of rule tests: the tested policy, and the facts of its rows. */
import * as FactType from "../engine/facts/FactType.js"
import * as Vocabulary from "../engine/facts/Vocabulary.js"
import type { CursorPlace } from "./CursorPlace.js"
import { type Page, type Project, stem } from "./Project.js"
import { type Suggestion, suggest } from "./Suggestion.js"

/** What the schema of tests cannot know, because it depends on the policy; empty where the schema knows. */
export const offers = (project: Project, page: Page, place: CursorPlace): ReadonlyArray<Suggestion> => {
  const { fragment, path, present, slot } = place
  if (path.length === 1 && path[0] === "policy") return policies(project)
  const each = project.each(page)
  const owner = path.findLast((step) => typeof step === "string" && /^(rows|defaults)$/.test(step))
  if (each === undefined || owner === undefined || !/^[\w.]*$/.test(fragment)) return []
  const last = path.at(-1)
  if (slot !== "value" && (last === "defaults" || typeof last === "number"))
    return [...(last === "defaults" || present.has("id") ? [] : [id]), ...facts(each, present)]
  return typeof last === "string" && last !== owner ? values(last, each) : []
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

const values = (word: string, each: Level): ReadonlyArray<Suggestion> => {
  const type = Vocabulary.resolve(word.replace(/\[.*$/, ""), each)?.type
  const words = type?._tag === "Enum" ? type.words : type?._tag === "YesNo" ? ["yes", "no"] : []
  return [...words, "missing"].map((one) => suggest("word", one))
}
