/** `bidhelm undo`: shows the way back from a run or a change, asks, and takes it. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const what = Flags.argument(
  "RUN|CHANGE",
  "A run, a change, or the first 8 characters of a change; bidhelm history shows both"
)
const dryRun = Flags.flag("dry-run", "Only show; change nothing")
const only = Flags.text("only", "A part of the run: policy=ID or campaign=ID")
const out = Flags.text("out", "Save the plan to a file, for apply, and change nothing now")

export const command = Command.make(
  "undo",
  { what, yes: Flags.yes, dryRun, only, out, rules: Flags.rules, ...Flags.session },
  function* (flags) {
    const Planning = yield* Effect.promise(() => import("../plan/Planning.js"))
    const Undoing = yield* Effect.promise(() => import("./Undoing.js"))
    const isShown = flags.dryRun || Option.isSome(flags.out)
    const RuleFiles = yield* Effect.promise(() => import("../rules/RuleFiles.js"))
    const part = yield* Undoing.part(flags.only)
    const OutFile = yield* Effect.promise(() => import("../terminal/OutFile.js"))
    const PlanFile = yield* Effect.promise(() => import("../plan/PlanFile.js"))
    if (Option.isSome(flags.out)) yield* OutFile.ready(flags.out.value, "--out", PlanFile.own)
    const { again, chosen, rules, within } = yield* Planning.open(
      flags,
      RuleFiles.loadToUndo(isShown ? "undo" : "apply", flags.json)
    )
    const asked = { ...flags, isShown, part }
    yield* within(Undoing.run(asked, chosen, rules, again))
  }
)
