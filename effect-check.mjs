/**
 * `npm run check:effect`: the compiler with Effect's own diagnostics, over `src`. It is a patched copy, so that the
 * compiler itself stays fast; asking the diagnostics tool without the compiler took three times as long.
 */
import { spawnSync } from "node:child_process"
import { cpSync, rmSync } from "node:fs"

const copy = "node_modules/.cache/effect/typescript"
const tool = "node_modules/@effect/language-service/cli.js"

const run = (...args) => {
  const { status, stdout } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"]
  })
  if (status !== 0) process.stdout.write(stdout)
  return status ?? 1
}

rmSync(copy, { recursive: true, force: true })
cpSync("node_modules/typescript", copy, { recursive: true })
const patched = run(tool, "patch", "--module", "tsc", "--dir", copy)
process.exitCode = patched || run(`${copy}/lib/tsc.js`, "--noEmit", "--project", "tsconfig.src.json")
