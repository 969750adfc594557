/** What a cycle tells of what it could not keep or read. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { StoreFailure } from "../../src/domain/StoreFailure.js"
import { FactSource } from "../../src/engine/gather/FactSource.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import { Snapshots } from "../../src/engine/planning/Snapshots.js"
import * as Scenario from "../scenario/Scenario.js"

it("a day's facts that cannot be kept cost no plan: it is made all the same, and says so", () =>
  Scenario.run({}, (world) =>
    Effect.gen(function* () {
      const broken = new StoreFailure({
        action: "could not write",
        hint: "free some space",
        cause: undefined
      })
      const rules = Scenario.check(Scenario.atOnce())
      const planned = yield* Cycle.plan(rules, { zone: "Europe/Moscow" }).pipe(
        Effect.provideService(Snapshots, {
          keep: () => Effect.fail(broken),
          days: () => Effect.succeed([]),
          first: () => Effect.succeed([]),
          read: () => Effect.succeed([])
        }),
        Effect.provideService(FactSource, yield* world.facts),
        Effect.provide(world.context)
      )
      expect(planned.reviewed.plan.changes.length).toBeGreaterThan(0)
      expect(planned.gathered.failures.map(({ message }) => message)).toContain(
        "the day's facts were not kept for backtests: could not write: free some space"
      )
    })
  ))

it("campaigns that could not be read are counted, since nobody knows what they spend", () =>
  Scenario.run({}, (world) =>
    Effect.gen(function* () {
      expect((yield* world.plan).context.campaignsUnread).toBe(0)
      world.faults([{ kind: "errorBefore", operation: "getCampaigns" }])
      expect((yield* world.plan).context.campaignsUnread).toBeGreaterThan(0)
    })
  ))
