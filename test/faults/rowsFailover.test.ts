/** PostgreSQL fails over to a copy that lacks the last commits: what they said was sent is not sent again. */
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type * as Shop from "../cli/Shop.js"
import * as PostgresShop from "./PostgresShop.js"
import * as Stage from "./Stage.js"
import * as Standby from "./Standby.js"

let pair: Standby.Pair
let shop: Shop.Shop
beforeEach(async () => {
  pair = await Standby.start()
  shop = await PostgresShop.open(pair.url, ["bids", "deposit"], pair.password)
})
afterEach(async () => {
  await shop.close()
  await pair.remove()
})

/** As on a machine that has never run before: what it would notice by itself is not to help here. */
const forgetSerial = () => {
  for (const name of readdirSync(join(shop.folder, ".bidhelm"))) {
    if (name.endsWith(".serial")) rmSync(join(shop.folder, ".bidhelm", name))
  }
}

describe("a failover that loses commits", () => {
  it("leaves a store that only looks, until it is reconciled; a deposit whose record is lost is not made again", async () => {
    shop.environment = { BIDHELM_STOP_AT: "begun" }
    expect((await Stage.run(shop, ["apply", "--yes"])).code).toBe(null)
    await pair.leaveBehind()
    shop.environment = {}
    await PostgresShop.well(shop, "apply", "--yes")
    const before = await Stage.nothingTwice(shop)
    expect(before.filter(({ slot }) => slot === "budget")).toHaveLength(1)

    await pair.failOver()
    forgetSerial()
    const refused = await Stage.run(shop, ["apply", "--yes"])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/PostgreSQL was replaced by a copy.*bidhelm reconcile/)
    expect((await shop.run("plan")).stderr).toContain("Only looking")
    expect((await Stage.ledgerOf(shop)).entries).toHaveLength(before.length)

    const found = await shop.run("reconcile", "--json")
    expect([found.code, found.stderr]).toEqual([0, found.stderr])
    expect(JSON.parse(found.stdout)).toMatchObject({ lifted: true, toHold: ["deposit"] })
    expect((await Stage.run(shop, ["apply", "--yes"])).code).toBe(0)
    expect(await Stage.nothingTwice(shop)).toHaveLength(before.length)
    expect(await Stage.requests(shop, "depositCampaignBudget")).toBe(1)
    // What the copy shows as not sent yet may be what it lost: that is a person's to say.
    const { changes } = JSON.parse((await shop.run("history", "--state", "parked", "--json")).stdout)
    for (const { change, runId } of changes)
      await PostgresShop.well(shop, "resolve", runId, change.id, "--paid")
    expect(changes).toHaveLength(1)
    await PostgresShop.nothingOpen(shop)
  })
})
