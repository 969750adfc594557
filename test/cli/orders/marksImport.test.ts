/** `bidhelm orders marks import`: what of a sheet is set, kept and told, judged by what the marketplace has. */
import { afterEach, beforeEach, expect, it } from "vitest"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import type * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await ShopPolicy.open()
})
afterEach(() => shop.close())

const gs = "\u001d"
const proof = "dGVzdHRlc3R0ZXN0dGVzdHRlc3R0ZXN0dGVzdHRlc3Q="
const code = (serial: string) => `010460123456789321${serial}${gs}91EE11${gs}92${proof}`

const sheet = (...rows: ReadonlyArray<readonly [order: number, mark: string]>) =>
  shop.write(
    "marks.csv",
    `order;sgtin\n${rows.map(([order, mark]) => `${order};"${mark.replaceAll('"', '""')}"`).join("\n")}\n`
  )

interface Row {
  readonly row: number
  readonly orderId: number
  readonly mark: string
  readonly fate: string
  readonly why: string
}
const imported = async (...words: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await shop.run(
    "orders",
    "marks",
    "import",
    "marks.csv",
    "--json",
    ...words
  )
  return {
    code,
    stderr,
    stdout,
    rows: stdout === "" ? [] : (JSON.parse(stdout) as { rows: ReadonlyArray<Row> }).rows
  }
}
const marksOf = async (order: number) => {
  const { orders } = (await ShopSupply.ask(shop, "POST", "/api/marketplace/v3/orders/meta", {
    orders: [order]
  })) as {
    readonly orders: ReadonlyArray<{
      readonly metaDetails: ReadonlyArray<{ readonly key: string; readonly value: string | null }>
    }>
  }
  return orders.flatMap(({ metaDetails }) =>
    metaDetails.flatMap(({ key, value }) =>
      key === "sgtin" && value !== null && value !== "null" ? [value] : []
    )
  )
}
const takingSgtin = async () =>
  (await ShopSupply.fresh(shop)).filter(({ optionalMeta, requiredMeta }) =>
    [...(requiredMeta ?? []), ...(optionalMeta ?? [])].includes("sgtin")
  )

it("sets marks of orders in assembly, keeps those of orders that wait, and tells what it did not take", async () => {
  const takes = await takingSgtin()
  const bare = (await ShopSupply.fresh(shop)).find(
    ({ optionalMeta, requiredMeta }) => ![...(requiredMeta ?? []), ...(optionalMeta ?? [])].includes("sgtin")
  )!
  expect(takes.length).toBeGreaterThan(1)
  const [packed, waits] = takes
  await ShopSupply.open(shop, [packed!.id, bare.id])
  sheet(
    [packed!.id, code("AAAAAAAAAAAA1")],
    [waits!.id, code("BBBBBBBBBBBB2")],
    [bare.id, code("CCCCCCCCCCCC3")],
    [9999999999999, code("DDDDDDDDDDDD4")]
  )
  const plan = await shop.run("orders", "marks", "import", "marks.csv", "--plan")
  expect([plan.code, await marksOf(packed!.id)]).toEqual([4, []])
  expect(plan.stdout).toMatch(new RegExp(`order ${packed!.id}, .*: would be set$`, "m"))
  expect(plan.stderr).toContain("bidhelm: 2 rows of marks.csv were not taken; the list says why\n")
  const { code: planned, stderr: beside, stdout: asJson } = await imported("--plan")
  expect([planned, beside]).toEqual([4, expect.stringContaining("left says why\n")])
  const { left } = JSON.parse(asJson) as { readonly left: ReadonlyArray<{ readonly message: string }> }
  const notTaken = { why: "not_taken", column: 2, kind: "sgtin", message: expect.any(String) }
  expect(left).toEqual([
    { ...notTaken, row: 4, orderId: bare.id },
    { ...notTaken, row: 5, orderId: 9999999999999 }
  ])
  for (const { message } of left) expect(plan.stdout).toContain(`: NOT TAKEN: ${message}\n`)
  const { code: ended, rows, stderr, stdout } = await imported("--yes")
  expect([ended, stderr]).toEqual([4, expect.any(String)])
  expect(rows.map(({ fate, orderId }) => [orderId, fate])).toEqual([
    [packed!.id, "set"],
    [waits!.id, "kept"],
    [bare.id, "no"],
    [9999999999999, "no"]
  ])
  expect(rows[2]!.why).toContain("takes no marking code")
  expect(await marksOf(packed!.id)).toEqual([code("AAAAAAAAAAAA1")])
  const said = stdout + stderr + plan.stdout + plan.stderr + asJson
  for (const secret of ["AAAAAAAAAAAA1", "BBBBBBBBBBBB2", "CCCCCCCCCCCC3", proof])
    expect(said).not.toContain(secret)
  expect((await shop.run("orders", "history", String(packed!.id))).stdout).not.toContain("AAAAAAAAAAAA1")
  const writes = await ShopPolicy.accepted(shop, "setOrderSgtins")
  const again = await imported("--yes")
  expect([again.rows[0]!.fate, await ShopPolicy.accepted(shop, "setOrderSgtins")]).toEqual(["there", writes])
}, 180_000)

it("ends with 4 where nothing of the sheet can be taken, whether it only shows that or not", async () => {
  sheet([9999999999999, code("DDDDDDDDDDDD4")])
  for (const choice of ["--plan", "--yes"]) {
    const told = await shop.run("orders", "marks", "import", "marks.csv", choice)
    expect([told.code, told.stderr]).toEqual([
      4,
      expect.stringContaining("bidhelm: 1 row of marks.csv was not taken; the list says why\n")
    ])
  }
})

it("says by whose status an order is not to be assembled any more", async () => {
  const [taken, left] = await takingSgtin()
  await ShopSupply.open(shop, [taken!.id, left!.id])
  await shop.control("shop", { play: "cancel", orderId: taken!.id, by: "buyer" })
  await ShopSupply.ask(shop, "PATCH", `/api/v3/orders/${left!.id}/cancel`)
  sheet([taken!.id, code("AAAAAAAAAAAA1")], [left!.id, code("BBBBBBBBBBBB2")])
  const { rows } = await imported("--yes")
  expect(rows.map(({ fate, why }) => [fate, why])).toEqual([
    ["no", "the order is not to be assembled any more (canceled_by_client)"],
    ["no", "the order is not to be assembled any more (cancel)"]
  ])
  expect(await ShopPolicy.accepted(shop, "setOrderSgtins")).toBe(0)
})

it("tells each mark under the operation that sets it", async () => {
  const asked = { play: "make_orders", count: 1, warehouses: [71001], markedShare: 1 }
  await shop.control("shop", { ...asked, marks: ["imei"] })
  await shop.control("shop", { ...asked, marks: ["uin"] })
  const { orders } = (await ShopSupply.ask(shop, "GET", "/api/v3/orders/new")) as {
    readonly orders: ReadonlyArray<ShopSupply.Fresh>
  }
  const taking = (key: string) =>
    orders.find(({ requiredMeta }) => JSON.stringify(requiredMeta) === JSON.stringify([key]))!.id
  const [phone, ring] = [taking("imei"), taking("uin")]
  await ShopSupply.open(shop, [phone, ring])
  shop.write("marks.csv", `order;kind;value\n${phone};imei;352099001761481\n${ring};uin;6430123456789012\n`)
  const shown = await shop.run("orders", "marks", "import", "marks.csv", "--plan")
  expect(shown.stdout).toContain("calls of setOrderImei and setOrderUin: 2 of 2 rows match")
  const { code: ended, stdout } = await imported("--yes")
  const { runId } = (JSON.parse(stdout) as { readonly run: { readonly runId: string } }).run
  expect(ended).toBe(0)
  const history = (await shop.run("history", runId)).stdout
  expect(history).toMatch(/sets IMEI [^+]*call setOrderImei/)
  expect(history).toMatch(/sets UIN [^+]*call setOrderUin/)
})

it("takes no mark that another order has, neither at the marketplace nor kept here", async () => {
  const [packed, waits, third] = await takingSgtin()
  expect(third).toBeDefined()
  await ShopSupply.open(shop, [packed!.id])
  await ShopSupply.mark(shop, packed!.id, code("AAAAAAAAAAAA1"))
  sheet([waits!.id, code("BBBBBBBBBBBB2")])
  expect((await imported("--yes")).code).toBe(0)
  sheet([third!.id, code("BBBBBBBBBBBB2")], [waits!.id, code("AAAAAAAAAAAA1")])
  const { code: ended, stderr } = await imported("--yes")
  expect(ended).toBe(3)
  expect(stderr).toContain(`order ${waits!.id} has this marking code already`)
  expect(stderr).toContain(`order ${packed!.id} has this marking code already`)
  expect(await ShopPolicy.accepted(shop, "setOrderSgtins")).toBe(1)
})

it("takes none while nobody can read which marks orders have", async () => {
  const [packed, waits] = await takingSgtin()
  await ShopSupply.open(shop, [packed!.id])
  await ShopSupply.mark(shop, packed!.id, code("AAAAAAAAAAAA1"))
  sheet([waits!.id, code("AAAAAAAAAAAA1")])
  await shop.control("faults", { faults: [{ kind: "refuse", operation: "getOrderLabels" }] })
  const { code: ended, stderr } = await imported("--yes", "--right-rows")
  expect([ended, stderr]).toEqual([
    1,
    expect.stringContaining("which marks the orders of open supplies have was not read")
  ])
  expect(await ShopPolicy.accepted(shop, "setOrderSgtins")).toBe(1)
})

it("takes no mark of an order that was handed over, says which has it, and takes it once it was cancelled, or its goods came back", async () => {
  const [sold, declined, third, fourth] = await ShopSupply.marked(shop, 4, "sgtin")
  const [ofSold, ofDeclined] = [code("AAAAAAA7777A1"), code("BBBBBBB7777B2")]
  const gone = await ShopSupply.open(shop, [sold!.id, declined!.id])
  sheet([sold!.id, ofSold], [declined!.id, ofDeclined])
  expect((await imported("--yes")).code).toBe(0)
  await ShopSupply.handOver(shop, gone)
  await ShopSupply.open(shop, [third!.id, fourth!.id])
  const writes = await ShopPolicy.accepted(shop, "setOrderSgtins")
  sheet([third!.id, ofSold], [fourth!.id, ofDeclined])
  const refused = await imported("--yes")
  expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([
    3,
    { run: null, rows: [], problems: [sold!, declined!].map(() => ({ code: "used_by_order" })) }
  ])
  for (const order of [sold!, declined!])
    expect(refused.stderr).toContain(`order ${order.id} has this marking code already`)
  expect(refused.stderr).toContain("--came-back")
  expect(await ShopPolicy.accepted(shop, "setOrderSgtins")).toBe(writes)

  await shop.control("shop", { play: "cancel", orderId: declined!.id, by: "buyer" })
  const part = await imported("--yes", "--right-rows")
  expect([part.code, part.rows.map(({ fate, orderId }) => [orderId, fate])]).toEqual([
    4,
    [[fourth!.id, "set"]]
  ])
  expect([await marksOf(third!.id), await marksOf(fourth!.id)]).toEqual([[], [ofDeclined]])
  const back = await imported("--yes", "--came-back")
  expect([back.code, back.rows.map(({ fate }) => fate)]).toEqual([0, ["set", "there"]])
  expect([await marksOf(third!.id), await marksOf(sold!.id)]).toEqual([[ofSold], [ofSold]])
}, 180_000)

it("takes the mark of an order that was cancelled in an open supply, or waits and was given another since, and none of several that one has", async () => {
  const [lost, both, waits, one, two] = await ShopSupply.marked(shop, 6, "sgtin")
  await ShopSupply.open(shop, [lost!.id, both!.id, one!.id, two!.id])
  const [ofLost, first, second, mistaken, right] = ["A", "B", "C", "D", "E"].map((letter) =>
    code(letter.repeat(13))
  )
  sheet([lost!.id, ofLost!], [waits!.id, mistaken!])
  await ShopSupply.ask(shop, "PUT", `/api/v3/orders/${both!.id}/meta/sgtin`, { sgtins: [first, second] })
  expect((await imported("--yes")).code).toBe(0)
  sheet([waits!.id, right!])
  expect((await imported("--yes")).code).toBe(0)
  await shop.control("shop", { play: "cancel", orderId: lost!.id, by: "buyer" })
  for (const [mark, holder] of [
    [second!, both!],
    [right!, waits!]
  ] as const) {
    sheet([one!.id, mark])
    const refused = await imported("--yes", "--came-back")
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining(`order ${holder.id} has this marking code already`)
    ])
    expect(refused.stderr).not.toContain("--came-back")
  }
  sheet([one!.id, ofLost!], [two!.id, mistaken!])
  const { code: ended, rows, stderr } = await imported("--yes")
  expect([ended, stderr, rows.map(({ fate }) => fate)]).toEqual([0, expect.any(String), ["set", "set"]])
  expect([await marksOf(one!.id), await marksOf(two!.id)]).toEqual([[ofLost], [mistaken]])
}, 180_000)

it("takes no mark that is kept for an order which is in assembly by now and has it still to be set", async () => {
  const [waits, second] = await takingSgtin()
  sheet([waits!.id, code("AAAAAAAAAAAA1")])
  expect((await imported("--yes")).rows.map(({ fate }) => fate)).toEqual(["kept"])
  const supply = await ShopSupply.open(shop, [waits!.id, second!.id])
  sheet([second!.id, code("AAAAAAAAAAAA1")])
  for (const more of [[], ["--came-back"]]) {
    const refused = await imported("--yes", ...more)
    expect([refused.code, await ShopPolicy.accepted(shop, "setOrderSgtins")]).toEqual([3, 0])
    expect(refused.stderr).toContain(`order ${waits!.id} has this marking code already`)
    expect(refused.stderr).not.toContain("--came-back")
  }
  // What was on an order once and is not any more may go on another.
  sheet([waits!.id, code("AAAAAAAAAAAA1")])
  expect((await imported("--yes")).rows.map(({ fate }) => fate)).toEqual(["set"])
  await ShopSupply.ask(shop, "DELETE", `/api/v3/orders/${waits!.id}/meta?key=sgtin`)
  sheet([second!.id, code("AAAAAAAAAAAA1")])
  expect((await imported("--yes")).rows.map(({ fate }) => fate)).toEqual(["set"])
  expect([await marksOf(waits!.id), await marksOf(second!.id)]).toEqual([[], [code("AAAAAAAAAAAA1")]])
  expect(supply).not.toBe("")
}, 120_000)

it("knows every mark of an order that has several, and reads them back", async () => {
  const [packed, second] = await takingSgtin()
  await ShopSupply.open(shop, [packed!.id, second!.id])
  sheet([packed!.id, code("AAAAAAAAAAAA1")], [packed!.id, code("BBBBBBBBBBBB2")])
  const both = await imported("--yes")
  expect([both.code, both.rows.map(({ why }) => why)]).toEqual([
    0,
    ["set and read back", "set and read back"]
  ])
  expect((await imported("--yes")).rows.map(({ fate }) => fate)).toEqual(["there", "there"])
  await ShopSupply.ask(shop, "PUT", `/api/v3/orders/${packed!.id}/meta/sgtin`, {
    sgtins: [code("CCCCCCCCCCCC3"), code("DDDDDDDDDDDD4")]
  })
  sheet([second!.id, code("DDDDDDDDDDDD4")])
  const refused = await imported("--yes")
  expect([refused.code, await marksOf(second!.id)]).toEqual([3, []])
  expect(refused.stderr).toContain(`order ${packed!.id} has this marking code already`)
}, 120_000)

it("asks nobody about a sheet that is wrong, and takes its right rows when told to", async () => {
  const [packed, second] = await takingSgtin()
  await ShopSupply.open(shop, [packed!.id, second!.id])
  sheet([packed!.id, code("AAAAAAAAAAAA1")], [second!.id, "too short"])
  const before = JSON.stringify(((await shop.ledger()) as { readonly counters?: unknown }).counters)
  const wrong = await shop.run("orders", "marks", "import", "marks.csv", "--yes")
  expect([wrong.code, wrong.stderr]).toEqual([
    3,
    expect.stringContaining("To take the 1 mark that is right: --right-rows")
  ])
  const told = await shop.run("orders", "marks", "import", "marks.csv", "--yes", "--json")
  expect([told.code, JSON.parse(told.stdout)]).toMatchObject([
    3,
    {
      kind: "orders-marks-import",
      account: null,
      run: null,
      rows: [],
      problems: [{ row: 3, orderId: second!.id, kind: "sgtin" }]
    }
  ])
  expect(JSON.stringify(((await shop.ledger()) as { readonly counters?: unknown }).counters)).toBe(before)
  const { code: ended, rows } = await imported("--yes", "--right-rows")
  expect([ended, rows.map(({ fate }) => fate)]).toEqual([4, ["set"]])
  expect(await marksOf(packed!.id)).toEqual([code("AAAAAAAAAAAA1")])
})

it("answers in JSON of a sheet whose header is wrong, and sends nothing", async () => {
  shop.write("marks.csv", "goods;price\n1;2\n")
  const found = await imported("--yes")
  const { kind, problems } = JSON.parse(found.stdout) as {
    readonly kind: string
    readonly problems: ReadonlyArray<{ readonly code: string }>
  }
  expect([found.code, kind, found.rows, problems.map(({ code }) => code)]).toEqual([
    3,
    "orders-marks-import",
    [],
    ["no_order_column", "no_mark_column"]
  ])
}, 120_000)
