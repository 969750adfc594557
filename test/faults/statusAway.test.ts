/** `bidhelm status` while PostgreSQL is away: it is the store that does not answer, and the program that lives. */
import { afterAll, expect, it } from "vitest"
import { Daemon } from "../cli/Daemon.js"
import * as Postgres from "../store/Postgres.js"
import * as PostgresShop from "./PostgresShop.js"
import * as Proxy from "./Proxy.js"
import { until } from "./Waiting.js"

afterAll(Postgres.end)

const away = /the store is away: could not/i

it.each(["cut", "stall"] as const)(
  "says that the store is away and the program lives, when its network is %s",
  async (fault) => {
    const url = new URL(await (await Postgres.shared()).fresh())
    const proxy = await Proxy.start(Number(url.port))
    url.port = String(proxy.port)
    const shop = await PostgresShop.open(url.href, ["bids"])
    const daemon = new Daemon(shop.start("run"))
    try {
      await until(async () => (await shop.run("status")).code === 0)
      expect((await shop.run("status")).stdout).not.toMatch(away)
      proxy[fault]()
      let said = ""
      await until(async () => {
        const { stderr, stdout } = await shop.run("status")
        said = stdout + stderr
        expect(said).not.toContain("its runner does not answer")
        return away.test(said)
      })
      expect(said).toMatch(/(This program|bidhelm run) lives/)
      expect(said).not.toContain("its runner does not answer")
      expect(said).not.toContain("end its process")
      proxy.heal()
      await until(async () => !away.test((await shop.run("status")).stdout))
    } finally {
      proxy.heal()
      await daemon.stop()
      await shop.close()
      await proxy.close()
    }
  }
)
