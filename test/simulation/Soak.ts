/** One account for months: what the heap holds after each week, and how large the store is. */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import * as Events from "./chaos/Events.js"
import * as Run from "./chaos/Run.js"

interface Asked {
  readonly seed: number
  readonly hours: number
  readonly out: string | undefined
}

interface Week {
  readonly week: number
  readonly heapMebibytes: number
  readonly storeMebibytes: number
}

const hoursPerWeek = 168

/** Weeks until everything that is filled once is full: caches, and what the store keeps for its time. */
const settlingWeeks = 4

/** Runs in a process that may collect its garbage when it likes; ends with 1 when the heap grows too fast. */
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
  const began = performance.now()
  const mebibytes = (bytes: number) => Number((bytes / 2 ** 20).toFixed(2))
  const { counts } = await Run.run({
    seed,
    hours,
    soak: {
      everyHours: hoursPerWeek,
      sample: (storeBytes) => {
        collect()
        const week = {
          week: weeks.length + 1,
          heapMebibytes: mebibytes(process.memoryUsage().heapUsed),
          storeMebibytes: mebibytes(storeBytes)
        }
        weeks.push(week)
        process.stdout.write(
          `week ${week.week}: heap ${week.heapMebibytes} MiB, store ${week.storeMebibytes} MiB\n`
        )
      }
    }
  })
  const growth = perWeek(weeks.slice(settlingWeeks))
  const seconds = Math.round((performance.now() - began) / 1000)
  process.stdout.write(
    `seed ${seed}, ${hours} h in ${seconds} s: after week ${settlingWeeks} the heap grows ${growth.toFixed(2)} MiB a week\n`
  )
  const never = Events.countable.filter((kind) => !counts.has(kind))
  const met = Events.countable.length - never.length
  process.stdout.write(
    `${met} of ${Events.countable.length} kinds of trouble happened${never.length === 0 ? "" : `; never: ${never.join(", ")}`}\n`
  )
  const summary = {
    seed,
    hours,
    seconds,
    growthMebibytesPerWeek: growth,
    weeks,
    never,
    counts: Object.fromEntries(counts)
  }
  if (out !== undefined) writeFileSync(out, `${JSON.stringify(summary, undefined, 2)}\n`)
  process.exitCode = growth > 1 ? 1 : 0
}

/** The slope of the straight line nearest to the weeks. */
const perWeek = (weeks: ReadonlyArray<Week>): number => {
  const n = weeks.length
  if (n < 2) return 0
  const mean = (pick: (week: Week) => number) => weeks.reduce((sum, week) => sum + pick(week), 0) / n
  const [x, y] = [mean(({ week }) => week), mean(({ heapMebibytes }) => heapMebibytes)]
  const over = weeks.reduce((sum, one) => sum + (one.week - x) * (one.heapMebibytes - y), 0)
  return over / weeks.reduce((sum, { week }) => sum + (week - x) ** 2, 0)
}
