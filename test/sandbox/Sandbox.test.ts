import * as Either from "effect/Either"
import { expect, test } from "vitest"
import * as Scale from "../../src/sandbox/market/Scale.js"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import * as OwnPast from "./OwnPast.js"
import { type Json, type Marketplace, withMarketplace } from "./Real.js"

/** Everything a reader can see of the demo's account, as bytes. */
const everything = async (m: Marketplace, token = sandboxToken()): Promise<string> => {
  const ask = async (method: string, path: string, body?: unknown) =>
    m.ask(method, path, { token, ...(body === undefined ? {} : { body }) })
  const campaigns = await ask("GET", "/api/advert/v2/adverts")
  const pairs = campaigns.json.adverts.flatMap((a: Json) =>
    a.nm_settings.map((s: Json) => ({ advert_id: a.id, nm_id: s.nm_id }))
  )
  const ids = campaigns.json.adverts.map((a: Json) => a.id).join(",")
  const rest = [
    await ask("GET", "/adv/v1/promotion/count"),
    await ask("POST", "/adv/v0/normquery/stats", { from: "2026-10-22", to: "2026-11-20", items: pairs }),
    await ask("POST", "/adv/v0/normquery/get-bids", { items: pairs }),
    await ask("POST", "/adv/v0/normquery/get-minus", { items: pairs }),
    await ask("GET", `/adv/v3/fullstats?ids=${ids}&beginDate=2026-11-01&endDate=2026-11-20`),
    await ask(
      "GET",
      `/api/advert/v0/bids/recommendations?nmId=${pairs[0].nm_id}&advertId=${pairs[0].advert_id}`
    ),
    await ask("GET", "/adv/v1/upd?from=2026-11-01&to=2026-11-20")
  ]
  for (const answer of rest) expect(answer.status).toBe(200)
  return [campaigns, ...rest].map((answer) => answer.text).join("\n")
}

const seen = async (options: Parameters<typeof withMarketplace>[0], token?: string): Promise<string> => {
  let text = ""
  OwnPast.forget()
  await withMarketplace(options, async (m) => {
    text = await everything(m, token)
  })
  return text
}

test("the same seed gives the same marketplace to the byte, another seed another", async () => {
  const first = await seen({ seed: 7 })
  expect(await seen({ seed: 7 })).toBe(first)
  expect(await seen({ seed: 8 })).not.toBe(first)
})

test("another seller has campaigns of their own", async () => {
  const mine = await seen({})
  const theirs = await seen({}, sandboxToken({ seller: "another" }))
  expect(theirs).not.toBe(mine)
  expect(theirs).not.toContain('"id":1000001,')
})

test("campaign statistics agree with those of clusters, days with sums, and apps with days", () =>
  withMarketplace({}, async (m) => {
    const days = { from: "2026-11-13", to: "2026-11-19" }
    const items = [1, 2, 3, 4].map((i) => ({ advert_id: 1000001, nm_id: 200000000 + i }))
    const clusters = (await m.ask("POST", "/adv/v0/normquery/stats", { body: { ...days, items } })).json.stats
    const daily = (
      await m.ask("POST", "/api/advert/v1/normquery/stats", {
        body: { ...days, items: items.map((i) => ({ advertId: i.advert_id, nmId: i.nm_id })) }
      })
    ).json.items
    const [full] = (
      await m.ask("GET", "/adv/v3/fullstats?ids=1000001&beginDate=2026-11-13&endDate=2026-11-19")
    ).json
    const sum = (rows: ReadonlyArray<Json>, key: string) => rows.reduce((total, row) => total + row[key], 0)
    const perCluster = clusters.flatMap((p: Json) => p.stats)
    const perDay = daily.flatMap((p: Json) => p.dailyStats.map((d: Json) => d.stat))
    const apps = full.days.flatMap((d: Json) => d.apps)
    for (const key of ["views", "clicks", "orders", "atbs"]) {
      expect(sum(perCluster, key)).toBe(full[key])
      expect(sum(perDay, key)).toBe(full[key])
      expect(sum(full.days, key)).toBe(full[key])
      expect(sum(apps, key)).toBe(full[key])
      expect(
        sum(
          apps.flatMap((a: Json) => a.nms),
          key
        )
      ).toBe(full[key])
    }
    expect(sum(perCluster, "spend")).toBeCloseTo(full.sum, 2)
    expect(sum(full.days, "sum")).toBeCloseTo(full.sum, 2)
  }))

test("clusters are listed from 100 views of the last month on", () =>
  withMarketplace({}, async (m) => {
    const body = { from: "2026-10-22", to: "2026-11-20", items: [{ advert_id: 1000001, nm_id: 200000001 }] }
    const [pair] = (await m.ask("POST", "/adv/v0/normquery/stats", { body })).json.stats
    const lists = await m.ask("POST", "/adv/v0/normquery/list", {
      body: { items: [{ advertId: 1000001, nmId: 200000001 }] }
    })
    const { active } = lists.json.items[0].normQueries
    const few = pair.stats.filter((s: Json) => s.views < 60).map((s: Json) => s.norm_query)
    const many = pair.stats.filter((s: Json) => s.views >= 100).map((s: Json) => s.norm_query)
    expect(few.length).toBeGreaterThan(0)
    for (const text of few) expect(active).not.toContain(text)
    for (const text of many) expect(active).toContain(text)
  }))

test("ten thousand campaigns are all there from the beginning, the last one included", async () => {
  await withMarketplace({ scale: { campaigns: 10_000, items: 10, clusters: 50 } }, async (m) => {
    expect((await m.ask("GET", "/adv/v1/promotion/count")).json.all).toBe(10_000)
    const far = await m.ask("GET", "/api/advert/v2/adverts?ids=1005000,1010000")
    expect(far.json.adverts.map((a: Json) => [a.id, a.nm_settings.length])).toEqual([
      [1005000, 10],
      [1010000, 10]
    ])
  })
})

test("a scale is read by name, and a wrong one says what to mend", () => {
  expect(Either.getOrThrow(Scale.parse("campaigns=10000,items=10"))).toEqual({
    ...Scale.demo,
    campaigns: 10_000,
    items: 10
  })
  expect(Either.getOrThrow(Scale.parse(""))).toEqual(Scale.demo)
  for (const wrong of ["campaigns", "goods=3", "items=0", "clusters=1000000"])
    expect(Either.isLeft(Scale.parse(wrong))).toBe(true)
})

test("the control clock tells the marketplace's time and speed", () =>
  withMarketplace({ speed: 60 }, async (m) => {
    const before = (await m.ask("GET", "/_sandbox/clock")).json
    m.advance(5_000)
    const after = (await m.ask("GET", "/_sandbox/clock")).json
    expect(after).toEqual({ nowMs: before.nowMs + 5_000, speed: 60 })
    expect((await m.ask("GET", "/_sandbox/nothing")).status).toBe(404)
  }))
