/** What a marketer asks between filing and the end of a promotion: what is in, what is not, and which prices to restore. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Either from "effect/Either"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Workbook from "../../../src/cli/tables/Workbook.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop

beforeEach(async () => {
  shop = await Shop.Shop.open({})
  shop.removeRules()
  shop.write("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {}\n")
  shop.write(
    "rules/09-join.yaml",
    `version: 1
name: Join promotions at a small fall of the price
mode: apply
irreversible: accepted
schedule: {at: "07:00", tz: Europe/Moscow}
each: promotion_item
where:
  - promotion.type = regular
  - promotion.starts_in between 12h and 14d
  - not promotion_item.in_action
when: price_drop <= 20%
do: {enrol: {overlap: allowed}}
`
  )
})
afterEach(() => shop.close())

interface Item {
  readonly itemId: number
  readonly standing: string
  readonly uploadId: number | null
  readonly priceKopecks: number
  readonly planPriceKopecks: number
}
interface Status {
  readonly promotions: ReadonlyArray<{
    readonly id: number
    readonly items: ReadonlyArray<Item>
    readonly notOurs: ReadonlyArray<number>
    readonly unread: string | null
  }>
}

const status = async (...words: ReadonlyArray<string>) => {
  const { code, stdout } = await shop.run("promos", "status", ...words, "--json")
  return { code, ...(JSON.parse(stdout) as Status) }
}
const standings = ({ promotions }: Status) => [
  ...new Set(promotions.flatMap(({ items }) => items.map(({ standing }) => standing)))
]
/** Which task each item was filed in: as we say it, and as the marketplace has it. */
const tasksOf = ({ promotions }: Status) =>
  promotions.flatMap(({ id, items }) => items.map(({ itemId, uploadId }) => [id, itemId, uploadId])).sort()
const filed = async () =>
  ((await shop.ledger()).entries as ReadonlyArray<Uploaded>)
    .flatMap(({ target, task }) =>
      (task?.asked ?? []).map((itemId) => [target.promotionId, itemId, task?.uploadId])
    )
    .sort()
interface Uploaded {
  readonly target: { readonly promotionId?: number }
  readonly task?: { readonly uploadId: number; readonly asked: ReadonlyArray<number> }
}
interface Listed {
  readonly promotions: ReadonlyArray<{
    readonly id: number
    readonly startsAt: string
    readonly endsAt: string
  }>
}
/** How often items of a promotion were asked for. */
const lists = async () => {
  const { counters } = (await shop.ledger()) as unknown as {
    readonly counters: Readonly<Record<string, { readonly requests: number } | undefined>>
  }
  return counters.listPromotionItems?.requests ?? 0
}
const arm = (fault: Readonly<Record<string, unknown>>) => shop.control("faults", { faults: [fault] })
const hour = 3_600_000

describe("promos status", () => {
  it("shows what is filed and not in yet, with its task, and later that it is in", async () => {
    await arm({ kind: "slowTask", operation: "uploadPromotionItems", ms: 5 * hour })
    const applied = await shop.run("apply", "--lane", "promotions", "--yes")
    expect(applied.stdout).toContain("accepted")
    const waiting = await status()
    expect([waiting.code, standings(waiting)]).toEqual([0, ["waiting"]])
    expect(tasksOf(waiting)).toEqual(await filed())
    const [first] = waiting.promotions.filter(({ items }) => items.length > 0)
    const text = await shop.run("promos", "status", String(first!.id))
    expect(text.stdout).toMatch(/starts in \d+ (days|hours)/)
    expect(text.stdout).toMatch(
      /not in yet, the oldest filed (less than a minute|\d+ minutes?) ago: .* \(task 7000001\)/
    )
    expect(text.stdout.split("\n").filter((line) => /^\d/.test(line))).toHaveLength(1)

    const [, runId] = /^(\S+): (?:done|partial)/m.exec(applied.stdout) ?? []
    expect((await shop.run("history", runId!)).stdout).toContain("task 7000001")

    const before = await filed()
    const again = await shop.run("apply", "--lane", "promotions", "--yes")
    expect([again.stdout, await filed()]).toEqual([expect.stringContaining("Nothing to apply."), before])

    await shop.advance(6 * hour)
    const later = await status()
    expect([later.code, standings(later)]).toEqual([0, ["in"]])
  })

  it("is no run that ended early: whoever files more meanwhile is told once what is not in yet", async () => {
    await arm({ kind: "slowTask", operation: "uploadPromotionItems", ms: 5 * hour })
    await shop.run("apply", "--lane", "promotions", "--yes")
    const before = (await filed()).length
    shop.write("rules/09-join.yaml", shop.read("rules/09-join.yaml").replace("<= 20%", "<= 90%"))
    const { stderr, stdout } = await shop.run("apply", "--lane", "promotions", "--yes")
    expect(stdout).toMatch(/: partial \(accepted \d+\)/)
    expect((await filed()).length).toBeGreaterThan(before)
    expect(stderr).toMatch(/\d+ changes? of an earlier run (is|are) open; reading (it|them) back first\./)
    expect(stderr).not.toContain("ended early")
    expect(stderr.match(/Of an earlier run: accepted \d+\./g)).toHaveLength(1)
  })

  it("gives a task its hours in a promotion that runs already, and then says that it did not enter", async () => {
    shop.write(
      "rules/09-join.yaml",
      shop.read("rules/09-join.yaml").replace(/^ {2}- promotion.starts_in.*\n/m, "")
    )
    await arm({ kind: "leftOut", operation: "uploadPromotionItems", share: 1 })
    await shop.run("apply", "--lane", "promotions", "--yes")
    const all = JSON.parse((await shop.run("promos", "--json")).stdout) as Listed
    const running = new Set(
      all.promotions
        .filter(({ startsAt }) => Date.parse(startsAt) < Date.parse("2026-09-01T15:00:00+03:00"))
        .map(({ id }) => id)
    )
    const own = ({ promotions }: Status) => ({ promotions: promotions.filter(({ id }) => running.has(id)) })
    const waiting = await status()
    expect([waiting.code, standings({ ...own(waiting) })]).toEqual([0, ["waiting"]])
    await shop.advance(6 * hour)
    const later = await status()
    expect([later.code, standings({ ...own(later) })]).toEqual([4, ["left_out"]])
  })

  it("calls nothing gone because a list is empty that is not, and ends with 0 before the start", async () => {
    await shop.run("apply", "--lane", "promotions", "--yes")
    expect(standings(await status())).toEqual(["in"])
    await arm({ kind: "omit", operation: "listPromotionItems", share: 1 })
    const lost = await status()
    expect([lost.code, standings(lost)]).toEqual([0, ["was_in"]])
    const text = await shop.run("promos", "status")
    expect([text.code, text.stdout]).toEqual([
      0,
      expect.stringMatching(/who is in could not be read: its list has 0 of \d+ items that are in/)
    ])
  })

  it("says loudly what did not enter once the promotion has begun, and ends with 4", async () => {
    await arm({ kind: "leftOut", operation: "uploadPromotionItems", share: 1 })
    await shop.run("apply", "--lane", "promotions", "--yes")
    await shop.advance(15 * 24 * hour)
    const begun = await status()
    expect([begun.code, standings(begun)]).toEqual([4, expect.arrayContaining(["left_out"])])
    const text = await shop.run("promos", "status")
    expect([text.code, text.stdout]).toEqual([
      4,
      expect.stringContaining("DID NOT ENTER, though the promotion has begun")
    ])
    expect(text.stderr).toMatch(/items? we filed (is|are) not in a promotion that has begun/)
  })

  it("waits for a start that was moved later, and says then that it did not enter, not that somebody changed it", async () => {
    await arm({ kind: "leftOut", operation: "uploadPromotionItems", share: 1 })
    const applied = await shop.run("apply", "--lane", "promotions", "--yes")
    const [, runId] = /^(\S+): (?:done|partial)/m.exec(applied.stdout) ?? []
    shop.write(
      "rules/09-join.yaml",
      shop.read("rules/09-join.yaml").replace("price_drop <= 20%", "item.id = 1")
    )
    const { promotions } = JSON.parse((await shop.run("promos", "--json")).stdout) as Listed
    const own = (await status()).promotions.filter(({ items }) => items.length > 0)
    const later = (text: string, days: number) => new Date(Date.parse(text) + days * 24 * hour).toISOString()
    for (const { id } of own) {
      const { endsAt, startsAt } = promotions.find((one) => one.id === id)!
      await shop.control("promotions", {
        promotionId: id,
        play: "move",
        startDateTime: later(startsAt, 10),
        endDateTime: later(endsAt, 10)
      })
    }
    const told = async (days: number) => {
      await shop.advance(days * 24 * hour)
      await shop.run("apply", "--lane", "promotions", "--yes")
      return (await shop.run("history", runId!)).stdout
    }
    const begun = Math.min(
      ...own.map(({ id }) => Date.parse(promotions.find((one) => one.id === id)!.startsAt))
    )
    expect(begun).toBeLessThan(Date.parse("2026-09-09T00:00:00Z"))
    expect(await told(9)).not.toMatch(/it did not enter/)
    const over = await told(10)
    expect(over).toMatch(/conflict \(filed, and not in it\): it did not enter/)
    expect(over).not.toContain("changed by someone else")
  })

  it("does not say of a promotion that is gone that its items are in, but that they were when last seen", async () => {
    await shop.run("apply", "--lane", "promotions", "--yes")
    const [own] = (await status()).promotions.filter(({ items }) => items.length > 0)
    await shop.control("promotions", { promotionId: own!.id, play: "delete" })
    const { stdout } = await shop.run("promos", "status", String(own!.id))
    expect(stdout).toMatch(
      new RegExp(`\n  filed ${own!.items.length}\n  ${own!.items.length} in when last seen: \\d`)
    )
    expect(standings(await status(String(own!.id)))).toEqual(["was_in"])
  })

  it("shows what is in that we did not put there, and nothing where nothing is", async () => {
    const { promotions } = await status()
    expect(promotions.every(({ items }) => items.length === 0)).toBe(true)
    expect(promotions.some(({ notOurs }) => notOurs.length > 0)).toBe(true)
    const text = await shop.run("promos", "status")
    expect([text.code, text.stdout]).toEqual([
      0,
      expect.stringMatching(/\d+ in it that we did not put there: \d/)
    ])
  })

  it("names the cheapest items that reach the next boost, and what they cost a day", async () => {
    const header =
      "item;cost;packaging;commission, %;commission in promo, %;acquiring, %;logistics out;logistics back;storage;tax, %;tax base;extra;buyout, %"
    shop.write("rules/_shared/economics.csv", `${header}\n*;0;0;10;10;0;0;0;0;0;revenue;0;100\n`)
    const { stdout } = await shop.run("promos", "preview", "1006")
    expect(stdout).toMatch(
      /\n {2}the cheapest \d+ items? for the next boost: .+ ₽ a day less at today's orders \(\d+/
    )
    const { promotions } = JSON.parse((await shop.run("promos", "preview", "1006", "--json")).stdout) as {
      readonly promotions: ReadonlyArray<{
        readonly itemsToNextTier: number
        readonly cheapestSet: { readonly items: ReadonlyArray<number>; readonly costKopecksPerDay: number }
        readonly mayJoin: ReadonlyArray<{ readonly itemId: number; readonly join_cost: number }>
      }>
    }
    const { cheapestSet, itemsToNextTier, mayJoin } = promotions[0]!
    const costs = mayJoin.map(({ join_cost }) => join_cost).sort((a, b) => a - b)
    const least = costs.filter((cost, at) => at < itemsToNextTier || cost <= 0)
    expect(cheapestSet.items.length).toBe(least.length)
    expect(cheapestSet.costKopecksPerDay).toBe(least.reduce((sum, cost) => sum + cost, 0))
  })

  it("names no item in the cheapest set that a plan would not have join", async () => {
    const head =
      "item;unit cost;packaging;commission, %;commission in promo, %;acquiring, %;logistics out;logistics back;storage;tax rate, %;tax base;extra;buyout, %;price floor"
    const free = "*;0;0;0;0;0;0;0;0;0;revenue;0;100;"
    interface Previewed {
      readonly id: number
      readonly type: string
      readonly cheapestSet: { readonly items: ReadonlyArray<number> } | null
      readonly mayJoin: ReadonlyArray<{ readonly itemId: number }>
    }
    const preview = async (...words: ReadonlyArray<string>) =>
      (
        JSON.parse((await shop.run("promos", "preview", ...words, "--json")).stdout) as {
          readonly promotions: ReadonlyArray<Previewed>
        }
      ).promotions
    shop.write("rules/_shared/economics.csv", `${head}\n${free}\n`)
    const [first] = (await preview("1005")).flatMap(({ cheapestSet }) => cheapestSet?.items ?? [])
    shop.write("rules/_shared/economics.csv", `${head}\n${free}\n${first};;;;;;;;;;;;;90000\n`)
    const floored = await preview("1005")
    expect(floored[0]!.mayJoin.map(({ itemId }) => itemId)).toContain(first)
    expect(floored[0]!.cheapestSet?.items ?? []).not.toContain(first)
    // Of one promotion alone nobody asked what is in the others.
    const alone = await shop.run("promos", "preview", "1005")
    expect(alone.stdout).toMatch(
      /for the next boost: .*; whether (it|one of them) is in another promotion at that time was not asked, and then it cannot join: to ask, preview all together with: bidhelm promos preview$/m
    )

    shop.write("rules/_shared/economics.csv", `${head}\n${free}\n`)
    const { promotions } = JSON.parse((await shop.run("promos", "--json")).stdout) as Listed
    const own = promotions.find(({ id }) => id === 1005)!
    const other = (await preview()).find(({ id, type }) => {
      const one = promotions.find((some) => some.id === id)
      const isBeside = one !== undefined && one.startsAt < own.endsAt && own.startsAt < one.endsAt
      return id !== own.id && type === "regular" && isBeside
    })!
    const ours = (await preview()).find(({ id }) => id === own.id)!
    const chosen = ours.cheapestSet?.items[0] ?? first!
    await shop.control("promotions", { promotionId: other.id, play: "enter", items: [chosen] })
    const after = (await preview()).find(({ id }) => id === own.id)!
    expect(after.cheapestSet?.items ?? []).not.toContain(chosen)
    expect(after.mayJoin.map(({ itemId }) => itemId)).toContain(chosen)
  })

  it("answers a promotion that there is not with those that there are", async () => {
    const wrong = await shop.run("promos", "status", "77")
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/no promotion 77.*There are .*1005 "/s)
    ])
    const typo = await shop.run("promos", "stauts")
    expect([typo.code, typo.stderr]).toEqual([1, expect.stringContaining("Did you mean status?")])
  })
})

describe("promos preview", () => {
  it("tells days as the seller's clock shows them, on every screen", async () => {
    const zoned = shop.read("bidhelm.yaml").replace(/^time_zone: .*$/m, 'time_zone: "Asia/Vladivostok"')
    const all = JSON.parse((await shop.run("promos", "--json")).stdout) as Listed
    for (const [zone, config] of [
      ["Europe/Moscow", shop.read("bidhelm.yaml")],
      ["Asia/Vladivostok", zoned]
    ] as const) {
      shop.write("bidhelm.yaml", config)
      const day = (text: string, beforeMs = 0) =>
        new Date(Date.parse(text) - beforeMs).toLocaleDateString("sv-SE", { timeZone: zone })
      const [calendar, preview] = [await shop.run("promos"), await shop.run("promos", "preview")]
      for (const { endsAt, id, startsAt } of all.promotions) {
        const days = `${id}  ${day(startsAt)} to ${day(endsAt, 1)}, `
        expect(calendar.stdout).toContain(days)
        if (preview.stdout.includes(`${id}  `)) expect(preview.stdout).toContain(days)
      }
    }
    // Nine hours ahead of the calendar's own clock, it is tomorrow there in the afternoon.
    await shop.advance(4 * hour)
    await shop.run("apply", "--lane", "promotions", "--yes")
    const [own] = (await status()).promotions.filter(({ items }) => items.length > 0)
    expect((await shop.run("promos", "exit-sheet", String(own!.id))).stdout).toContain("filed 2026-09-02")
  })

  it("shows the items that may join with both prices, the smallest fall first, and asks besides for the one of the two that run and are over before that has items: today's prices may be its own", async () => {
    await shop.control("promotions", { promotionId: 1003, play: "enter", items: [200000001] })
    const before = await lists()
    const shown = await shop.run("promos", "preview", "1006")
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringMatching(/^1006 {2}2026-.* boost \d+%; .*reach/)
    ])
    expect(shown.stdout).toMatch(/\d+ in it, \d+ may join\n {4}\d{9} {2}.+ ₽ → .+ ₽ \([+-]?\d+(\.\d)?%\)/)
    expect((await lists()) - before).toBe(2 * 2)
    const { promotions } = JSON.parse((await shop.run("promos", "preview", "--json")).stdout) as {
      readonly promotions: ReadonlyArray<{
        readonly id: number
        readonly type: string
        readonly itemsIn: number
        readonly mayJoin: ReadonlyArray<{
          readonly itemId: number
          readonly price_drop: number | null
          readonly plan_price: number
        }>
      }>
    }
    for (const { itemsIn, mayJoin, type } of promotions) {
      const drops = mayJoin.flatMap(({ price_drop }) => price_drop ?? [])
      expect(drops).toEqual(drops.toSorted((a, b) => a - b))
      expect(itemsIn + mayJoin.length).toBe(type === "regular" ? 6 : 0)
    }
  })

  it("tells from which day on a term of the promotion is missing that is there today", async () => {
    const before = JSON.parse((await shop.run("promos", "preview", "1005", "--json")).stdout) as {
      readonly promotions: ReadonlyArray<{ readonly mayJoin: ReadonlyArray<{ readonly itemId: number }> }>
    }
    const ids = before.promotions[0]!.mayJoin.map(({ itemId }) => itemId)
    shop.write(
      "rules/_shared/economics.csv",
      `${[
        "item;valid from;cost;packaging;commission, %;commission in promo, %;acquiring, %;logistics out;logistics back;storage;tax, %;tax base;extra;buyout, %",
        "*;;100;0;10;10;0;0;0;0;0;revenue;0;100",
        `${ids[0]};2026-09-08;dear;;;;;;;;;;;`
      ].join("\n")}\n`
    )
    const { stdout } = await shop.run("promos", "preview", "1005")
    expect(stdout).toContain(
      `  cannot compute all earnings of 1 of ${ids.length} items:\n    unit_cost missing for 1 item from 2026-09-08 (`
    )
    const { promotions } = JSON.parse((await shop.run("promos", "preview", "1005", "--json")).stdout) as {
      readonly promotions: ReadonlyArray<{ readonly missing: unknown }>
    }
    expect(promotions[0]!.missing).toEqual([
      { term: "unit_cost", from: "2026-09-08", items: 1, reasons: ["unreadable"] }
    ])
  })

  it("says what each item earns now and then, and names the terms that are missing", async () => {
    const none = await shop.run("promos", "preview", "1005")
    expect(none.stdout).not.toMatch(/margin|cannot compute/)
    expect(none.stderr).toContain("There is no table of what your items cost")
    const ids = [...none.stdout.matchAll(/^ {4}(\d{9}) /gm)].map(([, id]) => id!)
    expect(ids.length).toBeGreaterThan(2)
    const [full, noCommission] = ids
    shop.write(
      "rules/_shared/economics.csv",
      `${[
        "item;cost;packaging;commission, %;commission in promo, %;acquiring, %;logistics out;logistics back;storage;tax, %;tax base;extra;buyout, %",
        "*;;0;10;;0;0;0;0;0;revenue;0;100",
        `${full};0;;;20;;;;;;;;`,
        `${noCommission};0;;;;;;;;;;;`
      ].join("\n")}\n`
    )
    const { stderr, stdout } = await shop.run("promos", "preview", "1005")
    expect(stderr).not.toContain("There is no table")
    expect(stdout).toMatch(
      new RegExp(
        `\\n {4}${full} .*  margin [\\d.]+% → [\\d.]+%, .+ ₽ → .+ ₽ a unit, needs [\\d.]+ × the orders, costs .+ ₽ a day`
      )
    )
    expect(stdout).toMatch(
      new RegExp(`\\n {4}${noCommission} .*  margin [\\d.]+% → unknown, .+ ₽ → unknown a unit\\n`)
    )
    const [others, all] = [ids.length - 2, ids.length]
    expect(stdout).toContain(`  cannot compute all earnings of ${all - 1} of ${all} items:\n`)
    const why = "your own table has no value for it"
    expect(stdout).toContain(`    commission_in_promo missing for ${all - 1} items (${why})\n`)
    expect(stdout).toContain(`    unit_cost missing for ${others} item${others === 1 ? "" : "s"} (${why})`)
    expect(stdout).not.toContain("stated_buyout_share")
    const { promotions } = JSON.parse((await shop.run("promos", "preview", "1005", "--json")).stdout) as {
      readonly promotions: ReadonlyArray<{ readonly missing: unknown }>
    }
    expect(promotions[0]!.missing).toEqual([
      { term: "commission_in_promo", items: all - 1, reasons: ["unlisted"] },
      { term: "unit_cost", items: others, reasons: ["unlisted"] }
    ])
  })

  it("answers a promotion that there is not with those that there are", async () => {
    const wrong = await shop.run("promos", "preview", "77")
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/no promotion 77.*There are /s)])
  })
})

describe("promos exit-sheet", () => {
  it("has the price and discount before, of every item that is in or filed, in a workbook, CSV and JSON alike", async () => {
    await shop.run("apply", "--lane", "promotions", "--yes")
    const filed = (await status()).promotions.find(({ items }) => items.length > 0)!
    const id = String(filed.id)
    const shown = JSON.parse((await shop.run("promos", "exit-sheet", id, "--json")).stdout) as {
      readonly items: ReadonlyArray<{
        readonly itemId: number
        readonly priceKopecks: number
        readonly discountPercent: number
        readonly planPriceKopecks: number
        readonly from: string
      }>
    }
    expect(shown.items.map(({ itemId }) => itemId)).toEqual(
      [...filed.items.map(({ itemId }) => itemId), ...filed.notOurs].toSorted((a, b) => a - b)
    )
    const printed = await shop.run("promos", "exit-sheet", id)
    expect(printed.stdout).toMatch(
      /filed \S+; as filed: if others had it in a promotion then, that promotion's price$/m
    )
    for (const { itemId, priceKopecks } of filed.items)
      expect(shown.items.find((one) => one.itemId === itemId)).toMatchObject({ priceKopecks, from: "before" })

    const out = await shop.run("promos", "exit-sheet", id, "--out", "prices.xlsx")
    expect([out.code, out.stdout]).toEqual([0, expect.stringContaining("written to prices.xlsx")])
    const [header, ...rows] = Either.getOrThrow(Workbook.read(readFileSync(join(shop.folder, "prices.xlsx"))))
    expect(header!.cells.slice(0, 4)).toEqual(["nm", "price_before", "discount_before", "plan_price"])
    const rouble = (kopecks: number) => (kopecks / 100).toFixed(2).replace(/\.?0+$/, "")
    expect(rows.map(({ cells }) => cells.slice(0, 4))).toEqual(
      shown.items.map((one) => [
        String(one.itemId),
        rouble(one.priceKopecks),
        `${one.discountPercent}%`,
        rouble(one.planPriceKopecks)
      ])
    )
    await shop.run("promos", "exit-sheet", id, "--out", "prices.csv")
    const lines = shop.read("prices.csv").split("\r\n")
    expect(lines[0]).toBe("\ufeffnm;price_before;discount_before;plan_price;in_promotion;filed_on;source")
    expect(lines[1]).toMatch(/^\d+;\d+,\d\d;\d+%;\d+,\d\d;(yes|no);/)
    expect(lines).toHaveLength(shown.items.length + 2)
  })

  it("has the price that the marketplace says now where it changed after an item was filed, as promos status tells", async () => {
    await shop.run("apply", "--lane", "promotions", "--yes")
    const filed = (await status()).promotions.find(({ items }) => items.length > 0)!
    await shop.advance(hour)
    await shop.control("promotions", { promotionId: filed.id, play: "lower_plan_prices", percent: 10 })
    const said = JSON.parse((await shop.run("promos", "exit-sheet", String(filed.id), "--json")).stdout)
    const told = await shop.run("promos", "status", String(filed.id))
    expect(told.stdout).toContain(`${filed.items.length} AT A LOWER PRICE than when filed: `)
    for (const { itemId, planPriceKopecks } of filed.items) {
      const now = said.items.find(
        (one: { readonly itemId: number }) => one.itemId === itemId
      ).planPriceKopecks
      expect(now).toBeLessThan(planPriceKopecks)
    }
  })

  it("names the promotion that ran when an item was filed for a later one, and has the price from before it", async () => {
    const ahead = shop.read("rules/09-join.yaml")
    shop.write("rules/09-join.yaml", ahead.replace(/promotion.starts_in.*/, "promotion.starts_in <= 0h"))
    await shop.run("apply", "--lane", "promotions", "--yes")
    const early = (await status()).promotions.filter(({ items }) => items.length > 0)
    await shop.advance(6 * hour)
    // Into the time of the later ones, or no rule files what falls from its price.
    await shop.control("promotions", { promotionId: 1002, play: "move", endDateTime: "2026-09-15T21:00:00Z" })
    shop.write("rules/09-join.yaml", ahead.replace("price_drop <= 20%", "plan_price > 1 ₽"))
    await shop.run("apply", "--lane", "promotions", "--yes")
    const both = (await status()).promotions.filter(({ items }) => items.length > 0)
    const later = both.find(({ id }) => early.every((one) => one.id !== id))!
    const first = early[0]!.items.find(({ itemId }) => later.items.some((one) => one.itemId === itemId))!
    const said = JSON.parse((await shop.run("promos", "exit-sheet", String(later.id), "--json")).stdout)
    expect(said.items).toContainEqual(
      expect.objectContaining({
        itemId: first.itemId,
        from: "earlier",
        otherPromotionId: early[0]!.id,
        priceKopecks: first.priceKopecks
      })
    )
    const { stdout } = await shop.run("promos", "exit-sheet", String(later.id))
    expect(stdout).toMatch(
      new RegExp(
        `^${first.itemId} .*filed 2026-09-01; as before promotion ${early[0]!.id}, which ran when it was filed$`,
        "m"
      )
    )
  })

  it("knows that a promotion ran whose start was moved to an earlier day after an item was filed for it", async () => {
    const ahead = shop.read("rules/09-join.yaml")
    const joining = (id: number) =>
      shop.write(
        "rules/09-join.yaml",
        ahead
          .replace("promotion.starts_in between 12h and 14d", `promotion.id = ${id}`)
          .replace("price_drop <= 20%", "price_drop <= 60%")
      )
    joining(1005)
    await shop.run("apply", "--lane", "promotions", "--yes")
    const early = (await status()).promotions.find(({ id }) => id === 1005)!
    const { promotions } = JSON.parse((await shop.run("promos", "--json")).stdout) as Listed
    const startsAt = Date.parse(promotions.find(({ id }) => id === 1005)!.startsAt)
    await shop.advance(hour)
    await shop.control("promotions", {
      promotionId: 1005,
      play: "move",
      startDateTime: new Date(startsAt - 6 * 24 * hour).toISOString()
    })
    await shop.advance(12 * hour)
    joining(1006)
    await shop.run("apply", "--lane", "promotions", "--yes")
    const later = (await status()).promotions.find(({ id }) => id === 1006)!
    const both = early.items.filter(({ itemId }) => later.items.some((one) => one.itemId === itemId))
    expect(both.length).toBeGreaterThan(0)
    const said = JSON.parse((await shop.run("promos", "exit-sheet", "1006", "--json")).stdout)
    for (const { itemId, priceKopecks } of both)
      expect(said.items).toContainEqual(
        expect.objectContaining({ itemId, from: "earlier", otherPromotionId: 1005, priceKopecks })
      )
  })

  it("takes nobody for out of an automatic promotion, whose items nobody can read", async () => {
    const { stderr, stdout } = await shop.run("promos", "exit-sheet", "1004")
    expect(stderr).toContain("Who is in the promotion could not be read")
    expect(stdout).toContain("Nobody can tell which items are in promotion 1004; bidhelm filed none for it.")
    const said = JSON.parse((await shop.run("promos", "exit-sheet", "1004", "--json")).stdout)
    expect(said).toMatchObject({ items: [], unread: expect.stringContaining("automatic") })
  })

  it("is refused a file of another kind before anything is asked", async () => {
    const wrong = await shop.run("promos", "exit-sheet", "1005", "--out", "prices.pdf")
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("ends in .xlsx or .csv")])
  })
})

describe("with a Base token, one call of the calendar an hour", () => {
  it("the calendar is what its list says, and says what was not read; the next command says when it can ask", async () => {
    const base = await Shop.Shop.open({ token: { kind: "base" } })
    try {
      const shown = await base.run("promos", "--max-wait", "1s")
      expect([shown.code, shown.stdout]).toEqual([
        0,
        expect.stringMatching(/^10\d\d {2}2026-.*items unknown, boost unknown/)
      ])
      expect(shown.stderr).toMatch(/\d+ promotions are shown without what they ask and bring/)
      const second = await base.run("promos", "status", "--max-wait", "1s")
      expect(second.code).toBe(5)
    } finally {
      await base.close()
    }
  })

  it("a plan says what it has not read yet, and the next goes on from what the store remembers", async () => {
    const base = await Shop.Shop.open({ token: { kind: "base" } })
    try {
      base.write("rules/09-join.yaml", shop.read("rules/09-join.yaml"))
      const plan = ["plan", "--lane", "promotions", "--max-wait", "1s"]
      const first = await base.run(...plan)
      expect(first.stdout + first.stderr).toMatch(
        /promotions 100\d, [\d, ]+: dates and figures not read yet; the limit leaves one call an hour/
      )
      // Campaigns have their hour, too; of the calendar it knows whose details to ask for.
      const next = await base.run(...plan)
      expect([next.code, next.stderr]).toEqual([
        5,
        expect.stringMatching(/^not read \(\d+\): the limit of calendar leaves no room/)
      ])
    } finally {
      await base.close()
    }
  })
})
