/** Taking runs back: the exact values from before, nobody else's work touched, nothing twice. */

import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import * as Review from "../../src/engine/decide/Review.js"
import { Journal } from "../../src/engine/door/Journal.js"
import * as JournalPoints from "../../src/engine/door/JournalPoints.js"
import * as Bids from "../../src/engine/kinds/Bids.js"
import type { File } from "../../src/engine/language/Load.js"
import * as Stopped from "../../src/engine/planning/Stopped.js"
import * as Undo from "../../src/engine/planning/Undo.js"
import * as TextPreview from "../../src/reporting/preview/TextPreview.js"
import * as World from "../../src/sandbox/market/World.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Said from "../reporting/Said.js"
import * as OwnPast from "../sandbox/OwnPast.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Story from "./UndoStory.js"

const scale = { campaigns: 3, items: 2, clusters: 10 }

const file = (name: string, ...lines: ReadonlyArray<string>): File => ({
  path: `rules/${name}.yaml`,
  text: ["version: 1", `name: ${name}`, "mode: apply", ...lines, ""].join("\n")
})

const raise = file(
  "raise",
  "each: campaign_item",
  "where: campaign.payment = cpm and campaign.bid_type = manual",
  "when: campaign.status = active",
  "do:",
  "  raise_bid: {by: 10%, cap: 5000 ₽}",
  "cooldown: 2h"
)

const minusOf = (condition: string): File =>
  file(
    "minus",
    "each: cluster",
    "where: campaign.payment = cpm and campaign.bid_type = manual",
    "window: 7d",
    `when: views >= 1 and ${condition}`,
    "do: add_minus"
  )

const minus = minusOf("ctr < 99%")

const lower = file(
  "lower",
  "each: cluster",
  "where: campaign.payment = cpm and campaign.bid_type = manual and not cluster.has_own_bid",
  "when: campaign.status = active",
  "do:",
  "  lower_bid: {by: 5%, floor: 50 ₽}",
  "cooldown: 2h"
)

const pause = file("pause", "each: campaign", "when: campaign.status = active", "do: pause")

const limits = (...lines: ReadonlyArray<string>): File => ({
  path: "rules/_shared/limits.yaml",
  text: ["version: 1", "kind: limits", "account:", ...lines.map((line) => `  ${line}`), ""].join("\n")
})

describe("the preview of an undo", () => {
  it("says in one sentence per change whose it was and when, and what more there is to know", () =>
    Scenario.run({ rules: [raise, minus, pause] }, (world) =>
      Effect.gen(function* () {
        const { runId } = yield* world.apply(yield* world.plan)
        yield* world.advance("1 hour")
        const { plan } = (yield* Story.planned(world, runId)).reviewed
        const text = TextPreview.render(plan, { colour: false, all: true })
        const sentences = text.split("\n").filter((line) => /^ +takes back /.test(line))
        expect(sentences.length).toBe(plan.changes.length)
        expect(text).toMatch(/^ +takes back raise_bid by raise, \d{4}-\d\d-\d\d \d\d:\d\d Europe\/Moscow$/m)
        expect(text).toMatch(
          /takes back pause by pause, .*\n +starts spending again +an active campaign spends/
        )
        expect(text).not.toContain(runId)
        // For programs the run and the change stay.
        expect(plan.changes.every(({ undoes }) => undoes?.runId === runId)).toBe(true)
      })
    ))
})

describe("a whole run", () => {
  it("taken back leaves every value as it was before, by the marketplace's own ledger", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const report = yield* world.apply(yield* world.plan)
        const actions = new Set(report.rows.map(({ change }) => change.action))
        expect([...actions].sort()).toEqual(["add_minus", "lower_bid", "pause", "raise_bid", "set_bid"])
        expect(report.rows.some(({ change }) => Bids.detailsOf(change).inherited === true)).toBe(true)
        yield* world.advance("1 hour")
        const { left, report: undone } = yield* Story.undo(world, report.runId)
        expect(left).toEqual([])
        expect(undone?.counts).toEqual(report.counts)
        expect(Story.differing(world.ledger())).toEqual([])
        expect(world.requests("deleteClusterBids")).toBeGreaterThan(0)
      })
    ))

  it("is taken back once: the second time nothing is sent", () =>
    Scenario.run({ rules: [raise], scale }, (world) =>
      Effect.gen(function* () {
        const { runId } = yield* world.apply(yield* world.plan)
        yield* Story.undo(world, runId)
        const writes = world.ledger().length
        const again = yield* Story.undo(world, runId)
        expect(again.report).toBeUndefined()
        expect(again.left.length).toBeGreaterThan(0)
        expect(again.left.every(({ isOver, because }) => isOver && because.code === "taken_back")).toBe(true)
        expect(world.ledger().length).toBe(writes)
      })
    ))

  it("comes back when its undo is undone, and goes again when that is", () =>
    Scenario.run({ rules: [raise, minus, pause], scale }, (world) =>
      Effect.gen(function* () {
        const { runId } = yield* world.apply(yield* world.plan)
        const done = Story.moved(world.ledger())
        const first = yield* Story.undo(world, runId)
        expect(Story.differing(world.ledger())).toEqual([])
        const second = yield* Story.undo(world, first.report!.runId)
        expect(second.left).toEqual([])
        expect(Story.moved(world.ledger())).toEqual(done)
        const third = yield* Story.undo(world, runId)
        expect(third.report?.status).toBe("done")
        expect(Story.differing(world.ledger())).toEqual([])
      })
    ))

  it("waits while a later run stands over it, and follows once that one is taken back", () =>
    Scenario.run({ rules: [raise], scale }, (world) =>
      Effect.gen(function* () {
        const first = yield* world.apply(yield* world.plan)
        yield* world.advance("3 hours")
        const second = yield* world.apply(yield* world.plan)
        expect(second.rows.length).toBe(first.rows.length)
        const early = yield* Story.undo(world, first.runId)
        expect(early.report).toBeUndefined()
        expect(Said.leftWhy(early.left[0])).toBe(
          `changed again by raise in ${second.runId}; take that back first`
        )
        yield* Story.undo(world, second.runId)
        yield* Story.undo(world, first.runId)
        expect(Story.differing(world.ledger())).toEqual([])
      })
    ))
})

describe("somebody else's work", () => {
  it("a bid that a person has set since stays, and the others go back", () =>
    Scenario.run({ rules: [raise], scale }, (world) =>
      Effect.gen(function* () {
        const { rows, runId } = yield* world.apply(yield* world.plan)
        const { campaignId, itemId } = rows[0]!.change.subject
        world.edit({ campaignId: campaignId!, itemId: itemId!, placement: "search", bidKopecks: 123_400 })
        yield* world.advance("10 minutes")
        const { left, report } = yield* Story.undo(world, runId)
        expect(left.map(({ isOver, because }) => [isOver, because.code])).toEqual([[false, "shows_other"]])
        expect(report?.rows.length).toBe(rows.length - 1)
        expect(Story.differing(world.ledger()).length).toBe(1)
        const live = world.sandbox.ledger.entries.findLast(({ target }) => target.itemId === itemId)
        expect(live?.after).toBe(123_400)
      })
    ))

  it("a bid that somebody replaced before it was seen is not said to have never taken effect", () =>
    Scenario.run({ rules: [raise], scale }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { campaignId, itemId } = planned.reviewed.plan.changes[0]!.subject
        const replaced = () =>
          world.edit({ campaignId: campaignId!, itemId: itemId!, placement: "search", bidKopecks: 123_400 })
        const { rows, runId } = yield* world
          .apply(planned)
          .pipe(
            Effect.provideService(JournalPoints.AtPoint, (point: JournalPoints.Point) =>
              point === "sent"
                ? Effect.zipRight(Effect.sleep("40 seconds"), Effect.sync(replaced))
                : Effect.void
            )
          )
        expect(rows.filter(({ state }) => state === "conflict").length).toBe(1)
        const { left } = yield* Story.planned(world, runId)
        expect(left.map(({ isOver, because }) => [isOver, Said.leftWhy({ because })])).toEqual([
          [false, "something else was found in its place after it was sent; that is not ours to take back"]
        ])
      })
    ))

  it("minus phrases that a person added to the list since stay in it", () =>
    Scenario.run({ rules: [minusOf("query contains 'детские'")], scale }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { rows, runId } = yield* world.apply(planned)
        const { campaignId, itemId } = rows[0]!.change.subject
        const clusters = planned.gathered.table("cluster")
        const mine = new Set<string | undefined>(rows.map(({ change }) => change.subject.cluster))
        const theirs = clusters
          .rowsUnder({ campaignId: campaignId!, itemId: itemId! })
          .map((row) => clusters.target(row).cluster!)
          .filter((cluster) => !mine.has(cluster))
          .slice(0, 2)
        const listed = () =>
          world.sandbox.ledger.entries.findLast(
            ({ slot, target }) => slot === "minus" && target.itemId === itemId
          )?.after as ReadonlyArray<string>
        world.edit({ campaignId: campaignId!, itemId: itemId!, minus: [...listed(), ...theirs] })
        yield* world.advance("10 minutes")
        const { report } = yield* Story.undo(world, runId)
        expect(report?.status).toBe("done")
        expect(theirs.every((cluster) => listed().includes(cluster))).toBe(true)
        expect(listed().some((cluster) => mine.has(cluster))).toBe(false)
      })
    ))
})

describe("what cannot be taken back", () => {
  const topUp = file(
    "top-up",
    "each: campaign",
    "when: budget < 1000000 ₽ and campaign.status = active",
    "do:",
    "  deposit: {amount: 1000 ₽, from: balance}",
    "limits: {money_per_day: 1000 ₽, policy_money_per_day: 1000 ₽, changes_per_run: 10}"
  )

  it("a deposit says so before it is made, and is listed when its run is taken back", () =>
    Scenario.run({ rules: [topUp, raise, limits("money_per_day: 2000 ₽")], scale }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const deposit = planned.reviewed.plan.changes.find(({ kind }) => kind === "campaign_deposit")
        expect(deposit?.reversible).toBe(false)
        expect(deposit?.irreversible).toBe("money that was paid in stays in the campaign")
        const { runId } = yield* world.apply(planned)
        const { left, report, reviewed } = yield* Story.undo(world, runId)
        expect(left.map(({ isOver, because }) => [isOver, Said.leftWhy({ because })])).toEqual([
          [false, deposit?.irreversible]
        ])
        expect(reviewed.plan.unchanged.map(Said.why)).toEqual([
          `deposit of ${runId} stays: ${deposit?.irreversible}`
        ])
        expect(report?.status).toBe("done")
        expect(Story.differing(world.ledger()).every((line) => line.startsWith("budget"))).toBe(true)
      })
    ))
})

describe("the limits", () => {
  const undoUnder = (...more: ReadonlyArray<string>) =>
    Scenario.run({ rules: [raise], scale }, (world) =>
      Effect.gen(function* () {
        const { rows, runId } = yield* world.apply(yield* world.plan)
        const stricter = { ...world, rules: Scenario.check([raise, limits(...more)]) }
        const { reviewed } = yield* Story.planned(stricter, runId)
        return { done: rows.length, reviewed }
      })
    )

  it("that pace the rules do not hold an undo", async () => {
    const { done, reviewed } = await undoUnder("changes_per_run: 1", "share_of_scope: 1%", "move_per_day: 1%")
    expect(reviewed.appliable.length).toBe(done)
  })

  it("that protect money hold it: no bid goes back above max_bid", async () => {
    const { reviewed } = await undoUnder("max_bid: {cpm: 1 ₽}")
    expect(reviewed.appliable).toEqual([])
    expect(new Set(reviewed.plan.held.map(({ by }) => by))).toEqual(new Set(["max_bid"]))
  })

  it("campaigns that are never touched are not touched by an undo either, nor anything under the kill switch", async () => {
    const untouched = await undoUnder("never_touch: campaign.status = active")
    expect(untouched.reviewed.plan.held[0]?.by).toBe("never_touch")
    const killed = await undoUnder("kill_switch: true")
    expect(killed.reviewed.plan.held[0]?.by).toBe("kill_switch")
  })

  it("what a person took back is not done again by the rules for some days", () =>
    Scenario.run({ rules: [raise], scale }, (world) =>
      Effect.gen(function* () {
        const { runId } = yield* world.apply(yield* world.plan)
        yield* Story.undo(world, runId)
        yield* world.advance("4 hours")
        const soon = yield* world.plan
        expect(soon.reviewed.plan.changes).toEqual([])
        expect(new Set(soon.reviewed.plan.held.map(({ by }) => by))).toEqual(new Set(["human_edit"]))
        yield* world.advance("4 days")
        expect((yield* world.plan).reviewed.plan.changes.length).toBeGreaterThan(0)
      })
    ))

  it("a plan that was saved before does not do again what a person took back", () =>
    Scenario.run({ rules: [raise], scale }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { runId } = yield* world.apply(planned)
        yield* Story.undo(world, runId)
        yield* world.advance("1 hour")
        const { limits } = world.rules
        const stops = yield* Stopped.stops(Scenario.account, limits, "Europe/Moscow").pipe(
          Effect.provide(world.context)
        )
        const context = { ...planned.context, stops, account: Scenario.account, nowMs: world.now() }
        const again = Either.getOrThrow(Review.reload(planned.reviewed.plan, context))
        expect(again.appliable).toEqual([])
        expect(new Set(again.plan.held.map(({ by }) => by))).toEqual(new Set(["human_edit"]))
      })
    ))
})

describe("what changed around it meanwhile", () => {
  it("a bid below today's minimum stays and says so; the others of its campaign go back", () =>
    Scenario.run({ rules: [raise], scale: { campaigns: 1, items: 3, clusters: 10 } }, (world) =>
      Effect.gen(function* () {
        const { rows, runId } = yield* world.apply(yield* world.plan)
        expect(rows.length).toBe(3)
        const { after, before, subject: target } = rows[0]!.change
        OwnPast.setFloors(world.sandbox.world(defaultSeller), target.itemId!, { search: Number(after) })
        const { left, report } = yield* Story.undo(world, runId)
        expect(left.map(({ isOver, because }) => [isOver, Said.leftWhy({ because })])).toEqual([
          [
            false,
            `the marketplace takes no bid below ${Number(after) / 100} ₽ by now, and it was ${Number(before) / 100} ₽`
          ]
        ])
        expect(report?.counts).toEqual({ applied: 2 })
      })
    ))

  it("a cluster that gets no bid of its own again is told and judged by its item's bid of now", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const { rows, runId } = yield* world.apply(yield* world.plan)
        const own = rows.find(({ change }) => Bids.detailsOf(change).inherited === true)!.change
        const { campaignId, itemId } = own.subject
        world.edit({ campaignId: campaignId!, itemId: itemId!, placement: "search", bidKopecks: 123_400 })
        yield* world.advance("1 hour")
        const { plan } = (yield* Story.planned(world, runId)).reviewed
        const all = [...plan.changes, ...plan.held.map(({ change }) => change)]
        const back = all.find(({ undoes }) => undoes?.changeId === own.id)!
        expect([back.before, back.after]).toEqual([own.after, 123_400])
        expect(all.length).toBeGreaterThan(1)
      })
    ))

  it("a cluster that follows its item again does so at the bid that stays, where the item's cannot go back", () =>
    Scenario.run({ rules: [raise, lower], scale: { campaigns: 1, items: 1, clusters: 6 } }, (world) =>
      Effect.gen(function* () {
        const { rows, runId } = yield* world.apply(yield* world.plan)
        const item = rows.find(({ change }) => change.kind === "item_bid")!.change
        OwnPast.setFloors(world.sandbox.world(defaultSeller), item.subject.itemId!, {
          search: Number(item.after)
        })
        yield* world.advance("1 hour")
        const { left, reviewed } = yield* Story.planned(world, runId)
        expect(left.map(({ because }) => because.code)).toEqual(["below_minimum_bid"])
        const all = [...reviewed.plan.changes, ...reviewed.plan.held.map(({ change }) => change)]
        expect(all.length).toBeGreaterThan(1)
        expect(new Set(all.map(({ after }) => after))).toEqual(new Set([item.after]))
      })
    ))

  it("a cluster that follows its item again is nobody's edit when the item's bid moves", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const { rows, runId } = yield* world.apply(yield* world.plan)
        const own = rows.find(({ change }) => Bids.detailsOf(change).inherited === true)!.change
        yield* Story.undo(world, runId)
        const { campaignId, itemId } = own.subject
        world.edit({ campaignId: campaignId!, itemId: itemId!, placement: "search", bidKopecks: 123_400 })
        yield* world.advance("1 hour")
        yield* world.plan
        const { edits } = yield* world.journal.stops(Scenario.account)
        expect(edits.length).toBeGreaterThan(0)
        expect(edits.filter(({ live, ours }) => live !== ours)).toEqual([])
      })
    ))
})

describe("naming what to take back", () => {
  it("takes a run, a change, or the beginning of one; anything else is refused in a sentence", () =>
    Scenario.run({ rules: [raise, pause], scale }, (world) =>
      Effect.gen(function* () {
        const { rows, runId } = yield* world.apply(yield* world.plan)
        const find = (name: string) => Undo.find(Scenario.account, name).pipe(Effect.provide(world.context))
        expect((yield* find(runId)).length).toBe(rows.length)
        const { id } = rows[0]!.change
        expect((yield* find(id)).map(({ change }) => change.id)).toEqual([id])
        expect((yield* find(id.slice(0, 8))).map(({ change }) => change.id)).toEqual([id])
        const refused = yield* Effect.flip(find("nonsense"))
        expect(refused.message).toMatch(/^there is no run or change nonsense; bidhelm history/)
        const one = yield* Story.undo(world, id)
        expect(one.report?.rows.length).toBe(1)
      })
    ))

  it("a saved plan of an undo is refused once it was taken back by another", () =>
    Scenario.run({ rules: [raise], scale }, (world) =>
      Effect.gen(function* () {
        const { runId } = yield* world.apply(yield* world.plan)
        const { reviewed } = yield* Story.planned(world, runId)
        const stray = Undo.stray(reviewed.plan).pipe(Effect.provide(world.context))
        expect(yield* stray).toBeUndefined()
        yield* Story.undo(world, runId)
        expect((yield* stray)?.because.code).toBe("taken_back")
      })
    ))

  it("a plan of an undo is held against the journal by one look at the run, however many changes it takes back", () =>
    Scenario.run({ rules: [lower], scale }, (world) =>
      Effect.gen(function* () {
        const { runId } = yield* world.apply(yield* world.plan)
        const { reviewed } = yield* Story.planned(world, runId)
        expect(reviewed.plan.changes.length).toBeGreaterThan(10)
        const looks: Array<string> = []
        const stray = Effect.updateService(Undo.stray(reviewed.plan), Journal, (journal) => ({
          ...journal,
          rows: (id) => {
            looks.push(id)
            return journal.rows(id)
          }
        }))
        expect(yield* stray.pipe(Effect.provide(world.context))).toBeUndefined()
        expect(looks).toEqual([runId])
      })
    ))
})

describe("the way back from a pause", () => {
  it("promises no start that the marketplace must refuse: a campaign without budget stays, with the reason", () =>
    Scenario.run({ rules: [pause] }, (world) =>
      Effect.gen(function* () {
        const { rows, runId } = yield* world.apply(yield* world.plan)
        expect(rows.length).toBeGreaterThan(1)
        const dry = rows[0]!.change.subject.campaignId
        World.campaign(world.sandbox.world(defaultSeller), dry!)!.purse.leftKopecks = 0
        yield* world.advance("1 hour")
        const { left, reviewed } = yield* Story.undo(world, runId)
        expect(reviewed.plan.changes.map(({ action }) => action)).toEqual(rows.slice(1).map(() => "start"))
        expect(left.map(Said.leftWhy)).toEqual([
          "the campaign cannot be started: its budget is empty, and the marketplace starts no campaign without one; top it up first"
        ])
        expect(world.requests("startCampaign")).toBe(rows.length - 1)
      })
    ))
})
