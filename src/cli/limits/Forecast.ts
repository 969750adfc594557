/**
 * Which rules fit which token: the reading calls of one run, how long the limits make it take, and how often it may
 * run while it leaves other tools a fifth of every limit (field note T03). Pure.
 */
import * as Estimate from "../../engine/gather/Estimate.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as Catalogue from "../../services/Catalogue.js"
import type { TokenKind } from "../../services/Limiter.js"
import * as Operation from "../../services/Operation.js"
import * as Duration from "../terminal/Duration.js"

/** Kinds that are compared; Base with a secret has the limits of Personal. */
export const kinds = ["personal", "service", "base"] as const satisfies ReadonlyArray<TokenKind>

/** Share of a limit that a cadence may use. */
export const usableShare = 0.8

/** What the rules work on. `scopes` has one entry per policy that is not disabled, in their order. */
export interface Sizes {
  readonly campaigns: number
  readonly pairs: number
  readonly scopes: ReadonlyArray<Estimate.Scope>
}

/** One token kind against the calls of a run. */
export interface Fit {
  readonly kind: TokenKind
  /** Operations this kind is not served: the rules cannot run with it. Empty in every other case. */
  readonly notServed: ReadonlyArray<string>
  /** Time one run takes at least, and the shortest time between two runs, milliseconds; undefined means never. */
  readonly runMs: number | undefined
  readonly cadenceMs: number | undefined
  /** Limit group that decides the cadence. */
  readonly decidedBy: string | undefined
}

export interface Row {
  /** Name of the policy; undefined for all together. */
  readonly policy: string | undefined
  readonly calls: Readonly<Record<string, number>>
  readonly fits: ReadonlyArray<Fit>
}

/** One row per policy and, when there are several, one for all of them in one run. */
export const rows = (
  { campaigns, scopes }: Sizes,
  rules: RuleSet,
  spared: ReadonlySet<string> = new Set()
): ReadonlyArray<Row> => {
  const row = (policy: string | undefined, scoped: ReadonlyArray<Estimate.Scope>): Row => {
    const { calls } = Estimate.of(campaigns, scoped, rules.limits, () => undefined)
    return { policy, calls, fits: kinds.map((kind) => against(calls, kind, spared)) }
  }
  const single = scopes.map((scope) => row(scope.policy.name, [scope]))
  return scopes.length > 1 ? [...single, row(undefined, scopes)] : single
}

/** Scopes of an account that is only assumed: every campaign and item is in scope of every policy. */
export const assumed = (
  rules: RuleSet,
  account: { readonly campaigns: number; readonly items: number },
  survivors: number
): Sizes => {
  const { campaigns } = account
  const pairs = campaigns * account.items
  const policies = rules.policies.filter((policy) => policy.mode !== "disabled")
  return { campaigns, pairs, scopes: policies.map((policy) => ({ policy, campaigns, pairs, survivors })) }
}

/** `spared` operations may fail: the configuration holds what they would tell. */
export const against = (
  calls: Readonly<Record<string, number>>,
  kind: TokenKind,
  spared: ReadonlySet<string> = new Set()
): Fit => {
  const groups = new Map<string, { calls: number; limit: Operation.Limit }>()
  const notServed: Array<string> = []
  for (const [operation, count] of Object.entries(calls)) {
    const entry = Catalogue.find(operation)
    const limit = entry && Operation.prudentLimitOf(entry, kind)
    if (entry === undefined || limit === undefined) {
      if (!spared.has(operation)) notServed.push(operation)
      continue
    }
    const sum = (groups.get(entry.limitGroup)?.calls ?? 0) + count
    groups.set(entry.limitGroup, { calls: sum, limit })
  }
  if (notServed.length > 0)
    return { kind, notServed, runMs: undefined, cadenceMs: undefined, decidedBy: undefined }
  const needs = [...groups].map(([group, { calls: count, limit }]) => ({
    group,
    runMs: Estimate.atLeastMs(count, limit),
    cadenceMs: Math.ceil((count * limit.intervalMs) / usableShare)
  }))
  const slowest = needs.reduce<(typeof needs)[number] | undefined>(
    (a, b) => (a === undefined || b.cadenceMs > a.cadenceMs ? b : a),
    undefined
  )
  return {
    kind,
    notServed,
    runMs: Math.max(0, ...needs.map((need) => need.runMs)),
    cadenceMs: slowest?.cadenceMs ?? 0,
    decidedBy: slowest?.group
  }
}

/** The rows for a terminal. */
export const text = (all: ReadonlyArray<Row>): string =>
  all.map((row) => [row.policy ?? "all rules in one run", ...about(row)].join("\n")).join("\n\n")

const about = ({ calls, fits }: Row): ReadonlyArray<string> => {
  const counted = Object.entries(calls).map(([operation, count]) => `${operation} ${count}`)
  const lines = fits.map(({ cadenceMs, decidedBy, kind, notServed, runMs }) => {
    const name = `  ${kind.padEnd(8)}  `
    if (runMs === undefined || cadenceMs === undefined)
      return `${name}never: ${notServed.join(", ")} ${notServed.length === 1 ? "is" : "are"} not served`
    return `${name}${took(runMs).padEnd(26)}  every ${Duration.format(cadenceMs)} or slower (${decidedBy})`
  })
  return [`  calls     ${counted.join(", ")}`, ...lines]
}

const took = (ms: number): string =>
  ms === 0 ? "a run waits for no limit" : `a run takes ${Duration.format(ms)}`

/** The rows for machines: `null` means never. */
export const json = (all: ReadonlyArray<Row>) =>
  all.map(({ calls, fits, policy }) => ({
    policy: policy ?? null,
    calls,
    tokens: fits.map(({ cadenceMs, decidedBy, kind, notServed, runMs }) => ({
      kind,
      runMs: runMs ?? null,
      shortestCadenceMs: cadenceMs ?? null,
      decidedBy: decidedBy ?? null,
      notServed
    }))
  }))
