/**
 * What Node warns of (deprecations of the libraries, listeners that pile up) as lines of the log: Node's own text on
 * stderr would break a log of JSON lines. One is known and not ours to mend: when PostgreSQL hangs, the pinned
 * `@effect/sql-pg` sends the next statement over a connection whose statements it gave up but which the driver still
 * has, and `pg` warns of it, once per process.
 */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as LogLevel from "effect/LogLevel"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"

interface Warning extends Error {
  readonly code?: string
}

/**
 * Every warning of the process is one line of level warning, by the loggers of whoever calls, for the scope; where the
 * warning comes from is told at the level `debug`. Node's own printing is put aside meanwhile.
 */
export const logged: Effect.Effect<void, never, Scope.Scope> = Effect.gen(function* () {
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
