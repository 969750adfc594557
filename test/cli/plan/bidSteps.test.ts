/** Steps of bids from the configuration, which a Base token cannot ask for. */
import { afterEach, beforeEach, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
})
afterEach(() => shop.close())

const requests = async (): Promise<number> => {
  const ledger = (await (await fetch(`${shop.url}/_sandbox/ledger`)).json()) as {
    readonly counters: Readonly<Record<string, { readonly requests: number }>>
  }
  return ledger.counters.getPromotionConfig?.requests ?? 0
}

it("are not asked for where both are written, and the bids move by them as they do by those of the marketplace", async () => {
  const bids = async (steps: string) => {
    shop.write("steps.yaml", `${shop.read("bidhelm.yaml")}\n${steps}\n`)
    const before = await requests()
    const { stdout } = await shop.run("plan", "--json", "--config", "steps.yaml")
    const { changes } = JSON.parse(stdout) as { readonly changes: ReadonlyArray<{ readonly kind: string }> }
    const moved = changes.filter(({ kind }) => kind.endsWith("_bid")).length
    return { moved: moved > 0, asked: (await requests()) - before }
  }
  expect(await bids("bid_step: {cpm: 1 ₽, cpc: 0.10 ₽}")).toEqual({ moved: true, asked: 0 })
  expect(await bids("bid_step: {cpm: 1 ₽}")).toEqual({ moved: true, asked: 1 })
})
