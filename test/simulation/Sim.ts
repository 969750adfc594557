/**
 * `npm run sim -- --seeds 200 --hours 24 [--from SEED] [--jobs N] [--out FILE]`: accounts with everything going wrong,
 * in virtual time; ends with 1 when an invariant does not hold or a seed does not repeat itself. `--orders` plays the seeds
 * that assemble orders with those policies alone. `--seed S --trace` runs one and prints all that happened; `--planted` puts bugs in on purpose and ends with 1 when one is not found, or when its
 * story breaks without it, after the seeds where `--seeds` is said too; `--bug WORDS` for some of them; `--planted --random
 * [--enough N]` tries each on `--seeds` ordinary seeds instead; `--soak` runs one for months and says what grows.
 */
import { writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import * as Assemblies from "./chaos/Assemblies.js"
import * as Events from "./chaos/Events.js"
import * as Run from "./chaos/Run.js"
import * as Invariants from "./invariants/All.js"
import * as Bugs from "./planted/Bugs.js"
import * as Hunt from "./planted/Hunt.js"
import * as Plant from "./planted/Plant.js"
import * as RandomHunt from "./planted/RandomHunt.js"
import * as Soak from "./Soak.js"
import * as Summary from "./Summary.js"

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    hours: { type: "string", default: "24" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    trace: { type: "boolean", default: false },
    planted: { type: "boolean", default: false },
    random: { type: "boolean", default: false },
    /** Words of the bugs to try; of a child the name of the one it runs with. */
    bug: { type: "string" },
    /** So many finds of a bug are enough. */
    enough: { type: "string", default: "5" },
    soak: { type: "boolean", default: false },
    jobs: { type: "string", default: `${availableParallelism()}` },
    out: { type: "string" },
    /** Of seeds that assemble orders, with those policies alone. */
    orders: { type: "boolean", default: false },
    /** Every so many seeds one is run twice. */
    twice: { type: "string", default: "20" },
    /** Of a child: its seeds, one line of JSON each. */
    only: { type: "string" },
    /** Of a child: the seed on which it plays the story of its bug. */
    story: { type: "string" }
  }
})
for (const name of ["seeds", "hours", "from", "seed", "enough", "jobs", "twice"] as const) {
  const said = values[name]
  if (said === undefined || /^[1-9]\d*$/.test(said)) continue
  process.stderr.write(`--${name} ${said}: write a whole number from 1, such as --${name} 2\n`)
  process.exitCode = 2
}
if (process.exitCode === 2) process.exit()
const hours = Number(values.hours)

const isTwice = (seed: number): boolean => seed % Math.max(1, Number(values.twice)) === 0

const lineOf = async (seed: number): Promise<Summary.Line> => {
  const began = performance.now()
  const cpu = process.cpuUsage()
  const asked = { seed, hours, ...(values.orders ? Run.ofOrders(seed, hours) : {}) }
  const { counts, hash, observed } = await Run.run(asked)
  const seconds = (performance.now() - began) / 1000
  const { system, user } = process.cpuUsage(cpu)
  const isUnsteady = isTwice(seed) && (await Run.run(asked)).hash !== hash
  const { cycles, events, ledger, requests, runsBefore } = observed
  return {
    seed,
    hash,
    isUnsteady,
    violations: Invariants.check(observed),
    seconds,
    cpuSeconds: (system + user) / 1e6,
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

/** Progress is told after so many seeds. */
const toldAfter = 100

/** Seeds of one process, as many at a time as keep its start-up cheap. */
const perProcess = 20

const child = (seeds: ReadonlyArray<number>, tell: (line: Summary.Line) => void): Promise<void> =>
  Plant.run(
    undefined,
    [
      ...["--only", seeds.join(","), "--hours", `${hours}`, "--twice", values.twice],
      ...(values.orders ? ["--orders"] : [])
    ],
    (line) => {
      tell(JSON.parse(line))
      return true
    }
  )

const many = async (): Promise<Summary.Summary> => {
  const began = performance.now()
  const first = Number(values.from)
  const all = Array.from({ length: Number(values.seeds ?? 200) }, (_, n) => first + n).filter(
    (seed) => !values.orders || Assemblies.has(seed)
  )
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
        if (done.length % toldAfter === 0) process.stderr.write(`${done.length} of ${all.length} seeds\n`)
      })
  }
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker))
  const seconds = (performance.now() - began) / 1000
  const runTwice = all.filter(isTwice).length
  const summary = Summary.of(done, { hours, seconds, runTwice, expected: Events.countable })
  process.stdout.write(Summary.print(summary))
  if (summary.violations > 0 || summary.unsteady.length > 0) process.exitCode = 1
  return summary
}

const wantedBugs = Bugs.bugs.filter(({ name }) => name.includes(values.bug ?? ""))

/** Seeds on which a planted bug is looked for. */
const mostSeedsPerBug = 20

const planted = async (): Promise<ReadonlyArray<Hunt.Found>> => {
  const found: Array<Hunt.Found> = []
  for (const bug of wantedBugs) {
    found.push(await Hunt.hunt(bug, mostSeedsPerBug))
    const broken = await Hunt.without(bug)
    if (broken.length === 0) continue
    process.stdout.write(`without the bug "${bug.name}" its story breaks ${broken.join(", ")}\n`)
    process.exitCode = 1
  }
  process.stdout.write(Hunt.print(found))
  if (found.some(({ seed }) => seed === undefined)) process.exitCode = 1
  return found
}

/** Each bug has its process, so many at a time as there are cores. */
const atRandom = async (): Promise<ReadonlyArray<RandomHunt.Found>> => {
  const options = {
    from: Number(values.from),
    seeds: Number(values.seeds ?? 60),
    hours,
    enough: Number(values.enough)
  }
  const waiting = [...wantedBugs]
  const found: Array<RandomHunt.Found> = []
  const worker = async (): Promise<void> => {
    for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
      const one = await RandomHunt.hunt(bug, options)
      found.push(one)
      process.stderr.write(`${RandomHunt.row(one)}\n`)
    }
  }
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker))
  process.stdout.write(RandomHunt.print(found, options))
  if (found.some(({ seeds }) => seeds.length === 0)) process.exitCode = 1
  return found
}

const all = async (): Promise<void> => {
  if (values.planted && values.random) {
    const random = await atRandom()
    if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify({ random }, undefined, 2)}\n`)
    return
  }
  const summary = values.planted && values.seeds === undefined ? undefined : await many()
  const bugs = values.planted ? { planted: await planted() } : {}
  if (values.out !== undefined)
    writeFileSync(values.out, `${JSON.stringify({ ...summary, ...bugs }, undefined, 2)}\n`)
}

const one = async (seed: number): Promise<never> => {
  const outcome = await Run.run({ seed, hours, ...(values.orders ? Run.ofOrders(seed, hours) : {}) })
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

const bugNamed = (name: string) => {
  const bug = Bugs.bugs.find((one) => one.name === name)
  if (bug === undefined) throw new Error(`there is no planted bug "${name}"`)
  return bug
}

if (values.bug !== undefined && values.story !== undefined) {
  await told(`${JSON.stringify(await Hunt.story(bugNamed(values.bug), Number(values.story)))}\n`)
  process.exit(0)
} else if (values.only !== undefined) {
  for (const seed of values.only.split(",").map(Number)) {
    const line =
      values.bug === undefined
        ? await lineOf(seed)
        : { seed, broken: await Hunt.ordinary(bugNamed(values.bug), seed, hours) }
    await told(`${JSON.stringify(line)}\n`)
  }
  process.exit(0)
} else if (values.soak) await Soak.run({ seed: Number(values.seed ?? values.from), hours, out: values.out })
else if (values.seed !== undefined) await one(Number(values.seed))
else {
  await all()
  process.exit()
}
