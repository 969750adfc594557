/** `bidhelm orders --watch`: a process that shows the board again and again until it is ended. */
import { afterAll, beforeAll, expect, it } from "vitest"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeAll(async () => {
  shop = await ShopPolicy.open("approve", "", 60)
})
afterAll(() => shop.close())

/** What it has printed once it is ended, which is when it has printed `sign` twice. */
const watched = async (sign: RegExp, ...flags: ReadonlyArray<string>): Promise<string> => {
  const child = shop.start("orders", "--every", "2m", ...flags)
  const over = Shop.ended(child)
  let seen = ""
  child.stdout?.on("data", (part: Buffer | string) => {
    seen += String(part)
    if ((seen.match(sign) ?? []).length >= 2) child.kill("SIGINT")
  })
  return (await over).stdout
}

it("shows the board until it is ended", async () => {
  const stdout = await watched(/^Orders at /gm, "--watch")
  expect(stdout.match(/^Orders at /gm)?.length).toBeGreaterThanOrEqual(2)
}, 120_000)

it("--json writes one line a look, for a program that reads lines", async () => {
  const stdout = await watched(/"notes"/g, "--json")
  const looks = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly kind: string; readonly orders: ReadonlyArray<unknown> })
  expect(looks.length).toBeGreaterThanOrEqual(2)
  for (const { kind, orders } of looks) expect([kind, orders.length > 0]).toEqual(["orders", true])
}, 120_000)

it("--json of one look stays a document to read", async () => {
  const { stdout } = await shop.run("orders", "--json")
  expect(stdout).toMatch(/^\{\n {2}"version": 1,\n {2}"kind": "orders",\n/)
})
