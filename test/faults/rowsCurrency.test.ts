/** An account whose money is suddenly in another currency: every amount in the rules would mean something else. */
import { describe, expect, it } from "vitest"
import * as Stage from "./Stage.js"

describe("another currency", () => {
  it("stops the account before anything is sent, and says what to mend", async () => {
    const shop = await Stage.open(["bids", "deposit"])
    try {
      await shop.control("faults", { faults: [{ kind: "currency" }] })
      const refused = await shop.run("apply", "--yes")
      expect([refused.code, refused.stderr]).toEqual([
        expect.any(Number),
        expect.stringMatching(/is in KZT, the configuration says RUB.*check every amount in the rules/)
      ])
      expect(refused.code).not.toBe(0)
      expect((await Stage.ledgerOf(shop)).entries).toEqual([])
      await shop.control("faults", { faults: [] })
      expect((await Stage.run(shop, ["apply", "--yes"])).code).toBe(0)
      expect(await Stage.nothingTwice(shop)).toHaveLength(5)
    } finally {
      await shop.close()
    }
  })
})
