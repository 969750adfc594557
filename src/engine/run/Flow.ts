/**
 * The way of one policy's rows through its stages, campaign by campaign: learn what the stage needs, keep the rows
 * whose conditions are true, go on with those. Rows that drop out keep what is known about them.
 */
import * as Effect from "effect/Effect"
import type { CampaignId } from "../../domain/Ids.js"
import type * as Target from "../../domain/Target.js"
import * as Funnel from "../facts/Funnel.js"
import type { Needs, SourceNeed } from "../facts/Needs.js"
import type { Source } from "../facts/Sources.js"
import type { Table } from "../facts/Table.js"
import type { Policy } from "../language/Policy.js"
import type { Phase } from "./Desk.js"
import type { Office } from "./Office.js"
import type { FactSource } from "./Ports.js"

interface Stop {
  readonly phase: Phase
  readonly asks: ReadonlyArray<SourceNeed>
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

/** Prepares a policy's way and announces its `campaigns` to the desks it will visit. */
export const make = (policy: Policy, needs: Needs, office: Office, campaigns: number): Flow => {
  const stops = stopsOf(policy, needs)
  const urgency = leadsToScarce(needs) ? 0 : 1
  for (const stop of stops) {
    for (const ask of stop.asks) {
      const desk = office.desk(ask)
      desk.expect(stop.phase, campaigns)
      desk.urgency = Math.min(desk.urgency, urgency)
    }
  }
  return { policy, stops, office }
}

/** Policies that lead to scarce calls get their statistics first, so that those calls start early. */
export const leadsToScarce = (needs: Needs): boolean => needs.stages.some((stage) => stage.cost === "scarce")

/** Takes one campaign, whose settings are known, all the way. */
export const run = (flow: Flow, campaignId: CampaignId): Effect.Effect<void, never, FactSource> =>
  Effect.gen(function* () {
    const { office, policy, stops } = flow
    const items = office.table("campaign_item")
    let table = policy.each === "cluster" ? items : office.table(policy.each)
    let rows = table.rowsUnder({ campaignId })
    let listed = policy.each !== "cluster"
    const settled: Array<number> = []
    for (const stop of stops) {
      if (stop.phase === "actions") rows = [...settled, ...rows].sort((a, b) => a - b)
      if (rows.length === 0) {
        yield* Effect.forEach(stop.asks, (ask) => office.desk(ask).pass(stop.phase), { discard: true })
        continue
      }
      yield* office.learn(stop.asks, stop.phase, keysOf(campaignId, table, rows, items))
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
    }
  })

/** Keys of a source for the rows that are left. A call about one campaign costs the same for all its items. */
const keysOf =
  (campaignId: CampaignId, table: Table, rows: ReadonlyArray<number>, items: Table) =>
  (source: Source): ReadonlyArray<Target.Target> =>
    source.keyLevel !== "campaign_item"
      ? [{ campaignId }]
      : source.oneCampaignPerCall
        ? items.keys("campaign_item", items.rowsUnder({ campaignId }))
        : table.keys("campaign_item", rows)

const stopsOf = (policy: Policy, { actionSources, stages }: Needs): ReadonlyArray<Stop> => {
  const stops: Array<Stop> = stages.map((stage, index) => ({
    phase: stage.cost,
    asks: known(stage.sources),
    steps: stepsAt(policy, stages, index, policy.rules.length === 1 ? index : 0),
    listsRows: false
  }))
  if (policy.each === "cluster") {
    const found = stops.findIndex((stop) => stop.phase !== "local")
    const at = found < 0 ? stops.length : found
    const rowSource: SourceNeed = { source: "clusters" }
    const shared = stops[at]?.phase === "batched" ? stops[at] : undefined
    const asks = [rowSource, ...(shared?.asks ?? []).filter((ask) => ask.source !== "clusters")]
    const steps = shared?.steps ?? stepsAt(policy, stages, at - 1, policy.rules.length === 1 ? at : 0)
    const stop: Stop = { phase: "batched", asks, steps, listsRows: true }
    stops.splice(at, shared === undefined ? 0 : 1, stop)
  }
  return [...stops, { phase: "actions", asks: known(actionSources), steps: [], listsRows: false }]
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
