import * as fc from "fast-check"
import { expect, test } from "vitest"
import * as Buckets from "../../src/sandbox/Buckets.js"
import * as Faults from "../../src/sandbox/Faults.js"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import { withMarketplace } from "./Real.js"

const balance = "/adv/v1/balance"

test("the call beyond the burst is throttled, with the headers that say when to come back", () =>
  withMarketplace({}, async (m) => {
    const answers = []
    for (let i = 0; i < 6; i++) answers.push(await m.ask("GET", balance))
    expect(answers.map((a) => a.status)).toEqual([200, 200, 200, 200, 200, 429])
    expect(answers.slice(0, 5).map((a) => a.headers.get("x-ratelimit-remaining"))).toEqual([
      "4",
      "3",
      "2",
      "1",
      "0"
    ])
    const last = answers[5]!
    expect(last.headers.get("x-ratelimit-retry")).toBe("1")
    expect(last.headers.get("x-ratelimit-reset")).toBe("5")
    expect(last.headers.get("x-ratelimit-limit")).toBe("5")
    expect(last.headers.get("x-ratelimit-remaining")).toBeNull()
    expect(Object.keys(last.json).sort()).toEqual([
      "code",
      "detail",
      "origin",
      "requestId",
      "status",
      "statusText",
      "timestamp",
      "title"
    ])
    const ledger = (await m.ask("GET", "/_sandbox/ledger")).json
    expect(ledger.counters.getBalance).toEqual({ requests: 6, clientErrors: 1, throttled: 1, breaches: 1 })
    expect(ledger.breaches).toBe(1)
  }))

test("token kinds and sellers have buckets of their own; tokens of one kind and seller share one", () =>
  withMarketplace({}, async (m) => {
    const ask = (token: string) => m.ask("GET", balance, { token })
    const base = sandboxToken({ kind: "base" })
    expect((await ask(base)).status).toBe(200)
    expect((await ask(sandboxToken({ kind: "base", expiresAtMs: 4e12 }))).status).toBe(429)
    expect((await ask(base)).headers.get("x-ratelimit-retry")).toBe("1800")
    expect((await ask(sandboxToken({ kind: "base", seller: "another" }))).status).toBe(200)
    expect((await ask(sandboxToken())).status).toBe(200)
    expect((await ask(sandboxToken({ kind: "base_with_secret" }))).headers.get("x-ratelimit-remaining")).toBe(
      "4"
    )
  }))

test("all calls of the promo calendar draw from one bucket", () =>
  withMarketplace({}, async (m) => {
    const token = sandboxToken({ kind: "base" })
    const details = "/api/v1/calendar/promotions/details?promotionIDs=1003"
    expect((await m.ask("GET", details, { token })).status).toBe(200)
    const items = "/api/v1/calendar/promotions/nomenclatures?promotionID=1003&inAction=true"
    expect((await m.ask("GET", items, { token })).status).toBe(429)
  }))

const supplies = "/api/v3/supplies?limit=10&next=0"
const missing = "/api/v3/supplies/PLATFORM-GI-999999"

test("on the marketplace host a refusal costs ten, in the bucket all its operations share", () =>
  withMarketplace({}, async (m) => {
    const left = async (path: string) => {
      const answer = await m.ask("GET", path)
      return [answer.status, answer.headers.get("x-ratelimit-remaining")]
    }
    expect(await left(supplies)).toEqual([200, "19"])
    expect(await left(missing)).toEqual([404, "9"])
    expect(await left(missing)).toEqual([404, "0"])
    // Ten tokens taken from nine leave one owed: two intervals until there is a whole one.
    expect(await left("/api/v3/passes")).toEqual([429, null])
    m.advance(399)
    expect(await left(supplies)).toEqual([429, null])
    m.advance(1)
    expect(await left("/api/v3/passes")).toEqual([200, "0"])
  }))

test("a throttled request costs nothing, however often it is repeated", () =>
  withMarketplace({}, async (m) => {
    for (let i = 0; i < 3; i++) await m.ask("GET", missing)
    for (let i = 0; i < 30; i++) expect((await m.ask("GET", missing)).status).toBe(429)
    m.advance(600 + 20 * 200)
    expect((await m.ask("GET", supplies)).headers.get("x-ratelimit-remaining")).toBe("19")
  }))

test("a refused pass shuts the making of passes for a hundred minutes, and nothing else", () =>
  withMarketplace({}, async (m) => {
    const create = async () => (await m.ask("POST", "/api/v3/passes", { body: {} })).status
    expect(await create()).toBe(400)
    m.advance(100 * 60_000 - 1)
    expect(await create()).toBe(429)
    expect((await m.ask("GET", "/api/v3/passes")).status).toBe(200)
    m.advance(1)
    expect(await create()).toBe(400)
  }))

test("a forbidden request costs ten as well, and says so in the words of its host", () =>
  withMarketplace({}, async (m) => {
    const token = sandboxToken({ readOnly: true })
    const refused = await m.ask("POST", "/api/v3/supplies", { token, body: {} })
    expect([refused.status, refused.json.code]).toEqual([403, "AccessDenied"])
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("10")
  }))

test("elsewhere a refusal costs one", () =>
  withMarketplace({}, async (m) => {
    const refused = await m.ask("GET", "/adv/v1/budget?id=1")
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("3")
  }))

test("a refusal whose answer is lost on the way costs as much", () =>
  withMarketplace({}, async (m) => {
    Faults.arm(m.sandbox.faults, [{ kind: "dropAnswer", count: 1 }])
    await expect(m.ask("GET", missing)).rejects.toThrow()
    expect((await m.ask("GET", supplies)).headers.get("x-ratelimit-remaining")).toBe("9")
  }))

test("in the test environment all marketplace operations share one request per second; advertising keeps its limits", () =>
  withMarketplace({ testEnvironment: true }, async (m) => {
    const token = sandboxToken({ test: true })
    const ask = async (path: string) => (await m.ask("GET", path, { token })).status
    expect(await ask(supplies)).toBe(200)
    expect(await ask("/api/v3/passes")).toBe(429)
    m.advance(1000)
    expect(await ask("/api/v3/passes")).toBe(200)
    expect(await ask("/adv/v1/promotion/count")).toBe(200)
    expect(await ask("/adv/v1/promotion/count")).toBe(429)
    expect(await ask(balance)).toBe(200)
  }))

test("no window of any length lets more than the burst and its intervals through", () => {
  fc.assert(
    fc.property(
      fc.record({ burst: fc.integer({ min: 1, max: 20 }), intervalMs: fc.integer({ min: 10, max: 1000 }) }),
      fc.array(fc.double({ min: 0, max: 500, noNaN: true }), { minLength: 1, maxLength: 200 }),
      (shape, gaps) => {
        const limit = { ...shape, periodMs: 1000, requests: 1 }
        const buckets = Buckets.make()
        const passed: Array<number> = []
        let now = 0
        for (const gap of gaps) {
          now += gap
          if (Buckets.take(buckets, "one", limit, now)._tag === "Taken") passed.push(now)
        }
        for (let from = 0; from < passed.length; from++)
          for (let to = from; to < passed.length; to++)
            if (to - from + 1 > limit.burst + (passed[to]! - passed[from]!) / limit.intervalMs + 1e-6)
              return false
        return true
      }
    )
  )
})

test("a bucket that is full again serves its whole burst", () => {
  const limit = { periodMs: 1000, requests: 5, intervalMs: 200, burst: 5 }
  const buckets = Buckets.make()
  const burst = (now: number) =>
    Array.from({ length: 6 }, () => Buckets.take(buckets, "one", limit, now)._tag)
  const full = ["Taken", "Taken", "Taken", "Taken", "Taken", "Empty"]
  expect(burst(0)).toEqual(full)
  expect(burst(1000)).toEqual(full)
})
