/** `bidhelm hold --target` of something that nobody has heard of: it is held, and the person is told. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as HoldTarget from "../../../src/cli/people/HoldTarget.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
})
afterEach(() => shop.close())

const doubt = /^Attention: nothing is known here of the target /m

describe("a hold of a target", () => {
  it("says nothing while the store knows nothing that could tell", async () => {
    const held = await shop.run("hold", "--target", "99999")
    expect(held.code).toBe(0)
    expect(held.stderr).not.toMatch(doubt)
  })

  it("that is known says nothing, of each kind; of one that is not, it says so, how it is spelt, and holds it", async () => {
    const applied = await shop.run("apply", "--yes", "--json")
    const targets = [
      ...applied.stdout.matchAll(/"campaignId":\s*(\d+),\s*"itemId":\s*(\d+),\s*"cluster":\s*"([^"]+)"/g)
    ]
    const [, campaign, item, cluster] = targets[0] ?? []
    for (const known of [
      `${campaign}`,
      `${campaign}/${item}`,
      `item/${item}`,
      `${campaign}/${item}/${cluster}`
    ]) {
      const held = await shop.run("hold", "--target", known)
      expect([known, held.code, doubt.test(held.stderr)]).toEqual([known, 0, false])
    }
    const wrong = `${campaign}/${item}/${cluster?.slice(0, -1)}`
    const odd = await shop.run("hold", "--target", wrong)
    expect(odd.code).toBe(0)
    expect(odd.stderr).toMatch(doubt)
    expect(odd.stderr).toContain(`The nearest that is known: ${campaign}/${item}/${cluster}. `)
    expect(odd.stderr).toContain(
      "A target is written CAMPAIGN, CAMPAIGN/ITEM, CAMPAIGN/ITEM/CLUSTER, item/ITEM, order/ORDER"
    )
    expect((await shop.run("holds")).stdout).toContain(wrong)
    const other = await shop.run("hold", "--target", `${item}`, "--json")
    expect(JSON.parse(other.stdout)).toMatchObject({ kind: "hold", hold: { what: item } })
    expect(other.stderr).toContain(`The nearest that is known: item/${item}. `)
  })
})

describe("the nearest spelling", () => {
  it("is the one with the fewest other letters, and none when all are far away", () => {
    expect(HoldTarget.nearest("778", ["1001", "777", "778/1"])).toBe("777")
    expect(HoldTarget.nearest("777/1001/red shoe", ["777/1001/red shoes", "777/1001/blue shoes"])).toBe(
      "777/1001/red shoes"
    )
    expect(HoldTarget.nearest("99999", ["777", "1001"])).toBeUndefined()
  })
})
