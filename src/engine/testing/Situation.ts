/** The facts of a case at one of its runs, as the table that policies are asked about. */
import * as Target from "../../domain/Target.js"
import * as Windows from "../../domain/Window.js"
import type { Change } from "../decide/Plan.js"
import type { Cell } from "../facts/Cell.js"
import * as Cells from "../facts/Cell.js"
import * as FactRefs from "../facts/FactRefs.js"
import * as Table from "../facts/Table.js"
import type { AccountLimits, Policy } from "../language/Policy.js"
import * as PolicyParts from "./PolicyParts.js"
import type { Case, Row, Statements } from "./TestFile.js"
import * as Windowed from "./Windowed.js"

/**
 * What a row is unless the test says otherwise: a cluster, shown, without a minus phrase and with a bid of its own,
 * in an active campaign with custom bids paid per 1000 views. Its
 * campaign is called by its number, its cluster by the row's id. Never statistics, never money.
 */
const usual: Readonly<Record<string, string | number | boolean>> = {
  "campaign.status": "active",
  "campaign.payment": "cpm",
  "campaign.bid_type": "manual",
  "campaign.search": true,
  "campaign.recommendations": true,
  "campaign_item.minus.count": 0,
  "cluster.state": "active",
  "cluster.in_minus": false,
  "cluster.has_own_bid": true
}

export interface Situation {
  readonly table: Table.Table
  readonly campaigns: Table.Table
}

/** What has become of the marketplace before this run: changes made, by the run that made them. */
export type Made = ReadonlyArray<{ readonly run: number; readonly changes: ReadonlyArray<Change> }>

/** Facts of run `index`, after the changes in `made`. */
export const at = (
  tested: Case,
  index: number,
  made: Made,
  around: { readonly policy: Policy; readonly limits: AccountLimits; readonly zone: string }
): Situation => {
  const campaigns = Table.make("campaign")
  const table = around.policy.each === "campaign" ? campaigns : Table.finer(campaigns, around.policy.each)
  for (const row of tested.rows) table.add(row.target)
  for (const [number, row] of tested.rows.entries()) identity(table, number, row)
  for (const [number, row] of tested.rows.entries()) settings(table, number, row.statements)
  for (let run = 0; run <= index; run++) {
    for (const [number, row] of tested.rows.entries()) {
      settings(table, number, tested.runs[run]?.facts.get(row.id) ?? new Map())
    }
    for (const one of made)
      if (one.run === run) for (const change of one.changes) apply(table, tested, change)
  }
  const nowMs = tested.runs[index]?.atMs ?? 0
  const guards = [...around.limits.neverTouch, ...around.limits.campaigns.flatMap(({ where }) => where)]
  const refs = [...PolicyParts.reads(around.policy), ...FactRefs.ofClauses(guards)]
  for (const [number, row] of tested.rows.entries()) {
    const said = new Map(row.statements)
    for (const run of tested.runs.slice(0, index + 1)) {
      for (const [key, statement] of run.facts.get(row.id) ?? []) said.set(key, statement)
    }
    for (const ref of refs) {
      if (ref.window === undefined) continue
      const cell = Windowed.value(ref.id, ref.window, said, { from: tested.from, nowMs, zone: around.zone })
      if (cell !== undefined) table.set(number, Table.factKey(ref), cell)
    }
  }
  return { table, campaigns }
}

const identity = (table: Table.Table, number: number, { id, target }: Row): void => {
  for (const [fact, value] of Object.entries(usual)) table.set(number, fact, Cells.known(value))
  table.set(number, "campaign.id", Cells.known(target.campaignId))
  table.set(number, "campaign.name", Cells.known(`Campaign ${target.campaignId}`))
  if (target.itemId !== undefined) table.set(number, "campaign_item.item.id", Cells.known(target.itemId))
  if (target.cluster !== undefined) table.set(number, "cluster.query", Cells.known(id))
}

const settings = (table: Table.Table, number: number, said: Statements): void => {
  for (const { fact, window, said: value } of said.values()) {
    if (window === undefined && value._tag === "Value" && !Windowed.isStatistic(fact))
      table.set(number, fact, value.cell)
  }
}

/** What a change leaves behind once it is visible. */
const apply = (table: Table.Table, tested: Case, change: Change): void => {
  const set = (fact: string, cell: Cell) => table.setFor(change.target, fact, cell)
  switch (change.unit) {
    case "status":
      set("campaign.status", Cells.known(change.after))
      return
    case "minus_phrase": {
      set("cluster.in_minus", Cells.known(change.after))
      const row = tested.rows.findIndex(({ target }) => Target.key(target) === Target.key(change.target))
      const count = table.get(row, "campaign_item.minus.count")
      const grown = change.after === true ? 1 : -1
      if (count._tag === "Known") {
        table.set(row, "campaign_item.minus.count", Cells.known(Math.max(0, Number(count.value) + grown)))
      }
      return
    }
    case "kopecks_per_1000_impressions":
    case "kopecks_per_click":
      if (change.placement === "cluster" || change.placement === undefined) {
        set("cluster.bid", Cells.known(change.after))
        set("cluster.has_own_bid", Cells.known(true))
      } else if (change.placement === "recommendations") {
        set("campaign_item.bid.recommendations", Cells.known(change.after))
      } else set("campaign_item.bid", Cells.known(change.after))
  }
}

/** Facts that the policy reads and the test does not state for a row: why it may be undecided. */
export const unstated = (row: number, table: Table.Table, policy: Policy): ReadonlyArray<string> => {
  const missing = PolicyParts.reads(policy).flatMap((ref) => {
    const cell = table.get(row, Table.factKey(ref))
    if (cell._tag === "Known" || cell.reason !== "notFetched") return []
    const word = Windowed.wordOf(ref.id)
    return [ref.window === undefined ? word : `${word}[${Windows.key(ref.window)}]`]
  })
  return [...new Set(missing)].sort()
}
