/**
 * Do the limiter's waits cost more than the limits themselves? For each shape of limit: wall time over the lower
 * bound, against a strict server in virtual time, without and across a kill; refusals; a small consumer's share.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LimiterLive from "../../src/services/LimiterLive.js"
import * as LimiterStoreSql from "../../src/store/LimiterStoreSql.js"
import * as Migrations from "../../src/store/Migrations.js"
import * as SqliteClient from "../../src/store/SqliteClient.js"
import { type Shape, shapes } from "./Shapes.js"
import * as Trial from "./Trial.js"

const calls = 1_000

/** Highest wall time over the lower bound that is good enough. */
const goal = (shape: Shape, jitterMs: number): number =>
  shape.burst === 1 ? 1 + (jitterMs + 5) / shape.intervalMs : 1.01

const fairGoal = 2

interface Line {
  readonly cells: ReadonlyArray<string>
  readonly good: boolean
}

const measure = (shape: Shape, jitterMs: number): Effect.Effect<Line> =>
  Effect.gen(function* () {
    const limit = goal(shape, jitterMs)
    const steady = yield* Trial.steady(shape, jitterMs, calls)
    const restarted = yield* Trial.restarted(shape, jitterMs, calls)
    const fair = yield* Trial.behindFlood(shape, jitterMs, 10)
    const refused = steady.refused + restarted.refused + fair.refused
    const good = refused === 0 && steady.ratio <= limit && restarted.ratio <= limit && fair.ratio <= fairGoal
    const numbers = [steady.ratio, restarted.ratio, limit].map((n) => n.toFixed(5))
    const head = [shape.name, String(shape.burst), String(shape.intervalMs), String(jitterMs)]
    return {
      cells: [...head, ...numbers, fair.ratio.toFixed(2), String(refused), good ? "" : "MISSED"],
      good
    }
  })

/** What the store adds to a call, real milliseconds: decided and recorded twice in a file, synchronously. */
const storeCost = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "bidhelm-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  const store = Layer.provideMerge(
    Layer.merge(LimiterStoreSql.layer, Migrations.layer),
    SqliteClient.layer({ filename: join(folder, "bidhelm.db") })
  )
  const free = {
    request: () => Effect.succeed({ status: 200, retryAfterMs: undefined, remaining: undefined })
  }
  const server: Trial.Server = { ...free, count: () => ({ arrived: 0, refused: 0 }) }
  const shape: Shape = { name: "free", burst: 100_000, intervalMs: 1 }
  const some = Effect.repeatN(Trial.call(server, shape), 199)
  const [took] = yield* Effect.provide(
    Effect.zipRight(some, Effect.timed(some)),
    Layer.provide(LimiterLive.layer, store)
  )
  return Duration.toMillis(took) / 200
}).pipe(Effect.scoped)

const table = (lines: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const row = (line: ReadonlyArray<string>) =>
    line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join("  ")
  return lines.map((line) => `${row(line).trimEnd()}\n`).join("")
}

const head = [
  "limit",
  "burst",
  "interval ms",
  "jitter ms",
  "wall/bound",
  "restarted",
  "goal",
  "fair share",
  "429",
  ""
]

const program = Effect.gen(function* () {
  const lines: Array<Line> = []
  for (const shape of shapes) for (const jitterMs of [0, 40]) lines.push(yield* measure(shape, jitterMs))
  const good = lines.every((line) => line.good)
  const missed = lines.filter((line) => !line.good).length
  process.stdout.write(table([head, ...lines.map((line) => line.cells)]))
  process.stdout.write(`\nstore on disk: ${(yield* storeCost).toFixed(2)} ms per call\n`)
  process.stdout.write(
    good ? "PASS bench/limits\n" : `FAIL bench/limits: ${missed} of ${lines.length} rows missed a goal\n`
  )
  process.exitCode = good ? 0 : 1
})

await Effect.runPromise(program)
