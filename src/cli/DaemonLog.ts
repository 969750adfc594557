/**
 * The log of `bidhelm run`: one line per event on stderr, as text for people or as JSON for machines. Secrets are
 * blotted out here, whoever wrote them: nothing reaches the log past this file.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as HashMap from "effect/HashMap"
import * as HashSet from "effect/HashSet"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Redact from "../domain/Redact.js"
import * as StoreAway from "../runtime/StoreAway.js"
import type * as Config from "./Config.js"
import * as NodeWarnings from "./NodeWarnings.js"

type Format = "json" | "text"
type Level = "debug" | "info" | "warning" | "error"

export interface Options {
  readonly format: Format
  readonly level: Level
}

const usual: Options = { format: "text", level: "info" }

const levels: Readonly<Record<Level, LogLevel.LogLevel>> = {
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warning: LogLevel.Warning,
  error: LogLevel.Error
}

/** What a configuration says of the log. */
export const optionsOf = (runner: Config.Config["runner"]): Options => ({
  format: runner?.log ?? usual.format,
  level: runner?.logLevel ?? usual.level
})

/**
 * Runs an effect whose log goes to `write`, line by line, and nowhere else: what Node warns of too, until the scope of
 * the caller ends. When the effect ends the program closes down, and what it opened still logs until it is closed.
 */
export const writing =
  ({ format, level }: Options, write: (line: string) => void) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const away = new StoreAway.StoreAway()
      const closing = Effect.sync(() => {
        away.isClosing = true
      })
      return warned(Effect.ensuring(effect, closing)).pipe(
        Effect.locally(FiberRef.currentLoggers, HashSet.make(logger(format, write))),
        Effect.locally(FiberRef.currentMinimumLogLevel, levels[level]),
        Effect.locally(StoreAway.current, away)
      )
    })

/** The connections of the scope are closed after the effect, and Node may warn of them until then. */
const warned = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.serviceOption(Scope.Scope), (outer) => {
    const within = (scope: Scope.Scope) => Effect.zipRight(Scope.extend(NodeWarnings.logged, scope), effect)
    return Option.isSome(outer)
      ? within(outer.value)
      : Effect.acquireUseRelease(Scope.make(), within, Scope.close)
  })

const logger = (format: Format, write: (line: string) => void): Logger.Logger<unknown, unknown> =>
  StoreAway.sifted(Logger.make((entry) => write(`${safely(format, entry)}\n`)))

/** Whoever logs would break with the line. */
const safely: typeof lineOf = (format, entry) => {
  try {
    return lineOf(format, entry)
  } catch (error) {
    const message = [`a line of the log cannot be told: ${String(error)}`]
    return lineOf(format, { ...entry, message, annotations: HashMap.empty(), cause: Cause.empty })
  }
}

/** A line without its end. */
export const lineOf = (format: Format, entry: Logger.Logger.Options<unknown>): string => {
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
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  return /^[^\s"=\\]+$/.test(text) ? text : JSON.stringify(text)
}

/** Nobody can forge a line of the log, or steer the reader's terminal. */
const oneLine = (text: string): string =>
  text
    .replace(/\r?\n/g, "\\n")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is meant
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, " ")
