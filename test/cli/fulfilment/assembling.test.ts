/** From waiting orders to a handed-over supply by the commands of whoever assembles, judged by the marketplace. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as ShopSupply from "../labels/ShopSupply.js"
import type * as Shop from "../Shop.js"
import * as ShopPolicy from "./ShopPolicy.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await ShopPolicy.open()
})
afterEach(() => shop.close())

interface Order {
  readonly orderId: number
  readonly createdAt: string
  readonly deadline: string | null
  readonly wave: string | null
  readonly risk: string | null
  readonly supplyId: string | null
  readonly marks: ReadonlyArray<{ readonly key: string; readonly is: string }> | null
  readonly why: { readonly code: string; readonly message: string } | null
  readonly goesInto: string | null
}
interface Delivered {
  readonly rest: ReadonlyArray<number>
  readonly moved: {
    readonly changes: ReadonlyArray<{ readonly change: { readonly kind: string }; readonly state: string }>
  } | null
}
const board = async () =>
  (await ShopPolicy.json<{ readonly orders: ReadonlyArray<Order> }>(shop, "orders")).orders
const idsIn = async (supplyId: string) =>
  (
    (await ShopSupply.ask(shop, "GET", `/api/marketplace/v3/supplies/${supplyId}/order-ids`)) as {
      readonly orderIds: ReadonlyArray<number>
    }
  ).orderIds
const isClosed = async (supplyId: string) =>
  ((await ShopSupply.ask(shop, "GET", `/api/v3/supplies/${supplyId}`)) as { readonly done: boolean }).done
const bare = async (count: number) => {
  const found = (await ShopSupply.fresh(shop)).filter(({ requiredMeta }) => (requiredMeta ?? []).length === 0)
  expect(found.length).toBeGreaterThanOrEqual(count)
  return found.slice(0, count)
}
const needy = async () => {
  const all = await ShopSupply.fresh(shop)
  const found = all.find(({ requiredMeta }) => (requiredMeta ?? []).length > 0)
  return found ?? expect.fail("no order of the group needs a mark")
}

/** How many orders a plan puts into supplies, by its first lines. */
const put = (shown: string): number => Number(/put_in_supply (\d+)/.exec(shown)?.[1])

describe("under the kill switch", () => {
  it("supplies assemble says that it sent nothing, and does not end well", async () => {
    await shop.run("kill", "--why", "stock-taking")
    for (const words of [[], ["--json"]]) {
      const ended = await shop.run("supplies", "assemble", "--yes", ...words)
      expect([ended.code, ended.stderr]).toEqual([
        1,
        expect.stringMatching(/nothing was sent: .*stock-taking.* more are held/)
      ])
    }
    expect((await shop.ledger()).entries).toEqual([])
  })
})

it("supplies assemble names in JSON which orders it leaves where they are, in a plan too, and what is held", async () => {
  // Two plans are of the same orders: at the usual speed another one may come in between.
  await shop.close()
  shop = await ShopPolicy.open("approve", "", 1)
  shop.write("rules/13-fulfilment.yaml", ShopPolicy.text("approve").replace("[71001, 71002]", "[71001]"))
  const { stdout } = await shop.run("supplies", "assemble", "--plan")
  const count = Number(/^Left where they are: (\d+) orders/m.exec(stdout)?.[1])
  const { changes, left } = JSON.parse((await shop.run("supplies", "assemble", "--plan", "--json")).stdout)
  expect(left).toHaveLength(count)
  expect(left).toContainEqual(expect.objectContaining({ code: "no_policy", warehouseId: 71002 }))
  const mine = changes.find(({ action }: { readonly action: string }) => action === "put_in_supply").subject
    .orderId
  await shop.run("hold", "--target", `order/${mine}`, "--why", "mine")
  const done = await shop.run("supplies", "assemble", "--yes", "--json")
  expect(done.code).toBe(0)
  const told = JSON.parse(done.stdout).left
  expect(told).toContainEqual(expect.objectContaining({ code: "no_policy", warehouseId: 71002 }))
  const change = expect.objectContaining({ subject: { orderId: mine } })
  expect(told).toContainEqual(expect.objectContaining({ code: "hold", change }))
}, 180_000)

describe("while a rule of advertising has errors", () => {
  it("orders are assembled all the same, and not while what says how has some", async () => {
    shop.write("rules/01-raise-to-reach-max.yaml", "version: 1\nname: [\n")
    const told =
      "rules/01-raise-to-reach-max.yaml: errors, which bidhelm check tells; nothing of that is needed here"
    const shown = await shop.run("orders")
    expect([shown.code, shown.stderr]).toEqual([0, expect.stringContaining(told)])
    const policy = shop.read("rules/13-fulfilment.yaml")
    for (const broken of [`${policy}\nnonsense: 1\n`, "\u0000"]) {
      shop.write("rules/13-fulfilment.yaml", broken)
      expect((await shop.run("supplies", "assemble", "--yes")).code).toBe(3)
      expect((await shop.ledger()).entries).toEqual([])
    }
    shop.write("rules/13-fulfilment.yaml", policy)
    shop.write(
      "rules/_shared/limits.yaml",
      "version: 1\nkind: limits\naccount: {kill_switch: true, nonsense: 1}\n"
    )
    const [order] = await bare(1)
    for (const words of [
      ["supplies", "assemble"],
      ["supplies", "move", String(order!.id), "--to", "new"],
      ["orders", "cancel", String(order!.id)]
    ])
      expect((await shop.run(...words, "--yes")).code).toBe(3)
    expect((await shop.ledger()).entries).toEqual([])
    shop.write("rules/_shared/limits.yaml", "version: 1\nkind: limits\naccount: {kill_switch: false}\n")
    const assembled = await shop.run("supplies", "assemble", "--yes")
    expect([assembled.code, assembled.stderr]).toEqual([0, expect.stringContaining(told)])
    expect((await shop.ledger()).entries.length).toBeGreaterThan(0)
  })
})

describe("orders", () => {
  it("shows every waiting order with its deadline, the nearest first, and why it waits", async () => {
    const waiting = (await ShopSupply.ask(shop, "GET", "/api/v3/orders/new")) as {
      readonly orders: ReadonlyArray<{ readonly id: number }>
    }
    const shown = await board()
    const ids = new Set(shown.map(({ orderId }) => orderId))
    expect(waiting.orders.filter(({ id }) => !ids.has(id))).toEqual([])
    const deadlines = shown.flatMap(({ deadline }) => (deadline === null ? [] : [deadline]))
    expect(deadlines).toEqual([...deadlines].sort())
    for (const { goesInto, why } of shown) expect((goesInto === null) !== (why === null)).toBe(true)
    const text = await shop.run("orders")
    expect(text.stdout).toMatch(/^Orders at .*: \d+ waits? for a supply, 0 in open supplies; \d+ late/)
    expect(text.stdout).toMatch(/goes into "[^"]+" once a person agrees/)
    expect(text.stdout).not.toContain("the next turn")
    const { orders, waves } = await ShopPolicy.json<{
      readonly orders: ReadonlyArray<Order & { readonly goesWith: string; readonly goesBy: string }>
      readonly waves: ReadonlyArray<{
        readonly wave: string
        readonly goesBy: string
        readonly orders: number
      }>
    }>(shop, "orders")
    expect(waves.length).toBeGreaterThan(0)
    for (const { goesBy, orders: count, wave } of waves)
      expect(orders.filter((one) => one.goesWith === wave && one.goesBy === goesBy)).toHaveLength(count)
    const told = [...text.stdout.matchAll(/^ {2}(?:noon|evening) by .*: (\d+) orders?, 0 in supplies/gm)]
    const waits = Number(/: (\d+) waits? for a supply/.exec(text.stdout)?.[1])
    expect(told.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(
      waits - (text.stdout.match(/ no deadline /g) ?? []).length
    )
    expect(await shop.run("orders", "--every", "1s")).toMatchObject({ code: 1 })
  }, 180_000)

  it("counts the orders that go with no wave, such as those of a warehouse without a policy", async () => {
    shop.write("rules/13-fulfilment.yaml", ShopPolicy.text("approve").replace("[71001, 71002]", "[71001]"))
    const { stdout } = await shop.run("orders")
    const without = (stdout.match(/ no deadline /g) ?? []).length
    expect(without).toBeGreaterThan(0)
    expect(stdout).toMatch(new RegExp(`^ {2}in no wave: ${without} orders?$`, "m"))
  }, 180_000)

  it("never takes marks that could not be read for none that are missing", async () => {
    await shop.control("faults", { faults: [{ kind: "errorBefore", operation: "getOrderLabels" }] })
    await shop.run("supplies", "assemble", "--yes")
    const { orders, waves } = await ShopPolicy.json<{
      readonly orders: ReadonlyArray<Order>
      readonly waves: ReadonlyArray<{ readonly lackMarks: number; readonly marksUnread: number }>
    }>(shop, "orders")
    const unread = orders.filter(({ deadline, marks }) => deadline !== null && marks === null).length
    expect(unread).toBeGreaterThan(0)
    expect(waves.reduce((sum, { marksUnread }) => sum + marksUnread, 0)).toBe(unread)
    expect((await shop.run("orders")).stdout).toMatch(/^ {2}\w+ by .*, the marks of \d+ could not be read$/m)
  }, 180_000)

  it("tells one order's way, and refuses what is no order", async () => {
    const [first] = await bare(1)
    await shop.run("supplies", "move", String(first!.id), "--to", "my own", "--yes")
    const { stdout } = await shop.run("orders", "history", String(first!.id))
    expect(stdout).toMatch(/goes into the new supply "my own #[0-9a-f]{8}": applied/)
    expect(stdout).toContain("marketplace  ordered")
    expect(await shop.run("orders", "history", "abc")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"abc": write the numbers of orders')
    })
    expect((await shop.run("orders", "history", "9999999999999")).code).toBe(1)
  })

  it("cancels what may be cancelled, and nothing where one may not", async () => {
    const [first, second] = await bare(2)
    const plan = await shop.run("orders", "cancel", String(first!.id), "--plan")
    expect([plan.code, await ShopPolicy.accepted(shop, "cancelOrder")]).toEqual([0, 0])
    const bad = await shop.run("orders", "cancel", String(first!.id), "9999999999999", "--yes")
    expect([bad.code, bad.stderr]).toEqual([
      1,
      expect.stringContaining("nothing was sent: order 9999999999999")
    ])
    expect(await ShopPolicy.accepted(shop, "cancelOrder")).toBe(0)
    const done = await shop.run("orders", "cancel", String(first!.id), String(second!.id), "--yes")
    expect([done.code, await ShopPolicy.accepted(shop, "cancelOrder")]).toEqual([0, 2])
    const again = await shop.run("orders", "cancel", String(first!.id), "--yes")
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringContaining(`${first!.id}: cancelled already by the seller, left alone`)
    ])
    expect(await ShopPolicy.accepted(shop, "cancelOrder")).toBe(2)
  })

  it("leaves what its buyer cancelled alone, and cancels the rest", async () => {
    const [withdrawn, lost] = await bare(2)
    await shop.control("shop", { play: "cancel", orderId: withdrawn!.id, by: "buyer" })
    const words = ["orders", "cancel", String(withdrawn!.id), String(lost!.id), "--json"]
    const left = [{ orderId: withdrawn!.id, by: "buyer", why: "cancelled_already" }]
    const shown = JSON.parse((await shop.run(...words, "--plan")).stdout)
    expect(shown).toMatchObject({ changes: [{ subject: { orderId: lost!.id } }], left })
    const done = await shop.run(...words, "--yes")
    expect([done.code, done.stderr]).toEqual([
      0,
      expect.stringContaining(`${withdrawn!.id}: cancelled already by the buyer, left alone`)
    ])
    expect(JSON.parse(done.stdout)).toMatchObject({ left })
    expect(await ShopPolicy.accepted(shop, "cancelOrder")).toBe(1)
  })
})

describe("supplies", () => {
  it("assembles what is due with a person's yes, once, and lists it with its wave", async () => {
    expect((await shop.run("supplies")).stdout).toMatch(/^No supply is open|^PLATFORM/)
    const due = (await board()).filter(({ goesInto }) => goesInto !== null)
    expect(due.length).toBeGreaterThan(0)
    const plan = await shop.run("supplies", "assemble", "--plan")
    expect([plan.code, (await shop.ledger()).entries]).toEqual([0, []])
    // New supplies are changes as well, and no orders that match.
    const [, matched, inScope] = /: (\d+) of (\d+) rows match, /.exec(plan.stdout) ?? []
    expect([Number(matched), Number(inScope) >= Number(matched)]).toEqual([put(plan.stdout), true])
    const nobody = await shop.run("supplies", "assemble")
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining("nobody is here to agree")])
    // What was mistyped is told first: nobody repeats it with --yes.
    for (const mistyped of [
      ["orders", "cancel", "abc"],
      ["supplies", "move", "abc", "--to", "X"]
    ])
      expect((await shop.run(...mistyped)).stderr).toMatch(/abc/)
    const done = await shop.run("supplies", "assemble", "--yes")
    expect([done.code, done.stderr]).toEqual([0, expect.any(String)])
    const after = await board()
    for (const { orderId } of due)
      expect(after.find((one) => one.orderId === orderId)?.supplyId).toMatch(/^PLATFORM-GI-/)
    const { supplies } = await ShopPolicy.json<{
      readonly supplies: ReadonlyArray<{
        readonly supplyId: string
        readonly wave: string | null
        readonly orders: number
      }>
    }>(shop, "supplies")
    const ours = supplies.filter(({ wave }) => wave !== null)
    expect(ours.reduce((sum, { orders }) => sum + orders, 0)).toBeGreaterThanOrEqual(due.length)
    expect((await shop.run("approvals")).stdout).not.toContain("bidhelm approve")
    // Orders may have come of age meanwhile: none of those that were put in is put in again.
    const before = after.filter(({ supplyId }) => supplyId !== null)
    expect((await shop.run("supplies", "assemble", "--yes")).code).toBe(0)
    const later = await board()
    for (const { orderId, supplyId } of before)
      expect(later.find((one) => one.orderId === orderId)?.supplyId).toBe(supplyId)
  })

  it("lists which supplies are of businesses, as text and as JSON", async () => {
    const play = { play: "make_orders", count: 3, warehouses: [71001], businessShare: 1, minutesAgo: 90 }
    await shop.control("shop", play)
    expect((await shop.run("supplies", "assemble", "--yes")).code).toBe(0)
    const { supplies } = await ShopPolicy.json<{
      readonly supplies: ReadonlyArray<{ readonly supplyId: string; readonly business: boolean | null }>
    }>(shop, "supplies")
    const lines = (await shop.run("supplies")).stdout.split("\n")
    expect(supplies.some(({ business }) => business === true)).toBe(true)
    for (const { business, supplyId } of supplies)
      expect(lines.find((line) => line.startsWith(supplyId))?.includes(" business ")).toBe(business === true)
  })

  it("assembles nothing by a policy in mode preview, and shows what it would", async () => {
    shop.write("rules/13-fulfilment.yaml", ShopPolicy.text("preview"))
    const { code, stderr } = await shop.run("supplies", "assemble", "--yes")
    expect([code, stderr]).toEqual([1, expect.stringMatching(/mode approve or apply.*--plan shows/)])
    const plan = await shop.run("supplies", "assemble", "--plan")
    expect([plan.code, put(plan.stdout) > 0, (await shop.ledger()).entries]).toEqual([0, true, []])
  })

  it("hands over what nothing stops, once", async () => {
    const orders = await bare(2)
    const supply = await ShopSupply.open(
      shop,
      orders.map(({ id }) => id)
    )
    const checked = await shop.run("supplies", "check", supply)
    expect([checked.code, checked.stdout]).toEqual([
      0,
      expect.stringContaining("nothing that is known stops the hand-over")
    ])
    expect((await shop.run("supplies", "deliver", supply, "--plan")).code).toBe(0)
    expect(await isClosed(supply)).toBe(false)
    const done = await shop.run("supplies", "deliver", supply, "--yes")
    expect([done.code, await isClosed(supply)]).toEqual([0, true])
    const accepted = await ShopPolicy.accepted(shop, "deliverSupply")
    const again = await shop.run("supplies", "deliver", supply, "--yes")
    expect([again.code, await ShopPolicy.accepted(shop, "deliverSupply")]).toEqual([4, accepted])
    expect(again.stderr).toContain("the supply is closed already")
    expect((await shop.run("orders", "history", String(orders[0]!.id))).stdout).toContain(
      "bidhelm  delivered"
    )
  })

  it("refuses with every reason, and with --move-out lets the rest go", async () => {
    const rest = await bare(2)
    const bad = await needy()
    const ids = [...rest.map(({ id }) => id), bad.id]
    const supply = await ShopSupply.open(shop, ids)
    const checked = await shop.run("supplies", "check", supply)
    expect([checked.code, checked.stdout]).toEqual([
      4,
      expect.stringMatching(/order \d+: .*it is missing → scan it/)
    ])
    const refused = await shop.run("supplies", "deliver", supply, "--yes")
    expect([refused.code, await isClosed(supply)]).toEqual([4, false])
    const done = await shop.run("supplies", "deliver", supply, "--move-out", "later", "--yes")
    expect([done.code, done.stderr, await isClosed(supply)]).toEqual([0, expect.any(String), true])
    expect([...(await idsIn(supply))].sort()).toEqual(rest.map(({ id }) => id).sort())
    const moved = (await board()).find(({ orderId }) => orderId === bad.id)
    expect(moved?.marks).toEqual(expect.arrayContaining([expect.objectContaining({ is: "missing" })]))
    expect(await idsIn(moved!.supplyId!)).toEqual([bad.id])
    expect(await ShopPolicy.accepted(shop, "createSupply")).toBe(2)
    // It had left before: the hand-over is none of its history, and the supply takes it back no more.
    expect((await shop.run("orders", "history", String(bad.id))).stdout).not.toContain("hands over")
    expect((await shop.run("orders", "history", String(rest[0]!.id))).stdout).toContain("hands over")
    const { runs } = await ShopPolicy.json<{ readonly runs: ReadonlyArray<{ readonly runId: string }> }>(
      shop,
      "history"
    )
    const sent = await ShopPolicy.accepted(shop, "addOrdersToSupply")
    const undone = await shop.run("undo", runs[1]!.runId, "--yes")
    expect([undone.code, undone.stdout + undone.stderr]).toEqual([
      4,
      expect.stringContaining("is handed over or gone, and takes no order any more")
    ])
    expect(await ShopPolicy.accepted(shop, "addOrdersToSupply")).toBe(sent)
  })

  it("tells a program what was moved, and why the rest stayed, when not every move came about", async () => {
    const rest = await bare(1)
    const marked = await needy()
    const supply = await ShopSupply.open(shop, [rest[0]!.id, marked.id])
    const words = ["supplies", "deliver", supply, "--yes", "--json"]
    const told = async (...more: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await shop.run(...words, ...more)
      return { code, stderr, said: JSON.parse(stdout) as Delivered }
    }
    const reasons = [expect.objectContaining({ orderId: marked.id, says: expect.any(String) })]
    const refused = await told()
    expect(refused).toMatchObject({ code: 4, said: { delivered: [], moved: null, run: null, reasons } })
    expect(refused.said.rest).toEqual([rest[0]!.id])
    await shop.control("faults", {
      faults: [{ kind: "refuse", operation: "addOrdersToSupply", status: 409, count: 1 }]
    })
    const failed = await told("--move-out", "later")
    expect(failed).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("the supply was not handed over"),
      said: { delivered: [], moved: { status: "partial" }, run: null, reasons }
    })
    expect(failed.said.moved?.changes.map(({ change, state }) => [change.kind, state])).toEqual([
      ["supply_creation", "applied"],
      ["order_in_supply", "rejected"]
    ])
    expect(await isClosed(supply)).toBe(false)
    expect(await ShopPolicy.accepted(shop, "deliverSupply")).toBe(0)
  })

  it("takes a move back by a saved plan as well", async () => {
    const [first, second] = await bare(2)
    const supply = await ShopSupply.open(shop, [first!.id, second!.id])
    expect((await shop.run("supplies", "move", String(first!.id), "--to", "later", "--yes")).code).toBe(0)
    expect(await idsIn(supply)).toEqual([second!.id])
    const { runs } = await ShopPolicy.json<{ readonly runs: ReadonlyArray<{ readonly runId: string }> }>(
      shop,
      "history"
    )
    expect((await shop.run("undo", runs[0]!.runId, "--out", "back.json")).code).toBe(0)
    const back = await shop.run("apply", "back.json", "--yes")
    expect([back.code, back.stdout + back.stderr]).toEqual([0, expect.stringContaining("applied 1")])
    expect([...(await idsIn(supply))].sort()).toEqual([first!.id, second!.id].sort())
  })

  it("counts no cancelled order among the reasons once its goods are out", async () => {
    const [first, lost] = await bare(2)
    const bad = await needy()
    const supply = await ShopSupply.open(shop, [first!.id, lost!.id, bad.id])
    await shop.control("shop", { play: "cancel", orderId: lost!.id, by: "buyer" })
    const refused = await shop.run("supplies", "deliver", supply, "--taken-out", "--yes")
    expect(refused.code).toBe(4)
    expect(refused.stderr).toContain("was not handed over: 1 reason")
    expect(refused.stderr).not.toContain("is cancelled")
    expect(refused.stderr).toContain(`bidhelm supplies deliver ${supply} --move-out NAME --taken-out`)
    const moved = await shop.run("supplies", "move", String(lost!.id), "--to", "later", "--yes")
    expect(moved.stderr).toMatch(
      new RegExp(`order ${lost!.id} goes into no supply any more \\((declined|canceled)_by_client\\)`)
    )
  })

  it("waits for a person to take out what a buyer cancelled, and hands the rest over then", async () => {
    const [first, second, lost] = await bare(3)
    const supply = await ShopSupply.open(shop, [first!.id, second!.id, lost!.id])
    await shop.control("shop", { play: "cancel", orderId: lost!.id, by: "buyer" })
    const refused = await shop.run("supplies", "deliver", supply, "--yes")
    expect([refused.code, await isClosed(supply)]).toEqual([4, false])
    expect(refused.stderr).toMatch(new RegExp(`order ${lost!.id} is cancelled .* take its goods out`))
    expect(refused.stderr).toContain(`bidhelm supplies deliver ${supply} --taken-out`)
    const done = await shop.run("supplies", "deliver", supply, "--taken-out", "--yes", "--json")
    expect([done.code, await isClosed(supply)]).toEqual([0, true])
    const { delivered } = JSON.parse(done.stdout) as { readonly delivered: ReadonlyArray<number> }
    expect([...delivered].sort()).toEqual([first!.id, second!.id].sort())
    expect((await shop.run("orders", "history", String(lost!.id))).stdout).not.toContain("bidhelm  delivered")
    expect(await ShopPolicy.accepted(shop, "cancelOrder")).toBe(0)
  })

  it("does not promise that the others can go while a mark of a cancelled order stops them, and moves nothing before", async () => {
    const [first, second, bad] = await ShopSupply.marked(shop, 3, "sgtin")
    const [one, two] = [first!.id, second!.id]
    const supply = await ShopSupply.open(shop, [one, two, bad!.id])
    await ShopSupply.mark(shop, one, "0104600439931256217777\u001d91AB12")
    await shop.advance(5 * 60_000)
    await shop.control("shop", { play: "cancel", orderId: bad!.id, by: "buyer" })
    const why = `order ${bad!.id}: marking code: it is missing, and the order is cancelled`
    const checked = await shop.run("supplies", "check", supply)
    expect([checked.code, checked.stdout]).toEqual([4, expect.stringContaining(`${why} → move its other`)])
    expect(checked.stdout).not.toContain("can go without the others")
    for (const words of [[], ["--move-out", "later"]]) {
      const refused = await shop.run("supplies", "deliver", supply, "--taken-out", ...words, "--yes")
      expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining(why)])
    }
    expect([...(await idsIn(supply))].sort()).toEqual([one, two, bad!.id].sort())
    expect(await ShopPolicy.accepted(shop, "deliverSupply")).toBe(0)
    expect((await shop.run("supplies", "move", String(one), "--to", "rest", "--yes")).code).toBe(0)
    const { supplies } = (await ShopSupply.ask(shop, "GET", "/api/v3/supplies?limit=1000&next=0")) as {
      readonly supplies: ReadonlyArray<{ readonly id: string; readonly name: string }>
    }
    const rest = supplies.find(({ name }) => name.startsWith("rest"))!.id
    expect((await shop.run("supplies", "deliver", rest, "--yes")).code).toBe(0)
    expect([await isClosed(rest), await isClosed(supply)]).toEqual([true, false])
  })

  it("asks for no supply of orders that do not fit together", async () => {
    const { orders } = (await ShopSupply.ask(shop, "GET", "/api/v3/orders/new")) as {
      readonly orders: ReadonlyArray<ShopSupply.Fresh>
    }
    const [first] = orders
    const other = orders.find(({ warehouseId }) => warehouseId !== first!.warehouseId)
    const moved = await shop.run(
      "supplies",
      "move",
      String(first!.id),
      String(other!.id),
      "--to",
      "both",
      "--yes"
    )
    expect([moved.code, moved.stderr]).toEqual([1, expect.stringContaining("do not go into one supply")])
    expect((await shop.ledger()).entries).toEqual([])
  })

  it("moves no order into a supply that holds orders of another warehouse, and sends nothing for it", async () => {
    const { orders } = (await ShopSupply.ask(shop, "GET", "/api/v3/orders/new")) as {
      readonly orders: ReadonlyArray<ShopSupply.Fresh>
    }
    const [first] = orders
    const other = orders.find(
      ({ cargoType, crossBorderType, warehouseId }) =>
        warehouseId !== first!.warehouseId &&
        cargoType === first!.cargoType &&
        crossBorderType === first!.crossBorderType
    )
    const supply = await ShopSupply.open(shop, [first!.id])
    const puts = await ShopPolicy.accepted(shop, "addOrdersToSupply")
    const moved = await shop.run("supplies", "move", String(other!.id), "--to", supply, "--yes")
    expect([moved.code, await idsIn(supply)]).toEqual([1, [first!.id]])
    expect(moved.stderr).toContain(`the supply holds orders of warehouse ${first!.warehouseId}`)
    expect(await ShopPolicy.accepted(shop, "addOrdersToSupply")).toBe(puts)
  })

  it("moves orders between open supplies, and none twice", async () => {
    const orders = await bare(3)
    const [one, two, three] = orders.map(({ id }) => id)
    const first = await ShopSupply.open(shop, [one!, two!])
    const second = await ShopSupply.open(shop, [three!])
    const moved = await shop.run("supplies", "move", String(one), "--to", second, "--yes")
    expect([moved.code, moved.stderr]).toEqual([0, expect.any(String)])
    expect([await idsIn(first), [...(await idsIn(second))].sort()]).toEqual([[two], [one, three].sort()])
    const again = await shop.run("supplies", "move", String(one), "--to", second, "--yes")
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("as wanted already")])
    expect((await shop.run("supplies", "move", "9999999999999", "--to", second, "--yes")).code).toBe(1)
  })

  it("moves orders one by one to the supply of a new name, and makes it once", async () => {
    const [one, two] = await bare(2)
    for (const { id } of [one!, two!])
      expect((await shop.run("supplies", "move", String(id), "--to", "Завтра", "--yes")).code).toBe(0)
    expect(await ShopPolicy.accepted(shop, "createSupply")).toBe(1)
    const { supplies } = await ShopPolicy.json<{
      readonly supplies: ReadonlyArray<{ readonly name: string; readonly supplyId: string }>
    }>(shop, "supplies")
    const made = supplies.filter(({ name }) => name.startsWith("Завтра #"))
    expect(made).toHaveLength(1)
    expect([...(await idsIn(made[0]!.supplyId))].sort()).toEqual([one!.id, two!.id].sort())
    const typed = await shop.run("supplies", "move", String(one!.id), "--to", made[0]!.name, "--yes")
    expect(typed.stdout).toContain("as wanted already")
  })

  it("sends an order again that a closed supply left, as reshipments says", async () => {
    const [one, two] = await bare(2)
    const closed = await ShopSupply.open(shop, [one!.id, two!.id])
    expect((await shop.run("supplies", "deliver", closed, "--yes")).code).toBe(0)
    await ShopSupply.ask(shop, "POST", "/_sandbox/shop", { play: "scan", supplyId: closed, short: 1 })
    const { orders } = await ShopPolicy.json<{
      readonly orders: ReadonlyArray<{ readonly orderId: number }>
    }>(shop, "reshipments")
    const left = orders.map(({ orderId }) => orderId)
    const [orderId, other] = left.includes(one!.id) ? [one!.id, two!.id] : [two!.id, one!.id]
    expect([left.includes(orderId), left.includes(other)]).toEqual([true, false])
    const refused = await shop.run("supplies", "move", String(other), "--to", "Досыл", "--yes")
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("goes into no supply any more")
    ])
    const sent = await shop.run("supplies", "move", String(orderId), "--to", "Досыл", "--yes")
    expect([sent.code, sent.stdout]).toEqual([0, expect.stringContaining("is sent again in")])
    const { supplies } = await ShopPolicy.json<{
      readonly supplies: ReadonlyArray<{ readonly name: string; readonly supplyId: string }>
    }>(shop, "supplies")
    expect((await shop.run("orders", "history", String(orderId))).stdout).toContain(
      "hands over 2 orders, for good: applied"
    )
    const again = supplies.find(({ name }) => name.startsWith("Досыл #"))!
    expect(await idsIn(again.supplyId)).toEqual([orderId])
    // The wave that it first came in time for is over by nature.
    await shop.advance(48 * 3_600_000)
    const shown = (await board()).find((one) => one.orderId === orderId)!
    expect(shown.supplyId).toBe(again.supplyId)
    expect(shown.risk).not.toBe("over")
  })

  it("moves out into another supply of its own name, as that is said without the marker", async () => {
    const [going, bad] = [(await bare(1))[0]!, await needy()]
    await shop.run("supplies", "move", String(going.id), String(bad.id), "--to", "twice", "--yes")
    const own = (await board()).find(({ orderId }) => orderId === bad.id)!.supplyId!
    const done = await shop.run("supplies", "deliver", own, "--move-out", "twice", "--yes")
    expect([done.code, done.stderr, await isClosed(own)]).toEqual([0, expect.any(String), true])
    const moved = (await board()).find(({ orderId }) => orderId === bad.id)!.supplyId!
    expect([await idsIn(own), await idsIn(moved)]).toEqual([[going.id], [bad.id]])
  })
})
