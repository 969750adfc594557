/** A saved plan that is applied when the day is over whose figures it was made from. */
import { afterEach, beforeEach, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
  shop.removeRules()
  shop.write(
    "rules/stop.yaml",
    `version: 1
name: Stop
mode: approve
each: campaign
where: campaign.status = active
window: today
when: spend default 0 ₽ < 1000000 ₽
do: pause
`
  )
})
afterEach(() => shop.close())

it("asks for none of its pauses, and says why", async () => {
  expect((await shop.run("plan", "--out", "plan.json")).code).toBe(0)
  await shop.advance(15 * 3_600_000)
  const { code, stderr, stdout } = await shop.run("apply", "plan.json", "--yes")
  expect([code, stdout]).toEqual([0, "Nothing to apply.\n"])
  expect(stderr).toMatch(
    /\d changes are not asked for: the time they were planned for is over, as the day whose figures wanted a pause\. Plan again\./
  )
  expect((await shop.run("approvals")).stdout).not.toContain("approve")
})
