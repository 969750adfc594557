/** A problem in a rule file: where it is, what it is, and how to mend it. */
import * as TextOrder from "../../../domain/TextOrder.js"
import type { Span } from "../Policy.js"
import type { Range } from "../yaml/Source.js"
import * as Source from "../yaml/Source.js"
import type { Code } from "./Codes.js"

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
  /** Other places the problem concerns: where a template is used, where a parameter stands. */
  readonly related?: ReadonlyArray<Source.Related>
}

/** More than this many problems of one file are cut off: a file that broken is mended step by step. */
const maxPerFile = 100

/** Collects the problems of one file, whose content is `called` so. The same words at the same place are kept once. */
export class Problems {
  private readonly found = new Map<string, Diagnostic>()
  /** How often something was reported, also what was known already or one too many. */
  reports = 0
  private errors = 0
  constructor(
    readonly source: Source.Source,
    readonly called = "Policy"
  ) {}

  error(code: Code, range: Range, message: string, fix?: string): undefined {
    this.add(code, "error", range, message, fix)
  }

  warning(code: Code, range: Range, message: string, fix?: string): undefined {
    this.add(code, "warning", range, message, fix)
  }

  /** An error of this file whose place is known; nothing of a file that is not quoted. */
  place(error: Diagnostic): void {
    if (error.file !== this.source.file || this.source.linkedTo !== undefined) return
    this.found.set(`${error.code}:${error.span.line}:${error.span.column}:${error.message}`, error)
    this.errors++
  }

  /** Everything found so far, in the order of the file. */
  list(): ReadonlyArray<Diagnostic> {
    return [...this.found.values()].sort(compare)
  }

  /** Number of errors so far; a warning does not keep a policy from being loaded. */
  get count(): number {
    return this.errors
  }

  private add(
    code: Code,
    severity: Severity,
    range: Range,
    message: string,
    fix: string | undefined
  ): undefined {
    this.reports++
    const span = Source.span(this.source, range)
    const linkedTo = range.elsewhere?.source.linkedTo ?? this.source.linkedTo
    const said = linkedTo === undefined ? message : unquoted(linkedTo)
    const key = `${code}:${span.file}:${span.line}:${span.column}:${said}`
    if (severity === "error") this.errors++
    // Warnings leave room for an error: a policy left out without one would be left out in silence.
    const room = severity === "error" ? maxPerFile : maxPerFile - 1
    if (this.found.has(key) || this.found.size >= room) return undefined
    const { file } = span
    const isQuoted = linkedTo === undefined
    const text = (range.elsewhere?.source ?? this.source).text.slice(range.start, range.end)
    const related = range.elsewhere === undefined || !isQuoted ? {} : { related: [range.elsewhere.related] }
    this.found.set(key, {
      code,
      severity,
      file,
      span,
      message: said,
      ...(fix === undefined || !isQuoted ? {} : { fix: ofVariable(code, text, fix) }),
      ...related
    })
  }
}

/** Of a variable's value: that is mended where it stands, not where the variable is used. */
const ofVariable = (code: Code, text: string, fix: string): string => {
  const name = /^["']?\$([\p{L}_][\p{L}\p{N}_]*)["']?$/u.exec(text.trim())?.[1]
  return name !== undefined && aboutValues.test(code)
    ? `where it is defined, ${name}: ${fix.replace(/^[a-z_]+: /, "")}`
    : fix
}

const aboutValues = /^(E03|E04|E05|E07|E12|E13|E16|E23|K04|K09)$/

/** In the place of words that may be those of the file. */
const unquoted = (linkedTo: string): string =>
  `This file is a link to ${linkedTo}, outside of its folder, so nothing of it is quoted. Put the file itself here, or check it there.`

/** How a problem of a template names the policy that uses it. */
export const usedHere = "used here"

/** Problems of templates once for all policies that use them: the first use stands for the others. */
export const joined = (diagnostics: ReadonlyArray<Diagnostic>): ReadonlyArray<Diagnostic> => {
  const first = new Map<string, { readonly one: Diagnostic; more: number }>()
  for (const one of [...diagnostics].sort(compare)) {
    const { code, file, message, related, severity, span } = one
    const isOfTemplate = related?.some((place) => place.message === usedHere) === true
    const places = `${file}:${span.line}:${span.column}:${span.endLine}:${span.endColumn}`
    const key = isOfTemplate ? `${code}:${severity}:${places}:${message}` : `alone ${first.size}`
    const known = first.get(key)
    if (known === undefined) first.set(key, { one, more: 0 })
    else known.more++
  }
  return [...first.values()].map(({ more, one }) =>
    more === 0 ? one : { ...one, related: (one.related ?? []).map((place) => counted(place, more)) }
  )
}

const counted = (place: Source.Related, more: number): Source.Related =>
  place.message === usedHere ? { ...place, message: `${usedHere}, and ${more} more` } : place

/** By file, line, column, then code; by code units, so every machine prints the same order. */
export const compare = (a: Diagnostic, b: Diagnostic): number =>
  TextOrder.compare(a.file, b.file) ||
  a.span.line - b.span.line ||
  a.span.column - b.span.column ||
  TextOrder.compare(a.code, b.code) ||
  TextOrder.compare(a.message, b.message) ||
  TextOrder.compare(usedAt(a), usedAt(b))

export const isError = (diagnostic: Diagnostic): boolean => diagnostic.severity === "error"

const usedAt = ({ related }: Diagnostic): string => related?.[0]?.span.file ?? ""
