/** From the text of a policy to its plan: price, stock and sales of an item, read from the analytics reports. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Forecasting from "../../src/cli/limits/Forecasting.js"
import * as Days from "../../src/domain/Days.js"
import type { ItemId } from "../../src/domain/Ids.js"
import * as Money from "../../src/domain/Money.js"
import type { Plan } from "../../src/engine/decide/Plan.js"
import { valueIn } from "../../src/engine/gather/FactSource.js"
import * as Scenario from "../scenario/Scenario.js"

const seed = 7
const scale = { campaigns: 6, items: 3, clusters: 8 }
const file = (name: string, text: string) => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: rule ${name}\nmode: apply\n${text}\n`
})
const items =
  "each: campaign_item\nwhere:\n  - campaign.payment = cpm\n  - campaign.status in [active, paused]\n"
const raise = "do:\n  raise_bid: {by: 10%, cap: 900 ₽}\ncooldown: 6h"
const raising = (...conditions: ReadonlyArray<string>) =>
  file("01", `${items}window: 7d\nwhen:\n${conditions.map((line) => `  - ${line}\n`).join("")}${raise}`)

const told = (
  rules: Scenario.Options["rules"],
  story: (world: Scenario.World) => Effect.Effect<void, unknown>
) => Scenario.run({ seed, scale, ...(rules === undefined ? {} : { rules }) }, story)

/** `campaign/item` of every change. */
const changed = ({ changes }: Plan) =>
  changes.map(({ subject: target }) => `${target.campaignId}/${target.itemId}`).sort()

const week = { from: Days.Day("2026-08-25"), to: Days.Day("2026-08-31") }

/** What the loader reads, by `campaign/item`: numbers of the advertising and of the item as such. */
const readings = (world: Scenario.World) =>
  Effect.gen(function* () {
    const facts = yield* world.facts
    const keys = (yield* facts.campaigns).ids.map((campaignId) => ({ campaignId }))
    const settings = yield* facts.fetch({ source: "campaigns", keys })
    const ads = yield* facts.fetch({ source: "campaignStats", keys, days: week })
    const pairs = settings.rows.flatMap(({ target }) =>
      target === "account" || target.campaignId === undefined || target.itemId === undefined
        ? []
        : [{ campaignId: target.campaignId, itemId: target.itemId }]
    )
    const asked = [...new Set(pairs.map(({ itemId }) => itemId))].map((itemId) => ({ itemId }))
    const stocks = yield* facts.fetch({ source: "itemStocks", keys: asked })
    const number = (rows: typeof ads.rows, campaignId: number | undefined, itemId: ItemId, fact: string) => {
      const row = rows.find(
        ({ target }) => target !== "account" && target.campaignId === campaignId && target.itemId === itemId
      )
      const value = row === undefined ? undefined : valueIn(row, fact)
      return typeof value === "number" ? value : undefined
    }
    return pairs.map(({ campaignId, itemId }) => ({
      pair: `${campaignId}/${itemId}`,
      campaignId,
      itemId,
      cpo: number(ads.rows, campaignId, itemId, "campaign_item.cpo"),
      price: number(stocks.rows, undefined, itemId, "item.price"),
      days: number(stocks.rows, undefined, itemId, "item.stock_days")
    }))
  })

describe("a rule about an item in a campaign", () => {
  it("weighs the price of an order against the item's price", () =>
    told([raising("cpo < item.price * 4%")], (world) =>
      Effect.gen(function* () {
        const { gathered, reviewed } = yield* world.plan
        expect(gathered.calls.getStockProducts).toBe(1)
        const pays = new Set(
          (yield* readings(world)).flatMap(({ cpo, pair, price }) =>
            cpo !== undefined && price !== undefined && cpo < price * 0.04 ? [pair] : []
          )
        )
        const moved = changed(reviewed.plan)
        expect(moved.length).toBeGreaterThan(0)
        expect(moved.filter((pair) => !pays.has(pair))).toEqual([])
        const [change] = reviewed.plan.changes
        expect(change?.reason.find(({ condition }) => condition.includes("item.price"))?.value).toMatch(/₽/)
      })
    ))

  it("raises only what is in stock: an emptied shelf keeps its bid, a filled one does not", () =>
    told([raising("bid >= 1 ₽", "item.stock_days >= 14")], (world) =>
      Effect.gen(function* () {
        const before = yield* readings(world)
        const fill = (units: (itemId: ItemId) => number) => {
          for (const { itemId } of before) world.play({ itemId, play: "count_stock", units: units(itemId) })
        }
        fill(() => 50_000)
        const all = (yield* world.plan).reviewed.plan.changes
        const full = all[0]?.subject.itemId
        expect(all.length).toBeGreaterThan(1)
        fill((itemId) => (itemId === full ? 50_000 : 0))
        const { changes } = (yield* world.plan).reviewed.plan
        expect(changes.map(({ subject: target }) => target)).toEqual(
          all.map(({ subject: target }) => target).filter(({ itemId }) => itemId === full)
        )
      })
    ))

  it("changes nothing while the report cannot be read, and says what failed", () =>
    told([raising("bid >= 1 ₽", "item.stock >= 1")], (world) =>
      Effect.gen(function* () {
        world.faults([{ operation: "getStockProducts", kind: "errorBefore", status: 403 }])
        const broken = yield* world.plan
        expect(broken.reviewed.plan.changes).toEqual([])
        expect(broken.gathered.failures).toMatchObject([{ operation: "getStockProducts", reason: "failed" }])
        world.faults([])
        expect((yield* world.plan).reviewed.plan.changes.length).toBeGreaterThan(0)
      })
    ))

  it("compares all orders of two weeks, each read by its own call", () =>
    told([raising("item.all_orders >= item.all_orders[7d before 7d]", "item.reviews >= 1")], (world) =>
      Effect.gen(function* () {
        const { gathered } = yield* world.plan
        expect(gathered.failures).toEqual([])
        expect([gathered.calls.getFunnelProducts, gathered.calls.getItemRating]).toEqual([2, 1])
      })
    ))
})

describe("a rule about a campaign", () => {
  it("pauses it when all of its items run out of stock", () => {
    const pausing = file(
      "07",
      "each: campaign\nwhere: campaign.status = active\nwhen: all(item.stock_days < 3)\ndo: pause\ncooldown: 1h"
    )
    return told([pausing], (world) =>
      Effect.gen(function* () {
        const before = yield* readings(world)
        for (const { itemId } of before) world.play({ itemId, play: "count_stock", units: 50_000 })
        expect((yield* world.plan).reviewed.plan.changes).toEqual([])
        const chosen =
          (yield* world.plan).reviewed.plan.unchanged[0]?.subject.campaignId ?? before[0]!.campaignId
        const own = before.filter(({ campaignId }) => campaignId === chosen)
        for (const { itemId } of own.slice(1)) world.play({ itemId, play: "count_stock", units: 0 })
        expect((yield* world.plan).reviewed.plan.changes).toEqual([])
        for (const { itemId } of own) world.play({ itemId, play: "count_stock", units: 0 })
        const { changes } = (yield* world.plan).reviewed.plan
        expect(changes.map(({ action, subject: target }) => [action, target])).toEqual([
          ["pause", { campaignId: chosen }]
        ])
      })
    )
  })
})

describe("a forecast", () => {
  it("counts one call of a report for 999 items, and says which token kinds are not served", () => {
    const rules = Scenario.check([raising("bid >= 1 ₽", "item.stock_days >= 14", "item.reviews >= 1")])
    const [row] = Forecasting.forecastRows(
      Forecasting.assumedWords(rules, { campaigns: 500, items: 10 }, 0.05),
      rules
    )
    expect(row?.calls).toMatchObject({ getStockProducts: 6, getItemRating: 100 })
    const byKind = Object.fromEntries(row!.fits.map(({ kind, notServed }) => [kind, notServed]))
    expect(byKind).toMatchObject({ personal: [], base: expect.arrayContaining(["getItemRating"]) })
  })

  it("counts no call for the steps of bids where the configuration tells both", () => {
    const rules = Scenario.check([raising("bid >= 1 ₽", "item.stock_days >= 14")])
    const asked = (...known: ReadonlyArray<"cpm" | "cpc">) => {
      const bidStep = Object.fromEntries(known.map((payment) => [payment, Money.Kopecks(100)]))
      const sizes = Forecasting.assumedWords(rules, { campaigns: 5, items: 10 }, 0.05)
      return Forecasting.forecastRows(sizes, rules, { currency: "RUB", bidStep })[0]?.calls.getPromotionConfig
    }
    expect(asked("cpm")).toBe(1)
    expect(asked("cpm", "cpc")).toBeUndefined()
  })
})
