/** What a clock does that is not the marketplace's, and what it leaves behind when it is set right: judged by what the marketplace accepted. */
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
      expect.stringMatching(
        /this machine's clock is .* ahead of the marketplace's; .* no deposit, and while .* nothing dearer and stop nothing by figures of today/
      )
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
  "a clock that is %i hours ahead holds what makes bids dearer, with a limit of the day and without: %s",
  async (hours, isHeld) => {
    shop.removeRules()
    shop.write(
      "rules/up.yaml",
      "version: 1\nname: Up\nmode: apply\neach: campaign_item\nwhen: campaign.status = active and campaign.payment = cpm\ndo: {raise_bid: {by: 1%, cap: 900 ₽}}\ncooldown: 6h\n"
    )
    aheadMs = hours * hourMs
    for (const account of ["{spend_per_day: 1000000 ₽}", "{}"]) {
      shop.write("rules/_shared/limits.yaml", `version: 1\nkind: limits\naccount: ${account}\n`)
      const { changes, held } = JSON.parse((await shop.run("plan", "--json")).stdout) as Document
      expect(changes.length > 0).toBe(!isHeld)
      const by = held.map(({ by, over }) => [by, /another day.*NTP/.test(over)])
      expect(new Set(by.map(String))).toEqual(new Set(isHeld ? ["clock,true"] : []))
    }
  },
  120_000
)

/** Applies by the right clock, by one that is so far ahead, and by the right one again. */
const appliedAround = async (wrongMs: number) => {
  for (const ms of [0, wrongMs, 0]) {
    aheadMs = ms
    await shop.well("apply", "--yes")
  }
}
/** The values of what was set in such slots, in order; a status of 9 runs, one of 11 is paused. */
const set = async (slot: string) =>
  (await shop.ledger()).entries.filter((entry) => entry.slot === slot).map(({ after }) => after)

it("a campaign that was stopped again after the clock was set right is started when its time has come, and is no stranger's", async () => {
  shop.removeRules()
  shop.write(
    "rules/stop.yaml",
    "version: 1\nname: Stop\nmode: apply\nschedule: {every: 10m, tz: Europe/Moscow}\neach: campaign\nwhere: campaign.id = 1000001\nwhen: hour < 19\ndo: pause\nrevert_when: hour >= 19\n"
  )
  await appliedAround(5 * hourMs)
  await shop.advance(4 * hourMs)
  await shop.well("apply", "--yes")
  expect(await set("status")).toEqual([11, 9, 11, 9])
  expect((await shop.well("holds")).stdout).not.toMatch(/1000001/)
}, 120_000)

it("an overlay that began again after the clock was set right ends at the base, and is laid on no overlay", async () => {
  shop.removeRules()
  shop.write(
    "rules/boost.yaml",
    'version: 1\nname: Boost\nmode: apply\nschedule: {every: 10m, tz: Europe/Moscow}\neach: campaign_item\nwhere: campaign.id = 1000001 and campaign.payment = cpm\nduring: {time: "12:00-19:00"}\ndo: {adjust_bid: {by: +20%, cap: 900 ₽}}\n'
  )
  await appliedAround(5 * hourMs)
  await shop.advance(4 * hourMs)
  await shop.well("apply", "--yes")
  const [raised, base] = [
    [19_300, 20_700],
    [16_100, 17_300]
  ]
  expect(await set("bid.search")).toEqual([raised, base, raised, base].flat())
}, 120_000)

const dailyStop =
  "version: 1\nname: Stop\nmode: apply\neach: campaign\nwhere: campaign.id = 1000001\nwindow: today\nwhen: spend default 0 ₽ >= 1 ₽\ndo: pause\nrevert_when: spend default 0 ₽ < 1 ₽\n"

it("a clock ahead across midnight starts nothing that the day's limit stopped, and says why; after midnight it starts", async () => {
  shop.removeRules()
  shop.write("rules/stop.yaml", dailyStop)
  await shop.well("apply", "--yes")
  await shop.advance(hourMs)
  aheadMs = 9 * hourMs
  const { stdout } = await shop.run("apply", "--yes")
  expect([await set("status"), stdout]).toEqual([[11], expect.stringMatching(/another day.*NTP/)])
  await shop.advance(9 * hourMs)
  await shop.well("apply", "--yes")
  expect(await set("status")).toEqual([11, 9])
}, 120_000)

it.each([
  ["behind", -9, 9.2, dailyStop],
  [
    "ahead",
    9,
    5,
    dailyStop.replace(/when: .*/, "when: spend default 0 ₽ < 1 ₽").replace(/revert_when.*\n/, "")
  ]
])(
  "a clock %s across midnight stops no campaign by the figures of another day: that is held, and no run fails for it",
  async (_, hours, laterHours, rule) => {
    shop.removeRules()
    shop.write("rules/stop.yaml", rule)
    await shop.advance(laterHours * hourMs)
    aheadMs = hours * hourMs
    const { code, stdout } = await shop.run("apply", "--yes")
    expect([code, await set("status"), stdout]).toEqual([0, [], expect.stringMatching(/another day.*NTP/)])
  },
  120_000
)

it("a clock two days ahead does not know today's spend, which is not 0: the day's stop says so, and goes when the clock is right", async () => {
  shop.removeRules()
  shop.write("rules/stop.yaml", dailyStop.replace(/revert_when.*\n/, ""))
  aheadMs = 48 * hourMs
  const { unchanged, unknown } = JSON.parse((await shop.run("plan", "--json")).stdout) as Document
  expect(unchanged).toEqual([])
  expect(unknown.map(({ because }) => because)).toEqual([
    expect.objectContaining({ code: "condition_unknown", reason: "otherDay" })
  ])
  const { stdout } = await shop.run("apply", "--yes")
  expect([await set("status"), stdout]).toEqual([[], expect.stringMatching(/another day.*NTP/)])
  aheadMs = 0
  await shop.well("apply", "--yes")
  expect(await set("status")).toEqual([11])
}, 120_000)

it("an edit that a clock ahead has seen first is left alone for three days from when the clock was set right, and no longer", async () => {
  shop.removeRules()
  shop.write("rules/stop.yaml", dailyStop.replace(/revert_when.*\n/, ""))
  await shop.well("apply", "--yes")
  await shop.control("human-edit", { campaignId: 1_000_001, status: 9 })
  await shop.advance(hourMs)
  for (const ms of [96 * hourMs, 0]) {
    aheadMs = ms
    await shop.well("apply", "--yes")
  }
  const before = await set("status")
  await shop.advance(74 * hourMs)
  await shop.well("apply", "--yes")
  expect([before, await set("status")]).toEqual([
    [11, 9],
    [11, 9, 11]
  ])
}, 120_000)

it("what is refused after a clock two days ahead was set right rests as ever", async () => {
  shop.removeRules()
  shop.write(
    "rules/down.yaml",
    "version: 1\nname: Down\nmode: apply\neach: campaign_item\nwhere: campaign.id = 1000001 and campaign.payment = cpm\nwhen: bid > 90 ₽\ncooldown: 30m\ndo: {lower_bid: {by: 1%, floor: 90 ₽}}\n"
  )
  aheadMs = 48 * hourMs
  await shop.well("apply", "--yes")
  aheadMs = 0
  await shop.advance(hourMs)
  const refuse = { kind: "refuse", status: 400, operation: "setItemBids" }
  await shop.control("faults", { faults: [refuse] })
  await shop.run("apply", "--yes")
  await shop.advance(0.05 * hourMs)
  const { stdout } = await shop.run("plan", "--json")
  const { changes, unchanged } = JSON.parse(stdout) as Document
  expect(changes).toEqual([])
  expect(unchanged.map(({ because }) => because.code)).toContain("refused_before")
}, 120_000)
