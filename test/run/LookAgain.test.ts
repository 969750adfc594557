/** The call limit may hold requests back for hours: what a person changes meanwhile is seen before it is overwritten. */

import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import * as Ids from "../../src/domain/Ids.js"
import type * as Apply from "../../src/engine/door/Apply.js"
import * as LookAgain from "../../src/engine/door/LookAgain.js"
import * as Parked from "../../src/engine/door/Parked.js"
import * as Bids from "../../src/engine/kinds/Bids.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import { isOfCampaign } from "../../src/engine/kinds/Change.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import type * as Load from "../../src/engine/language/Load.js"
import type * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Fixture from "../store/Fixture.js"
import * as Story from "./UndoStory.js"

const minuteMs = 60_000

const rule = (name: string, body: string): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\nmode: apply\n${body}\n`
})
const generous = "limits: {changes_per_run: 300, share_of_scope: 100%}"
const pausing = rule(
  "pause",
  "each: campaign\nwhere: campaign.status = active\nwhen: campaign.id > 1\ndo: pause"
)
const lowering = rule(
  "lower",
  "each: campaign_item\nwhere: campaign.payment = cpm\nwhen: bid > 1 ₽\ndo:\n  lower_bid: {by: 10%, floor: 1 ₽}\n" +
    `cooldown: 6h\n${generous}`
)
const itemOfOne = { ...lowering, text: lowering.text.replace("= cpm", "= cpm and campaign.id > 1000001") }
const clusterLowering = rule(
  "lower clusters",
  "each: cluster\nwhere:\n  - campaign.payment = cpm\n  - cluster.has_own_bid\nwhen: bid > 110 ₽\ndo:\n" +
    `  lower_bid: {by: 7%, floor: 100 ₽}\ncooldown: 6h\n${generous}`
)
const minus = rule(
  "minus",
  `each: cluster\nwhere: campaign.status = active\nwindow: 7d\nwhen: views >= 1\ndo: add_minus\n${generous}`
)
const scale = { campaigns: 8, items: 1, clusters: 4 }
const base = { token: { kind: "base" as const }, scale }

const operations = (world: Scenario.World) => world.ledger().map(({ operation }) => operation)

/** Applies a plan; when a request of `operation` has left, a person acts, `afterMs` later. */
const whileSending = (
  world: Scenario.World,
  planned: Cycle.Planned,
  operation: string,
  afterMs: number,
  act: () => void
) =>
  Effect.gen(function* () {
    const applying = yield* Effect.fork(world.apply(planned))
    while (world.requests(operation) === 0) yield* world.advance("1 minute")
    yield* world.advance(afterMs)
    act()
    return yield* Fiber.join(applying)
  })

const rowOf = (report: Apply.ApplyReport, { id }: Change) => report.rows.find((row) => row.change.id === id)

describe("a Base token, whose writes go out over hours", () => {
  it("does not overwrite a bid that somebody set while it waited for its turn", () =>
    Scenario.run({ ...base, rules: [lowering] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { changes } = planned.reviewed.plan
        expect(changes.length).toBeGreaterThan(3)
        const last = changes.at(-1)!
        const { campaignId, itemId } = last.subject
        const report = yield* whileSending(world, planned, "setItemBids", minuteMs, () =>
          world.edit({ campaignId: campaignId!, itemId: itemId!, bidKopecks: 77_700 })
        )
        expect(rowOf(report, last)).toMatchObject({
          state: "skipped",
          reason: { code: "changed_by_hand", now: 77_700 }
        })
        expect(report.counts).toEqual({ applied: changes.length - 1, skipped: 1 })
        expect(world.throttled()).toBe(0)
      })
    ))

  it("pauses every campaign all the same: a turn lost to an old look costs no call", () =>
    Scenario.run({ ...base, rules: [pausing] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { changes } = planned.reviewed.plan
        expect(changes.length).toBeGreaterThan(3)
        const last = changes.at(-1)!
        const { campaignId } = last.subject
        const startedAt = world.now()
        const report = yield* whileSending(world, planned, "pauseCampaign", minuteMs, () =>
          world.edit({ campaignId: campaignId!, status: 11 })
        )
        expect(rowOf(report, last)).toMatchObject({ state: "skipped", reason: { code: "already_there" } })
        expect(operations(world).filter((one) => one === "pauseCampaign")).toHaveLength(changes.length - 1)
        // A look takes a quarter of an hour at most, and so does each pause.
        expect(world.now() - startedAt).toBeLessThan((changes.length + 3) * 15 * minuteMs)
        expect(world.throttled()).toBe(0)
      })
    ))

  it("does not take a bid for read when only those that were read with it are fresh", () =>
    Scenario.run(
      { ...base, rules: [itemOfOne, clusterLowering], scale: { ...scale, campaigns: 2 } },
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          const { changes } = planned.reviewed.plan
          const theirs = changes.find(({ kind }) => kind === "cluster_bid")!
          expect(changes.some((change) => Bids.detailsOf(change).placement === "search")).toBe(true)
          const readings = world.requests("getClusterBids")
          const applying = yield* Effect.fork(world.apply(planned))
          while (world.requests("getClusterBids") === readings) yield* world.advance("1 minute")
          yield* world.advance("5 minutes")
          expect(world.ledger()).toEqual([])
          const { campaignId, cluster, itemId } = theirs.subject
          world.edit({ campaignId: campaignId!, itemId: itemId!, cluster: `${cluster}`, bidKopecks: 77_700 })
          const report = yield* Fiber.join(applying)
          expect(rowOf(report, theirs)).toMatchObject({
            state: "skipped",
            reason: { code: "changed_by_hand", now: 77_700 }
          })
          expect(report.counts).toEqual({ applied: changes.length - 1, skipped: 1 })
          expect(world.throttled()).toBe(0)
        })
    ))

  it("sets bids of clusters that had none of their own, and leaves the one that got one while its item's was waited for", () => {
    const inheriting = {
      ...clusterLowering,
      text: clusterLowering.text.replace("cluster.has_own_bid", "not cluster.has_own_bid")
    }
    return Scenario.run({ ...base, rules: [inheriting], scale: { ...scale, campaigns: 2 } }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { changes } = planned.reviewed.plan
        expect(changes.length).toBeGreaterThan(1)
        const readings = world.requests("getClusterBids")
        const applying = yield* Effect.fork(world.apply(planned))
        while (world.requests("getClusterBids") === readings) yield* world.advance("1 minute")
        yield* world.advance("5 minutes")
        const { campaignId, cluster, itemId } = changes[0]!.subject
        world.edit({ campaignId: campaignId!, itemId: itemId!, cluster: `${cluster}`, bidKopecks: 77_700 })
        const report = yield* Fiber.join(applying)
        expect(Reasons.ofRow(rowOf(report, changes[0]!)!)).toMatch(/^changed by someone .* 777 ₽/)
        expect(report.counts).toEqual({ applied: changes.length - 1, skipped: 1 })
        expect(world.throttled()).toBe(0)
      })
    )
  })
})

describe("an item's bid that one rule raises while another lowers its clusters, which have none of their own", () => {
  const raising = rule(
    "raise",
    "each: campaign_item\nwhere: campaign.payment = cpm and campaign.bid_type = manual\nwhen: bid > 1 ₽\ndo:\n" +
      `  raise_bid: {by: 20%, cap: 900 ₽}\ncooldown: 6h\n${generous}`
  )
  const inheriting = {
    ...clusterLowering,
    text: clusterLowering.text.replace("cluster.has_own_bid", "not cluster.has_own_bid")
  }
  const open = { rules: [raising, inheriting], scale: { campaigns: 2, items: 2, clusters: 8 } }
  const followers = (changes: ReadonlyArray<Change>) =>
    changes.filter((change) => Bids.detailsOf(change).inherited === true)

  it("leaves after the clusters' bids: however long that takes, they are lowered as planned", () =>
    Scenario.run({ ...base, ...open }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { changes } = planned.reviewed.plan
        expect(followers(changes).length).toBeGreaterThan(1)
        expect(changes.some(({ kind }) => kind === "item_bid")).toBe(true)
        const report = yield* world.apply(planned)
        expect(report.counts).toEqual({ applied: changes.length })
        expect(world.throttled()).toBe(0)
      })
    ))

  it("comes back before they follow it again, so that none of them shows the raised one for a while", () =>
    Scenario.run(open, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const applied = yield* world.apply(planned)
        const sent = world.ledger().length
        yield* world.advance("1 hour")
        const undo = yield* Story.undo(world, applied.runId)
        expect(followers(planned.reviewed.plan.changes).length).toBeGreaterThan(1)
        expect(undo.report?.counts).toEqual({ applied: applied.rows.length })
        const back = operations(world).slice(sent)
        expect(back.lastIndexOf("setItemBids")).toBeLessThan(back.indexOf("deleteClusterBids"))
      })
    ))
})

describe("clusters without a bid of their own that optimise raises, while another rule lowers their item's bid", () => {
  const optimising: Load.File = {
    path: "rules/10-optimise.yaml",
    text:
      "version: 1\nname: Best profit\nmode: apply\neach: campaign\nwhere: campaign.status = active\nwindow: 14d\n" +
      "do:\n  optimise:\n    margin: 25%\n    budget: 900 ₽\n    cap: {cpm: 260 ₽, cpc: 12 ₽}\n"
  }
  const first = { ...lowering, text: lowering.text.replace("version: 1", "version: 1\ntier: safety") }
  const open = { ...base, rules: [optimising, first], scale: { campaigns: 1, items: 3, clusters: 14 } }

  /** The raised ones whose item's bid is lowered, with what it is lowered to. */
  const raised = (changes: ReadonlyArray<Change>) =>
    changes.flatMap((change) => {
      const { campaignId, itemId } = change.subject
      const followed = `item_bid:${campaignId}/${itemId}/search`
      const item = changes.find((one) => Kinds.slotOf(one) === followed)
      const isRaised = Bids.detailsOf(change).inherited === true && change.after > change.before
      return isRaised && item !== undefined ? [{ change, item }] : []
    })

  it("are raised as planned though they show their item's new bid by then: this run has set it", () =>
    Scenario.run(open, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { changes } = planned.reviewed.plan
        const report = yield* world.apply(planned)
        expect(raised(changes).length).toBeGreaterThan(1)
        expect(report.counts).toEqual({ applied: changes.length })
        const last = operations(world).lastIndexOf("setItemBids")
        expect(operations(world).slice(last + 1)).toContain("setClusterBids")
        expect(world.throttled()).toBe(0)
      })
    ))

  it("are known as not raised where their request was lost: what they show instead of a bid this run has set", () =>
    Scenario.run(open, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { changes } = planned.reviewed.plan
        world.faults(
          ["setClusterBids", "setClusterBidsMinorUnits"].map((operation) => ({
            kind: "errorBefore",
            operation
          }))
        )
        const report = yield* world.apply(planned)
        // For some there is no room any more, since others of their plan did not come about.
        const lost = raised(changes)
          .map(({ change }) => rowOf(report, change))
          .filter((row) => row?.state !== "skipped")
        expect(lost.length).toBeGreaterThan(1)
        for (const row of lost)
          expect(row).toMatchObject({ state: "not_applied", reason: { code: "old_value_remains" } })
        expect(operations(world)).not.toContain("setClusterBids")
      })
    ))

  it("are left alone where a person has set their item's bid after this run, or the cluster's to just that number", () =>
    Scenario.run(open, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { changes } = planned.reviewed.plan
        const items = changes.filter(({ kind }) => kind === "item_bid").length
        const [one, ...others] = raised(changes)
        const other = others.find(({ item }) => item !== one!.item)!
        const applying = yield* Effect.fork(world.apply(planned))
        while (operations(world).filter((operation) => operation === "setItemBids").length < items)
          yield* world.advance("1 minute")
        const { campaignId, itemId } = one!.item.subject
        world.edit({ campaignId: campaignId!, itemId: itemId!, bidKopecks: 77_700 })
        const { cluster, ...at } = other.change.subject
        const bidKopecks = Number(other.item.after)
        world.edit({ campaignId: at.campaignId!, itemId: at.itemId!, cluster: `${cluster}`, bidKopecks })
        const report = yield* Fiber.join(applying)
        for (const { change, item } of raised(changes)) {
          const now = change === other.change ? item.after : 77_700
          expect(rowOf(report, change)).toMatchObject(
            change === other.change || item === one!.item
              ? { state: "skipped", reason: { code: "changed_by_hand", now } }
              : { state: "applied" }
          )
        }
      })
    ))
})

describe("a 429 that others have caused", () => {
  const throttled = (operation: string, retrySeconds: number, count?: number) => [
    { kind: "throttle" as const, operation, retrySeconds, ...(count === undefined ? {} : { count }) }
  ]

  it("is waited for, and the bid is looked at again before it is sent", () =>
    Scenario.run({ scale, rules: [lowering] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { changes } = planned.reviewed.plan
        const last = changes.at(-1)!
        const { campaignId, itemId } = last.subject
        world.faults(throttled("setItemBids", 1200, 1))
        const report = yield* whileSending(world, planned, "setItemBids", minuteMs, () =>
          world.edit({ campaignId: campaignId!, itemId: itemId!, bidKopecks: 77_700 })
        )
        expect(Reasons.ofRow(rowOf(report, last)!)).toMatch(/^changed by someone/)
        expect(report.counts).toEqual({ applied: changes.length - 1, skipped: 1 })
      })
    ))

  it("again and again ends in words, not in a loop", () =>
    Scenario.run({ scale: { ...scale, campaigns: 1 }, rules: [pausing] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults(throttled("pauseCampaign", 600))
        const report = yield* world.apply(planned)
        expect(report.rows.map((row) => `${row.state}: ${Reasons.ofRow(row)}`)).toEqual([
          expect.stringMatching(
            /^skipped: not sent: the call limit held it back 3 times .*left to the next run$/
          )
        ])
        expect(world.requests("pauseCampaign")).toBe(3)
      })
    ))

  /** A plan of minus phrases of one list, and a phrase of that list's item that it does not add. */
  const oneList = (world: Scenario.World) =>
    Effect.gen(function* () {
      const planned = yield* world.plan
      const ours = planned.reviewed.plan.changes[0]!
      const added = planned.reviewed.plan.changes.map(({ subject: target }) => target.cluster)
      const { campaignId, itemId } = ours.subject
      const theirs = planned.gathered
        .table("cluster")
        .rows.find((row) => row.campaignId === campaignId && !added.includes(row.cluster))!
      return { planned, campaignId, itemId: itemId!, theirs: `${theirs.cluster}` }
    })
  const some = minus.text.replace("views >= 1", "views >= 2000")
  const rules = [{ ...minus, text: some }]
  const small = { campaigns: 1, items: 1, clusters: 12 }

  it("loses no minus phrase that somebody added while it was waited for", () =>
    Scenario.run({ scale: small, rules }, (world) =>
      Effect.gen(function* () {
        const { campaignId, itemId, planned, theirs } = yield* oneList(world)
        world.faults(throttled("setMinusPhrases", 120, 1))
        const report = yield* whileSending(world, planned, "setMinusPhrases", minuteMs / 2, () =>
          world.edit({ campaignId: campaignId!, itemId, minus: [theirs] })
        )
        for (const row of report.rows)
          expect(Reasons.ofRow(row)).toMatch(/somebody is changing this minus list/)
        expect(world.ledger()).toEqual([])
        yield* world.apply(yield* world.plan)
        expect(world.ledger().at(-1)?.after).toContain(theirs)
        expect(world.ledger().at(-1)?.after).not.toEqual([theirs])
      })
    ))

  it("does not keep an untouched minus list from being replaced", () =>
    Scenario.run({ scale: small, rules }, (world) =>
      Effect.gen(function* () {
        const { planned } = yield* oneList(world)
        world.faults(throttled("setMinusPhrases", 120, 1))
        const report = yield* world.apply(planned)
        expect(report.status).toBe("done")
        expect(world.requests("setMinusPhrases")).toBe(2)
      })
    ))
})

it("is looked at again when the clock was set back meanwhile: nobody knows then how long ago it was read", () => {
  const looks = new LookAgain.Looks(0)
  const one = Fixture.change(1)
  const readAt = Scenario.startMs
  looks.note([one], readAt)
  expect(looks.tooOld([one], readAt + 5 * minuteMs)).toBe(false)
  expect(looks.tooOld([one], readAt + 6 * minuteMs)).toBe(true)
  expect(looks.tooOld([one], readAt - 60 * minuteMs)).toBe(true)
  expect(looks.tooOld([{ ...one, kind: "minus_phrase" } as Change], readAt + 60 * minuteMs)).toBe(false)
})

it("is looked at again after midnight where figures of the day before asked for the pause, however short ago the last look was", () => {
  const looks = new LookAgain.Looks(0)
  const midnight = Days.startOfMarket(Days.shift(Days.ofMarket(Scenario.startMs), 1))
  const of = (details: { readonly day?: string }): Change => ({
    ...Fixture.change(1),
    kind: "campaign_status",
    subject: { campaignId: Ids.CampaignId.make(1) },
    action: "pause",
    before: "active",
    after: "paused",
    details
  })
  const asked = of({ day: Days.ofMarket(Scenario.startMs) })
  looks.note([asked], midnight - 1)
  expect(looks.tooOld([asked], midnight - 1)).toBe(false)
  expect(looks.tooOld([asked], midnight)).toBe(true)
  expect(looks.tooOld([of({})], midnight)).toBe(false)
  looks.note([asked], midnight)
  expect(looks.tooOld([asked], midnight + 1)).toBe(false)
})

describe("a deposit", () => {
  it("is not made when its campaign's budget has grown until its money is recorded", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const { reviewed } = yield* world.plan
        const deposit: Change = {
          ...reviewed.plan.changes.filter(isOfCampaign)[0]!,
          action: "deposit",
          kind: "campaign_deposit",
          details: { from: "balance" },
          before: 0,
          after: 200_000
        }
        const evidence = Parked.evidence(Scenario.account, [deposit]).pipe(Effect.provide(world.context))
        expect(yield* evidence).toMatchObject({
          _tag: "Against",
          reason: { code: "budget_grown" }
        })
      })
    ))

  const toppingUp = rule(
    "top up",
    "each: campaign\nwhen: budget < 1000000 ₽\ndo:\n  deposit: {amount: 1000 ₽, from: balance}\n" +
      "limits: {money_per_day: 9000 ₽}"
  )
  const paid = (world: Scenario.World) => world.ledger().filter(({ slot }) => slot === "budget")

  it("has its money recorded again when the call limit held it back, and is paid once", () =>
    Scenario.run({ scale: { ...scale, campaigns: 3 }, rules: [toppingUp] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { length } = planned.reviewed.plan.changes
        expect(length).toBeGreaterThan(1)
        world.faults([{ kind: "throttle", operation: "depositCampaignBudget", retrySeconds: 1200, count: 1 }])
        const readings = world.requests("getCostHistory")
        const report = yield* world.apply(planned)
        expect(report.counts).toEqual({ applied: length - 1, skipped: 1 })
        expect(paid(world)).toHaveLength(length - 1)
        expect(world.requests("getCostHistory") - readings).toBe(length + 1)
      })
    ))

  it("of a Base token is paid once an hour, each right after its money was recorded", () =>
    Scenario.run({ ...base, scale: { ...scale, campaigns: 3 }, rules: [toppingUp] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { length } = planned.reviewed.plan.changes
        const report = yield* world.apply(planned)
        expect(report.counts).toEqual({ applied: length })
        expect(paid(world)).toHaveLength(length)
        expect(world.requests("depositCampaignBudget")).toBe(length)
        expect(world.throttled()).toBe(0)
      })
    ))
})
