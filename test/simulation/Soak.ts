/** One account for months: what the heap holds after each week, how large the store is, and what broke. */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import * as Events from "./chaos/Events.js"
import type { Violation } from "./chaos/Record.js"
import * as Run from "./chaos/Run.js"
import * as Judged from "./invariants/Meanwhile.js"

interface Asked {
  readonly seed: number
  readonly hours: number
  readonly out: string | undefined
}

interface Week {
  readonly week: number
  readonly heapMebibytes: number
  readonly storeMebibytes: number
  /** Seconds of processor time. */
  readonly cpuSeconds: number
}

const hoursPerWeek = 168

/** Weeks until what is filled once is full: caches of the process, and what the store keeps for 60 days. */
const settlingWeeks = { heap: 3, store: 9 }

/** Most that may be added a week from then on, MiB. */
const most = { heap: 1, store: 0.25 }

/** Runs in a process that may collect its garbage when it likes; ends with 1 when something grows, never happened or is broken. */
export const run = async ({ hours, out, seed }: Asked): Promise<void> => {
  const collect = Reflect.get(globalThis, "gc")
  if (typeof collect !== "function") {
    const { status } = spawnSync(process.execPath, ["--expose-gc", ...process.argv.slice(1)], {
      stdio: "inherit"
    })
    process.exitCode = status ?? 1
    return
  }
  const weeks: Array<Week> = []
  const violations: Array<Violation> = []
  const mebibytes = (bytes: number) => Number((bytes / 2 ** 20).toFixed(2))
  const { counts, observed } = await Run.run({
    seed,
    hours,
    soak: {
      everyHours: hoursPerWeek,
      judge: (observed) => violations.push(...told(Judged.meanwhile(observed))),
      sample: (storeBytes) => {
        collect()
        const week = {
          week: weeks.length + 1,
          heapMebibytes: mebibytes(process.memoryUsage().heapUsed),
          storeMebibytes: mebibytes(storeBytes),
          cpuSeconds: cpuSeconds()
        }
        weeks.push(week)
        process.stdout.write(
          `week ${week.week}: heap ${week.heapMebibytes} MiB, store ${week.storeMebibytes} MiB, ${week.cpuSeconds} s of processor time so far\n`
        )
      }
    }
  })
  violations.push(...told(Judged.atLast(observed)))
  const verdict = of(
    weeks,
    violations.length,
    Events.countable.filter((kind) => !counts.has(kind))
  )
  process.stdout.write(`seed ${seed}, ${hours} h in ${cpuSeconds()} s of processor time\n`)
  for (const line of verdict.lines) process.stdout.write(`${line}\n`)
  const summary = { seed, hours, weeks, violations, ...verdict, counts: Object.fromEntries(counts) }
  if (out !== undefined) writeFileSync(out, `${JSON.stringify(summary, undefined, 2)}\n`)
  process.exitCode = verdict.isFine ? 0 : 1
}

export interface Verdict {
  readonly isFine: boolean
  /** MiB a week once all is filled, by least squares; 0 when the run is too short to tell. */
  readonly heapGrowth: number
  readonly storeGrowth: number
  readonly never: ReadonlyArray<string>
  readonly lines: ReadonlyArray<string>
}

/** What is to be said of the weeks, the violations and the kinds of trouble that never happened. */
export const of = (
  weeks: ReadonlyArray<Pick<Week, "week" | "heapMebibytes" | "storeMebibytes">>,
  violations: number,
  never: ReadonlyArray<string>
): Verdict => {
  const growth = (settling: number, pick: (week: (typeof weeks)[number]) => number) =>
    slope(weeks.slice(settling).map((week) => [week.week, pick(week)]))
  const heapGrowth = growth(settlingWeeks.heap, ({ heapMebibytes }) => heapMebibytes)
  const storeGrowth = growth(settlingWeeks.store, ({ storeMebibytes }) => storeMebibytes)
  const met = Events.countable.length - never.length
  return {
    isFine: heapGrowth <= most.heap && storeGrowth <= most.store && never.length === 0 && violations === 0,
    heapGrowth,
    storeGrowth,
    never,
    lines: [
      `from week ${settlingWeeks.heap + 1} on the heap grows ${heapGrowth.toFixed(2)} MiB a week (at most ${most.heap})`,
      `from week ${settlingWeeks.store + 1} on the store grows ${storeGrowth.toFixed(2)} MiB a week (at most ${most.store})`,
      `${met} of ${Events.countable.length} kinds of trouble happened${never.length === 0 ? "" : `; never: ${never.join(", ")}`}`,
      `${violations} violations`
    ]
  }
}

const cpuSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return Math.round((system + user) / 1e6)
}

const told = (violations: ReadonlyArray<Violation>): ReadonlyArray<Violation> => {
  for (const { at, entries, invariant, what } of violations)
    process.stdout.write(
      `${new Date(at).toISOString()} invariant ${invariant}: ${what} (ledger ${entries.join(", ")})\n`
    )
  return violations
}

/** Of the straight line nearest to the points. */
const slope = (points: ReadonlyArray<readonly [x: number, y: number]>): number => {
  const n = points.length
  if (n < 2) return 0
  const x = points.reduce((sum, point) => sum + point[0], 0) / n
  const y = points.reduce((sum, point) => sum + point[1], 0) / n
  const over = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  return over / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}
