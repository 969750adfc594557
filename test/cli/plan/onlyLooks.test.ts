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
