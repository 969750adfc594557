/** `bidhelm orders --watch`: a process that shows the board again and again until it is ended. */
import { expect, it } from "vitest"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as Shop from "../Shop.js"

it("shows the board until it is ended", async () => {
  const shop = await ShopPolicy.open("approve", "", 60)
  try {
    const child = shop.start("orders", "--watch", "--every", "2m")
    const over = Shop.ended(child)
    let seen = ""
    child.stdout?.on("data", (part: Buffer | string) => {
      seen += String(part)
      if ((seen.match(/^Orders at /gm) ?? []).length >= 2) child.kill("SIGINT")
    })
    const { stdout } = await over
    expect(stdout.match(/^Orders at /gm)?.length).toBeGreaterThanOrEqual(2)
  } finally {
    await shop.close()
  }
}, 120_000)
