/** `npm run fuzz -- --files 1000000 --seed 1`: mutated rule files through check, fmt and fix; ends with 1 at trouble. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { mutant, random, trouble, weighted } from "./Mutations.js"

const { values } = parseArgs({
  options: { files: { type: "string", default: "200000" }, seed: { type: "string", default: "1" } }
})
const [wanted, seed] = [Number(values.files), Number(values.seed)]
const slowMs = 2000

const texts = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8"))
const samples = weighted(texts("rules"), texts("test/broken"))
const next = random(seed)
const began = performance.now()
let slowest = 0
let failures = 0

for (let done = 1; done <= wanted; done++) {
  const text = mutant(samples, next)
  const start = performance.now()
  const found = trouble(text)
  const took = performance.now() - start
  slowest = Math.max(slowest, took)
  if (found !== undefined || took > slowMs) {
    failures++
    const place = join("dist", `fuzz-${seed}-${done}.yaml`)
    writeFileSync(place, text)
    process.stdout.write(`file ${done}: ${found ?? `took ${Math.round(took)} ms`}; kept as ${place}\n`)
    if (failures >= 20) break
  }
  if (done % 50_000 === 0) process.stdout.write(`${done} files\n`)
}

const seconds = Math.round((performance.now() - began) / 1000)
process.stdout.write(
  `${wanted} files, seed ${seed}, ${failures} in trouble, slowest ${Math.round(slowest)} ms, ${seconds} s\n`
)
process.exitCode = failures > 0 ? 1 : 0
