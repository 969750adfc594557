/** `check --fix` as a function: applies every safe fix, checks again, and never makes a file worse. */
import type { File } from "../Load.js"
import * as Load from "../Load.js"
import type { Diagnostic } from "../problems/Diagnostic.js"
import { isError } from "../problems/Diagnostic.js"
import * as Render from "../problems/Render.js"
import * as Source from "../yaml/Source.js"
import * as Edits from "./Edits.js"
import * as Fixes from "./Fixes.js"

/** Fixing one problem may uncover the next; more rounds than this never helped anyone. */
const maxRounds = 12

export interface Mended {
  /** Every file as it should be now, in the order given. */
  readonly files: ReadonlyArray<File>
  /** What was mended, by file and place as it was found. */
  readonly fixed: ReadonlyArray<Diagnostic>
  /** Files left alone because mending would have uncovered more errors than it removed. */
  readonly kept: ReadonlyArray<string>
  /** The check of the files as they are now. */
  readonly left: Load.Checked
}

/** Mends texts together, those of `only` where it is given. Pure: writes nothing. */
export const mend = (files: ReadonlyArray<File>, only?: ReadonlySet<string>): Mended => {
  const before = Load.check(files)
  const tried = rounds(files, before, only)
  const worse = files
    .map(({ path }) => path)
    .filter((path) => errors(tried.left, path) > errors(before, path))
  if (worse.length === 0) return { ...tried, kept: [] }
  const back = tried.files.map((file) => {
    const original = files.find(({ path }) => path === file.path)
    return worse.includes(file.path) && original !== undefined ? original : file
  })
  const fixed = tried.fixed.filter(({ file }) => !worse.includes(file))
  return { files: back, fixed, kept: worse, left: Load.check(back) }
}

type Tried = Omit<Mended, "kept">

const rounds = (files: ReadonlyArray<File>, before: Load.Checked, only?: ReadonlySet<string>): Tried => {
  let now: Tried = { files, fixed: [], left: before }
  for (let round = 0; round < maxRounds; round++) {
    const next = once(now, only)
    if (next === undefined) break
    now = next
  }
  return now
}

const once = ({ files, fixed, left }: Tried, only?: ReadonlySet<string>): Tried | undefined => {
  const done: Array<Diagnostic> = []
  const next = files.map((file) => {
    const problems = left.diagnostics.filter((one) => one.file === file.path)
    if (problems.length === 0 || only?.has(file.path) === false || file.linkedTo !== undefined) return file
    const source = Source.make(file.path, file.text)
    const proposals = problems.map((one) => ({ one, edits: Fixes.edits(source, one) }))
    const chosen = Edits.disjoint(proposals.map(({ edits }) => edits).filter((edits) => edits.length > 0))
    if (chosen.length === 0) return file
    done.push(...proposals.filter(({ edits }) => chosen.includes(edits)).map(({ one }) => one))
    const mark = file.text.slice(0, file.text.length - source.text.length)
    return { ...file, text: mark + Edits.apply(source.text, chosen.flat()) }
  })
  if (done.length === 0) return undefined
  return { files: next, fixed: [...fixed, ...done], left: Load.check(next) }
}

const errors = ({ diagnostics }: Load.Checked, path: string): number =>
  diagnostics.filter((one) => one.file === path && isError(one)).length

/** `check --json`: every problem with its edits; `applicable` says that `check --fix` would make them. */
export const report = (diagnostics: ReadonlyArray<Diagnostic>, files: ReadonlyArray<File>) => {
  const sources = new Map(files.map((file) => [file.path, Source.ofFile(file)]))
  const plain = Render.json(diagnostics)
  return {
    ...plain,
    problems: plain.problems.map((problem, index) => {
      const source = sources.get(problem.file)
      const diagnostic = diagnostics[index]
      const isHidden = source === undefined || source.linkedTo !== undefined
      const made = isHidden || diagnostic === undefined ? [] : Fixes.edits(source, diagnostic)
      const edits = source === undefined ? [] : made.map((edit) => Edits.placed(source, edit))
      return { ...problem, applicable: edits.length > 0, edits }
    })
  }
}

/** The lines that differ, old and new, under the file's name; fixes never add or remove a line. */
export const difference = (before: File, after: File): string => {
  const [old, now] = [before.text.split("\n"), after.text.split("\n")]
  const rows = old.flatMap((line, index) =>
    line === now[index] ? [] : [`@@ line ${index + 1} @@`, `-${line}`, `+${now[index] ?? ""}`]
  )
  return [`--- ${before.path}`, `+++ ${after.path}`, ...rows].join("\n")
}
