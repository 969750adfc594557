/** The YAML library's own errors in a marketer's words; one per line, none where a trap already spoke. */
import type { Problems } from "../problems/Diagnostic.js"
import * as Source from "./Source.js"

/** What the library says: its code, the offsets, and an English sentence. */
interface LibraryError {
  readonly code: string
  readonly pos: readonly [number, number]
  readonly message: string
}

/** Adds the errors; the lines they stand on are muted for later checks. */
export const report = (errors: ReadonlyArray<LibraryError>, problems: Problems, muted: Set<number>): void => {
  const { source } = problems
  for (const error of [...errors].sort((a, b) => a.pos[0] - b.pos[0])) {
    const at = firstInk(source.text, error.pos[0])
    const line = Source.lineOf(source, at)
    const endLine = Source.lineOf(source, Math.max(at, error.pos[1] - 1))
    if (muted.has(line) || muted.has(endLine)) continue
    muted.add(line)
    muted.add(endLine)
    explain(error, { start: at, end: Math.max(at + 1, error.pos[1]) }, line, problems)
  }
}

const explain = (error: LibraryError, range: Source.Range, line: number, problems: Problems): void => {
  const { source } = problems
  const text = Source.line(source, line)
  switch (error.code) {
    case "BAD_INDENT":
      if (error.message.startsWith("Flow")) break
      problems.error("Y04", range, misaligned(source, line))
      return
    case "BLOCK_AS_IMPLICIT_KEY":
      problems.error(
        "Y07",
        range,
        "Text with a colon needs quotes.",
        text.trim().replace(/^((?:- )?[\w.]+: )(.*)$/, '$1"$2"')
      )
      return
    case "MULTILINE_IMPLICIT_KEY":
      problems.error("Y22", range, `"${text.trim()}" has no colon, or a line above it is not finished.`)
      return
    case "BAD_SCALAR_START":
      problems.error(
        "Y22",
        range,
        `A value may not start with "${text[startColumn(source, range)]}". Put it in quotes.`
      )
      return
    case "UNEXPECTED_TOKEN":
      problems.error(
        "Y22",
        range,
        "Text after the end of the value. Put the whole value in single quotes: '…'"
      )
      return
  }
  if (error.code === "MISSING_CHAR" || error.code === "BAD_INDENT") {
    problems.error("Y22", range, "A bracket opened here, or just before, is not closed.")
  } else {
    problems.error("Y22", range, `This cannot be read as YAML: ${error.message}`)
  }
}

const startColumn = (source: Source.Source, range: Source.Range): number =>
  Source.span(source, range).column - 1

/** Skips the white space an error starts with, so that it points at something to see. */
const firstInk = (text: string, from: number): number => {
  let at = from
  while (at < text.length && /\s/.test(text[at]!)) at++
  return at < text.length ? at : Math.min(from, Math.max(0, text.length - 1))
}

/** `"do" is one space left of "when"; align to column 5.` */
export const misaligned = (source: Source.Source, line: number, reference?: number): string => {
  const word = (text: string) => /^\s*(?:- )?"?([^\s:"]+)/.exec(text)?.[1] ?? text.trim()
  const indent = (text: string) => text.length - text.trimStart().length
  const own = Source.line(source, line)
  let above = reference ?? line - 1
  while (above > 1 && /^\s*(#|$)/.test(Source.line(source, above))) above--
  const other = Source.line(source, above)
  const off = indent(own) - indent(other)
  const distance = Math.abs(off) === 1 ? "one space" : `${Math.abs(off)} spaces`
  return `"${word(own)}" is ${distance} ${off > 0 ? "right" : "left"} of "${word(other)}"; align to column ${indent(other) + 1}.`
}
