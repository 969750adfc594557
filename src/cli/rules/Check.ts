/** `bidhelm check`: every problem of the rule files at once, and `--fix` for those a program may mend. */
import { existsSync } from "node:fs"
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Checked } from "../../engine/language/Load.js"
import { compare, isError } from "../../engine/language/problems/Diagnostic.js"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import { stop } from "../terminal/Stop.js"

export const paths = Args.text({ name: "paths" }).pipe(
  Args.withDescription("Files or folders of rules, instead of the configured folder"),
  Args.repeated
)

const fix = Flags.flag("fix", "Mend what can only have been meant one way, and list what is left")
const dryRun = Flags.flag("dry-run", "With --fix: show the changes and write nothing")

const assume = Flags.text(
  "assume",
  "Sizes of an account, such as campaigns=100,items=10,clusters=50: do the calls fit?"
)
const token = Options.choice("token", ["personal", "service", "base"]).pipe(
  Options.withDefault("personal" as const),
  Options.withDescription("With --assume: the kind of token whose limits count")
)

export const command = Command.make(
  "check",
  { paths, config: Flags.config, fix, dryRun, assume, token, json: Flags.json },
  function* ({ assume, dryRun, fix, token, ...flags }) {
    if (dryRun && !fix) return yield* stop(1, "--dry-run goes with --fix; check alone changes nothing")
    if (fix) {
      const Mending = yield* Effect.promise(() => import("./Mending.js"))
      return yield* Mending.mend(flags, dryRun)
    }
    const Checking = yield* Effect.promise(() => import("./Checking.js"))
    yield* Checking.check(flags, (checked) => withQuota(checked, assume, token, flags.config))
  }
)

/** Adds what the calls of the rules exceed (S04); rules that do not fit count as rules with errors. */
const withQuota = (
  checked: Checked,
  sizes: Option.Option<string>,
  kind: "personal" | "service" | "base",
  config: string
) =>
  Effect.gen(function* () {
    const { diagnostics, ruleSet } = checked
    if (Option.isNone(sizes)) return checked
    const Scale = yield* Effect.promise(() => import("../../sandbox/market/Scale.js"))
    const scale = Scale.parse(sizes.value)
    if (Either.isLeft(scale)) return yield* stop(1, `--assume: ${scale.left}`)
    if (ruleSet === undefined) return checked
    const Quota = yield* Effect.promise(() => import("../limits/Quota.js"))
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    const steps = existsSync(config) ? yield* Workspace.config(config) : undefined
    const found = Quota.diagnostics(ruleSet, scale.right, kind, steps)
    const all = [...diagnostics, ...found].sort(compare)
    return found.some(isError) ? { diagnostics: all } : { ruleSet, diagnostics: all }
  })
