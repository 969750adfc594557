/** Assembly orders put into a seller's shop by hand, so that a test has exactly the orders it needs. */
import type { World } from "../../src/sandbox/market/World.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import type { Order } from "../../src/sandbox/shop/State.js"
import { type Answered, type Marketplace, originMs, withMarketplace } from "./Real.js"

/** Nobody else's orders have such ids. */
const firstId = 8_000_000_001

/** Runs a test against a shop whose history is empty: its first sales come after the origin. */
export const withShop = (test: (m: Marketplace) => Promise<void>): Promise<void> =>
  withMarketplace({ scale: { campaigns: 1, items: 1, clusters: 1 } }, async (m) => {
    worldOf(m).shop.ordersTo = originMs
    await test(m)
  })

export const worldOf = (m: Marketplace): World => m.sandbox.world(defaultSeller)

/** Puts so many new orders, alike but for what is said; answers their ids. */
export const put = (m: Marketplace, count: number, said: Partial<Order> = {}): ReadonlyArray<number> => {
  const { shop } = worldOf(m)
  const used = [...shop.orders.keys()].filter((id) => id >= firstId).length
  return Array.from({ length: count }, (_, i) => {
    const id = firstId + used + i
    shop.orders.set(id, { ...plain(id), ...said, labels: new Map() })
    return id
  })
}

/** A new domestic order without labels. */
export const plain = (id: number): Order => ({
  id,
  sale: {
    itemId: 200_000_001,
    sizeId: 300_000_000,
    day: 20_777,
    index: id - firstId,
    srid: `put.${id}`,
    orderedAt: originMs - 2 * 3_600_000,
    priceKopecks: 150_000,
    business: false,
    fulfilledBy: "seller",
    advertised: false,
    seed: 1
  },
  warehouseId: 71_001,
  officeId: 158,
  cargoType: 1,
  crossBorder: false,
  pickupPointAllowed: true,
  required: [],
  optional: [],
  labels: new Map(),
  statuses: [{ status: "new", at: originMs - 2 * 3_600_000 }],
  supplyId: undefined,
  scannedAt: undefined,
  reshipment: false,
  plays: []
})

export const supplies = "/api/v3/supplies"
export const unitsPath = (supplyId: string) => `${supplies}/${supplyId}/trbx`
export const ordersPath = (supplyId: string) => `/api/marketplace/v3/supplies/${supplyId}/orders`
export const labelPath = (orderId: number, key: string) =>
  key === "customs-declaration"
    ? `/api/marketplace/v3/orders/${orderId}/meta/customs-declaration`
    : `/api/v3/orders/${orderId}/meta/${key}`

/** Asks ten intervals after the last request, so that no refusal empties the bucket. */
export const ask = (m: Marketplace, method: string, path: string, body?: unknown): Promise<Answered> => {
  m.advance(2_000)
  return m.ask(method, path, body === undefined ? {} : { body })
}

/** Status and code of an answer. */
export const outcome = (answer: Answered): readonly [number, unknown] => [answer.status, answer.json?.code]

/** A new supply, with orders if any are given. */
export const supplyOf = async (m: Marketplace, orders: ReadonlyArray<number> = []): Promise<string> => {
  const { id } = (await ask(m, "POST", supplies, { name: "test" })).json
  if (orders.length > 0) {
    const added = await ask(m, "PATCH", ordersPath(id), { orders })
    if (added.status !== 204) throw new Error(`orders were refused: ${added.text}`)
  }
  return id
}

export const deliver = (m: Marketplace, supplyId: string): Promise<Answered> =>
  ask(m, "PATCH", `${supplies}/${supplyId}/deliver`)

/** Seller's status of orders, as the marketplace tells it. */
export const statusesOf = async (
  m: Marketplace,
  orders: ReadonlyArray<number>
): Promise<ReadonlyArray<string>> => {
  const { json } = await ask(m, "POST", "/api/v3/orders/status", { orders })
  return orders.map((id) => json.orders.find((row: { id: number }) => row.id === id)?.supplierStatus)
}
