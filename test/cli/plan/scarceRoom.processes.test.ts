/** A scheduled cycle over more pairs than the scarcest limit answers: the account's other policies must not wait a day. */
import { beforeEach, describe, expect, it } from "vitest"
import { ranCycle } from "../Daemon.js"
import * as Shop from "../Shop.js"

const raise = "rules/01-raise-to-reach-max.yaml"

/** Every pair wants its recommendation, whatever it sold. */
const rule = `version: 1
name: Raise toward reach max
mode: preview
schedule: {every: 1m, tz: Europe/Moscow}
each: cluster
where: campaign.status = active and campaign.payment = cpm and campaign.bid_type = manual
window: 7d
cooldown: 6h
when: bid < recommended.reach_max
do:
  raise_bid: {by: 10%, toward: recommended.reach_max, cap: 450 ₽}
`

interface Counted {
  readonly counters: Readonly<Record<string, { readonly requests: number }>>
}
const asked = async (shop: Shop.Shop): Promise<number | undefined> => {
  const { counters } = (await (await fetch(`${shop.url}/_sandbox/ledger`)).json()) as Counted
  return counters.getBidRecommendations?.requests
}

describe("a rule that wants more recommendations than the limit gives in ten minutes", () => {
  let shop: Shop.Shop
  beforeEach(async () => {
    shop = await Shop.Shop.open({ scale: { campaigns: 40, items: 5, clusters: 2 } })
    shop.write(raise, rule)
    return () => shop.close()
  })

  it("makes the calls of ten minutes when it is due, leaves the others to the next cycle, and says so", async () => {
    await shop.run("run", "--once")
    await new Promise((wake) => setTimeout(wake, 2000))
    const cycle = await shop.run("run", "--once")
    expect(cycle.stderr + cycle.stdout).toMatch(ranCycle)
    expect(await asked(shop)).toBe(55)
    expect(cycle.stderr + cycle.stdout).toMatch(/getBidRecommendations leaves 55 calls in 10 min/)
  }, 120_000)

  it("makes them all when a person asks for a plan", async () => {
    await shop.run("plan")
    expect(await asked(shop)).toBeGreaterThan(55)
  }, 120_000)
})
