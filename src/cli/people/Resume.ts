/** `bidhelm resume`: lifts a hold, the kill switch, or what is left alone because somebody changed it. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Scope } from "../../engine/decide/OperatorHold.js"
import { help } from "../terminal/Help.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as HoldScope from "./HoldScope.js"

const kill = Options.boolean("kill").pipe(Options.withDescription("The kill switch"))

export const command = Command.make("resume", { ...HoldScope.options, kill, ...HoldScope.place }, (flags) =>
  Effect.gen(function* () {
    const named = yield* HoldScope.read(flags)
    if (flags.kill && named.kind !== "account")
      return yield* stop(1, "--kill is about the whole account; leave --policy and --target out")
    const scope: Scope = flags.kill ? { kind: "kill", what: "" } : named
    yield* HoldScope.during(flags, (account) => lifted(account, scope, flags.json))
  })
).pipe(Command.withDescription(help("resume")))

const lifted = (account: string, scope: Scope, json: boolean) =>
  Effect.gen(function* () {
    const { Holdings } = yield* Effect.promise(() => import("../../engine/run/PersonPorts.js"))
    const { Journal } = yield* Effect.promise(() => import("../../engine/run/Journal.js"))
    const Words = yield* Effect.promise(() => import("../../engine/decide/OperatorHold.js"))
    const Stops = yield* Effect.promise(() => import("../../engine/decide/Stops.js"))
    const holdings = yield* Holdings
    const nowMs = yield* Clock.currentTimeMillis
    const by = HoldScope.person()
    const holds = yield* holdings.lift(account, scope, by, nowMs)
    const Remembered = yield* Effect.promise(() => import("../../engine/run/Holdings.js"))
    yield* Remembered.remembered(account)
    const edits = scope.kind === "target" ? yield* holdings.forgive(account, scope.what, by, nowMs) : []
    const left = (yield* (yield* Journal).stops(account)).holds.filter((hold) =>
      Words.isStanding(hold, nowMs)
    )
    if (json) return yield* Output.json("resume", { holds, edits, left })
    const what = [
      ...holds.map((hold) => `lifted the hold on ${Words.scopeText(hold)}`),
      ...(edits.length > shownOneByOne
        ? [`the rules have ${edits.length} values at or below ${scope.what} again`]
        : edits.map(({ slot }) => `the rules have ${Stops.targetOf(slot)} again`))
    ]
    if (what.length === 0) yield* Output.text(`there is no hold on ${Words.scopeText(scope)}`)
    else yield* Output.text(what.join("\n"))
    if (left.length > 0)
      yield* Output.note(`Still on hold: ${left.map(Words.scopeText).join(", ")}; bidhelm holds shows them`)
  })

const shownOneByOne = 5
