import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Decide from "../../src/engine/decide/Decide.js"
import * as Daytime from "../../src/engine/decide/intents/Daytime.js"
import type { Plan } from "../../src/engine/decide/Plan.js"
import * as Review from "../../src/engine/decide/Review.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Bids from "../../src/engine/kinds/Bids.js"
import * as MaxBid from "../../src/engine/language/MaxBid.js"
import type { Action, Policy } from "../../src/engine/language/Policy.js"
import * as Timetable from "../../src/engine/schedule/Timetable.js"
import * as Depth from "../Depth.js"
import * as Said from "../reporting/Said.js"
import * as Example from "./Example.js"

/** 09:00 on a Tuesday in Moscow lies inside. */
const morning = { fromMinute: 8 * 60, toMinute: 10 * 60 }
const night = { fromMinute: 22 * 60, toMinute: 6 * 60 }
const slot = Example.oneSlot

const adjust = (basisPoints: number, cap = 900): Action => ({
  _tag: "AdjustBid",
  basisPoints,
  ...(basisPoints > 0 ? { cap: Example.rub(cap) } : { floor: Example.rub(100) }),
  placement: "search",
  span: Example.span
})

const boost = (id = "boost", more: Partial<Policy> = {}, basisPoints = 2_000) =>
  Example.policy(id, adjust(basisPoints), { during: morning, ...more })

/** The bid of 400 ₽ that the example has, as an overlay of +25% over 320 ₽. */
const standing = {
  slot,
  lastPolicy: "boost",
  overlay: { policy: "boost", basisPoints: 2_500, baseKopecks: 32_000, afterKopecks: 40_000 }
}

const only = (situation: Example.Situation) => {
  const { changes } = Example.plan(situation)
  expect(changes.length).toBe(1)
  return changes[0]!
}

describe("the part of the day", () => {
  const at = (text: string) => Date.parse(`${text}+03:00`)
  const zone = "Europe/Moscow"

  it("begins with its first minute and ends before its last", () => {
    const evening = { fromMinute: 18 * 60, toMinute: 23 * 60 }
    expect(Daytime.begunAt(evening, zone, at("2026-09-01T17:59:59"))).toBeUndefined()
    expect(Daytime.begunAt(evening, zone, at("2026-09-01T18:00:00"))).toBe(at("2026-09-01T18:00:00"))
    expect(Daytime.begunAt(evening, zone, at("2026-09-01T22:59:59"))).toBe(at("2026-09-01T18:00:00"))
    expect(Daytime.begunAt(evening, zone, at("2026-09-01T23:00:00"))).toBeUndefined()
  })

  it("began when the clock said so, though clocks were changed since", () => {
    const early = { fromMinute: 60, toMinute: 5 * 60 }
    const begun = (now: string) => Daytime.begunAt(early, "Europe/Berlin", Date.parse(now))
    expect(begun("2026-10-25T04:30:40+01:00")).toBe(Date.parse("2026-10-25T01:00:00+02:00"))
    expect(begun("2026-03-29T04:30:40+02:00")).toBe(Date.parse("2026-03-29T01:00:00+01:00"))
    expect(begun("2026-10-25T02:30:00+01:00")).toBe(Date.parse("2026-10-25T01:00:00+02:00"))
  })

  it("is over for good at the first of two ends, and begins no sooner than the clock can show it", () => {
    const berlin = (from: string, to: string) => {
      const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
      const during = { fromMinute: minutes(from), toMinute: minutes(to) }
      return (now: string) => Daytime.begunAt(during, "Europe/Berlin", Date.parse(now))
    }
    const late = berlin("23:00", "02:30")
    expect(late("2026-10-25T02:29:59+02:00")).toBe(Date.parse("2026-10-24T23:00:00+02:00"))
    for (const now of ["02:30:00+02:00", "02:00:00+01:00", "02:29:00+01:00", "02:30:00+01:00"])
      expect(late(`2026-10-25T${now}`)).toBeUndefined()
    const twice = berlin("02:15", "06:00")
    for (const now of ["02:15:00+02:00", "02:05:00+01:00", "02:20:00+01:00", "05:00:00+01:00"])
      expect(twice(`2026-10-25T${now}`)).toBe(Date.parse("2026-10-25T02:15:00+02:00"))
    const never = berlin("02:30", "06:00")
    expect(never("2026-03-29T01:59:00+01:00")).toBeUndefined()
    for (const now of ["03:00:00", "03:10:00", "05:59:00"])
      expect(never(`2026-03-29T${now}+02:00`)).toBe(Date.parse("2026-03-29T03:00:00+02:00"))
    expect(berlin("02:10", "02:50")("2026-03-29T03:00:00+02:00")).toBeUndefined()
  })

  it("is never begun later than now, and is over when the schedule that ends it is due", () => {
    const zones = [
      "Europe/Berlin",
      "America/New_York",
      "America/Havana",
      "Atlantic/Azores",
      "Australia/Lord_Howe"
    ]
    const minute = fc.integer({ min: 0, max: 1439 })
    const change = fc.constantFrom(
      "2027-03-13",
      "2027-03-27",
      "2027-04-03",
      "2027-10-02",
      "2027-10-30",
      "2027-11-06"
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        minute,
        minute,
        change,
        fc.nat(72 * 60),
        (tz, from, to, day, later) => {
          const nowMs = Date.parse(`${day}T00:00:00Z`) + later * 60_000
          const begun = Daytime.begunAt({ fromMinute: from, toMinute: to }, tz, nowMs)
          const end = to > from ? to : to + 1440
          const last = (at: number) => Timetable.latest({ at: [at], tz }, nowMs - 4 * 86_400_000, nowMs) ?? 0
          expect(begun ?? 0).toBeLessThanOrEqual(nowMs)
          fc.pre(last(from) !== last(end))
          expect(begun !== undefined).toBe(last(from) > last(end))
          if (begun !== undefined) expect(begun).toBe(last(from))
        }
      ),
      { numRuns: Depth.cases(2000) }
    )
  })

  it("belongs past midnight to the day it began on", () => {
    const fridays = { ...night, days: ["fri"] as const }
    expect(Daytime.begunAt(fridays, zone, at("2026-09-04T23:00:00"))).toBe(at("2026-09-04T22:00:00"))
    expect(Daytime.begunAt(fridays, zone, at("2026-09-05T05:59:00"))).toBe(at("2026-09-04T22:00:00"))
    expect(Daytime.begunAt(fridays, zone, at("2026-09-05T06:00:00"))).toBeUndefined()
    expect(Daytime.begunAt(fridays, zone, at("2026-09-04T05:00:00"))).toBeUndefined()
    expect(Daytime.begunAt(fridays, zone, at("2026-09-05T22:00:00"))).toBeUndefined()
  })
})

describe("an overlay", () => {
  it("without room gives another's back to the base, but neither above max_bid nor below the minimum", () => {
    const other = { ...standing, overlay: { ...standing.overlay, policy: "other", baseKopecks: 50_000 } }
    const strict = boost("boost", { limits: { maxBidKopecks: { cpm: Example.kopecks(45_000) } } })
    expect(only({ policies: [strict], slots: [other] }).after).toBe(45_000)
    const low = { ...standing, overlay: { ...standing.overlay, policy: "other", baseKopecks: 10_000 } }
    const lowest = {
      target: Example.target(777, 1001, "женские кеды"),
      facts: { "campaign_item.min_bid": 15_050 }
    }
    expect(only({ policies: [boost("boost", {}, -2_000)], slots: [low], rows: [lowest] }).after).toBe(15_100)
  })

  it("over a cluster without a bid of its own ends at the item's bid of now, and not while nobody knows that", () => {
    const inherited = { ...standing, overlay: { ...standing.overlay, inherited: true } } as const
    const made = (bid: number | undefined) =>
      Example.plan({
        policies: [boost("boost", { during: night })],
        slots: [inherited],
        rows: [{ ...Example.oneRow[0]!, facts: { "campaign_item.bid": bid } }]
      })
    expect(made(35_000).changes.map(({ after }) => after)).toEqual([35_000])
    expect(made(undefined).changes).toEqual([])
    expect(made(undefined).unknown.map(Said.why)).toEqual([
      "campaign_item.bid is unknown: the marketplace did not report it"
    ])
  })

  describe("over a cluster without a bid of its own, and over its item's", () => {
    const policies = (mode: Policy["mode"]) => [
      boost("boost", { during: night }),
      boost("items", { during: night, each: "campaign_item", mode })
    ]
    const plan = (share: number, mode: Policy["mode"] = "apply") =>
      Example.plan({
        policies: policies(mode),
        slots: [
          { ...standing, overlay: { ...standing.overlay, afterKopecks: share, inherited: true } },
          {
            slot: "item_bid:777/1001/search",
            lastPolicy: "items",
            overlay: { policy: "items", basisPoints: 2_500, baseKopecks: 32_000, afterKopecks: 40_000 }
          }
        ],
        rows: [{ ...Example.oneRow[0]!, facts: { "campaign_item.bid": 40_000, "cluster.bid": share } }]
      })
    const ended = (share: number, mode?: Policy["mode"]) =>
      plan(share, mode).changes.filter(({ kind }) => kind === "cluster_bid")

    it("ends where the item's ends in the same plan: the bid and the money are those of the item's base", () => {
      const [change] = ended(27_000)
      expect(change).toMatchObject({ before: 27_000, after: 32_000, moneyPerDayKopecks: 1_852 })
      expect(change?.details).toMatchObject({ clears: true, overlay: { baseKopecks: 32_000 } })
      expect(ended(40_000)).toMatchObject([{ after: 32_000, moneyPerDayKopecks: -2_000 }])
    })

    it("shows the item's bid of now while that one stays", () => {
      expect(ended(27_000, "preview")).toMatchObject([{ after: 40_000 }])
    })

    it("shows the item's bid of now where that one is held", () => {
      const hold = { account: "shop", kind: "policy", what: "items", by: "anna", since: Example.now } as const
      const of = (holds: ReadonlyArray<typeof hold>) =>
        Review.review(plan(27_000), {
          rules: Example.rules(policies("apply")),
          ...Example.around,
          campaigns: Example.campaigns(),
          stops: {
            holds,
            edits: new Map(),
            unsettled: new Map(),
            editHoldMs: 0,
            nowMs: Example.now,
            zone: "UTC"
          }
        })
      expect(of([]).appliable.map(({ after }) => after)).toEqual([32_000, 32_000])
      expect(of([hold])).toMatchObject({
        plan: { held: [{ by: "hold" }], changes: [{ after: 40_000, moneyPerDayKopecks: 4_815 }] },
        appliable: [{ after: 40_000 }]
      })
    })

    it("says that it has no bid of its own again", () => {
      expect(ended(27_000)[0]?.reason).toContainEqual({
        condition: "no bid of its own again",
        value: "the item's bid in search holds",
        holds: "true"
      })
    })
  })

  it("ends where its rows are out, and blames no call limit for what nobody asked of them", () => {
    const isActive = Example.clause(
      "campaign.status = active",
      Example.compare(Example.fact("campaign.status"), "=", Example.literal("active", FactType.text))
    )
    const change = only({
      policies: [boost("boost", { where: [isActive] })],
      slots: [standing],
      rows: [
        {
          ...Example.oneRow[0]!,
          facts: { "campaign.status": "paused", "cluster.orders@7d": Cells.unknown("notFetched") }
        }
      ]
    })
    expect(change).toMatchObject({ after: 32_000 })
    expect(change.reason.slice(-1)).toEqual([
      {
        condition: "orders >= 3",
        value: "unknown (not asked, for another condition does not hold)",
        holds: "unknown"
      }
    ])
  })

  it("stays where max_bid is below the minimum, since no bid to give back is both", () => {
    const limits = { maxBidKopecks: { cpm: Example.kopecks(14_000) } }
    const made = Example.plan({ policies: [boost("boost", { during: night })], slots: [standing], limits })
    expect(made.changes).toEqual([])
    expect(made.unchanged.map(Said.why)).toEqual([
      "max_bid 140 ₽ (_shared/limits.yaml account.max_bid.cpm) is below the marketplace's minimum bid 150 ₽"
    ])
  })

  it("may stand above the max_bid of the policy that moves its base, and never above its own or the account's", () => {
    const steer = (bound: number) =>
      Example.policy("steer", Example.lowerBid(), {
        limits: { maxBidKopecks: { cpm: Example.kopecks(bound) } }
      })
    const review = (bound: number, account?: number) => {
      const policies = [boost("boost", {}, 2_500), steer(bound)]
      const made = Example.plan({ policies, slots: [standing] })
      const limits = account === undefined ? {} : { maxBidKopecks: { cpm: Example.kopecks(account) } }
      return Review.review(made, {
        rules: Example.rules(policies, limits),
        ...Example.around,
        campaigns: Example.campaigns()
      })
    }
    expect(
      review(33_000).appliable.map((change) => [change.after, Bids.overlayOf(change)?.baseKopecks])
    ).toEqual([[36_000, 28_800]])
    expect(review(33_000, 35_000).plan.held.map(({ by }) => by)).toEqual(["max_bid"])
  })

  it("records what bent it", () => {
    const change = only({ policies: [Example.policy("boost", adjust(2_000, 450), { during: morning })] })
    expect(change).toMatchObject({
      action: "adjust_bid",
      before: 40_000,
      after: 45_000,
      details: { overlay: { baseKopecks: 40_000 } }
    })
    expect(change.clamps.map(({ by }) => by)).toEqual(["cap"])
  })

  it("keeps to the account's largest bid, and to move_per_day as a distance from its base", () => {
    const limits = { maxBidKopecks: { cpm: 44_000 as never } }
    expect(only({ policies: [boost()], limits }).after).toBe(44_000)
    expect(only({ policies: [boost()], limits: { movePerDayBasisPoints: 500 } }).after).toBe(42_000)
  })

  it("asks neither for new statistics nor for the end of a cooldown, but waits for a change in flight", () => {
    const policies = [boost("boost", { cooldownMs: 86_400_000 })]
    const slots = [{ slot, lastAppliedAt: Example.now - 1 }]
    expect(only({ policies, slots }).after).toBe(48_000)
    const pending = Example.plan({ policies, slots: [{ slot, pendingSince: Example.now - 1 }] })
    expect([pending.changes.length, pending.unknown.length]).toEqual([0, 1])
  })

  it("ends when its row does not match any more, and stays while nobody can decide", () => {
    const rows = (orders: number | undefined) => [
      { ...Example.oneRow[0]!, facts: { "cluster.orders@7d": orders } }
    ]
    const policies = [boost("boost", {}, 2_500)]
    expect(only({ policies, slots: [standing], rows: rows(1) })).toMatchObject({
      after: 32_000,
      details: { overlay: { basisPoints: 0 } }
    })
    const unsure = Example.plan({ policies, slots: [standing], rows: rows(undefined) })
    expect([unsure.changes.length, unsure.unknown.length]).toEqual([0, 1])
  })

  it("gives its base back after its time though the facts of its conditions are unknown", () => {
    const rows = [
      { ...Example.oneRow[0]!, facts: { "cluster.orders@7d": undefined, "campaign_item.min_bid": undefined } }
    ]
    expect(only({ policies: [boost("boost", { during: night })], slots: [standing], rows }).after).toBe(
      32_000
    )
  })

  it("does not give back more than the account's largest bid", () => {
    const cut = { ...standing, overlay: { ...standing.overlay, basisPoints: -2_000, baseKopecks: 50_000 } }
    const limits = { maxBidKopecks: { cpm: 45_050 as never } }
    const change = only({ policies: [boost("boost", { during: night }, -2_000)], slots: [cut], limits })
    expect([change.after, change.clamps.map(({ by }) => by)]).toEqual([45_000, ["max_bid"]])
  })

  it("of two policies is the cheaper one, laid over the base, never over the other", () => {
    const two = [boost("a", {}, 3_000), boost("b", {}, 1_000)]
    expect(only({ policies: two })).toMatchObject({ origin: { name: "b" }, after: 44_000, overruled: ["a"] })
    const change = only({
      policies: [boost("b", {}, 1_000)],
      slots: [{ ...standing, overlay: { ...standing.overlay, policy: "a" } }]
    })
    expect(change).toMatchObject({
      origin: { name: "b" },
      after: 35_200,
      details: { overlay: { baseKopecks: 32_000 } }
    })
  })

  describe("beside another policy's that stands, cheaper, while its time runs", () => {
    const low = {
      ...standing,
      overlay: { ...standing.overlay, policy: "low", basisPoints: -2_000, baseKopecks: 50_000 }
    }
    const made = (low_: Partial<Policy>, high: Partial<Policy> = {}, of = ["high"]) => {
      const policies = [boost("high", high), boost("low", low_, -2_000)]
      const gathered = Example.input({ policies, slots: [low] }).gathered
      return Decide.plan({
        ...Example.input({ policies, slots: [low] }),
        gathered: gathered.filter(({ policy }) => of.includes(policy.id))
      })
    }

    it("waits", () => {
      const { changes, unchanged } = made({})
      expect(changes).toEqual([])
      expect(unchanged.map(Said.why)).toEqual([
        "the cheaper overlay of low stands; this one is laid when that is over"
      ])
    })

    it.each<[string, Partial<Policy>]>([
      ["is over", { during: night }],
      ["is disabled", { mode: "disabled" }],
      ["only shows", { mode: "preview" }],
      ["is for other rows now", { each: "campaign_item" }],
      ["goes after it", { tier: "explore" }]
    ])("takes its place where that policy %s", (_, more) => {
      expect(made(more).changes).toMatchObject([{ after: 60_000, origin: { name: "high" } }])
    })

    it("does not take the place of a dearer one of a higher tier", () => {
      const policies = [boost("high", {}, -2_000), boost("boost", { tier: "safety" }, 2_500)]
      const input = Example.input({ policies, slots: [standing] })
      const { changes, unchanged } = Decide.plan({
        ...input,
        gathered: input.gathered.filter(({ policy }) => policy.id === "high")
      })
      expect(changes).toEqual([])
      expect(unchanged.map(Said.why)).toEqual([
        "the overlay of boost (tier safety) stands; this one is laid when that is over"
      ])
    })

    it("lets that one end in the same run, when its row stops to match", () => {
      const never = { rules: [{ when: [Example.ordersAtLeast(99)], action: adjust(-2_000) }] }
      expect(made(never, {}, ["high", "low"]).changes).toMatchObject([
        { after: 50_000, origin: { name: "low" }, details: { overlay: { basisPoints: 0 } } }
      ])
    })
  })

  it("is laid although steering wants to keep the bid where it is", () => {
    const keeping = Example.policy("keep", Example.setBid({ to: Example.rub(400) }))
    expect(only({ policies: [boost(), keeping] }).after).toBe(48_000)
  })

  it("lets steering of a higher tier go first", () => {
    const safety = Example.policy("stop", Example.lowerBid(), { tier: "safety" })
    expect(only({ policies: [boost(), safety] })).toMatchObject({
      origin: { name: "stop" },
      overruled: ["boost"]
    })
  })

  it("is carried along by steering, whose gates do not count the overlay's beginning", () => {
    const edge = { policy: "boost", at: Example.now - 1, on: true }
    const policies = [boost("boost", {}, 2_500), Example.policy("steer", Example.raiseBid())]
    expect(only({ policies, slots: [{ ...standing, lastEdge: edge }] })).toMatchObject({
      origin: { name: "steer" },
      before: 40_000,
      details: { overlay: { baseBeforeKopecks: 32_000, baseKopecks: 35_200 } },
      after: 44_000
    })
  })

  describe("whose policy does not act any more", () => {
    const gone = "its file is gone"
    it.each([
      ["gone", [], gone],
      ["disabled", [boost("boost", { mode: "disabled" })], "it is in mode disabled"],
      ["in preview", [boost("boost", { mode: "preview", during: night })], "it is in mode preview"]
    ])("(%s) is told of, with the way back, and left alone", (_, policies, why) => {
      const plan = Example.plan({
        policies: [
          ...policies,
          Example.policy("other", Example.addMinus(), { when: [Example.ordersAtLeast(99)] })
        ],
        slots: [standing]
      })
      expect(plan.changes).toEqual([])
      expect(plan.notices?.map(({ policy, text }) => [policy, text])).toEqual([
        ["boost", expect.stringContaining(`${why}: 777/1001/женские кеды at 400 ₽, base 320 ₽`)]
      ])
    })

    it("since it is for other rows now, is told of too: nothing would end it", () => {
      const policies = [boost("boost", { each: "campaign_item", during: night })]
      const { changes, notices } = Example.plan({ policies, slots: [standing] })
      expect(changes).toEqual([])
      expect(notices?.map(({ policy, text }) => [policy, text])).toEqual([
        [
          "boost",
          expect.stringContaining(
            "1 bid still stands under its overlay though it is for each: campaign_item now: 777/1001/женские кеды at 400 ₽, base 320 ₽. To bring the base back, run the policy once more in mode apply and with its earlier each: outside"
          )
        ]
      ])
    })

    it("keeps a cluster that follows its item waiting until a person sets the item's bid, and says so", () => {
      const overItem = { ...standing, slot: "item_bid:777/1001/search" }
      const rows = [
        {
          ...Example.oneRow[0]!,
          facts: { "cluster.has_own_bid": false, "campaign_item.bid": 40_000 }
        }
      ]
      const plan = (policies: ReadonlyArray<Policy>, slots = [overItem]) =>
        Example.plan({ policies: [...policies, Example.policy("steer", Example.raiseBid())], slots, rows })
      const why = (policies: ReadonlyArray<Policy>) => plan(policies).unchanged.map(Said.why)
      const stands = "it has no bid of its own, and the overlay of boost stands over its item's"
      const goesOn = boost("boost", { each: "campaign_item", rules: [{ when: [], action: adjust(2_500) }] })
      expect(why([goesOn])).toContain(`${stands}; it is moved when that is over`)
      const left = `${stands}, which no rule ends: set the item's bid by hand, or bring its base back as the plan's notice says`
      expect(why([])).toEqual([left])
      expect(why([boost("boost", { each: "campaign_item", mode: "preview" })])).toContain(left)
      expect(why([boost()])).toContain(left)
      const byHand = { ...overItem, overlay: { ...overItem.overlay, afterKopecks: 48_000 } }
      expect(plan([], [byHand]).changes.map(({ after }) => after)).toEqual([44_000])
    })

    it("is never carried higher than it stands, but lower with its base", () => {
      const up = Example.plan({ policies: [Example.policy("steer", Example.raiseBid())], slots: [standing] })
      expect(up.changes).toEqual([])
      expect(
        only({ policies: [Example.policy("steer", Example.lowerBid())], slots: [standing] })
      ).toMatchObject({
        details: { overlay: { baseKopecks: 28_800 } },
        after: 36_000
      })
    })

    it("is not told of when somebody changed the bid since", () => {
      const changed = { ...standing, overlay: { ...standing.overlay, afterKopecks: 41_000 } }
      const policies = [Example.policy("steer", Example.raiseBid())]
      expect(Example.plan({ policies, slots: [changed] }).notices).toEqual([])
    })
  })
})

describe("an overlay of a saved plan", () => {
  const policies = [boost()]
  const reloaded = (made: Plan, nowMs: number, zone = "Europe/Moscow") =>
    Either.getOrThrow(
      Review.reload(JSON.parse(JSON.stringify(made)), {
        rules: Example.rules(policies),
        ...Example.around,
        campaigns: Example.campaigns(),
        account: "shop",
        nowMs,
        zone
      })
    )
  const hourMs = 3_600_000

  it("is laid while its time lasts, and not after it: the base would stay raised", () => {
    const made = Example.plan({ policies })
    expect(made.changes).toMatchObject([{ action: "adjust_bid", after: 48_000 }])
    expect(reloaded(made, Example.now + hourMs / 2).appliable.length).toBe(1)
    const late = reloaded(made, Example.now + 5 * hourMs)
    expect(late.appliable).toEqual([])
    expect(Said.held(late.plan.held)).toMatchObject([
      { by: "during", limit: "rules/boost.yaml during 08:00-10:00", over: "it is tue 14:00 now" }
    ])
    expect(reloaded(made, Example.now + 25 * hourMs - 2 * hourMs).appliable.length).toBe(1)
  })

  it("keeps to the seller's time of day", () => {
    const made = Example.plan({ policies })
    expect(Said.held(reloaded(made, Example.now + hourMs / 2, "Asia/Yekaterinburg").plan.held)).toMatchObject(
      [{ by: "during", over: "it is tue 11:30 now" }]
    )
  })

  it("ends whenever the plan is applied", () => {
    const ended = Example.plan({ policies, slots: [standing], nowMs: Example.now + 5 * hourMs })
    expect(ended.changes).toMatchObject([{ after: 32_000, details: { overlay: { basisPoints: 0 } } }])
    expect(reloaded(ended, Example.now + 6 * hourMs).appliable.length).toBe(1)
  })
})

describe("a run whose statistics are in doubt", () => {
  /** 09:00 in Moscow is 11:00 in Yekaterinburg. */
  const zone = "Asia/Yekaterinburg"
  const review = (during: NonNullable<Policy["during"]>, orders: number) => {
    const policies = [boost("boost", { during })]
    const rows = [{ ...Example.oneRow[0]!, facts: { "cluster.orders@7d": orders } }]
    const draft = Decide.plan({ ...Example.input({ policies, rows, slots: [standing] }), zone })
    expect(draft.changes).toMatchObject([{ details: { overlay: { basisPoints: 0 } } }])
    const context = {
      rules: Example.rules(policies),
      ...Example.around,
      campaigns: Example.campaigns(),
      zone
    }
    return Review.review({ ...draft, observeOnly: "zeros", observeOnlyFor: "statistics" }, context)
  }

  it("leaves an overlay that only stopped to match while its time lasts where the seller is", () => {
    expect(review({ fromMinute: 10 * 60, toMinute: 12 * 60 }, 0).appliable).toEqual([])
  })

  it("ends an overlay whose time is over where the seller is", () => {
    expect(review({ fromMinute: 8 * 60, toMinute: 10 * 60 }, 0).appliable.length).toBe(1)
  })
})

describe("max_bid below a standing overlay", () => {
  const itemSlot = "item_bid:777/1001/search"
  const rows = (bid: number) => [
    { target: Example.target(777, 1001), facts: { "campaign_item.bid": bid, "campaign_item.orders@7d": 5 } }
  ]
  const limits = {
    maxBidKopecks: { cpm: 45_000 as never },
    maxBidSpan: Example.span,
    enforceMaxBid: "apply" as const
  }
  const over = (baseKopecks: number, afterKopecks: number) => ({
    slot: itemSlot,
    lastPolicy: "boost",
    overlay: { policy: "boost", basisPoints: 2_000, baseKopecks, afterKopecks }
  })
  const itemBoost = boost("boost", { each: "campaign_item", rules: [{ when: [], action: adjust(2_000) }] })
  const enforced = MaxBid.policies(Example.rules([], limits).limits)

  it.each([
    ["below it", 40_000, 48_000, 40_000],
    ["at it", 45_000, 54_000, 45_000],
    ["above it", 50_000, 60_000, 45_000]
  ])("brings the overlay down and never the base up: base %s", (_, base, live, baseAfter) => {
    const situation = {
      policies: [...enforced, itemBoost],
      limits,
      rows: rows(live),
      slots: [over(base, live)]
    }
    expect(only(situation)).toMatchObject({
      origin: { name: "limits/max-bid" },
      before: live,
      after: 45_000,
      details: { overlay: { baseBeforeKopecks: base, baseKopecks: baseAfter } }
    })
  })

  it("comes down though the policy that laid the overlay is gone", () => {
    const situation = { policies: enforced, limits, rows: rows(48_000), slots: [over(40_000, 48_000)] }
    expect(only(situation)).toMatchObject({ after: 45_000, details: { overlay: { baseKopecks: 40_000 } } })
  })
})

it("a lower base whose overlay goes higher counts as dearer", () => {
  const slots = [{ ...standing, overlay: { ...standing.overlay, basisPoints: 5_000 } }]
  const policies = [boost("boost", {}, 5_000), Example.policy("cut", Example.lowerBid())]
  const veto = Example.policy("veto", Example.lowerBid({ floor: Example.rub(320) }))
  expect(only({ policies: policies.map(tiered), slots })).toMatchObject({
    origin: { name: "cut" },
    before: 40_000,
    after: 43_200
  })
  expect(
    Example.plan({ policies: [...policies, veto].map(tiered), slots }).changes.map((c) => c.origin.name)
  ).not.toContain("cut")
})

/** Steering goes before the overlay's edge. */
const tiered = (policy: Policy): Policy => (policy.id === "boost" ? policy : { ...policy, tier: "safety" })

it("an overlay ends in time though another policy's, which cannot be decided, would follow it", () => {
  const unsure = { ...adjust(1_000), cap: Example.fact("cluster.spend", Example.week) } as Action
  const next = Example.policy("next", unsure, { during: morning, tier: "safety" })
  const rows = [{ ...Example.oneRow[0]!, facts: { "cluster.spend@7d": undefined } }]
  const policies = [boost("boost", { during: night }), next]
  const plan = Example.plan({ policies, rows, slots: [standing] })
  expect(plan.changes).toMatchObject([
    { origin: { name: "boost" }, after: 32_000, details: { overlay: { basisPoints: 0 } } }
  ])
  expect(plan.unknown.map(({ policy }) => policy)).toEqual(["next"])
})
