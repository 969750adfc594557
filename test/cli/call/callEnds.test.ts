/** What a call by hand says where its end is not plain: refused in part, unanswered, failed on the way. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as Shop from "../Shop.js"

const campaign = 1_000_001
const item = 200_000_001
const cluster = "перчатки зимние красные"

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
