/** The forms of options, and the options that several commands share. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as View from "../../reporting/preview/View.js"
import { usualConfig } from "../config/UsualConfig.js"
import { stop } from "./Stop.js"

/** `--name`, given or not. */
export const flag = (name: string, description: string) =>
  Options.boolean(name).pipe(Options.withDescription(description))

/** `--name TEXT`, which may be left out. */
export const text = (name: string, description: string) =>
  Options.text(name).pipe(Options.optional, Options.withDescription(description))

/** `--name N`, a whole number, which may be left out. */
export const integer = (name: string, description: string) =>
  Options.integer(name).pipe(Options.optional, Options.withDescription(description))

/** A word behind the command, which must be there. */
export const argument = (name: string, description: string) =>
  Args.text({ name }).pipe(Args.withDescription(description))

/** As `argument`, but it may be left out. */
export const optionalArgument = (name: string, description: string) =>
  Args.optional(argument(name, description))

export const json = flag("json", "Answer in JSON, for machines")

export const config = Options.text("config").pipe(
  Options.withDefault(usualConfig),
  Options.withDescription("Path of the configuration")
)

export const account = text("account", "Name of the account; may be left out when there is only one")

const maxWait = text(
  "max-wait",
  "Longest wait for a call limit, such as 90s or 10m; beyond it figures stay unknown, and a command that cannot go on without them ends with 5"
)

export const rules = text("rules", "Folder of rules, instead of the configured one")

/** How a plan is printed. */
export const format = Options.choice("format", View.formats).pipe(
  Options.withDefault("text" as const),
  Options.withDescription("How to print the plan")
)

/** Whose policies a plan is of. */
export const lane = Options.choice("lane", ["ads", "orders", "promotions"] as const).pipe(
  Options.withDefault("ads" as const),
  Options.withDescription(
    "Rules of advertising, of promotions (each: promotion_item), or of assembly (kind: fulfilment)"
  )
)

/** How a plan is shown; `viewOf` reads them. */
export const view = {
  all: flag(
    "all",
    "Show every change, and every held, unknown and unchanged row, instead of the largest and counts"
  ),
  top: integer("top", "Show so many changes, the largest first; the rest is folded"),
  group: Options.choice("group", View.groupings).pipe(
    Options.optional,
    Options.withDescription("Put changes and their totals under one heading per campaign, rule or kind")
  ),
  sort: Options.choice("sort", View.sortings).pipe(
    Options.optional,
    Options.withDescription("By money, by how far a value moves, or by campaign, item and cluster")
  )
}

/** The values of `view`. */
export interface Viewed {
  readonly all: boolean
  readonly top: Option.Option<number>
  readonly group: Option.Option<View.Grouping>
  readonly sort: Option.Option<View.Sorting>
}

/** What the options ask for; one sentence when they contradict each other. */
export const viewOf = ({
  all,
  group,
  sort,
  top
}: Viewed): Effect.Effect<View.View, ReturnType<typeof stop>> => {
  const most = Option.getOrUndefined(top)
  if (most !== undefined && most < 1) return Effect.fail(stop(1, "--top is a whole number from 1 on"))
  if (all && most !== undefined)
    return Effect.fail(stop(1, "--all and --top contradict each other; give one"))
  return Effect.succeed({
    all,
    top: most,
    group: Option.getOrUndefined(group),
    sort: Option.getOrUndefined(sort)
  })
}

export const yes = Options.boolean("yes").pipe(Options.withAlias("y"), Options.withDescription("Do not ask"))

/** What every command on an account takes. */
export const session = { json, config, account, maxWait }

/** The values of `session`. */
export interface Session {
  readonly json: boolean
  readonly config: string
  readonly account: Option.Option<string>
  readonly maxWait: Option.Option<string>
}
