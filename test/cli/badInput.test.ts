/** What goes wrong outside the rules: each ends in one clear message, its exit code, and nothing half done. */
import { afterEach, beforeAll, expect, it } from "vitest"
import type { Plan } from "../../src/engine/decide/Plan.js"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import * as Bundle from "./Bundle.js"
import * as Shop from "./Shop.js"

let shop: Shop.Shop
beforeAll(() => void Bundle.program(), Bundle.withinMs)
afterEach(() => shop.close())

const open = async (options?: Shop.Options): Promise<void> => {
  shop = await Shop.Shop.open(options)
}

const nothingSent = async (): Promise<void> => expect((await shop.ledger()).entries).toEqual([])

it("ends with 5 when a limit leaves no room in time, and overruns none", async () => {
  await open({ token: { kind: "base" } })
  await shop.run("plan", "--max-wait", "1m")
  const { code, stderr } = await shop.run("plan", "--max-wait", "1m")
  expect(code).toBe(5)
  expect(stderr).toContain("stopped by limits")
  expect((await shop.ledger()).breaches).toBe(0)
})

it("says that a host answers pages instead of data", async () => {
  await open()
  await shop.control("faults", { faults: [{ kind: "html", operation: "listCampaignIds" }] })
  const { code, stderr } = await shop.run("apply", "--yes")
  expect(code).toBe(1)
  expect(stderr).toMatch(/listCampaignIds: .*a web page instead of data.* Check the host/)
  await nothingSent()
})

it("says that a token has expired, and lacks a category, before anything is asked", async () => {
  await open({ token: { expiresAtMs: 1_000_000_000_000 } })
  expect(await shop.run("plan")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/expired on 2001-09-09/)
  })
  await shop.close()
  await open({ token: { categories: ["pricesAndDiscounts"] } })
  expect(await shop.run("plan")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/lacks the category Promotion/)
  })
})

it("plans with a token that may only read, and sends nothing with it", async () => {
  await open({ token: { readOnly: true } })
  const plan = JSON.parse((await shop.run("plan", "--json")).stdout) as Plan
  expect(plan.changes.length).toBeGreaterThan(0)
  const { code, stderr, stdout } = await shop.run("apply", "--yes")
  expect([code, stdout]).toEqual([1, ""])
  expect(stderr.match(/nothing was sent: the token of main is for reading only/g)).toHaveLength(1)
  expect((await shop.run("history")).stdout).toContain("no runs yet")
  await nothingSent()
})

it("refuses a saved plan of another account", async () => {
  await open()
  await shop.run("plan", "--out", "plan.json")
  shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replace('name: "main"', 'name: "other"'))
  shop.environment = { BIDHELM_TOKEN: sandboxToken({ seller: "5a4d0000-0000-4000-8000-000000000002" }) }
  const { code, stderr } = await shop.run("apply", "plan.json", "--yes")
  expect(code).toBe(1)
  expect(stderr).toMatch(/made for account "main", not for "other".*Nothing was sent/)
  await nothingSent()
})

it("refuses a saved plan, and an undo, of an account in another currency than the configured one", async () => {
  await open()
  await shop.run("plan", "--out", "plan.json")
  const config = shop.read("bidhelm.yaml")
  const other = /^currency:.*$/m.test(config)
    ? config.replace(/^currency:.*$/m, "currency: KZT")
    : `${config}\ncurrency: KZT\n`
  shop.write("bidhelm.yaml", other)
  const { code, stderr } = await shop.run("apply", "plan.json", "--yes")
  expect(stderr).toContain("account main is in RUB, the configuration says KZT")
  expect(code).toBe(1)
  await nothingSent()
  shop.write("bidhelm.yaml", config)
  const { runId } = JSON.parse((await shop.run("apply", "plan.json", "--yes", "--json")).stdout)
  shop.write("bidhelm.yaml", other)
  const sent = (await shop.ledger()).entries.length
  expect(sent).toBeGreaterThan(0)
  expect((await shop.run("undo", runId, "--yes")).stderr).toContain("is in RUB, the configuration says KZT")
  expect((await shop.ledger()).entries).toHaveLength(sent)
})

it("lets the first of two applies work and tells the second who it is", { timeout: 120_000 }, async () => {
  await open()
  await shop.run("plan", "--out", "plan.json")
  await shop.control("faults", { faults: [{ kind: "latency", operation: "setMinusPhrases", ms: 20_000 }] })
  const first = Shop.ended(shop.start("apply", "plan.json", "--yes"))
  while (((await shop.ledger()).entries as ReadonlyArray<unknown>).length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const second = await shop.run("apply", "plan.json", "--yes")
  expect(second.code).toBe(1)
  expect(second.stderr).toMatch(/another apply of account "main" is running \(pid \d+.*nothing was sent/)
  expect((await first).code).toBe(0)
  const plan = JSON.parse(shop.read("plan.json")) as Plan
  expect(await shop.compare(plan.changes)).toMatchObject({ missing: [], surplus: [] })
})

it("says how to stop sending when the store that kill needs is away", async () => {
  await open()
  shop.write(
    "bidhelm.yaml",
    shop.read("bidhelm.yaml").replace(/^store: .*$/m, "store: postgres://bidhelm@127.0.0.1:1/bidhelm")
  )
  const { code, stderr } = await shop.run("kill")
  expect(code).toBe(1)
  expect(stderr).toContain("Nothing was stopped. Without the store: the file .bidhelm/STOP stops all sending")
})
