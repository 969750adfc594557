/** Problems as an editor shows them, what it can mend of them by itself, and the formatter's edits. */
import * as Fixes from "../engine/language/format/Fixes.js"
import * as Format from "../engine/language/format/Format.js"
import * as Mend from "../engine/language/format/Mend.js"
import type { Diagnostic } from "../engine/language/problems/Diagnostic.js"
import * as Difference from "./Difference.js"
import type { Location, Position, Range, Sheet, TextEdit } from "./Place.js"
import type { Project } from "./Project.js"

export interface Problem {
  readonly range: Range
  readonly code: string
  readonly severity: Diagnostic["severity"]
  readonly message: string
  /** Other places the problem concerns. */
  readonly related: ReadonlyArray<Location & { readonly message: string }>
  readonly diagnostic: Diagnostic
}

interface Fix {
  readonly title: string
  readonly problem: Problem
  readonly edits: ReadonlyArray<TextEdit>
}

/** The problems of one file. */
export const problems = (project: Project, path: string): ReadonlyArray<Problem> => {
  const sheet = project.page(path)?.sheet
  if (sheet === undefined) return []
  return project.diagnostics
    .filter(({ file }) => file === path)
    .map((diagnostic) => ({
      range: sheet.range(sheet.offsets(diagnostic.span)),
      code: diagnostic.code,
      severity: diagnostic.severity,
      message:
        diagnostic.fix === undefined || diagnostic.message.includes(diagnostic.fix)
          ? diagnostic.message
          : `${diagnostic.message}\nfix: ${diagnostic.fix}`,
      related: (diagnostic.related ?? []).flatMap(({ message, span }) => {
        const other = project.page(span.file)?.sheet
        return other === undefined
          ? []
          : [{ path: span.file, range: other.range(other.offsets(span)), message }]
      }),
      diagnostic
    }))
}

/** What can be mended by itself of the problems that touch a range. */
export const fixes = (project: Project, path: string, range: Range): ReadonlyArray<Fix> => {
  const sheet = project.page(path)?.sheet
  if (sheet === undefined) return []
  return problems(project, path)
    .filter((problem) => touch(problem.range, range))
    .flatMap((problem) => {
      const edits = Fixes.edits(sheet.source, problem.diagnostic)
      if (edits.length === 0) return []
      const made = edits.map((edit) => ({ range: sheet.range(edit), newText: edit.text }))
      return [{ title: title(problem, sheet, edits), problem, edits: made }]
    })
}

/** Everything of a file that can be mended by itself, as `check --fix` would. */
export const all = (project: Project, path: string): ReadonlyArray<TextEdit> => {
  const sheet = project.page(path)?.sheet
  if (sheet === undefined || project.rules.every((file) => file.path !== path)) return []
  const mended = Mend.mend(project.rules).files.find((file) => file.path === path)
  return mended === undefined ? [] : Difference.edits(sheet, mended.text)
}

/** What `fmt` would change; nothing where it leaves the file alone. */
export const format = (project: Project, path: string): ReadonlyArray<TextEdit> => {
  const page = project.page(path)
  if (page === undefined) return []
  const made = Format.format(page.sheet.file)
  return made._tag === "Formatted" && made.changed ? Difference.edits(page.sheet, made.text) : []
}

const title = (
  { code }: Problem,
  { source }: Sheet,
  edits: ReadonlyArray<{ readonly start: number; readonly end: number; readonly text: string }>
): string => {
  const [only] = edits
  if (edits.length !== 1 || only === undefined) return `Mend ${code}`
  const before = source.text.slice(only.start, only.end)
  if (only.text.trim() === "" || before.trim() === "")
    return only.text === "" ? "Remove the invisible character" : "Write a space here"
  return `Write ${only.text.trim()} instead of ${before.trim()}`
}

const touch = (a: Range, b: Range): boolean => !isBefore(a.end, b.start) && !isBefore(b.end, a.start)

const isBefore = (a: Position, b: Position): boolean =>
  a.line < b.line || (a.line === b.line && a.character < b.character)
