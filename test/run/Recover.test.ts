/** What a dead run left open is settled by who holds the lock, and by nobody who has lost it. */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { expect, it } from "vitest"
import type { Lane } from "../../src/domain/Lane.js"
import { Journal } from "../../src/engine/door/Journal.js"
import type { Lease } from "../../src/engine/door/Lease.js"
import * as Recover from "../../src/engine/door/Recover.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import * as Scenario from "../scenario/Scenario.js"

const lease = (held: boolean, lane: Lane = "ads"): Lease => ({
  held: Effect.succeed(held),
  fence: { account: Scenario.account, lane, holder: "second", epoch: 2 }
})

it("says that the lock was lost and that the next run settles it, and touches nothing", () =>
  Scenario.run({}, (world) =>
    Effect.gen(function* () {
      const { reviewed } = yield* world.plan
      const [change] = reviewed.plan.changes
      if (change === undefined) throw new Error("the story plans nothing")
      const base = { account: Scenario.account, planId: reviewed.plan.id, approvedBy: "test", counts: {} }
      yield* world.journal.begin(
        {
          lane: "ads",
          ...base,
          runId: "dead",
          startedAt: world.now(),
          finishedAt: undefined,
          status: "running"
        },
        [{ slot: Kinds.slotOf(change), change }]
      )
      const said: Array<string> = []
      const logger = Logger.make(({ message }) => said.push(String(message)))
      const settle = (held: boolean) =>
        Recover.settle(Scenario.account, lease(held)).pipe(
          Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
          Effect.provide(world.context)
        )
      expect(yield* settle(false)).toEqual([])
      expect(said).toEqual([
        "shop: the apply lock was lost before an open change of an earlier run could be read back; nothing was touched, and the next run settles it"
      ])
      expect((yield* world.journal.open(Scenario.account)).map(({ state }) => state)).toEqual(["planned"])
      expect((yield* settle(true)).map(({ state }) => state)).toEqual(["skipped"])
      expect(said).toHaveLength(1)
    })
  ))

it("finds how an old run ended without reading all runs of the account at once", () =>
  Scenario.run({}, (world) =>
    Effect.gen(function* () {
      const { reviewed } = yield* world.plan
      const [change] = reviewed.plan.changes
      if (change === undefined) throw new Error("the story plans nothing")
      const run = { account: Scenario.account, planId: reviewed.plan.id, approvedBy: "test", counts: {} }
      const begin = (
        runId: string,
        ago: number,
        rows: ReadonlyArray<{ slot: string; change: typeof change }>
      ) =>
        world.journal.begin(
          {
            lane: "ads",
            ...run,
            runId,
            startedAt: world.now() - ago,
            finishedAt: undefined,
            status: "running"
          },
          rows
        )
      yield* begin("dead", 1000, [{ slot: Kinds.slotOf(change), change }])
      for (let n = 0; n < 120; n++) {
        yield* begin(`later-${n}`, 500 - n, [])
        yield* world.journal.finish(`later-${n}`, "done", {}, world.now())
      }
      const asked: Array<number> = []
      const journal: typeof world.journal = {
        ...world.journal,
        runs: (account, limit, before, lane) => {
          asked.push(limit)
          return world.journal.runs(account, limit, before, lane)
        }
      }
      yield* Recover.settle(Scenario.account, lease(true)).pipe(
        Effect.provideService(Journal, journal),
        Effect.provide(world.context)
      )
      expect(Math.max(...asked)).toBe(100)
      const ended = (yield* world.journal.runs(Scenario.account, 200)).find(({ runId }) => runId === "dead")
      expect(ended?.status).toBe("interrupted")
    })
  ))

it("leaves alone what a run of another lane has under way", () =>
  Scenario.run({}, (world) =>
    Effect.gen(function* () {
      const { reviewed } = yield* world.plan
      const [change] = reviewed.plan.changes
      if (change === undefined) throw new Error("the story plans nothing")
      yield* world.journal.begin(
        {
          runId: "alive",
          account: Scenario.account,
          lane: "ads",
          planId: reviewed.plan.id,
          startedAt: world.now(),
          finishedAt: undefined,
          status: "running",
          counts: {}
        },
        [{ slot: Kinds.slotOf(change), change }]
      )
      const states = Effect.gen(function* () {
        const [row] = yield* world.journal.rows("alive")
        const [run] = yield* world.journal.runs(Scenario.account, 1)
        return [row?.state, run?.status]
      })
      const settle = (lane: Lane) =>
        Effect.provide(Recover.settle(Scenario.account, lease(true, lane)), world.context)
      expect(yield* settle("orders")).toEqual([])
      expect(yield* states).toEqual(["planned", "running"])
      expect(yield* settle("ads")).toHaveLength(1)
      expect(yield* states).toEqual(["skipped", "interrupted"])
    })
  ))
