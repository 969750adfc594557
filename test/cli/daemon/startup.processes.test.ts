/** `bidhelm run` that is asked to end while it starts: a marketplace or a database that never answers holds it not. */
import { createServer, type Server } from "node:net"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { until } from "../../faults/Waiting.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
let silent: Server
let heard: number
let port: number
beforeEach(async () => {
  shop = await Shop.Shop.open()
  heard = 0
  silent = createServer((socket) => {
    heard++
    socket.on("error", () => {})
  })
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
  const address = silent.address()
  port = typeof address === "object" && address !== null ? address.port : 0
})
afterEach(async () => {
  silent.close()
  await shop.close()
})

/** Starts it, waits until it waits, asks it to end. */
const ended = async (...args: ReadonlyArray<string>): Promise<Shop.Ended> => {
  const child = shop.start("run", ...args)
  const end = Shop.ended(child)
  await until(() => heard > 0 || child.exitCode !== null)
  child.kill("SIGTERM")
  return end
}

describe("bidhelm run that is still starting", () => {
  it("ends at SIGTERM while the marketplace says nothing", async () => {
    shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replaceAll(shop.url, `http://127.0.0.1:${port}`))
    for (const args of [[], ["--once"]]) {
      heard = 0
      expect(await ended(...args)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("asked to end before it had begun anything")
      })
    }
  })

  it("ends at SIGTERM that comes just as it begins to hear signals", async () => {
    // Sent while the start still runs, so that it is heard only after it.
    const early = `process.on("newListener", (name) => {
      if (name === "SIGTERM" && process.listenerCount(name) > 0) process.kill(process.pid, name)
    })`
    shop.environment = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(early)}` }
    shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replaceAll(shop.url, `http://127.0.0.1:${port}`))
    expect(await Shop.ended(shop.start("run"))).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("asked to end before it had begun anything")
    })
  })

  it("ends at SIGTERM while the database says nothing", async () => {
    const config = shop.read("bidhelm.yaml").replace(/^store:.*\n/m, "")
    shop.write("bidhelm.yaml", `${config}\nstore: postgres://bidhelm@127.0.0.1:${port}/bidhelm\n`)
    expect(await ended()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("asked to end before it had begun anything")
    })
  })
})
