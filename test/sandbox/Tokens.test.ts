import * as Option from "effect/Option"
import { expect, test } from "vitest"
import * as SandboxToken from "../../src/sandbox/SandboxToken.js"
import { type Marketplace, withMarketplace } from "./Real.js"

const status = async (m: Marketplace, path: string, token: string, method = "GET", body?: unknown) =>
  (await m.ask(method, path, { token, ...(body === undefined ? {} : { body }) })).status

test("a token tells seller, kind, categories and expiry, with and without the scheme word", () => {
  const options = {
    kind: "service",
    categories: ["promotion"],
    seller: "s-1",
    expiresAtMs: 1_800_000_000_000,
    readOnly: true,
    test: false
  } as const
  const expected = Option.some({ ...options, categories: new Set(["promotion"]) })
  expect(SandboxToken.read(`Bearer ${SandboxToken.sandboxToken(options)}`)).toEqual(expected)
  expect(SandboxToken.read(SandboxToken.sandboxToken(options))).toEqual(expected)
})

test("a missing, malformed or expired token is unauthorised", () =>
  withMarketplace({}, async (m) => {
    const path = "/adv/v1/promotion/count"
    expect(await status(m, path, "")).toBe(401)
    expect(await status(m, path, "not.a.token")).toBe(401)
    expect(await status(m, path, SandboxToken.sandboxToken({ expiresAtMs: 1_000_000_000_000 }))).toBe(401)
    expect(await status(m, path, SandboxToken.sandboxToken())).toBe(200)
  }))

test("a test token and the test environment belong together: either without the other is unauthorised", async () => {
  const path = "/adv/v1/promotion/count"
  const production = SandboxToken.sandboxToken()
  const forTests = SandboxToken.sandboxToken({ test: true })
  await withMarketplace({}, async (m) => {
    expect(await status(m, path, production)).toBe(200)
    expect(await status(m, path, forTests)).toBe(401)
  })
  await withMarketplace({ testEnvironment: true }, async (m) => {
    expect(await status(m, path, forTests)).toBe(200)
    const refused = await m.ask("GET", path, { token: production })
    expect([refused.status, refused.json.detail]).toEqual([401, "token is of the other environment"])
  })
})

test("the test environment does not know the paths it does not serve", () =>
  withMarketplace({ testEnvironment: true }, async (m) => {
    const token = SandboxToken.sandboxToken({ test: true })
    for (const path of [
      "/api/advert/v2/adverts",
      "/api/v1/calendar/promotions?allPromo=true",
      "/api/analytics/v1/item-rating"
    ]) {
      expect(await status(m, path, token), path).toBe(404)
    }
    expect(await status(m, "/adv/v1/balance", token)).toBe(200)
  }))

test("a token without the category, or only for reading, is forbidden to write", () =>
  withMarketplace({}, async (m) => {
    const promo = SandboxToken.sandboxToken({ categories: ["pricesAndDiscounts"] })
    expect(await status(m, "/adv/v1/balance", promo)).toBe(403)
    const readOnly = SandboxToken.sandboxToken({ readOnly: true })
    expect(await status(m, "/adv/v1/balance", readOnly)).toBe(200)
    expect(await status(m, "/adv/v0/pause?id=1000001", readOnly)).toBe(403)
    expect(m.sandbox.ledger.entries).toEqual([])
  }))

test("configuration and cluster bids in minor units refuse Base tokens", () =>
  withMarketplace({}, async (m) => {
    for (const kind of ["base", "base_with_secret"] as const) {
      const token = SandboxToken.sandboxToken({ kind })
      expect(await status(m, "/api/advert/v1/config", token)).toBe(403)
      expect(await status(m, "/api/advert/v1/normquery/bids", token, "POST", { bids: [] })).toBe(403)
    }
    expect(await status(m, "/api/advert/v1/config", SandboxToken.sandboxToken({ kind: "service" }))).toBe(200)
  }))

test("an unknown path is not found, and a known one with another verb is told apart", () =>
  withMarketplace({}, async (m) => {
    const token = SandboxToken.sandboxToken()
    expect((await m.ask("GET", "/adv/v9/nothing")).text).toBe("path not found")
    expect(await status(m, "/adv/v9/nothing", token)).toBe(404)
    expect((await m.ask("GET", "/api/v3/supplies/%E0%A4%A")).text).toBe("path not found")
    expect(await status(m, "/adv/v0/pause?id=1", token, "POST", {})).toBe(405)
  }))
