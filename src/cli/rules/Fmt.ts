/** `bidhelm fmt`: rewrites rule files in one style, or says which would change. */
import * as Effect from "effect/Effect"
import * as Plural from "../../domain/Plural.js"
import type { Formatted } from "../../engine/language/format/Format.js"
import type { File } from "../../engine/language/Load.js"
import type { Diagnostic } from "../../engine/language/problems/Diagnostic.js"
import * as Kinds from "../../engine/language/shape/Kinds.js"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import { paths } from "./Check.js"
import type { Change } from "./Rewrite.js"

const check = Flags.flag("check", "Write nothing; end with 1 when a file would change")

export const command = Command.make(
  "fmt",
  { paths, config: Flags.config, check, json: Flags.json },
  function* ({ check, config, json, paths }) {
    const RuleFiles = yield* Effect.promise(() => import("./RuleFiles.js"))
    const Rewrite = yield* Effect.promise(() => import("./Rewrite.js"))
    const Format = yield* Effect.promise(() => import("../../engine/language/format/Format.js"))
    const found = yield* RuleFiles.find(paths.length > 0 ? paths : [yield* RuleFiles.usualFolder(config)])
    const files = found.filter(({ path }) => !Kinds.isTable(path))
    const sorted = sort(files.map((file) => ({ file, made: Format.format(file) })))
    if (!check) yield* Effect.forEach(sorted.changes, Rewrite.rewrite, { discard: true })
    yield* json ? asJson(files, sorted, check) : asText(files, sorted, check)
    if (sorted.unreadable.length > 0) return yield* stop(3)
    if (check && sorted.changes.length > 0) return yield* stop(1)
  }
)

interface Sorted {
  readonly changes: ReadonlyArray<Change>
  readonly unreadable: ReadonlyArray<string>
  readonly doubtful: ReadonlyArray<string>
  readonly problems: ReadonlyArray<Diagnostic>
}

interface Done {
  readonly file: File
  readonly made: Formatted
}

const sort = (all: ReadonlyArray<Done>): Sorted => ({
  changes: all.flatMap(({ file, made }) =>
    made._tag === "Formatted" && made.changed
      ? [{ path: file.path, before: file.text, after: made.text }]
      : []
  ),
  unreadable: all.flatMap(({ file, made }) => (made._tag === "Unreadable" ? [file.path] : [])),
  doubtful: all.flatMap(({ file, made }) => (made._tag === "Doubtful" ? [file.path] : [])),
  problems: all.flatMap(({ made }) => (made._tag === "Unreadable" ? made.problems : []))
})

const asJson = (files: ReadonlyArray<File>, sorted: Sorted, check: boolean) =>
  Effect.gen(function* () {
    const Render = yield* Effect.promise(() => import("../../engine/language/problems/Render.js"))
    yield* Output.json("fmt", {
      files: files.length,
      check,
      changed: sorted.changes.map(({ path }) => path),
      unreadable: sorted.unreadable,
      doubtful: sorted.doubtful,
      problems: Render.json(sorted.problems).problems
    })
  })

const asText = (files: ReadonlyArray<File>, sorted: Sorted, check: boolean) =>
  Effect.gen(function* () {
    const Render = yield* Effect.promise(() => import("../../engine/language/problems/Render.js"))
    for (const { path } of sorted.changes) yield* Output.data(path)
    if (sorted.problems.length > 0) yield* Output.note(Render.text(sorted.problems, files))
    for (const path of sorted.unreadable) yield* Output.note(`${path} cannot be read and was left alone`)
    for (const path of sorted.doubtful)
      yield* Output.note(`${path} was left alone: written otherwise it might mean something else`)
    const verb = check ? "would change" : "changed"
    yield* Output.note(`${sorted.changes.length} of ${Plural.of(files.length, "file")} ${verb}`)
  })
