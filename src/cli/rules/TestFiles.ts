/** Where the tests of rules lie: files named `*.test.yaml`, as a rule in the folder `tests` of the rules. */
import { existsSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type { Diagnostic } from "../../engine/language/problems/Diagnostic.js"
import * as Render from "../../engine/language/problems/Render.js"
import * as ReadTests from "../../engine/testing/ReadTests.js"
import * as Folder from "../../store/clients/Folder.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as RuleFiles from "./RuleFiles.js"

/**
 * Test files below the named paths, or below `tests` of the rules. A path that is not there, or holds no tests, ends
 * the command with 3: tests that are never run must not look like tests that pass.
 */
export const find = (paths: ReadonlyArray<string>, rulesFolder: string, json: boolean) =>
  Effect.gen(function* () {
    const named = paths.length > 0 ? paths : [join(rulesFolder, "tests")]
    const missing = RuleFiles.missing(named)
    if (missing.length > 0 && paths.length > 0)
      return yield* none(missing, `there is nothing at ${missing.join(", ")}`, json)
    const files = missing.length > 0 ? [] : yield* RuleFiles.find(named.flatMap(places))
    if (files.length === 0)
      return yield* none(
        named,
        `no tests found under ${named.join(", ")}; examples come with: bidhelm init`,
        json
      )
    return files
  })

/** For a program the answer is a problem at each place. */
const none = (named: ReadonlyArray<string>, why: string, json: boolean) =>
  Effect.gen(function* () {
    if (json) yield* Output.json("test", { ...Render.json(named.map(nothingAt)) })
    return yield* stop(3, why)
  })

const nothingAt = (file: string): Diagnostic => ({
  code: "T02",
  severity: "error",
  file,
  span: { file, line: 1, column: 1, endLine: 1, endColumn: 1 },
  message: "There are no tests here. Examples come with: bidhelm init"
})

/** Whether a path that somebody named holds tests, and no rules: a folder of tests, a file of it, or a file named as a test. */
export const isTests = (path: string): boolean =>
  existsSync(path) &&
  (statSync(path).isFile() ? ReadTests.isTestName(path) || isTestsFolder(dirname(path)) : isTestsFolder(path))

const isTestsFolder = (path: string): boolean => /(^|[\\/])tests[\\/]?$/.test(path)

/** A file itself; a folder of tests with all it holds; of other folders only what is named as a test. */
const places = (path: string): ReadonlyArray<string> => {
  if (!Folder.isThere(path) || isTestsFolder(path)) return [path]
  return RuleFiles.seenIn(path).flatMap((entry) => {
    const child = join(path, entry.name)
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : places(child)
    return ReadTests.isTestName(entry.name) ? [child] : []
  })
}
