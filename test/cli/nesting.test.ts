/** Brackets without end, wherever JSON comes from outside: one message, soon, and little memory. */
import { createServer } from "node:http"
import * as Either from "effect/Either"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Json from "../../src/domain/Json.js"
import * as PeakMemory from "./PeakMemory.js"
import * as Shop from "./Shop.js"

const brackets = "[".repeat(10_000_000)

describe("JSON from outside", () => {
  it("is read to its bound and no deeper; brackets in texts are no levels", () => {
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`
    expect(Either.isRight(Json.read(nested(Json.mostLevels)))).toBe(true)
    expect(Json.read(nested(Json.mostLevels + 1))).toEqual(Either.left("nested more than 64 levels deep"))
    expect(Json.read('{"a":'.repeat(65))).toEqual(Either.left("nested more than 64 levels deep"))
    const texts = { quote: `"${brackets.slice(0, 100)}\\`, after: [1, "\\", '\\"[['] }
    expect(Json.read(JSON.stringify(texts))).toEqual(Either.right(texts))
    const wide = Array.from({ length: 1000 }, () => [[]])
    expect(Json.read(JSON.stringify(wide))).toEqual(Either.right(wide))
    expect(Json.read('["unended')).toEqual(Either.left("not JSON, or only the beginning of it"))
    expect(Json.read(" \n")).toEqual(Either.left("empty"))
  })
})

let shop: Shop.Shop
let memory: PeakMemory.PeakMemory
beforeAll(async () => {
  shop = await Shop.Shop.open()
  memory = PeakMemory.watch()
  shop.environment = memory.environment
})
afterAll(async () => {
  memory.remove()
  await shop.close()
})

/** What a program needs that reads the same ten million bytes and looks at nothing. */
const bound = 320

describe("ten million brackets", () => {
  it("as a saved plan are no plan", async () => {
    shop.write("deep.json", brackets)
    const why =
      "deep.json is no plan: it is nested more than 64 levels deep. Make one with: bidhelm plan --out plan.json"
    expect(await shop.run("apply", "deep.json", "--yes")).toEqual({
      code: 1,
      stdout: "",
      stderr: `bidhelm: ${why}\n`
    })
    expect(memory.mebibytes()).toBeLessThan(bound)
  })

  it("as --params are refused before anything is sent", async () => {
    const { code, stderr } = await shop.run("call", "getCampaigns", "--params", brackets.slice(0, 100_000))
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("--params is nested more than 64 levels deep")
    ])
  })

  it.each([200, 400])(
    "as an answer with the status %d are no answer, soon, and no bug of the program",
    async (status) => {
      const server = createServer((request, response) =>
        request.url === "/_sandbox/clock"
          ? response.end(JSON.stringify({ nowMs: Date.now(), speed: 1 }))
          : response.writeHead(status).end(brackets)
      )
      await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const settings = shop.read("bidhelm.yaml")
      shop.write("bidhelm.yaml", `${settings.replaceAll(shop.url, `http://127.0.0.1:${port}`)}word: acme\n`)
      try {
        const { code, stderr } = await shop.run("call", "getBalance")
        expect(code).toBe(1)
        expect(stderr).toContain(status === 200 ? "nested more than 64 levels deep" : "[[[[")
        expect(stderr).not.toContain("this is a bug")
        expect(memory.mebibytes()).toBeLessThan(bound)
      } finally {
        shop.write("bidhelm.yaml", settings)
        server.close()
      }
    }
  )
})
