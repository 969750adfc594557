import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { afterAll, describe, expect, it } from "vitest"
import * as RawCall from "../../../src/cli/call/RawCall.js"
import { AccountName } from "../../../src/domain/Ids.js"
import { StoreFailure } from "../../../src/domain/StoreFailure.js"
import { Journal } from "../../../src/engine/door/Journal.js"
import { LimitsMemory } from "../../../src/engine/planning/LimitsMemory.js"
import * as Catalogue from "../../../src/services/Catalogue.js"
import * as Scenario from "../../scenario/Scenario.js"

const noLimits = { known: () => Effect.succeed(undefined), keep: () => Effect.void }
const folder = mkdtempSync(join(tmpdir(), "bidhelm-call-"))
afterAll(() => rmSync(folder, { recursive: true }))

describe("a call made by hand whose end cannot be written down", () => {
  it("tells what came of it all the same: whoever hears nothing would make it again", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const { gathered } = yield* world.plan
        const { campaignId } = gathered.table("campaign").rows[0]!
        const request = { urlParams: { id: campaignId }, payload: { sum: 2000, type: 1, return: true } }
        const full = new StoreFailure({
          action: "record the end",
          hint: "the disk is full",
          cause: undefined
        })
        const answer = yield* RawCall.run(Catalogue.find("depositCampaignBudget")!, request, {
          name: AccountName(Scenario.account),
          config: { storePath: join(folder, "store.sqlite"), rulesFolder: folder }
        }).pipe(
          Effect.provideService(LimitsMemory, noLimits),
          Effect.provideService(Journal, { ...world.journal, finish: () => Effect.fail(full) }),
          Effect.provide(world.context)
        )
        expect(answer).toMatchObject({ total: expect.any(Number) })
        expect(world.requests("depositCampaignBudget")).toBe(1)
      })
    ))
})

describe("a call made by hand that waits for the call limit", () => {
  it("is known not to have been sent when the person gives up", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const { gathered } = yield* world.plan
        const { campaignId } = gathered.table("campaign").rows[0]!
        const request = { urlParams: { id: campaignId }, payload: { sum: 1000, type: 1, return: true } }
        const call = RawCall.run(Catalogue.find("depositCampaignBudget")!, request, {
          name: AccountName(Scenario.account),
          config: { storePath: join(folder, "store.sqlite"), rulesFolder: folder }
        }).pipe(Effect.provideService(LimitsMemory, noLimits), Effect.provide(world.context))
        const { burst } = Catalogue.find("depositCampaignBudget")!.limits.personal
        yield* Effect.all(Array.from({ length: burst }, () => call))
        yield* world.advance("1 millis")
        const waiting = yield* Effect.fork(call)
        yield* world.advance("200 millis")
        yield* Fiber.interrupt(waiting)
        expect(world.requests("depositCampaignBudget")).toBe(burst)
        const [run] = yield* world.journal.runs(Scenario.account, 1)
        expect(run).toMatchObject({
          status: "failed",
          counts: { "depositCampaignBudget not sent": 1 }
        })
        expect(run?.counts).not.toHaveProperty("depositCampaignBudget")
      })
    ))
})
