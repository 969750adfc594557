import * as fc from "fast-check"
import { expect, test } from "vitest"
import * as Buckets from "../../src/sandbox/Buckets.js"
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
    expect(ledger.counters.getBalance).toEqual({ requests: 6, clientErrors: 1, throttled: 1 })
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
