/** `bidhelm call` on a list with one entry that cannot be read: the others are printed, and the end is not 0. */
import { expect, it } from "vitest"
import * as Shop from "../Shop.js"

interface Campaigns {
  readonly answer: { readonly adverts: ReadonlyArray<{ readonly id: number }> }
  readonly unread: ReadonlyArray<string>
}

interface Funnel {
  readonly data: { readonly products: ReadonlyArray<{ readonly product: { readonly nmId: number } }> }
}

it("prints what can be read, tells what cannot, and ends with 1", { timeout: 240_000 }, async () => {
  const shop = await Shop.Shop.open({ scale: { campaigns: 3, items: 2, clusters: 5 } })
  const odd = (operation: string, at: string, put: object) =>
    shop.control("faults", { faults: [{ kind: "oddEntry", operation, at, put }] })
  try {
    await odd("getCampaigns", "adverts", { status: "9" })
    const ids = JSON.stringify({ ids: [1_000_001, 1_000_002, 1_000_003] })
    const text = await shop.run("call", "getCampaigns", "--params", ids)
    expect(text.code).toBe(1)
    expect(text.stderr).toContain("getCampaigns: an entry could not be read, adverts.0.status: Expected")
    expect(JSON.parse(text.stdout)).toMatchObject({ adverts: [{ id: 1_000_002 }, { id: 1_000_003 }] })
    const json = await shop.run("call", "getCampaigns", "--params", ids, "--json")
    expect(json.code).toBe(1)
    const { answer, unread } = JSON.parse(json.stdout) as Campaigns
    expect(answer.adverts.map(({ id }) => id)).toEqual([1_000_002, 1_000_003])
    expect(unread).toEqual([expect.stringContaining("adverts.0.status")])

    // Two pages: the odd entry of each must neither end the walk nor shift it.
    const week = { selectedPeriod: { start: "2026-08-25", end: "2026-08-31" } }
    const items = async (limit: number) => {
      const { code, stderr, stdout } = await shop.run(
        "call",
        "getFunnelProducts",
        "--all",
        "--params",
        JSON.stringify({ ...week, limit })
      )
      const { data } = JSON.parse(stdout) as Funnel
      return { code, stderr, ids: new Set(data.products.map(({ product }) => product.nmId)) }
    }
    const all = await items(1000)
    expect(all.code).toBe(0)
    await odd("getFunnelProducts", "data.products", { product: 5 })
    const rest = await items(20)
    expect(rest.code).toBe(1)
    expect(rest.stderr).toContain("2 entries could not be read, the first data.products.0.product")
    expect(all.ids.size).toBeGreaterThan(20)
    expect(rest.ids.size).toBe(all.ids.size - 2)

    await odd("getCostHistory", "", { updSum: "5" })
    const money = await shop.run(
      "call",
      "getCostHistory",
      "--params",
      JSON.stringify({ from: "2026-08-30", to: "2026-09-01" })
    )
    expect([money.code, money.stdout]).toEqual([1, ""])
    expect(money.stderr).toContain("getCostHistory: the answer could not be read")
  } finally {
    await shop.close()
  }
})
