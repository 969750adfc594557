/** One event of a log as one line: text for people, or JSON for machines. Secrets are blotted out, whoever wrote them. */
import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import * as Inspectable from "effect/Inspectable"
import type * as Logger from "effect/Logger"
import type * as LogLevel from "effect/LogLevel"
import * as Redact from "../../domain/Redact.js"

export type Format = "json" | "text"

/** The line of an event, without its end. A message that breaks while it is told is told as that. */
export const of: typeof lineOf = (format, entry) => {
  try {
    return lineOf(format, entry)
  } catch (error) {
    const message = [`a line of the log cannot be told: ${String(error)}`]
    return lineOf(format, { ...entry, message, annotations: HashMap.empty(), cause: Cause.empty })
  }
}

const lineOf = (format: Format, entry: Logger.Logger.Options<unknown>): string => {
  const { fields, message } = parts(entry)
  const at = entry.date.toISOString()
  if (format === "json") return JSON.stringify({ at, level: levelOf(entry.logLevel), message, ...fields })
  const word = entry.logLevel._tag === "Info" ? "" : `${entry.logLevel.label} `
  const isEvent = "event" in fields
  const shown = Object.entries(fields).filter(([key]) => !isEvent || spelledOut.has(key))
  const rest = shown.map(([key, value]) => ` ${key}=${logfmt(value)}`)
  return `${at} ${word}${oneLine(message)}${rest.join("")}`
}

/** As `log_level` spells it. */
const levelOf = ({ _tag }: LogLevel.LogLevel): string => _tag.toLowerCase()

/** Of an event, what its words have not said already. */
const spelledOut = new Set(["why", "limit", "operation", "cause", "stack"])

/** Of a message, characters. */
const longest = 20_000

interface Parts {
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Words become the message; plain objects among them, and annotations, become fields. */
const parts = ({ annotations, cause, message }: Logger.Logger.Options<unknown>): Parts => {
  const said = Array.isArray(message) ? message : [message]
  const words = said.filter((part) => !isPlain(part)).map(wordOf)
  const fields: Record<string, unknown> = {}
  for (const part of said) if (isPlain(part)) Object.assign(fields, part)
  for (const [key, value] of HashMap.entries(annotations)) fields[key] = value
  if (!Cause.isEmpty(cause)) fields.cause = Cause.pretty(cause, { renderErrorCause: true })
  const { at: _, level: __, message: ___, ...free } = fields
  const clean = Redact.value(free)
  return { message: Redact.text(words.join(" ").slice(0, longest)), fields: isPlain(clean) ? clean : {} }
}

const isPlain = (part: unknown): part is Readonly<Record<string, unknown>> =>
  typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype

const wordOf = (part: unknown): string => {
  if (typeof part === "string") return part
  if (part instanceof Error) return part.stack ?? part.message
  return Cause.isCause(part) ? Cause.pretty(part) : Inspectable.toStringUnknown(part, 0)
}

const logfmt = (value: unknown): string => {
  const text = oneLine(typeof value === "string" ? value : (JSON.stringify(value, withoutBreaks) ?? ""))
  return /^[^\s"=\\]+$/.test(text) ? text : JSON.stringify(text)
}

const withoutBreaks = (_: string, value: unknown): unknown =>
  typeof value === "string" ? oneLine(value) : value

/**
 * Nobody can forge a line of the log, or steer the reader's terminal. What stood on several lines, such as the places of
 * an error, stays readable on one.
 */
const oneLine = (text: string): string =>
  text
    .trim()
    .replace(/\s*\r?\n\s*/g, " | ")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is meant
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, " ")
