/**
 * Runs the benchmarks one after another (they share the machine's cores, so never side by side) and prints what
 * they print. `node bench/run.mjs startup limits` runs only those. Ends with 1 when a goal was missed.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { cpus } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const built = join(here, "..", "dist", "bench")
const wanted = process.argv.slice(2)
const names = existsSync(built)
  ? readdirSync(built)
      .filter((file) => file.endsWith(".js"))
      .map((file) => file.slice(0, -".js".length))
      .filter((name) => wanted.length === 0 || wanted.includes(name))
      .sort()
  : []

if (names.length === 0) {
  console.error("no benchmark to run; build first: npm run build")
  process.exit(1)
}

console.log(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"})`)
let failed = false
for (const name of names) {
  console.log(`\n# ${name}`)
  const { status } = spawnSync(process.execPath, [join(built, `${name}.js`)], { stdio: "inherit" })
  if (status !== 0) failed = true
}
process.exit(failed ? 1 : 0)
