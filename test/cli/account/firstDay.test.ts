/** Deposits of a store that does not know the account for a day: judged by what the marketplace accepted. */
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as FirstDay from "../../../src/engine/decide/limits/FirstDay.js"
import type { Document } from "../../../src/engine/decide/PlanJson.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
  shop.removeRules()
  shop.write(
    "rules/top-up.yaml",
    "version: 1\nname: Top up\nmode: apply\neach: campaign\nwhen: campaign.id = 1000001 and budget < 10000000 ₽\ndo:\n  deposit: {amount: 1000 ₽, from: balance}\nlimits: {money_per_day: 1000 ₽}\n"
  )
})
afterEach(() => shop.close())

const account = "main"
const paid = async () =>
  (await shop.ledger()).entries.filter(({ operation }) => operation === "depositCampaignBudget").length
const held = async () => (JSON.parse((await shop.run("plan", "--json")).stdout) as Document).held
const forget = (...files: ReadonlyArray<string>) => {
  for (const file of files) rmSync(join(shop.folder, file), { recursive: true, force: true })
}
const allowed = () => shop.run("account", "deposits", account, "--allow")
const listings = async () => {
  const ledger = (await (await fetch(`${shop.url}/_sandbox/ledger`)).json()) as {
    readonly counters: Readonly<Record<string, { readonly requests: number }>>
  }
  return ledger.counters.getPaymentHistory?.requests ?? 0
}

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
    expect((await allowed()).stdout).toMatch(
      /^From 2026-09-01 15:\d\d on, when the list is whole, the rules may/m
    )
    await shop.advance(FirstDay.listedAfterMs)
    expect((await shop.run("apply", "--yes")).code).toBe(0)
    expect(await paid()).toBe(1)
    expect((await shop.run("history", "--verify")).code).toBe(0)
    const told = await shop.run("account", "deposits", account, "--json")
    expect(JSON.parse(told.stdout)).toMatchObject({
      held: false,
      counted: { kopecks: 0 },
      deposits: [{ kopecks: 100_000 }]
    })
  })

  it("does not pay twice when the store is lost: nothing is deposited without a new word", async () => {
    await shop.allowDeposits()
    await shop.run("apply", "--yes")
    expect(await paid()).toBe(1)
    forget(".bidhelm")
    await shop.run("apply", "--yes")
    await shop.run("apply", "--yes")
    expect(await paid()).toBe(1)
    expect((await held()).map(({ by }) => by)).toEqual(["first_day"])
  })

  it("nor with a new word: what the marketplace lists of today counts, once it can list it", async () => {
    await shop.allowDeposits()
    await shop.run("apply", "--yes")
    forget(".bidhelm")
    await allowed()
    await shop.run("apply", "--yes")
    expect(await paid()).toBe(1)
    expect(await held()).toMatchObject([
      { by: "first_day", over: expect.stringContaining("before 2026-09-01") }
    ])
    await shop.advance(FirstDay.listedAfterMs)
    await shop.run("apply", "--yes")
    expect(await paid()).toBe(1)
    expect(await held()).toMatchObject([
      {
        by: "money_per_day",
        over: "1 000 ₽ deposited today or in this plan (1 000 ₽ of it is listed by the marketplace alone), 1 000 ₽ more is 1 000 ₽ over"
      }
    ])
    const told = await shop.run("account", "deposits", account)
    expect(told.stdout).toContain("Of them 1 000 ₽ of today counts against each limit of deposits of a day")
    expect(told.stdout).toContain(
      "The rules may make deposits, within what those top-ups leave of their limits."
    )
    const config = shop.read("bidhelm.yaml")
    shop.write("bidhelm.yaml", `${config.replace(/^currency:.*\n/m, "")}\ncurrency: KZT\n`)
    const elsewhere = await shop.run("account", "deposits", account)
    expect(elsewhere.stdout).toContain("Of them 1 000 KZT of today counts")
    expect(elsewhere.stdout).not.toContain("₽")
    shop.write("bidhelm.yaml", config)
    const saved = await shop.run("plan", "--out", "plan.json")
    expect(saved.code).toBe(0)
    await shop.run("apply", "plan.json", "--yes")
    expect(await paid()).toBe(1)
  })

  it("makes none while that list cannot be read, and asks for it on that day alone", async () => {
    await shop.allowDeposits()
    await shop.control("faults", { faults: [{ kind: "refuse", operation: "getPaymentHistory" }] })
    await shop.run("apply", "--yes")
    expect(await paid()).toBe(0)
    expect(await held()).toMatchObject([
      {
        by: "first_day",
        over: expect.stringContaining("today's top-ups, which counts against the limits, cannot be read: ")
      }
    ])
    await shop.advance(24 * 3_600_000)
    const before = await listings()
    await shop.run("apply", "--yes")
    expect(await paid()).toBe(1)
    expect(await listings()).toBe(before)
  })

  it("nor when an old copy of the store comes back without the marker beside it", async () => {
    await shop.allowDeposits()
    await shop.run("plan")
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
