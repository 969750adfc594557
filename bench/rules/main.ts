/**
 * The same rows, rules and answers for Bidhelm, for a loop written by hand and for other engines. Prints ratios;
 * exit 1 on a miss. `npm install` in bench/rules brings the peers; without them only the loop is compared.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Sift from "../../src/engine/facts/kernels/Sift.js"
import type { Table } from "../../src/engine/facts/Table.js"
import * as Load from "../../src/engine/language/Load.js"
import { type Answers, empty, mustEqual } from "./Answers.js"
import { median, type Verdict } from "./Figures.js"
import * as HandWritten from "./HandWritten.js"
import type { Lists } from "./Lists.js"
import * as Loading from "./Loading.js"
import { type Peer, peers } from "./Peers.js"
import * as Rows from "./Rows.js"
import * as Rules from "./Rules.js"
import * as Workers from "./Workers.js"

const rounds = 9
const warmChecks = 20
const sizes = [100_000, 1_000_000]
const goals: Readonly<Record<string, number>> = {
  "json-logic-engine compiled": 4,
  "DuckDB, one scan": 5,
  "json-rules-engine": 1500
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const ms = (value: number): string =>
  value < 10_000 ? `${value.toFixed(1)} ms` : `${(value / 1000).toFixed(1)} s`

interface Policies {
  readonly found: ReadonlyArray<Sift.Found>
  readonly checkMs: number
}

/** From text to the rows that each policy wants to change, and those it cannot decide on, with reasons. */
const bidhelm = (files: ReadonlyArray<Load.File>, table: Table): Policies => {
  const before = performance.now()
  const { ruleSet, diagnostics } = Load.check(files)
  if (ruleSet === undefined) throw new Error(diagnostics.map((one) => one.message).join("\n"))
  const checkMs = performance.now() - before
  return {
    found: Sift.all(
      ruleSet.policies.map((one) => [...one.where, ...one.rules[0]!.when]),
      table
    ),
    checkMs
  }
}

/** Bidhelm and the loop must find the same rows, and be undecided about the same rows for the same reasons. */
const mustAgree = ({ found }: Policies, lists: ReadonlyArray<Lists>): void => {
  for (const [rule, { holds, undecided }] of found.entries()) {
    const { held, left, reasons, rows, tests, holds: expected } = lists[rule]!
    const agree =
      holds.length === held &&
      undecided.rows.length === left &&
      holds.every((row, i) => row === expected[i]) &&
      undecided.rows.every((row, i) => row === rows[i]) &&
      undecided.clauses.every((clause, i) => clause === tests[i]) &&
      undecided.reasons.every((reason, i) => reason === reasons[i])
    if (!agree) throw new Error(`Bidhelm and the loop disagree about rule ${rule}`)
  }
}

const answersOf = (lists: ReadonlyArray<Lists>): Answers => {
  const answers = empty(lists.length)
  for (const [rule, { held, holds }] of lists.entries()) {
    answers.counts[rule] = held
    for (let i = 0; i < held; i++) answers.sums[rule]! += holds[i]!
  }
  return answers
}

const timed = async <A>(run: () => A | Promise<A>): Promise<{ readonly took: number; readonly value: A }> => {
  const before = performance.now()
  const value = await run()
  return { took: performance.now() - before, value }
}

interface Setting {
  readonly size: number
  readonly count: number
  readonly withUnknown: boolean
}

interface Measured {
  readonly whole: number
  readonly check: number
  readonly loop: number
  /** The loop over the same rows with every fact known. */
  readonly knownLoop: number
  readonly undecided: number
}

/** Bidhelm and the loop take turns, so that both meet the same neighbours on the machine. */
const againstLoop = async (
  setting: Setting,
  rows: Rows.Rows,
  table: Table,
  known: Rows.Rows
): Promise<Measured> => {
  const rules = Rules.rules(setting.count)
  const files = Rules.files(rules)
  const whole: Array<number> = []
  const check: Array<number> = []
  const loop: Array<number> = []
  const knownLoop: Array<number> = []
  let undecided = 0
  // So that the time to check the text is not the time to compile the checker.
  for (let round = 0; round < warmChecks; round++) Load.check(files)
  for (let round = -3; round < rounds; round++) {
    const own = await timed(() => bidhelm(files, table))
    const hand = await timed(() => HandWritten.run(rows, rules))
    const clean = await timed(() => HandWritten.run(known, rules))
    mustAgree(own.value, hand.value)
    undecided = own.value.found.reduce((sum, one) => sum + one.undecided.rows.length, 0)
    if (round < 0) continue
    whole.push(own.took)
    check.push(own.value.checkMs)
    loop.push(hand.took)
    knownLoop.push(clean.took)
  }
  return {
    whole: median(whole),
    check: median(check),
    loop: median(loop),
    knownLoop: median(knownLoop),
    undecided
  }
}

/** Milliseconds for all rows, extrapolated from the rows the peer was given. */
const ofPeer = async (peer: Peer, rows: Rows.Rows, rules: ReadonlyArray<Rules.Rule>): Promise<number> => {
  const ready = await peer.prepare(rows, rules)
  const first = await timed(ready.run)
  mustEqual(peer.name, first.value, answersOf(HandWritten.run({ ...rows, size: ready.rows }, rules)))
  const times: Array<number> = []
  for (let round = 0; round < 3; round++) times.push((await timed(ready.run)).took)
  ready.close?.()
  return (median(times) * rows.size) / ready.rows
}

let failed = false
const judge = (name: string, value: number, holds: boolean, goal: string, unit = "×"): void => {
  if (!holds) failed = true
  const verdict = goal === "" ? "" : `   ${goal} ${holds ? "PASS" : "missed"}`
  say(`    ${name.padEnd(34)} ${value.toFixed(2).padStart(9)}${unit}${verdict}`)
}

/** `node bench/run.mjs rules` measures everything; the built file with a part's name only that. */
const part = process.argv[2]
const withPeers =
  part !== "loop" && existsSync(fileURLToPath(new URL("../../bench/rules/node_modules", import.meta.url)))

const compare = async (setting: Setting, rows: Rows.Rows, table: Table, known: Rows.Rows) => {
  const own = await againstLoop(setting, rows, table, known)
  const strict = setting.size === 1_000_000 && setting.count >= 10
  const title = `${setting.size} rows × ${setting.count} rules, ${setting.withUnknown ? "15% unknown" : "all known"}`
  say(`  ${title}: ${ms(own.whole)}, of it ${ms(own.check)} to check the text; loop ${ms(own.loop)}`)
  const most = setting.withUnknown ? 2 : 1.3
  const overLoop = own.whole / own.knownLoop
  if (setting.withUnknown) say(`    undecided rows, with reasons  ${own.undecided}`)
  const name = setting.withUnknown ? "over the loop, all known" : "over the loop"
  if (strict) judge(name, overLoop, overLoop <= most, `≤ ${most}`)
  else say(`    ${name.padEnd(34)} ${overLoop.toFixed(2).padStart(9)}×`)
  const rowsOnly = (own.whole - own.check) / own.knownLoop
  say(`    ${"the same without the check".padEnd(34)} ${rowsOnly.toFixed(2).padStart(9)}×`)
  if (setting.withUnknown)
    say(`    ${"over the loop, same rows".padEnd(34)} ${(own.whole / own.loop).toFixed(2).padStart(9)}×`)
  for (const peer of withPeers ? peers : []) {
    const took = await ofPeer(peer, rows, Rules.rules(setting.count))
    const ratio = took / own.whole
    const goal = goals[peer.name]
    const label = peer.mostRows < setting.size ? `${peer.name} *` : peer.name
    if (strict && goal !== undefined) judge(label, ratio, ratio >= goal, `≥ ${goal}`)
    else say(`    ${label.padEnd(34)} ${ratio.toFixed(2).padStart(9)}×`)
  }
  return own
}

/** In a process of its own: nothing but the table, the rules and the answers. */
const memory = (): void => {
  const part = Rows.make(100_000, true)
  let table = Rows.table(part)
  for (let more = 1; more < 10; more++) table = Rows.table(part, table)
  const found = bidhelm(Rules.files(Rules.rules(50)), table)
  say(String(found.found.length === 50 ? process.resourceUsage().maxRSS / 1024 : Number.NaN))
}

const main = async (): Promise<void> => {
  if (!withPeers && part !== "loop")
    say("  the peers are not installed (npm install in bench/rules): only the loop is compared")
  // First of all: a child's peak counts that of its parent at the time it is started.
  const peak = Number(alone("memory"))
  const times = new Map<string, number>()
  for (const size of sizes) {
    const sets = [false, true].map((withUnknown) => {
      const rows = Rows.make(size, withUnknown)
      return { withUnknown, rows, table: Rows.table(rows) }
    })
    for (const count of [1, 10, 50]) {
      for (const { withUnknown, rows, table } of sets) {
        const own = await compare({ size, count, withUnknown }, rows, table, sets[0]!.rows)
        times.set(`${size} ${count} ${withUnknown}`, own.whole - own.check)
      }
    }
  }
  for (const withUnknown of [false, true]) {
    const at = (size: number, count: number) => times.get(`${size} ${count} ${withUnknown}`) ?? Number.NaN
    const rowsRatio = at(1_000_000, 50) / at(100_000, 50) / 10
    const rulesRatio = at(1_000_000, 50) / at(1_000_000, 10) / 5
    judge(
      `ten times the rows, over 10${withUnknown ? ", unknown" : ""}`,
      rowsRatio,
      rowsRatio <= 1.3,
      "≤ 1.3"
    )
    judge(
      `five times the rules, over 5${withUnknown ? ", unknown" : ""}`,
      rulesRatio,
      rulesRatio <= 1.3,
      "≤ 1.3"
    )
  }
  judge("peak memory, 1M × 50", peak, peak <= 350, "≤ 350", " MiB")
  for (const part of ["loading", "workers"]) {
    const verdicts: ReadonlyArray<Verdict> = JSON.parse(alone(part))
    for (const { goal, holds, name, unit, value } of verdicts) judge(name, value, holds, goal, unit)
  }
  say("  * given fewer rows and extrapolated linearly")
  say(failed ? "FAIL" : "PASS")
  process.exitCode = failed ? 1 : 0
}

/** A part of the benchmark in a process of its own; answers what it printed. */
const alone = (part: string): string =>
  spawnSync(process.execPath, [fileURLToPath(import.meta.url), part], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"]
  }).stdout

if (Workers.isWorker) Workers.work()
else if (part === "memory") memory()
else if (part === "loading") say(JSON.stringify(Loading.run()))
else if (part === "workers") say(JSON.stringify(await Workers.run(fileURLToPath(import.meta.url))))
else await main()
