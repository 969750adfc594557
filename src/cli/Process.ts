/** How the program's process starts and ends, whatever it was asked to do. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as LogLine from "./terminal/LogLine.js"
import * as Output from "./terminal/Output.js"
import { ending } from "./terminal/Stop.js"

/** Logs are commentary: stderr, and only what a person should know. */
const logs = Layer.merge(
  Logger.replace(
    Logger.defaultLogger,
    Logger.make((entry) => Output.logged(entry.context, `${LogLine.of("text", entry)}\n`))
  ),
  Logger.minimumLogLevel(LogLevel.Warning)
)

/** The program's last words when it does not end well. */
export const lastWords = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  const { message } = ending(cause)
  return message === "" ? Effect.void : Output.note(`bidhelm: ${message}`)
}

/** With the doors and logs of the program, and what is said when it does not end well. */
export const dressed = <A, E, R>(
  program: Effect.Effect<A, E, R>,
  words: (cause: Cause.Cause<E>) => Effect.Effect<void> = lastWords
): Effect.Effect<A, E, R> =>
  program.pipe(
    Effect.provide(logs),
    Effect.tapErrorCause((cause) => words(cause))
  )

/** The exit code of a program that ends without its process, and prints where `sink` says. */
export const printed = <A, E>(program: Effect.Effect<A, E>, sink: Output.Sink): Effect.Effect<number> =>
  program.pipe(
    Effect.matchCause({ onFailure: (cause) => ending(cause).code, onSuccess: () => 0 }),
    Output.into(sink)
  )

/** Runs the program and ends the process with its exit code. */
export const main = <A, E>(program: Effect.Effect<A, E>): void =>
  NodeRuntime.runMain(program, {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit) => {
      const code = Exit.isSuccess(exit) ? 0 : ending(exit.cause).code
      const end = () =>
        process.exit(endsWell.has(code) && !Output.isLeftAlone() ? (process.exitCode ?? code) : code)
      // A pipe may still hold data; exiting at once would cut it off. What goes on by itself would keep the process for ever.
      // What could not be written is told right after.
      process.stdout.write("", () => setImmediate(end))
    }
  })

/** Codes that let a script go on with what was printed, so that they must not stand where it was not (`main.ts`). */
const endsWell = new Set([0, 2])
