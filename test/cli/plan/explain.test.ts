import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import type { Explanation } from "../../../src/reporting/explain/Explanation.js"
import { Shop } from "../Shop.js"

let shop: Shop

const stock = `version: 1
name: Pause ads when stock runs out
mode: preview
schedule: {every: 1h, tz: Europe/Moscow}
each: campaign
where: campaign.status in [active, paused]
when: all(item.stock < 1)
do: pause
`
const sales = `version: 1
name: Start nothing while the account spends nothing
mode: preview
schedule: {every: 1h, tz: Europe/Moscow}
each: account
when: sum(campaign.spend[7d]) > 100000000 ₽
do:
  notify: {text: "much is spent"}
`
const pace = `version: 1
name: Pause what is ahead of its day
mode: preview
schedule: {every: 1h, tz: Europe/Moscow}
each: campaign
window: today
when: spend default 0 ₽ > 100 ₽ * (campaign.day_share + 10%)
do: pause
`
const explained = async (target: string): Promise<Explanation & { version: number; kind: string }> =>
  JSON.parse((await shop.run("explain", target, "--json")).stdout)

beforeAll(async () => {
  // Within the hour that the tests look for.
  shop = await Shop.open({ speed: 60 })
  shop.write("rules/90-stock.yaml", stock)
  shop.write("rules/91-account.yaml", sales)
  shop.write("rules/92-pace.yaml", pace)
}, 120_000)
afterAll(async () => {
  await shop.close()
})

describe("explain", () => {
  it("tells of an acting rule where its facts were read, how the bid came about and when it may move next", async () => {
    const plan: Plan = JSON.parse((await shop.run("plan", "--format", "json")).stdout)
    const change = plan.changes.find(({ action }) => action === "raise_bid")
    if (change === undefined) throw new Error("the plan raises no bid")
    const { campaignId, cluster, itemId } = change.subject
    const target = `${campaignId}/${itemId}/${cluster}`
    const { code, stdout } = await shop.run("explain", target)
    expect(code).toBe(0)
    expect(stdout).toMatch(/orders >= 3 +\d+ +stats \d+(–| [A-Z][a-z]+ – )\d+ [A-Z][a-z]+, read 15:\d\d/)
    expect(stdout).toMatch(/recommendations, remembered from 15:\d\d/)
    expect(stdout).toMatch(/campaign settings, read 15:\d\d/)
    expect(stdout).toMatch(/move: raise [13]0% → [\d.]+ ₽; toward .*; step 1 ₽ → \d+ ₽/)
    expect(stdout).toMatch(
      /next move: after \d\d:\d\d, and once the statistics of 1 Sep are complete \(2 Sep\)/
    )
    const json = await explained(target)
    expect([json.version, json.kind, json.target]).toEqual([1, "explain", target])
    const acts = json.policies.find(({ policy }) => policy === change.origin.name)
    expect(acts?.why).toContain(` → ${Number(change.after) / 100} ₽`)
    expect(acts?.nextMove).toMatchObject({ statisticsOf: "2026-09-01", completeOn: "2026-09-02" })
  })

  it("says of the share of a day that has usually been spent by now that too little of it was seen, and what would change that", async () => {
    const { code, stdout } = await shop.run("explain", "1000001")
    expect(code).toBe(0)
    expect(stdout).toContain("what earlier runs saw of the spend of hours")
    expect(stdout).toContain(
      "not known: campaign.day_share (too little has been seen of it yet); known once a campaign"
    )
    expect(stdout).toContain("seen running for two days while a policy asks for it")
  })

  it("judges a campaign's rule by all its items, though one item was asked about", async () => {
    const campaigns = await explained("account")
    const rows = campaigns.crowds.find(({ policy }) => policy === "90-stock")
    const whole = rows?.nearest[0]
    if (whole === undefined) throw new Error("no campaign misses")
    const { crowds } = await explained(whole.target)
    const item = crowds.flatMap(({ nearest }) => nearest).find(({ target }) => target.includes("/"))
    const [campaign, number] = item!.target.split("/")
    const { policies } = await explained(`${campaign}/${number}`)
    const stocks = policies.find(({ policy }) => policy === "90-stock")
    expect(stocks?.conditions.at(-1)?.value).toMatch(/^0 of \d+ items, such as item \d+: \d+$/)
    expect(stocks?.conditions.at(-1)?.value).toBe(whole.conditions.at(-1)?.value)
    expect(stocks?.wouldActWith[0]).toMatch(/^item \d+: item\.stock < 1 \(\d+ now\)/)
    const account = policies.find(({ policy }) => policy === "91-account")
    const before = campaigns.policies.find(({ policy }) => policy === "91-account")
    expect(account?.conditions.at(-1)?.holds).toBe("false")
    expect(account?.conditions.at(-1)?.value).toBe(before?.conditions.at(-1)?.value)
    const { stdout } = await shop.run("explain", `item/${number}`)
    expect(stdout).toMatch(new RegExp(`^item/${number}, 1 Sep 2026 15:\\d\\d \\(Europe/Moscow\\)`))
    expect(stdout).toContain("91-account: ")
  })

  it("refuses what is no target, and what is not there", async () => {
    for (const wrong of ["item", "item/0", "item/7/8", "accounts", "7/x"]) {
      const { code, stderr } = await shop.run("explain", wrong)
      expect([wrong, code]).toEqual([wrong, 1])
      expect(stderr).toContain("is no target: write CAMPAIGN,")
    }
    const missing = await shop.run("explain", "item/999999999")
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining("item 999999999 is in no campaign that is ready, active or paused")
    ])
  })
  it("says what was meant by an item without its word, and by a cluster, a campaign and a pair that are not there", async () => {
    const plan: Plan = JSON.parse((await shop.run("plan", "--format", "json")).stdout)
    const change = plan.changes.find(({ action }) => action === "raise_bid")
    const { campaignId, cluster = "", itemId } = change!.subject
    const asked = async (target: string) => {
      const { code, stderr, stdout } = await shop.run("explain", target)
      expect([target, code, stdout]).toEqual([target, 1, ""])
      return stderr
    }
    expect(await asked(`${itemId}`)).toContain(
      `${itemId} is an item: write item/${itemId}, or ${campaignId}/${itemId} for it in one campaign`
    )
    expect(await asked(`item/${campaignId}`)).toContain(`${campaignId} is a campaign: write ${campaignId}`)
    const pair = `${campaignId}/${itemId}`
    const slip = `${cluster.slice(0, -1)}ж`
    expect(await asked(`${pair}/${slip}`)).toMatch(
      new RegExp(`"${slip}" is not among the \\d+ clusters of ${pair}; nearest: ${pair}/${cluster}, `)
    )
    const other = plan.changes.find(
      ({ subject: target }) => target.campaignId !== campaignId && target.itemId
    )!.subject
    expect(await asked(`${campaignId}/${other.itemId}`)).toContain(
      `item ${other.itemId} is not in campaign ${campaignId}; it is in ${other.campaignId}/${other.itemId}`
    )
    expect(await asked("1000009")).toMatch(/nearest: 1000001, 1000002, 1000003\s*$/)
    expect(await asked("4101004990")).toContain("is it an order? Its way: bidhelm orders history 4101004990")
  })
})
