/** One who answers the drawn rules, in a process of its own that stays: ready once, then asked over and over. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as V8 from "../../src/cli/plain/V8.js"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import type { Table } from "../../src/engine/facts/Table.js"
import * as Match from "../../src/engine/gather/Match.js"
import * as Load from "../../src/engine/language/Load.js"
import type { Policy, RuleSet } from "../../src/engine/language/Policy.js"
import * as ActionValues from "./ActionValues.js"
import * as Columns from "./Columns.js"
import * as Loop from "./Loop.js"
import * as Peers from "./Peers.js"
import * as Rules from "./Rules.js"

export type Name = "Bidhelm" | Loop.Way | Peers.PeerName

export interface Task {
  readonly name: Name
  readonly rows: number
  readonly rules: number
  readonly seed: number
  /** Share of values that are unknown. */
  readonly unknown: number
}

/** By rule: how many rows match, the sum of their numbers, and of the values of the action. */
export interface Fingerprint {
  readonly counts: ReadonlyArray<number>
  readonly sums: ReadonlyArray<number>
  readonly values: ReadonlyArray<number>
}

export interface Answer {
  readonly print: Fingerprint
  readonly cpuMs: number
  readonly peakMiB: number
  /** How many rows this one was given. */
  readonly rows: number
  /** Rows that nobody can decide on. */
  readonly undecided: number
}

/** The account's seed; the rules have another. */
const accountSeed = 20_261_124

interface Ready {
  readonly rows: number
  readonly run: () => Promise<Fingerprint> | Fingerprint
  readonly undecided?: () => number
}

const prepare = async ({ name, rows, rules: count, seed, unknown }: Task): Promise<Ready> => {
  const most =
    name === "Bidhelm" || Loop.ways.some((way) => way === name)
      ? rows
      : Math.min(rows, Peers.mostRows(name as Peers.PeerName))
  // The figures of the rules come from the same first rows for all.
  const files = Rules.files(count, seed, Columns.make(Math.min(rows, 100_000), accountSeed, 0))
  const rules = Load.check(files).ruleSet!
  if (name === "Bidhelm") return ofBidhelm(rules, Columns.table(rows, accountSeed, unknown))
  const columns = Columns.make(most, accountSeed, 0)
  if (name === "tests end early" || name === "lists narrowed") {
    const run = Loop.compile(rules.policies, columns, name)
    return { rows, run: () => printed(run()) }
  }
  return Peers.prepare(name, rules.policies, columns, Columns.table(most, accountSeed, 0))
}

/** As a cycle asks: what matches, and what the matching rule's action is worth on each row. */
const ofBidhelm = ({ policies }: RuleSet, table: Table): Ready => {
  let undecided = 0
  return {
    rows: table.size,
    run: () => {
      const found = Match.all(policies, { table: (each) => table.view(each) })
      undecided = found.flatMap(({ rules }) => rules).reduce((sum, one) => sum + one.undecided.rows.length, 0)
      return printed(
        found.flatMap(({ policy, rules }) =>
          rules.map(({ matched }, rule) => ({
            rows: matched,
            values: valuesOf(policy.rules[rule]!, table, matched)
          }))
        )
      )
    },
    undecided: () => undecided
  }
}

const valuesOf = (rule: Policy["rules"][number], table: Table, rows: Int32Array) => ({
  *[Symbol.iterator]() {
    for (const expr of ActionValues.of(rule.action)) yield Evaluate.numbers(expr, table, rows).values
  }
})

/** The values of one expression at a time, so that nobody needs room for all of them. */
const printed = (
  found: ReadonlyArray<{ readonly rows: Int32Array; readonly values: Iterable<Float64Array> }>
): Fingerprint => {
  const values: Array<number> = []
  for (const one of found) for (const some of one.values) values.push(total(some))
  return { counts: found.map(({ rows }) => rows.length), sums: found.map(({ rows }) => total(rows)), values }
}

const total = (numbers: Int32Array | Float64Array): number => {
  let sum = 0
  for (let i = 0; i < numbers.length; i++) sum += numbers[i]!
  return sum
}

// The process.

export const isChild = process.argv[2] === "contender"

export const serve = async (): Promise<void> => {
  const task: Task = JSON.parse(process.argv[3]!)
  if (task.name === "Bidhelm") V8.tune()
  const ready = await prepare(task)
  process.on("message", async () => {
    const before = process.cpuUsage()
    const print = await ready.run()
    const { system, user } = process.cpuUsage(before)
    const answer: Answer = {
      print,
      cpuMs: (system + user) / 1000,
      peakMiB: process.resourceUsage().maxRSS / 1024,
      rows: ready.rows,
      undecided: ready.undecided?.() ?? 0
    }
    process.send!(answer)
  })
  process.send!("ready")
}

/** Somebody to ask. */
export interface Contender {
  readonly ask: () => Promise<Answer>
  readonly end: () => void
}

export const start = async (task: Task): Promise<Contender> => {
  const child = fork(fileURLToPath(import.meta.url), ["contender", JSON.stringify(task)], {
    serialization: "advanced"
  })
  await once(child, "message")
  return {
    ask: async () => {
      child.send("go")
      const [answer] = await once(child, "message")
      return answer
    },
    end: () => child.kill()
  }
}
