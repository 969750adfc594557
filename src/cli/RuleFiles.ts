/** Rule files on disk: found below a folder, read, checked together. */
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import * as Effect from "effect/Effect"
import * as Load from "../engine/language/Load.js"
import type { RuleSet } from "../engine/language/Policy.js"
import * as Render from "../engine/language/Render.js"
import * as Yaml from "../engine/language/Yaml.js"
import type { Tables } from "./DataFiles.js"
import * as Output from "./Output.js"
import { stop } from "./Stop.js"

/**
 * Every rule file below the paths, sorted; a path may be a file itself. `tests` folders hold no rules. `tables` are
 * those of the looks before.
 */
export const find = (paths: ReadonlyArray<string>, tables?: Tables) =>
  Effect.gen(function* () {
    const missing = paths.filter((path) => !existsSync(path))
    if (missing.length > 0) {
      return yield* stop(
        1,
        `there is nothing at ${missing.join(", ")}; starter rules come with: bidhelm init`
      )
    }
    const found: ReadonlyArray<Load.File> = yield* Effect.try({
      try: () => {
        const buffer = Buffer.allocUnsafe(Yaml.maxBytes + 1)
        return [...new Set(paths.flatMap(below))].sort().map((path) => read(path, buffer))
      },
      catch: (error) => stop(1, `the rules cannot be read: ${String(error)}`)
    })
    if (!found.some(({ text }) => text.includes("csv"))) return found
    const DataFiles = yield* Effect.promise(() => import("./DataFiles.js"))
    return yield* DataFiles.attach(found, tables)
  })

/** Paths of the rule files below a path. Throws when it cannot be read. */
export const below = (path: string): ReadonlyArray<string> =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
        const child = join(path, entry.name)
        if (entry.isDirectory())
          return entry.name === "tests" || entry.name.startsWith(".") ? [] : below(child)
        return /\.ya?ml$/.test(entry.name) ? [child] : []
      })

/** Reads no more than the check needs to refuse a file as too large. */
const read = (path: string, buffer: Buffer): Load.File => {
  const file = openSync(path, "r")
  try {
    let length = 0
    // Less than was asked for is all there is: these are files on disk.
    for (;;) {
      const wanted = buffer.length - length
      const count = readSync(file, buffer, length, wanted, null)
      length += count
      if (count < wanted || length === buffer.length) break
    }
    return { path, text: buffer.toString("utf8", 0, length) }
  } finally {
    closeSync(file)
  }
}

/**
 * The checked rules of a folder; problems are printed, and errors end the command with 3. Files are called by their
 * path, or as if the folder were `shownAs`.
 */
export const load = (folder: string, shownAs: string = folder) =>
  Effect.gen(function* () {
    const found = yield* find([folder])
    const files = found.map((file) => ({ ...file, path: join(shownAs, relative(folder, file.path)) }))
    const { diagnostics, ruleSet } = Load.check(files)
    if (diagnostics.length > 0) yield* Output.note(Render.text(diagnostics, files))
    if (ruleSet === undefined) return yield* stop(3, "the rules have errors; nothing was done")
    return ruleSet satisfies RuleSet
  })
