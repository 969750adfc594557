/** `docs/fulfilment/packing.md`: what it says to type works as it stands, and it names every alarm and every word. */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Input from "../../../src/cli/terminal/Input.js"
import type { Alarm } from "../../../src/engine/fulfilment/packing/Packing.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import * as Shop from "../Shop.js"
import { eventsOf, stickerOf } from "./PackTable.js"

const page = readFileSync("docs/fulfilment/packing.md", "utf8")

let shop: Shop.Shop
beforeAll(async () => {
  shop = await Shop.Shop.open()
}, 60_000)
afterAll(() => shop.close())

/** Scans given at once, as from a pipe. */
const piped = (words: ReadonlyArray<string>, lines: ReadonlyArray<string>) => {
  const input = Input.filled()
  for (const line of lines) input.line(line)
  input.end()
  return shop.talk({ input, out: () => undefined }, ...words)
}

it("leads through a supply with the commands it names", async () => {
  const free = await ShopSupply.fresh(shop)
  const orders = free.filter(({ requiredMeta }) => (requiredMeta ?? []).length === 0).slice(0, 5)
  const supply = await ShopSupply.open(
    shop,
    orders.map(({ id }) => id)
  )
  const indented = [...page.matchAll(/^ {4}bidhelm ([^#\n]+)/gm)].map(([, words]) =>
    words!.trim().split(/\s+/)
  )
  const printing = /^bidhelm (pack SUPPLY) --print "(.*)" --format (\w+)$/m.exec(page)!
  const printer = "cat > printed.zpl"
  const commands = [...indented, [...printing[1]!.split(" "), "--print", printer, "--format", printing[3]!]]
  expect(commands).toHaveLength(4)
  for (const [i, words] of commands.entries()) {
    const [order] = orders.slice(i)
    const { code, stderr, stdout } = await piped(
      words.map((word) => word.replace("SUPPLY", supply)),
      [stickerOf(order!.id), order!.skus[0]!]
    )
    expect([words, code, stderr]).toEqual([words, 4, expect.any(String)])
    if (words.includes("--json")) expect(eventsOf(stdout).map(({ event }) => event)).toContain("Packed")
    else expect(stdout).toMatch(/^ORDER {4}order \d+ · label \d+ of 5.*\nNEXT .*scan the goods\nPACKED/m)
  }
  const { code, stdout } = await piped(
    ["pack", supply, "--print", printer, "--format", "zpl"],
    [orders[4]!.skus[0]!, stickerOf(orders[4]!.id)]
  )
  expect([code, stdout]).toEqual([0, expect.stringContaining("DONE     the supply is packed: 5 orders")])
  expect(shop.read("printed.zpl")).toContain("^XA")
}, 120_000)

it("names every alarm", () => {
  const codes: Readonly<Record<Alarm["code"], true>> = {
    unknown_code: true,
    unreadable_mark: true,
    wrong_goods: true,
    goods_not_wanted: true,
    wrong_sticker: true,
    ambiguous_sticker: true,
    not_in_supply: true,
    packed_already: true,
    order_cancelled: true,
    packed_order_cancelled: true,
    packed_order_moved: true,
    mark_not_asked: true,
    mark_used: true,
    mark_of_other_goods: true,
    mark_refused: true,
    nothing_in_hand: true,
    hand_not_empty: true,
    orders_left: true,
    parcels_to_take_out: true,
    finished_already: true,
    supply_gone: true
  }
  for (const code of Object.keys(codes)) expect(page).toContain(`\`${code}\``)
})

it("says what does not go before anything is asked", async () => {
  for (const [words, why] of [
    [["nonsense"], /"nonsense" is no supply/],
    [["999999"], /there is no supply PLATFORM-GI-999999/],
    [["999999", "--print", " "], /there is no supply|--print needs a command/]
  ] as const) {
    const { code, stderr } = await piped(["pack", ...words], [])
    expect([code, stderr]).toEqual([1, expect.stringMatching(why)])
  }
}, 60_000)
