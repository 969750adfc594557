/** What `bidhelm check PATHS` looks at: the named files, and beside them what they may name of `_shared`. */
import { existsSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import type { File } from "../../engine/language/Load.js"
import { type Diagnostic, isError } from "../../engine/language/problems/Diagnostic.js"
import * as RuleFiles from "./RuleFiles.js"

export interface Scope {
  /** All that is checked together. */
  readonly files: ReadonlyArray<File>
  /** Of those the ones that were asked for: only they are told about and mended. */
  readonly named: ReadonlyArray<File>
}

/** The rule files below the paths, with those of the nearest `_shared` around each. */
export const of = (paths: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const named = yield* RuleFiles.find(paths)
    const known = new Set(named.map(({ path }) => resolve(path)))
    const shared = [...new Set(paths.flatMap(sharedAround))]
    const found = shared.length === 0 ? [] : yield* RuleFiles.find(shared)
    const files = [...named, ...found.filter(({ path }) => !known.has(resolve(path)))]
    return { files, named } satisfies Scope
  })

/** Problems of the named files; of the others only what keeps the named ones from being read. */
export const told = (scope: Scope, diagnostics: ReadonlyArray<Diagnostic>): ReadonlyArray<Diagnostic> => {
  const named = new Set(scope.named.map(({ path }) => path))
  return diagnostics.filter((one) => named.has(one.file) || isError(one))
}

/** Farther above, a `_shared` is somebody else's. */
const mostAbove = 3

const sharedAround = (path: string): ReadonlyArray<string> => {
  const folder = statSync(path).isFile() ? dirname(path) : path
  const above = Array.from({ length: mostAbove + 1 }, (_, n) => join(folder, ...Array(n).fill("..")))
  const found = above.map((one) => join(one, "_shared")).find((one) => existsSync(one))
  return found === undefined ? [] : [found]
}
