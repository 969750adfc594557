/** A store that is lost, with the real program: what was paid by it is not paid again by the next one. */
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest"
import * as Stage from "../faults/Stage.js"
import * as Shop from "./Shop.js"

beforeAll(Shop.build)
afterAll(Shop.removeBuild)

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Stage.withRules(["deposit"])
})
afterEach(() => shop.close())

const apply = () => Stage.run(shop, ["apply", "--yes"])
const paid = () => Stage.requests(shop, "depositCampaignBudget")
const lose = (name: string) => rmSync(join(shop.folder, ".bidhelm", name), { recursive: true })

it("a lost store pays nothing twice: without a person's word nothing, with it within the limit that the marketplace's list fills", async () => {
  const first = await apply()
  expect([first.code, await paid()]).toEqual([0, 0])
  expect(first.stdout).toContain("bidhelm account deposits main")
  const asked = await shop.run("account", "deposits", "main")
  expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining("give --yes. Nothing was changed") })
  await apply()
  expect(await paid()).toBe(0)

  const said = await shop.run("account", "deposits", "main", "--yes")
  expect(said.stdout).toContain("0 ₽ deposited, 0 ₽ of it not by this store")
  await apply()
  expect(await paid()).toBe(1)

  rmSync(join(shop.folder, ".bidhelm"), { recursive: true })
  await apply()
  await shop.run("run", "--once")
  expect(await paid()).toBe(1)
  const again = await shop.run("account", "deposits", "main", "--yes")
  expect(again.stdout).toContain("1 000 ₽ deposited, 1 000 ₽ of it not by this store")
  const held = await apply()
  expect(held.stdout).toContain("not by this store, the marketplace lists it")
  expect(await paid()).toBe(1)
  expect((await shop.run("history", "--verify")).code).toBe(0)
  expect((await shop.run("history", "--export", "audit.jsonl")).code).toBe(0)
  expect(shop.read("audit.jsonl")).toContain("deposits allowed in the first day")
})

it("a store whose marker is gone pays nothing for a day, and one that has it goes on", async () => {
  await shop.allowDeposits()
  await apply()
  expect(await paid()).toBe(1)
  lose(readdirSync(join(shop.folder, ".bidhelm")).find((name) => name.endsWith(".serial")) ?? "")
  shop.write(
    "rules/deposit.yaml",
    shop.read("rules/deposit.yaml").replace("money_per_day: 1000", "money_per_day: 9000")
  )
  const held = await apply()
  expect(held.stdout).toContain("the file beside this store that notes account main was missing")
  expect(await paid()).toBe(1)
  await shop.allowDeposits()
  await apply()
  expect(await paid()).toBe(2)
  await apply()
  expect(await paid()).toBe(3)
})
