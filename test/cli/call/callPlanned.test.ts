/**
 * A call by hand that writes is a plan of its changes: sent once, read back, told in the history, taken back by undo where
 * there is a way back. The judge is the sandbox's own ledger.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { all } from "../../../src/engine/kinds/All.js"
import * as OrderMark from "../../../src/engine/kinds/fulfilment/OrderMark.js"
import * as Calls from "../../../src/marketplace/Calls.js"
import * as Shop from "../Shop.js"

const campaign = 1_000_001
const item = 200_000_001
const cluster = "перчатки зимние красные"
const snake = { advert_id: campaign, nm_id: item, norm_query: cluster }
const camel = { advertId: campaign, nmId: item, normQuery: cluster }

interface Case {
  readonly operation: string
  readonly params: unknown
  /** Why there is no way back, where there is none. */
  readonly stays?: string
}

/** A campaign is listed three minutes after its creation, and gone ten after its deletion: a second of this sandbox. */
const soon = { timeout: 10_000, interval: 200 }

/** In an order in which each changes something; what is taken back is there for the next. */
const cases: ReadonlyArray<Case> = [
  {
    operation: "setItemBids",
    params: {
      bids: [{ advert_id: campaign, nm_bids: [{ nm_id: item, bid_kopecks: 41_000, placement: "search" }] }]
    }
  },
  { operation: "setClusterBidsMinorUnits", params: { bids: [{ ...camel, bidMinorUnits: 31_500 }] } },
  { operation: "setClusterBids", params: { bids: [{ ...snake, bid: 310 }] } },
  { operation: "setMinusPhrases", params: { advert_id: campaign, nm_id: item, norm_queries: [cluster] } },
  {
    operation: "setCampaignPlacements",
    params: { placements: [{ advert_id: campaign, placements: { search: true, recommendations: true } }] }
  },
  { operation: "renameCampaign", params: { advertId: campaign, name: "Осень" } },
  {
    operation: "changeCampaignItems",
    params: { nms: [{ advert_id: campaign, nms: { add: [200_000_019] } }] }
  },
  { operation: "pauseCampaign", params: { id: campaign } },
  {
    operation: "depositCampaignBudget",
    params: { id: campaign, sum: 1000, type: 1, return: true },
    stays: "money that was paid in stays in the campaign"
  }
]

let shop: Shop.Shop
beforeAll(async () => {
  shop = await Shop.Shop.open({ speed: 600 })
})
afterAll(() => shop.close())

interface Told {
  readonly runId?: string
  readonly answer: unknown
}

const call = (operation: string, params: unknown, ...more: ReadonlyArray<string>) =>
  shop.run("call", operation, "--params", JSON.stringify(params), ...more)

const sent = async (operation: string, params: unknown): Promise<string> => {
  const { code, stderr, stdout } = await call(operation, params, "--yes", "--json")
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("not sent")])
  const { runId } = JSON.parse(stdout) as Told
  if (runId === undefined) throw new Error(`no run: ${stdout}`)
  return runId
}

const written = async () => (await shop.ledger()).entries

describe("a call by hand", () => {
  it.each(cases)("$operation is shown, sent once, told in the history and taken back", async (one) => {
    const { operation, params, stays } = one
    const before = await written()
    const shown = await call(operation, params, "--dry-run")
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(`call ${operation}`)])
    expect(shown.stdout, "lines that end in a space").not.toMatch(/ $/m)
    expect((await written()).length).toBe(before.length)

    if (/Bids/.test(operation)) expect(shown.stdout).toContain("per 1000 views")

    const runId = await sent(operation, params)
    const [entry, ...more] = (await written()).slice(before.length)
    expect([entry?.operation, more]).toEqual([operation, []])
    const history = (await shop.run("history", runId)).stdout
    expect(history).toContain("applied")
    expect(history).toContain(`call ${operation}`)

    const again = await call(operation, params, "--yes")
    if (stays === undefined) {
      expect([again.code, again.stdout, again.stderr]).toEqual([
        0,
        "",
        expect.stringContaining("as asked for already")
      ])
      expect((await written()).length).toBe(before.length + 1)
      const undone = await shop.run("undo", runId, "--yes")
      expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining("applied")])
      const back = (await written()).slice(before.length + 1)
      expect(back.map(({ after, slot }) => [slot, after])).toEqual([[entry?.slot, entry?.before ?? null]])
    } else {
      const undone = await shop.run("undo", runId, "--yes")
      expect([undone.code, undone.stdout]).toEqual([4, expect.stringContaining(stays)])
    }
  })

  it("that only renames a campaign counts no money and misses no estimate", async () => {
    const { stdout } = await call("renameCampaign", { advertId: campaign + 2, name: "Осень" }, "--dry-run")
    expect(stdout).toContain("Осень")
    expect(stdout).not.toMatch(/saving|estimate|₽/)
  })

  it("that stops a campaign for good is sent once, and says that nothing brings it back", async () => {
    const id = campaign + 1
    const shown = await call("stopCampaign", { id }, "--dry-run")
    expect(shown.stdout).toContain("irreversible: a campaign that was stopped is completed")
    const runId = await sent("stopCampaign", { id })
    const undone = await shop.run("undo", runId, "--yes")
    expect([undone.code, undone.stdout]).toEqual([4, expect.stringContaining("nothing starts it again")])
    const stops = (await written()).filter(({ operation }) => operation === "stopCampaign")
    expect(stops.map(({ target }) => target.campaignId)).toEqual([id])
  })

  it("that the marketplace refuses prints no answer, since there is none", async () => {
    const params = { id: campaign, sum: 90_000_000, type: 1, return: true }
    const { code, stderr, stdout } = await call("depositCampaignBudget", params, "--yes")
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining("not enough money")])
    const json = await call("depositCampaignBudget", params, "--yes", "--json")
    expect(JSON.parse(json.stdout)).toMatchObject({ kind: "call", answer: null })
  })

  it("that deletes a campaign is sent once, and is done when the campaign is not listed any more", async () => {
    const { stdout } = await call("createCampaign", { name: "Весна", nms: [item] }, "--yes", "--json")
    const id = Number((JSON.parse(stdout) as Told).answer)
    const shown = await vi.waitFor(async () => {
      const dry = await call("deleteCampaign", { id }, "--dry-run")
      expect([dry.code, dry.stderr]).toEqual([0, ""])
      return dry
    }, soon)
    expect(shown.stdout).toContain("irreversible: a deleted campaign does not come back")
    const runId = await sent("deleteCampaign", { id })
    expect((await shop.run("history", runId)).stdout).toMatch(/ready → deleted, for good/)
    const undone = await shop.run("undo", runId, "--yes")
    expect([undone.code, undone.stdout]).toEqual([4, expect.stringContaining("does not come back")])
    await vi.waitFor(async () => {
      const again = await call("deleteCampaign", { id }, "--yes")
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("no longer lists the campaign")])
    }, soon)
    const deletions = (await written()).filter(({ operation }) => operation === "deleteCampaign")
    expect(deletions.map(({ target }) => target.campaignId)).toEqual([id])
  })

  it("that puts one item in the place of another is taken back in one request, and says what does not come back", async () => {
    const nms = { add: [200_000_018], delete: [item] }
    const params = { nms: [{ advert_id: campaign, nms }] }
    const shown = await call("changeCampaignItems", params, "--dry-run")
    expect(shown.stdout).toContain("begins at the lowest bid")
    const runId = await sent("changeCampaignItems", params)
    const before = (await written()).length
    const undone = await shop.run("undo", runId, "--yes")
    expect([undone.code, undone.stdout]).toEqual([
      0,
      expect.stringMatching(/begins at the lowest bid.*applied/s)
    ])
    const [back, ...more] = (await written()).slice(before)
    expect([back?.slot, more]).toEqual(["items", []])
    expect(back?.after).toEqual(expect.arrayContaining([item]))
    expect(back?.after).not.toEqual(expect.arrayContaining([200_000_018]))
  })

  it("goes past neither the kill switch nor a hold, whole or in part, and the plan shows what stops it", async () => {
    const held = item + 1
    const bids = (...items: ReadonlyArray<number>) => ({
      bids: items.map((nm_id) => ({
        advert_id: campaign,
        nm_bids: [{ nm_id, bid_kopecks: 52_000, placement: "search" }]
      }))
    })
    const before = (await written()).length
    await shop.run("kill", "--why", "looks wrong")
    const killed = await call("setItemBids", bids(item), "--yes")
    expect([killed.code, killed.stderr]).toEqual([1, expect.stringContaining("bidhelm resume --kill")])
    await shop.run("resume", "--kill")
    await shop.run("hold", "--target", `${campaign}/${held}`, "--why", "photo shoot")
    const dry = await call("setItemBids", bids(item, held), "--dry-run")
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/1 change, 1 held.*photo shoot/s)])
    const sent = await call("setItemBids", bids(item, held), "--yes")
    expect([sent.code, sent.stderr]).toEqual([1, expect.stringContaining("photo shoot")])
    expect((await written()).length).toBe(before)
    await shop.run("resume", "--target", `${campaign}/${held}`)
  })

  it("leaves a bid to a person for as long as any edit: the rules do not touch it", async () => {
    const bids = [
      { advert_id: campaign, nm_bids: [{ nm_id: item, bid_kopecks: 55_500, placement: "search" }] }
    ]
    await sent("setItemBids", { bids })
    expect((await shop.run("holds", "--all")).stdout).toMatch(/1000001\/200000001: .*set by a person.*555 ₽/)
  })

  it("names what the request says twice, and sends nothing", async () => {
    const row = { nm_id: item, bid_kopecks: 60_000, placement: "search" }
    const before = (await written()).length
    const { code, stderr } = await call(
      "setItemBids",
      { bids: [{ advert_id: campaign, nm_bids: [row, { ...row, bid_kopecks: 61_000 }] }] },
      "--yes"
    )
    expect([code, stderr]).toEqual([
      1,
      `bidhelm: nothing was sent: ${campaign}/${item} is named twice; name it once\n`
    ])
    expect((await written()).length).toBe(before)
  })

  it("of a campaign that is not there sends nothing, and says so", async () => {
    const { code, stderr } = await call("renameCampaign", { advertId: 7, name: "Осень" }, "--yes")
    expect([code, stderr]).toEqual([
      1,
      "bidhelm: nothing was sent: 7: gone: the marketplace no longer lists the campaign\n"
    ])
  })
})

describe("the operations that calls by hand are read for", () => {
  it("are those that kinds of change name", () => {
    const named = new Set(
      Object.values(all).flatMap((kind) => {
        const every = [
          { action: "start", after: "active", details: {} },
          { action: "pause", after: "paused", details: {} },
          { action: "set_bid", after: 1, details: { clears: true } },
          ...Object.keys(OrderMark.operationOf).map((key) => ({
            action: "set_mark",
            after: "",
            details: { key }
          }))
        ]
        return every.flatMap((change) => kind.operations(change as never)).filter((one) => one !== undefined)
      })
    )
    // What is created without a key has a way of its own: `Create.once`.
    named.delete("createSupply")
    expect(Object.keys(Calls.readings).sort()).toEqual([...named].sort())
  })
})

describe("a call that does not say all it needs", () => {
  it("is told by the name of the argument, with a call that does", async () => {
    expect(await shop.run("call", "pauseCampaign")).toMatchObject({
      code: 1,
      stderr: `bidhelm: id: is missing\nAn example: bidhelm call pauseCampaign --params '{"id":1000001}' --yes\n`
    })
  })

  it("gets no file of an answer that nobody asks for", async () => {
    const words = ["--params", '{"id":1000001}', "--out", "x.json", "--dry-run"]
    expect(await shop.run("call", "pauseCampaign", ...words)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "bidhelm: --dry-run gets no answer that --out could hold; leave one of them out\n"
    })
  })
})
