/**
 * Fetches the facts a rule set needs, in as few calls as possible. Every campaign flows through its policies' stages
 * by itself, cheap facts first; its keys meet those of other campaigns at the desks, where they leave as full calls.
 * Only rows whose cheaper conditions are true go on, so scarce facts are asked for survivors alone. A fact that did
 * not arrive is unknown, with its reason, and a cluster that a statistic leaves out is absent, never zero.
 */
import * as Effect from "effect/Effect"
import type { CampaignId } from "../../domain/Ids.js"
import * as FactRefs from "../facts/FactRefs.js"
import * as Needs from "../facts/Needs.js"
import type { Table } from "../facts/Table.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { AccountLimits, Each, Policy, RuleSet } from "../language/Policy.js"
import * as Flow from "./Flow.js"
import * as Office from "./Office.js"
import { FactSource, type SourceFailure } from "./Ports.js"

export interface Gathered {
  /** Rows of a kind with their facts; coarser facts are shared between the kinds. */
  readonly table: (each: Each) => Table
  /** Instant the windows are counted from, epoch milliseconds. */
  readonly nowMs: number
  readonly currency: string
  /** Calls made, by operation id. */
  readonly calls: Readonly<Record<string, number>>
  readonly failures: ReadonlyArray<SourceFailure>
  /** Keys left unasked for want of scarce calls, by operation id. */
  readonly left: Readonly<Record<string, number>>
}

export interface GatherOptions extends Office.OfficeOptions {
  /** Told once, when the settings of all campaigns are known and the expensive part has just begun. */
  readonly onScope?: (campaigns: number, table: (each: Each) => Table) => Effect.Effect<void>
}

/** Gathers for every policy that is not disabled. Failing sources leave their facts unknown; this never fails. */
export const run = (rules: RuleSet, options: GatherOptions): Effect.Effect<Gathered, never, FactSource> =>
  Effect.scoped(
    Effect.gen(function* () {
      const source = yield* FactSource
      const policies = rules.policies.filter((policy) => policy.mode !== "disabled")
      const office = yield* Office.open(options, wantedFacts(policies, rules.limits))
      const list = yield* source.campaigns
      office.ledger.failures.push(...list.failures)
      office.ledger.stopped = list.failures.some((failure) => failure.stopsAccount)
      const count = list.ids.length
      office.desk(campaigns).expect("local", count)
      const flows = policies.map((policy) => Flow.make(policy, Needs.of(policy, rules.limits), office, count))
      let settingsKnown = 0
      const scopeKnown = Effect.suspend(() => {
        settingsKnown += 1
        return settingsKnown === count && options.onScope !== undefined
          ? options.onScope(count, (each) => office.table(each))
          : Effect.void
      })
      const one = (campaignId: CampaignId) =>
        office
          .learn([campaigns], "local", () => [{ campaignId }])
          .pipe(
            Effect.zipRight(scopeKnown),
            Effect.zipRight(Effect.forEach(flows, (flow) => Flow.run(flow, campaignId), allAtOnce))
          )
      yield* Effect.forEach(list.ids, one, allAtOnce)
      return {
        table: (each) => office.table(each),
        nowMs: office.nowMs,
        currency: yield* source.currency,
        calls: yield* source.calls,
        failures: office.ledger.failures,
        left: Object.fromEntries([...office.ledger.left].sort())
      } satisfies Gathered
    })
  ).pipe(Effect.withSpan("Gather.run"))

const campaigns: Needs.SourceNeed = { source: "campaigns" }
const allAtOnce = { concurrency: "unbounded", discard: true } as const

/** Of statistics, only what some policy names, and the spend and views that the money estimate is made of. */
const wantedFacts = (policies: ReadonlyArray<Policy>, limits: AccountLimits): ReadonlySet<string> => {
  const guards = [...limits.neverTouch, ...limits.campaigns.flatMap((campaign) => campaign.where)]
  const named = [...FactRefs.ofClauses(guards), ...policies.flatMap(FactRefs.ofPolicy)]
  const wanted = new Set(named.map((ref) => ref.id))
  for (const fact of Vocabulary.facts) {
    if (!fact.windowed || /\.(spend|views)$/.test(fact.id)) wanted.add(fact.id)
  }
  return wanted
}
