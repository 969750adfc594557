/** Questions that stand for a while before somebody answers them: judged by what the marketplace accepted. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import * as StageJournal from "../../faults/StageJournal.js"
import * as Shop from "../Shop.js"
import * as Terminal from "../Terminal.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open({ speed: 600 })
  shop.removeRules()
})
afterEach(() => shop.close())

const pausing = (mode: "apply" | "approve") =>
  shop.write(
    "rules/pause.yaml",
    `version: 1\nname: Pause\nmode: ${mode}\neach: campaign\nwhere: campaign.status = active\nwhen: campaign.id > 0\ndo: pause\n`
  )
const limits = "rules/_shared/limits.yaml"
const approving = /Approve the \d+/
const applying = /Apply \d+ changes? to/
const sent = async () => (await shop.ledger()).entries
const approvals = async () =>
  (
    JSON.parse((await shop.run("approvals", "--json")).stdout) as {
      approvals: { id: string; state: string }[]
    }
  ).approvals

interface Named {
  readonly campaignId?: number | undefined
  readonly itemId?: number | undefined
  readonly cluster?: string | undefined
}
const nameOf = ({ campaignId, cluster, itemId }: Named) =>
  [campaignId, itemId, cluster].filter((part) => part !== undefined).join("/")

describe.skipIf(!Terminal.isThere)("a yes to a question that stood for a while", () => {
  it("sends nothing by limits that were drawn tighter meanwhile", async () => {
    pausing("apply")
    const late = await Terminal.answering(shop, ["apply"], [applying], "y", () =>
      shop.write(limits, shop.read(limits).replace("changes_per_run: 20000", "changes_per_run: 1"))
    )
    expect(late.stdout).toContain("The rules have changed since the plan was made")
    expect(late.code).toBe(1)
    expect(await sent()).toEqual([])
  })

  it("leaves out what a person has held meanwhile", async () => {
    pausing("apply")
    const late = await Terminal.answering(shop, ["apply"], [applying], "y", async () => {
      expect(await shop.run("hold", "--target", "1000001", "--why", "mine")).toMatchObject({ code: 0 })
    })
    expect(late.stdout).toMatch(/left out: 1000001 active → paused \(pause\): on hold by/)
    expect(late.code).toBe(4)
    const campaigns = (await sent()).map(({ target }) => target.campaignId)
    expect(campaigns).not.toContain(1_000_001)
    expect(campaigns.length).toBeGreaterThan(0)
  })

  it("is written down for what may still go alone", async () => {
    shop.write(
      "rules/raise.yaml",
      "version: 1\nname: Raise\nmode: approve\neach: campaign_item\nwhere: campaign.payment = cpm and campaign.bid_type = manual\nwhen: bid > 1 ₽\ndo:\n  raise_bid: {by: 10%, cap: 900 ₽}\ncooldown: 1h\n"
    )
    const late = await Terminal.answering(shop, ["apply"], [approving, applying], "yy", (question) =>
      question === 1 ? shop.run("hold", "--target", "1000001", "--why", "mine") : undefined
    )
    expect(late.code).toBe(4)
    const slots = StageJournal.ask<{ slot: string }>(shop, "SELECT slot FROM approved_bids").map(
      ({ slot }) => slot
    )
    const made = StageJournal.ask<{ slot: string }>(shop, "SELECT slot FROM changes").map(({ slot }) => slot)
    expect(made.length).toBeGreaterThan(0)
    expect(slots.sort()).toEqual(made.sort())
  })

  it("sends nothing that another person has rejected meanwhile", async () => {
    pausing("approve")
    const late = await Terminal.answering(shop, ["apply"], [approving, applying], "yy", async (question) => {
      if (question !== 1) return
      await shop.run("apply", "--yes")
      const [asked] = (await approvals()).filter(({ state }) => state === "requested")
      expect(await shop.run("reject", asked!.id)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /neither asked again nor made for a day, but by a rule in mode apply that wants the same$/m
        )
      })
    })
    expect(late.stdout).toMatch(/approval [0-9a-f]+ was decided or replaced meanwhile; nothing was sent/)
    expect(late.code).toBe(1)
    expect(await sent()).toEqual([])
  })

  it("makes nothing dearer with what went by itself and a person has held meanwhile", async () => {
    await shop.close()
    shop = await Shop.Shop.open({ speed: 100, scale: { campaigns: 6, items: 4, clusters: 20 } })
    shop.removeRules()
    const planned = async (roubles: number) => {
      shop.write(
        "rules/best.yaml",
        `version: 1\nname: Best\nmode: approve\nauto_approve: {bid_change: 25%}\neach: campaign\nwindow: 28d\nwhere: campaign.payment = cpm and campaign.id = 1000001\ndo: {optimise: {margin: 15%, cap: {cpm: 600 ₽}, budget: ${roubles} ₽, park: no, minus: no}}\n`
      )
      return JSON.parse((await shop.run("plan", "--json")).stdout) as Plan
    }
    // What it spends already, so that there is room for what the cuts save alone.
    const spent = (await planned(3200)).forecasts?.[0]?.before?.spendKopecks.mean ?? 0
    const plan = await planned(Math.floor(spent / 100))
    const money = ({ moneyPerDayKopecks: day }: Plan["changes"][number]) =>
      typeof day === "number" ? Math.abs(day) : Number.POSITIVE_INFINITY
    // The least of them goes, so that something is sent.
    const [, ...cuts] = plan.changes
      .filter(({ after, before }) => after < before && Number(after) >= Number(before) * 0.75)
      .sort((a, b) => money(a) - money(b))
    expect(cuts.length).toBeGreaterThan(0)
    const late = await Terminal.answering(shop, ["apply"], [approving, applying], "ny", async (question) => {
      if (question !== 1) return
      for (const { subject } of cuts)
        expect(await shop.run("hold", "--target", nameOf(subject), "--why", "mine")).toMatchObject({
          code: 0
        })
    })
    const left = [...late.stdout.matchAll(/left out: (.+) bid .+\(best\): campaign \d+ has /g)].map(
      ([, name]) => name!
    )
    expect(late.code).toBe(4)
    expect(left.length).toBeGreaterThan(0)
    const accepted = (await sent()).map(({ target }) => nameOf(target))
    expect(accepted.length).toBeGreaterThan(0)
    expect(accepted.filter((name) => left.includes(name))).toEqual([])
  })

  it("counts for nothing when its second question is left by Ctrl-C: the request waits, and can be rejected", async () => {
    pausing("approve")
    const left = await Terminal.answering(shop, ["apply"], [approving, applying], "y\u0003")
    expect(left.stdout).toContain("bidhelm: nothing was sent")
    expect(left.code).toBe(1)
    const [request] = await approvals()
    expect(request).toMatchObject({ state: "requested" })
    expect(await shop.run("reject", request!.id)).toMatchObject({ code: 0 })
    expect(await sent()).toEqual([])
  })
})

describe.skipIf(!Terminal.isThere)("what the rules warn of", () => {
  it("is told once, before the question, and not once more after the yes", async () => {
    pausing("apply")
    shop.write("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {unused: 1 ₽}\n")
    const count = (said: string) => said.split("rules/_shared/vars.yaml:").length - 1
    const once = count((await shop.run("plan")).stderr)
    expect(once).toBeGreaterThan(0)
    const late = await Terminal.answering(shop, ["apply"], [applying], "y")
    expect([late.code, count(late.stdout)]).toEqual([0, once])
    expect((await sent()).length).toBeGreaterThan(0)
  })
})

describe.skipIf(!Terminal.isThere)("a yes to taking a run back that stood for a while", () => {
  it("takes nothing back by limits that changed meanwhile, and all of it by those that did not", async () => {
    pausing("apply")
    const { stdout } = await shop.run("apply", "--yes", "--json")
    const { runId } = JSON.parse(stdout) as { readonly runId: string }
    const question = /Take \d+ changes? back/
    const before = (await sent()).length
    const kept = shop.read(limits)
    const late = await Terminal.answering(shop, ["undo", runId], [question], "y", () =>
      shop.write(limits, kept.replace("changes_per_run: 20000", "changes_per_run: 1"))
    )
    expect(late.stdout).toContain("The rules have changed since the plan was made")
    expect(await sent()).toHaveLength(before)
    shop.write(limits, kept)
    expect((await Terminal.answering(shop, ["undo", runId], [question], "y")).code).toBe(0)
    expect(await sent()).toHaveLength(2 * before)
  })
})
