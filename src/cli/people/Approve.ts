/** `bidhelm approve`: makes exactly the changes of a request, if they may still be made. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flags from "../terminal/Flags.js"
import { help } from "../terminal/Help.js"
import * as HoldScope from "./HoldScope.js"

const only = Options.text("only").pipe(
  Options.optional,
  Options.withDescription("Some of its changes: the first characters of their ids, separated by commas")
)

export const command = Command.make(
  "approve",
  {
    id: Args.text({ name: "id" }).pipe(Args.withDescription("The request; bidhelm approvals lists them")),
    only,
    why: HoldScope.why("kept with the answer in the audit chain"),
    rules: Flags.rules,
    ...Flags.session
  },
  (flags) =>
    Effect.gen(function* () {
      const Approving = yield* Effect.promise(() => import("./Approving.js"))
      const Planning = yield* Effect.promise(() => import("../plan/Planning.js"))
      const { chosen, rules, within } = yield* Planning.open(flags)
      const asked = {
        id: flags.id,
        only: Option.getOrUndefined(
          Option.map(flags.only, (text) => text.split(",").map((one) => one.trim()))
        ),
        why: Option.getOrUndefined(flags.why),
        json: flags.json
      }
      yield* within(Approving.run(asked, chosen, rules))
    })
).pipe(Command.withDescription(help("approve")))
