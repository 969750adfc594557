import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { expect, test } from "vitest"
import * as Faults from "../../src/sandbox/Faults.js"
import * as Sandbox from "../../src/sandbox/Sandbox.js"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import * as InMemoryHttp from "../scenario/InMemoryHttp.js"
import { type Marketplace, originMs, withMarketplace } from "./Real.js"

const sized = { scale: { campaigns: 9, items: 2, clusters: 6 } }
const pause = "/adv/v0/pause?id=1000001"
const arm = (m: Marketplace, ...faults: ReadonlyArray<Faults.Fault>) =>
  m.ask("POST", "/_sandbox/faults", { body: { faults } })
const failure = (m: Marketplace, path: string) =>
  m.ask("GET", path).then(
    () => undefined,
    (error: Error & { cause?: { code?: string } }) => error.cause?.code ?? error.message
  )

test("a reset comes before any effect, a dropped answer after it", () =>
  withMarketplace(sized, async (m) => {
    await arm(m, { kind: "reset", operation: "pauseCampaign", count: 1 })
    expect(await failure(m, pause)).toBe("ECONNRESET")
    expect(m.sandbox.ledger.entries).toHaveLength(0)
    await arm(m, { kind: "dropAnswer", operation: "pauseCampaign", count: 1 })
    expect(await failure(m, pause)).toBe("ECONNRESET")
    expect(m.sandbox.ledger.entries).toHaveLength(1)
  }))

test("a fault fires as often as asked, after as many requests as asked, on its operation alone", () =>
  withMarketplace(sized, async (m) => {
    await arm(m, { kind: "errorBefore", operation: "getBalance", count: 2, skip: 1, status: 503 })
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await m.ask("GET", "/adv/v1/balance")).status)
    expect(statuses).toEqual([200, 503, 503, 200])
    expect((await m.ask("GET", "/adv/v1/promotion/count")).status).toBe(200)
    expect((await m.ask("GET", "/_sandbox/faults")).json.faults).toMatchObject([{ seen: 4, fired: 2 }])
  }))

test("a server error after the effect leaves the effect", () =>
  withMarketplace(sized, async (m) => {
    await arm(m, { kind: "errorAfter", count: 1 })
    expect((await m.ask("GET", pause)).status).toBe(502)
    expect(m.sandbox.ledger.entries).toHaveLength(1)
  }))

test("half an answer ends inside its body", () =>
  withMarketplace(sized, async (m) => {
    await arm(m, { kind: "halfBody", count: 1 })
    expect(await failure(m, "/adv/v1/promotion/count")).toBeDefined()
    expect((await m.ask("GET", "/adv/v1/promotion/count")).status).toBe(200)
  }))

test("a web page, a wrong content type, an empty body, nulls, missing fields and a refusal inside a 200", () =>
  withMarketplace(sized, async (m) => {
    const path = "/api/advert/v2/adverts?ids=1000001"
    const under = async (kind: Faults.Kind) => {
      await arm(m, { kind, count: 1 })
      m.advance(1000)
      return m.ask("GET", path)
    }
    const html = await under("html")
    expect([html.status, html.headers.get("content-type"), html.json]).toEqual([200, "text/html", undefined])
    expect((await under("wrongContentType")).headers.get("content-type")).toBe("text/plain")
    expect((await under("emptyBody")).text).toBe("")
    expect((await under("nulls")).json).toEqual({ adverts: null })
    expect((await under("missing")).json.adverts[0]).not.toHaveProperty("currency")
    expect((await under("embeddedRefusal")).json).toMatchObject({ status: 400 })
  }))

test("orders that are not counted yet come later; views and spend stand", () =>
  withMarketplace(sized, async (m) => {
    const day = new Date(originMs - 86_400_000).toISOString().slice(0, 10)
    const asked = async () => {
      m.advance(60_000)
      const path = `/adv/v3/fullstats?ids=1000001&beginDate=${day}&endDate=${day}`
      const [{ orders, sum, sum_price, views }] = (await m.ask("GET", path)).json
      return { orders, sum, sum_price, views }
    }
    const after = await asked()
    expect(after.orders).toBeGreaterThan(0)
    await arm(m, { kind: "unattributed", operation: "getCampaignStats" })
    expect(await asked()).toEqual({ ...after, orders: 0, sum_price: 0 })
    await arm(m)
    expect(await asked()).toEqual(after)
  }))

test("a refusal on request has the shape of its operation", () =>
  withMarketplace(sized, async (m) => {
    await arm(m, { kind: "refuse", status: 400, count: 1 }, { kind: "refuse", status: 401, count: 1 })
    const first = await m.ask("GET", pause)
    const second = await m.ask("GET", pause)
    expect([first.status, first.json]).toEqual([400, { error: "refused on request" }])
    expect([second.status, second.json.statusText]).toEqual([401, "unauthorized"])
    expect(m.sandbox.ledger.entries).toEqual([])
  }))

test("a throttle on request comes with or without its headers", () =>
  withMarketplace(sized, async (m) => {
    await arm(
      m,
      { kind: "throttle", count: 1, retrySeconds: 7 },
      { kind: "throttle", count: 1, withHeaders: false }
    )
    const first = await m.ask("GET", "/adv/v1/balance")
    const second = await m.ask("GET", "/adv/v1/balance")
    expect([first.status, first.headers.get("x-ratelimit-retry")]).toEqual([429, "7"])
    expect([second.status, second.headers.get("x-ratelimit-retry")]).toEqual([429, null])
  }))

test("a throttle on request costs nothing, so that whoever comes when it says is let in", () =>
  withMarketplace(sized, async (m) => {
    await arm(m, { kind: "throttle", operation: "createPass", count: 1, retrySeconds: 40 })
    const create = async () => (await m.ask("POST", "/api/v3/passes", { body: {} })).status
    expect(await create()).toBe(429)
    m.advance(40_000)
    expect(await create()).toBe(400)
  }))

test("latency delays the request before the limit counts it", () =>
  withMarketplace(sized, async (m) => {
    await arm(m, { kind: "latency", ms: 80, jitterMs: 20 })
    const start = performance.now()
    await m.ask("GET", "/adv/v1/balance")
    expect(performance.now() - start).toBeGreaterThanOrEqual(75)
  }))

test("chance follows the seed", () => {
  const struck = (seed: number) => {
    const faults = Faults.make(seed)
    Faults.arm(faults, [{ kind: "reset", probability: 0.3 }])
    return Array.from({ length: 200 }, () => Faults.strike(faults, "getBalance") !== undefined)
  }
  expect(struck(1)).toEqual(struck(1))
  expect(struck(1)).not.toEqual(struck(2))
  const hits = struck(1).filter((hit) => hit).length
  expect(hits).toBeGreaterThan(35)
  expect(hits).toBeLessThan(85)
})

test("a fault nobody knows is refused with what is wrong", () =>
  withMarketplace(sized, async (m) => {
    const answer = await m.ask("POST", "/_sandbox/faults", { body: { faults: [{ kind: "earthquake" }] } })
    expect(answer.status).toBe(400)
    expect(answer.json.error).toContain("earthquake")
  }))

test("in memory, broken connections are the errors a real client would see", () =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const client = yield* HttpClient.HttpClient
    const ask = (path: string) =>
      client
        .execute(
          HttpClientRequest.get(`http://sandbox${path}`, {
            headers: { authorization: `Bearer ${sandboxToken()}` }
          })
        )
        .pipe(
          Effect.flatMap((response) => response.text),
          Effect.either
        )
    Faults.arm(sandbox.faults, [
      { kind: "dropAnswer", count: 1 },
      { kind: "halfBody", count: 1 }
    ])
    const dropped = yield* ask(pause)
    const half = yield* ask("/adv/v1/promotion/count")
    const whole = yield* ask("/adv/v1/promotion/count")
    expect(Either.isLeft(dropped) && dropped.left).toMatchObject({
      _tag: "RequestError",
      reason: "Transport"
    })
    expect(Either.isLeft(half) && half.left).toMatchObject({ _tag: "ResponseError" })
    expect(Either.isRight(whole)).toBe(true)
    expect(sandbox.ledger.entries).toHaveLength(1)
  }).pipe(Effect.provide(InMemoryHttp.layer({ ...sized, originMs })), Effect.runPromise))
