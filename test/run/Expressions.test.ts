import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Scenario from "../scenario/Scenario.js"

const policy = (when: ReadonlyArray<string>) => ({
  path: "rules/01.yaml",
  text: [
    "version: 1",
    "name: a",
    "mode: apply",
    "each: cluster",
    "where: campaign.status = active and campaign.payment = cpm and campaign.bid_type = manual",
    "window: 7d",
    "when:",
    ...when.map((one) => `  - ${one}`),
    "do:",
    "  raise_bid: {by: 10%, cap: $most}",
    ""
  ].join("\n")
})
const vars = {
  path: "rules/_shared/vars.yaml",
  text: "version: 1\nkind: vars\nvars: {most: 450 ₽, days: 7d, gone: [нет такого запроса]}\n"
}

const reasons = (when: ReadonlyArray<string>) =>
  Scenario.run({ rules: [policy([...when, "not (query contains any $gone)"]), vars] }, (world) =>
    Effect.map(world.plan, ({ reviewed: { plan } }) => ({
      reasons: plan.changes.map((change) => change.reason.map(({ value }) => value)),
      unknown: plan.unknown.length,
      requests: world.requests("getClusterStats")
    }))
  )

describe("expressions over facts that were really read", () => {
  it("see two neighbouring weeks, each read once", async () => {
    const made = await reasons(["change(views, $days) > -90%", "views[7d before 7d] > 0"])
    expect(made.reasons.length).toBeGreaterThan(0)
    expect(made.requests).toBeGreaterThanOrEqual(2)
    const before = made.reasons.map(([, , views]) => views)
    expect(new Set(before).size).toBeGreaterThan(1)
  })

  it("prove rates by the clicks and views of the window", async () => {
    const all = await reasons(["views default 0 > 0"])
    const proved = await reasons(["ctr > 0.5% with 99% confidence"])
    expect(proved.reasons.length).toBeGreaterThan(0)
    expect(proved.reasons.length).toBeLessThanOrEqual(all.reasons.length)
    expect(proved.reasons[0]?.[1]).toMatch(/^[\d.]+% \(\d+ clicks of \d+ views; needs at most \d+\)$/)
  })

  it("take clusters that the marketplace leaves out for zero only with a default", async () => {
    const zero = await reasons(["views[yesterday] = 0"])
    const orLess = await reasons(["views[yesterday] default 0 = 0"])
    const missing = await reasons(["views[yesterday] is not known"])
    expect(zero.reasons).toEqual([])
    expect(zero.unknown).toBeGreaterThan(0)
    expect(orLess.unknown).toBe(0)
    expect(orLess.reasons.length).toBeGreaterThan(0)
    expect(missing.reasons.length).toBe(orLess.reasons.length)
    for (const line of missing.reasons) expect(line[1]).toMatch(/did not report/)
  })
})

describe("a bid calculated from two prices", () => {
  const steer = {
    path: "rules/02.yaml",
    text: `version: 1
name: Pay 15% of the price for an order
mode: apply
each: campaign_item
where: campaign.status = active and campaign.payment = cpm and campaign.bid_type = manual
window: 7d
when: orders >= 1
do:
  set_bid: {to: cpm * 15% * item.price / cpo, cap: 5000 ₽, floor: min_bid}
`
  }

  it("arrives at the marketplace as whole numbers make it", () =>
    Scenario.run({ rules: [steer], scale: { campaigns: 6, items: 3, clusters: 4 } }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const items = planned.gathered.table("campaign_item")
        const kopecks = (row: number, key: string): number => {
          const cell = items.get(row, key)
          return cell._tag === "Known" ? Number(cell.value) : Number.NaN
        }
        yield* world.apply(planned)
        const sent = world.ledger().filter(({ slot }) => slot === "bid.search")
        expect(sent.length).toBeGreaterThan(0)
        let free = 0
        for (const change of sent) {
          const row = items.rows.findIndex(
            (one) => one.campaignId === change.target.campaignId && one.itemId === change.target.itemId
          )
          const [spend, views, orders] = ["spend", "views", "orders"].map((word) =>
            BigInt(kopecks(row, `campaign_item.${word}@7d`))
          )
          // cpm is spend × 1000 / views, and cpo spend / orders: what is left has no spend in it.
          const price = BigInt(kopecks(row, "item.price"))
          const wanted = Number((15n * price * 1000n * orders!) / (100n * views!))
          expect(spend! > 0n).toBe(true)
          const bounded = Math.min(500_000, wanted)
          const step = 100
          expect(change.after).toBe(
            Math.max(Math.floor(bounded / step) * step, kopecks(row, "campaign_item.min_bid"))
          )
          if (bounded === wanted) free++
        }
        expect(free).toBeGreaterThan(0)
      })
    ))
})
