import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Target from "../../src/domain/Target.js"
import type { Plan } from "../../src/engine/decide/Plan.js"
import { Holdings } from "../../src/engine/door/HoldStore.js"
import * as Bids from "../../src/engine/kinds/Bids.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Story from "./UndoStory.js"

const rule = (name: string, body: string, mode = "apply"): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\nmode: ${mode}\n${body}\n`
})

const mine = 'campaign.name matches "Поиск*основная"'

/** The story begins at 09:00 in Moscow. */
const boost = (more = "cap: 600 ₽", mode = "apply", time = "10:00-12:00") =>
  rule(
    "boost",
    `schedule: {every: 30m, tz: Europe/Moscow}
each: campaign_item
where:
  - ${mine}
  - campaign.payment = cpm
during: {time: "${time}"}
do:
  adjust_bid: {by: +20%, ${more}}`,
    mode
  )

const steering = rule(
  "steer",
  `each: campaign_item
where: [${mine.replaceAll('"', "'")}, campaign.payment = cpm]
when: bid > 1 ₽
do:
  raise_bid: {by: 10%, cap: 900 ₽}
cooldown: 1d`
)

const once = (world: Scenario.World) =>
  Effect.gen(function* () {
    const planned = yield* world.plan
    const report = yield* world.apply(planned)
    return { plan: planned.reviewed.plan, report }
  })

const bids = (changes: ReadonlyArray<Change>) =>
  new Map(changes.map(({ after, subject: target }) => [Target.key(target), Number(after)]))

const firstOf = (plan: Plan): Change => {
  const [first] = plan.changes
  if (first === undefined) throw new Error("nothing would change")
  return first
}

const edit = (world: Scenario.World, { subject: target }: Change, bidKopecks: number) =>
  world.edit({
    campaignId: target.campaignId!,
    ...(target.itemId === undefined ? {} : { itemId: target.itemId }),
    bidKopecks,
    placement: "search"
  })

describe("an evening boost", () => {
  it("lays its share over the base once, and brings the base back when its time is over", () =>
    Scenario.run({ rules: [boost()] }, (world) =>
      Effect.gen(function* () {
        expect((yield* world.plan).reviewed.plan.changes).toEqual([])
        yield* world.advance("1 hours")
        const { plan, report } = yield* once(world)
        expect(plan.changes.length).toBeGreaterThan(1)
        expect(report.status).toBe("done")
        for (const change of plan.changes) {
          const { action, after, before } = change
          expect(action).toBe("adjust_bid")
          expect(Bids.overlayOf(change)?.baseKopecks).toBe(before)
          expect(after).toBe(Math.floor((Number(before) * 1.2) / 100) * 100)
        }
        yield* world.advance("30 minutes")
        const again = (yield* world.plan).reviewed.plan
        expect(again.changes).toEqual([])
        expect(new Set(again.unchanged.map(Said.why))).toEqual(new Set(["the overlay stands already"]))
        yield* world.advance("90 minutes")
        const over = yield* once(world)
        const bases = new Map(
          plan.changes.map(({ before, subject: target }) => [Target.key(target), Number(before)])
        )
        expect(bids(over.plan.changes)).toEqual(bases)
        expect(over.plan.changes[0]?.reason[0]).toMatchObject({
          condition: "during 10:00-12:00",
          holds: "false"
        })
        yield* world.advance("30 minutes")
        expect((yield* world.plan).reviewed.plan.changes).toEqual([])
      })
    ))

  it("lets steering move the base meanwhile, and ends at the steered base", () =>
    Scenario.run({ rules: [boost(), steering] }, (world) =>
      Effect.gen(function* () {
        yield* world.advance("1 hours")
        const on = yield* once(world)
        expect(new Set(on.plan.changes.map(({ action }) => action))).toEqual(new Set(["adjust_bid"]))
        expect(on.plan.changes.every(({ overruled }) => overruled.includes("steer"))).toBe(true)
        yield* world.advance("30 minutes")
        const steered = yield* once(world)
        expect(steered.plan.changes.length).toBe(on.plan.changes.length)
        for (const change of steered.plan.changes) {
          expect(change.action).toBe("raise_bid")
          const base = Math.floor((Bids.baseBefore(change) * 1.1) / 100) * 100
          expect(Bids.overlayOf(change)?.baseKopecks).toBe(base)
          expect(change.after).toBe(Math.floor((base * 1.2) / 100) * 100)
        }
        yield* world.advance("30 minutes")
        expect((yield* world.plan).reviewed.plan.changes).toEqual([])
        yield* world.advance("1 hours")
        const off = yield* once(world)
        const bases = new Map(
          steered.plan.changes.map((change) => [
            Target.key(change.subject),
            Bids.overlayOf(change)?.baseKopecks
          ])
        )
        expect(bids(off.plan.changes)).toEqual(bases)
      })
    ))

  it("that is held by its policy is taken back by a person all the same", () =>
    Scenario.run({ rules: [boost()] }, (world) =>
      Effect.gen(function* () {
        yield* world.advance("1 hours")
        const { plan, report } = yield* once(world)
        const holdings = yield* Effect.provide(Holdings, world.context)
        const hold = { account: Scenario.account, kind: "policy" as const, what: "boost", by: "anna" }
        yield* holdings.place({ ...hold, since: world.now() })
        const undone = yield* Story.undo(world, report.runId)
        expect(undone.reviewed.plan.held).toEqual([])
        expect(undone.report?.rows.map(({ state }) => state)).toEqual(plan.changes.map(() => "applied"))
        expect(Story.differing(world.ledger())).toEqual([])
      })
    ))

  it("that came and went over a bid does not stand between an earlier change of it and the way back", () =>
    Scenario.run({ rules: [boost(), steering] }, (world) =>
      Effect.gen(function* () {
        const steered = yield* once(world)
        expect(steered.plan.changes.map(({ action }) => action)).toContain("raise_bid")
        yield* world.advance("1 hours")
        const begun = yield* once(world)
        expect(begun.plan.changes.map(({ action }) => action)).toContain("adjust_bid")
        const early = yield* Story.planned(world, steered.report.runId)
        expect(early.reviewed.appliable).toEqual([])
        expect(Said.leftWhy(early.left[0])).toContain("changed again by boost")
        yield* world.advance("2 hours")
        const ended = yield* once(world)
        expect(ended.plan.changes.length).toBe(begun.plan.changes.length)
        yield* world.advance("1 hours")
        const undone = yield* Story.undo(world, steered.report.runId)
        expect(undone.left).toEqual([])
        expect(undone.report?.status).toBe("done")
        expect(Story.differing(world.ledger())).toEqual([])
      })
    ))

  it("that has ended hides no change of its base from watch: and from a person's undo", () => {
    const watched = {
      ...steering,
      text: steering.text.replace(
        "cooldown: 1d",
        "cooldown: 30d\nwatch: {after: 6h, roll_back_when: bid > 1 ₽}"
      )
    }
    return Scenario.run({ rules: [boost(), watched] }, (world) =>
      Effect.gen(function* () {
        yield* world.advance("1 hours")
        yield* once(world)
        yield* world.advance("30 minutes")
        const steered = yield* once(world)
        expect(steered.plan.changes.length).toBeGreaterThan(0)
        for (const change of steered.plan.changes) {
          expect([change.action, Bids.overlayOf(change)?.policy]).toEqual(["raise_bid", "boost"])
          expect(Bids.overlayOf(change)?.baseKopecks).toBeGreaterThan(0)
        }
        yield* world.advance("2 hours")
        yield* once(world)
        yield* world.advance("1 hours")
        const byHand = yield* Story.planned(world, steered.report.runId)
        expect(byHand.reviewed.appliable.length).toBe(steered.plan.changes.length)
        yield* world.advance("3 hours")
        const looked = yield* once(world)
        expect(looked.plan.changes.map(({ undoes }) => undoes?.policy)).toEqual(
          steered.plan.changes.map(() => "steer")
        )
        expect(Story.differing(world.ledger())).toEqual([])
      })
    )
  })

  it("ends at its time though a person took back a change of its base, and the rules leave that alone all the same", () =>
    Scenario.run({ rules: [boost(), steering] }, (world) =>
      Effect.gen(function* () {
        yield* world.advance("1 hours")
        yield* once(world)
        yield* world.advance("30 minutes")
        const steered = yield* once(world)
        expect(steered.plan.changes.map(({ action }) => action)).toContain("raise_bid")
        expect((yield* Story.undo(world, steered.report.runId)).report?.status).toBe("done")
        yield* world.advance("2 hours")
        const ended = yield* once(world)
        expect(ended.plan.changes.map((change) => Bids.overlayOf(change)?.basisPoints)).toEqual(
          steered.plan.changes.map(() => 0)
        )
        expect(Story.differing(world.ledger())).toEqual([])
        yield* world.advance("1 days")
        const held = (yield* world.planOf(new Set(["steer"]))).reviewed.plan
        expect(held.changes).toEqual([])
        expect(new Set(Said.held(held.held).map(({ limit }) => limit.slice(0, 25)))).toEqual(
          new Set(["undone or set by a person"])
        )
        yield* world.advance("3 days")
        expect((yield* world.planOf(new Set(["steer"]))).reviewed.plan.changes).not.toEqual([])
      })
    ))

  it("leaves a bid alone that somebody changed meanwhile, now and when its time is over", () =>
    Scenario.run({ rules: [boost()] }, (world) =>
      Effect.gen(function* () {
        yield* world.advance("1 hours")
        const on = yield* once(world)
        const first = firstOf(on.plan)
        yield* world.advance("10 minutes")
        edit(world, first, Number(first.before) + 5_000)
        yield* world.advance("10 minutes")
        const during = (yield* world.plan).reviewed.plan
        expect(during.changes).toEqual([])
        const why = during.unchanged.find(
          ({ subject: target }) => Target.key(target) === Target.key(first.subject)
        )
        expect(Said.why(why)).toMatch(/somebody changed the bid/)
        yield* world.advance("100 minutes")
        const off = yield* once(world)
        expect(off.plan.changes.length).toBe(on.plan.changes.length - 1)
        expect(bids(off.plan.changes).has(Target.key(first.subject))).toBe(false)
        yield* world.advance("22 hours")
        const early = (yield* world.plan).reviewed.plan
        expect(early.held.map(({ by, change }) => [by, Target.key(change.subject)])).toEqual([
          ["human_edit", Target.key(first.subject)]
        ])
        yield* world.advance("72 hours")
        const next = (yield* world.plan).reviewed.plan
        const anew = next.changes.find(
          ({ subject: target }) => Target.key(target) === Target.key(first.subject)
        )
        expect(anew?.before).toBe(Number(first.before) + 5_000)
      })
    ))

  it("works for clusters too, whose bids are read back though no condition asks for them", () =>
    Scenario.run(
      {
        rules: [
          rule(
            "boost",
            `schedule: {every: 30m, tz: Europe/Moscow}
each: cluster
where: [${mine.replaceAll('"', "'")}, campaign.payment = cpm, campaign.bid_type = manual]
during: {days: [tue], time: "10:00-12:00"}
do:
  adjust_bid: {by: -10%, floor: min_bid}`
          )
        ]
      },
      (world) =>
        Effect.gen(function* () {
          yield* world.advance("1 hours")
          const on = yield* once(world)
          expect(on.plan.changes.length).toBeGreaterThan(0)
          expect(on.plan.changes.every(({ after, before }) => Number(after) < Number(before))).toBe(true)
          yield* world.advance("2 hours")
          const off = yield* once(world)
          // The marketplace refuses the bid of a phrase that a person disabled.
          const applied = on.report.rows.flatMap(({ change, state }) => (state === "applied" ? [change] : []))
          expect(applied.length).toBeGreaterThan(10)
          const bases = new Map(applied.map(({ before, subject: target }) => [Target.key(target), before]))
          expect(bids(off.plan.changes)).toEqual(bases)
          yield* world.advance("24 hours")
          expect((yield* world.plan).reviewed.plan.changes).toEqual([])
        })
    ))

  describe("over clusters without a bid of their own", () => {
    const rules = [
      rule(
        "boost",
        `schedule: {every: 30m, tz: Europe/Moscow}
each: cluster
where: [${mine.replaceAll('"', "'")}, campaign.payment = cpm, campaign.bid_type = manual]
during: {time: "10:00-12:00"}
do:
  adjust_bid: {by: +20%, cap: 800 ₽}`
      )
    ]
    const begun = (world: Scenario.World) =>
      Effect.gen(function* () {
        yield* world.advance("1 hours")
        const { report } = yield* once(world)
        expect(pinned(world).length).toBeGreaterThan(3)
        return report
      })
    /** Those that had none before. */
    const pinned = (world: Scenario.World) =>
      [...Story.moved(world.ledger()).values()].filter(([first, last]) => first === "null" && last !== "null")

    it("leaves them without one when its time is over", () =>
      Scenario.run({ rules }, (world) =>
        Effect.gen(function* () {
          yield* begun(world)
          yield* world.advance("2 hours")
          const off = yield* once(world)
          expect(off.report.counts.applied).toBe(off.plan.changes.length)
          expect(Story.differing(world.ledger())).toEqual([])
          yield* world.advance("1 hours")
          expect((yield* world.plan).reviewed.plan.changes).toEqual([])
        })
      ))

    it("leaves them without one when a person takes it back, and with one when they take that back", () =>
      Scenario.run({ rules }, (world) =>
        Effect.gen(function* () {
          const { rows, runId } = yield* begun(world)
          const before = pinned(world)
          const { report } = yield* Story.undo(world, runId)
          expect(report?.counts).toEqual({ applied: rows.filter(({ state }) => state === "applied").length })
          expect(Story.differing(world.ledger())).toEqual([])
          yield* Story.undo(world, report!.runId)
          expect(pinned(world)).toEqual(before)
        })
      ))

    it("lets them follow their item, whose bid a person moved meanwhile", () =>
      Scenario.run({ rules }, (world) =>
        Effect.gen(function* () {
          const { rows } = yield* begun(world)
          const { campaignId, itemId } = rows[0]!.change.subject
          world.edit({ campaignId: campaignId!, itemId: itemId!, placement: "search", bidKopecks: 20_000 })
          yield* world.advance("2 hours")
          const { plan } = yield* once(world)
          const following = plan.changes.filter(
            (change) => change.subject.itemId === itemId && Bids.detailsOf(change).clears === true
          )
          expect(following.length).toBeGreaterThan(0)
          expect(following.map(({ after }) => after)).toEqual(following.map(() => 20_000))
          expect(pinned(world)).toEqual([])
        })
      ))
  })

  describe("over which another policy lays a cheaper one at a time of its own", () => {
    const cheaper = {
      ...boost("floor: min_bid", "apply", "10:00-15:00"),
      path: "rules/cheap.yaml"
    }
    const rules = [
      boost("cap: 900 ₽", "apply", "00:00-23:30"),
      { ...cheaper, text: cheaper.text.replace("+20%", "-20%").replace("name: boost", "name: cheap") }
    ]
    const due = (world: Scenario.World, policy: string, wait: `${number} minutes`) =>
      Effect.gen(function* () {
        yield* world.advance(wait)
        const planned = yield* world.planOf(new Set([policy]))
        const report = yield* world.apply(planned)
        return { plan: planned.reviewed.plan, report }
      })
    const lastBids = (world: Scenario.World) =>
      [...Story.moved(world.ledger()).values()].map(([first, last]) => Number(last) / Number(first))
    const laidBoth = (world: Scenario.World) =>
      Effect.gen(function* () {
        const dear = yield* due(world, "boost", "0 minutes")
        expect(lastBids(world).length).toBeGreaterThan(1)
        for (const share of lastBids(world)) expect(share).toBeCloseTo(1.2, 1)
        const cheap = yield* due(world, "cheap", "75 minutes")
        for (const share of lastBids(world)) expect(share).toBeCloseTo(0.8, 1)
        return { dear, cheap }
      })

    it("stays away until that one's time is over, and then comes back over the base", () =>
      Scenario.run({ rules }, (world) =>
        Effect.gen(function* () {
          yield* laidBoth(world)
          const written = world.ledger().length
          const { plan } = yield* due(world, "boost", "30 minutes")
          expect(new Set(plan.unchanged.map(Said.why))).toEqual(
            new Set(["the cheaper overlay of cheap stands; this one is laid when that is over"])
          )
          expect(world.ledger().length).toBe(written)
          yield* due(world, "cheap", "270 minutes")
          expect(Story.differing(world.ledger())).toEqual([])
          yield* due(world, "boost", "30 minutes")
          for (const share of lastBids(world)) expect(share).toBeCloseTo(1.2, 1)
          yield* due(world, "boost", "480 minutes")
          expect(Story.differing(world.ledger())).toEqual([])
        })
      ))

    it("is taken back by a person at the base, and the one below is gone with it", () =>
      Scenario.run({ rules }, (world) =>
        Effect.gen(function* () {
          const { cheap, dear } = yield* laidBoth(world)
          const undone = yield* Story.undo(world, cheap.report.runId)
          expect(undone.left).toEqual([])
          expect(undone.report?.status).toBe("done")
          expect(Story.differing(world.ledger())).toEqual([])
          const older = yield* Story.planned(world, dear.report.runId)
          expect(older.reviewed.appliable).toEqual([])
          expect(new Set(older.left.map(Said.leftWhy))).toEqual(
            new Set(["what was there before is there already"])
          )
        })
      ))
  })

  it("of a policy in preview is shown, and keeps nobody who applies from acting", () =>
    Scenario.run({ rules: [boost("cap: 600 ₽", "preview"), steering] }, (world) =>
      Effect.gen(function* () {
        yield* world.advance("1 hours")
        const { changes } = (yield* world.plan).reviewed.plan
        expect(new Set(changes.map(({ origin: { name: policy } }) => policy))).toEqual(new Set(["steer"]))
        expect(changes.every(({ overruled }) => overruled.includes("boost"))).toBe(true)
      })
    ))
})

const pausing = (revert: string) =>
  rule(
    "stop",
    `tier: safety
each: campaign
where: campaign.status in [active, paused]
window: today
when: spend default 0 ₽ >= 1 ₽
do: pause
revert_when: ${revert}`
  )

describe("revert_when", () => {
  it("starts again what it paused itself, and nothing that somebody else paused", () =>
    Scenario.run({ rules: [pausing("spend default 0 ₽ < 0.50 ₽")] }, (world) =>
      Effect.gen(function* () {
        yield* world.advance("3 hours")
        const paused = yield* once(world)
        expect(paused.plan.changes.length).toBeGreaterThan(1)
        expect(new Set(paused.plan.changes.map(({ action }) => action))).toEqual(new Set(["pause"]))
        const [first] = paused.plan.changes
        if (first === undefined) return
        yield* world.advance("1 hours")
        // Somebody starts one of them and pauses it again later: the last word is not ours any more.
        world.edit({ campaignId: first.subject.campaignId!, status: 9 })
        yield* world.advance("10 minutes")
        yield* world.advance("12 hours")
        const tomorrow = yield* once(world)
        const dry = tomorrow.plan.held.filter(({ by }) => by === "budget").map(({ change }) => change)
        const started = [...tomorrow.plan.changes, ...dry]
          .filter(({ action }) => action === "start")
          .sort((a, b) => a.subject.campaignId! - b.subject.campaignId!)
        const ours = paused.plan.changes.map(({ subject: target }) => target.campaignId)
        expect(started.map(({ subject: target }) => target.campaignId)).toEqual(
          ours.filter((id) => id !== first.subject.campaignId)
        )
        expect(
          started.every(
            ({ origin }) =>
              origin.by === "policy" && origin.rule === "revert_when" && origin.takesBack === true
          )
        ).toBe(true)
        expect(
          tomorrow.plan.unchanged.filter(({ because }) => /already active/.test(Said.why({ because })))
        ).toEqual([])
        expect(tomorrow.report.rows.filter(({ state }) => state === "rejected")).toEqual([])
        const again = (yield* world.plan).reviewed.plan
        expect(again.changes.filter(({ action }) => action === "start")).toEqual([])
      })
    ))

  it("leaves a cluster that had no bid of its own without one again, after two raises too", () =>
    Scenario.run(
      {
        rules: [
          rule(
            "raise",
            `schedule: {every: 1h, tz: Europe/Moscow}
each: cluster
where: [${mine.replaceAll('"', "'")}, campaign.payment = cpm, campaign.bid_type = manual]
when: hour < 12
do:
  raise_bid: {by: 2%, cap: 800 ₽}
cooldown: 1h
revert_when: hour >= 13`
          )
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const first = yield* once(world)
          const inherited = first.report.rows.filter(
            ({ change, state }) => state === "applied" && Bids.detailsOf(change).inherited === true
          )
          expect(inherited.length).toBeGreaterThan(3)
          yield* world.advance("61 minutes")
          expect((yield* once(world)).report.counts.applied).toBeGreaterThan(3)
          yield* world.advance("4 hours")
          const back = yield* once(world)
          expect(back.plan.changes.length).toBeGreaterThan(3)
          expect(Story.differing(world.ledger())).toEqual([])
        })
    ))

  const clusters = (body: string, name: string) =>
    rule(
      name,
      `schedule: {every: 1h, tz: Europe/Moscow}
each: cluster
where: [${mine.replaceAll('"', "'")}, campaign.payment = cpm, campaign.bid_type = manual]
${body}`
    )
  const boosted = clusters(
    'during: {time: "10:00-12:00"}\ndo:\n  adjust_bid: {by: +20%, cap: 900 ₽}',
    "boost"
  )

  it("does so under another policy's overlay too, once that is over", () =>
    Scenario.run(
      {
        rules: [
          boosted,
          clusters(
            "when: hour < 10\ndo:\n  raise_bid: {by: 2%, cap: 800 ₽}\ncooldown: 1h\nrevert_when: hour >= 11",
            "raise"
          )
        ]
      },
      (world) =>
        Effect.gen(function* () {
          yield* once(world)
          expect(world.ledger().length).toBeGreaterThan(3)
          for (let hours = 0; hours < 6; hours++) {
            yield* world.advance("61 minutes")
            yield* once(world)
          }
          expect(Story.differing(world.ledger())).toEqual([])
        })
    ))

  describe("whose item is under an overlay", () => {
    const steer = (body: string) =>
      clusters(`when: not cluster.has_own_bid\ndo:\n  ${body}\ncooldown: 1d`, "steer")

    it.each([
      { share: "+20%", body: "raise_bid: {by: 10%, cap: 900 ₽}" },
      { share: "+20%", body: "lower_bid: {by: 10%, floor: min_bid}" },
      { share: "+20%", body: "set_bid: {to: 250 ₽, cap: 900 ₽}" },
      { share: "-20%", body: "raise_bid: {by: 10%, cap: 900 ₽}" }
    ])(
      "waits with $body until $share is over, and goes from the bid that the item has then",
      ({ body, share }) => {
        const overlay = boost(share === "+20%" ? "cap: 900 ₽" : "floor: min_bid")
        const file = { ...overlay, text: overlay.text.replace("+20%", share) }
        return Scenario.run({ rules: [file, steer(body)] }, (world) =>
          Effect.gen(function* () {
            yield* world.advance("1 hours")
            const laid = yield* world.planOf(new Set(["boost"]))
            const bases = new Map(
              laid.reviewed.plan.changes.map(({ before, subject }) => [Target.key(subject), Number(before)])
            )
            expect(bases.size).toBeGreaterThan(0)
            yield* world.apply(laid)
            yield* world.advance("30 minutes")
            const inside = yield* world.planOf(new Set(["steer"]))
            const ofItems = ({ subject: { campaignId, itemId } }: Change) =>
              bases.get(Target.key({ campaignId: campaignId!, itemId: itemId! }))
            expect(inside.reviewed.plan.changes.filter((change) => ofItems(change) !== undefined)).toEqual([])
            const why = new Set(inside.reviewed.plan.unchanged.map(Said.why))
            expect([...why]).toContainEqual(
              expect.stringContaining("the overlay of boost stands over its item's")
            )
            yield* world.advance("2 hours")
            yield* world.apply(yield* world.planOf(new Set(["boost"])))
            yield* world.advance("30 minutes")
            const after = yield* world.planOf(new Set(["steer"]))
            const moved = after.reviewed.plan.changes.filter((change) => ofItems(change) !== undefined)
            expect(moved.length).toBeGreaterThan(3)
            for (const change of moved) expect(change.before).toBe(ofItems(change))
            expect((yield* world.apply(after)).status).toBe("done")
          })
        )
      }
    )
  })

  it("and a person's undo of what was raised under an overlay does", () =>
    Scenario.run(
      {
        rules: [
          boosted,
          clusters("when: hour = 11\ndo:\n  raise_bid: {by: 2%, cap: 800 ₽}\ncooldown: 1d", "raise")
        ]
      },
      (world) =>
        Effect.gen(function* () {
          yield* world.advance("65 minutes")
          yield* once(world)
          yield* world.advance("60 minutes")
          const { report } = yield* once(world)
          const raised = report.rows.filter(({ change }) => change.action === "raise_bid")
          expect(raised.length).toBeGreaterThan(3)
          expect((yield* Story.undo(world, report.runId)).report?.counts.applied).toBeGreaterThan(3)
          yield* world.advance("2 hours")
          yield* once(world)
          expect(Story.differing(world.ledger())).toEqual([])
        })
    ))
})
