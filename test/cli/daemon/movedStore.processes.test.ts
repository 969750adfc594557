/** A running program whose SQLite file is moved: it says so once, claims to know nothing, and goes on when the file is back. */
import { copyFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { freePort, until } from "../../faults/Waiting.js"
import * as Exposed from "../../observe/Exposed.js"
import { Daemon, often } from "../Daemon.js"
import * as Shop from "../Shop.js"

it.runIf(process.platform !== "win32")(
  "says once that the store is away, shows no account as idle or as not stopped, and is well again when it is back",
  async () => {
    const shop = await Shop.Shop.open()
    for (const id of ["01-raise-to-reach-max", "02-minus-low-ctr"]) often(shop, id, "disabled")
    const http = await freePort()
    shop.write("bidhelm.yaml", `${shop.read("bidhelm.yaml")}\nrunner: {http: "127.0.0.1:${http}"}\n`)
    const stopped = async () => {
      const page = await (await fetch(`http://127.0.0.1:${http}/metrics`)).text()
      return Exposed.parse(page).get("bidhelm_account_stopped")?.samples[0]?.value
    }
    const status = async () => JSON.parse((await shop.run("status", "--json")).stdout)
    const daemon = new Daemon(shop.start("run"))
    try {
      await daemon.until(/bidhelm status tells more/)
      await until(async () => (await stopped()) === 0)
      const file = join(shop.folder, ".bidhelm/bidhelm.sqlite")
      renameSync(file, `${file}.old`)
      await daemon.until(/the store is away since/)
      const before = daemon.said
      await until(async () => (await stopped()) === undefined)
      expect(await status()).toMatchObject({
        storeAway: expect.stringContaining("was moved or deleted"),
        stopsUnread: expect.stringContaining("was moved or deleted"),
        accounts: [{ state: "unknown while the store is away" }]
      })
      const text = (await shop.run("status")).stdout
      expect(text).toContain("The store is away: the store's file")
      expect(text).not.toContain("idle until")
      copyFileSync(`${file}.old`, file)
      await new Promise((wake) => setTimeout(wake, 10_000))
      expect(await status()).toMatchObject({ stopsUnread: expect.stringContaining("bidhelm.sqlite was") })
      const since = daemon.said.slice(before.length)
      expect(since).not.toMatch(/^ {4}at /m)
      expect(since.split("\n").length).toBeLessThan(8)
      renameSync(`${file}.old`, file)
      await daemon.until(/the store is back after/)
      await until(async () => (await stopped()) === 0)
      expect(await status()).not.toHaveProperty("storeAway")
      expect(await status()).not.toHaveProperty("stopsUnread")
    } finally {
      expect((await daemon.stop()).code).toBe(0)
      await shop.close()
    }
  },
  180_000
)
