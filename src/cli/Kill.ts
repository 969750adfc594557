/** `bidhelm kill`: every process that uses this store sends nothing more for the account. */
import * as Command from "@effect/cli/Command"
import * as Option from "effect/Option"
import { help } from "./Help.js"
import * as Hold from "./Hold.js"
import * as HoldScope from "./HoldScope.js"

export const command = Command.make(
  "kill",
  { why: HoldScope.why("for whoever finds it stopped"), ...HoldScope.place },
  (flags) =>
    HoldScope.during(flags, (account, zone) => {
      const why = Option.getOrUndefined(flags.why)
      return Hold.placed(
        { account, zone, scope: { kind: "kill", what: "" }, forMs: undefined, why },
        flags.json
      )
    })
).pipe(Command.withDescription(help("kill")))
