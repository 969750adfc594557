/**
 * `npm run check:types`: one compile of everything tells the compiler's own diagnostics and Effect's. What it found is kept
 * from one check to the next: only what has changed since is looked at again. The compiler is Effect's build of TypeScript's,
 * which stands beside it.
 */
import { spawnSync } from "node:child_process"

const named = spawnSync(
  process.execPath,
  ["node_modules/@effect/tsgo/dist/effect-tsgo.cjs", "get-exe-path"],
  {
    encoding: "utf8"
  }
)
if (named.status !== 0) throw new Error(`the compiler was not found: ${named.stdout}${named.stderr}`)
const args = ["--noEmit", "--tsBuildInfoFile", "node_modules/.cache/effect-tsbuildinfo"]
process.exitCode = spawnSync(named.stdout.trim(), args, { stdio: "inherit" }).status ?? 1
