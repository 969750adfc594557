/** The three shipped policies in miniature, already checked, so that runs can be tested without rule files. */
import { PolicyId } from "../../src/domain/Ids.js"
import { Kopecks } from "../../src/domain/Money.js"
import * as Window from "../../src/domain/Window.js"
import * as Vocabulary from "../../src/engine/facts/Vocabulary.js"
import type {
  AccountLimits,
  Action,
  Clause,
  CompareOp,
  Each,
  Expr,
  Policy,
  RuleSet
} from "../../src/engine/language/Policy.js"

const span = { file: "rules/test.yaml", line: 1, column: 1, endLine: 1, endColumn: 2 }

export const fact = (id: string, window?: Window.Window): Expr => {
  const found = Vocabulary.byFactId(id)
  if (found === undefined) throw new Error(`no fact ${id}`)
  return { _tag: "Fact", type: found.type, fact: window === undefined ? { id } : { id, window } }
}

export const compare = (left: Expr, op: CompareOp, right: Expr | number | string): Clause => {
  const to: Expr = typeof right === "object" ? right : { _tag: "Literal", type: left.type, value: right }
  return {
    text: `${show(left)} ${op} ${show(to)}`,
    condition: { _tag: "Compare", op, left, right: to },
    span
  }
}

const show = (expr: Expr): string =>
  expr._tag === "Fact" ? expr.fact.id : expr._tag === "Literal" ? `${expr.value}` : "…"

const money = (kopecks: number): Expr => ({
  _tag: "Literal",
  type: { _tag: "Money" },
  value: Kopecks(kopecks)
})

export const policy = (
  id: string,
  each: Each,
  where: ReadonlyArray<Clause>,
  when: ReadonlyArray<Clause>,
  action: Action
): Policy => ({
  id: PolicyId(id),
  file: `rules/${id}.yaml`,
  name: id,
  mode: "apply",
  each,
  where,
  tier: "normal",
  rules: [{ when, action }],
  ifUnknown: "skip",
  maxUnknownBasisPoints: 2_000,
  limits: {},
  hash: id
})

export const running = compare(fact("campaign.status"), "=", "active")

/** Cluster bids of clusters that sell, toward the recommended bid, which is scarce. */
export const raise = policy(
  "01-raise",
  "cluster",
  [running],
  [
    compare(fact("cluster.orders", Window.last(7)), ">=", 3),
    compare(fact("cluster.bid"), "<", fact("cluster.recommended.reach_max"))
  ],
  {
    _tag: "RaiseBid",
    by: { _tag: "Percent", basisPoints: 1000 },
    toward: fact("cluster.recommended.reach_max"),
    cap: money(45_000),
    placement: "search",
    span
  }
)

/** Minus phrases of clusters nobody clicks. */
export const minus = policy(
  "02-minus",
  "cluster",
  [],
  [
    compare(fact("cluster.views", Window.last(30)), ">=", 500),
    compare(fact("cluster.ctr", Window.last(30)), "<", 0.01)
  ],
  { _tag: "AddMinus", maxTotal: 900, span }
)

/** Item bids of items that sell. */
export const steer = policy(
  "03-steer",
  "campaign_item",
  [running],
  [compare(fact("campaign_item.orders", Window.last(14)), ">=", 5)],
  {
    _tag: "LowerBid",
    by: { _tag: "Percent", basisPoints: 1000 },
    floor: fact("campaign_item.min_bid"),
    placement: "search",
    span
  }
)

export const noLimits: AccountLimits = { killSwitch: false, neverTouch: [], campaigns: [] }

export const rules = (...policies: ReadonlyArray<Policy>): RuleSet => ({
  policies,
  fulfilment: [],
  limits: noLimits,
  hash: "test",
  hashes: { orders: "orders", others: "test" }
})
