/** Ctrl-C while a command sends: whoever presses it hears what was sent and what was not. */
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
