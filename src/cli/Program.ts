/** All commands, and how the program starts and ends. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Apply from "./Apply.js"
import * as Backtest from "./Backtest.js"
import * as Call from "./Call.js"
import * as Check from "./Check.js"
import * as Demo from "./Demo.js"
import * as Doctor from "./Doctor.js"
import * as Explain from "./Explain.js"
import * as Fmt from "./Fmt.js"
import * as History from "./History.js"
import * as Init from "./Init.js"
import * as Limits from "./Limits.js"
import * as Lsp from "./Lsp.js"
import * as Output from "./Output.js"
import * as Plan from "./Plan.js"
import * as Sandbox from "./Sandbox.js"
import * as Schema from "./Schema.js"
import { ending } from "./Stop.js"
import * as Test from "./Test.js"
import { version } from "./Version.js"

const root = Command.make("bidhelm").pipe(
  Command.withDescription("Steers a marketplace seller's advertising by rules."),
  Command.withSubcommands([
    Demo.command,
    Init.command,
    Check.command,
    Fmt.command,
    Test.command,
    Backtest.command,
    Plan.command,
    Apply.command,
    Explain.command,
    History.command,
    Limits.command,
    Call.command,
    Sandbox.command,
    Doctor.command,
    Lsp.command,
    Schema.command
  ])
)

const run = Command.run(root, { name: "bidhelm", version, executable: "bidhelm" })

/** Logs are commentary: stderr, and only what a person should know. */
const logs = Layer.merge(
  Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger)),
  Logger.minimumLogLevel(LogLevel.Warning)
)

const layers = Layer.mergeAll(
  NodeContext.layer,
  logs,
  CliConfig.layer({ showBuiltIns: false, isCaseSensitive: true })
)

/** Runs the command that `argv` names and ends the process with its exit code. */
export const main = (argv: ReadonlyArray<string>): void =>
  run(argv).pipe(
    Output.withDoors,
    Effect.provide(layers),
    Effect.tapErrorCause((cause) => {
      const { message } = ending(cause)
      // The library has printed its own usage errors already.
      const said = message === "" || ValidationError.isValidationError(Cause.squash(cause))
      return said ? Effect.void : Output.note(`bidhelm: ${message}`)
    }),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      disablePrettyLogger: true,
      teardown: (exit, onExit) => {
        const code = Exit.isSuccess(exit) ? 0 : ending(exit.cause).code
        // A pipe may still hold data; exiting at once would cut it off.
        process.stdout.write("", () => onExit(code))
      }
    })
  )
