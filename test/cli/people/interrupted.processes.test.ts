/** A command that ends while it sends: whoever ended it hears what was sent and what was not, then and later. */
import { DatabaseSync } from "@photostructure/sqlite"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as StageJournal from "../../faults/StageJournal.js"
import { until } from "../../faults/Waiting.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
  shop.removeRules()
  shop.write(
    "rules/top-up.yaml",
    "version: 1\nname: Top up\nmode: approve\neach: campaign\nwhen: budget < 10000000 ₽\ndo:\n  deposit: {amount: 1000 ₽, from: balance}\nlimits: {money_per_day: 1000 ₽}\n"
  )
  await shop.allowDeposits()
})
afterEach(() => shop.close())

it("approve tells of a deposit that was made, of one that may have been, and of those that were not", async () => {
  const asked = await shop.run("apply", "--yes")
  const [, id] = /bidhelm approve (\w+)/.exec(asked.stdout + asked.stderr) ?? []
  const faults = [{ kind: "latency", operation: "depositCampaignBudget", ms: 3_600_000, skip: 1 }]
  await shop.control("faults", { faults })
  const child = shop.start("approve", id ?? "")
  const end = Shop.ended(child)
  await until(() => StageJournal.says(shop, "accepted") && StageJournal.says(shop, "dispatching"))
  // Another lane's runs go on meanwhile.
  const store = new DatabaseSync(StageJournal.storeOf(shop))
  const other = store.prepare(
    "INSERT INTO runs SELECT 'run-9' || ?, account, 'orders', 'p' || ?, started_at + 1, NULL, 'done', '{}', NULL FROM runs LIMIT 1"
  )
  for (let one = 0; one < 12; one++) other.run(one, one)
  store.close()
  child.kill("SIGINT")
  const { code, stderr } = await end
  expect(code).toBe(130)
  expect(stderr).toMatch(/1000001 {2}deposit 1 000 ₽ .*\n +accepted/)
  expect(stderr).toMatch(/^run-\S+: interrupted \(accepted 1, dispatching 1, planned 1\)/m)
  expect(stderr).toContain("what is planned was not sent")
}, 120_000)

it("an approval whose program was killed once all was sent is applied as soon as that is read back", async () => {
  shop.removeRules()
  shop.write(
    "rules/raise.yaml",
    "version: 1\nname: Raise\nmode: approve\neach: campaign_item\nwhere: campaign.payment = cpm\nwhen: bid > 1 ₽\ndo:\n  raise_bid: {by: 10%, cap: 9000 ₽}\ncooldown: 1h\n"
  )
  const asked = await shop.run("apply", "--yes")
  const [, id = ""] = /bidhelm approve (\w+)/.exec(asked.stdout + asked.stderr) ?? []
  shop.environment = { BIDHELM_STOP_AT: "sent" }
  await shop.run("approve", id)
  shop.environment = {}
  const sent = (await shop.ledger()).entries.length
  expect(sent).toBeGreaterThan(0)
  const settled = await shop.run("apply", "--yes")
  const [, runId] = /^Approval \w+ led to (run-\S+)\.$/m.exec(settled.stderr) ?? []
  expect((await shop.run("approvals")).stdout).toMatch(new RegExp(`^${id}  applied by .+ \\(${runId}\\)  `))
  const { runStatus, state } = JSON.parse((await shop.run("approvals", id, "--json")).stdout)
  expect([state, runStatus]).toEqual(["applied", "done"])
  expect((await shop.run("history")).stdout).toMatch(new RegExp(`^${runId} .+ interrupted `, "m"))
  expect((await shop.ledger()).entries).toHaveLength(sent)
}, 120_000)
