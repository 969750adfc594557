import { expect, it } from "vitest"
import * as Shop from "./cli/Shop.js"
const topUp = (mode: string) => `version: 1
name: Top up
mode: ${mode}
each: campaign
when: campaign.status = active and budget < 1000000 ₽
do:
  deposit: {amount: 1000 ₽, from: balance}
limits: {money_per_day: 1000 ₽}
`
it("masks", async () => {
  const shop = await Shop.Shop.open()
  try {
    const pausing = "rules/03-daily-budget-stop.yaml"
    shop.write(pausing, shop.read(pausing).replace("mode: apply", "mode: disabled"))
    const minus = "rules/02-minus-low-ctr.yaml"
    const own = shop.read(minus)
    shop.write(minus, own.replace("mode: apply", "mode: disabled"))
    const lower = "rules/15-lower-dear-clusters.yaml"
    const ownLower = shop.read(lower)
    shop.write(lower, ownLower.replace("mode: apply", "mode: disabled"))
    const paid = async () => (await shop.ledger()).entries.filter(({ operation }) => operation === "depositCampaignBudget").length
    const go = async (...w: string[]) => { const e = await shop.run(...w); console.log(w.join(" "), e.code, e.stdout.slice(0, 300), e.stderr.slice(0, 500)); return e }
    shop.write("rules/09-top-up.yaml", topUp("apply"))
    await shop.allowDeposits()
    await go("apply", "--yes")
    const first = await paid()
    shop.write("rules/09-top-up.yaml", topUp("disabled"))
    await shop.advance(26 * 3600_000)
    shop.write(lower, ownLower)
    shop.write(minus, own)
    await go("apply", "--yes")
    await go("backup", "old.gz")
    shop.write("rules/09-top-up.yaml", topUp("apply"))
    await go("apply", "--yes")
    const second = (await paid()) - first
    await go("restore", "old.gz")
    await shop.advance(180_000)
    const r = await shop.run("reconcile", "--json")
    console.log("FIRST", first, "LOST", second, "TOLD", JSON.parse(r.stdout).topUps, r.stderr)
  } finally { await shop.close() }
}, 200_000)
