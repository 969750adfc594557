/**
 * `npm run sim -- --seeds 200 --hours 24 [--from SEED] [--jobs N]`: accounts with everything going wrong, in virtual
 * time; ends with 1 when an invariant does not hold. `--seed S --trace` runs one and prints all that happened.
 */
import { spawn } from "node:child_process"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import type { Violation } from "./chaos/Record.js"
import * as Run from "./chaos/Run.js"
import * as Invariants from "./invariants/All.js"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "200" },
    hours: { type: "string", default: "24" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    trace: { type: "boolean", default: false },
    jobs: { type: "string", default: `${availableParallelism()}` },
    /** Of a child: its seeds, one line of JSON each. */
    only: { type: "string" }
  }
})
const hours = Number(values.hours)

interface Line {
  readonly seed: number
  readonly hash: string
  readonly violations: ReadonlyArray<Violation>
  readonly figures: {
    readonly requests: number
    readonly writes: number
    readonly runs: number
    readonly crashes: number
    readonly events: number
  }
}

const lineOf = (seed: number, { crashes, hash, observed }: Run.Outcome): Line => ({
  seed,
  hash,
  violations: Invariants.check(observed),
  figures: {
    requests: observed.requests.length,
    writes: observed.ledger.filter(({ operation }) => operation !== "human-edit").length,
    runs: observed.cycles.length,
    crashes,
    events: observed.events.length
  }
})

const print = ({ seed, violations }: Line): string =>
  violations
    .map(
      ({ at, entries, invariant, what }) =>
        `seed ${seed} ${new Date(at).toISOString()} invariant ${invariant}: ${what} (ledger ${entries.join(", ")}); npm run sim -- --hours ${hours} --seed ${seed} --trace\n`
    )
    .join("")

/** Seeds of one process, as many at a time as keep its start-up cheap. */
const perProcess = 10

const child = (seeds: ReadonlyArray<number>, tell: (line: Line) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const args = [process.argv[1]!, "--only", seeds.join(","), "--hours", `${hours}`]
    const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
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
  const waiting = Array.from({ length: Math.ceil(Number(values.seeds) / perProcess) }, (_, n) =>
    Array.from({ length: perProcess }, (_, i) => first + n * perProcess + i).filter(
      (seed) => seed < first + Number(values.seeds)
    )
  )
  const done: Array<Line> = []
  const worker = async (): Promise<void> => {
    for (let seeds = waiting.shift(); seeds !== undefined; seeds = waiting.shift())
      await child(seeds, (line) => {
        done.push(line)
        process.stdout.write(print(line))
      })
  }
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker))
  const seconds = (performance.now() - began) / 1000
  const sum = (of: (line: Line) => number) => done.reduce((total, line) => total + of(line), 0)
  const broken = sum(({ violations }) => violations.length)
  process.stdout.write(
    `${done.length} seeds of ${hours} h: ${sum((l) => l.figures.runs)} runs, ${sum((l) => l.figures.requests)} requests, ` +
      `${sum((l) => l.figures.writes)} writes, ${sum((l) => l.figures.crashes)} crashes, ${sum((l) => l.figures.events)} events; ` +
      `${broken} violations; ${seconds.toFixed(0)} s, ${(done.length / seconds).toFixed(2)} seeds a second\n`
  )
  process.exitCode = broken > 0 ? 1 : 0
}

if (values.only !== undefined) {
  for (const seed of values.only.split(",").map(Number)) {
    const line = lineOf(seed, await Run.run({ seed, hours }))
    await new Promise((resolve) => process.stdout.write(`${JSON.stringify(line)}\n`, resolve))
  }
  process.exit(0)
} else if (values.seed !== undefined) {
  const seed = Number(values.seed)
  const outcome = await Run.run({ seed, hours })
  const line = lineOf(seed, outcome)
  if (values.trace) process.stdout.write(`${outcome.trace.join("\n")}\n`)
  process.stdout.write(
    `${print(line)}seed ${seed}: trace ${outcome.hash}, ${line.violations.length} violations\n`
  )
  await new Promise((resolve) => process.stdout.write("", resolve))
  process.exit(line.violations.length > 0 ? 1 : 0)
} else await many()
