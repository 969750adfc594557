/** Looks for a planted bug on one seed after the other, until its invariant says that it does not hold. */
import type { RuleSet } from "../../../src/engine/language/Policy.js"
import type { Event } from "../chaos/Events.js"
import * as Run from "../chaos/Run.js"
import * as Invariants from "../invariants/All.js"
import type { Bug } from "./Bug.js"
import * as Plant from "./Plant.js"

export interface Found {
  readonly name: string
  readonly invariant: number
  /** The seed that showed it; undefined when none of them did. */
  readonly seed: number | undefined
  /** Invariants that broke beside those that the bug cannot help breaking. */
  readonly others: ReadonlyArray<number>
  readonly seeds: number
  readonly seconds: number
}

/** Tries at most so many seeds, from the bug's own on. */
export const hunt = async (bug: Bug, mostSeeds: number): Promise<Found> => {
  const { invariants, name, plant, seed: first = 1 } = bug
  const invariant = invariants[0]!
  const began = performance.now()
  const module = plant === undefined ? undefined : await Plant.bundle(name, plant)
  for (let seeds = 1; seeds <= mostSeeds; seeds++) {
    const seed = first + seeds - 1
    const broken = module === undefined ? await story(bug, seed) : await elsewhere(module, name, seed)
    const seconds = (performance.now() - began) / 1000
    if (broken.includes(invariant)) {
      const others = broken.filter((one) => !invariants.includes(one))
      return { name, invariant, seed, others, seeds, seconds }
    }
  }
  return {
    name,
    invariant,
    seed: undefined,
    others: [],
    seeds: mostSeeds,
    seconds: (performance.now() - began) / 1000
  }
}

/** The story of a bug in the source that runs there, in a process of its own. */
const elsewhere = async (module: string, name: string, seed: number): Promise<ReadonlyArray<number>> => {
  let broken: ReadonlyArray<number> = []
  await Plant.run(module, ["--bug", name, "--story", `${seed}`], (line) => {
    broken = JSON.parse(line)
    return true
  })
  return broken
}

/** The invariants that the bug breaks in its own story, ascending. */
export const story = ({ events = [], hours = 1, rules, ...bug }: Bug, seed: number) =>
  brokenBy(bug, { seed, hours, events, versions: [rules] })

/** The invariants that the bug breaks on an ordinary seed, ascending. */
export const ordinary = (bug: Bug, seed: number, hours: number) =>
  brokenBy(bug, { seed, hours, ...(bug.isOfOrders === true ? Run.ofOrders : Run.drawn)(seed, hours) })

/** Invariants that the bug's own story breaks without it: when there are any, the bug proves nothing. */
export const without = ({ events = [], hours = 1, rules, seed = 1 }: Bug) =>
  brokenBy({}, { seed, hours, events, versions: [rules] })

interface Asked {
  readonly buyers?: boolean
  readonly seed: number
  readonly hours: number
  readonly events: ReadonlyArray<Event>
  readonly versions: ReadonlyArray<RuleSet>
}

/** The engine is given what it misreads, and judged by what was written. */
const brokenBy = async (
  { misread = (rules) => rules, name, plant, wrap }: Partial<Bug>,
  { versions, ...asked }: Asked
): Promise<ReadonlyArray<number>> => {
  if (plant !== undefined && Plant.inThisSource() !== name) throw new Error(`"${name}" is not in this source`)
  const given = versions.map((rules) => [misread(rules), rules] as const)
  const written = new Map(given)
  const { observed } = await Run.run({ ...asked, wrap: wrap ?? {}, versions: given.map(([read]) => read) })
  for (const cycle of observed.cycles)
    Object.assign(cycle, { rules: written.get(cycle.rules) ?? cycle.rules })
  const broken = Invariants.check({ ...observed, versions }).map(({ invariant }) => invariant)
  return [...new Set(broken)].sort((a, b) => a - b)
}

/** One line for each bug: invariant, seed, what it is. */
export const print = (found: ReadonlyArray<Found>): string =>
  [
    "planted bugs:",
    "  inv.   seed  bug",
    ...[...found]
      .sort((a, b) => a.invariant - b.invariant)
      .map(({ invariant, name, others, seed, seeds }) => {
        const where = seed === undefined ? "none" : String(seed)
        const more = seed === undefined ? ` (not found on ${seeds} seeds)` : also(others)
        return `  ${String(invariant).padStart(4)} ${where.padStart(6)}  ${name}${more}`
      }),
    `${found.filter(({ seed }) => seed !== undefined).length} of ${found.length} found`,
    ""
  ].join("\n")

const also = (others: ReadonlyArray<number>): string =>
  others.length === 0 ? "" : ` (broke ${others.join(", ")} too)`
