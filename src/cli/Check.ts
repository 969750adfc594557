/** `bidhelm check`: every problem of the rule files at once. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"
import * as Output from "./Output.js"
import { stop } from "./Stop.js"

const paths = Args.text({ name: "paths" }).pipe(Args.repeated)

/** What is checked when nothing is named: the configured folder, or `rules` where there is no configuration. */
const defaultFolder = (config: string) =>
  Effect.gen(function* () {
    if (!existsSync(config)) return "rules"
    const Workspace = yield* Effect.promise(() => import("./Workspace.js"))
    return join((yield* Workspace.config(config)).rulesFolder)
  })

export const command = Command.make(
  "check",
  { paths, config: Flags.config, json: Flags.json },
  ({ config, json, paths }) =>
    Effect.gen(function* () {
      const RuleFiles = yield* Effect.promise(() => import("./RuleFiles.js"))
      const Load = yield* Effect.promise(() => import("../engine/language/Load.js"))
      const Render = yield* Effect.promise(() => import("../engine/language/Render.js"))
      const files = yield* RuleFiles.find(paths.length > 0 ? paths : [yield* defaultFolder(config)])
      const { diagnostics, ruleSet } = Load.check(files)
      if (json) yield* Output.json("check", { files: files.length, ...Render.json(diagnostics) })
      else if (diagnostics.length > 0) yield* Output.data(Render.text(diagnostics, files))
      if (ruleSet === undefined) return yield* stop(3)
      if (files.length === 0)
        yield* Output.note("there are no rule files here; starter rules come with: bidhelm init")
      else yield* Output.note(`${files.length} files, ${ruleSet.policies.length} policies: no errors`)
    })
).pipe(Command.withDescription(help("check")))
