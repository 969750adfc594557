/** Supplies of a store that was restored from before they were made: judged by what the marketplace was handed over. */
import { realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as OpenFiles from "../../OpenFiles.js"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import type * as Shop from "../Shop.js"

const hour = 3_600_000
const turn = ["apply", "--yes", "--lane", "orders"]

let shop: Shop.Shop
beforeEach(async () => {
  shop = await ShopPolicy.open("apply", "deliver: apply\n", 60)
})
afterEach(() => shop.close())

interface Supplies {
  readonly supplies: ReadonlyArray<{
    readonly supplyId: string
    readonly state: string
    readonly wave: string | null
  }>
}
const supplies = async () => (await ShopPolicy.json<Supplies>(shop, "supplies")).supplies
/** Makes supplies that the backup does not know, and puts it in the place of the store, or where none is. */
const forgotten = async (isElsewhere: boolean) => {
  await shop.well("plan", "--lane", "orders")
  await shop.well("backup", "before.gz")
  await shop.control("shop", {
    play: "make_orders",
    count: 3,
    warehouses: [71001],
    cargo: [3],
    minutesAgo: 30
  })
  await shop.well(...turn)
  const made = await supplies()
  expect(made.length).toBeGreaterThan(0)
  const folder = `${realpathSync(shop.folder)}/`
  await OpenFiles.released(() => (OpenFiles.all() ?? []).some((path) => path.startsWith(folder)))
  if (isElsewhere) rmSync(join(shop.folder, ".bidhelm"), { recursive: true })
  await shop.well("restore", "before.gz")
  return made
}

it.each([
  { where: "in the same folder", isElsewhere: false },
  { where: "on another machine", isElsewhere: true }
])(
  "hands over $where what was made since the backup, with its wave",
  async ({ isElsewhere }) => {
    const made = await forgotten(isElsewhere)
    const { stdout } = await shop.well("reconcile")
    expect(stdout).not.toContain("no wave")
    expect(await supplies()).toEqual(made)
    await shop.advance(4.5 * hour)
    await shop.well(...turn)
    expect(await ShopPolicy.accepted(shop, "deliverSupply")).toBeGreaterThan(0)
  },
  180_000
)

it("names the supply whose wave the rules do not have any more, at the reconciliation and at each turn", async () => {
  const [one] = await forgotten(true)
  shop.write(
    "rules/13-fulfilment.yaml",
    shop.read("rules/13-fulfilment.yaml").replace("name: evening", "name: late")
  )
  const told = `${one?.supplyId} is not handed over: it goes with no wave`
  expect((await shop.well("reconcile")).stdout).toContain(told)
  await shop.advance(4.5 * hour)
  expect((await shop.well(...turn)).stderr).toContain(told)
  expect(await ShopPolicy.accepted(shop, "deliverSupply")).toBe(0)
}, 180_000)

it("lists no order that is in another supply by now as a value that rules leave alone: no hold of it ever stands", async () => {
  await shop.well(...turn)
  await shop.well("backup", "before.gz")
  const [one] = await supplies()
  const path = `/api/marketplace/v3/supplies/${one?.supplyId}/order-ids`
  const { orderIds } = (await ShopSupply.ask(shop, "GET", path)) as {
    readonly orderIds: ReadonlyArray<number>
  }
  await ShopSupply.open(shop, orderIds.slice(0, 1))
  const folder = `${realpathSync(shop.folder)}/`
  await OpenFiles.released(() => (OpenFiles.all() ?? []).some((path) => path.startsWith(folder)))
  await shop.well("restore", "before.gz")
  const { stdout } = await shop.well("reconcile")
  expect(stdout).toContain("0 show another value")
  expect(stdout).toContain("1 of orders and supplies has gone on meanwhile")
  expect(stdout).not.toContain("bidhelm holds lists them")
}, 180_000)
