import { assert, describe, it } from "vitest"
import * as Review from "../../src/engine/decide/Review.js"
import * as Said from "../reporting/Said.js"
import * as Example from "./Example.js"
import {
  addMinus,
  lowerBid,
  oneRow,
  oneSlot,
  onlyChange,
  pause,
  plan,
  policy,
  raiseBid,
  removeMinus,
  rub,
  setBid,
  start
} from "./Example.js"

const campaign = { each: "campaign", when: [] } as const
const row = (facts: Example.Facts) => [{ target: oneRow[0]!.target, facts }]
const unchanged = (made: ReturnType<typeof plan>) =>
  made.unchanged.map(({ policy: id, because }) => [id, Said.why({ because })])

describe("two policies on one slot", () => {
  it("the lowest bid wins, and the change names whom it overruled", () => {
    const made = plan({
      policies: [policy("01", raiseBid()), policy("02", lowerBid()), policy("03", setBid())]
    })
    const change = onlyChange(made)
    assert.deepStrictEqual([change.origin.name, change.after, change.overruled], ["03", 30_000, ["01", "02"]])
  })

  it("a tie goes to the smaller policy id, and agreement overrules nobody", () => {
    const change = onlyChange(plan({ policies: [policy("02", raiseBid()), policy("01", raiseBid())] }))
    assert.deepStrictEqual([change.origin.name, change.overruled], ["01", []])
  })

  it("a satisfied lower keeps the bid from rising; a satisfied raise does not keep it from falling", () => {
    const rows = row({ "cluster.bid": 10_000, "campaign_item.min_bid": 5_000 })
    const kept = plan({ rows, policies: [policy("01", raiseBid()), policy("02", lowerBid())] })
    assert.deepStrictEqual(unchanged(kept), [
      ["01", "held back by 02"],
      ["02", "already there: bid 100 ₽, floor 100 ₽ (rules/02.yaml:16)"]
    ])
    assert.deepStrictEqual(
      kept.unchanged.map(({ because }) => (because.code === "held_back" ? because.by : undefined)),
      [["02"], undefined]
    )
    const fell = plan({
      rows: row({ "cluster.bid": 45_000 }),
      policies: [policy("01", raiseBid()), policy("02", lowerBid())]
    })
    assert.strictEqual(onlyChange(fell).origin.name, "02")
  })

  it("a lower that cannot be decided keeps the bid from rising too", () => {
    const rows = row({ "campaign_item.min_bid": undefined })
    const made = plan({ rows, policies: [policy("01", raiseBid()), policy("02", lowerBid())] })
    assert.deepStrictEqual([made.changes.length, unchanged(made)], [0, [["01", "held back by 02"]]])
  })

  it("pause wins over start, whether the campaign runs or not", () => {
    const policies = [policy("05", start, campaign), policy("07", pause, campaign)]
    assert.deepStrictEqual(onlyChange(plan({ policies })).origin.name, "07")
    const paused = plan({ policies, rows: row({ "campaign.status": "paused" }) })
    assert.deepStrictEqual(
      [paused.changes, unchanged(paused)],
      [
        [],
        [
          ["05", "held back by 07"],
          ["07", "already paused"]
        ]
      ]
    )
  })

  it("adding and removing the same minus phrase changes nothing", () => {
    for (const inMinus of [true, false]) {
      const made = plan({
        rows: row({ "cluster.in_minus": inMinus }),
        policies: [policy("02", addMinus()), policy("03", removeMinus)]
      })
      assert.deepStrictEqual([made.changes.length, made.unchanged.length], [0, 2])
    }
  })

  it("a policy in preview does not bend what a policy in apply does", () => {
    const preview = { mode: "preview" } as const
    const change = onlyChange(
      plan({ policies: [policy("01", raiseBid()), policy("02", lowerBid(), preview)] })
    )
    assert.deepStrictEqual([change.origin.name, change.overruled], ["01", ["02"]])
    const free = onlyChange(plan({ policies: [policy("02", lowerBid(), preview)] }))
    assert.strictEqual(free.origin.name, "02")
  })

  it("a disabled policy wants nothing", () => {
    const made = plan({ policies: [policy("01", raiseBid(), { mode: "disabled" })] })
    assert.deepStrictEqual([made.changes, made.policies], [[], []])
  })
})

describe("statuses and minus phrases", () => {
  it("pause stops only what is active", () => {
    const change = onlyChange(plan({ policies: [policy("07", pause, campaign)] }))
    assert.deepStrictEqual(
      [change.subject, change.before, change.after, change.moneyPerDayKopecks, change.reversible],
      [
        Example.target(777),
        "active",
        "paused",
        { unknown: "no spend is known over a window of this rule" },
        true
      ]
    )
    const ready = plan({
      rows: row({ "campaign.status": "ready" }),
      policies: [policy("07", pause, campaign)]
    })
    assert.deepStrictEqual(unchanged(ready), [["07", "a campaign that is ready cannot become paused"]])
  })

  it("a start from ready cannot be taken back to ready", () => {
    const made = plan({
      rows: row({ "campaign.status": "ready" }),
      policies: [policy("05", start, campaign)]
    })
    assert.strictEqual(onlyChange(made).reversible, false)
  })

  it("a pause saves the spend per day of the rule's window", () => {
    const spends = Example.clause(
      "spend > 0 ₽",
      Example.compare(Example.fact("campaign.spend", Example.week), ">", rub(0))
    )
    const made = plan({ policies: [policy("07", pause, { each: "campaign", when: [spends] })] })
    assert.strictEqual(onlyChange(made).moneyPerDayKopecks, -100_000)
  })

  it("a minus phrase saves its cluster's spend", () => {
    const change = onlyChange(plan({ policies: [policy("02", addMinus())] }))
    assert.deepStrictEqual([change.before, change.after, change.moneyPerDayKopecks], [false, true, -10_000])
  })

  it("additions of one run share what is left of the list", () => {
    const rows = ["а", "б", "в"].map((cluster) => ({
      target: Example.target(777, 1001, cluster),
      facts: { "campaign_item.minus.count": 898 }
    }))
    const made = plan({ rows, policies: [policy("02", addMinus(900))] })
    assert.deepStrictEqual(
      [made.changes.map((change) => change.subject.cluster), unchanged(made)],
      [["а", "б"], [["02", "the list is full: 900 phrases with this plan's, max_total 900"]]]
    )
  })

  it("a preview takes no place in the list from what is done", () => {
    const rows = ["а", "б"].map((cluster) => ({
      target: Example.target(777, 1001, cluster),
      facts: {
        "campaign_item.minus.count": 899,
        "cluster.orders@7d": cluster === "а" ? 9 : 5
      }
    }))
    const shown = policy("01", addMinus(900), { mode: "preview", when: [Example.ordersAtLeast(9)] })
    const few = Example.clause(
      "orders < 9",
      Example.compare(
        Example.fact("cluster.orders", Example.week),
        "<",
        Example.literal(9, Example.fact("cluster.orders", Example.week).type)
      )
    )
    const done = policy("02", addMinus(900), { when: [few] })
    const made = plan({ rows, policies: [shown, done] })
    assert.deepStrictEqual(
      made.changes.map((change) => change.origin.name),
      ["01", "02"]
    )
  })
})

describe("when a slot may not be moved yet", () => {
  const sixHours = 6 * 3_600_000
  const hoursAgo = (hours: number) => Example.now - hours * 3_600_000

  it("a cooldown names the time it ends", () => {
    const bare = policy("01", raiseBid(), { when: [], cooldownMs: sixHours })
    const made = plan({ policies: [bare], slots: [{ slot: oneSlot, lastAppliedAt: hoursAgo(1) }] })
    assert.deepStrictEqual(unchanged(made), [["01", "cooldown until 2026-09-01 14:00"]])
    const later = plan({ policies: [bare], slots: [{ slot: oneSlot, lastAppliedAt: hoursAgo(6) }] })
    assert.strictEqual(later.changes.length, 1)
  })

  it("a cooldown waits for no day that only a clock far ahead has seen", () => {
    const bare = policy("01", raiseBid(), { when: [], cooldownMs: sixHours })
    const ahead = (hours: number) =>
      plan({ policies: [bare], slots: [{ slot: oneSlot, lastAppliedAt: hoursAgo(-hours) }] })
    assert.strictEqual(ahead(20).changes.length, 0)
    assert.strictEqual(ahead(48).changes.length, 1)
  })

  it("what a watch took back rests until no day that only a clock far ahead has seen", () => {
    const bare = policy("01", raiseBid(), { when: [] })
    const ahead = (hours: number) => {
      const rolledBack = [{ policy: bare.id, at: hoursAgo(-hours) }]
      const unmoved = { lastPolicy: bare.id, lastAppliedAt: undefined, pendingSince: undefined }
      return plan({
        policies: [bare],
        slots: [{ slot: oneSlot, ...unmoved, dayFirstBid: undefined, rolledBack }]
      })
    }
    assert.strictEqual(ahead(20).changes.length, 0)
    assert.strictEqual(ahead(48).changes.length, 1)
  })

  it("a change in flight leaves the row undecided", () => {
    const made = plan({
      policies: [policy("01", raiseBid())],
      slots: [{ slot: oneSlot, pendingSince: hoursAgo(0) }]
    })
    assert.deepStrictEqual(
      made.unknown.map((one) => Said.why(one)),
      ["a change was just sent and is not visible yet"]
    )
  })

  it("a bid waits until the rule's statistics reach the day of its last change", () => {
    const policies = [policy("01", raiseBid())]
    const today = plan({ policies, slots: [{ slot: oneSlot, lastAppliedAt: hoursAgo(1) }] })
    assert.deepStrictEqual(unchanged(today), [["01", "no statistics newer than the bid's last change"]])
    const yesterday = plan({ policies, slots: [{ slot: oneSlot, lastAppliedAt: hoursAgo(10) }] })
    assert.strictEqual(yesterday.changes.length, 1)
  })

  it("a lower that waits still keeps the bid from rising", () => {
    const made = plan({
      policies: [policy("01", raiseBid(), { when: [] }), policy("02", lowerBid())],
      slots: [{ slot: oneSlot, lastAppliedAt: hoursAgo(1) }]
    })
    assert.deepStrictEqual(made.changes, [])
  })
})

describe("rows that nobody could decide on", () => {
  it("are listed with the fact that is unknown and why", () => {
    const made = plan({ rows: row({ "cluster.orders@7d": undefined }), policies: [policy("01", raiseBid())] })
    assert.deepStrictEqual(
      made.unknown.map(({ reason, because }) => ({ reason, why: Said.why({ because }) })),
      [
        {
          reason: [
            {
              condition: "orders >= 3",
              value: "unknown (the marketplace did not report it)",
              holds: "unknown"
            }
          ],
          why: "orders >= 3: the marketplace did not report it"
        }
      ]
    )
  })
})

describe("a cluster that becomes a minus phrase", () => {
  const bids = policy("01", raiseBid())
  const wanted = (minus: "apply" | "preview") => {
    const policies = [bids, policy("02", addMinus(), { mode: minus })]
    const context = { rules: Example.rules(policies), ...Example.around, campaigns: Example.campaigns() }
    return Review.review(plan({ policies }), context).plan
  }

  it("keeps its bid, and says which policy minuses it", () => {
    const made = wanted("apply")
    assert.deepStrictEqual(
      made.changes.map((change) => change.action),
      ["add_minus"]
    )
    assert.deepStrictEqual(
      made.unchanged.map((row) => Said.why(row)),
      ["02 makes it a minus phrase, which takes no bid"]
    )
  })

  it("has its bid moved all the same while the minus policy is only previewed", () => {
    const actions = wanted("preview").changes.map((change) => change.action)
    assert.deepStrictEqual(actions.sort(), ["add_minus", "raise_bid"])
  })
})
