/** `bidhelm run`: the timetable of every account, until it is asked to end. */
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const once = Flags.flag("once", "Run what is due now, then end; for a timetable of the machine's own")

export const command = Command.make(
  "run",
  { ...Flags.session, rules: Flags.rules, once },
  Command.later(async () => (await import("./Running.js")).run)
)
