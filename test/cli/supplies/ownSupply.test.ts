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

const policy = (name: string, warehouse: number, collect: string, leave: string) => `version: 1
kind: fulfilment
name: ${name}
mode: preview
warehouses: [${warehouse}]
waves:
  - {name: only, collect_until: "${collect}", hand_over_by: "${leave}", tz: Europe/Moscow}
supply: {name: "{warehouse} {date} {wave} {cargo}", max_orders: 300}
`

it("is named by the cars of its own warehouse alone, and a look reads it once", async () => {
  const shop = await ShopPolicy.open("preview", "", 60)
  try {
    const [order] = await ShopSupply.fresh(shop)
    const own = order!.warehouseId
    const other = own === 71001 ? 71002 : 71001
    const supply = await ShopSupply.open(shop, [order!.id])
    const looked = async (leavesSoon: number, leavesLate: number) => {
      shop.write("rules/13-fulfilment.yaml", policy("Soon", leavesSoon, "14:00", "15:20"))
      shop.write("rules/14-late.yaml", policy("Late", leavesLate, "22:00", "23:30"))
      return (await shop.run("plan", "--lane", "orders")).stderr
    }
    const asked = async () => {
      const { counters } = (await (await fetch(`${shop.url}/_sandbox/ledger`)).json()) as {
        readonly counters: Readonly<Record<string, { readonly requests: number }>>
      }
      return counters.getSupplyOrderIds?.requests
    }
    expect(await looked(other, own)).not.toContain(supply)
    expect(await asked()).toBe(1)
    // Nobody has its warehouse.
    expect(await looked(other, 71003)).not.toContain(supply)
    expect(await looked(own, other)).toContain(`${supply} is not handed over: it goes with no wave`)
    // Where nobody can tell its warehouse it is rather named too early than never.
    await shop.control("faults", { faults: [{ operation: "listOrders", kind: "refuse", status: 403 }] })
    expect(await looked(other, own)).toContain(`${supply} is not handed over: it goes with no wave`)
  } finally {
    await shop.close()
  }
}, 180_000)
