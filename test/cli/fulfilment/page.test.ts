/** `docs/fulfilment/first-day.md`: its commands, in order, bring an order from the board to a handed-over supply. */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as ShopSupply from "../labels/ShopSupply.js"
import type * as Shop from "../Shop.js"
import * as ShopPolicy from "./ShopPolicy.js"

const page = readFileSync("docs/fulfilment/first-day.md", "utf8")

let shop: Shop.Shop
beforeAll(async () => {
  shop = await ShopPolicy.open()
}, 60_000)
afterAll(() => shop.close())

const block = (name: string): string =>
  new RegExp(`\`\`\`\\w+ ${name}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? ""

it("leads through the day with the commands it names", async () => {
  shop.write("rules/13-fulfilment.yaml", block("rules/13-fulfilment.yaml"))
  const [first, second, third, lost] = (await ShopSupply.fresh(shop)).filter(
    ({ requiredMeta }) => (requiredMeta ?? []).length === 0
  )
  const supply = await ShopSupply.open(shop, [first!.id, second!.id])
  const expiring = (await ShopSupply.fresh(shop)).find(({ optionalMeta, requiredMeta }) =>
    [...(requiredMeta ?? []), ...(optionalMeta ?? [])].includes("expiration")
  )
  shop.write("marks.csv", block("marks.csv").replace("ORDER", String(expiring?.id ?? third!.id)))
  const commands = [...page.matchAll(/^ {4}bidhelm ([^#\n]+)/gm)].map(([, words]) => words!.trim())
  expect(commands.length).toBeGreaterThan(15)
  for (const command of commands) {
    const words = command
      .replace("SUPPLY", supply)
      .replace("ORDER", String(third!.id))
      .replace("LOST", String(lost!.id))
      .split(/\s+/)
    const { code, stderr, stdout } = await shop.run(...words)
    // Once it is handed over, whoever tries it again is told so; and no order of this shop takes what the sheet has.
    const isLeft =
      command.includes("--move-out") || (command.includes("marks import") && expiring === undefined)
    const wanted = isLeft ? 4 : 0
    expect([command, code, stderr]).toEqual([command, wanted, expect.any(String)])
    expect(`${stdout}${stderr}`).not.toBe("")
  }
  const { done } = (await ShopSupply.ask(shop, "GET", `/api/v3/supplies/${supply}`)) as {
    readonly done: boolean
  }
  expect(done).toBe(true)
  const { orderIds } = (await ShopSupply.ask(
    shop,
    "GET",
    `/api/marketplace/v3/supplies/${supply}/order-ids`
  )) as { readonly orderIds: ReadonlyArray<number> }
  expect([...orderIds].sort()).toEqual([first!.id, second!.id, third!.id].sort())
}, 400_000)
