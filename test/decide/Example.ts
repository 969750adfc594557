/** A small account for the tests of deciding: rows with facts, and policies around one action. */
import * as Days from "../../src/domain/Days.js"
import { CampaignId, Cluster, ItemId, PolicyId } from "../../src/domain/Ids.js"
import { Kopecks } from "../../src/domain/Money.js"
import type { Target } from "../../src/domain/Target.js"
import * as Window from "../../src/domain/Window.js"
import * as Decide from "../../src/engine/decide/Decide.js"
import type { Plan } from "../../src/engine/decide/Plan.js"
import type { Cell } from "../../src/engine/facts/Cell.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as Vocabulary from "../../src/engine/facts/Vocabulary.js"
import * as Match from "../../src/engine/gather/Match.js"
import type { SlotHistory } from "../../src/engine/kinds/SlotHistory.js"
import type {
  AccountLimits,
  Action,
  Clause,
  CompareOp,
  Condition,
  Each,
  Expr,
  Policy,
  RuleSet
} from "../../src/engine/language/Policy.js"

/** 1 September 2026, 09:00 in Moscow. */
export const now = Date.parse("2026-09-01T06:00:00Z")
export const span = { file: "rules/example.yaml", line: 16, column: 1, endLine: 16, endColumn: 20 }
export const week = Window.last(7)

export const rub = (roubles: number): Expr => ({
  _tag: "Literal",
  type: FactType.money,
  value: Kopecks(roubles * 100)
})
export const literal = (value: number | string | boolean, type: FactType.FactType): Expr => ({
  _tag: "Literal",
  type,
  value
})
export const fact = (id: string, window?: Window.Window): Expr => {
  const found = Vocabulary.byFactId(id)
  if (found === undefined) throw new Error(`no fact ${id}`)
  return { _tag: "Fact", type: found.type, fact: window === undefined ? { id } : { id, window } }
}
export const compare = (left: Expr, op: CompareOp, right: Expr): Condition => ({
  _tag: "Compare",
  op,
  left,
  right
})
export const clause = (text: string, condition: Condition): Clause => ({ text, condition, span })
export const ordersAtLeast = (orders: number): Clause =>
  clause(`orders >= ${orders}`, compare(fact("cluster.orders", week), ">=", literal(orders, FactType.count)))

export const raiseBid = (more: Partial<Extract<Action, { _tag: "RaiseBid" }>> = {}): Action => ({
  _tag: "RaiseBid",
  by: { _tag: "Percent", basisPoints: 1000 },
  cap: rub(450),
  placement: "search",
  span,
  ...more
})
export const lowerBid = (more: Partial<Extract<Action, { _tag: "LowerBid" }>> = {}): Action => ({
  _tag: "LowerBid",
  by: { _tag: "Percent", basisPoints: 1000 },
  floor: rub(100),
  placement: "search",
  span,
  ...more
})
export const setBid = (more: Partial<Extract<Action, { _tag: "SetBid" }>> = {}): Action => ({
  _tag: "SetBid",
  to: rub(300),
  cap: rub(450),
  placement: "search",
  span,
  ...more
})
export const addMinus = (maxTotal = 900): Action => ({ _tag: "AddMinus", maxTotal, span })
export const removeMinus: Action = { _tag: "RemoveMinus", span }
export const pause: Action = { _tag: "Pause", span }
export const start: Action = { _tag: "Start", span }

export const policy = (
  id: string,
  action: Action,
  { when, ...more }: Partial<Policy> & { readonly when?: ReadonlyArray<Clause> } = {}
): Policy => ({
  id: PolicyId(id),
  file: `rules/${id}.yaml`,
  name: id,
  mode: "apply",
  each: "cluster",
  where: [],
  tier: "normal",
  rules: [{ when: when ?? [ordersAtLeast(3)], action }],
  ifUnknown: "skip",
  maxUnknownBasisPoints: 2_000,
  limits: {},
  hash: `hash of ${id}`,
  ...more
})

export const rules = (policies: ReadonlyArray<Policy>, limits: Partial<AccountLimits> = {}): RuleSet => ({
  policies: [...policies].sort((a, b) => (a.id < b.id ? -1 : 1)),
  fulfilment: [],
  limits: { killSwitch: false, neverTouch: [], campaigns: [], ...limits },
  hash: "hash of the rules",
  hashes: { orders: "hash of the orders' rules", others: "hash of the other rules" }
})

export const target = (campaignId: number, itemId?: number, cluster?: string): Target => ({
  campaignId: CampaignId.make(campaignId),
  ...(itemId === undefined ? {} : { itemId: ItemId.make(itemId) }),
  ...(cluster === undefined ? {} : { cluster: Cluster.make(cluster) })
})

/** Facts by id; a missing one keeps its default, `undefined` makes it unknown. Money in kopecks. */
export type Facts = Readonly<Record<string, number | string | boolean | Cell | undefined>>

/** An active manual cpm campaign: bid 400 ₽, minimum 150 ₽, step 1 ₽, five orders and 700 ₽ of spend in a week. */
export const usual: Facts = {
  "account.bid_step.cpm": 100,
  "account.bid_step.cpc": 10,
  "campaign.name": "Кеды",
  "campaign.status": "active",
  "campaign.payment": "cpm",
  "campaign.bid_type": "manual",
  "campaign.spend@7d": 700_000,
  "campaign_item.bid": 30_000,
  "campaign_item.bid.recommendations": 20_000,
  "campaign_item.min_bid": 15_000,
  "campaign_item.min_bid.recommendations": 10_000,
  "campaign_item.minus.count": 10,
  "cluster.bid": 40_000,
  "cluster.has_own_bid": true,
  "cluster.in_minus": false,
  "cluster.orders@7d": 5,
  "cluster.spend@7d": 70_000
}

export interface Row {
  readonly target: Target
  readonly facts?: Facts
}

export const table = (each: Each, rows: ReadonlyArray<Row>): Table.Table => {
  const made = Table.make(each)
  for (const row of rows) {
    const number = made.add(row.target)
    for (const [key, value] of Object.entries({ ...usual, ...row.facts })) made.set(number, key, cell(value))
  }
  return made
}

const cell = (value: Facts[string]): Cell =>
  value === undefined ? Cells.unknown("absent") : typeof value === "object" ? value : Cells.known(value)

export interface Situation {
  readonly rows?: ReadonlyArray<Row>
  readonly policies: ReadonlyArray<Policy>
  readonly limits?: Partial<AccountLimits>
  readonly slots?: ReadonlyArray<Partial<SlotHistory> & { readonly slot: string }>
  readonly nowMs?: number
  readonly currency?: string
}

/** The seller of the examples sits in the marketplace's own zone, every campaign was read, and none was completed today. */
export const around = { zone: Days.marketZone, campaignsUnread: 0, spentByCompleted: 0 }

export const oneRow: ReadonlyArray<Row> = [{ target: target(777, 1001, "женские кеды") }]
export const oneSlot = "cluster_bid:777/1001/женские кеды"

/** The plan of a situation; each policy sees the rows at its own level. */
export const plan = (situation: Situation): Plan => Decide.plan(input(situation))

export const input = (situation: Situation): Decide.DecideInput => {
  const ruleSet = rules(situation.policies, situation.limits)
  const rows = situation.rows ?? oneRow
  return {
    account: "shop",
    currency: situation.currency ?? "RUB",
    nowMs: situation.nowMs ?? now,
    zone: around.zone,
    rules: ruleSet,
    gathered: ruleSet.policies.map((one) =>
      matched(
        one,
        table(
          one.each,
          rows.map((row) => atLevel(row, one.each))
        )
      )
    ),
    slots: new Map((situation.slots ?? []).map((slot) => [slot.slot, history(slot)])),
    calls: { getCampaigns: 1 }
  }
}

/** A policy's conditions answered over a table. */
export const matched = (one: Policy, of: Table.Table): Decide.Gathered =>
  Match.policy(one, { table: () => of })

export const history = (known: Partial<SlotHistory> & { readonly slot: string }): SlotHistory => ({
  lastPolicy: "01",
  lastAppliedAt: undefined,
  pendingSince: undefined,
  dayFirstBid: undefined,
  ...known
})

/** Campaign facts of the rows, for the review. */
export const campaigns = (rows: ReadonlyArray<Row> = oneRow): Table.Table =>
  table(
    "campaign",
    rows.map((row) => atLevel(row, "campaign"))
  )

const atLevel = (row: Row, each: Each): Row => {
  const { campaignId, itemId, cluster } = row.target
  return {
    ...row,
    target:
      each === "campaign" || itemId === undefined
        ? { campaignId }
        : each === "campaign_item" || cluster === undefined
          ? { campaignId, itemId }
          : row.target
  }
}

/** The only change of a plan. */
export const onlyChange = (made: Plan) => {
  const [change, ...more] = made.changes
  if (change === undefined || more.length > 0)
    throw new Error(`one change expected: ${JSON.stringify(made, null, 1)}`)
  return change
}

export const kopecks = (amount: number): Kopecks => Kopecks(amount)
