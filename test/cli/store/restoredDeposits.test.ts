/** Deposits of a store that was restored from before they were made: judged by what the marketplace accepted. */
import { realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as FirstDay from "../../../src/engine/decide/limits/FirstDay.js"
import type { Document } from "../../../src/engine/decide/PlanJson.js"
import * as OpenFiles from "../../OpenFiles.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
  shop.removeRules()
  shop.write("rules/_shared/limits.yaml", "version: 1\nkind: limits\naccount: {money_per_day: 3000 ₽}\n")
  // Since yesterday the store knows the account.
  shop.write("rules/dep.yaml", rule("apply"))
  await shop.allowDeposits()
  await shop.well("apply", "--yes")
  await shop.advance(24 * 3_600_000)
  shop.write("rules/dep.yaml", rule("approve"))
})
afterEach(() => shop.close())

/** Two campaigns, 1000 ₽ each. */
const rule = (mode: string) =>
  `version: 1
name: Top up
mode: ${mode}
each: campaign
when: campaign.id <= 1000002 and budget < 10000000 ₽
do:
  deposit: {amount: 1000 ₽, from: balance}
limits: {money_per_day: 2000 ₽}
`

/** Runs a command that must go well. */
/** Deposits but the two of yesterday. */
const paid = async () =>
  (await shop.ledger()).entries.filter(({ operation }) => operation === "depositCampaignBudget").length - 2
const held = async () => (JSON.parse((await shop.well("plan", "--json")).stdout) as Document).held
const approvals = async () =>
  (
    JSON.parse((await shop.well("approvals", "--json")).stdout) as {
      readonly approvals: ReadonlyArray<{ readonly id: string; readonly state: string }>
    }
  ).approvals
const asked = async (): Promise<ReadonlyArray<string>> => {
  await shop.well("apply", "--yes")
  return (await approvals()).filter(({ state }) => state === "requested").map(({ id }) => id)
}
const approveAll = async (ids: ReadonlyArray<string>) => {
  for (const id of ids) await shop.run("approve", id)
}

/** Pays 2000 ₽ that the store does not know afterwards; answers what it may be asked to approve once more. */
const forgotten = async () => {
  const before = await asked()
  expect(before).toHaveLength(1)
  await shop.well("backup", "before.gz")
  await shop.well("approve", before[0] ?? "")
  expect(await paid()).toBe(2)
  const folder = `${realpathSync(shop.folder)}/`
  await OpenFiles.released(() => (OpenFiles.all() ?? []).some((path) => path.startsWith(folder)))
  // Nobody can read it any more, as on another machine.
  rmSync(join(shop.folder, ".bidhelm"), { recursive: true })
  await shop.well("restore", "before.gz")
  return before
}

describe("a store restored from before today's deposits", () => {
  it("pays no more than the account's limit of the day, whoever resumes, allows and approves", async () => {
    const before = await forgotten()
    await shop.well("reconcile")
    expect(await approvals()).toEqual([
      expect.objectContaining({ id: before[0], state: "superseded", why: "the store was reconciled" })
    ])
    await shop.well("resume", "--policy", "dep")
    await approveAll(before)
    await approveAll(await asked())
    expect(await paid()).toBe(2)
    expect(new Set((await held()).map(({ by }) => by))).toEqual(new Set(["first_day"]))

    await shop.allowDeposits()
    await approveAll(before)
    await approveAll(await asked())
    // 2000 ₽ of 3000 ₽ are listed, and count for each campaign's 2000 ₽ too.
    expect(await paid()).toBe(2)
    expect(await held()).toMatchObject([
      { by: "money_per_day", over: expect.stringContaining("is listed by the marketplace alone") },
      { by: "money_per_day" }
    ])
  })

  it("has what is left of the account's limit, and the next day all of it", async () => {
    shop.write("rules/dep.yaml", rule("approve").replace("2000 ₽", "3000 ₽"))
    await forgotten()
    await shop.well("reconcile")
    await shop.well("resume", "--policy", "dep")
    await shop.allowDeposits()
    await approveAll(await asked())
    expect(await paid()).toBe(3)
    await shop.advance(24 * 3_600_000)
    await approveAll(await asked())
    expect(await paid()).toBe(5)
  })

  it("makes no deposit by a policy that came after the reconciliation either", async () => {
    await forgotten()
    await shop.well("reconcile")
    rmSync(join(shop.folder, "rules/dep.yaml"))
    shop.write("rules/other.yaml", rule("apply"))
    await shop.well("apply", "--yes")
    await shop.advance(FirstDay.listedAfterMs)
    await shop.well("apply", "--yes")
    expect(await paid()).toBe(2)
  })

  it("says since when the top-ups are listed, and that the rules make no deposit", async () => {
    await forgotten()
    const unsure = await shop.well("account", "deposits", "main")
    expect(unsure.stdout).toContain("The rules make no deposit until bidhelm reconcile")
    expect((await shop.run("account", "deposits", "main", "--allow")).stderr).toContain("Nothing was allowed")
    await shop.advance(180_000)
    const found = await shop.well("reconcile")
    expect(found.stdout).toContain(
      "2 top-ups since the beginning of 2026-09-01, the day of the journal's last run, are not in the journal:"
    )
    expect(found.stdout).toContain("bidhelm account deposits main")
    const after = await shop.well("account", "deposits", "main")
    expect(after.stdout).toContain("The rules make no deposit before")
    expect(after.stdout).toContain("policy dep: on hold")
    await shop.allowDeposits()
    const allowed = await shop.well("account", "deposits", "main")
    expect(allowed.stdout).toContain("Of them 2 000 ₽ of today counts against each limit")
    expect(allowed.stdout).toContain("The rules make no deposit: all that would is stopped:")
    expect(allowed.stdout).toContain("bidhelm resume --policy dep")
    await shop.well("resume", "--policy", "dep")
    const resumed = await shop.well("account", "deposits", "main")
    expect(resumed.stdout).toContain(
      "The rules may make deposits, within what those top-ups leave of their limits."
    )
  })
})
