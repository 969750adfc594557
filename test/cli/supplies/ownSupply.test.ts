/** A supply that a person made: no turn hands it over, and board and turns say so. */
import { expect, it } from "vitest"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as ShopSupply from "../labels/ShopSupply.js"

const turn = ["apply", "--yes", "--lane", "orders"]

it("is promised no wave, and named by turns once a car leaves without it, as long as orders are in it", async () => {
  const shop = await ShopPolicy.open("apply", "deliver: apply\n", 60)
  try {
    const fresh = await ShopSupply.fresh(shop)
    const ids = fresh.filter(({ requiredMeta }) => (requiredMeta ?? []).length === 0).slice(0, 2)
    const supply = await ShopSupply.open(
      shop,
      ids.map(({ id }) => id)
    )
    const empty = await ShopSupply.open(shop, [])
    expect((await shop.run(...turn)).stderr).not.toContain(supply)
    const board = (await shop.run("orders")).stdout
    expect(board).toContain(
      `goes with no wave: no turn hands it over, bidhelm supplies deliver ${supply} does`
    )
    expect(board).toContain("\n  in no wave: 2 orders\n")
    await shop.advance(6 * 3_600_000)
    const { stderr } = await shop.run(...turn)
    expect(stderr).toContain(`${supply} is not handed over: it goes with no wave`)
    expect(stderr).not.toContain(empty)
    expect((await shop.run("supplies", "deliver", supply, "--yes")).code).toBe(0)
    expect((await shop.run(...turn)).stderr).not.toContain(supply)
  } finally {
    await shop.close()
  }
}, 180_000)
