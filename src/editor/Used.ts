/** Completion of `use:` and `with:`: the templates there are, and what the chosen one takes. */
import { entry } from "../engine/language/yaml/Node.js"
import type { CursorPlace } from "./CursorPlace.js"
import { entries, type Page, type Project } from "./Project.js"
import { type Suggestion, suggest } from "./Suggestion.js"

/** Undefined where neither is meant. */
export const offers = (
  project: Project,
  page: Page,
  { path, present, slot }: CursorPlace
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
