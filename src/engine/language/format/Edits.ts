/** Changes of a text by offsets: what a fix and the formatter are made of. */
import type { Range } from "../yaml/Source.js"
import * as Source from "../yaml/Source.js"

/** Replaces a range of a source's text (offsets from 0, end exclusive, without a byte order mark). */
export interface Edit extends Range {
  readonly text: string
}

/** An edit as editors and `check --json` see it: lines and columns from 1, the end exclusive. */
export interface Placed {
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
  readonly text: string
}

/** The text with every edit made. Edits must not overlap; their order does not matter. */
export const apply = (text: string, edits: ReadonlyArray<Edit>): string => {
  const parts: Array<string> = []
  let at = 0
  for (const edit of [...edits].sort(byPlace)) {
    parts.push(text.slice(at, edit.start), edit.text)
    at = Math.max(at, edit.end)
  }
  return parts.join("") + text.slice(at)
}

/** The groups that can be made together: a group that touches an earlier one is left out whole. */
export const disjoint = (groups: ReadonlyArray<ReadonlyArray<Edit>>): ReadonlyArray<ReadonlyArray<Edit>> => {
  const taken: Array<Edit> = []
  return groups.filter((group) => {
    const free = group.every((edit) =>
      taken.every((other) => edit.start > other.end || other.start > edit.end)
    )
    if (free) taken.push(...group)
    return free
  })
}

export const placed = (source: Source.Source, edit: Edit): Placed => {
  const { line, column, endLine, endColumn } = Source.span(source, edit)
  return { line, column, endLine, endColumn, text: edit.text }
}

const byPlace = (a: Edit, b: Edit): number => a.start - b.start || a.end - b.end
