/** Deposits of a store that does not know the account for a day: judged by what the marketplace accepted. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import * as Shop from "../Shop.js"

beforeAll(Shop.build)
afterAll(Shop.removeBuild)

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
  for (const rule of ["01-raise-to-reach-max", "02-minus-low-ctr", "03-daily-budget-stop"])
    rmSync(join(shop.folder, `rules/${rule}.yaml`))
  rmSync(join(shop.folder, "rules/tests"), { recursive: true })
  shop.write(
    "rules/top-up.yaml",
    "version: 1\nname: Top up\nmode: apply\neach: campaign\nwhen: campaign.id = 1000001 and budget < 10000000 ₽\ndo:\n  deposit: {amount: 1000 ₽, from: balance}\nlimits: {money_per_day: 1000 ₽}\n"
  )
})
afterEach(() => shop.close())

const account = "main"
const paid = async () =>
  (await shop.ledger()).entries.filter(({ operation }) => operation === "depositCampaignBudget").length
const held = async () => (JSON.parse((await shop.run("plan", "--json")).stdout) as Plan).held
const forget = (...files: ReadonlyArray<string>) => {
  for (const file of files) rmSync(join(shop.folder, file), { recursive: true, force: true })
}
const allowed = () => shop.run("account", "deposits", account, "--allow")

describe("a store that meets an account", () => {
  it("makes no deposit, says why, and what a person can do", async () => {
    expect((await shop.run("apply", "--yes")).code).toBe(0)
    expect(await paid()).toBe(0)
    const [hold] = await held()
    expect(hold).toMatchObject({ by: "first_day" })
    expect(hold?.over).toContain(`bidhelm account deposits ${account}, and allow them with --allow`)
  })

  it("makes it once a person has looked and said so, and the word is in the chain", async () => {
    const looked = await shop.run("account", "deposits", account)
    expect(looked.stdout).toContain("The rules make no deposit before")
    expect((await allowed()).stdout).toContain("From now on the rules may make deposits")
    expect((await shop.run("apply", "--yes")).code).toBe(0)
    expect(await paid()).toBe(1)
    expect((await shop.run("history", "--verify")).code).toBe(0)
    const told = await shop.run("account", "deposits", account, "--json")
    expect(JSON.parse(told.stdout)).toMatchObject({ held: false, deposits: [{ kopecks: 100_000 }] })
  })

  it("does not pay twice when the store is lost: nothing is deposited without a new word", async () => {
    await allowed()
    await shop.run("apply", "--yes")
    expect(await paid()).toBe(1)
    forget(".bidhelm")
    await shop.run("apply", "--yes")
    await shop.run("apply", "--yes")
    expect(await paid()).toBe(1)
    expect((await held()).map(({ by }) => by)).toEqual(["first_day"])
  })

  it("nor when an old copy of the store comes back without the marker beside it", async () => {
    await allowed()
    await shop.run("plan")
    const { cpSync } = await import("node:fs")
    cpSync(join(shop.folder, ".bidhelm"), join(shop.folder, "copy"), { recursive: true })
    await shop.run("apply", "--yes")
    expect(await paid()).toBe(1)
    forget(".bidhelm")
    cpSync(join(shop.folder, "copy"), join(shop.folder, ".bidhelm"), { recursive: true })
    forget(".bidhelm/bidhelm.sqlite.serial")
    await shop.run("apply", "--yes")
    expect(await paid()).toBe(1)
    expect((await held()).map(({ by }) => by)).toEqual(["first_day"])
  })
})
