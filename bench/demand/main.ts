/**
 * Calls and time of gathering facts for the shipped policies on 1,000 campaigns × 10 items × 50 clusters, naive
 * against demand-driven, by the share of pairs that survive the cheap conditions. Prints a table; exit 1 on a miss.
 */
import * as Effect from "effect/Effect"
import * as Estimate from "../../src/engine/gather/Estimate.js"
import type { RuleSet } from "../../src/engine/language/Policy.js"
import * as Catalogue from "../../src/services/Catalogue.js"
import * as Scenario from "../../test/scenario/Scenario.js"
import * as Choice from "./Choice.js"
import { type Measured, measure, type QuotaOf } from "./Measure.js"

const size = { campaigns: 1000, itemsPerCampaign: 10, clustersPerItem: 50 }
const shares = [0.01, 0.05, 0.2]

/** Limits of a Personal token, from the operations' own declarations. */
const quota: QuotaOf = (operation) => {
  const found = Catalogue.find(operation)
  if (found === undefined) throw new Error(`no operation ${operation}`)
  return found.limits.personal
}

/** Every fact of every row, without regard to conditions: the same sources, scarce ones for every pair. */
const naive = (rules: RuleSet): Estimate.Estimate => {
  const pairs = size.campaigns * size.itemsPerCampaign
  const scopes = rules.policies.map((policy) => ({ policy, campaigns: size.campaigns, pairs, survivors: 1 }))
  return Estimate.of(size.campaigns, scopes, rules.limits, quota)
}

const sum = (calls: Readonly<Record<string, number>>): number =>
  Object.values(calls).reduce((total, count) => total + count, 0)

const hours = (ms: number): string =>
  ms < 3_600_000 ? `${(ms / 60_000).toFixed(1)} min` : `${(ms / 3_600_000).toFixed(2)} h`

/** What falls short of the goals, one line each. */
const misses = (m: Measured): ReadonlyArray<string> => {
  const scarce = m.askedPairs / m.survivingPairs
  const wall = m.wallMs / m.boundMs
  const foretold = m.estimate.slowest === undefined ? 0 : m.estimate.slowest.ms / m.wallMs
  const off = Object.entries(m.calls).filter(
    ([operation, count]) => Math.abs((m.estimate.calls[operation] ?? 0) / count - 1) > 0.05
  )
  const wasted = Object.entries(m.calls).filter(([operation, count]) => count !== m.fewest[operation])
  return [
    ...wasted.map(([operation, count]) => `${operation}: ${count} calls, ${m.fewest[operation]} would do`),
    ...(scarce > 1.01 || scarce < 1 ? [`scarce pairs ${scarce.toFixed(3)}× of survivors (≤ 1.01)`] : []),
    ...(wall > 1.05 ? [`wall ${wall.toFixed(3)}× of the bound (≤ 1.05)`] : []),
    ...(Math.abs(foretold - 1) > 0.05
      ? [`foretold time ${foretold.toFixed(3)}× of the real one (± 5%)`]
      : []),
    ...off.map(
      ([operation, count]) =>
        `${operation}: ${count} calls, foretold ${m.estimate.calls[operation] ?? 0} (± 5%)`
    )
  ]
}

const line = (m: Measured, everything: Estimate.Estimate): ReadonlyArray<string> => {
  const missed = misses(m)
  return [
    `${(m.shape.share * 100).toFixed(1)}% of pairs survive (${m.survivingPairs}): ${missed.length === 0 ? "PASS" : "FAIL"}`,
    `  calls   naive ${sum(everything.calls)}, demand-driven ${sum(m.calls)} (${(sum(everything.calls) / sum(m.calls)).toFixed(1)}× fewer)`,
    `  scarce  ${m.askedPairs} pairs asked, ${(m.askedPairs / m.survivingPairs).toFixed(3)}× of the survivors`,
    `  wall    ${hours(m.wallMs)}, ${(m.wallMs / m.boundMs).toFixed(3)}× of the bound of ${m.slowest}; naive ${hours(everything.slowest?.ms ?? 0)}; foretold ${hours(m.estimate.slowest?.ms ?? 0)}`,
    ...Object.entries(m.calls).map(
      ([operation, count]) =>
        `    ${operation.padEnd(22)} ${String(count).padStart(6)}   foretold ${String(m.estimate.calls[operation] ?? 0).padStart(6)}   naive ${String(everything.calls[operation] ?? 0).padStart(6)}`
    ),
    ...missed.map((miss) => `  MISS    ${miss}`)
  ]
}

/** Nights: quiet ones, quiet ones with our own changes on top, and rough ones. The goal is for the first. */
const nights = {
  quiet: { applied: false, drift: 0.03, jumps: 0.01, edits: 0.02 },
  applied: { applied: true, drift: 0.03, jumps: 0.01, edits: 0.02 },
  rough: { applied: false, drift: 0.08, jumps: 0.03, edits: 0.05 }
}

/** Accounts the goal is judged on; the ranking was tuned on the first alone. */
const seeds = [1, 2, 3]

/** Plan value over that of the best k of a plan that knows everything; answers whether the goal is met on average. */
const choice = (name: keyof typeof nights, share: number) =>
  Effect.gen(function* () {
    const values: Array<number> = []
    for (const seed of name === "quiet" ? seeds : [1]) {
      const compared = yield* Choice.compare(share, seed, nights[name])
      const { byArrival, bySpend, ceiling, k, ours, pairs } = compared
      process.stdout.write(
        `${name.padEnd(8)} account ${seed}: ${k} of ${pairs} pairs asked\n` +
          `  ours ${said(ours)}, by spend ${said(bySpend)}, as they come ${said(byArrival)}, knowing yesterday ${said(ceiling)}\n`
      )
      values.push(ours.warm)
    }
    if (name !== "quiet") return false
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const isShort = mean < goal
    process.stdout.write(`  on average ${mean.toFixed(3)}: ${isShort ? "MISS" : "PASS"} (≥ ${goal})\n`)
    return isShort
  })

const goal = 0.95

const said = (ratios: Choice.Ratios): string =>
  `${ratios.cold.toFixed(3)} → ${ratios.warm.toFixed(3)} (worst ${ratios.worst.toFixed(3)})`

const program = Effect.gen(function* () {
  const rules = Scenario.check(Scenario.shippedRules().filter(({ path }) => /0[123]-|_shared/.test(path)))
  const everything = naive(rules)
  let failed = false
  for (const share of shares) {
    const measured = yield* measure(rules, { ...size, share }, quota)
    failed ||= misses(measured).length > 0
    process.stdout.write(`${line(measured, everything).join("\n")}\n\n`)
  }
  process.stdout.write(
    `Plan value with k recommendations over the best k of full information: first day → second half of ${Choice.days} days\n`
  )
  for (const share of [0.05, 0.1, 0.25, 0.5]) failed = (yield* choice("quiet", share)) || failed
  for (const share of [0.1, 0.5]) yield* choice("applied", share)
  yield* choice("rough", 0.1)
  process.stdout.write(failed ? "FAIL\n" : "PASS\n")
  process.exitCode = failed ? 1 : 0
})

void Effect.runPromise(program)
