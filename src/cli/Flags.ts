/** Options that several commands share. */
import * as Options from "@effect/cli/Options"
import type * as Option from "effect/Option"

export const json = Options.boolean("json").pipe(Options.withDescription("Answer in JSON, for machines"))

/** The configuration of a command that names none. */
export const usualConfig = "bidhelm.yaml"

export const config = Options.text("config").pipe(
  Options.withDefault(usualConfig),
  Options.withDescription("Path of the configuration")
)

export const account = Options.text("account").pipe(
  Options.optional,
  Options.withDescription("Name of the account; may be left out when there is only one")
)

export const maxWait = Options.text("max-wait").pipe(
  Options.optional,
  Options.withDescription(
    "Longest wait for a call limit, such as 90s or 10m; beyond it the command ends with 5"
  )
)

export const rules = Options.text("rules").pipe(
  Options.optional,
  Options.withDescription("Folder of rules, instead of the configured one")
)

export const all = Options.boolean("all").pipe(
  Options.withDescription("Show every held, unknown and unchanged row, instead of counts")
)

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
