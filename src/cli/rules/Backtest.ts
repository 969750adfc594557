/** `bidhelm backtest`: the rules over the recorded facts of past days. Makes no call. */
import * as Options from "@effect/cli/Options"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const rules = Flags.optionalArgument("rules", "Folder of rules, instead of the configured one")
const from = Flags.text("from", "First day, such as 2026-11-01; the first recorded one unless said")
const to = Flags.text("to", "Last day, itself included; the last recorded one unless said")
const policy = Options.text("policy").pipe(
  Options.repeated,
  Options.withDescription("Only this policy; may be given several times")
)
const all = Flags.flag("all", "Show every change and every reason, instead of the first ones")

export const command = Command.make(
  "backtest",
  { rules, from, to, policy, all, json: Flags.json, config: Flags.config, account: Flags.account },
  Command.later(async () => (await import("./Backtesting.js")).run)
)
