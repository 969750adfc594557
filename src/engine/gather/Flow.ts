/**
 * The way of one policy's rows through its stages, a group of campaigns at a time: learn what the stage needs, keep the rows
 * whose conditions are true, go on with those. Rows that drop out keep what is known about them.
 */
import * as Effect from "effect/Effect"
import type { CampaignId } from "../../domain/Ids.js"
import type * as Target from "../../domain/Target.js"
import * as Evaluate from "../facts/Evaluate.js"
import * as FactRefs from "../facts/FactRefs.js"
import * as Funnel from "../facts/Funnel.js"
import * as Kleene from "../facts/Kleene.js"
import type { Needs, SourceNeed } from "../facts/Needs.js"
import { type Source, sources } from "../facts/Sources.js"
import type { Table } from "../facts/Table.js"
import type { Policy, SumExpr } from "../language/Policy.js"
import * as Claims from "./Claims.js"
import type { Phase } from "./Desk.js"
import type { FactSource } from "./FactSource.js"
import type { Ask, KeysOf, Office } from "./Office.js"

interface Stop {
  readonly phase: Phase
  readonly asks: ReadonlyArray<Ask>
  /** One per rule, with the clauses answered at this stop; of several rules also those answered before. */
  readonly steps: ReadonlyArray<Funnel.Step>
  /** True where a cluster policy's rows become known: before it, its rows are the items. */
  readonly listsRows: boolean
}

export interface Flow {
  readonly policy: Policy
  readonly stops: ReadonlyArray<Stop>
  readonly office: Office
}

/** Prepares a policy's way and announces its `groups` of campaigns to the desks they will visit. */
export const make = (policy: Policy, needs: Needs, office: Office, groups: number): Flow => {
  const stops = stopsOf(policy, needs)
  const urgency = leadsToScarce(needs) ? 0 : 1
  for (const stop of stops) {
    for (const ask of stop.asks) {
      const desk = office.desk(ask)
      desk.expect(ask.phase ?? stop.phase, groups)
      desk.urgency = Math.min(desk.urgency, urgency)
    }
  }
  return { policy, stops, office }
}

/** Policies that lead to scarce calls get their statistics first, so that those calls start early. */
const leadsToScarce = (needs: Needs): boolean => needs.stages.some((stage) => stage.cost === "scarce")

/**
 * True for rows that belong to many campaigns, or add up what others have: such a policy makes its way once, when all settings are known. It waits
 * for nothing else that others bring later than it, so nobody waits in a circle.
 */
export const isWide = (policy: Policy): boolean =>
  isAcross[policy.each] || FactRefs.sumsBeyond(policy).length > 0

/** Whether rows of a level belong to no one campaign. */
const isAcross: Readonly<Record<Policy["each"], boolean>> = {
  account: true,
  campaign: false,
  promotion: true,
  item: true,
  campaign_item: false,
  promotion_item: true,
  cluster: false
}

/** Takes a group of campaigns, whose settings are known, all the way; without campaigns, all rows at once. */
export const run = (
  flow: Flow,
  campaigns?: ReadonlyArray<CampaignId>
): Effect.Effect<void, never, FactSource> =>
  Effect.gen(function* () {
    const { office, policy, stops } = flow
    const items = office.table("campaign_item")
    let table = policy.each === "cluster" ? items : office.table(policy.each)
    let rows = rowsOf(table, campaigns)
    let listed = policy.each !== "cluster"
    const settled: Array<number> = []
    let foreseen: number | undefined
    for (const [at, stop] of stops.entries()) {
      if (stop.phase === "actions") rows = [...settled, ...rows].sort((a, b) => a - b)
      if (rows.length === 0) {
        const pass = (ask: Ask) => office.desk(ask).pass(ask.phase ?? stop.phase, foreseen)
        yield* Effect.forEach(stop.asks, pass, { discard: true })
        continue
      }
      const asked = { table, rows, foreseen }
      const ownKeys = keysOf(campaigns, table, rows, items)
      const keysFor: KeysOf = (source, { sums = [] }) =>
        sums.length === 0
          ? ownKeys(source)
          : [...ownKeys(source), ...beyond(source, sums, asked.table, asked.rows)]
      yield* office.learn(stop.asks, stop.phase, keysFor, (keys) => ({
        policy: policy.id,
        foreseen: asked.foreseen,
        claims: (old) => Claims.of(policy, asked.table, asked.rows, keys, old, office.nowMs)
      }))
      if (stop.listsRows) {
        const clusters = office.table("cluster")
        rows = table.keys("campaign_item", rows).flatMap((pair) => clusters.rowsUnder(pair))
        table = clusters
        listed = true
      }
      const found = Funnel.sift(stop.steps, table, rows)
      // Rows that know their rule need nothing but what its action reads.
      if (listed) settled.push(...found.settled)
      rows = listed ? found.open : [...found.settled, ...found.open].sort((a, b) => a - b)
      const left = keysOf(campaigns, table, [...settled, ...rows], items)
      foreseen = yield* foresee(flow, at, foreseen, left)
    }
  })

/** Tells the scarce desks that lie ahead how many keys may still come, so that they know whether calls suffice. */
const foresee = (
  { office, stops }: Flow,
  at: number,
  before: number | undefined,
  left: (source: Source) => ReadonlyArray<Target.Subject>
): Effect.Effect<number | undefined, never, FactSource> => {
  const ahead = stops
    .slice(at + 1)
    .flatMap((stop) => stop.asks.map((ask) => ({ ...ask, phase: ask.phase ?? stop.phase })))
    .filter(isScarce)
  if (ahead.length === 0) return Effect.succeed(before)
  const now = Math.max(...ahead.map((ask) => left(sources[ask.source]).length))
  const tell = (ask: (typeof ahead)[number]) => office.desk(ask).foresee(ask.phase, before, now)
  return Effect.as(Effect.forEach(ahead, tell, { discard: true }), now)
}

const isScarce = (ask: SourceNeed): boolean => sources[ask.source].cost === "scarce"

const rowsOf = (table: Table, campaigns: ReadonlyArray<CampaignId> | undefined): ReadonlyArray<number> =>
  campaigns === undefined
    ? table.rowsUnder({})
    : campaigns.flatMap((campaignId) => table.rowsUnder({ campaignId }))

/** Keys of a source for the rows that are left. A call about one campaign costs the same for all its items. */
const keysOf =
  (
    campaigns: ReadonlyArray<CampaignId> | undefined,
    table: Table,
    rows: ReadonlyArray<number>,
    items: Table
  ) =>
  (source: Source): ReadonlyArray<Target.Subject> => {
    const { keyLevel, oneCampaignPerCall } = source
    if (keyLevel === "account") return [{}]
    if (campaigns === undefined || !oneCampaignPerCall || keyLevel === "campaign") {
      return table.keys(keyLevel, rows)
    }
    return table
      .keys("campaign", rows)
      .flatMap((campaign) => items.keys("campaign_item", items.rowsUnder(campaign)))
  }

/** Keys of what sums add up beyond the rows' own campaigns; those that a group surely leaves out are not asked. */
const beyond = (
  { keyLevel }: Source,
  sums: ReadonlyArray<SumExpr>,
  table: Table,
  rows: ReadonlyArray<number>
): ReadonlyArray<Target.Subject> =>
  sums.flatMap(({ at, over, where }) => {
    const finer = table.view(over)
    const owners = at === "account" ? [{}] : table.keys("item", rows)
    const found = owners.flatMap((owner) => finer.rowsUnder(owner))
    const truth = where === undefined ? undefined : Evaluate.condition(where, finer, found).truth
    const kept = found.filter((_, i) => truth === undefined || truth[i] !== Kleene.False)
    return keyLevel === "account" ? [{}] : finer.keys(keyLevel, kept)
  })

const stopsOf = (policy: Policy, { actionSources, stages }: Needs): ReadonlyArray<Stop> => {
  const stops: Array<Stop> = stages.map((stage, index) => ({
    phase: stage.coarse === true ? "coarse" : stage.cost,
    asks: known(stage.sources),
    steps: stepsAt(policy, stages, index, policy.rules.length === 1 ? index : 0),
    listsRows: false
  }))
  if (policy.each === "cluster") {
    const found = stops.findIndex(({ phase }) => phase !== "local" && phase !== "coarse")
    const at = found < 0 ? stops.length : found
    const rowSource: SourceNeed = { source: "clusters" }
    const shared = stops[at]?.phase === "batched" ? stops[at] : undefined
    const asks = [rowSource, ...(shared?.asks ?? []).filter((ask) => ask.source !== "clusters")]
    const steps = shared?.steps ?? stepsAt(policy, stages, at - 1, policy.rules.length === 1 ? at : 0)
    const stop: Stop = { phase: "batched", asks, steps, listsRows: true }
    stops.splice(at, shared === undefined ? 0 : 1, stop)
  }
  // What has no scarce stop waits for none, so its actions may compete with the others' conditions for the calls.
  const competes = !stages.some((stage) => stage.cost === "scarce")
  const asks = known(actionSources).map(
    (ask): Ask => (competes && isScarce(ask) ? { ...ask, phase: "scarce" } : ask)
  )
  return [...stops, { phase: "actions", asks, steps: [], listsRows: false }]
}

/** The clauses of stages `from` to `last`. Of several rules all are asked again: which one a row is left to changes. */
const stepsAt = (
  policy: Policy,
  stages: Needs["stages"],
  last: number,
  from: number
): ReadonlyArray<Funnel.Step> =>
  policy.rules.map(({ when }, rule) => ({
    clauses: stages
      .slice(from, last + 1)
      .flatMap((stage) => [
        ...stage.where.map((i) => policy.where[i]!),
        ...stage.rules[rule]!.map((i) => when[i]!)
      ]),
    complete: stages.slice(last + 1).every((stage) => stage.where.length + stage.rules[rule]!.length === 0)
  }))

/** Campaign settings are known before a flow begins. */
const known = (asks: ReadonlyArray<SourceNeed>): ReadonlyArray<SourceNeed> =>
  asks.filter((ask) => ask.source !== "campaigns")
