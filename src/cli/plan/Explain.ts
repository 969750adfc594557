/** `bidhelm explain`: every condition of every rule for one target. */
import * as Effect from "effect/Effect"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"

const target = Flags.argument(
  "target",
  "CAMPAIGN, CAMPAIGN/ITEM, CAMPAIGN/ITEM/CLUSTER, item/ITEM or account"
)

export const command = Command.make(
  "explain",
  { target, rules: Flags.rules, ...Flags.session },
  function* (flags) {
    const Explaining = yield* Effect.promise(() => import("./Explaining.js"))
    const ExplainTarget = yield* Effect.promise(() => import("./ExplainTarget.js"))
    const Planning = yield* Effect.promise(() => import("./Planning.js"))
    const Text = yield* Effect.promise(() => import("../../reporting/explain/TextExplanation.js"))
    const about = yield* ExplainTarget.parse(flags.target)
    const RuleFiles = yield* Effect.promise(() => import("../rules/RuleFiles.js"))
    const load = RuleFiles.answering("explain", flags.json)
    const { chosen, rules, within } = yield* Planning.open(flags, load)
    const explanation = yield* within(Explaining.run(chosen, rules, about))
    yield* flags.json ? Output.json("explain", { ...explanation }) : Output.text(Text.render(explanation))
  }
)
