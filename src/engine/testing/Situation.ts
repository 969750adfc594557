/** The facts of a case at one of its runs, as the table that policies are asked about. */
import * as Target from "../../domain/Target.js"
import * as Windows from "../../domain/Window.js"
import * as Cells from "../facts/Cell.js"
import * as ClockFacts from "../facts/ClockFacts.js"
import * as FactRefs from "../facts/FactRefs.js"
import * as Level from "../facts/Level.js"
import * as Table from "../facts/Table.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import type { AccountLimits, FactRef, Policy } from "../language/Policy.js"
import * as Policies from "../language/Policy.js"
import * as PolicyParts from "./PolicyParts.js"
import type { Case, Statements } from "./TestFile.js"
import * as Windowed from "./Windowed.js"

/**
 * What a row is unless the test says otherwise: a cluster, shown, without a minus phrase and with a bid of its own,
 * in an active campaign with custom bids paid per 1000 views. Its
 * campaign is called by its number, its cluster by the row's id. It has no labels. A promotion is a regular one that
 * starts in three days for a week, called by its number, and its item is not in it. Never statistics, never money.
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
  "cluster.has_own_bid": true,
  "promotion.type": "regular",
  "promotion.starts_in": 3 * 86_400_000,
  "promotion.ends_in": 10 * 86_400_000,
  "promotion_item.in_action": false
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
  around: { readonly policy: Policy; readonly limits: AccountLimits }
): Situation => {
  const campaigns = Table.make("campaign")
  const table = Table.view(campaigns, PolicyParts.levelOf(around.policy))
  const refs = [...PolicyParts.reads(around.policy), ...guardsOf(around.limits)]
  const places = placesOf(tested, table)
  for (const place of places) identity(place)
  for (const { id } of refs)
    if (Vocabulary.byFactId(id)?.type._tag === "Labels")
      for (const { target, table: of } of places) of.setFor(target, id, noLabels)
  for (const place of places) settings(place, place.said)
  for (let run = 0; run <= index; run++) {
    for (const place of places) settings(place, place.news(run))
    for (const one of made)
      if (one.run === run) for (const change of one.changes) apply(table, tested, change)
  }
  const nowMs = tested.runs[index]?.atMs ?? 0
  table.setAll("account", ClockFacts.readings(PolicyParts.reads(around.policy), nowMs))
  for (const { news, number, said: first, table: of } of places) {
    const said = new Map(first)
    for (let run = 0; run <= index; run++) for (const [key, statement] of news(run)) said.set(key, statement)
    for (const ref of refs) {
      if (ref.window === undefined) continue
      const cell = Windowed.value(ref.id, ref.window, said, { from: tested.from, nowMs })
      if (cell !== undefined) of.set(number, Table.factKey(ref), cell)
      // Another row of the item may have said it.
      else if (isBeyond(ref, around.policy) && of.get(number, Table.factKey(ref))._tag === "Unknown")
        of.set(number, Table.factKey(ref), Cells.unknown("absent"))
    }
  }
  return { table, campaigns }
}

/** Where rows are single bids, a test need not say what all bids of their items brought together. */
const isBeyond = ({ id }: FactRef, policy: Policy): boolean =>
  Policies.optimises(policy) && Vocabulary.byFactId(id)?.level !== PolicyParts.levelOf(policy)

/** What the account's limits ask about, found once for all runs. */
const guardsOf = (limits: AccountLimits): ReadonlyArray<FactRef> => {
  const known =
    guards.get(limits) ??
    FactRefs.ofClauses([
      ...limits.neverTouch,
      ...(limits.neverTouchItems ?? []),
      ...limits.campaigns.flatMap(({ where }) => where)
    ])
  guards.set(limits, known)
  return known
}

const guards = new WeakMap<AccountLimits, ReadonlyArray<FactRef>>()

/** A row, or a row below one, in the table of its level. */
interface Place {
  readonly table: Table.Table
  readonly number: number
  readonly target: Target.Subject
  /** The row's id where it is a row of the test. */
  readonly id?: string
  readonly said: Statements
  /** What a run says anew. */
  readonly news: (run: number) => Statements
}

const placesOf = (tested: Case, table: Table.Table): ReadonlyArray<Place> => {
  const over = Level.below(table.each)
  const finer = over === undefined ? table : table.view(over)
  return tested.rows.flatMap(({ below, id, statements, target }): ReadonlyArray<Place> => {
    const news = (run: number) => tested.runs[run]?.facts.get(id) ?? new Map()
    const children = new Map(below.map((one) => [Target.key(one.target), one]))
    for (const run of tested.runs) {
      for (const one of run.below.get(id) ?? []) {
        const key = Target.key(one.target)
        if (!children.has(key)) children.set(key, { target: one.target, statements: new Map() })
      }
    }
    return [
      { table, number: table.add(target), target, id, said: statements, news },
      ...[...children].map(
        ([key, child]): Place => ({
          table: finer,
          number: finer.add(child.target),
          target: child.target,
          said: child.statements,
          news: (run) =>
            tested.runs[run]?.below.get(id)?.find((one) => Target.key(one.target) === key)?.statements ??
            new Map()
        })
      )
    ]
  })
}

/** As of a row that the seller's own table does not name. */
const noLabels = Cells.known("")

const identity = ({ id, number, table, target }: Place): void => {
  for (const [fact, value] of Object.entries(usual)) table.set(number, fact, Cells.known(value))
  if (target.campaignId !== undefined) {
    table.set(number, "campaign.id", Cells.known(target.campaignId))
    table.set(number, "campaign.name", Cells.known(`Campaign ${target.campaignId}`))
  }
  if (target.promotionId !== undefined) {
    table.set(number, "promotion.id", Cells.known(target.promotionId))
    table.set(number, "promotion.name", Cells.known(`Promotion ${target.promotionId}`))
  }
  if (target.itemId !== undefined) {
    table.set(number, "campaign_item.item.id", Cells.known(target.itemId))
    table.set(number, "item.id", Cells.known(target.itemId))
  }
  if (target.cluster !== undefined && id !== undefined) table.set(number, "cluster.query", Cells.known(id))
}

const settings = ({ number, table }: Place, said: Statements): void => {
  for (const { fact, window, said: value } of said.values()) {
    if (window === undefined && value._tag === "Value" && !Windowed.isStatistic(fact))
      table.set(number, fact, value.cell)
  }
}

/** What a change leaves behind once it is visible. */
const apply = (table: Table.Table, tested: Case, change: Change): void => {
  const { counts, leaves } = Kinds.of(change)
  for (const [fact, value] of Object.entries(leaves(change)))
    table.setFor(change.subject, fact, Cells.known(value))
  const counted = counts?.(change)
  if (counted === undefined) return
  const row = tested.rows.findIndex(({ target }) => Target.key(target) === Target.key(change.subject))
  const count = table.get(row, counted.fact)
  if (count._tag === "Known")
    table.set(row, counted.fact, Cells.known(Math.max(0, Number(count.value) + counted.by)))
}

/** Facts that the policy reads and the test does not state for a row: why it may be undecided. */
export const unstated = (
  row: number,
  said: Statements | undefined,
  { policy, table }: { readonly policy: Policy; readonly table: Table.Table }
): ReadonlyArray<string> => {
  const missing = PolicyParts.reads(policy).flatMap((ref) => {
    // What a row below lacks is seen in the condition itself.
    const level = Vocabulary.byFactId(ref.id)?.level
    if (level !== undefined && !Level.reaches(table.each, level)) return []
    const key = Table.factKey(ref)
    const cell = table.get(row, key)
    // A test may say of a fact that it was not fetched.
    const isSaid = said?.has(key) === true || said?.has(ref.id) === true
    if (cell._tag === "Known" || cell.reason !== "notFetched" || isSaid) return []
    const word = Windowed.wordOf(ref.id)
    return [ref.window === undefined ? word : `${word}[${Windows.key(ref.window)}]`]
  })
  return [...new Set(missing)].sort()
}
