/**
 * The log of `bidhelm run`: one line per event on stderr, as text for people or as JSON for machines. `LogLine` blots
 * secrets out, whoever wrote them: nothing reaches the log past this file.
 */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as StoreAway from "../../runtime/StoreAway.js"
import type * as Config from "../config/Config.js"
import * as LogLine from "../terminal/LogLine.js"

type Level = "debug" | "info" | "warning" | "error"

export interface Options {
  readonly format: LogLine.Format
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
    const within = (scope: Scope.Scope) => Effect.zipRight(Scope.extend(logged, scope), effect)
    return Option.isSome(outer)
      ? within(outer.value)
      : Effect.acquireUseRelease(Scope.make(), within, Scope.close)
  })

const logger = (format: LogLine.Format, write: (line: string) => void): Logger.Logger<unknown, unknown> =>
  StoreAway.sifted(Logger.make((entry) => write(`${LogLine.of(format, entry)}\n`)))

// What Node warns of (deprecations of the libraries, listeners that pile up) as lines of the log: Node's own text on
// stderr would break a log of JSON lines. One is known and not ours to mend: when PostgreSQL hangs, the pinned
// `@effect/sql-pg` sends the next statement over a connection whose statements it gave up but which the driver still
// has, and `pg` warns of it, once per process.

interface Warning extends Error {
  readonly code?: string
}

/**
 * Every warning of the process is one line of level warning, by the loggers of whoever calls, for the scope; where the
 * warning comes from is told at the level `debug`. Node's own printing is put aside meanwhile.
 */
const logged: Effect.Effect<void, never, Scope.Scope> = Effect.gen(function* () {
  const runtime = yield* Effect.runtime()
  const least = yield* FiberRef.get(FiberRef.currentMinimumLogLevel)
  const hasStack = LogLevel.lessThanEqual(least, LogLevel.Debug)
  const onWarning = (warning: Warning) => {
    const { code, message, name, stack } = warning
    const event = {
      event: "node_warning",
      warning: name,
      ...(code === undefined ? {} : { code }),
      ...(hasStack && stack !== undefined ? { stack } : {})
    }
    Runtime.runSync(runtime)(Effect.logWarning(`Node.js warns: ${name}: ${message}`, event))
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.listeners("warning")
      process.removeAllListeners("warning").on("warning", onWarning)
      return before
    }),
    (before) =>
      Effect.sync(() => {
        process.off("warning", onWarning)
        for (const listener of before) process.on("warning", listener)
      })
  )
})
