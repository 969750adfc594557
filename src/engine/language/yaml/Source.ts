/** Text of one rule file, and the way from offsets in it to lines and columns. */
import type { Span } from "../Policy.js"

/** Part of a text, by offsets from 0 in UTF-16 units; the end is exclusive. */
export interface Range {
  readonly start: number
  readonly end: number
  /** Set where a part of a file came out of another one, or was put into another one. */
  readonly elsewhere?: Elsewhere
}

/** The file a range is in, when that is not the file being checked, and the other place a problem of it concerns. */
export interface Elsewhere {
  readonly source: Source
  readonly related: Related
}

/** Another place that a problem concerns, and what it is. */
export interface Related {
  readonly span: Span
  readonly message: string
}

export interface Source {
  readonly file: string
  /** The text without a byte order mark. */
  readonly text: string
  /** Offset of each line's first character. */
  readonly lineStarts: ReadonlyArray<number>
  /** See `OnDisk`. */
  readonly linkedTo?: string
  /** See `OnDisk`. */
  readonly garbled?: true
}

/** A file as it was found. */
export interface OnDisk {
  /** As people know it. */
  readonly path: string
  readonly text: string
  /**
   * Where the text really is, when the file is a link out of the folder it was found in: it may be somebody else's
   * secret, so nothing of it is quoted.
   */
  readonly linkedTo?: string
  /** Set where the file is not UTF-8: some of its letters are lost, so that its text says nothing for sure. */
  readonly garbled?: true
}

export const ofFile = ({ garbled, linkedTo, path, text }: OnDisk): Source => ({
  ...make(path, text),
  ...(linkedTo === undefined ? {} : { linkedTo }),
  ...(garbled === undefined ? {} : { garbled })
})

const byteOrderMark = 0xfeff

/** Wraps a file; `path` is kept as given and shown to people. */
export const make = (path: string, content: string): Source => {
  const text = content.charCodeAt(0) === byteOrderMark ? content.slice(1) : content
  const lineStarts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lineStarts.push(at + 1)
  return { file: path, text, lineStarts }
}

/** Line number of an offset, from 1. Offsets outside the text are pulled to its nearest end. */
export const lineOf = (source: Source, offset: number): number => {
  let low = 0
  let high = source.lineStarts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (source.lineStarts[middle]! <= offset) low = middle
    else high = middle - 1
  }
  return low + 1
}

/** Text of a line, from 1, without its line break; empty outside the file, and in one that is not quoted. */
export const line = (source: Source, number: number): string => {
  if (source.linkedTo !== undefined) return ""
  const start = source.lineStarts[number - 1]
  if (start === undefined) return ""
  const end = source.lineStarts[number] ?? source.text.length + 1
  return source.text.slice(start, end - 1).replace(/\r$/, "")
}

/** The place of a range, lines and columns from 1; in the range's own file if it has one. */
export const span = (checked: Source, range: Range): Span => {
  const source = range.elsewhere?.source ?? checked
  const start = clamp(range.start, source.text.length)
  const end = Math.max(start, clamp(range.end, source.text.length))
  const startLine = lineOf(source, start)
  const endLine = lineOf(source, end)
  return {
    file: source.file,
    line: startLine,
    column: start - source.lineStarts[startLine - 1]! + 1,
    endLine,
    endColumn: end - source.lineStarts[endLine - 1]! + 1
  }
}

/** As `span`, but always in the file being checked: what came out of a template stands where that is used. */
export const spanAtHome = (checked: Source, range: Range): Span => {
  const own = span(checked, range)
  const related = range.elsewhere?.related.span
  return own.file !== checked.file && related?.file === checked.file ? related : own
}

const clamp = (offset: number, length: number): number =>
  Math.min(Math.max(0, Math.trunc(offset) || 0), length)
