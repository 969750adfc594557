/** `bidhelm apply`: applies a saved plan exactly, or plans, shows, asks and applies. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Prompt from "@effect/cli/Prompt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ReviewedPlan } from "../engine/decide/Review.js"
import type { RuleSet } from "../engine/language/Policy.js"
import type { Chosen } from "./Account.js"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"
import * as Output from "./Output.js"
import { stop } from "./Stop.js"

const file = Args.text({ name: "plan" }).pipe(Args.optional)

export const command = Command.make(
  "apply",
  { file, yes: Flags.yes, all: Flags.all, rules: Flags.rules, ...Flags.session },
  (flags) =>
    Effect.gen(function* () {
      const Account = yield* Effect.promise(() => import("./Account.js"))
      const Planning = yield* Effect.promise(() => import("./Planning.js"))
      const RuleFiles = yield* Effect.promise(() => import("./RuleFiles.js"))
      if (Option.isNone(flags.file) && !flags.yes && !Output.answerable()) {
        return yield* stop(1, "nobody is here to approve; give a saved plan, or --yes")
      }
      const chosen = yield* Account.choose(flags)
      const rules = yield* RuleFiles.load(Option.getOrElse(flags.rules, () => chosen.config.rulesFolder))
      yield* Account.during(chosen, Effect.provide(whole(flags, chosen, rules), Planning.layer(chosen)))
    })
).pipe(Command.withDescription(help("apply")))

interface Choices {
  readonly file: Option.Option<string>
  readonly yes: boolean
  readonly all: boolean
  readonly json: boolean
}

const whole = (flags: Choices, chosen: Chosen, rules: RuleSet) =>
  Effect.gen(function* () {
    const Applying = yield* Effect.promise(() => import("./Applying.js"))
    const reviewed = Option.isSome(flags.file)
      ? yield* saved(flags.file.value, chosen, rules)
      : yield* fresh(flags, chosen, rules)
    const count = reviewed.appliable.length
    const shown = reviewed.plan.changes.length - count
    if (shown > 0) yield* Output.note(`${shown} changes are of rules in mode preview: shown, not applied.`)
    if (count === 0) {
      const Cycle = yield* Effect.promise(() => import("../engine/run/Cycle.js"))
      yield* Cycle.count(reviewed)
      if (flags.json)
        return yield* Output.json("apply", { runId: null, planId: reviewed.plan.id, changes: [] })
      return yield* Output.data("Nothing to apply.")
    }
    if (!flags.yes && Option.isNone(flags.file)) {
      const agreed = yield* Prompt.confirm({
        message: `Apply ${count} changes to ${chosen.name}?`,
        initial: false
      })
      if (!agreed) return yield* stop(1, "nothing was sent")
    }
    return yield* Applying.run(reviewed, chosen, flags)
  })

/** The plan of a file, if it may still be applied as it is. */
const saved = (path: string, chosen: Chosen, rules: RuleSet) =>
  Effect.gen(function* () {
    const PlanFile = yield* Effect.promise(() => import("./PlanFile.js"))
    const Planning = yield* Effect.promise(() => import("./Planning.js"))
    return yield* Planning.reload(chosen, rules, yield* PlanFile.read(path))
  })

/** A new plan, shown; what an earlier run left open is read back first, because the plan depends on it. */
const fresh = (flags: Choices, chosen: Chosen, rules: RuleSet) =>
  Effect.gen(function* () {
    const Applying = yield* Effect.promise(() => import("./Applying.js"))
    const Planning = yield* Effect.promise(() => import("./Planning.js"))
    const Preview = yield* Effect.promise(() => import("./Preview.js"))
    yield* Applying.settle(chosen)
    const { reviewed } = yield* Planning.plan(chosen, rules)
    const text = Preview.print(reviewed.plan, "text", { all: flags.all, colour: Output.coloured() })
    if (!flags.json) yield* Output.data(yield* text)
    return reviewed satisfies ReviewedPlan
  })
