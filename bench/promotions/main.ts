/**
 * What planning an account's promotions costs. `node dist/bench/promotions.js` makes each plan three times in a process of
 * its own and tells medians; `draw FOLDER 100000` draws an account, `one join FOLDER` makes one plan and tells it as JSON. Ends with 1 when a goal was missed.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as V8 from "../../src/cli/plain/V8.js"
import * as Account from "./Account.js"
import * as Trial from "./Trial.js"

/** Processor seconds of a plan of 100,000 rows, for each rule that weighs them. */
const goal = 10
const rounds = 3
const [many, few] = [100_000, 25_000]

const say = (line: string, isMissed = false): void => {
  process.stdout.write(`${line}${isMissed ? "  MISS" : ""}\n`)
  if (isMissed) process.exitCode = 1
}

const run = (...words: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...words], {
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

const plan = (kind: Trial.Kind, drawn: string): Trial.Measured => JSON.parse(run("one", kind, drawn))

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const of = (all: ReadonlyArray<Trial.Measured>, value: (one: Trial.Measured) => number): number =>
  median(all.map(value))

const tell = (kind: Trial.Kind, drawn: Drawn): void => {
  const all: Array<Trial.Measured> = []
  const smaller: Array<Trial.Measured> = []
  for (let round = 0; round < rounds; round++) {
    all.push(plan(kind, drawn.many))
    smaller.push(plan(kind, drawn.few))
  }
  const { calls, changes, held, unchanged, unknown } = all[0]!
  if (new Set(all.map(({ planId }) => planId)).size > 1) say("  the same account made different plans", true)
  const seconds = of(all, ({ cpuSeconds }) => cpuSeconds)
  const less = of(smaller, ({ cpuSeconds }) => cpuSeconds)
  const parse = of(all, ({ parseSeconds }) => parseSeconds)
  const exponent = Math.log(seconds / less) / Math.log(many / few)
  const most = goal * Trial.rulesIn(kind)
  const parts = Trial.phases.map((phase) => `${phase} ${of(all, (one) => one.phases[phase]).toFixed(2)}`)
  const mib = (value: (one: Trial.Measured) => number) => of(all, value).toFixed(0)
  say(
    `${kind}: ${many} rows, ${changes} changes, ${held} held, ${unchanged} unchanged, ${unknown} unknown, ${calls} calls`
  )
  say(`  ${seconds.toFixed(2)} s of processor (≤ ${most}): ${parts.join(", ")}`, seconds > most)
  say(
    `  ${(seconds / parse).toFixed(1)} × JSON.parse of the same ${mib(({ answersMiB }) => answersMiB)} MiB of answers (${parse.toFixed(2)} s); making them, not counted: ${of(all, ({ answersSeconds }) => answersSeconds).toFixed(2)} s`
  )
  say(`  ${few} rows take ${less.toFixed(2)} s: rows to the power of ${exponent.toFixed(2)}`)
  say(
    `  ${mib(({ peakMiB }) => peakMiB)} MiB at most, of which ${mib(({ beforeMiB }) => beforeMiB)} were there before, mostly the answers`
  )
}

interface Drawn {
  readonly many: string
  readonly few: string
}

const draw = (folder: string, name: string, rows: number): string => {
  const drawn = join(folder, name)
  run("draw", drawn, String(rows))
  return drawn
}

const [part, what = "", how = "", seed = "1"] = process.argv.slice(2)
if (part === "draw") {
  mkdirSync(what, { recursive: true })
  Account.write(what, Number(how), Number(seed))
} else if (part === "one" && Trial.isKind(what)) {
  V8.tune()
  process.stdout.write(`${JSON.stringify(await Trial.measure(what, how))}\n`)
} else {
  const folder = mkdtempSync(join(tmpdir(), "bidhelm-promotions-"))
  try {
    const drawn = { many: draw(folder, "many", many), few: draw(folder, "few", few) }
    for (const one of ["join", "tier", "both"] as const) tell(one, drawn)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
