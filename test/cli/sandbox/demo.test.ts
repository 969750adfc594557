import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Demonstration from "../../../src/cli/sandbox/Demonstration.js"
import * as LedgerCheck from "../../../src/cli/sandbox/LedgerCheck.js"
import * as Depth from "../../Depth.js"
import { Shop } from "../Shop.js"

const entry = (slot: string, before: unknown, after: unknown) => ({
  operation: "x",
  slot,
  target: { campaignId: 1, itemId: 2 },
  before,
  after
})

describe("the demo", () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await Shop.open()
  }, 120_000)
  afterAll(async () => {
    await shop.close()
  })

  // The gate runs the demo itself, which judges what it did: twice is too dear for `npm test`.
  it.runIf(Depth.isDeep)(
    "shows each of its three rules act, by the marketplace's own ledger, on two screens",
    async () => {
      const { code, stdout } = await shop.run("demo")
      expect(code).toBe(0)
      expect(stdout).toMatch(/Among them: \d+ raised bids, [1-9]\d* minus phrases?, [1-9]\d* pauses?\./)
      expect(stdout).toMatch(/accepted exactly these \d+ changes, none twice, and nothing else/)
      expect(stdout.split("\n").length).toBeLessThanOrEqual(105)
    },
    120_000
  )
})

describe("a demo", () => {
  const fine = {
    comparison: { agreed: 3, missing: [], surplus: [] },
    kinds: { raises: 1, minusPhrases: 1, pauses: 1 },
    second: 0,
    breaches: 0
  }

  it("comes out as it should only when every kind was accepted, and nothing else", () => {
    expect(Demonstration.asExpected(fine)).toBe(true)
    for (const kind of ["raises", "minusPhrases", "pauses"] as const)
      expect(Demonstration.asExpected({ ...fine, kinds: { ...fine.kinds, [kind]: 0 } })).toBe(false)
    expect(Demonstration.asExpected({ ...fine, second: 1 })).toBe(false)
    expect(Demonstration.asExpected({ ...fine, breaches: 1 })).toBe(false)
    const missing = { ...fine.comparison, missing: ["1 status paused"] }
    expect(Demonstration.asExpected({ ...fine, comparison: missing })).toBe(false)
  })

  it("counts kinds by what the marketplace accepted, not by what lowers a bid or takes a phrase back", () => {
    const entries = [
      entry("bid", 100, 110),
      entry("bid", 110, 100),
      entry("minus", ["a"], ["a", "b", "c"]),
      entry("minus", ["a"], []),
      entry("status", 9, 11),
      entry("status", 11, 9)
    ]
    expect(LedgerCheck.kinds({ entries, breaches: 0 })).toEqual({ raises: 1, minusPhrases: 2, pauses: 1 })
  })
})
