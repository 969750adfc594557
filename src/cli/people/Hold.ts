/** `bidhelm hold`: the rules leave something alone until somebody says otherwise. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OperatorHold, Scope } from "../../engine/decide/OperatorHold.js"
import * as Duration from "../terminal/Duration.js"
import { help } from "../terminal/Help.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as HoldScope from "./HoldScope.js"

const forTime = Options.text("for").pipe(
  Options.optional,
  Options.withDescription("How long, such as 3h or 3d; until somebody lifts it when left out")
)

export const command = Command.make(
  "hold",
  {
    ...HoldScope.options,
    for: forTime,
    why: HoldScope.why("for whoever meets the hold"),
    ...HoldScope.place
  },
  (flags) =>
    Effect.gen(function* () {
      const scope = yield* HoldScope.read(flags)
      const ms = Option.map(flags.for, Duration.parse)
      if (Option.isSome(ms) && (ms.value === undefined || ms.value === 0))
        return yield* stop(
          1,
          `--for ${Option.getOrElse(flags.for, () => "")}: write a duration such as 90m, 3h or 3d`
        )
      const strange = yield* HoldScope.strange(flags.config, scope)
      if (strange !== undefined)
        yield* Output.note(
          `Attention: no rule has the id ${scope.what}, so nothing is held by this; there are ${strange.join(", ")}. The id of a policy is the name of its file without the ending.`
        )
      yield* HoldScope.during(flags, (account, zone) =>
        Effect.zipRight(
          placed(
            { account, zone, scope, forMs: Option.getOrUndefined(ms), why: Option.getOrUndefined(flags.why) },
            flags.json
          ),
          doubted(account, scope)
        )
      )
    })
).pipe(Command.withDescription(help("hold")))

/** Says so when nothing is known of a target, once it is held. What cannot be looked up is no trouble of the hold's. */
const doubted = (account: string, { kind, what }: Scope) =>
  Effect.gen(function* () {
    if (kind !== "target") return
    const HoldTarget = yield* Effect.promise(() => import("./HoldTarget.js"))
    const doubt = yield* Effect.orElseSucceed(HoldTarget.unknown(account, what), () => undefined)
    if (doubt !== undefined) yield* Output.note(doubt)
  })

interface Asked {
  readonly account: string
  readonly zone: string
  readonly scope: Scope
  readonly forMs: number | undefined
  readonly why: string | undefined
}

/** Places a hold in the name of whoever is at the keyboard, and says what it does and how it ends. */
export const placed = ({ account, forMs, scope, why, zone }: Asked, json: boolean) =>
  Effect.gen(function* () {
    const { Holdings } = yield* Effect.promise(() => import("../../engine/run/PersonPorts.js"))
    const Words = yield* Effect.promise(() => import("../../engine/decide/OperatorHold.js"))
    const since = yield* Clock.currentTimeMillis
    const hold: OperatorHold = {
      account,
      ...scope,
      since,
      by: HoldScope.person(),
      ...(forMs === undefined ? {} : { until: since + forMs }),
      ...(why === undefined ? {} : { why })
    }
    yield* (yield* Holdings).place(hold)
    if (json) return yield* Output.json("hold", { hold })
    yield* Output.text(`${Words.scopeText(scope)}: ${Words.text(hold, zone)}`)
    yield* Output.note(
      `${scope.kind === "kill" ? "Nothing is sent for" : "Its changes are planned and shown, not made, for"} ${account}. Lift it with: ${Words.resumeWith(scope)}`
    )
  })
