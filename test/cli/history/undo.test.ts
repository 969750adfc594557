/** `bidhelm undo` by hand, judged by the sandbox's own ledger. */
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeAll(async () => {
  shop = await Shop.Shop.open({ speed: 600 })
})
afterAll(() => shop.close())

it("tells what was mistyped before it asks for a yes", async () => {
  expect(await shop.run("undo", "nope")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("there is no run or change nope")
  })
  expect(await shop.run("units", "add", "1", "0")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("write how many units to add")
  })
})

const params = {
  bids: [
    { advert_id: 1_000_001, nm_bids: [{ nm_id: 200_000_001, bid_kopecks: 41_000, placement: "search" }] }
  ]
}

it("takes back while policies have errors, which it needs none of, and not while the limits do", async () => {
  const sent = await shop.run("call", "setItemBids", "--params", JSON.stringify(params), "--yes", "--json")
  const { runId } = JSON.parse(sent.stdout) as { readonly runId: string }
  expect(await shop.run("undo", runId)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("nobody is here to approve")
  })
  const limits = shop.read("rules/_shared/limits.yaml")
  shop.write("rules/01-raise-to-reach-max.yaml", "version: 1\nname: [\n")
  shop.write("rules/_shared/limits.yaml", `${limits}\nnonsense: 1\n`)
  expect(await shop.run("undo", runId, "--yes")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("nonsense")
  })
  expect((await shop.ledger()).entries.length).toBe(1)
  shop.write("rules/_shared/limits.yaml", limits)
  const undone = await shop.run("undo", runId, "--yes")
  expect(undone.stderr).toContain(
    "rules/01-raise-to-reach-max.yaml: errors, which bidhelm check tells; no policy is needed to undo, and the limits hold"
  )
  expect(undone.code).toBe(0)
  const [first, back] = (await shop.ledger()).entries
  expect([back?.slot, back?.after]).toEqual([first?.slot, first?.before])
})
