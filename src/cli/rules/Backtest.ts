/** `bidhelm backtest`: the rules over the recorded facts of past days. Makes no call. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Flags from "../terminal/Flags.js"
import { help } from "../terminal/Help.js"

const rules = Args.text({ name: "rules" }).pipe(
  Args.withDescription("Folder of rules, instead of the configured one"),
  Args.optional
)
const from = Options.text("from").pipe(
  Options.optional,
  Options.withDescription("First day, such as 2026-11-01; the first recorded one unless said")
)
const to = Options.text("to").pipe(
  Options.optional,
  Options.withDescription("Last day, itself included; the last recorded one unless said")
)
const policy = Options.text("policy").pipe(
  Options.repeated,
  Options.withDescription("Only this policy; may be given several times")
)
const all = Options.boolean("all").pipe(
  Options.withDescription("Show every change and every reason, instead of the first ones")
)

export const command = Command.make(
  "backtest",
  { rules, from, to, policy, all, json: Flags.json, config: Flags.config, account: Flags.account },
  (flags) =>
    Effect.gen(function* () {
      const Backtesting = yield* Effect.promise(() => import("./Backtesting.js"))
      yield* Backtesting.run(flags)
    })
).pipe(Command.withDescription(help("backtest")))
