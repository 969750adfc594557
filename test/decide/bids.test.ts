import { assert, describe, it } from "vitest"
import * as Memory from "../../src/engine/decide/intents/Memory.js"
import * as Bids from "../../src/engine/kinds/Bids.js"
import type { Action } from "../../src/engine/language/Policy.js"
import * as JournalRows from "../../src/store/journal/JournalRows.js"
import * as Said from "../reporting/Said.js"
import * as Example from "./Example.js"
import { lowerBid, oneRow, oneSlot, onlyChange, plan, policy, raiseBid, rub, setBid } from "./Example.js"

const row = (facts: Example.Facts) => [{ target: oneRow[0]!.target, facts }]
const why = (made: ReturnType<typeof plan>) =>
  [...made.unchanged, ...made.unknown].map((one) => Said.why(one))
const clampsOf = (made: ReturnType<typeof plan>) => onlyChange(made).clamps.map(({ by, to }) => [by, to])

describe("raise_bid", () => {
  it("raises by the percentage and tells before, after, unit, reason and money", () => {
    const change = onlyChange(plan({ policies: [policy("01", raiseBid())] }))
    const { id, ...rest } = change
    assert.match(id, /^[0-9a-f]{32}$/)
    assert.deepStrictEqual(rest, {
      origin: { by: "policy", name: "01", line: 16 },
      subject: oneRow[0]!.target,
      campaignName: "Кеды",
      action: "raise_bid",
      before: 40_000,
      after: 44_000,
      kind: "cluster_bid",
      details: { payment: "cpm", inherited: false },
      clamps: [],
      reversible: true,
      reason: [{ condition: "orders >= 3", value: "5", holds: "true" }],
      overruled: [],
      moneyPerDayKopecks: 1000,
      spendPerDayKopecks: 10_000
    })
  })

  it("stops at the cap and says which line wrote it", () => {
    const change = onlyChange(plan({ policies: [policy("01", raiseBid({ cap: rub(430) }))] }))
    assert.strictEqual(change.after, 43_000)
    assert.deepStrictEqual(change.clamps, [
      { by: "cap", from: 44_000, to: 43_000, where: "rules/01.yaml:16" }
    ])
  })

  it("goes toward a recommendation without passing it, rounded down to the step", () => {
    const toward = Example.fact("cluster.recommended.reach_max")
    const made = plan({
      rows: row({ "cluster.recommended.reach_max": 41_550 }),
      policies: [policy("01", raiseBid({ toward }))]
    })
    assert.deepStrictEqual(clampsOf(made), [
      ["toward", 41_550],
      ["step", 41_500]
    ])
    assert.strictEqual(made.changes[0]?.clamps[1]?.where, "bid step of 1 ₽")
  })

  it("changes nothing when the recommendation is not known", () => {
    const toward = Example.fact("cluster.recommended.reach_max")
    const made = plan({ policies: [policy("01", raiseBid({ toward }))] })
    assert.deepStrictEqual(why(made), ["toward is unknown: not fetched: the call limit left no room for it"])
  })

  it("moves at least one step when every cap has room", () => {
    const by = { _tag: "Percent", basisPoints: 1 } as const
    assert.strictEqual(onlyChange(plan({ policies: [policy("01", raiseBid({ by }))] })).after, 40_100)
  })

  it("does not move when a cap has no room for one step", () => {
    const cap = Example.literal(40_050, { _tag: "Money" })
    const made = plan({ policies: [policy("01", raiseBid({ cap }))] })
    assert.deepStrictEqual(made.changes, [])
    assert.deepStrictEqual(why(made), ["no room to move: bid 400 ₽, cap 400.50 ₽ (rules/01.yaml:16)"])
  })

  it("never lowers a bid that is already above the cap", () => {
    assert.deepStrictEqual(plan({ policies: [policy("01", raiseBid({ cap: rub(200) }))] }).changes, [])
  })

  it("keeps to the share of the day's first bid", () => {
    const made = plan({
      policies: [policy("01", raiseBid(), { limits: { movePerDayBasisPoints: 500 } })],
      slots: [{ slot: oneSlot, dayFirstBid: 39_000 }]
    })
    assert.deepStrictEqual(clampsOf(made), [
      ["move_per_day", 40_950],
      ["step", 40_900]
    ])
  })

  it("takes the tightest of the account's, the campaign's and the policy's max_bid", () => {
    const named = Example.clause(
      'campaign.name = "Кеды"',
      Example.compare(Example.fact("campaign.name"), "=", Example.literal("Кеды", { _tag: "Text" }))
    )
    const made = plan({
      policies: [policy("01", raiseBid(), { limits: { maxBidKopecks: { cpm: Example.kopecks(43_900) } } })],
      limits: {
        maxBidKopecks: { cpm: Example.kopecks(43_500), cpc: Example.kopecks(100) },
        campaigns: [{ where: [named], maxBidKopecks: { cpm: Example.kopecks(43_000) } }]
      }
    })
    assert.deepStrictEqual(onlyChange(made).clamps, [
      { by: "max_bid", from: 44_000, to: 43_000, where: "_shared/limits.yaml campaigns[0].max_bid.cpm" }
    ])
  })

  it("changes nothing when a cap is below the minimum bid", () => {
    const made = plan({
      rows: row({ "campaign_item.min_bid": 50_000 }),
      policies: [policy("01", raiseBid())]
    })
    assert.deepStrictEqual(why(made), [
      "cap 450 ₽ (rules/01.yaml:16) is below min_bid 500 ₽ (the marketplace's minimum bid)"
    ])
  })

  it("needs no minimum: above the current bid is above it already", () => {
    const made = plan({
      rows: row({ "campaign_item.min_bid": undefined }),
      policies: [policy("01", raiseBid())]
    })
    assert.strictEqual(onlyChange(made).after, 44_000)
  })

  it("says that a cluster without a bid of its own inherits the item's", () => {
    const made = plan({ rows: row({ "cluster.has_own_bid": false }), policies: [policy("01", raiseBid())] })
    assert.strictEqual(Bids.detailsOf(onlyChange(made)).inherited, true)
  })

  it("leaves cluster bids of cpc and of standard-bid campaigns alone", () => {
    for (const facts of [{ "campaign.payment": "cpc" }, { "campaign.bid_type": "unified" }]) {
      const made = plan({ rows: row(facts), policies: [policy("01", raiseBid())] })
      assert.deepStrictEqual(why(made), [
        "only campaigns with custom bids paid per 1000 impressions have cluster bids"
      ])
    }
  })

  it("takes whole roubles when the step of cpm is not known, but only in roubles", () => {
    const rows = row({ "account.bid_step.cpm": undefined, "cluster.bid": 40_050 })
    const policies = [policy("01", raiseBid())]
    assert.strictEqual(onlyChange(plan({ rows, policies })).after, 44_000)
    assert.deepStrictEqual(why(plan({ rows, policies, currency: "KZT" })), [
      "the bid step for cpm in KZT is not known"
    ])
  })

  it("does not touch bids of completed campaigns", () => {
    const made = plan({ rows: row({ "campaign.status": "completed" }), policies: [policy("01", raiseBid())] })
    assert.deepStrictEqual(why(made), ["bids of a campaign that is completed cannot be changed"])
  })
})

describe("lower_bid", () => {
  it("lowers by the percentage, rounded down to the step", () => {
    const made = plan({ rows: row({ "cluster.bid": 41_500 }), policies: [policy("02", lowerBid())] })
    assert.deepStrictEqual([onlyChange(made).after, onlyChange(made).moneyPerDayKopecks], [37_300, -1012])
  })

  it("stops at the floor, and is satisfied there", () => {
    const made = plan({ policies: [policy("02", lowerBid({ floor: rub(390) }))] })
    assert.deepStrictEqual(clampsOf(made), [["floor", 39_000]])
    const after = plan({
      rows: row({ "cluster.bid": 39_000 }),
      policies: [policy("02", lowerBid({ floor: rub(390) }))]
    })
    assert.deepStrictEqual(why(after), ["already there: bid 390 ₽, floor 390 ₽ (rules/02.yaml:16)"])
  })

  it("never goes below the minimum, and decides nothing without it", () => {
    const steep = { _tag: "Percent", basisPoints: 9000 } as const
    const policies = [policy("02", lowerBid({ by: steep }))]
    assert.strictEqual(onlyChange(plan({ policies })).after, 15_000)
    const blind = plan({ policies, rows: row({ "campaign_item.min_bid": undefined }) })
    assert.deepStrictEqual(why(blind), ["the minimum bid is unknown, so nobody can say how low it may go"])
  })

  it("comes down to max_bid even when move_per_day allows less", () => {
    const made = plan({
      policies: [policy("02", lowerBid(), { limits: { movePerDayBasisPoints: 500 } })],
      limits: { maxBidKopecks: { cpm: Example.kopecks(30_000) } }
    })
    assert.strictEqual(onlyChange(made).after, 30_000)
  })
})

describe("move_per_day of a cluster that runs on its item's bid", () => {
  const itemSlot = "item_bid:777/1001/search"
  const limits = { movePerDayBasisPoints: 2_000 }
  const rows = (inherits: boolean) => row({ "cluster.bid": 36_000, "cluster.has_own_bid": !inherits })
  const made = (action: Action, inherits = true) =>
    plan({
      policies: [policy("01", action)],
      limits,
      rows: rows(inherits),
      // The item's bid was raised from 300 ₽ today, and the cluster's with it.
      slots: [{ slot: itemSlot, dayFirstBid: 30_000 }]
    })

  it("counts from where the item's bid began the day", () => {
    assert.deepStrictEqual(made(raiseBid()).changes, [])
    assert.deepStrictEqual(why(made(raiseBid())), [
      "no room to move: bid 360 ₽, move_per_day 360 ₽ (_shared/limits.yaml account.move_per_day)"
    ])
    assert.strictEqual(onlyChange(made(lowerBid())).after, 32_400)
  })

  it("goes on counting from there when the cluster has got its own bid", () => {
    const policies = [policy("01", raiseBid())]
    const slots = [{ slot: itemSlot, dayFirstBid: 30_000 }]
    const inheriting = row({ "cluster.bid": 33_000, "cluster.has_own_bid": false })
    const change = onlyChange(plan({ policies, limits, rows: inheriting, slots }))
    assert.deepStrictEqual([change.before, change.after], [33_000, 36_000])
    assert.strictEqual(JournalRows.bidBefore(change), 30_000)
    const { dayFirstBid } = Memory.after(undefined, oneSlot, change, Example.now, false)
    const rows = row({ "cluster.bid": 36_000 })
    const later = plan({ policies, limits, rows, slots: [...slots, { slot: oneSlot, dayFirstBid }] })
    assert.deepStrictEqual(later.changes, [])
  })

  it("counts from its own bid where it has one", () => {
    assert.strictEqual(onlyChange(made(raiseBid(), false)).after, 39_600)
  })
})

describe("set_bid", () => {
  it("sets the amount within the cap", () => {
    assert.strictEqual(onlyChange(plan({ policies: [policy("04", setBid())] })).after, 30_000)
    assert.strictEqual(onlyChange(plan({ policies: [policy("04", setBid({ to: rub(900) }))] })).after, 45_000)
  })

  it("goes no farther than max_step at once", () => {
    const made = plan({ policies: [policy("04", setBid({ maxStepBasisPoints: 1500 }))] })
    assert.deepStrictEqual(clampsOf(made), [["max_step", 34_000]])
  })

  it("never lets max_step keep a bid above the cap", () => {
    const made = plan({
      policies: [policy("04", setBid({ cap: rub(200), to: rub(390), maxStepBasisPoints: 1500 }))]
    })
    assert.strictEqual(onlyChange(made).after, 20_000)
  })

  it("comes down to a cap or max_bid that is farther than move_per_day allows, and no farther that day", () => {
    const low = (cap: number) => setBid({ to: rub(110), cap: rub(cap), maxStepBasisPoints: 1300 })
    const day = { movePerDayBasisPoints: 1000 }
    const slots = [{ slot: oneSlot, dayFirstBid: 40_000 }]
    const capped = plan({ limits: day, slots, policies: [policy("04", low(355))] })
    assert.deepStrictEqual(clampsOf(capped), [
      ["max_step", 34_800],
      ["move_per_day", 36_000],
      ["cap", 35_500]
    ])
    const limits = { ...day, maxBidKopecks: { cpm: Example.kopecks(35_000) } }
    const limited = { limits, slots, policies: [policy("04", low(450))] }
    assert.deepStrictEqual(clampsOf(plan(limited)), [
      ["max_step", 34_800],
      ["move_per_day", 36_000],
      ["max_bid", 35_000]
    ])
    const arrived = plan({ ...limited, rows: row({ "cluster.bid": 35_000 }) })
    assert.deepStrictEqual(arrived.changes, [])
    assert.deepStrictEqual(why(arrived), [
      "already there: bid 350 ₽, move_per_day 360 ₽ (_shared/limits.yaml account.move_per_day)"
    ])
  })

  it("stays inside the deadband", () => {
    const made = plan({ policies: [policy("04", setBid({ to: rub(410), deadbandBasisPoints: 500 }))] })
    assert.deepStrictEqual(why(made), [
      "already there, within the deadband: bid 400 ₽, to 410 ₽ (rules/04.yaml:16)"
    ])
  })

  it("comes down to the cap or max_bid though the amount is where the bid is", () => {
    const near = setBid({ to: rub(410), cap: rub(390), deadbandBasisPoints: 500 })
    assert.strictEqual(onlyChange(plan({ policies: [policy("04", near)] })).after, 39_000)
    const here = policy("04", setBid({ to: rub(400), cap: rub(450) }))
    const limits = { maxBidKopecks: { cpm: Example.kopecks(38_000) } }
    assert.strictEqual(onlyChange(plan({ limits, policies: [here] })).after, 38_000)
  })

  it("does not go down to its step where it was to go up and has no room", () => {
    const made = plan({
      rows: row({ "cluster.bid": 40_050 }),
      slots: [{ slot: oneSlot, dayFirstBid: 40_050 }],
      limits: { movePerDayBasisPoints: 0 },
      policies: [policy("04", setBid({ to: rub(440) }))]
    })
    assert.deepStrictEqual(made.changes, [])
  })

  it("never raises because the amount is below the floor", () => {
    const made = plan({ policies: [policy("04", setBid({ to: rub(100), floor: rub(420) }))] })
    assert.deepStrictEqual(made.changes, [])
  })
})

describe("bids of items", () => {
  const item = { each: "campaign_item", when: [] } as const

  it("are the search bid, the recommendations bid, or the standard bid", () => {
    const search = onlyChange(plan({ policies: [policy("04", raiseBid(), item)] }))
    const other = onlyChange(
      plan({ policies: [policy("04", raiseBid({ placement: "recommendations" }), item)] })
    )
    const rows = row({ "campaign.bid_type": "unified" })
    const standard = onlyChange(plan({ rows, policies: [policy("04", raiseBid(), item)] }))
    assert.deepStrictEqual(
      [search, other, standard].map((change) => [
        Bids.detailsOf(change).placement,
        change.before,
        change.after
      ]),
      [
        ["search", 30_000, 33_000],
        ["recommendations", 20_000, 22_000],
        ["combined", 30_000, 33_000]
      ]
    )
    assert.deepStrictEqual(search.subject, Example.target(777, 1001))
  })

  it("move in the step of their payment type", () => {
    const rows = row({ "campaign.payment": "cpc", "campaign_item.bid": 1005, "campaign_item.min_bid": 400 })
    const change = onlyChange(plan({ rows, policies: [policy("04", raiseBid(), item)] }))
    assert.deepStrictEqual([change.after, Bids.detailsOf(change).payment], [1100, "cpc"])
  })
})
