/** Looks for a planted bug on one seed after the other, until its invariant says that it does not hold. */
import * as Run from "../chaos/Run.js"
import * as Invariants from "../invariants/All.js"
import type { Bug } from "./Bug.js"

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
  const { events = [], hours = 1, invariants, misread, name, rules, seed: first = 1, wrap } = bug
  const invariant = invariants[0]!
  const began = performance.now()
  for (let seeds = 1; seeds <= mostSeeds; seeds++) {
    const seed = first + seeds - 1
    const { observed } = await Run.run({ seed, hours, wrap, events, versions: [misread ?? rules] })
    for (const cycle of observed.cycles) Object.assign(cycle, { rules })
    const broken = new Set(Invariants.check(observed).map((violation) => violation.invariant))
    const seconds = (performance.now() - began) / 1000
    if (broken.has(invariant)) {
      const others = [...broken].filter((one) => !invariants.includes(one)).sort((a, b) => a - b)
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

/** Invariants that the bug's own story breaks without it: when there are any, the bug proves nothing. */
export const without = async ({ events = [], hours = 1, rules, seed = 1 }: Bug) => {
  const { observed } = await Run.run({ seed, hours, events, versions: [rules] })
  const broken = Invariants.check(observed).map(({ invariant }) => invariant)
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
