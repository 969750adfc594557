import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { CampaignId } from "../../src/domain/Ids.js"
import * as Target from "../../src/domain/Target.js"
import { Holdings } from "../../src/engine/door/HoldStore.js"
import * as JournalPoints from "../../src/engine/door/JournalPoints.js"
import * as Budgets from "../../src/engine/gather/Budgets.js"
import { type FactRequest, FactSource } from "../../src/engine/gather/FactSource.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as Stopped from "../../src/engine/planning/Stopped.js"
import * as World from "../../src/sandbox/market/World.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Timeline from "../../src/sandbox/Timeline.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"

const rule = (name: string, body: string): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\nmode: apply\n${body}\n`
})

const mine = "campaign.name matches 'Поиск*основная'"

const steering = rule(
  "steer",
  `each: campaign_item
where: [${mine}, campaign.payment = cpm]
when: bid > 1 ₽
do:
  raise_bid: {by: 2%, cap: 900 ₽}
cooldown: 6h`
)

const limits = (text: string): Load.File => ({
  path: "rules/_shared/limits.yaml",
  text: `version: 1\nkind: limits\naccount: {${text}}\n`
})

const once = (world: Scenario.World) =>
  Effect.gen(function* () {
    const planned = yield* world.plan
    yield* world.apply(planned)
    return planned.reviewed.plan
  })

const firstOf = (changes: ReadonlyArray<Change>): Change => {
  const [first] = changes
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

const of = (change: Change) => (one: { readonly change: Change }) =>
  Target.key(one.change.subject) === Target.key(change.subject)

describe("a bid that somebody else changed", () => {
  it("is left alone for three days from when it was first seen, shown with both values, and then steered again", () =>
    Scenario.run({ rules: [steering] }, (world) =>
      Effect.gen(function* () {
        const ours = firstOf((yield* once(world)).changes)
        yield* world.advance("7 hours")
        edit(world, ours, 15_000)
        const seen = yield* once(world)
        const held = seen.held.find(of(ours))
        expect(held).toMatchObject({ by: "human_edit" })
        expect(Said.limit(held)).toBe(
          `changed by someone on or after 2026-09-01 09:00: ${Number(ours.after) / 100} ₽ → 150 ₽`
        )
        expect(Said.over(held)).toContain("left alone until 2026-09-04 16:0")
        expect(seen.changes.length).toBeGreaterThan(0)
        yield* world.advance("70 hours")
        expect((yield* once(world)).held.some(of(ours))).toBe(true)
        const touched = world.ledger().filter(({ target }) => target.itemId === ours.subject.itemId)
        expect(touched.filter(({ before }) => before === 15_000)).toEqual([])
        yield* world.advance("3 hours")
        const after = yield* once(world)
        expect(
          after.changes.find((change) => Target.key(change.subject) === Target.key(ours.subject))?.before
        ).toBe(15_000)
        expect((yield* world.journal.stops(Scenario.account)).edits).toHaveLength(1)
        yield* world.advance("7 hours")
        expect((yield* world.plan).reviewed.plan.held).toEqual([])
        expect((yield* world.journal.stops(Scenario.account)).edits).toEqual([])
      })
    ))

  it("is left alone as long when it was changed before anybody had seen our first write in place", () =>
    Scenario.run({ rules: [steering] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const ours = firstOf(planned.reviewed.plan.changes)
        const dies = (point: JournalPoints.Point) =>
          point === "sent" ? Effect.die("the program ended") : Effect.void
        yield* Effect.exit(world.apply(planned).pipe(Effect.provideService(JournalPoints.AtPoint, dies)))
        yield* world.advance("1 hours")
        edit(world, ours, 15_000)
        yield* world.advance("6 hours")
        const { recovered } = yield* world.apply(yield* world.plan)
        expect(recovered.find(of(ours))?.state).toBe("conflict")
        const seen = yield* once(world)
        expect(seen.held.find(of(ours))).toMatchObject({ by: "human_edit" })
        expect(world.ledger().filter(({ before }) => before === 15_000)).toEqual([])
        yield* world.advance("4 days")
        expect((yield* once(world)).changes.filter((change) => of(ours)({ change }))).toHaveLength(1)
      })
    ))

  it("is left alone as long when it was changed between the plan and its first write, however often then", () =>
    Scenario.run({ rules: [steering] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const ours = firstOf(planned.reviewed.plan.changes)
        edit(world, ours, 15_000)
        const { rows } = yield* world.apply(planned)
        expect(rows.find(of(ours))).toMatchObject({ state: "skipped", reason: { code: "changed_by_hand" } })
        const edits = Effect.map(world.journal.stops(Scenario.account), (stops) => stops.edits)
        expect(yield* edits).toMatchObject([{ ours: ours.before, live: 15_000 }])
        // What `bidhelm holds` shows.
        const shown = yield* Effect.provide(Stopped.remembered(Scenario.account), world.context)
        expect(shown.edits).toMatchObject([{ live: 15_000 }])
        const held = (yield* once(world)).held.find(of(ours))
        expect(Said.limit(held)).toContain(`: ${Number(ours.before) / 100} ₽ → 150 ₽`)
        yield* world.advance("2 days")
        edit(world, ours, 16_000)
        expect((yield* once(world)).held.some(of(ours))).toBe(true)
        yield* world.advance("2 days")
        expect((yield* once(world)).held.some(of(ours))).toBe(true)
        expect(yield* edits).toMatchObject([{ live: 16_000 }])
        expect(world.ledger().filter(({ before }) => before === 15_000 || before === 16_000)).toEqual([])
        yield* world.advance("2 days")
        expect((yield* once(world)).changes.filter((change) => of(ours)({ change }))).toHaveLength(1)
      })
    ))

  it("is the rules' again once it is set back to what the plan had seen", () =>
    Scenario.run({ rules: [steering] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const ours = firstOf(planned.reviewed.plan.changes)
        edit(world, ours, 15_000)
        yield* world.apply(planned)
        yield* world.advance("7 hours")
        edit(world, ours, Number(ours.before))
        expect((yield* world.plan).reviewed.plan.held).toEqual([])
        expect((yield* world.journal.stops(Scenario.account)).edits).toEqual([])
      })
    ))

  it("is no edit where another plan of ours has set it meanwhile", () =>
    Scenario.run({ rules: [steering] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        yield* world.advance("1 minute")
        edit(world, firstOf(planned.reviewed.plan.changes), 15_000)
        yield* once(world)
        yield* world.advance("7 hours")
        yield* world.apply(planned)
        expect((yield* world.journal.stops(Scenario.account)).edits).toEqual([])
      })
    ))

  it("is given back at once by a person, and changes again only after that", () =>
    Scenario.run({ rules: [steering] }, (world) =>
      Effect.gen(function* () {
        const ours = firstOf((yield* once(world)).changes)
        yield* world.advance("7 hours")
        edit(world, ours, 15_000)
        expect((yield* world.plan).reviewed.plan.held.some(of(ours))).toBe(true)
        const holdings = yield* Effect.provide(Holdings, world.context)
        const key = Target.key(ours.subject)
        expect(yield* holdings.forgive(Scenario.account, key, "anna", world.now())).toHaveLength(1)
        expect((yield* world.plan).reviewed.plan.held).toEqual([])
        edit(world, ours, 17_000)
        expect((yield* world.plan).reviewed.plan.held.some(of(ours))).toBe(true)
      })
    ))

  it("is held as long as the limits say, and not at all with 0", () =>
    Effect.runPromise(
      Effect.forEach(
        [
          ["human_edit_hold: 0", false],
          ["human_edit_hold: 1h", true]
        ] as const,
        ([text, isHeld]) =>
          Effect.promise(() =>
            Scenario.run({ rules: [steering, limits(text)] }, (world) =>
              Effect.gen(function* () {
                const ours = firstOf((yield* once(world)).changes)
                yield* world.advance("7 hours")
                edit(world, ours, 15_000)
                expect((yield* world.plan).reviewed.plan.held.some(of(ours))).toBe(isHeld)
                yield* world.advance("2 hours")
                expect((yield* world.plan).reviewed.plan.held).toEqual([])
              })
            )
          )
      )
    ))

  it("is not what we wrote ourselves and cannot be seen yet", () =>
    Scenario.run({ rules: [steering] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const applying = yield* Effect.fork(world.apply(planned))
        while (world.ledger().length === 0) yield* world.advance("100 millis")
        expect((yield* world.plan).reviewed.plan.held).toEqual([])
        yield* applying
        expect((yield* world.plan).reviewed.plan.held).toEqual([])
        yield* world.advance("2 days")
        expect((yield* world.plan).reviewed.plan.held).toEqual([])
        expect((yield* world.journal.stops(Scenario.account)).edits).toEqual([])
      })
    ))
})

describe("what somebody else changed beside bids", () => {
  it("is held too: a campaign started again that we paused, for as long as a bid", () =>
    Scenario.run(
      {
        rules: [
          rule(
            "stop",
            `each: campaign\nwhere: [${mine}]\nwhen: campaign.status = active\ndo: pause\ncooldown: 1h`
          )
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const ours = firstOf((yield* once(world)).changes)
          yield* world.advance("1 hours")
          world.edit({ campaignId: ours.subject.campaignId!, status: 9 })
          const planned = yield* world.plan
          expect(Said.limit(planned.reviewed.plan.held.find(of(ours)))).toContain("paused → active")
          yield* world.apply(planned)
          yield* world.advance("71 hours")
          expect((yield* world.plan).reviewed.plan.changes).toEqual([])
          yield* world.advance("2 hours")
          expect((yield* world.plan).reviewed.plan.changes.map(({ action }) => action)).toContain("pause")
        })
    ))

  it("is held too: a campaign paused by hand that we had paused and somebody had started", () =>
    Scenario.run(
      {
        rules: [
          rule(
            "mornings",
            `schedule: {every: 10m, tz: Europe/Moscow}\neach: campaign\nwhere: [${mine}, "campaign.status in [active, paused]"]\nwhen: hour < 15\ndo: pause\nrevert_when: hour >= 15`
          )
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const ours = firstOf((yield* once(world)).changes)
          const { campaignId } = ours.subject
          for (const status of [9, 11]) {
            yield* world.advance("1 hours")
            world.edit({ campaignId: campaignId!, status })
            expect((yield* once(world)).changes).toEqual([])
          }
          yield* world.advance("6 hours")
          const afternoon = yield* once(world)
          expect(afternoon.held.find(of(ours))).toMatchObject({
            by: "human_edit",
            change: { action: "start" }
          })
          expect(world.ledger().map(({ operation }) => operation)).toEqual(["pauseCampaign"])
          yield* world.advance("72 hours")
          expect((yield* world.plan).reviewed.plan.changes.map(({ action }) => action)).toEqual(["start"])
        })
    ))

  it("is held too: a minus phrase that we added and somebody took off the list", () =>
    Scenario.run({ rules: Scenario.atOnce().filter(({ path }) => /minus|_shared/.test(path)) }, (world) =>
      Effect.gen(function* () {
        const ours = firstOf((yield* once(world)).changes)
        const { campaignId, itemId } = ours.subject
        yield* world.advance("1 hours")
        world.edit({ campaignId: campaignId!, itemId: itemId!, minus: [] })
        const planned = yield* world.plan
        const entries = world.ledger().length
        expect(Said.limit(planned.reviewed.plan.held.find(of(ours)))).toContain(
          "in the minus list → not in the minus list"
        )
        yield* world.apply(planned)
        expect(
          world
            .ledger()
            .slice(entries)
            .filter(({ target }) => target.itemId === itemId)
        ).toEqual([])
      })
    ))

  it("is held too: where a campaign is shown", () =>
    Scenario.run(
      {
        rules: [
          rule(
            "show",
            `each: campaign\nwhere: [${mine}]\nwhen: campaign.status = active\ndo: {placements: {search: true, recommendations: true}}`
          )
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const ours = firstOf((yield* once(world)).changes)
          yield* world.advance("1 hours")
          const { placements } = campaignOf(world, ours.subject.campaignId!)
          Timeline.set(placements, world.now(), { search: true, recommendations: false })
          const { changes, held } = (yield* world.plan).reviewed.plan
          expect(changes).toEqual([])
          expect(Said.limit(held.find(of(ours)))).toContain("search, recommendations → search")
          yield* world.advance("4 days")
          expect((yield* world.plan).reviewed.plan.changes).toHaveLength(1)
        })
    ))
})

describe("a campaign that we started and that stands still", () => {
  const start = rule(
    "start",
    `each: campaign\nwhere: [${mine}]\nwhen: campaign.status = paused\ndo: start\ncooldown: 1h`
  )

  const started = (world: Scenario.World) =>
    Effect.gen(function* () {
      const campaignId = (yield* world.plan).gathered.table("campaign").rows[0]!.campaignId!
      world.edit({ campaignId, status: 11 })
      const ours = firstOf((yield* once(world)).changes)
      yield* world.advance("2 hours")
      return ours
    })

  for (const [how, isHeld] of [
    ["because its budget is used up was not stopped by a person", false],
    ["with money left was stopped by a person", true]
  ] as const) {
    it(how, () =>
      Scenario.run({ rules: [start] }, (world) =>
        Effect.gen(function* () {
          const ours = yield* started(world)
          const { campaignId } = ours.subject
          if (!isHeld) campaignOf(world, campaignId!).purse.leftKopecks = 0
          world.edit({ campaignId: campaignId!, status: 11 })
          yield* world.advance("10 minutes")
          const { held } = (yield* world.plan).reviewed.plan
          expect(held.filter(of(ours)).map(({ by }) => by)).toEqual([isHeld ? "human_edit" : "budget"])
          expect((yield* world.journal.stops(Scenario.account)).edits).toHaveLength(isHeld ? 1 : 0)
        })
      )
    )
  }

  it("is left alone, and no edit is noted, while nobody can read its budget", () =>
    Scenario.run({ rules: [start] }, (world) =>
      Effect.gen(function* () {
        const ours = yield* started(world)
        world.edit({ campaignId: ours.subject.campaignId!, status: 11 })
        world.faults([{ kind: "refuse", operation: "getCampaignBudget" }])
        const { changes, held } = (yield* world.plan).reviewed.plan
        expect([changes, held.some(of(ours))]).toEqual([[], true])
        expect((yield* world.journal.stops(Scenario.account)).edits).toEqual([])
        world.faults([])
        yield* world.advance("20 minutes")
        expect((yield* world.plan).reviewed.plan.held.some(of(ours))).toBe(true)
        expect((yield* world.journal.stops(Scenario.account)).edits).toHaveLength(1)
      })
    ))

  it("is asked for its budget in one of the next runs, however many others stand still for good", () =>
    Scenario.run({ rules: [start] }, (world) =>
      Effect.gen(function* () {
        const still = Array.from({ length: 120 }, (_, n) => CampaignId.make(n + 1))
        const asked = new Set<number>()
        const counting = {
          ...(yield* world.facts),
          fetch: ({ keys }: FactRequest) =>
            Effect.sync(() => {
              for (const { campaignId } of keys) asked.add(Number(campaignId))
              return { rows: [], failures: [], readAt: world.now() }
            })
        }
        for (const _ of Array.from({ length: 20 })) {
          const before = asked.size
          yield* Effect.provideService(Budgets.read(still), FactSource, counting)
          expect(asked.size - before).toBeLessThanOrEqual(50)
          yield* world.advance("1 hours")
        }
        expect(asked.size).toBe(still.length)
      })
    ))
})

const campaignOf = ({ sandbox }: Scenario.World, id: number): World.Campaign => {
  const campaign = World.campaign(sandbox.world(defaultSeller), id)
  if (campaign === undefined) throw new Error(`no campaign ${id}`)
  return campaign
}
