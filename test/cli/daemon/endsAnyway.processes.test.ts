/** `bidhelm run` that is asked to end while something in its process goes on for ever: it ends in time all the same. */
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { Daemon } from "../Daemon.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
let started: Array<Daemon>
beforeEach(async () => {
  started = []
  shop = await Shop.Shop.open()
  shop.removeRules()
})
afterEach(async () => {
  for (const { child, end } of started) {
    child.kill("SIGKILL")
    await end
  }
  await shop.close()
})

/** What the operating system waits before it kills: the promise of the documentation. */
const promisedMs = 30_000

it.each([
  ["a timer that nobody stops", "setInterval(() => {}, 1000)"],
  [
    "a closing down that waits for ever",
    // The pauses of its last waiting never end.
    "const { setTimeout: own } = global; global.setTimeout = (f, ms, ...more) => ms === 50 ? own(() => {}, 1e8) : own(f, ms, ...more)"
  ]
])(
  "ends within 30 seconds, and with 0, in spite of %s",
  async (_, goesOn) => {
    shop.write("goes-on.cjs", goesOn)
    shop.environment = { NODE_OPTIONS: `--require ${join(shop.folder, "goes-on.cjs")}` }
    const daemon = new Daemon(shop.start("run"))
    started.push(daemon)
    await daemon.until(/; pid \d/)
    daemon.child.kill("SIGTERM")
    const late = new Promise((resolve) => setTimeout(() => resolve("too late"), promisedMs))
    expect(await Promise.race([daemon.end, late])).toMatchObject({ code: 0 })
  },
  90_000
)
