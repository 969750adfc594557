/** Recorded days made of a few rows, and what rules say to them. */
import * as Either from "effect/Either"
import { CampaignId, Cluster, ItemId } from "../../src/domain/Ids.js"
import * as Backtest from "../../src/engine/backtest/Backtest.js"
import * as Recall from "../../src/engine/backtest/Recall.js"
import * as Recording from "../../src/engine/backtest/Recording.js"
import { Totals } from "../../src/engine/backtest/Totals.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as Scenario from "../scenario/Scenario.js"

export type Facts = Readonly<Record<string, number | string | boolean>>

/** What every row of a test is, so that its bid may be moved. */
const usual: Facts = {
  "account.bid_step.cpm": 100,
  "campaign.name": "Кеды",
  "campaign.status": "active",
  "campaign.payment": "cpm",
  "campaign.bid_type": "manual",
  "campaign_item.bid": 40_000,
  "campaign_item.min_bid": 10_000,
  "campaign_item.minus.count": 0,
  "cluster.bid": 40_000,
  "cluster.has_own_bid": true,
  "cluster.in_minus": false,
  "cluster.state": "active"
}

/** A snapshot at nine in Moscow: one cluster per entry, by its name. */
export const day = (
  date: string,
  rows: Readonly<Record<string, Facts>>,
  campaignsUnread = 0
): ReadonlyArray<Recording.Part> => {
  const table = Table.make("cluster")
  for (const [name, facts] of Object.entries(rows)) {
    const row = table.add({
      campaignId: CampaignId.make(777),
      itemId: ItemId.make(1001),
      cluster: Cluster.make(name)
    })
    const all = { ...usual, "cluster.query": name, ...facts }
    for (const [key, value] of Object.entries(all)) table.set(row, key, Cells.known(value))
  }
  return [
    ...Recording.parts({
      account: "shop",
      nowMs: Date.parse(`${date}T09:00:00+03:00`),
      zone: "Europe/Moscow",
      currency: "RUB",
      rulesHash: "hash",
      asked: [],
      campaignsUnread,
      spentByCompleted: 0,
      table: (each) => Table.view(table, each)
    })
  ]
}

/** One policy of clusters paid per 1000 views, called `01-rule`. */
export const rule = (...lines: ReadonlyArray<string>) => Scenario.check([policy(lines)])

/** The same under a limit of the account. */
export const ruleUnder = (limit: string, ...lines: ReadonlyArray<string>) =>
  Scenario.check([
    policy(lines),
    { path: "rules/_shared/limits.yaml", text: `version: 1\nkind: limits\naccount:\n  ${limit}\n` }
  ])

const policy = (lines: ReadonlyArray<string>) => ({
  path: "rules/01-rule.yaml",
  text: ["version: 1", "name: Rule", "each: cluster", "where: campaign.payment = cpm", ...lines, ""].join(
    "\n"
  )
})

/** What the rules say to the days, in their order. */
export const run = (
  rules: ReturnType<typeof rule>,
  days: ReadonlyArray<ReadonlyArray<Recording.Part>>
): { readonly days: ReadonlyArray<Backtest.BacktestDay>; readonly totals: Totals } => {
  const asked = Backtest.prepare(rules, new Set())
  const totals = new Totals()
  let past = Backtest.nothingYet
  const told = days.map((parts) => {
    const one = Backtest.day(asked, Either.getOrThrow(Recall.recall(parts)), past)
    past = one.after
    totals.add(one.told)
    return one.told
  })
  return { days: told, totals }
}
