/** Problems for people (text with an excerpt) and for programs (JSON, versioned). */
import * as Plural from "../../../domain/Plural.js"
import type { File } from "../Load.js"
import type { Span } from "../Policy.js"
import * as Source from "../yaml/Source.js"
import type { Diagnostic } from "./Diagnostic.js"
import { isError } from "./Diagnostic.js"

/** Longest excerpt; a longer line is cut around the caret. */
const width = 120

/** Every problem of checked rule files with its line and a caret, then a summary. Plain text, no colours. */
export const text = (diagnostics: ReadonlyArray<Diagnostic>, files: ReadonlyArray<File>): string =>
  all(diagnostics, new Map(files.map((file) => [file.path, Source.ofFile(file)])))

/** As `text`, over sources by their path; `""` when there is no problem. */
export const all = (
  diagnostics: ReadonlyArray<Diagnostic>,
  sources: ReadonlyMap<string, Source.Source>
): string => {
  if (diagnostics.length === 0) return ""
  const blocks = diagnostics.map((diagnostic) =>
    one(diagnostic, sources.get(diagnostic.file) ?? Source.make(diagnostic.file, ""))
  )
  return `${blocks.join("\n\n")}\n\n${summary(diagnostics)}\n`
}

/** One problem: the place, the line with a caret, the fix. */
export const one = (diagnostic: Diagnostic, source: Source.Source): string => {
  const { span, code, severity, message, fix } = diagnostic
  const head = `${visible(span.file)}:${span.line}:${span.column} ${severity} ${code}  ${visible(message)}`
  const line = Source.line(source, span.line)
  const from =
    line.length <= width ? 0 : Math.max(0, Math.min(span.column - 1 - width / 3, line.length - width))
  const start = Math.floor(from)
  const shown = visible(line.slice(start, start + width))
  const gutter = `  ${span.line} | `
  const end = span.endLine === span.line ? span.endColumn : line.length + 1
  const carets = Math.max(1, Math.min(end - span.column, shown.length - (span.column - 1 - start)))
  const pointer = `${" ".repeat(gutter.length - 2)}| ${" ".repeat(span.column - 1 - start)}${"^".repeat(carets)}`
  const rows = line.trim() === "" ? [head] : [head, `${gutter}${shown}`, pointer]
  const others = (diagnostic.related ?? []).map(
    ({ message, span: at }) => `  ${visible(at.file)}:${at.line}:${at.column} ${visible(message)}`
  )
  return [...rows, ...others, ...(fix === undefined ? [] : [`  fix: ${visible(fix)}`])].join("\n")
}

/** `3 errors and 1 warning in 2 files`. */
const summary = (diagnostics: ReadonlyArray<Diagnostic>): string => {
  const errors = diagnostics.filter(isError).length
  const warnings = diagnostics.length - errors
  const files = new Set(diagnostics.map((diagnostic) => diagnostic.file)).size
  const parts = [count(errors, "error"), count(warnings, "warning")].filter((part) => part !== "")
  return `${parts.join(" and ")} in ${count(files, "file")}`
}

/** The contract of `bidhelm check --json`. Columns count from 1, ends are exclusive. */
export interface Report {
  readonly version: 1
  readonly errors: number
  readonly warnings: number
  readonly problems: ReadonlyArray<{
    readonly code: string
    readonly severity: "error" | "warning"
    readonly file: string
    readonly line: number
    readonly column: number
    readonly endLine: number
    readonly endColumn: number
    readonly message: string
    readonly fix?: string
    /** Other places the problem concerns: where a template is used, where a parameter stands. */
    readonly related?: ReadonlyArray<Span & { readonly message: string }>
  }>
}

/** The problems as plain data, in their order. */
export const json = (diagnostics: ReadonlyArray<Diagnostic>): Report => {
  const errors = diagnostics.filter(isError).length
  return {
    version: 1,
    errors,
    warnings: diagnostics.length - errors,
    problems: diagnostics.map(({ code, severity, file, span, message, fix, related }) => ({
      code,
      severity,
      file,
      line: span.line,
      column: span.column,
      endLine: span.endLine,
      endColumn: span.endColumn,
      message,
      ...(fix === undefined ? {} : { fix }),
      ...(related === undefined
        ? {}
        : { related: related.map((one) => ({ ...one.span, message: one.message })) })
    }))
  }
}

const count = (n: number, noun: string): string => (n === 0 ? "" : Plural.of(n, noun))

/** Control, format and odd space characters never reach a terminal; each keeps its place. */
const visible = (part: string): string =>
  part.replace(/\t/g, " ").replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0\u202f]/gu, "·")
