/** `bidhelm plan` shows what the rules would change, and sends nothing that writes; `bidhelm show` reads a saved plan. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Plural from "../../domain/Plural.js"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"

const out = Flags.text("out", "Save the plan to a file, for apply")
const detailed = Flags.flag("detailed-exitcode", "End with 2 when there are changes")

export const command = Command.make(
  "plan",
  {
    out,
    lane: Flags.lane,
    format: Flags.format,
    ...Flags.view,
    detailed,
    rules: Flags.rules,
    ...Flags.session
  },
  function* (flags) {
    const view = yield* Flags.viewOf(flags)
    const Planning = yield* Effect.promise(() => import("./Planning.js"))
    const PlanFile = yield* Effect.promise(() => import("./PlanFile.js"))
    const Preview = yield* Effect.promise(() => import("./Preview.js"))
    const OutFile = yield* Effect.promise(() => import("../terminal/OutFile.js"))
    if (Option.isSome(flags.out)) yield* OutFile.ready(flags.out.value, "--out", PlanFile.own)
    const RuleFiles = yield* Effect.promise(() => import("../rules/RuleFiles.js"))
    const wanted = flags.json ? "json" : flags.format
    const load = RuleFiles.answering("plan", wanted === "json")
    const { chosen, rules, within } = yield* Planning.open(flags, load)
    const Account = yield* Effect.promise(() => import("../account/Account.js"))
    const { Journal } = yield* Effect.promise(() => import("../../engine/door/Journal.js"))
    const LimitsKept = yield* Effect.promise(() => import("../../engine/planning/LimitsKept.js"))
    const whole = Effect.all({
      gone: LimitsKept.gone(chosen.name, rules),
      planned: Planning.plan(chosen, rules, flags.lane),
      mark: Effect.flatMap(Journal, (journal) => journal.observeOnly(chosen.name))
    })
    const { gone, mark, planned } = yield* within(whole)
    const { open, reviewed } = planned
    if (mark !== undefined)
      yield* Output.note(
        `Only looking: ${mark.why}. apply sends nothing until "${Account.told(chosen, "bidhelm reconcile")}".`
      )
    if (gone === undefined) yield* RuleFiles.tellLimits(rules)
    else yield* Output.note(`${gone}. Until then apply sends nothing.`)
    yield* Planning.idle(chosen, rules, flags.lane)
    if (open.length > 0) {
      yield* Output.note(
        `${Plural.of(open.length, "change")} of an earlier run ${Plural.choose(open.length, "is", "are")} open; the next apply reads ${Plural.choose(open.length, "it", "them")} back first`
      )
    }
    yield* Preview.show(reviewed.plan, wanted, { ...view, ...Account.among(chosen) })
    if (Option.isSome(flags.out)) {
      yield* PlanFile.write(flags.out.value, reviewed.plan)
      yield* Output.note(
        `Saved. Apply exactly this within 24 hours: ${Account.told(chosen, `bidhelm apply ${flags.out.value}`)}`
      )
    }
    if (flags.detailed && reviewed.plan.changes.length > 0) return yield* stop(2)
  }
)

// `bidhelm show`: a saved plan to read; asks neither an account nor the network.

const file = Flags.argument("plan", "A file of bidhelm plan --out")

export const showCommand = Command.make(
  "show",
  { file, format: Flags.format, ...Flags.view, json: Flags.json },
  function* (flags) {
    const view = yield* Flags.viewOf(flags)
    const PlanFile = yield* Effect.promise(() => import("./PlanFile.js"))
    const Preview = yield* Effect.promise(() => import("./Preview.js"))
    const { edited, plan } = yield* PlanFile.printable(flags.file)
    if (edited)
      yield* Output.note(`${flags.file} was changed after it was made; apply will not take it as it is.`)
    yield* Preview.show(plan, flags.json ? "json" : flags.format, view)
  }
)
