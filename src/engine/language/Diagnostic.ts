/** A problem in a rule file: where it is, what it is, and how to mend it. */
import type { Code } from "./Codes.js"
import type { Span } from "./Policy.js"
import type { Range } from "./Source.js"
import * as Source from "./Source.js"

/** An error keeps the whole rule set from loading; a warning does not. */
export type Severity = "error" | "warning"

export interface Diagnostic {
  readonly code: Code
  readonly severity: Severity
  readonly file: string
  readonly span: Span
  /** One sentence for a marketer. */
  readonly message: string
  /** What to write instead, when that can be said. */
  readonly fix?: string
}

/** More than this many problems of one file are cut off: a file that broken is mended step by step. */
export const maxPerFile = 100

/** Collects the problems of one file. The same words at the same place are kept once. */
export class Problems {
  private readonly found = new Map<string, Diagnostic>()
  constructor(readonly source: Source.Source) {}

  error(code: Code, range: Range, message: string, fix?: string): undefined {
    this.add(code, "error", range, message, fix)
  }

  warning(code: Code, range: Range, message: string, fix?: string): undefined {
    this.add(code, "warning", range, message, fix)
  }

  /** Everything found so far, in the order of the file. */
  list(): ReadonlyArray<Diagnostic> {
    return [...this.found.values()].sort(compare)
  }

  get count(): number {
    return this.found.size
  }

  private add(
    code: Code,
    severity: Severity,
    range: Range,
    message: string,
    fix: string | undefined
  ): undefined {
    const span = Source.span(this.source, range)
    const key = `${code}:${span.line}:${span.column}:${message}`
    if (this.found.has(key) || this.found.size >= maxPerFile) return undefined
    const { file } = this.source
    this.found.set(key, { code, severity, file, span, message, ...(fix === undefined ? {} : { fix }) })
  }
}

/** By file, line, column, then code; by code units, so every machine prints the same order. */
export const compare = (a: Diagnostic, b: Diagnostic): number =>
  text(a.file, b.file) ||
  a.span.line - b.span.line ||
  a.span.column - b.span.column ||
  text(a.code, b.code) ||
  text(a.message, b.message)

export const isError = (diagnostic: Diagnostic): boolean => diagnostic.severity === "error"

const text = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
