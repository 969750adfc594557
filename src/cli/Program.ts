/** All commands, and how what was typed is read. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AccountCare from "./account/AccountCare.js"
import * as Call from "./call/Call.js"
import * as Forwarding from "./daemon/Forwarding.js"
import * as Run from "./daemon/Run.js"
import * as Status from "./daemon/Status.js"
import * as Doctor from "./doctor/Doctor.js"
import * as History from "./history/History.js"
import * as Resolve from "./history/Resolve.js"
import * as Undo from "./history/Undo.js"
import * as Limits from "./limits/Limits.js"
import * as Process from "./Process.js"
import * as Approvals from "./people/Approvals.js"
import * as Hold from "./people/Hold.js"
import * as Typed from "./plain/Typed.js"
import * as Apply from "./plan/Apply.js"
import * as Explain from "./plan/Explain.js"
import * as Plan from "./plan/Plan.js"
import * as Backtest from "./rules/Backtest.js"
import * as Check from "./rules/Check.js"
import * as Fmt from "./rules/Fmt.js"
import * as Init from "./rules/Init.js"
import * as Lsp from "./rules/Lsp.js"
import * as Schema from "./rules/Schema.js"
import * as Test from "./rules/Test.js"
import * as Demo from "./sandbox/Demo.js"
import * as Sandbox from "./sandbox/Sandbox.js"
import * as Backup from "./store/Backup.js"
import * as Reconcile from "./store/Reconcile.js"
import * as StorePurge from "./store/StorePurge.js"
import * as CommandLine from "./terminal/CommandLine.js"
import * as Output from "./terminal/Output.js"
import { stop } from "./terminal/Stop.js"
import { version } from "./terminal/Version.js"

const commands = [
  Demo.command,
  Init.command,
  Check.command,
  Fmt.command,
  Test.command,
  Backtest.command,
  Plan.command,
  Plan.showCommand,
  Apply.command,
  Approvals.command,
  Approvals.approveCommand,
  Approvals.rejectCommand,
  Hold.command,
  Hold.killCommand,
  Hold.resumeCommand,
  Hold.holdsCommand,
  Run.command,
  Status.command,
  Explain.command,
  History.command,
  Backup.command,
  Backup.restoreCommand,
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

/** The library has printed its own usage errors already, but not what to do about them. */
const lastWords =
  (argv: ReadonlyArray<string>) =>
  (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
    ValidationError.isValidationError(Cause.squash(cause))
      ? Output.note(CommandLine.remedy(argv.slice(2)))
      : Process.lastWords(cause)

const layers = Layer.merge(NodeContext.layer, CliConfig.layer({ showBuiltIns: false, isCaseSensitive: true }))

/** Has a running `bidhelm run` do it when there is one; true when that is done. */
const elsewhere = (argv: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const words = Forwarding.wordsOf(argv.slice(2))
    const concerned = Forwarding.isTaken(words) || Forwarding.isExclusive(words)
    if (!concerned || Forwarding.isHelp(words)) return false
    const Forward = yield* Effect.promise(() => import("./daemon/Forward.js"))
    return yield* Forward.attempt(words)
  })

/** A command as it was typed: a running `bidhelm run` has it done, or this process does it. */
const typed = (argv: ReadonlyArray<string>) =>
  understood(argv).pipe(
    Effect.zipRight(elsewhere(argv)),
    Effect.flatMap((done) => (done ? Effect.void : run(argv)))
  )

const whole = (argv: ReadonlyArray<string>, command: ReturnType<typeof run> | ReturnType<typeof typed>) =>
  Process.dressed(Effect.provide(command, layers), lastWords(argv))

const argvOf = (words: ReadonlyArray<string>): ReadonlyArray<string> => ["node", "bidhelm", ...words]

/** Runs a command for somebody else, within this process; answers its exit code. */
export const within = (words: ReadonlyArray<string>, sink: Output.Sink): Effect.Effect<number> =>
  Process.printed(whole(argvOf(words), run(argvOf(words))), sink)

/** Does all that the program does with these words, and leaves the process alone; answers the exit code. */
export const outcome = (words: ReadonlyArray<string>, sink: Output.Sink): Effect.Effect<number> => {
  const plain = Typed.read(words)
  return plain === undefined
    ? Process.printed(whole(argvOf(words), typed(argvOf(words))), sink)
    : Process.printed(Process.dressed(plainly(plain)), sink)
}

const plainly = (plain: Typed.Typed) =>
  plain.name === "check"
    ? Effect.flatMap(
        Effect.promise(() => import("./plain/Check.js")),
        ({ command }) => command(plain)
      )
    : Effect.flatMap(
        Effect.promise(() => import("./plain/Test.js")),
        ({ command }) => command(plain)
      )

/** Runs the command that `argv` names and ends the process with its exit code. */
export const main = (argv: ReadonlyArray<string>): void => Process.main(whole(argv, typed(argv)))
