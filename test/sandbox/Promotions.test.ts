/** The promo calendar as a thing that lives: tiers, tasks that take time, items left out, and changes while one plans. */
import { expect, test } from "vitest"
import type * as Faults from "../../src/sandbox/Faults.js"
import * as Calendar from "../../src/sandbox/market/Calendar.js"
import { firstItem, hour, PromoCalendar, promotionId, sized } from "./PromoCalendar.js"
import { originMs, withMarketplace } from "./Real.js"

const calendar = (test: (c: PromoCalendar) => Promise<void>, seed = 1) =>
  withMarketplace({ ...sized, seed }, (m) => test(new PromoCalendar(m)))

test("every promotion has a ladder of its own, whose rates and boosts ascend over the three conditions", () =>
  calendar(async (c) => {
    const details = await c.details(Calendar.ids)
    expect(details.length).toBe(10)
    for (const { ranging } of details) {
      expect(ranging.map(({ condition }) => condition)).toEqual([
        "productsInPromotion",
        "calculateProducts",
        "allProducts"
      ])
      for (const field of ["participationRate", "boost"] as const)
        expect(ranging.map((tier) => tier[field])).toEqual(
          ranging.map((tier) => tier[field]).toSorted((a, b) => a - b)
        )
    }
    expect(new Set(details.map(({ ranging }) => JSON.stringify(ranging))).size).toBeGreaterThan(7)
  }))

test("two seeds have two ladders, and one seed always has the same", () => {
  const ladders = (seed: number) => Calendar.ids.map((id) => Calendar.ladder(seed, id))
  expect(ladders(1)).toEqual(ladders(1))
  expect(ladders(1)).not.toEqual(ladders(2))
})

test("who enters counts for participation and for the tier that is reached", () =>
  calendar(async (c) => {
    const others = await c.items(false)
    const before = (await c.details([promotionId]))[0]!
    expect(before.participationPercentage).toBe(Math.round((100 * (18 - others.length)) / 18))
    await c.upload(others)
    c.advance(hour)
    const after = (await c.details([promotionId]))[0]!
    expect([after.participationPercentage, after.notInPromoActionTotal]).toEqual([100, 0])
    expect((await c.truth()).boost).toBe(after.ranging[2]!.boost)
  }))

test("a task is applied within minutes, at an instant drawn for it; the ledger says when", () =>
  calendar(async (c) => {
    const [one, two, ...rest] = await c.items(false)
    const ids = [await c.upload([one!]), await c.upload([two!])]
    expect(await c.items(true)).not.toContain(one)
    const [first, second] = c.filed()
    expect([first!.task!.uploadId, second!.task!.uploadId]).toEqual(ids)
    expect(first!.effectiveAt).not.toBe(second!.effectiveAt)
    for (const { at, effectiveAt, task } of [first!, second!]) {
      expect(effectiveAt - at).toBeGreaterThan(60_000)
      expect(effectiveAt - at).toBeLessThanOrEqual(180_000)
      expect(task!.entered).toEqual(task!.asked)
    }
    c.advance(first!.effectiveAt - originMs - 1)
    expect(await c.items(true)).not.toContain(one)
    c.advance(1)
    expect(await c.items(true)).toContain(one)
    expect(rest).not.toEqual([])
  }))

test("a slow task is applied after the hours that were asked for, and no earlier", () =>
  calendar(async (c) => {
    const [item] = await c.items(false)
    await c.arm({ kind: "slowTask", operation: "uploadPromotionItems", ms: 5 * hour, count: 1 })
    await c.upload([item!])
    c.advance(5 * hour - 1)
    expect(await c.items(true)).not.toContain(item)
    c.advance(1)
    expect(await c.items(true)).toContain(item)
  }))

test("named items stay out of a task that is answered as ever; the list and the ledger alone know", () =>
  calendar(async (c) => {
    const [one, two, three] = await c.items(false)
    await c.arm({ kind: "leftOut", items: [two!] })
    expect(await c.upload([one!, two!, three!])).toBeGreaterThan(0)
    c.advance(hour)
    const inside = await c.items(true)
    expect([one, two, three].filter((item) => inside.includes(item!))).toEqual([one, three])
    const [{ before, after }] = c.filed() as unknown as [Record<"before" | "after", ReadonlyArray<number>>]
    expect(after.filter((item) => !before.includes(item))).toEqual([one, three])
    expect(after).toEqual(inside)
    expect(c.filed()[0]).toMatchObject({
      slot: "promotion",
      target: { promotionId },
      task: { asked: [one, two, three], entered: [one, three] }
    })
  }))

test("of a share that is left out some enter and some do not", () =>
  calendar(async (c) => {
    const others = await c.items(false)
    await c.arm({ kind: "leftOut", share: 0.5 })
    await c.upload(others)
    c.advance(hour)
    const left = await c.items(false)
    expect(left.length).toBeGreaterThan(0)
    expect(left.length).toBeLessThan(others.length)
  }))

test("an item that is sold out does not enter when that is asked for, and enters when it is not", () => {
  const entersWith = async (faults: ReadonlyArray<Faults.Fault>) => {
    let found: ReadonlyArray<boolean> = []
    await calendar(async (c) => {
      const [sold, stocked] = await c.items(false)
      await c.control("shop", { itemId: sold!, play: "count_stock", units: 0 })
      await c.control("shop", { itemId: stocked!, play: "count_stock", units: 50 })
      await c.arm(...faults)
      await c.upload([sold!, stocked!])
      c.advance(hour)
      const inside = await c.items(true)
      found = [inside.includes(sold!), inside.includes(stocked!)]
    })
    return found
  }
  return Promise.all([entersWith([{ kind: "soldOutLeftOut" }]), entersWith([])]).then((found) =>
    expect(found).toEqual([
      [false, true],
      [true, true]
    ])
  )
})

test("a deleted promotion is in no list and has no details; its items and uploads are refused with 422", () =>
  calendar(async (c) => {
    expect(await c.listed()).toContain(promotionId)
    await c.control("promotions", { promotionId, play: "delete" })
    expect(await c.listed()).not.toContain(promotionId)
    expect(await c.details([promotionId])).toEqual([])
    expect(await c.statuses([firstItem])).toEqual([422, 422])
  }))

test("a promotion that is moved has its new dates everywhere, and is over when they are", () =>
  calendar(async (c) => {
    const startDateTime = new Date(originMs + 48 * hour).toISOString().slice(0, 19).concat("Z")
    const endDateTime = new Date(originMs + 50 * hour).toISOString().slice(0, 19).concat("Z")
    await c.control("promotions", { promotionId, play: "move", startDateTime, endDateTime })
    expect((await c.details([promotionId]))[0]).toMatchObject({ startDateTime, endDateTime })
    c.advance(50 * hour)
    expect(await c.statuses([firstItem])).toEqual([422, 422])
    const answer = await c.m.ask("POST", "/_sandbox/promotions", {
      body: { promotionId, play: "move", endDateTime: startDateTime }
    })
    expect(answer.status).toBe(400)
  }))

test("conditions that change let every plan price of the promotion fall, and the discount it asks for grow", () =>
  calendar(async (c) => {
    const before = await c.rows(false)
    await c.control("promotions", { promotionId, play: "lower_plan_prices", percent: 10 })
    const after = await c.rows(false)
    expect(after.length).toBe(before.length)
    for (const [i, row] of after.entries()) {
      expect(row.price).toBe(before[i]!.price)
      expect(row.planPrice).toBeCloseTo(before[i]!.planPrice * 0.9, 1)
      expect(row.planDiscount).toBeGreaterThan(before[i]!.planDiscount)
    }
  }))

test("an item that enters without the seller is in at once, and the ledger blames no operation of ours", () =>
  calendar(async (c) => {
    const [item] = await c.items(false)
    await c.control("promotions", { promotionId, play: "enter", items: [item!] })
    expect(await c.items(true)).toContain(item)
    expect((await c.truth()).cameLater).toEqual([item])
    expect(c.filed().map(({ operation }) => operation)).toEqual(["human-edit"])
  }))

test("an upload refused once with 422 files nothing and may be sent again; a lost answer files all the same", () =>
  calendar(async (c) => {
    const [item] = await c.items(false)
    await c.arm({ kind: "refuse", status: 422, operation: "uploadPromotionItems", count: 1 })
    expect(await c.statuses([item!])).toEqual([200, 422])
    expect(c.filed()).toEqual([])
    await c.arm({ kind: "dropAnswer", operation: "uploadPromotionItems", count: 1 })
    await expect(c.upload([item!])).rejects.toThrow()
    expect(c.filed().length).toBe(1)
    const again = await c.send([item!])
    expect(again.json.data).toEqual({ alreadyExists: true, uploadID: c.filed()[0]!.task!.uploadId })
  }))
