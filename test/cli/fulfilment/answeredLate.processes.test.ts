/** Questions about orders and supplies that stand for a while before somebody answers: judged by what the marketplace accepted. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as ShopSupply from "../labels/ShopSupply.js"
import type * as Shop from "../Shop.js"
import * as Terminal from "../Terminal.js"
import * as ShopPolicy from "./ShopPolicy.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await ShopPolicy.open()
})
afterEach(() => shop.close())

const bare = async (count: number) =>
  (await ShopSupply.fresh(shop))
    .filter(({ requiredMeta }) => (requiredMeta ?? []).length === 0)
    .slice(0, count)
    .map(({ id }) => id)
const accepted = (operation: string) => ShopPolicy.accepted(shop, operation)
const cancelled = (orderId: number) => shop.control("shop", { play: "cancel", orderId, by: "buyer" })
const words = (answered: Shop.Ended) => answered.stdout.replace(/\s+/g, " ")
const entries = async () => (await shop.ledger()).entries

const handing = /Hand \S+ over, \d+ orders? of/
const moving = /Move \d+ orders? to/
const sending = /Send \d+ changes? to/
const cancelling = /Cancel \d+ orders? of/

describe.skipIf(!Terminal.isThere)("a yes that comes late", () => {
  it("hands no supply over in which a buyer has cancelled an order meanwhile", async () => {
    const [first, lost] = await bare(2)
    const supply = await ShopSupply.open(shop, [first!, lost!])
    const late = await Terminal.answering(shop, ["supplies", "deliver", supply], [handing], "y", () =>
      cancelled(lost!)
    )
    expect([await accepted("deliverSupply"), late.code]).toEqual([0, 4])
    expect(words(late)).toContain(`order ${lost} is cancelled`)
  }, 120_000)

  it("hands no supply over into which another program has put an order meanwhile", async () => {
    const [first, more] = await bare(2)
    const supply = await ShopSupply.open(shop, [first!])
    const late = await Terminal.answering(shop, ["supplies", "deliver", supply], [handing], "y", () =>
      ShopSupply.add(shop, supply, [more!])
    )
    expect([await accepted("deliverSupply"), late.code]).toEqual([0, 1])
    expect(words(late)).toContain("nothing was sent: what was asked about has changed since")
  }, 120_000)

  it("makes no supply for orders that a buyer has cancelled meanwhile", async () => {
    const [first, lost] = await bare(2)
    const late = await Terminal.answering(
      shop,
      ["supplies", "move", `${first}`, `${lost}`, "--to", "later"],
      [moving],
      "y",
      () => cancelled(lost!)
    )
    expect([await entries(), late.code]).toEqual([[], 1])
    expect(words(late)).toMatch(new RegExp(`nothing was sent: order ${lost} goes into no supply any more`))
  }, 120_000)

  it("cancels nothing where another program has put one of the orders into a supply meanwhile", async () => {
    const [first, taken] = await bare(2)
    const late = await Terminal.answering(
      shop,
      ["orders", "cancel", `${first}`, `${taken}`],
      [cancelling],
      "y",
      () => ShopSupply.open(shop, [taken!])
    )
    expect([await accepted("cancelOrder"), late.code]).toEqual([0, 1])
    expect(words(late)).toContain("nothing was sent: what was asked about has changed since")
  }, 120_000)

  it("cancels nothing that a person has held meanwhile, nor while limits are gone that were there", async () => {
    const [one] = await bare(1)
    const asked = (before: () => unknown) =>
      Terminal.answering(shop, ["orders", "cancel", `${one}`], [cancelling], "y", before)
    const held = await asked(() => shop.run("hold", "--target", `order/${one}`, "--why", "mine"))
    expect([await accepted("cancelOrder"), held.code]).toEqual([0, 1])
    expect(words(held)).toMatch(/not sent: .*on hold by/)
    expect(await shop.run("resume", "--target", `order/${one}`)).toMatchObject({ code: 0 })
    const limits = "rules/_shared/limits.yaml"
    const kept = shop.read(limits)
    const gone = await asked(() => rmSync(join(shop.folder, limits)))
    expect([await accepted("cancelOrder"), gone.code]).toEqual([0, 1])
    expect(words(gone)).toMatch(/limits.*Nothing was sent/i)
    shop.write(limits, kept)
    expect([(await asked(() => undefined)).code, await accepted("cancelOrder")]).toEqual([0, 1])
  }, 120_000)

  it("assembles nothing by a policy that was switched off meanwhile, nor what is not to be assembled any more", async () => {
    const asked = (before: () => unknown) =>
      Terminal.answering(shop, ["supplies", "assemble"], [sending], "y", before)
    const off = await asked(() => shop.write("rules/13-fulfilment.yaml", ShopPolicy.text("preview")))
    expect([await entries(), off.code]).toEqual([[], 1])
    expect(words(off)).toContain("nothing of it may go any more; nothing was sent")
    shop.write("rules/13-fulfilment.yaml", ShopPolicy.text("approve"))
    const inside = async () =>
      (
        await ShopPolicy.json<{
          readonly orders: ReadonlyArray<{
            readonly orderId: number
            readonly supplyId: string | null
            readonly goesInto: string | null
          }>
        }>(shop, "orders")
      ).orders
    const due = (await inside()).filter(({ goesInto }) => goesInto !== null)
    const alone = due.find(({ goesInto }) => due.filter((other) => other.goesInto === goesInto).length === 1)
    const lost = alone ?? due[0]!
    const late = await asked(() => cancelled(lost.orderId))
    expect(late.code).toBe(0)
    expect(words(late)).toMatch(/left out: order\/\d+ .+ \(13-fulfilment\): /)
    const names = (await entries()) as ReadonlyArray<{ readonly operation: string }>
    expect(names.filter(({ operation }) => operation === "createSupply")).toHaveLength(
      new Set(due.filter((one) => one !== alone).map(({ goesInto }) => goesInto)).size
    )
    expect((await inside()).find(({ orderId }) => orderId === lost.orderId)?.supplyId ?? null).toBeNull()
  }, 180_000)

  it("sets no mark that another program has given to another order meanwhile", async () => {
    const proof = "dGVzdHRlc3R0ZXN0dGVzdHRlc3R0ZXN0dGVzdHRlc3Q="
    const code = `010460123456789321AAAAAAAAAAAA1\u001d91EE11\u001d92${proof}`
    const takes = (await ShopSupply.fresh(shop)).filter(({ optionalMeta, requiredMeta }) =>
      [...(requiredMeta ?? []), ...(optionalMeta ?? [])].includes("sgtin")
    )
    const [ours, theirs] = takes.map(({ id }) => id)
    await ShopSupply.open(shop, [ours!, theirs!])
    shop.write("marks.csv", `order;sgtin\n${ours};"${code}"\n`)
    const late = await Terminal.answering(
      shop,
      ["orders", "marks", "import", "marks.csv"],
      [/Set 1 mark of/],
      "y",
      () => ShopSupply.ask(shop, "PUT", `/api/v3/orders/${theirs}/meta/sgtin`, { sgtins: [code] })
    )
    expect([await accepted("setOrderSgtins"), late.code]).toEqual([1, 3])
    expect(words(late)).toMatch(/nothing was sent/)
  }, 120_000)

  it("books no pass of a policy that was switched off, or names another car, meanwhile", async () => {
    const offices = (await ShopSupply.ask(shop, "GET", "/api/v3/passes/offices")) as ReadonlyArray<{
      readonly id: number
    }>
    const passes = (number: string) =>
      `passes:\n  driver: {first_name: Пётр, last_name: Андреев}\n  car: {model: ГАЗель Next, number: ${number}}\n  office: ${offices[0]!.id}\n`
    const policy = (mode: string, number: string) =>
      shop.write("rules/13-fulfilment.yaml", ShopPolicy.text(mode, passes(number)))
    const asked = async (before: () => void) => {
      policy("approve", "А123ВС777")
      return Terminal.answering(shop, ["passes", "book"], [/Book a pass for/], "y", before)
    }
    const off = await asked(() => policy("disabled", "А123ВС777"))
    const other = await asked(() => policy("approve", "В777ОР77"))
    expect([await accepted("createPass"), off.code, other.code]).toEqual([0, 1, 1])
    expect(words(off)).toContain("nothing was sent")
    expect(words(other)).toContain("В777ОР77")
  }, 120_000)
})
