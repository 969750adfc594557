/** A campaign is stopped for good through the same door as it is paused, and no undo is promised. */

import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Review from "../../src/engine/decide/Review.js"
import * as JournalPoints from "../../src/engine/door/JournalPoints.js"
import * as Recover from "../../src/engine/door/Recover.js"
import * as CampaignStop from "../../src/engine/kinds/CampaignStop.js"
import type { Of } from "../../src/engine/kinds/Change.js"
import { isOfCampaign } from "../../src/engine/kinds/Change.js"
import * as Blueprint from "../../src/sandbox/market/Blueprint.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Story from "./UndoStory.js"

const pause = {
  path: "rules/pause.yaml",
  text: "version: 1\nname: pause\nmode: apply\neach: campaign\nwhen: campaign.status = active\ndo: pause\n"
}

/** A reviewed plan that stops one active campaign. */
const stopping = (world: Scenario.World) =>
  Effect.gen(function* () {
    const planned = yield* world.plan
    const { plan } = planned.reviewed
    const [first] = plan.changes.filter(isOfCampaign)
    if (first === undefined) throw new Error("the story plans nothing")
    const { campaignName, clamps, moneyPerDayKopecks, origin, overruled, reason, subject } = first
    const change: Of<typeof CampaignStop.name> = {
      ...{ campaignName, clamps, moneyPerDayKopecks, origin, overruled, reason, subject },
      id: "0123456789abcdef",
      kind: CampaignStop.name,
      action: "stop",
      before: "active",
      after: "completed",
      details: {},
      reversible: false
    }
    return { ...planned, reviewed: Review.review({ ...plan, changes: [change] }, planned.context) }
  })

const { active, completed } = Blueprint.status
const once = [["stopCampaign", "status", active, completed]]
const written = (world: Scenario.World) =>
  world.ledger().map(({ after, before, operation, slot }) => [operation, slot, before, after])

describe("stopping a campaign for good", () => {
  it("is sent once and read back; undo says why there is no way back, and sends nothing", () =>
    Scenario.run({ rules: [pause] }, (world) =>
      Effect.gen(function* () {
        const report = yield* world.apply(yield* stopping(world))
        expect(report.rows.map(({ state }) => state)).toEqual(["applied"])
        expect(written(world)).toEqual(once)
        const { left, report: undone } = yield* Story.undo(world, report.runId)
        expect([left.map(Said.leftWhy), undone]).toEqual([
          [expect.stringContaining("nothing starts it again")],
          undefined
        ])
        expect(written(world)).toEqual(once)
      })
    ))

  it("is found by the next run when the first dies before it knows the answer, and is not sent again", () =>
    Scenario.run({ rules: [pause] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* stopping(world)
        yield* world.apply(planned).pipe(
          Effect.provideService(JournalPoints.AtPoint, (point: JournalPoints.Point) =>
            point === "answered" ? Effect.die("the machine is gone") : Effect.void
          ),
          Effect.exit
        )
        yield* world.advance("10 minutes")
        const lease = {
          held: Effect.succeed(true),
          fence: { account: Scenario.account, lane: "ads" as const, holder: "second", epoch: 2 }
        }
        const settled = yield* Recover.settle(Scenario.account, lease).pipe(Effect.provide(world.context))
        expect(settled.map(({ state }) => state)).toEqual(["applied"])
        expect(written(world)).toEqual(once)
      })
    ))
})
