/** A saved plan that is applied when its values were written and set back since: judged by what the marketplace accepted. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import { status } from "../../../src/sandbox/market/Blueprint.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open({ scale: { campaigns: 6, items: 2, clusters: 10 } })
  shop.removeRules()
  shop.write("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {}\n")
})
afterEach(() => shop.close())

const campaignId = 1_000_001
const rule = (text: string) =>
  shop.write(
    "rules/st.yaml",
    `version: 1\nname: st\nmode: apply\nwhere: campaign.payment = cpm and campaign.id = ${campaignId}\n${text}`
  )
const setting = (verb: "start" | "pause") =>
  rule(
    `each: campaign\nwhen: campaign.status = ${verb === "start" ? "paused" : "active"}\ndo: ${verb}\ncooldown: 1d\n`
  )
const raising = () =>
  rule("each: campaign_item\nwhen: bid > 1 ₽\ndo: {raise_bid: {by: 10%, cap: 9000 ₽}}\ncooldown: 1d\n")

const saved = async (): Promise<Plan> => {
  expect((await shop.run("plan", "--out", "st.json")).code).toBe(0)
  return JSON.parse(shop.read("st.json")) as Plan
}
const applied = () => shop.run("apply", "st.json", "--yes")
const byHand = async (edit: Readonly<Record<string, unknown>>) => {
  await shop.advance(25 * 60_000)
  await shop.control("human-edit", { campaignId, ...edit })
  await shop.advance(25 * 60_000)
}
/** Campaign, item and value of each write that was not by hand, sorted. */
const sent = async () =>
  (await shop.ledger()).entries
    .filter(({ operation }) => operation !== "human-edit")
    .map(({ after, target: { itemId } }) => `${itemId ?? "status"} ${String(after)}`)
    .sort()
const setBack =
  /not sent: st set it at .* Europe\/Moscow, after this plan was made, and its old value stands there again; make a new plan/

describe("a saved plan that was applied before", () => {
  for (const [verb, before, after] of [
    ["start", status.paused, status.active],
    ["pause", status.active, status.paused]
  ] as const)
    it(`does not ${verb} again what a person set back`, async () => {
      await shop.control("human-edit", { campaignId, status: before })
      await shop.advance(120_000)
      setting(verb)
      await saved()
      expect((await applied()).code).toBe(0)
      await byHand({ status: before })
      const again = await applied()
      expect(await sent()).toEqual([`status ${after}`])
      expect([again.code, again.stdout]).toEqual([1, expect.stringMatching(setBack)])
    })

  it("raises no bid again that a person set back, whoever had made the change", async () => {
    raising()
    const { changes } = await saved()
    expect(changes.length).toBe(2)
    // A run of its own makes the same changes.
    expect((await shop.run("apply", "--yes")).code).toBe(0)
    const once = await sent()
    expect(once).toHaveLength(2)
    const [one] = changes
    await byHand({ itemId: one!.subject.itemId, bidKopecks: one!.before, placement: "search" })
    const again = await applied()
    expect(await sent()).toEqual(once)
    expect([again.code, again.stdout]).toEqual([4, expect.stringMatching(setBack)])
    expect(again.stdout).toContain("already has the new value")
  })

  it("makes the rest where it was applied in part", async () => {
    raising()
    const { changes } = await saved()
    const target = `${campaignId}/${changes[0]!.subject.itemId}`
    expect((await shop.run("hold", "--target", target, "--why", "wait")).code).toBe(0)
    await applied()
    expect(await sent()).toHaveLength(1)
    expect((await shop.run("resume", "--target", target)).code).toBe(0)
    expect((await applied()).code).toBe(0)
    expect(await sent()).toEqual(changes.map(({ after, subject }) => `${subject.itemId} ${after}`).sort())
  })
})
