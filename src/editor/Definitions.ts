/** Where a name is defined: a variable, or the policy that a test file names. */
import type { Location, Position } from "./Place.js"
import type { Project } from "./Project.js"
import * as Variables from "./Variables.js"

export const at = (project: Project, path: string, position: Position): Location | undefined => {
  const page = project.page(path)
  if (page === undefined) return undefined
  if (page.kind !== "tests") return Variables.definition(project, page, position)
  const line = page.sheet.source.text.split("\n")[position.line] ?? ""
  const tested = /^policy:/.test(line) ? project.tested(page) : undefined
  const start = { line: 0, character: 0 }
  return tested === undefined ? undefined : { path: tested.path, range: { start, end: start } }
}
