/** What many seeds came to: figures, what happened how often, what did not hold, and what did not repeat itself. */
import type { Violation } from "./chaos/Record.js"

/** One seed, as a child process tells it. */
export interface Line {
  readonly seed: number
  readonly hash: string
  /** The seed was run twice and did not do the same. */
  readonly isUnsteady: boolean
  readonly violations: ReadonlyArray<Violation>
  readonly seconds: number
  /** Of the processor, for one run of the seed. */
  readonly cpuSeconds: number
  readonly heapBytes: number
  readonly figures: Figures
  readonly counts: Readonly<Record<string, number>>
}

export interface Figures {
  readonly runs: number
  readonly requests: number
  readonly writes: number
  readonly deposits: number
  readonly lives: number
  readonly events: number
}

export interface Summary {
  readonly seeds: number
  readonly hours: number
  readonly virtualHours: number
  readonly seconds: number
  readonly seedsPerSecond: number
  /** Of the processor, for one account and one day. */
  readonly cpuSecondsPerSeedDay: number
  readonly peakHeapMebibytes: number
  readonly runTwice: number
  readonly unsteady: ReadonlyArray<number>
  readonly figures: Figures
  /** What happened, and how often; what never did is there with 0. */
  readonly counts: Readonly<Record<string, number>>
  /** Kinds that should have happened and did not. */
  readonly never: ReadonlyArray<string>
  readonly violations: number
  /** What did not hold, by seed and time. */
  readonly broken: ReadonlyArray<{
    readonly seed: number
    readonly invariant: number
    readonly at: string
    readonly what: string
  }>
  readonly byInvariant: Readonly<Record<string, number>>
  readonly failing: ReadonlyArray<{ readonly seed: number; readonly invariants: ReadonlyArray<number> }>
}

export interface About {
  readonly hours: number
  readonly seconds: number
  readonly runTwice: number
  /** Kinds that must have happened in a run of many seeds. */
  readonly expected: ReadonlyArray<string>
}

export const of = (lines: ReadonlyArray<Line>, { expected, hours, runTwice, seconds }: About): Summary => {
  const sum = (pick: (line: Line) => number) => lines.reduce((total, line) => total + pick(line), 0)
  const counts: Record<string, number> = Object.fromEntries(expected.map((kind) => [kind, 0]))
  const byInvariant: Record<string, number> = {}
  for (const line of lines) {
    for (const [kind, n] of Object.entries(line.counts)) counts[kind] = (counts[kind] ?? 0) + n
    for (const { invariant } of line.violations) byInvariant[invariant] = (byInvariant[invariant] ?? 0) + 1
  }
  const inOrder = [...lines].sort((a, b) => a.seed - b.seed)
  const virtualHours = lines.length * hours
  const cpuSeconds = sum((line) => line.cpuSeconds)
  const figure = (name: keyof Figures) => sum(({ figures }) => figures[name])
  return {
    seeds: lines.length,
    hours,
    virtualHours,
    seconds: Math.round(seconds),
    seedsPerSecond: Number((lines.length / seconds).toFixed(2)),
    cpuSecondsPerSeedDay: Number(((cpuSeconds * 24) / Math.max(1, virtualHours)).toFixed(2)),
    peakHeapMebibytes: Math.round(Math.max(0, ...lines.map(({ heapBytes }) => heapBytes)) / 2 ** 20),
    runTwice,
    unsteady: inOrder.filter(({ isUnsteady }) => isUnsteady).map(({ seed }) => seed),
    figures: {
      runs: figure("runs"),
      requests: figure("requests"),
      writes: figure("writes"),
      deposits: figure("deposits"),
      lives: figure("lives"),
      events: figure("events")
    },
    counts: Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))),
    never: Object.keys(counts)
      .filter((kind) => counts[kind] === 0)
      .sort(),
    broken: inOrder.flatMap(({ seed, violations }) =>
      violations.map(({ at, invariant, what }) => ({ seed, invariant, at: new Date(at).toISOString(), what }))
    ),
    violations: sum(({ violations }) => violations.length),
    byInvariant,
    failing: inOrder
      .filter(({ violations }) => violations.length > 0)
      .map(({ seed, violations }) => ({
        seed,
        invariants: [...new Set(violations.map(({ invariant }) => invariant))].sort((a, b) => a - b)
      }))
  }
}

/** What does not hold of a seed, one line each, with the command that shows it again. */
export const broken = ({ seed, violations }: Line, hours: number): string =>
  violations
    .map(
      ({ at, entries, invariant, what }) =>
        `seed ${seed} ${new Date(at).toISOString()} invariant ${invariant}: ${what} (ledger ${entries.join(", ")}); ${again(seed, hours)}\n`
    )
    .join("")

const again = (seed: number, hours: number): string =>
  `npm run sim -- --hours ${hours} --seed ${seed} --trace`

export const print = (summary: Summary): string => {
  const { byInvariant, counts, failing, figures, hours, peakHeapMebibytes, runTwice, seconds, seeds } =
    summary
  const list = Object.entries(counts).map(([kind, n]) => `  ${String(n).padStart(7)} ${kind}`)
  const wrong = Object.entries(byInvariant).map(([invariant, n]) => `${invariant}: ${n}`)
  return [
    `${seeds} seeds of ${hours} h, ${summary.virtualHours} virtual hours in ${seconds} s; ${summary.seedsPerSecond} seeds a second, ${summary.cpuSecondsPerSeedDay} s of processor time a seed-day; peak heap ${peakHeapMebibytes} MiB`,
    `${figures.runs} turns, ${figures.requests} requests, ${figures.writes} writes, ${figures.deposits} deposits, ${figures.lives} lives, ${figures.events} events`,
    ...list,
    ...(summary.never.length === 0 ? [] : [`never happened: ${summary.never.join(", ")}`]),
    `${runTwice} seeds were run twice, ${summary.unsteady.length} did not do the same${summary.unsteady.length === 0 ? "" : `: ${summary.unsteady.join(", ")}`}`,
    `${summary.violations} violations${wrong.length === 0 ? "" : ` (by invariant ${wrong.join(", ")})`}`,
    ...summary.broken.map(
      ({ at, invariant, seed, what }) => `  seed ${seed} ${at} invariant ${invariant}: ${what}`
    ),
    ...failing.map(
      ({ invariants, seed }) => `  seed ${seed}: ${invariants.join(", ")}; ${again(seed, hours)}`
    ),
    ""
  ].join("\n")
}
