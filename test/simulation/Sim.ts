/**
 * `npm run sim -- --seeds 200 --hours 24 [--from SEED] [--jobs N] [--out FILE]`: accounts with everything going wrong,
 * in virtual time; ends with 1 when an invariant does not hold or a seed does not repeat itself. `--seed S --trace`
 * runs one and prints all that happened; `--soak` runs one for months and says what grows.
 */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import * as Events from "./chaos/Events.js"
import * as Run from "./chaos/Run.js"
import * as Invariants from "./invariants/All.js"
import * as Soak from "./Soak.js"
import * as Summary from "./Summary.js"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "200" },
    hours: { type: "string", default: "24" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    trace: { type: "boolean", default: false },
    soak: { type: "boolean", default: false },
    jobs: { type: "string", default: `${availableParallelism()}` },
    out: { type: "string" },
    /** Every so many seeds one is run twice. */
    twice: { type: "string", default: "20" },
    /** Of a child: its seeds, one line of JSON each. */
    only: { type: "string" }
  }
})
const hours = Number(values.hours)

const isTwice = (seed: number): boolean => seed % Math.max(1, Number(values.twice)) === 0

const lineOf = async (seed: number): Promise<Summary.Line> => {
  const began = performance.now()
  const { counts, hash, observed } = await Run.run({ seed, hours })
  const seconds = (performance.now() - began) / 1000
  const isUnsteady = isTwice(seed) && (await Run.run({ seed, hours })).hash !== hash
  const { cycles, events, ledger, requests, runsBefore } = observed
  return {
    seed,
    hash,
    isUnsteady,
    violations: Invariants.check(observed),
    seconds,
    heapBytes: process.memoryUsage().heapUsed,
    figures: {
      runs: cycles.length,
      requests: requests.length,
      writes: ledger.filter(({ operation }) => operation !== "human-edit").length,
      deposits: requests.filter(({ operation }) => operation === "depositCampaignBudget").length,
      lives: runsBefore.size,
      events: events.length
    },
    counts: Object.fromEntries(counts)
  }
}

/** Seeds of one process, as many at a time as keep its start-up cheap. */
const perProcess = 20

/** Most of what a run makes is soon forgotten; a large nursery keeps it from being moved. */
const nursery = "--max-semi-space-size=64"

const child = (seeds: ReadonlyArray<number>, tell: (line: Summary.Line) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const args = [nursery, process.argv[1]!, "--only", seeds.join(","), "--hours", `${hours}`]
    const started = spawn(process.execPath, [...args, "--twice", values.twice], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let rest = ""
    started.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = `${rest}${text}`.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) tell(JSON.parse(line))
    })
    started.on("error", reject)
    started.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`a process of seeds ${seeds.join(",")} ended with ${code}`))
    )
  })

const many = async (): Promise<void> => {
  const began = performance.now()
  const first = Number(values.from)
  const all = Array.from({ length: Number(values.seeds) }, (_, n) => first + n)
  const share = Math.min(perProcess, Math.ceil(all.length / Number(values.jobs)))
  const waiting = Array.from({ length: Math.ceil(all.length / share) }, (_, n) =>
    all.slice(n * share, (n + 1) * share)
  )
  const done: Array<Summary.Line> = []
  const worker = async (): Promise<void> => {
    for (let seeds = waiting.shift(); seeds !== undefined; seeds = waiting.shift())
      await child(seeds, (line) => {
        done.push(line)
        process.stdout.write(Summary.broken(line, hours))
      })
  }
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker))
  const seconds = (performance.now() - began) / 1000
  const runTwice = all.filter(isTwice).length
  const summary = Summary.of(done, { hours, seconds, runTwice, expected: Events.kinds })
  process.stdout.write(Summary.print(summary))
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(summary, undefined, 2)}\n`)
  process.exitCode = summary.violations > 0 || summary.unsteady.length > 0 ? 1 : 0
}

const one = async (seed: number): Promise<never> => {
  const outcome = await Run.run({ seed, hours })
  const violations = Invariants.check(outcome.observed)
  const { hash } = outcome
  if (values.trace) await told(`${outcome.trace.join("\n")}\n`)
  await told(
    violations
      .map(
        ({ at, entries, invariant, what }) =>
          `${new Date(at).toISOString()} invariant ${invariant}: ${what} (ledger ${entries.join(", ")})\n`
      )
      .join("")
  )
  await told(`seed ${seed}: trace ${hash}, ${violations.length} violations\n`)
  process.exit(violations.length > 0 ? 1 : 0)
}

const told = (text: string): Promise<void> =>
  new Promise((resolve) => process.stdout.write(text, () => resolve()))

if (values.only !== undefined) {
  for (const seed of values.only.split(",").map(Number)) await told(`${JSON.stringify(await lineOf(seed))}\n`)
  process.exit(0)
} else if (values.soak) await Soak.run({ seed: Number(values.seed ?? values.from), hours, out: values.out })
else if (values.seed !== undefined) await one(Number(values.seed))
else await many()
