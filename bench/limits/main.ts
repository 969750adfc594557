/**
 * Do the limiter's waits cost more than the limits themselves? For each limit group of the operations: wall time of the
 * real client over the lower bound, against the sandbox in virtual time, without and across a kill; refusals by the
 * limit; a small consumer's share; and with calls refused where a refusal costs ten. Before that, three fast limits
 * over real HTTP.
 */
import * as Effect from "effect/Effect"
import * as Loopback from "./Loopback.js"
import { type Shape, shapes } from "./Shapes.js"
import * as StoreCost from "./StoreCost.js"
import * as Trial from "./Trial.js"

/**
 * Beyond the burst. A restart costs up to a second (requests in the air), which burst 1 can only make up in many. One
 * of all limits that are alike is measured at length; a daily quota bounds what can be asked.
 */
const callsOf = ({ burst, cost4xx, first, perDay }: Shape): number => {
  if (Number.isFinite(perDay)) return perDay - burst
  return !first ? 60 : burst === 1 || cost4xx > 1 ? 600 : 150
}
const jittersMs = [0, 40]

const loopbackMs = 12_000
/** Limits of which a few seconds of the real clock tell something. */
const overHttp = new Set(["listCampaignIds", "getCampaignBudget", "setCampaignPlacements"])

/** Highest wall time over the lower bound that is good enough. */
const goal = ({ burst, intervalMs }: Shape, jitterMs: number): number =>
  burst === 1 ? 1 + (jitterMs + 5) / intervalMs : 1.01

/**
 * A killed process leaves one answer unheard, which counts as a refusal: where that costs more than a call, the goal
 * has room for it, and where the calls are too few to make up for a second, for that second.
 */
const restartGoal = (shape: Shape, jitterMs: number, calls: number): number => {
  const lostMs = (shape.cost4xx - 1) * shape.intervalMs + (shape.first ? 0 : 1_000)
  return goal(shape, jitterMs) + lostMs / (calls * shape.intervalMs)
}

const fairGoal = 2

interface Line {
  readonly cells: ReadonlyArray<string>
  readonly good: boolean
}

const head = ["token, limit group", "operations", "burst", "interval ms", "jitter ms"]
const cellsOf = (shape: Shape, jitterMs: number): ReadonlyArray<string> => [
  `${shape.kind} ${shape.group}`,
  ...[shape.shared, shape.burst, shape.intervalMs, jitterMs].map(String)
]
const line = (cells: ReadonlyArray<string>, good: boolean): Line => ({
  cells: [...cells, good ? "" : "MISSED"],
  good
})

const virtualHead = [...head, "wall/bound", "goal", "restarted", "goal", "fair share", "429", ""]
const virtual = (shape: Shape, jitterMs: number): Effect.Effect<Line> =>
  Effect.gen(function* () {
    const calls = callsOf(shape)
    const goals = [goal(shape, jitterMs), restartGoal(shape, jitterMs, calls)] as const
    const steady = yield* Trial.steady(shape, jitterMs, calls)
    const restarted = yield* Trial.restarted(shape, jitterMs, calls)
    const fair = shape.first ? yield* Trial.behindFlood(shape, jitterMs, 10, 60) : undefined
    const refused = steady.refused + restarted.refused + (fair?.refused ?? 0)
    const inTime = steady.ratio <= goals[0] && restarted.ratio <= goals[1]
    const good = refused === 0 && inTime && (fair?.ratio ?? 0) <= fairGoal
    const ratios = [steady.ratio, goals[0], restarted.ratio, goals[1]].map((n) => n.toFixed(5))
    return line([...cellsOf(shape, jitterMs), ...ratios, fair?.ratio.toFixed(2) ?? "", String(refused)], good)
  })

/** A fifth of the calls refused: one that weighs ten makes the others wait, and none may be throttled. */
const refusingHead = [...head, "wall/bound", "429", ""]
const refusing = (shape: Shape, jitterMs: number): Effect.Effect<Line> =>
  Effect.map(Trial.refusing(shape, jitterMs, 300), ({ ratio, refused }) =>
    line([...cellsOf(shape, jitterMs), ratio.toFixed(5), String(refused)], refused === 0)
  )

/** The time an answer takes is the machine's here: it stands for the jitter, and the last one comes on top. */
const loopbackHead = [...head, "wall/bound", "goal", "slowest answer ms", "429", ""]
const loopback = (fast: ReadonlyArray<Shape>, jitterMs: number): Effect.Effect<ReadonlyArray<Line>> =>
  Effect.map(Loopback.measure(fast, jitterMs, loopbackMs), (all) =>
    all.map(({ shape, ratio, refused, slowestMs }) => {
      const limit = goal(shape, slowestMs) + slowestMs / loopbackMs
      const figures = [ratio.toFixed(4), limit.toFixed(4), slowestMs.toFixed(1), String(refused)]
      return line([...cellsOf(shape, jitterMs), ...figures], refused === 0 && ratio <= limit)
    })
  )

const table = (lines: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)))
  const row = (cells: ReadonlyArray<string>) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join("  ")
  return lines.map((cells) => `${row(cells).trimEnd()}\n`).join("")
}

const program = Effect.gen(function* () {
  const all = shapes()
  // First, while the heap is small and no collection of it delays an answer; both at once to save time.
  const fast = all.filter(({ kind, operation }) => kind === "personal" && overHttp.has(operation))
  const real = yield* Effect.forEach(jittersMs, (jitterMs) => loopback(fast, jitterMs), { concurrency: 2 })
  const overSockets = real.flat()
  process.stdout.write(
    `the sandbox over HTTP on loopback, ${loopbackMs / 1_000} s; the way there takes the jitter\n`
  )
  process.stdout.write(table([loopbackHead, ...overSockets.map(({ cells }) => cells)]))
  const lines: Array<Line> = []
  for (const shape of all) for (const jitterMs of jittersMs) lines.push(yield* virtual(shape, jitterMs))
  process.stdout.write("\nthe sandbox in virtual time; each way takes 1 ms + jitter\n")
  process.stdout.write(table([virtualHead, ...lines.map(({ cells }) => cells)]))
  const weighed: Array<Line> = []
  for (const shape of all.filter(({ cost4xx }) => cost4xx > 1))
    for (const jitterMs of jittersMs) weighed.push(yield* refusing(shape, jitterMs))
  process.stdout.write("\na fifth of the calls refused; a refusal costs ten\n")
  process.stdout.write(table([refusingHead, ...weighed.map(({ cells }) => cells)]))
  process.stdout.write(`\nstore on disk: ${(yield* StoreCost.measure).toFixed(2)} ms per call\n`)
  const rows = [...overSockets, ...lines, ...weighed]
  const missed = rows.filter(({ good }) => !good).length
  process.stdout.write(
    missed === 0
      ? "PASS bench/limits\n"
      : `FAIL bench/limits: ${missed} of ${rows.length} rows missed a goal\n`
  )
  process.exitCode = missed === 0 ? 0 : 1
})

await Effect.runPromise(program)
