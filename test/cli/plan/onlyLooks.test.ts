/** A run that only looks says so, and not that its rules are in mode preview. */
import { afterEach, beforeEach, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
  shop.removeRules()
  shop.write(
    "rules/lower.yaml",
    `version: 1
name: Lower
mode: apply
each: cluster
window: 7d
where: campaign.payment = cpm
when: views = 0 or views > 0
do:
  lower_bid: {by: 5%, floor: 50 ₽}
`
  )
  await shop.control("faults", { faults: [{ kind: "zeros", operation: "getClusterStats" }] })
})
afterEach(() => shop.close())

it("names the doubt, and not a mode, as the reason why nothing is applied", async () => {
  const { code, stderr, stdout } = await shop.run("apply", "--yes")
  expect([code, stdout]).toEqual([0, expect.stringContaining("Nothing to apply.")])
  expect(stdout).toContain("this run only looks")
  expect(stderr).toMatch(/\d+ changes are shown, not applied: this run only looks\./)
  expect(stderr).not.toContain("mode preview")
  const answer = JSON.parse((await shop.run("apply", "--yes", "--json")).stdout)
  expect(answer).toMatchObject({
    runId: null,
    changes: [],
    observeOnly: expect.stringContaining("only looks")
  })
  expect((await shop.ledger()).entries).toEqual([])
})

it("says so in --json too where it ends overlays all the same", async () => {
  shop.write(
    "rules/boost.yaml",
    `version: 1
name: Boost
mode: apply
schedule: {every: 30m, tz: Europe/Moscow}
each: campaign_item
where: [campaign.payment = cpm, campaign.bid_type = manual]
during: {time: "14:00-17:00"}
do:
  adjust_bid: {by: +20%, cap: 900 ₽}
`
  )
  await shop.control("faults", { faults: [] })
  expect((await shop.run("apply", "--yes")).code).toBe(0)
  await shop.advance(3 * 3_600_000)
  await shop.control("faults", { faults: [{ kind: "zeros", operation: "getClusterStats" }] })
  const { stdout } = await shop.run("apply", "--yes", "--json")
  const answer = JSON.parse(stdout) as { readonly changes: ReadonlyArray<{ readonly change: object }> }
  expect(answer).toMatchObject({ status: "done", observeOnly: expect.stringContaining("only looks") })
  expect(new Set(answer.changes.map(({ change }) => change))).toEqual(
    new Set(answer.changes.map(() => expect.objectContaining({ action: "adjust_bid" })))
  )
  expect(answer.changes.length).toBeGreaterThan(0)
})
