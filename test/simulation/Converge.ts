/**
 * `npm run converge -- --seeds 20 --days 30 [--jobs 2] [--exact] [--keep FOLDER] [--json]`: the shipped rules on sandbox
 * accounts in virtual time; ends with 1 when a promise is broken. Each seed is a process of its own. What `--keep` holds
 * is not run again: empty the folder when the program or the rules have changed.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Report from "./Report.js"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    days: { type: "string", default: "30" },
    jobs: { type: "string", default: "2" },
    exact: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    keep: { type: "string" },
    /** Of a child: the one seed it runs. */
    only: { type: "string" }
  }
})
const days = Number(values.days)

const child = (seed: number): Promise<Report.SeedFigures> =>
  new Promise((resolve, reject) => {
    const args = [
      process.argv[1]!,
      "--only",
      `${seed}`,
      "--days",
      `${days}`,
      ...(values.exact ? ["--exact"] : [])
    ]
    const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
    const chunks: Array<string> = []
    started.stdout.setEncoding("utf8").on("data", (text: string) => chunks.push(text))
    started.on("error", reject)
    started.on("close", (code) =>
      code === 0 ? resolve(JSON.parse(chunks.join(""))) : reject(new Error(`seed ${seed} ended with ${code}`))
    )
  })

/** From the folder of finished seeds, or run and put there. */
const kept = async (seed: number): Promise<Report.SeedFigures> => {
  if (values.keep === undefined) return child(seed)
  const path = join(values.keep, `${days}d-${values.exact ? "exact-" : ""}${seed}.json`)
  if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8"))
  const figures = await child(seed)
  mkdirSync(values.keep, { recursive: true })
  writeFileSync(path, JSON.stringify(figures))
  return figures
}

if (values.only !== undefined) {
  const figures = await Report.ofSeed({ seed: Number(values.only), days, exact: values.exact })
  process.stdout.write(JSON.stringify(figures))
} else {
  const waiting = Array.from({ length: Number(values.seeds) }, (_, i) => i + 1)
  const done: Array<Report.SeedFigures> = []
  const worker = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const figures = await kept(seed)
      done.push(figures)
      process.stderr.write(`seed ${seed}: ${figures.cycles} runs, ${figures.seconds} s\n`)
    }
  }
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker))
  const seeds = done.sort((a, b) => a.seed - b.seed)
  const totals = Report.total(seeds)
  process.stdout.write(
    values.json ? `${JSON.stringify({ days, totals, seeds }, null, 1)}\n` : `${Report.table(seeds, totals)}\n`
  )
  process.exitCode = totals.broken.length > 0 ? 1 : 0
}
