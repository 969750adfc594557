/** A campaign's new name goes through the same door as a bid: sent once, read back, taken back, recovered. */

import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Review from "../../src/engine/decide/Review.js"
import * as JournalPoints from "../../src/engine/door/JournalPoints.js"
import * as Recover from "../../src/engine/door/Recover.js"
import * as CampaignName from "../../src/engine/kinds/CampaignName.js"
import type { Of } from "../../src/engine/kinds/Change.js"
import { isOfCampaign } from "../../src/engine/kinds/Change.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Story from "./UndoStory.js"

const pause = {
  path: "rules/pause.yaml",
  text: "version: 1\nname: pause\nmode: apply\neach: campaign\nwhen: campaign.status = active\ndo: pause\n"
}

type Rename = Of<typeof CampaignName.name>

/** A reviewed plan that gives one campaign another name; `before` is what the planner believes it is called. */
const renaming = (world: Scenario.World, after: string, before?: string) =>
  Effect.gen(function* () {
    const planned = yield* world.plan
    const { plan } = planned.reviewed
    const [first] = plan.changes.filter(isOfCampaign)
    if (first === undefined) throw new Error("the story plans nothing")
    const { campaignName, clamps, moneyPerDayKopecks, origin, overruled, reason, subject } = first
    const change: Rename = {
      ...{ campaignName, clamps, moneyPerDayKopecks, origin, overruled, reason, subject },
      id: "0123456789abcdef",
      kind: CampaignName.name,
      action: "rename",
      before: before ?? campaignName,
      after,
      details: {},
      reversible: true
    }
    const reviewed = Review.review({ ...plan, changes: [change] }, planned.context)
    return { planned: { ...planned, reviewed }, change }
  })

const written = (world: Scenario.World) =>
  world.ledger().map(({ after, before, operation, slot }) => [operation, slot, before, after])

describe("a campaign's name", () => {
  it("is set once, read back, and set to the old one again by undo", () =>
    Scenario.run({ rules: [pause] }, (world) =>
      Effect.gen(function* () {
        const { change, planned } = yield* renaming(world, "Зимняя распродажа")
        const report = yield* world.apply(planned)
        expect(report.rows.map(({ state }) => state)).toEqual(["applied"])
        const there = ["renameCampaign", "name", change.before, "Зимняя распродажа"]
        expect(written(world)).toEqual([there])
        const { report: undone } = yield* Story.undo(world, report.runId)
        expect(undone?.rows.map(({ state }) => state)).toEqual(["applied"])
        expect(written(world)).toEqual([
          there,
          ["renameCampaign", "name", "Зимняя распродажа", change.before]
        ])
      })
    ))

  it("that somebody has changed meanwhile is left as it is", () =>
    Scenario.run({ rules: [pause] }, (world) =>
      Effect.gen(function* () {
        const { planned } = yield* renaming(world, "Зимняя распродажа", "Лето")
        const report = yield* world.apply(planned)
        expect(report.rows.map(({ state }) => state)).toEqual(["skipped"])
        expect(world.ledger()).toEqual([])
      })
    ))

  it("is found by the next run when the first dies before it knows the answer, and is not set again", () =>
    Scenario.run({ rules: [pause] }, (world) =>
      Effect.gen(function* () {
        const { planned } = yield* renaming(world, "Зимняя распродажа")
        yield* world.apply(planned).pipe(
          Effect.provideService(JournalPoints.AtPoint, (point: JournalPoints.Point) =>
            point === "answered" ? Effect.die("the machine is gone") : Effect.void
          ),
          Effect.exit
        )
        expect((yield* world.journal.open(Scenario.account)).map(({ state }) => state)).toEqual([
          "dispatching"
        ])
        yield* world.advance("10 minutes")
        const lease = {
          held: Effect.succeed(true),
          fence: { account: Scenario.account, lane: "ads" as const, holder: "second", epoch: 2 }
        }
        const settled = yield* Recover.settle(Scenario.account, lease).pipe(Effect.provide(world.context))
        expect(settled.map(({ state }) => state)).toEqual(["applied"])
        expect(world.ledger()).toHaveLength(1)
      })
    ))

  it("too long to be given is not promised back", () => {
    const move = (before: string) => ({ kind: CampaignName.name, before, after: "b" }) as Rename
    const forGood = (before: string) => Kinds.of(move(before)).irreversible?.(move(before))
    expect(forGood("я".repeat(100))).toBeUndefined()
    expect(forGood("я".repeat(101))).toContain("1 to 100 characters")
  })
})
