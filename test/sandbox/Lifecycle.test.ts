import { expect, test } from "vitest"
import { type Json, type Marketplace, withMarketplace } from "./Real.js"

const minuteMs = 60_000
const at = { ready: 4, completed: 7, active: 9, paused: 11, deleted: -1 }
/** Ids of the marketplace's chosen campaigns. */
const active = 1000001
const paused = 1000006
const ready = 1000007
const sized = { scale: { campaigns: 9, items: 2, clusters: 6 } }

const statusOf = async (m: Marketplace, id: number): Promise<number | undefined> =>
  (await m.ask("GET", `/api/advert/v2/adverts?ids=${id}`)).json.adverts?.[0]?.status

test("a pause is accepted at once and seen a minute later", () =>
  withMarketplace(sized, async (m) => {
    const answer = await m.ask("GET", `/adv/v0/pause?id=${active}`)
    expect([answer.status, answer.text]).toEqual([200, ""])
    expect(await statusOf(m, active)).toBe(at.active)
    m.advance(minuteMs - 1)
    expect(await statusOf(m, active)).toBe(at.active)
    m.advance(1)
    expect(await statusOf(m, active)).toBe(at.paused)
    expect(m.sandbox.ledger.entries).toMatchObject([
      { seq: 1, operation: "pauseCampaign", slot: "status", before: at.active, after: at.paused }
    ])
    expect(m.sandbox.ledger.entries[0]!.effectiveAt - m.sandbox.ledger.entries[0]!.at).toBe(minuteMs)
  }))

test("the latest status within a minute wins, at the moment the first would have been seen", () =>
  withMarketplace(sized, async (m) => {
    await m.ask("GET", `/adv/v0/pause?id=${active}`)
    expect((await m.ask("GET", `/adv/v0/start?id=${active}`)).status).toBe(200)
    const [first, second] = m.sandbox.ledger.entries
    expect(second).toMatchObject({ before: at.paused, after: at.active, effectiveAt: first!.effectiveAt })
  }))

test("a move that is not allowed is refused with 422 in plain text and leaves no trace", () =>
  withMarketplace(sized, async (m) => {
    for (const [verb, id] of [
      ["pause", paused],
      ["start", active],
      ["pause", ready],
      ["stop", ready]
    ]) {
      const answer = await m.ask("GET", `/adv/v0/${verb}?id=${id}`)
      m.advance(1000)
      expect([verb, id, answer.status, answer.text]).toEqual([verb, id, 422, "the status is not changed"])
      expect(answer.headers.get("content-type")).toContain("text/plain")
    }
    expect(m.sandbox.ledger.entries).toEqual([])
  }))

test("a stopped campaign is completed for good", () =>
  withMarketplace(sized, async (m) => {
    await m.ask("GET", `/adv/v0/stop?id=${paused}`)
    m.advance(minuteMs)
    expect(await statusOf(m, paused)).toBe(at.completed)
    for (const verb of ["start", "pause", "stop"])
      expect((await m.ask("GET", `/adv/v0/${verb}?id=${paused}`)).status).toBe(422)
  }))

test("a campaign without budget starts only after a deposit", () =>
  withMarketplace(sized, async (m) => {
    const refused = await m.ask("GET", `/adv/v0/start?id=${ready}`)
    expect([refused.status, refused.json]).toEqual([
      400,
      { error: "not enough budget: top up the campaign first" }
    ])
    const paid = await m.ask("POST", `/adv/v1/budget/deposit?id=${ready}`, {
      body: { sum: 1000, type: 0, return: true }
    })
    expect(paid.json).toEqual({ total: 1000, currency: "RUB" })
    expect((await m.ask("GET", `/adv/v0/start?id=${ready}`)).status).toBe(200)
  }))

test("only a campaign ready to launch can be deleted; it is gone within ten minutes", () =>
  withMarketplace(sized, async (m) => {
    expect((await m.ask("GET", `/adv/v0/delete?id=${active}`)).status).toBe(400)
    expect((await m.ask("GET", `/adv/v0/delete?id=${ready}`)).status).toBe(200)
    m.advance(10 * minuteMs)
    expect(await statusOf(m, ready)).toBeUndefined()
    expect((await m.ask("GET", `/adv/v0/start?id=${ready}`)).json).toEqual({
      error: `campaign ${ready} not found`
    })
  }))

test("an unknown campaign is a bad request with an error field", () =>
  withMarketplace(sized, async (m) => {
    const answer = await m.ask("GET", "/adv/v0/pause?id=77")
    expect([answer.status, answer.json]).toEqual([400, { error: "campaign 77 not found" }])
  }))

test("a new name is at most 100 characters and seen three minutes later", () =>
  withMarketplace(sized, async (m) => {
    const rename = (name: string) => m.ask("POST", "/adv/v0/rename", { body: { advertId: active, name } })
    expect((await rename("я".repeat(101))).status).toBe(400)
    expect((await rename("я".repeat(100))).status).toBe(200)
    expect((await rename("я".repeat(100))).status).toBe(422)
    expect((await m.ask("POST", "/adv/v0/rename", { raw: "{" })).status).toBe(422)
    m.advance(3 * minuteMs)
    const { json } = await m.ask("GET", `/api/advert/v2/adverts?ids=${active}`)
    expect(json.adverts[0].settings.name).toBe("я".repeat(100))
  }))

test("a created campaign answers with a bare number, begins at the floors and is listed after three minutes", () =>
  withMarketplace(sized, async (m) => {
    const free = await m.ask("POST", "/adv/v2/supplier/nms", {
      body: (await m.ask("GET", "/adv/v1/supplier/subjects")).json.map((s: { id: number }) => s.id)
    })
    const nms = free.json.slice(0, 2).map((row: { nm: number }) => row.nm)
    const created = await m.ask("POST", "/adv/v2/seacat/save-ad", { body: { name: "Новая", nms } })
    expect(created.json).toBe(1000010)
    m.advance(3 * minuteMs)
    const { json } = await m.ask("GET", `/api/advert/v2/adverts?ids=${created.json}`)
    const floors = await m.ask("POST", "/api/advert/v1/bids/min", {
      body: { advert_id: created.json, nm_ids: nms, payment_type: "cpm", placement_types: ["search"] }
    })
    expect(json.adverts[0]).toMatchObject({
      status: at.ready,
      bid_type: "manual",
      settings: { name: "Новая" }
    })
    expect(json.adverts[0].nm_settings.map((s: Json) => s.bids_kopecks.search)).toEqual(
      floors.json.bids.map((b: Json) => b.bids[0].value)
    )
  }))
