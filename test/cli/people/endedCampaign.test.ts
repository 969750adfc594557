/** A campaign that somebody ends while its changes wait for a yes: the marketplace takes none of them any more, and none is sent. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { status } from "../../../src/sandbox/market/Blueprint.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open({ scale: { campaigns: 3, items: 2, clusters: 10 } })
  shop.removeRules()
  shop.write("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {}\n")
})
afterEach(() => shop.close())

const ending = 1_000_001

/** Bids of clusters and of items, and minus phrases. */
const rules = (mode: "apply" | "approve", campaigns = `campaign.id = ${ending}`) => {
  const rule = (name: string, text: string) =>
    shop.write(
      `rules/${name}.yaml`,
      `version: 1\nname: ${name}\nmode: ${mode}\nwindow: 28d\nwhere: campaign.payment = cpm and ${campaigns}\n${text}`
    )
  rule("bids", "each: cluster\nwhen: orders >= 1\ndo: {raise_bid: {by: 10%, cap: 9000 ₽}}\ncooldown: 1h\n")
  rule(
    "items",
    "each: campaign_item\nwhen: bid > 1 ₽\ndo: {raise_bid: {by: 10%, cap: 9000 ₽}}\ncooldown: 1h\n"
  )
  rule("minus", "each: cluster\nwhen: orders = 0\ndo: add_minus\n")
}

const end = async () => {
  await shop.control("human-edit", { campaignId: ending, status: status.completed })
  await shop.advance(120_000)
}

/** Requests that write, and the campaigns that something was accepted for. */
const sent = async () => {
  const { counters, entries } = (await (await fetch(`${shop.url}/_sandbox/ledger`)).json()) as {
    readonly counters: Readonly<Record<string, { readonly requests: number }>>
    readonly entries: ReadonlyArray<{
      readonly operation: string
      readonly target: { readonly campaignId?: number }
    }>
  }
  const requests = Object.entries(counters).filter(([operation]) => operation.startsWith("set"))
  const ours = entries.filter(({ operation }) => operation !== "human-edit")
  return { requests, campaigns: new Set(ours.map(({ target }) => target.campaignId)) }
}

const over = /its campaign was ended or deleted since/
const request = async () =>
  (JSON.parse((await shop.run("approvals", "--json")).stdout) as { approvals: { id: string }[] })
    .approvals[0]!

describe("changes of a campaign that was ended since", () => {
  it("are left out by an approval, which sends nothing and goes on waiting", async () => {
    rules("approve")
    await shop.run("apply", "--yes")
    const { id } = await request()
    await end()
    const { code, stderr } = await shop.run("approve", id)
    expect([code, stderr]).toEqual([1, expect.stringMatching(over)])
    expect(await sent()).toEqual({ requests: [], campaigns: new Set() })
    expect(await request()).toMatchObject({ id, state: "requested" })
  })

  it("are left out of a saved plan, of which the rest goes", async () => {
    rules("apply", `campaign.id in [${ending}, 1000002]`)
    await shop.run("plan", "--out", "plan.json")
    const kinds = new Set(
      (
        JSON.parse(shop.read("plan.json")) as {
          changes: { kind: string; subject: { campaignId: number } }[]
        }
      ).changes.flatMap(({ kind, subject }) => (subject.campaignId === ending ? [kind] : []))
    )
    expect(kinds).toEqual(new Set(["cluster_bid", "item_bid", "minus_phrase"]))
    await end()
    const { code, stderr } = await shop.run("apply", "plan.json", "--yes")
    expect([code, stderr]).toEqual([4, expect.stringMatching(over)])
    expect((await sent()).campaigns).toEqual(new Set([1_000_002]))
  })

  it("are not those of a campaign that is listed and whose settings cannot be read: its pause goes", async () => {
    await shop.close()
    shop = await Shop.Shop.open({ token: { kind: "base" }, scale: { campaigns: 3, items: 2, clusters: 10 } })
    shop.removeRules()
    shop.write("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {}\n")
    shop.write("rules/_shared/limits.yaml", "version: 1\nkind: limits\naccount: {}\n")
    shop.write(
      "rules/pause.yaml",
      `version: 1\nname: Pause\nmode: apply\neach: campaign\nwhere: campaign.status = active\nwhen: campaign.id = ${ending}\ndo: pause\n`
    )
    await shop.run("plan", "--out", "plan.json")
    // Then the list may be read again, and once more within the wait; settings not yet.
    await shop.advance(20 * 60_000)
    const { code, stderr } = await shop.run("apply", "plan.json", "--yes", "--max-wait", "16m")
    expect([code, stderr]).toEqual([0, expect.stringMatching(/getCampaigns leaves no room/)])
    expect((await sent()).campaigns).toEqual(new Set([ending]))
  })
})
