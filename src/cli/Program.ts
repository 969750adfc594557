/** All commands, and how what was typed is read. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Forwarding from "./daemon/Forwarding.js"
import * as Process from "./Process.js"
import * as Typed from "./plain/Typed.js"
import * as CommandLine from "./terminal/CommandLine.js"
import type { CommandName } from "./terminal/Commands.js"
import * as Output from "./terminal/Output.js"
import { stop } from "./terminal/Stop.js"
import { version } from "./terminal/Version.js"

/** Where each command is declared; only the one that was typed is loaded. */
const declarations = {
  demo: async () => (await import("./sandbox/Demo.js")).command,
  init: async () => (await import("./rules/Init.js")).command,
  check: async () => (await import("./rules/Check.js")).command,
  fmt: async () => (await import("./rules/Fmt.js")).command,
  test: async () => (await import("./rules/Test.js")).command,
  backtest: async () => (await import("./rules/Backtest.js")).command,
  plan: async () => (await import("./plan/Plan.js")).command,
  show: async () => (await import("./plan/Plan.js")).showCommand,
  apply: async () => (await import("./plan/Apply.js")).command,
  economics: async () => (await import("./economics/Economics.js")).command,
  promos: async () => (await import("./promotions/Promos.js")).command,
  orders: async () => (await import("./orders/Orders.js")).command,
  supplies: async () => (await import("./supplies/Supplies.js")).command,
  reshipments: async () => (await import("./orders/Orders.js")).reshipmentsCommand,
  units: async () => (await import("./units/Units.js")).command,
  passes: async () => (await import("./passes/Passes.js")).command,
  labels: async () => (await import("./labels/Labels.js")).command,
  pack: async () => (await import("./packing/Pack.js")).command,
  approvals: async () => (await import("./people/Approvals.js")).command,
  approve: async () => (await import("./people/Approvals.js")).approveCommand,
  reject: async () => (await import("./people/Approvals.js")).rejectCommand,
  hold: async () => (await import("./people/Hold.js")).command,
  kill: async () => (await import("./people/Hold.js")).killCommand,
  resume: async () => (await import("./people/Hold.js")).resumeCommand,
  holds: async () => (await import("./people/Hold.js")).holdsCommand,
  run: async () => (await import("./daemon/Run.js")).command,
  status: async () => (await import("./daemon/Status.js")).command,
  explain: async () => (await import("./plan/Explain.js")).command,
  forecast: async () => (await import("./forecast/Forecast.js")).command,
  history: async () => (await import("./history/History.js")).command,
  backup: async () => (await import("./store/Backup.js")).command,
  restore: async () => (await import("./store/Backup.js")).restoreCommand,
  reconcile: async () => (await import("./store/Reconcile.js")).command,
  store: async () => (await import("./store/StorePurge.js")).command,
  account: async () => (await import("./account/AccountCare.js")).command,
  undo: async () => (await import("./history/Undo.js")).command,
  resolve: async () => (await import("./history/Resolve.js")).command,
  limits: async () => (await import("./limits/Limits.js")).command,
  call: async () => (await import("./call/Call.js")).command,
  sandbox: async () => (await import("./sandbox/Sandbox.js")).command,
  doctor: async () => (await import("./doctor/Doctor.js")).command,
  lsp: async () => (await import("./rules/Lsp.js")).command,
  schema: async () => (await import("./rules/Schema.js")).command
} as const satisfies Record<CommandName, () => Promise<CommandLine.Known>>

const names = Object.keys(declarations) as ReadonlyArray<CommandName>

/** The declaration of the command that was typed; all of them where the words name none, or ask about the program. */
const declared = (argv: ReadonlyArray<string>) =>
  Effect.promise(() => {
    const words = Forwarding.wordsOf(argv.slice(2))
    const typed = names.filter((name) => name === words[0])
    const isWhole = typed.length === 0 || words.some((word) => ofProgram.has(word))
    return Promise.all((isWhole ? names : typed).map((name) => declarations[name]()))
  })

/** Options of the library that are about all commands, wherever they stand. */
const ofProgram = new Set(["--completions", "--wizard", "--version"])

const parse = (commands: Effect.Effect.Success<ReturnType<typeof declared>>, argv: ReadonlyArray<string>) => {
  const [first, ...rest] = commands
  const above = CommandLine.path(commands, argv.slice(2)).slice(0, -1)
  const root = Command.make("bidhelm").pipe(
    Command.withDescription("Steers a marketplace seller's advertising, promotions and orders by rules."),
    Command.withSubcommands([first!, ...rest])
  )
  const command = Command.run(root, { name: "bidhelm", version, executable: "bidhelm" })(argv)
  return Output.withDoors(command, ["bidhelm", ...above].join(" "))
}

/** What was typed, once it is known to be a command and options of it; what was probably meant instead ends it. */
const understood = (argv: ReadonlyArray<string>) =>
  Effect.flatMap(declared(argv), (commands) => {
    const why = CommandLine.objection(names, commands, argv.slice(2))
    return why === undefined ? Effect.succeed(commands) : Effect.fail(stop(1, why))
  })

const run = (argv: ReadonlyArray<string>) =>
  Effect.flatMap(understood(argv), (commands) => parse(commands, argv))

/** The library has printed its own usage errors already, but not what to do about them. */
const lastWords =
  (argv: ReadonlyArray<string>) =>
  (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
    ValidationError.isValidationError(Cause.squash(cause))
      ? Effect.flatMap(declared(argv), (commands) =>
          Output.note(CommandLine.remedy(CommandLine.path(commands, argv.slice(2))))
        )
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
  Effect.flatMap(understood(argv), (commands) =>
    Effect.flatMap(elsewhere(argv), (done) => (done ? Effect.void : parse(commands, argv)))
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
