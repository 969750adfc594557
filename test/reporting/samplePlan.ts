/** A plan with one of everything a preview must say. */
import * as Schema from "effect/Schema"
import { Plan } from "../../src/engine/decide/Plan.js"
import type { Change } from "../../src/engine/kinds/Change.js"

type Encoded = typeof Plan.Encoded

const change = (over: Partial<(typeof Change)["Encoded"]>): (typeof Change)["Encoded"] =>
  ({
    id: "c1",
    origin: { by: "policy", name: "01-raise-to-reach-max", line: 16 },
    subject: { campaignId: 777, itemId: 1001, cluster: "женские кеды" },
    campaignName: "Кеды осень",
    action: "raise_bid",
    before: 44000,
    after: 45000,
    kind: "cluster_bid",
    details: { payment: "cpm" },
    reason: [
      { condition: "orders >= 3", value: "5", holds: "true" },
      { condition: "cpo < 120 ₽", value: "80 ₽", holds: "true" },
      { condition: "bid < recommended.reach_max", value: "440 ₽ < 800 ₽", holds: "true" }
    ],
    clamps: [{ by: "cap", from: 48400, to: 45000, where: "line 16" }],
    overruled: [],
    reversible: true,
    moneyPerDayKopecks: 1234,
    ...over
  }) as (typeof Change)["Encoded"]

const raised = change({})
const inherited = change({
  id: "c2",
  subject: { campaignId: 777, itemId: 1001, cluster: "кеды <script>alert(1)</script>" },
  before: 12050,
  after: 13250,
  details: { payment: "cpm", inherited: true },
  clamps: [],
  overruled: ["04-target-acos"],
  moneyPerDayKopecks: { unknown: "no spend in the window" }
})
const minus = change({
  id: "c3",
  origin: { by: "policy", name: "02-minus-low-ctr", line: 12 },
  subject: { campaignId: 777, itemId: 1002, cluster: "кеды | мужские" },
  action: "add_minus",
  before: false,
  after: true,
  kind: "minus_phrase",
  details: {},
  reason: [{ condition: "ctr < 1% with 99% confidence", value: "0.2% of 2 000 views", holds: "true" }],
  clamps: [],
  moneyPerDayKopecks: -5000
})
const paused = change({
  id: "c4",
  origin: { by: "policy", name: "03-daily-budget-stop", line: 9 },
  subject: { campaignId: 778 },
  campaignName: "Куртки",
  action: "pause",
  before: "active",
  after: "paused",
  kind: "campaign_status",
  details: {},
  reason: [{ condition: "spend >= 3000 ₽", value: "3 120 ₽", holds: "true" }],
  clamps: [],
  moneyPerDayKopecks: -300000
})
const heldChange = change({
  id: "c5",
  subject: { campaignId: 777, itemId: 1003, cluster: "сапоги" },
  clamps: []
})

const row = (cluster: string) => ({
  policy: "01-raise-to-reach-max",
  subject: { campaignId: 777, itemId: 1004, cluster },
  campaignName: "Кеды осень"
})

const encoded: Encoded = {
  version: 2,
  id: "3f2a91c05577aa10",
  seal: "0",
  account: "demo",
  currency: "RUB",
  createdAt: "2026-09-01T06:00:00.000Z",
  rulesHash: "abc",
  policies: [
    {
      id: "01-raise-to-reach-max",
      name: "Raise paying clusters toward reach max",
      mode: "apply",
      hash: "h1",
      rowsInScope: 40,
      rowsMatched: 3,
      rowsUnknown: 4,
      changes: 2
    }
  ],
  changes: [paused, minus, inherited, raised],
  held: [
    {
      change: heldChange,
      by: "changes_per_run",
      because: { code: "changes_per_run", where: "changes_per_run", most: 2, changes: 3 }
    }
  ],
  unknown: ["а", "б", "в", "г"].map((cluster) => ({
    ...row(cluster),
    reason: [{ condition: "bid < recommended.reach_max", value: "not fetched", holds: "unknown" as const }],
    because: {
      code: "condition_unknown" as const,
      condition: "recommended.reach_max",
      reason: "notFetched" as const
    }
  })),
  unchanged: [{ ...row("тапки"), because: { code: "minus_already", listed: true } }],
  calls: { perOperation: { getClusterStats: 1, getCampaigns: 2, getBudgets: 0 } },
  summary: {
    changes: 4,
    held: 1,
    unknown: 4,
    unchanged: 1,
    byAction: { raise_bid: 2, pause: 1, add_minus: 1, start: 0 },
    moneyPerDayKopecks: -303766,
    moneyUnknown: 1
  }
}

export const samplePlan: Plan = Schema.decodeSync(Plan)(encoded)
