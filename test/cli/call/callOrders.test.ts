/** Orders by hand, from the first order to the reshipment: every operation of seed 000 through `bidhelm call`. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import * as Catalogue from "../../../src/services/Catalogue.js"
import * as Shop from "../Shop.js"

interface Order {
  readonly id: number
  readonly warehouseId: number
  readonly cargoType: number
  readonly crossBorderType: number
  readonly isPickupPointShipmentAllowed: boolean
  readonly requiredMeta: ReadonlyArray<string> | null
  readonly optionalMeta: ReadonlyArray<string> | null
}

const separator = "\u001d"
/** One unit of goods has one mark: those of an order end with its number. */
const labels: Readonly<Record<string, (orderId: number) => readonly [operation: string, params: object]>> = {
  sgtin: (id) => ["setOrderSgtins", { sgtins: [`0104600840331229215Q${id}${separator}93Zjqw`] }],
  uin: (id) => ["setOrderUin", { uin: `${id}`.padStart(16, "7") }],
  imei: (id) => ["setOrderImei", { imei: `${id}`.padStart(15, "7") }],
  gtin: () => ["setOrderGtin", { gtin: "7777000011112" }],
  expiration: () => ["setOrderExpiration", { expiration: "31.12.2027" }],
  customsDeclaration: () => ["setOrderCustomsDeclaration", { customsDeclaration: "10702030/010126/7777001" }]
}

it("goes from new orders to a handed-over supply and its reshipment", { timeout: 400_000 }, async () => {
  const shop = await Shop.Shop.open({ scale: { campaigns: 6, items: 4, clusters: 12 }, speed: 300 })
  const done = new Set<string>()
  const call = async <A>(operation: string, params: object, ...more: ReadonlyArray<string>): Promise<A> => {
    const flags = ["--params", JSON.stringify(params), "--yes", ...more]
    const { code, stderr, stdout } = await shop.run("call", operation, ...flags)
    expect(code, `${operation}: ${stderr}`).toBe(0)
    done.add(operation)
    return JSON.parse(stdout) as A
  }
  const decisions = async (orders: ReadonlyArray<number>) => {
    const { orders: found } = await call<{
      orders: ReadonlyArray<{ metaDetails: ReadonlyArray<{ key: string; decision: string }> }>
    }>("getOrderLabels", { orders })
    return found.flatMap(({ metaDetails }) => metaDetails)
  }
  const settled = async (orders: ReadonlyArray<number>) => {
    for (let tries = 0; tries < 40; tries++) {
      const open = (await decisions(orders)).filter(({ decision }) => decision === "pending")
      if (open.length === 0) return
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    expect.fail("the checks of the labels never ended")
  }
  try {
    const { orders: fresh } = await call<{ orders: ReadonlyArray<Order> }>("listNewOrders", {})
    const here = fresh.filter((one) => one.cargoType === 1 && one.crossBorderType === 0)
    const warehouse = here[0]?.warehouseId
    const chosen = here.filter((one) => one.warehouseId === warehouse && one.isPickupPointShipmentAllowed)
    expect(chosen.length).toBeGreaterThanOrEqual(6)
    const batch = chosen.slice(0, 6)
    const ids = batch.map(({ id }) => id)

    const { id: supplyId } = await call<{ id: string }>("createSupply", { name: "Вечерняя" })
    await call("addOrdersToSupply", { supplyId, orders: ids })
    const { orderIds } = await call<{ orderIds: ReadonlyArray<number> }>("getSupplyOrderIds", { supplyId })
    expect([...orderIds].sort()).toEqual([...ids].sort())
    const left = ids[5] as number
    await call("cancelOrder", { orderId: left })
    const { orders: statuses } = await call<{
      orders: ReadonlyArray<{ id: number; supplierStatus: string }>
    }>("getOrderStatuses", { orders: ids })
    expect(statuses.find(({ id }) => id === left)?.supplierStatus).toBe("cancel")

    const { trbxIds } = await call<{ trbxIds: ReadonlyArray<string> }>("addShippingUnits", {
      supplyId,
      amount: 2
    })
    await call("deleteShippingUnits", { supplyId, trbxIds: trbxIds.slice(1) })
    const { trbxes } = await call<{ trbxes: ReadonlyArray<{ id: string }> }>("listShippingUnits", {
      supplyId
    })
    expect(trbxes.map(({ id }) => id)).toEqual(trbxIds.slice(0, 1))

    const kept = batch.slice(0, 5)
    const early = await shop.run("call", "deliverSupply", "--params", JSON.stringify({ supplyId }), "--yes")
    expect(early.code).toBe(1)
    expect(early.stderr).toContain("a mark is missing or refused")
    for (const order of kept) {
      for (const key of order.requiredMeta ?? []) {
        const [operation, params] = labels[key]?.(order.id) ?? expect.fail(`an unheard-of label ${key}`)
        await call(operation, { orderId: order.id, ...params })
      }
    }
    await everyLabel(call, fresh, done)
    await settled(kept.map(({ id }) => id))

    const pictures = join(shop.folder, "labels")
    const sticker = { type: "png", width: 58, height: 40, orders: kept.map(({ id }) => id) }
    const { stickers } = await call<{ stickers: ReadonlyArray<{ file: string }> }>(
      "getOrderStickers",
      sticker,
      "--out",
      "labels"
    )
    expect(stickers).toHaveLength(5)
    for (const { id } of kept) {
      expect([...readFileSync(join(pictures, `${id}.png`)).subarray(1, 4)]).toEqual([...Buffer.from("PNG")])
    }
    await call("getShippingUnitStickers", { supplyId, type: "svg", trbxIds: trbxIds.slice(0, 1) })
    await call("deliverSupply", { supplyId })
    await call("getSupplyBarcode", { supplyId, type: "zplv" }, "--out", "code")
    expect(existsSync(join(shop.folder, "code"))).toBe(true)
    const record = await call<{ done: boolean }>("getSupply", { supplyId })
    expect(record.done).toBe(true)

    const unscanned = kept[0]?.id as number
    await shop.control("shop", { supplyId, play: "scan", unscanned: [unscanned] })
    const again = await waitFor(async () => {
      const { orders } = await call<{ orders: ReadonlyArray<{ orderID: number }> }>(
        "listReshipmentOrders",
        {}
      )
      return orders.some(({ orderID }) => orderID === unscanned)
    })
    expect(again).toBe(true)
    const { id: second } = await call<{ id: string }>("createSupply", { name: "Дослать" })
    await call("addOrdersToSupply", { supplyId: second, orders: [unscanned] })
    const { supplies } = await call<{ supplies: ReadonlyArray<{ id: string }> }>("listSupplies", {}, "--all")
    expect(supplies.map(({ id }) => id)).toEqual(expect.arrayContaining([supplyId, second]))
    const { id: empty } = await call<{ id: string }>("createSupply", {})
    await call("deleteSupply", { supplyId: empty })

    const { orders: all } = await call<{ orders: ReadonlyArray<Order> }>("listOrders", {}, "--all")
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    const archived = await call<{ orders: ReadonlyArray<object> }>(
      "listArchivedOrders",
      { year: 2026, month: 5 },
      "--all"
    )
    expect(archived.orders.length).toBeGreaterThan(0)
    const abroad = all.find(({ crossBorderType }) => crossBorderType === 1)?.id ?? unscanned
    await call("getCrossBorderStickers", { orders: [abroad] })
    await call("getOrderStatusHistory", { orders: [abroad] })
    await call("getOrderClients", { orders: [abroad] })
    await passes(call)

    const seed = Catalogue.operations.filter(({ host }) => host === "marketplace").map(({ id }) => id)
    expect(seed.filter((id) => !done.has(id))).toEqual([])
    expect(seed).toHaveLength(35)
    expect((await shop.ledger()).breaches).toBe(0)
  } finally {
    await shop.close()
  }
})

type Caller = <A>(operation: string, params: object) => Promise<A>

/** Sets each key that the chosen orders did not need on some other order that exposes it, and deletes one. */
const everyLabel = async (call: Caller, fresh: ReadonlyArray<Order>, done: ReadonlySet<string>) => {
  const { id: supplyId } = await call<{ id: string }>("createSupply", { name: "Метки" })
  for (const [key, ofOrder] of Object.entries(labels)) {
    const order = fresh.find(
      (one) => (one.requiredMeta ?? []).includes(key) || (one.optionalMeta ?? []).includes(key)
    )
    if (order === undefined) expect.fail(`no new order takes ${key}`)
    const [operation, params] = ofOrder(order.id)
    if (done.has(operation)) continue
    const { id: own } = await call<{ id: string }>("createSupply", { name: `Метки: ${key}` })
    await call("addOrdersToSupply", { supplyId: own, orders: [order.id] })
    await call(operation, { orderId: order.id, ...params })
    if (key !== "expiration") await call("deleteOrderLabel", { orderId: order.id, key })
  }
  await call("deleteSupply", { supplyId })
}

const passes = async (call: Caller) => {
  const [office] = await call<ReadonlyArray<{ id: number }>>("listPassOffices", {})
  const pass = { firstName: "Анна", lastName: "Петрова", carModel: "Лада", carNumber: "А123ВС77" }
  const { id } = await call<{ id: number }>("createPass", { ...pass, officeId: office?.id })
  await call("updatePass", { passId: id, ...pass, carModel: "Газель", officeId: office?.id })
  const listed = await call<ReadonlyArray<{ id: number; carModel: string }>>("listPasses", {})
  expect(listed.find((one) => one.id === id)?.carModel).toBe("Газель")
  await call("deletePass", { passId: id })
}

const waitFor = async (holds: () => Promise<boolean>): Promise<boolean> => {
  for (let tries = 0; tries < 40; tries++) {
    if (await holds()) return true
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  return false
}
