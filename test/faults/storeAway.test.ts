/** The log of real runners while their PostgreSQL is stopped and started again: lines of JSON, few, and no stacks. */
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { Daemon, often } from "../cli/Daemon.js"
import * as Shop from "../cli/Shop.js"
import * as Postgres from "../store/Postgres.js"
import * as PostgresShop from "./PostgresShop.js"
import { freePort, until } from "./Waiting.js"

afterAll(async () => {
  await Postgres.end()
})

/** A runner with a folder of its own. */
const start = async (url: string) => {
  const shop = await Shop.Shop.open()
  often(shop, "01-raise-to-reach-max", "apply")
  shop.write("password", Postgres.password)
  chmodSync(join(shop.folder, "password"), 0o600)
  const runner = `{listen: "127.0.0.1:${await freePort()}", shards: 60, lock_seconds: 6, log: json}`
  const store = `store: "${url}"\nstore_password: {file: password}\nrunner: ${runner}\n`
  shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replace(/^store:.*$/m, "") + store)
  return { shop, daemon: new Daemon(shop.start("run")) }
}

const linesOf = ({ said }: Daemon) =>
  said
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly event?: string; readonly message: string })

const count = (daemon: Daemon, event: string) => daemon.said.split(`"event":"${event}"`).length - 1

it("two runners on one store log JSON alone, and that the store is away and back once each", async () => {
  const server = await Postgres.shared()
  const url = await server.fresh()
  const first = await start(url)
  const started = [first]
  try {
    await first.daemon.until(/"event":"cycle"/)
    // It takes half of the shards over: the other one gives them back all at once.
    const second = await start(url)
    started.push(second)
    await second.daemon.until(/bidhelm status tells more/)
    await until(async () => {
      const held = "SELECT count(DISTINCT address) AS runners FROM cluster_locks"
      return (await PostgresShop.ask(url, held))[0]?.runners === 2
    })
    await server.stop()
    try {
      await until(() => started.every(({ daemon }) => count(daemon, "store_away") === 1))
      // Long enough for the library to fail again and again.
      await new Promise((wake) => setTimeout(wake, 8_000))
    } finally {
      await server.restart()
    }
    await until(() => started.every(({ daemon }) => count(daemon, "store_back") === 1))
    for (const { daemon } of started) {
      expect((await daemon.stop()).code).toBe(0)
      const messages = linesOf(daemon).map(({ message }) => message)
      expect(daemon.said).not.toMatch(/\\n {4}at |^ {4}at /m)
      expect(daemon.said).not.toContain("already executing a query")
      expect(messages.filter((message) => /Could not|unhealthy|No healthy/.test(message))).toEqual([])
      expect([count(daemon, "store_away"), count(daemon, "store_back")]).toEqual([1, 1])
    }
  } finally {
    for (const { daemon, shop } of started) {
      daemon.child.kill("SIGKILL")
      await daemon.end
      await shop.close()
    }
  }
})
