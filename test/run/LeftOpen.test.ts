/** The look for supplies that no policy hands over any more, in a program that runs on. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as PolicyJobs from "../../src/engine/planning/PolicyJobs.js"
import { RuleSource } from "../../src/engine/planning/RuleSource.js"
import * as Scenario from "../scenario/Scenario.js"

it("is a job no longer once the store says that none is open, though the rules stay the same", () =>
  Scenario.run({ rules: [] }, (world) =>
    Effect.gen(function* () {
      const loaded = { rules: Scenario.check([]), version: "v1", problem: undefined }
      let open = new Set<string>([Scenario.account])
      const jobs = yield* PolicyJobs.source(
        () => Effect.succeed({ _tag: "Stopping" as const }),
        () => Effect.sync(() => open)
      ).pipe(Effect.provideService(RuleSource, { current: Effect.succeed(loaded) }))
      const before = yield* jobs.current
      expect(before.of(Scenario.account).map(({ id }) => id)).toEqual(["supplies left open"])
      open = new Set()
      expect(yield* jobs.current).toBe(before)
      yield* world.advance("10 minutes")
      const after = yield* jobs.current
      expect(after.of(Scenario.account)).toEqual([])
      expect(after.version).not.toBe(before.version)
    })
  ))
