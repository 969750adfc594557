import { describe, expect, it } from "vitest"
import * as Memory from "../../src/engine/decide/intents/Memory.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import type { SlotHistory } from "../../src/engine/kinds/SlotHistory.js"
import type { Action, Policy } from "../../src/engine/language/Policy.js"
import * as Said from "../reporting/Said.js"
import * as Example from "./Example.js"

const slot = Example.oneSlot
const minusSlot = "minus:777/1001/женские кеды"
const fewOrders = Example.clause(
  "orders < 2",
  Example.compare(Example.fact("cluster.orders", Example.week), "<", Example.literal(2, { _tag: "Count" }))
)

/** Acts from three orders on, and takes it back below two. */
const policy = (action: Action, more: Partial<Policy> = {}, id = "mine"): Policy => ({
  ...Example.policy(id, action, more),
  rules: [
    { when: [Example.ordersAtLeast(3)], action },
    { name: "revert_when", when: [fewOrders], action: { _tag: "Revert", span: Example.span } }
  ]
})

const rows = (orders: number | undefined, facts: Example.Facts = {}) => [
  { ...Example.oneRow[0]!, facts: { "cluster.orders@7d": orders, ...facts } }
]

const ours = (before: number | boolean, after: number | boolean, of = "mine", at = slot) => ({
  slot: at,
  lastPolicy: of,
  ours: { policy: of, before, after }
})

describe("revert_when", () => {
  it("brings a bid back to where the policy's unbroken row of changes began", () => {
    let live = 40_000
    let history: SlotHistory | undefined
    const run = (orders: number, nowMs: number) => {
      const { changes } = Example.plan({
        policies: [policy(Example.raiseBid())],
        rows: rows(orders, { "cluster.bid": live }),
        slots: history === undefined ? [] : [history],
        nowMs
      })
      for (const change of changes) {
        live = Number(change.after)
        history = Memory.after(history, Kinds.slotOf(change), change, nowMs, false)
      }
      return changes.map(({ action, after, origin }) => [
        action,
        after,
        origin.by === "policy" && origin.rule
      ])
    }
    const day = 86_400_000
    expect(run(5, Example.now)).toEqual([["raise_bid", 44_000, undefined]])
    expect(run(5, Example.now + 2 * day)).toEqual([["raise_bid", 45_000, undefined]])
    expect(run(2, Example.now + 4 * day)).toEqual([])
    expect(run(1, Example.now + 4 * day + 1)).toEqual([["lower_bid", 40_000, "revert_when"]])
    expect(run(1, Example.now + 8 * day)).toEqual([])
  })

  it("begins anew after somebody else's value", () => {
    const plan = Example.plan({
      policies: [policy(Example.raiseBid())],
      rows: rows(5),
      slots: [ours(30_000, 35_000)]
    })
    expect(plan.changes[0]).toMatchObject({ before: 40_000, origin: { revertsTo: 40_000 } })
  })

  it("lets no cluster follow its item again while nobody knows the item's bid", () => {
    const followed = {
      ...ours(30_000, 40_000),
      ours: { ...ours(30_000, 40_000).ours, inherited: true }
    } as const
    const made = (bid: number | undefined) =>
      Example.plan({
        policies: [policy(Example.raiseBid())],
        rows: rows(1, { "campaign_item.bid": bid }),
        slots: [followed]
      })
    expect(made(35_000).changes.map(({ after }) => after)).toEqual([35_000])
    expect(made(undefined).changes).toEqual([])
    expect(made(undefined).unknown.map(Said.why)).toEqual([
      "campaign_item.bid is unknown: the marketplace did not report it"
    ])
  })

  it.each([
    ["of nobody", []],
    ["of another policy", [ours(30_000, 40_000, "another")]],
    ["that somebody changed since", [ours(30_000, 39_000)]]
  ])("leaves a bid %s alone without a word", (_, slots) => {
    const plan = Example.plan({ policies: [policy(Example.raiseBid())], rows: rows(1), slots })
    expect([plan.changes, plan.unchanged, plan.unknown]).toEqual([[], [], []])
  })

  it("keeps quiet about rows it cannot decide on, unless something of its own is there", () => {
    const when = { ...policy(Example.raiseBid()), rules: policy(Example.raiseBid()).rules.slice(1) }
    const unknown = (slots: ReadonlyArray<ReturnType<typeof ours>>) =>
      Example.plan({
        policies: [{ ...when, rules: [{ when: [fewOrders], action: Example.raiseBid() }, ...when.rules] }],
        rows: rows(undefined),
        slots
      }).unknown.length
    // The first rule is unknown: that is told. What follows it never has its turn.
    expect(unknown([])).toBe(1)
    const revertOnly = (slots: ReadonlyArray<ReturnType<typeof ours>>) =>
      Example.plan({
        policies: [
          {
            ...when,
            rules: [
              {
                when: [Example.clause("never", Example.compare(Example.rub(1), ">", Example.rub(2)))],
                action: Example.raiseBid()
              },
              ...when.rules
            ]
          }
        ],
        rows: rows(undefined),
        slots
      }).unknown.length
    expect([revertOnly([]), revertOnly([ours(30_000, 40_000)])]).toEqual([0, 1])
  })

  it("of a raise waits for no cooldown, of a cut it does: it would spend more", () => {
    const at = { lastAppliedAt: Example.now - 1 }
    const plan = (action: Action, before: number) =>
      Example.plan({
        policies: [policy(action, { cooldownMs: 3_600_000 })],
        rows: rows(1),
        slots: [{ ...ours(before, 40_000), ...at }]
      })
    expect(plan(Example.raiseBid(), 30_000).changes.map(({ after }) => after)).toEqual([30_000])
    expect(plan(Example.lowerBid(), 42_000).changes).toEqual([])
    expect(Said.why(plan(Example.lowerBid(), 42_000).unchanged[0])).toMatch(/cooldown/)
  })

  it("takes a phrase off the minus list only if the policy put it there", () => {
    const plan = (slots: ReadonlyArray<ReturnType<typeof ours>>) =>
      Example.plan({
        policies: [policy(Example.addMinus())],
        rows: rows(1, { "cluster.in_minus": true }),
        slots
      }).changes.map(({ action, after }) => [action, after])
    expect(plan([])).toEqual([])
    expect(plan([ours(false, true, "mine", minusSlot)])).toEqual([["remove_minus", false]])
  })

  it("moves the base under an overlay, and leaves the overlay standing", () => {
    const overlay = { policy: "boost", basisPoints: 2_500, baseKopecks: 32_000, afterKopecks: 40_000 }
    const plan = Example.plan({
      policies: [policy(Example.raiseBid())],
      rows: rows(1),
      slots: [{ ...ours(28_000, 32_000), overlay }]
    })
    expect(plan.changes[0]).toMatchObject({
      before: 40_000,
      after: 35_000,
      details: { overlay: { baseKopecks: 28_000 } },
      origin: { takesBack: true }
    })
  })

  it("does not vote: what another policy wants of the slot happens", () => {
    const other = Example.policy("other", Example.raiseBid(), {
      when: [Example.clause("bid > 1 ₽", Example.compare(Example.fact("cluster.bid"), ">", Example.rub(1)))]
    })
    const plan = Example.plan({
      policies: [policy(Example.lowerBid(), { tier: "safety" }), other],
      rows: rows(1)
    })
    expect(plan.changes.map(({ origin: { name: of } }) => of)).toEqual(["other"])
  })

  it("of a higher tier leaves what a lower tier wants kept", () => {
    const status = "status:777"
    const pausing = (id: string, more: Partial<Policy>): Policy =>
      policy(Example.pause, { each: "campaign", ...more }, id)
    const paused = (orders: number) => [
      { target: Example.target(777), facts: { "campaign.status": "paused", "campaign.orders@7d": orders } }
    ]
    const back: Policy = {
      ...pausing("back", { tier: "safety" }),
      rules: [
        {
          when: [
            Example.clause(
              "false",
              Example.compare(
                Example.literal(1, { _tag: "Count" }),
                "=",
                Example.literal(2, { _tag: "Count" })
              )
            )
          ],
          action: Example.pause
        },
        { name: "revert_when", when: [], action: { _tag: "Revert", span: Example.span } }
      ]
    }
    const keeper = Example.policy("keeper", Example.pause, { each: "campaign", tier: "explore", when: [] })
    const slots = [
      { slot: status, lastPolicy: "back", ours: { policy: "back", before: "active", after: "paused" } }
    ]
    const situation = { rows: paused(1), slots }
    expect(Example.plan({ ...situation, policies: [back] }).changes).toMatchObject([{ action: "start" }])
    const plan = Example.plan({ ...situation, policies: [back, keeper] })
    expect(plan.changes).toEqual([])
    expect(plan.unchanged.map(Said.why)).toContain("held back by keeper")
    const shown = Example.plan({ ...situation, policies: [back, { ...keeper, mode: "preview" }] })
    expect(shown.changes).toMatchObject([{ action: "start" }])
  })
})

describe("what a policy with revert_when set, once its file is gone", () => {
  const paused = (of: string, more: object = { returns: true }) => ({
    slot: "status:777",
    lastPolicy: of,
    ours: { policy: of, before: "active", after: "paused", ...more }
  })
  const noticed = (status: string, slots: ReadonlyArray<Partial<SlotHistory> & { readonly slot: string }>) =>
    Example.plan({
      policies: [Example.policy("other", Example.addMinus(), { when: [Example.ordersAtLeast(99)] })],
      rows: [{ ...Example.oneRow[0]!, facts: { "campaign.status": status, "cluster.in_minus": true } }],
      slots
    }).notices?.map(({ policy, text }) => [policy, text])

  it("is told as long as it stands, with the way back", () => {
    expect(noticed("paused", [paused("gone"), { ...ours(false, true, "gone", minusSlot) }])).toEqual([
      [
        "gone",
        expect.stringMatching(
          /^1 campaign stays paused by it though its file is gone.*: 777\. To end this, start it by hand/
        )
      ]
    ])
    expect(noticed("paused", [paused("autumn: stop")])).toEqual([
      ["autumn: stop", expect.stringMatching(/^1 campaign stays paused by it/)]
    ])
    const minus = ours(false, true, "gone", minusSlot)
    expect(noticed("active", [{ ...minus, ours: { ...minus.ours, returns: true } }])).toEqual([
      ["gone", expect.stringMatching(/^1 minus phrase of it stands.*: 777\/1001\/женские кеды\. /)]
    ])
  })

  it("is told of campaigns that it started, and of clusters that its optimise parked", () => {
    const started = { ...paused("gone"), ours: { ...paused("gone").ours, before: "paused", after: "active" } }
    expect(noticed("active", [started])).toEqual([
      [
        "gone",
        expect.stringMatching(/^1 campaign stays started by it though .*: 777\. To end this, pause it by/)
      ]
    ])
    const parked = ours(false, true, "gone", minusSlot)
    expect(noticed("active", [{ ...parked, ours: { ...parked.ours, parked: true } }])).toEqual([
      [
        "gone",
        expect.stringMatching(
          /^1 cluster stays parked by it .* the optimise that would try it again: 777\/1001\//
        )
      ]
    ])
  })

  it.each([
    ["somebody started the campaign", "active", paused("gone")],
    ["the policy is there", "paused", paused("other")],
    ["the policy had no way back", "paused", paused("gone", {})]
  ])("is not told where %s", (_, status, slot) => {
    expect(noticed(status, [slot])).toEqual([])
  })
})

describe("what a policy without revert_when set, once its file is gone", () => {
  const raised = { ...ours(30_000, 40_000, "gone") }
  const started = {
    slot: "status:777",
    lastPolicy: "gone",
    ours: { policy: "gone", before: "paused", after: "active" }
  }
  const noticed = (
    policies: ReadonlyArray<Policy>,
    slots: ReadonlyArray<Partial<SlotHistory> & { readonly slot: string }>,
    bid: number | undefined = 40_000
  ) =>
    Example.plan({
      policies: [Example.policy("minus", Example.addMinus()), ...policies],
      rows: [{ ...Example.oneRow[0]!, facts: { "cluster.bid": bid, "campaign.status": "active" } }],
      slots
    }).notices?.map(({ policy, text }) => [policy, text])
  const lowering = (more: Partial<Policy> = {}) =>
    Example.policy("lower", Example.lowerBid(), { when: [Example.ordersAtLeast(99)], ...more })
  const stopping = Example.policy("stop", Example.pause, { each: "campaign", when: [], mode: "approve" })

  it("is told of raised bids and started campaigns that no rule sets any more", () => {
    expect(noticed([], [raised, started])).toEqual([
      [
        "gone",
        expect.stringMatching(
          /^1 bid stands as it last raised it though its file is gone, and no rule sets it any more: 777\/1001\/женские кеды\. /
        )
      ],
      [
        "gone",
        expect.stringMatching(
          /^1 campaign runs as it last started it though its file is gone, and no rule pauses or starts it any more: 777\. /
        )
      ]
    ])
  })

  const where = (name: string) => ({
    where: [
      Example.clause(
        "campaign.name",
        Example.compare(Example.fact("campaign.name"), "=", Example.literal(name, { _tag: "Text" }))
      )
    ]
  })

  it.each([
    ["a rule sets the bid, though not now", [lowering()], [raised]],
    ["a rule may set it that is not known to leave it out", [lowering(where("Кеды"))], [raised]],
    ["a rule steers the campaign", [stopping], [started]],
    ["the rule lowered it", [], [ours(40_000, 30_000, "gone")]],
    ["a person raised it by a call", [], [ours(30_000, 40_000, "call")]],
    ["the policy is there", [], [ours(30_000, 40_000, "minus")]]
  ])("is not told where %s", (_, policies, slots) => {
    const [after] = slots.map(({ ours }) => ours?.after)
    expect(noticed(policies, slots, typeof after === "number" ? after : undefined)).toEqual([])
  })

  it.each([
    ["only shows what it would do", lowering({ mode: "preview" })],
    ["leaves the campaign out", lowering(where("Туфли"))],
    ["is about items", lowering({ each: "campaign_item" })]
  ])("is told beside a rule that %s", (_, policy) => {
    expect(noticed([policy], [raised])).toHaveLength(1)
  })

  it("is not told where somebody has set another bid since", () => {
    expect(noticed([], [raised], 41_000)).toEqual([])
  })
})
