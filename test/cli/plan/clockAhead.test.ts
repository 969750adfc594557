/** Deposits, and raises under a limit of the day, by a clock that is not the marketplace's: judged by what the marketplace accepted. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, expect, it } from "vitest"
import type { Document } from "../../../src/engine/decide/PlanJson.js"
import * as Shop from "../Shop.js"

const hourMs = 3_600_000

let shop: Shop.Shop
let proxy: Server
/** How far the program's clock is ahead of the marketplace's. */
let aheadMs = 0
beforeEach(async () => {
  shop = await Shop.Shop.open()
  aheadMs = 0
  const { url } = shop
  proxy = createServer((request, response) => {
    void (async () => {
      const parts: Array<Buffer> = []
      for await (const part of request) parts.push(part as Buffer)
      const { authorization = "" } = request.headers
      const answer = await fetch(url + request.url, {
        method: request.method ?? "GET",
        headers: { authorization, "content-type": "application/json" },
        ...(parts.length === 0 ? {} : { body: Buffer.concat(parts) })
      })
      const text = await answer.text()
      const isClock = request.url === "/_sandbox/clock"
      const clock = isClock ? (JSON.parse(text) as { nowMs: number }) : { nowMs: 0 }
      const { date = "", "content-type": type = "" } = Object.fromEntries(answer.headers)
      response.writeHead(answer.status, { date, "content-type": type })
      response.end(isClock ? JSON.stringify({ ...clock, nowMs: clock.nowMs + aheadMs }) : text)
    })()
  })
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening))
  const own = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replaceAll(url, own))
  shop.removeRules()
  shop.write(
    "rules/top-up.yaml",
    "version: 1\nname: Top up\nmode: apply\neach: campaign\nwhen: campaign.id = 1000001 and budget < 10000000 ₽\ndo:\n  deposit: {amount: 1000 ₽, from: balance}\nlimits: {money_per_day: 1000 ₽}\n"
  )
})
afterEach(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await shop.close()
})

const paid = async () =>
  (await shop.ledger()).entries.filter(({ operation }) => operation === "depositCampaignBudget").length
const held = async () => (JSON.parse((await shop.run("plan", "--json")).stdout) as Document).held

it.each([20, 48])(
  "a clock that is %i hours ahead makes the day's deposits no second time, and says why",
  async (hours) => {
    await shop.allowDeposits()
    expect([(await shop.run("apply", "--yes")).code, await paid()]).toEqual([0, 1])
    aheadMs = hours * hourMs
    const { stderr } = await shop.run("apply", "--yes")
    expect([await paid(), stderr]).toEqual([
      1,
      expect.stringMatching(/this machine's clock is .* ahead of the marketplace's/)
    ])
    expect(await held()).toMatchObject([{ by: "money_per_day", over: expect.stringContaining("NTP") }])
  },
  120_000
)

it("clocks that agree hold nothing, and nothing is said of them", async () => {
  await shop.allowDeposits()
  const { stderr } = await shop.run("apply", "--yes")
  expect([await paid(), stderr]).toEqual([1, expect.not.stringContaining("clock")])
}, 120_000)

it.each([
  [0, false],
  [48, true]
])(
  "under spend_per_day a clock that is %i hours ahead holds what makes bids dearer: %s",
  async (hours, isHeld) => {
    shop.removeRules()
    shop.write(
      "rules/up.yaml",
      "version: 1\nname: Up\nmode: apply\neach: campaign_item\nwhen: campaign.status = active and campaign.payment = cpm\ndo: {raise_bid: {by: 1%, cap: 900 ₽}}\ncooldown: 6h\n"
    )
    shop.write("rules/_shared/limits.yaml", "version: 1\nkind: limits\naccount: {spend_per_day: 1000000 ₽}\n")
    aheadMs = hours * hourMs
    const { changes, held } = JSON.parse((await shop.run("plan", "--json")).stdout) as Document
    expect(changes.length > 0).toBe(!isHeld)
    const by = held.map(({ by, over }) => [by, /another day.*NTP/.test(over)])
    expect(new Set(by.map(String))).toEqual(new Set(isHeld ? ["spend_per_day,true"] : []))
  },
  120_000
)
