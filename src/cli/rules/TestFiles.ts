/** Where the tests of rules lie: files named `*.test.yaml`, as a rule in the folder `tests` of the rules. */
import { existsSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as ReadTests from "../../engine/testing/ReadTests.js"
import { stop } from "../terminal/Stop.js"
import * as RuleFiles from "./RuleFiles.js"

/**
 * Test files below the named paths, or below `tests` of the rules. A path that is not there, or holds no tests, ends
 * the command with 3: tests that are never run must not look like tests that pass.
 */
export const find = (paths: ReadonlyArray<string>, rulesFolder: string) =>
  Effect.gen(function* () {
    const named = paths.length > 0 ? paths : [join(rulesFolder, "tests")]
    const missing = named.filter((path) => !existsSync(path))
    if (missing.length > 0) {
      return yield* paths.length > 0 ? stop(3, `there is nothing at ${missing.join(", ")}`) : none(named)
    }
    const files = yield* RuleFiles.find(named.flatMap(places))
    if (files.length === 0) return yield* none(named)
    return files
  })

const none = (named: ReadonlyArray<string>) =>
  stop(3, `no tests found under ${named.join(", ")}; examples come with: bidhelm init`)

/** Whether a path that somebody named holds tests, and no rules: a folder of tests, a file of it, or a file named as a test. */
export const isTests = (path: string): boolean =>
  existsSync(path) &&
  (statSync(path).isFile() ? ReadTests.isTestName(path) || isTestsFolder(dirname(path)) : isTestsFolder(path))

const isTestsFolder = (path: string): boolean => /(^|[\\/])tests[\\/]?$/.test(path)

/** A file itself; a folder of tests with all it holds; of other folders only what is named as a test. */
const places = (path: string): ReadonlyArray<string> => {
  if (statSync(path).isFile() || isTestsFolder(path)) return [path]
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const child = join(path, entry.name)
    if (entry.isDirectory())
      return entry.name.startsWith(".") || entry.name === "node_modules" ? [] : places(child)
    return ReadTests.isTestName(entry.name) ? [child] : []
  })
}
