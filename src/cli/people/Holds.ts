/** `bidhelm holds`: everything that is left alone now, and why. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { help } from "../terminal/Help.js"
import * as Output from "../terminal/Output.js"
import * as HoldScope from "./HoldScope.js"

const all = Options.boolean("all").pipe(
  Options.withDescription("A line for each value that somebody else set, instead of one per campaign")
)

export const command = Command.make("holds", { all, ...HoldScope.place }, (flags) =>
  HoldScope.during(flags, (account, zone) =>
    Effect.gen(function* () {
      const Holdings = yield* Effect.promise(() => import("../../engine/run/Holdings.js"))
      const Holds = yield* Effect.promise(() => import("../../reporting/people/Holds.js"))
      const nowMs = yield* Clock.currentTimeMillis
      const stops = yield* Holdings.remembered(account)
      const forMs = yield* HoldScope.editHoldMs(flags.config)
      const shown = Holds.standing(stops, forMs, nowMs)
      yield* flags.json
        ? Output.json("holds", { account, ...shown })
        : Output.text(Holds.text(account, shown, zone, flags.all))
    })
  )
).pipe(Command.withDescription(help("holds")))
