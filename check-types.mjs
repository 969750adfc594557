/**
 * `npm run check:types`: one compile of everything tells the compiler's own diagnostics of `src`, `test` and `bench`, and
 * Effect's of `src`. It is a patched copy of the compiler, kept from one check to the next, as is what it found: only
 * what has changed since is looked at again.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const cache = "node_modules/.cache/effect"
const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version
/** Another program makes another copy. */
const program = createHash("sha256")
  .update(readFileSync(import.meta.filename))
  .digest("hex")
  .slice(0, 12)
const copy = `${cache}/typescript-${versionOf("typescript")}-${versionOf("@effect/language-service")}-${program}`

/** Most of what it makes is soon forgotten, and what goes on beside it needs the other cores. */
const flags = ["--max-semi-space-size=64", "--min-semi-space-size=64", "--single-threaded-gc"]

const run = (...args) => spawnSync(process.execPath, [...flags, ...args], { stdio: "inherit" }).status ?? 1

/**
 * What the compiler leaves out of Effect's diagnostics. Those of tests and benchmarks take as long as those of the program, and
 * find nothing there that matters; a suggestion fails no check. Which packages there are is the same for each file.
 */
const aims = [
  [
    "effectLspPatchUtils().checkSourceFileWorker(",
    (call) => `/\\/(test|bench)\\//.test(node.fileName) || ${call}`
  ],
  ['defaultLevel === "off"', (isOff) => `(${isOff} || defaultLevel === "suggestion")`],
  ["function getEffectRelatedPackages(sourceFile) {", (begin) => `${begin} sourceFile = { fileName: "" }`]
]

const aim = (compiler) => {
  let text = readFileSync(compiler, "utf8")
  for (const [found, instead] of aims) {
    if (text.split(found).length !== 2) throw new Error(`${compiler} does not have ${found} at one place`)
    text = text.replace(found, () => instead(found))
  }
  writeFileSync(compiler, text)
}

const make = () => {
  rmSync(cache, { recursive: true, force: true })
  const fresh = `${cache}/${process.pid}`
  cpSync("node_modules/typescript", fresh, { recursive: true })
  const patch = ["node_modules/@effect/language-service/cli.js", "patch", "--module", "tsc", "--dir", fresh]
  const { status, stdout } = spawnSync(process.execPath, patch, { encoding: "utf8" })
  if (status !== 0) throw new Error(`the compiler could not be patched: ${stdout}`)
  aim(join(fresh, "lib/_tsc.js"))
  renameSync(fresh, copy)
}

if (!existsSync(copy)) make()
process.exitCode = run(`${copy}/lib/tsc.js`, "--noEmit", "--tsBuildInfoFile", `${cache}/tsbuildinfo`)
