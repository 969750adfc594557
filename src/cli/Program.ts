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
import * as AccountCare from "./AccountCare.js"
import * as Apply from "./Apply.js"
import * as Approvals from "./Approvals.js"
import * as Approve from "./Approve.js"
import * as Backtest from "./Backtest.js"
import * as Backup from "./Backup.js"
import * as Call from "./Call.js"
import * as Check from "./Check.js"
import * as CommandLine from "./CommandLine.js"
import * as Demo from "./Demo.js"
import * as Doctor from "./Doctor.js"
import * as Explain from "./Explain.js"
import * as Fmt from "./Fmt.js"
import * as Forwarding from "./Forwarding.js"
import * as History from "./History.js"
import * as Hold from "./Hold.js"
import * as Holds from "./Holds.js"
import * as Init from "./Init.js"
import * as Kill from "./Kill.js"
import * as Limits from "./Limits.js"
import * as LogLine from "./LogLine.js"
import * as Lsp from "./Lsp.js"
import * as Output from "./Output.js"
import * as Plan from "./Plan.js"
import * as Reconcile from "./Reconcile.js"
import * as Reject from "./Reject.js"
import * as Resolve from "./Resolve.js"
import * as Restore from "./Restore.js"
import * as Resume from "./Resume.js"
import * as Run from "./Run.js"
import * as Sandbox from "./Sandbox.js"
import * as Schema from "./Schema.js"
import * as Show from "./Show.js"
import * as Status from "./Status.js"
import { ending, stop } from "./Stop.js"
import * as StorePurge from "./StorePurge.js"
import * as Test from "./Test.js"
import * as Undo from "./Undo.js"
import { version } from "./Version.js"

const commands = [
  Demo.command,
  Init.command,
  Check.command,
  Fmt.command,
  Test.command,
  Backtest.command,
  Plan.command,
  Show.command,
  Apply.command,
  Approvals.command,
  Approve.command,
  Reject.command,
  Hold.command,
  Kill.command,
  Resume.command,
  Holds.command,
  Run.command,
  Status.command,
  Explain.command,
  History.command,
  Backup.command,
  Restore.command,
  Reconcile.command,
  StorePurge.command,
  AccountCare.command,
  Undo.command,
  Resolve.command,
  Limits.command,
  Call.command,
  Sandbox.command,
  Doctor.command,
  Lsp.command,
  Schema.command
] as const

const root = Command.make("bidhelm").pipe(
  Command.withDescription("Steers a marketplace seller's advertising by rules."),
  Command.withSubcommands(commands)
)

const parse = Command.run(root, { name: "bidhelm", version, executable: "bidhelm" })

/** Refuses what is no command or no option of it, with what was probably meant. */
const understood = (argv: ReadonlyArray<string>) =>
  Effect.suspend(() => {
    const why = CommandLine.objection(commands, argv.slice(2))
    return why === undefined ? Effect.void : Effect.fail(stop(1, why))
  })

const run = (argv: ReadonlyArray<string>) => Effect.zipRight(understood(argv), parse(argv))

/** What is left to say of an end; the library has printed its own usage errors already, but not what to do about them. */
const tell = (cause: Cause.Cause<unknown>, argv: ReadonlyArray<string>): Effect.Effect<void> => {
  if (ValidationError.isValidationError(Cause.squash(cause)))
    return Output.note(CommandLine.remedy(argv.slice(2)))
  const { message } = ending(cause)
  return message === "" ? Effect.void : Output.note(`bidhelm: ${message}`)
}

/** Logs are commentary: stderr, and only what a person should know. */
const logs = Layer.merge(
  Logger.replace(
    Logger.defaultLogger,
    Logger.make((entry) => Output.logged(entry.context, `${LogLine.of("text", entry)}\n`))
  ),
  Logger.minimumLogLevel(LogLevel.Warning)
)

const layers = Layer.mergeAll(
  NodeContext.layer,
  logs,
  CliConfig.layer({ showBuiltIns: false, isCaseSensitive: true })
)

/** Has a running `bidhelm run` do it when there is one; true when that is done. */
const elsewhere = (argv: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const words = Forwarding.wordsOf(argv.slice(2))
    const concerned = Forwarding.isTaken(words) || Forwarding.isExclusive(words)
    if (!concerned || Forwarding.isHelp(words)) return false
    const Forward = yield* Effect.promise(() => import("./Forward.js"))
    return yield* Forward.attempt(words)
  })

/** Runs a command for somebody else, within this process; answers its exit code. */
export const within = (words: ReadonlyArray<string>, sink: Output.Sink): Effect.Effect<number> => {
  const argv = ["node", "bidhelm", ...words]
  return run(argv).pipe(
    Output.withDoors,
    Effect.provide(layers),
    Effect.matchCauseEffect({
      onFailure: (cause) => Effect.as(tell(cause, argv), ending(cause).code),
      onSuccess: () => Effect.succeed(0)
    }),
    Output.into(sink)
  )
}

/** Runs the command that `argv` names and ends the process with its exit code. */
export const main = (argv: ReadonlyArray<string>): void =>
  understood(argv).pipe(
    Effect.zipRight(elsewhere(argv)),
    Effect.flatMap((done) => (done ? Effect.void : run(argv))),
    Output.withDoors,
    Effect.provide(layers),
    Effect.tapErrorCause((cause) => tell(cause, argv)),
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
