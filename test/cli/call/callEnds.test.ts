/** What a call by hand says where its end is not plain: refused in part, unanswered, failed on the way. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as Shop from "../Shop.js"

const campaign = 1_000_001
const item = 200_000_001
const cluster = "перчатки зимние красные"
const driver = { firstName: "Анна", lastName: "Петрова", carModel: "Лада", carNumber: "А123ВС77" }

let shop: Shop.Shop
beforeAll(async () => {
  shop = await Shop.Shop.open({ speed: 600 })
})
afterAll(() => shop.close())
afterEach(() => shop.control("faults", { faults: [] }))

const call = (operation: string, params: unknown, ...more: ReadonlyArray<string>) =>
  shop.run("call", operation, "--params", JSON.stringify(params), "--yes", ...more)

const struck = (operation: string, fault: object) =>
  shop.control("faults", { faults: [{ operation, count: 1, ...fault }] })

const accepted = (operation: string) => ShopPolicy.accepted(shop, operation)

const bid = (bid_kopecks: number) => ({
  bids: [{ advert_id: campaign, nm_bids: [{ nm_id: item, bid_kopecks, placement: "search" }] }]
})

describe("a minus list that is refused", () => {
  const list = (...norm_queries: ReadonlyArray<string>) => ({
    advert_id: campaign,
    nm_id: item,
    norm_queries
  })

  it("says what the marketplace said of the phrase, not that the others wait for it, and names the run", async () => {
    const before = await accepted("setMinusPhrases")
    const { code, stderr } = await call("setMinusPhrases", list(cluster, "такого никто не ищет"))
    expect([code, stderr]).toEqual([1, expect.stringMatching(/run-\S+: .*the marketplace refused.*\(400\)/)])
    expect(stderr).not.toContain("goes whole")
    expect(await accepted("setMinusPhrases")).toBe(before)
  })

  it("says it also where no phrase is named, so that no change is the refused one", async () => {
    await struck("setMinusPhrases", { kind: "unnamed", values: [cluster] })
    const { code, stderr } = await call("setMinusPhrases", list(cluster, "варежки"))
    expect([code, stderr]).toEqual([1, expect.stringMatching(/run-\S+: .*the marketplace refused.*\(400\)/)])
  })
})

describe("a call without an answer that is found done", () => {
  it("says so, and prints no answer, since there is none", async () => {
    await struck("setItemBids", { kind: "dropAnswer" })
    const { code, stderr, stdout } = await call("setItemBids", bid(41_000))
    expect([code, stdout, stderr]).toEqual([
      0,
      "",
      expect.stringContaining("no answer came; it was found done")
    ])
    await struck("setItemBids", { kind: "dropAnswer" })
    const json = await call("setItemBids", bid(42_000), "--json")
    expect(JSON.parse(json.stdout)).toMatchObject({
      answer: null,
      found: "no answer came; it was found done"
    })
    expect(await accepted("setItemBids")).toBe(2)
  })

  it("that replaces a minus list says so too", async () => {
    await struck("setMinusPhrases", { kind: "dropAnswer" })
    const params = { advert_id: campaign, nm_id: item, norm_queries: [cluster] }
    const { code, stderr, stdout } = await call("setMinusPhrases", params)
    expect([code, stdout, stderr]).toEqual([
      0,
      "",
      expect.stringContaining("no answer came; it was found done")
    ])
  })

  it("tells the id of a pass that it finds", async () => {
    const offices = await call("listPassOffices", {})
    const [{ id: officeId }] = JSON.parse(offices.stdout) as [{ id: number }]
    await struck("createPass", { kind: "dropAnswer" })
    const { code, stderr, stdout } = await call("createPass", { ...driver, officeId })
    expect([code, stderr]).toEqual([0, expect.stringContaining("no answer came; it was found done")])
    const listed = JSON.parse((await call("listPasses", {})).stdout) as ReadonlyArray<{ id: number }>
    expect(listed.map(({ id }) => ({ id }))).toEqual([JSON.parse(stdout)])
    expect(await accepted("createPass")).toBe(1)
    const [runId = ""] = /run-\S+(?=:)/.exec(stderr) ?? []
    expect((await shop.run("history", runId)).stdout).toContain(`; pass ${listed[0]!.id}\n`)
  })

  it("a pass whose answer came stands in the history by the answer's id", async () => {
    const offices = await call("listPassOffices", {})
    const [{ id: officeId }] = JSON.parse(offices.stdout) as [{ id: number }]
    const { code, stderr, stdout } = await call("createPass", { ...driver, carNumber: "В777ОР77", officeId })
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("no answer came")])
    const [runId = ""] = /run-\S+(?=:)/.exec(stderr) ?? []
    const { id } = JSON.parse(stdout) as { readonly id: number }
    expect((await shop.run("history", runId)).stdout).toContain(`; pass ${id}\n`)
  })

  it("and one with an answer says nothing of that", async () => {
    const { stderr, stdout } = await call("setItemBids", bid(43_000), "--json")
    expect(stderr).not.toContain("no answer")
    expect(JSON.parse(stdout)).not.toHaveProperty("found")
  })
})

describe("a deposit of which nobody knows whether it was paid", () => {
  const deposit = { id: campaign, sum: 1000, type: 1, return: true }

  it("keeps another call from paying again, until a person says what became of it", async () => {
    const before = await accepted("depositCampaignBudget")
    await shop.control("faults", {
      faults: [
        { kind: "errorAfter", operation: "depositCampaignBudget" },
        { kind: "errorBefore", operation: "getBudget", skip: 2 },
        { kind: "errorBefore", operation: "getBalance", skip: 1 }
      ]
    })
    const first = await call("depositCampaignBudget", deposit)
    expect([first.code, first.stderr]).toEqual([4, expect.stringContaining("parked")])
    await shop.control("faults", { faults: [] })
    const again = await call("depositCampaignBudget", deposit)
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/nothing was sent: .* is parked/)])
    expect(await accepted("depositCampaignBudget")).toBe(before + 1)
    const settle = /bidhelm (resolve \S+ \S+) --paid/.exec(again.stderr)?.[1]?.split(" ") ?? []
    expect((await shop.run(...settle, "--paid")).code).toBe(0)
    expect((await call("depositCampaignBudget", deposit)).code).toBe(0)
    expect(await accepted("depositCampaignBudget")).toBe(before + 2)
  })
})

describe("a call that creates what is there already", () => {
  it("sends nothing, and history counts no change", async () => {
    const before = await accepted("createSupply")
    expect((await call("createSupply", { name: "утро" })).code).toBe(0)
    const again = await call("createSupply", { name: "утро" })
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("nothing was sent")])
    expect(await accepted("createSupply")).toBe(before + 1)
    const { runs } = JSON.parse((await shop.run("history", "--json", "--limit", "2")).stdout) as {
      readonly runs: ReadonlyArray<{
        readonly counts: unknown
        readonly status: string
        readonly runId: string
      }>
    }
    const { runId } = runs[1]!
    expect((await shop.run("history", runId)).stdout).toMatch(
      /^createSupply "утро": it is there \(PLATFORM-GI-\d+\)$/m
    )
    expect(JSON.parse((await shop.run("history", runId, "--json")).stdout)).toMatchObject({
      changes: [],
      creation: { operation: "createSupply", name: "утро", state: "applied", id: expect.any(String) }
    })
    expect(runs.map(({ counts, status }) => [status, counts])).toEqual([
      ["failed", { "createSupply not sent": 1 }],
      ["done", { createSupply: 1 }]
    ])
    expect((await shop.run("history", "--limit", "1")).stdout).toMatch(
      / {2}failed {2}createSupply not sent 1$/m
    )
  })
})

describe("what to do after a failure", () => {
  it("a deposit's end says it by itself, and nobody is told to try again", async () => {
    const before = await accepted("depositCampaignBudget")
    await struck("depositCampaignBudget", { kind: "errorBefore" })
    const { code, stderr } = await call("depositCampaignBudget", {
      id: campaign,
      sum: 1000,
      type: 1,
      return: true
    })
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/proved by the money.*the marketplace failed \(502\)/)
    ])
    expect(stderr).not.toMatch(/try again|look first/i)
    expect(await accepted("depositCampaignBudget")).toBe(before)
  })

  it("what a change's state says of it already is not said twice", async () => {
    await shop.control("faults", {
      faults: [
        { kind: "dropAnswer", operation: "setItemBids" },
        { kind: "errorBefore", operation: "getCampaigns", skip: 1 }
      ]
    })
    const { code, stderr } = await call("setItemBids", bid(44_000))
    expect([code, stderr.match(/no answer came/g)]).toEqual([4, ["no answer came"]])
    expect(stderr).not.toMatch(/try again/i)
  })

  it("a write is looked for first", async () => {
    await struck("createSupply", { kind: "errorBefore", count: 9 })
    const { stderr } = await call("createSupply", {})
    expect(stderr).toContain("Look first whether it took effect, then try again")
  })

  it("a read is only tried again", async () => {
    await struck("getBalance", { kind: "errorBefore", count: 99 })
    const { code, stderr } = await call("getBalance", {})
    expect([code, stderr]).toEqual([1, expect.stringMatching(/Try again later\s*$/)])
  })
})

describe("bids of several clusters of which one is so already", () => {
  it("are no rows that the request did not hold", async () => {
    const bid = (norm_query: string, bid: number) => ({
      advert_id: campaign,
      nm_id: item,
      norm_query,
      bid
    })
    const listed = await call("listClusters", { items: [{ advertId: campaign, nmId: item }] })
    const active = JSON.parse(listed.stdout).items[0].normQueries.active as ReadonlyArray<string>
    const [one = "", other = ""] = active.filter((name) => name !== cluster)
    expect((await call("setClusterBids", { bids: [bid(one, 333)] })).code).toBe(0)
    const both = await call("setClusterBids", { bids: [bid(one, 333), bid(other, 334)] })
    expect([both.code, both.stderr]).toEqual([0, expect.not.stringContaining("did not hold")])
    const names = [one, other].map((norm_query) => ({ advert_id: campaign, nm_id: item, norm_query }))
    expect((await call("deleteClusterBids", { bids: names.slice(0, 1) })).code).toBe(0)
    const gone = await call("deleteClusterBids", { bids: names })
    expect([gone.code, gone.stderr]).toEqual([0, expect.not.stringContaining("did not hold")])
  })
})

describe("a deposit that promo bonuses pay in part", () => {
  const deposit = { id: campaign + 1, sum: 1000, type: 0, cashback_sum: 300, cashback_percent: 30 }

  it("is proved by what is left for the balance, and says both", async () => {
    const balance = async () => JSON.parse((await call("getBalance", {})).stdout).balance as number
    const before = await balance()
    const accepts = await accepted("depositCampaignBudget")
    // It asks for no answer of the new budget, so that the money alone proves it.
    const paid = await call("depositCampaignBudget", deposit)
    expect([paid.code, paid.stderr]).toEqual([0, expect.not.stringContaining("parked")])
    expect(await accepted("depositCampaignBudget")).toBe(accepts + 1)
    expect(before - (await balance())).toBe(700)
    const { stdout } = await shop.run("history")
    const [runId = ""] = /run-\S+|call-\S+/.exec(stdout) ?? []
    expect((await shop.run("history", runId)).stdout).toMatch(
      /deposit 1 000.₽ \(700.₽ from the balance, 300.₽ from promo bonuses\)/
    )
  })
})

it("a look at a call that no change covers says in its JSON that nothing was sent, and shows the request as one", async () => {
  const before = await accepted("createSupply")
  const params = JSON.stringify({ name: "Вечерняя" })
  const { code, stdout } = await shop.run("call", "createSupply", "--params", params, "--dry-run", "--json")
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      version: 1,
      kind: "call",
      operation: "createSupply",
      sent: false,
      request: { payload: { name: "Вечерняя" } }
    }
  ])
  expect(await accepted("createSupply")).toBe(before)
})

it("a campaign that is not there after a failed answer is named, with the way on", async () => {
  const before = await accepted("createCampaign")
  await struck("createCampaign", { kind: "refuse", status: 500 })
  const { code, stderr } = await call("createCampaign", { name: "Осень", nms: [item] })
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /createCampaign "Осень": no answer said that it was made; .*: call it again if you still want it/
    )
  ])
  expect(await accepted("createCampaign")).toEqual(before)
})
