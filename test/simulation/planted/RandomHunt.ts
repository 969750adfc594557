/**
 * Every planted bug on ordinary random seeds, whose rules and events know nothing of it: how many find it, and by which
 * invariants. The program without a bug breaks none, so whatever breaks is a find.
 */
import * as Assemblies from "../chaos/Assemblies.js"
import type { Bug } from "./Bug.js"
import * as Plant from "./Plant.js"

/** What a process tells of one seed. */
export interface Line {
  readonly seed: number
  readonly broken: ReadonlyArray<number>
}

export interface Found {
  readonly name: string
  readonly isInSource: boolean
  /** The one it is planted for. */
  readonly invariant: number
  /** Seeds that were tried; fewer than asked where enough had found it. */
  readonly tried: number
  /** Of those tried, ascending. */
  readonly seeds: ReadonlyArray<number>
  /** Invariants that broke, and on how many seeds. */
  readonly broken: Readonly<Record<string, number>>
}

export interface Options {
  readonly from: number
  readonly seeds: number
  readonly hours: number
  /** No more seeds are tried once so many have found a bug. */
  readonly enough: number
}

/** Tries a bug on one seed after the other, in a process of its own. */
export const hunt = async (
  { invariants, isOfOrders, name, plant }: Bug,
  options: Options
): Promise<Found> => {
  const { enough, from, hours, seeds } = options
  const module = plant === undefined ? undefined : await Plant.bundle(name, plant)
  const lines: Array<Line> = []
  const finds = () => lines.filter(({ broken }) => broken.length > 0)
  const all = Array.from({ length: seeds }, (_, n) => from + n)
    .filter((seed) => isOfOrders !== true || Assemblies.has(seed))
    .join(",")
  await Plant.run(module, ["--bug", name, "--only", all, "--hours", `${hours}`], (line) => {
    lines.push(JSON.parse(line))
    return finds().length < enough
  })
  const broken: Record<string, number> = {}
  for (const one of lines.flatMap((line) => line.broken)) broken[one] = (broken[one] ?? 0) + 1
  return {
    name,
    isInSource: plant !== undefined,
    invariant: invariants[0]!,
    tried: lines.length,
    seeds: finds().map(({ seed }) => seed),
    broken
  }
}

/** A table for `docs/simulation-faults.md`, by invariant. */
export const print = (found: ReadonlyArray<Found>, { from, hours, seeds }: Options): string => {
  const missed = found.filter((one) => one.seeds.length === 0)
  const rows = [...found].sort((a, b) => a.invariant - b.invariant).map((one) => row(one))
  return [
    `planted bugs on seeds ${from} to ${from + seeds - 1} × ${hours} h:`,
    "| invariant | planted bug | found by | first | broke (seeds) |",
    "|---|---|---|---|---|",
    ...rows,
    `${found.length - missed.length} of ${found.length} found`,
    ""
  ].join("\n")
}

/** One bug's line of the table. */
export const row = ({ broken, invariant, isInSource, name, seeds, tried }: Found): string => {
  const broke = Object.entries(broken)
    .sort(([a, m], [b, n]) => n - m || Number(a) - Number(b))
    .map(([one, times]) => `${one} (${times})`)
  return `| ${invariant} | ${name}${isInSource ? " (source)" : ""} | ${seeds.length} of ${tried} | ${seeds[0] ?? "none"} | ${broke.join(", ")} |`
}
