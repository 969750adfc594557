/** A command of the program: what is said of it comes from the table of commands, and what it does is written as steps. */
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Effect from "effect/Effect"
import type * as Types from "effect/Types"
import type { YieldWrap } from "effect/Utils"
import { type CommandName, type CommandText, commands } from "./Commands.js"

type Flags<Options extends Command.Command.Config> = Types.Simplify<Command.Command.ParseConfig<Options>>

type Step = YieldWrap<Effect.Effect<unknown, unknown, unknown>>
type Steps<S> = Generator<S, unknown, never>

/** What steps may fail with, and what they need. */
type Failure<S> = [S] extends [YieldWrap<Effect.Effect<infer _A, infer E, infer _R>>] ? E : never
type Needs<S> = [S] extends [YieldWrap<Effect.Effect<infer _A, infer _E, infer R>>] ? R : never

/** `bidhelm NAME`; its steps are those of `Effect.gen`, and read the options by the names they have here. */
export const make = <Name extends CommandName, const Options extends Command.Command.Config, S extends Step>(
  name: Name,
  options: Options,
  steps: (flags: Flags<Options>) => Steps<S>
) => part(name, name, options, steps)

/** `bidhelm OF NAME`, a part of a command that has only parts. */
export const part = <Name extends string, const Options extends Command.Command.Config, S extends Step>(
  of: CommandName,
  name: Name,
  options: Options,
  steps: (flags: Flags<Options>) => Steps<S>
): Command.Command<Name, Needs<S>, Failure<S>, Flags<Options>> =>
  Command.make(name, options, (flags) => Effect.asVoid(Effect.gen(() => steps(flags)))).pipe(
    Command.withDescription(help(of))
  )

/** Steps that stand in a file of their own, which is loaded when they are taken. */
export const later = <Asked, A, E, R>(load: () => Promise<(flags: Asked) => Effect.Effect<A, E, R>>) =>
  function* (flags: Asked) {
    const steps = yield* Effect.promise(load)
    yield* steps(flags)
  }

/** A command that has only parts. */
export const group = <Name extends string>(
  of: CommandName,
  name: Name
): Command.Command<Name, never, never, {}> => Command.make(name).pipe(Command.withDescription(help(of)))

/** The help of a command, from the same table as the top-level help. */
const help = (name: CommandName): HelpDoc.HelpDoc => {
  const entry: CommandText = commands[name]
  const examples = Object.entries(entry.examples).map(([run, does]) => HelpDoc.p(`${run}   (${does})`))
  return HelpDoc.blocks([
    HelpDoc.p(`${entry.about[0]?.toUpperCase()}${entry.about.slice(1)}.`),
    ...entry.more.map((paragraph) => HelpDoc.p(paragraph)),
    HelpDoc.p("Examples:"),
    ...examples
  ])
}
