/** kill -9 at a named point of the journal, by the process itself: the next apply goes on rightly. */
import { afterEach, describe, expect, it } from "vitest"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import * as Stage from "../../faults/Stage.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop | undefined
afterEach(() => shop?.close())

describe("BIDHELM_STOP_AT", () => {
  it.each(["claimed", "dispatching"])(
    "kills apply at %s, and the next apply sends every change once",
    async (point) => {
      shop = await Shop.Shop.open()
      shop.write(
        "rules/03-daily-budget-stop.yaml",
        shop.read("rules/03-daily-budget-stop.yaml").replace("mode: apply", "mode: disabled")
      )
      const plan = JSON.parse((await shop.run("plan", "--json")).stdout) as Plan
      shop.environment = { BIDHELM_STOP_AT: point }
      expect((await shop.run("apply", "--yes")).code).toBeNull()
      expect((await shop.ledger()).entries).toEqual([])
      shop.environment = {}
      await Stage.run(shop, ["apply", "--yes"])
      await Stage.run(shop, ["apply", "--yes"])
      expect(await shop.compare(plan.changes)).toEqual({
        agreed: plan.changes.length,
        missing: [],
        surplus: []
      })
    }
  )

  it("names the points when it knows none of that name", async () => {
    shop = await Shop.Shop.open()
    shop.environment = { BIDHELM_STOP_AT: "nowhere" }
    const refused = await shop.run("apply", "--yes")
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain("locked, recovered, begun")
  })
})
