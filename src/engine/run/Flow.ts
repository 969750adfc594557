/**
 * The way of one policy's rows through its stages, campaign by campaign: learn what the stage needs, keep the rows
 * whose conditions are true, go on with those. Rows that drop out keep what is known about them.
 */
import * as Effect from "effect/Effect"
import type { CampaignId } from "../../domain/Ids.js"
import type * as Target from "../../domain/Target.js"
import * as Evaluate from "../facts/Evaluate.js"
import type { Needs, SourceNeed } from "../facts/Needs.js"
import type { Source } from "../facts/Sources.js"
import type { Table } from "../facts/Table.js"
import type { Clause, Policy } from "../language/Policy.js"
import type { Phase } from "./Desk.js"
import type { Office } from "./Office.js"
import type { FactSource } from "./Ports.js"

interface Stop {
  readonly phase: Phase
  readonly asks: ReadonlyArray<SourceNeed>
  readonly clauses: ReadonlyArray<Clause>
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
    for (const stop of stops) {
      if (rows.length === 0) {
        yield* Effect.forEach(stop.asks, (ask) => office.desk(ask).pass(stop.phase), { discard: true })
        continue
      }
      yield* office.learn(stop.asks, stop.phase, keysOf(campaignId, table, rows, items))
      if (stop.listsRows) {
        const clusters = office.table("cluster")
        rows = table.keys("campaign_item", rows).flatMap((pair) => clusters.rowsUnder(pair))
        table = clusters
      }
      rows = Evaluate.sift(stop.clauses, table, rows).holds
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

const stopsOf = (policy: Policy, needs: Needs): ReadonlyArray<Stop> => {
  const stops: Array<Stop> = needs.stages.map((stage) => ({
    phase: stage.cost,
    asks: known(stage.sources),
    clauses: [...stage.where.map((i) => policy.where[i]!), ...stage.when.map((i) => policy.when[i]!)],
    listsRows: false
  }))
  if (policy.each === "cluster") {
    const at = stops.findIndex((stop) => stop.phase !== "local")
    const rowSource: SourceNeed = { source: "clusters" }
    const listed = at < 0 || stops[at]!.phase !== "batched" ? emptyStop : stops[at]!
    const asks = [rowSource, ...listed.asks.filter((ask) => ask.source !== "clusters")]
    const replaced = listed === emptyStop ? 0 : 1
    stops.splice(at < 0 ? stops.length : at, replaced, { ...listed, asks, listsRows: true })
  }
  return [...stops, { phase: "actions", asks: known(needs.actionSources), clauses: [], listsRows: false }]
}

const emptyStop: Stop = { phase: "batched", asks: [], clauses: [], listsRows: false }

/** Campaign settings are known before a flow begins. */
const known = (asks: ReadonlyArray<SourceNeed>): ReadonlyArray<SourceNeed> =>
  asks.filter((ask) => ask.source !== "campaigns")
