/** Supplies of a test's shop, made over HTTP as the seller's other programs would. */
import { sandboxToken } from "../../../src/sandbox/SandboxToken.js"
import type * as Shop from "../Shop.js"

export interface Fresh {
  readonly id: number
  readonly skus: ReadonlyArray<string>
  readonly article: string
  readonly warehouseId: number
  readonly cargoType: number
  readonly crossBorderType: number
  readonly requiredMeta: ReadonlyArray<string> | null
  readonly optionalMeta: ReadonlyArray<string> | null
}

export const ask = async (
  shop: Shop.Shop,
  method: string,
  path: string,
  body?: unknown
): Promise<unknown> => {
  const answer = await fetch(`${shop.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${sandboxToken()}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === "" ? undefined : JSON.parse(text)
}

/** New orders of the largest group that may go into one supply. */
export const fresh = async (
  shop: Shop.Shop,
  { crossBorder = false }: { readonly crossBorder?: boolean } = {}
): Promise<ReadonlyArray<Fresh>> => {
  const { orders } = (await ask(shop, "GET", "/api/v3/orders/new")) as {
    readonly orders: ReadonlyArray<Fresh>
  }
  const groups = new Map<string, Array<Fresh>>()
  for (const order of orders) {
    if ((order.crossBorderType === 1) !== crossBorder) continue
    const key = `${order.warehouseId} ${order.cargoType}`
    groups.set(key, [...(groups.get(key) ?? []), order])
  }
  return [...groups.values()].sort((a, b) => b.length - a.length)[0] ?? []
}

/** New orders of one warehouse that must have a mark of this kind and no other, `count` of them made now. */
export const marked = async (
  shop: Shop.Shop,
  count: number,
  kind: "sgtin" | "uin"
): Promise<ReadonlyArray<Fresh>> => {
  await shop.control("shop", {
    play: "make_orders",
    count,
    warehouses: [71001],
    crossBorderShare: 0,
    businessShare: 0,
    markedShare: 1,
    marks: [kind]
  })
  const { orders } = (await ask(shop, "GET", "/api/v3/orders/new")) as {
    readonly orders: ReadonlyArray<Fresh>
  }
  return orders.filter(
    ({ cargoType, crossBorderType, requiredMeta, warehouseId }) =>
      warehouseId === 71001 && cargoType === 1 && crossBorderType === 0 && requiredMeta?.join() === kind
  )
}

export const add = async (
  shop: Shop.Shop,
  supplyId: string,
  orders: ReadonlyArray<number>
): Promise<void> => {
  for (let at = 0; at < orders.length; at += 100)
    await ask(shop, "PATCH", `/api/marketplace/v3/supplies/${supplyId}/orders`, {
      orders: orders.slice(at, at + 100)
    })
}

export const open = async (shop: Shop.Shop, orders: ReadonlyArray<number>): Promise<string> => {
  const { id } = (await ask(shop, "POST", "/api/v3/supplies", { name: "morning" })) as { readonly id: string }
  await add(shop, id, orders)
  return id
}

/** Hands a supply over, once the marketplace has looked at the marks of its orders: it takes its 32 minutes of a UIN at most. */
export const handOver = async (shop: Shop.Shop, supplyId: string): Promise<void> => {
  await shop.advance(32 * 60_000)
  await ask(shop, "PATCH", `/api/v3/supplies/${supplyId}/deliver`)
}

/** Gives an order its marking code. */
export const mark = (shop: Shop.Shop, orderId: number, code: string) =>
  ask(shop, "PUT", `/api/v3/orders/${orderId}/meta/sgtin`, { sgtins: [code] })

/** The UIN of each order, as the marketplace has it. */
export const uins = async (shop: Shop.Shop, ...orders: ReadonlyArray<number>) => {
  const answer = (await ask(shop, "POST", "/api/marketplace/v3/orders/meta", { orders })) as {
    readonly orders: ReadonlyArray<{
      readonly id: number
      readonly metaDetails: ReadonlyArray<{ readonly key: string; readonly value: string | null }>
    }>
  }
  return orders.map(
    (order) =>
      answer.orders
        .find(({ id }) => id === order)
        ?.metaDetails.find(({ key, value }) => key === "uin" && value !== null && value !== "null")?.value
  )
}
