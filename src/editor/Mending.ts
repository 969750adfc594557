/** Problems as an editor shows them, what it can mend of them by itself, and the formatter's edits. */
import * as Fixes from "../engine/language/format/Fixes.js"
import * as Format from "../engine/language/format/Format.js"
import * as Mend from "../engine/language/format/Mend.js"
import type { Diagnostic } from "../engine/language/problems/Diagnostic.js"
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
  return mended === undefined ? [] : edits(sheet, mended.text)
}

/** What `fmt` would change; nothing where it leaves the file alone. */
export const format = (project: Project, path: string): ReadonlyArray<TextEdit> => {
  const page = project.page(path)
  if (page === undefined) return []
  const made = Format.format(page.sheet.file)
  return made._tag === "Formatted" && made.changed ? edits(page.sheet, made.text) : []
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

// The edits between two texts, as few whole lines as possible, so that cursors and folds of an editor stay.

/** Pairs of lines beyond which the middle is replaced as one piece. */
const mostPairs = 1_000_000

/** Edits that make `text` of the sheet's file. */
const edits = (sheet: Sheet, text: string): ReadonlyArray<TextEdit> => {
  const [old, now] = [lines(sheet.source.text), lines(text.replace(/^\ufeff/, ""))]
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  const room = Math.min(old.length, now.length) - head
  while (tail < room && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++
  const starts = [0]
  for (const line of old) starts.push(starts[starts.length - 1]! + line.length)
  const edit = ({ from, to, with: made }: Hunk): TextEdit => ({
    range: sheet.range({ start: starts[head + from]!, end: starts[head + to]! }),
    newText: made.join("")
  })
  return hunks(old.slice(head, old.length - tail), now.slice(head, now.length - tail)).map(edit)
}

const lines = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Lines `from` to `to` (exclusive) of the old text become others. */
interface Hunk {
  readonly from: number
  readonly to: number
  readonly with: ReadonlyArray<string>
}

/** Around the longest common subsequence of lines. */
const hunks = (old: ReadonlyArray<string>, now: ReadonlyArray<string>): ReadonlyArray<Hunk> => {
  if (old.length === 0 && now.length === 0) return []
  if (old.length * now.length > mostPairs) return [{ from: 0, to: old.length, with: now }]
  const width = now.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i * width + j] =
        old[i] === now[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
  const found: Array<Hunk> = []
  let [i, j, from, since] = [0, 0, 0, 0]
  const close = () => {
    if (i > from || j > since) found.push({ from, to: i, with: now.slice(since, j) })
  }
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      close()
      i++
      j++
      from = i
      since = j
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) i++
    else j++
  }
  i = old.length
  j = now.length
  close()
  return found
}
