import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import * as Hold from "../../src/engine/decide/intents/Hold.js"
import type { Holds } from "../../src/engine/decide/Plan.js"
import * as Holdings from "../../src/engine/door/Holdings.js"
import { KillSwitch } from "../../src/engine/door/Stopping.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import * as Fixture from "./Fixture.js"

const counts = (...rows: ReadonlyArray<readonly [string, number, boolean]>) => [
  { policy: "02", hash: "h", rows: rows.map(([row, runs, fresh]) => ({ row, rule: 0, runs, fresh })) }
]
const found = (holds: Holds, row: string) => holds.get(Hold.key("02", "h", row))

describe("what was counted for hold_for", () => {
  it("survives a restart, for its account only", () =>
    Fixture.inFolder((path) =>
      Effect.gen(function* () {
        const opened = Fixture.store({ filename: `${path}/store.db` })
        yield* Effect.provide(
          Effect.flatMap(RuleMemory, (memory) => memory.keepHolds("shop", counts(["1/2/а", 1, true]), 1000)),
          opened
        )
        yield* Effect.provide(
          Effect.gen(function* () {
            const memory = yield* RuleMemory
            assert.deepStrictEqual(found(yield* memory.holds("shop"), "1/2/а"), {
              rule: 0,
              runs: 1,
              countedAt: 1000
            })
            assert.strictEqual((yield* memory.holds("other")).size, 0)
          }),
          Fixture.store({ filename: `${path}/store.db` })
        )
      })
    ))

  it("replaces the rows of the policy, and keeps the time of a run that did not count", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const memory = yield* RuleMemory
        yield* memory.keepHolds("shop", counts(["a", 1, true], ["b", 1, true]), 1000)
        yield* memory.keepHolds("shop", counts(["b", 1, false], ["c", 1, true]), 2000)
        const holds = yield* memory.holds("shop")
        assert.isUndefined(found(holds, "a"))
        assert.deepStrictEqual([found(holds, "b")?.countedAt, found(holds, "c")?.countedAt], [1000, 2000])
      })
    ))

  it("is left alone by a plan that is older than the last count", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const memory = yield* RuleMemory
        yield* memory.keepHolds("shop", counts(["a", 2, true]), 2000)
        yield* memory.keepHolds("shop", counts(["b", 1, true]), 1000)
        assert.strictEqual(found(yield* memory.holds("shop"), "a")?.runs, 2)
      })
    ))

  it("gives way to a later run when a clock that was ahead has counted", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const memory = yield* RuleMemory
        const year = 365 * 86_400_000
        yield* memory.keepHolds("shop", counts(["a", 2, true]), year)
        yield* memory.keepHolds("shop", counts(["b", 1, true]), 1000)
        const holds = yield* memory.holds("shop")
        assert.deepStrictEqual([found(holds, "a"), found(holds, "b")?.countedAt], [undefined, 1000])
      })
    ))
})

it("reads before each request the holds alone, however much others have changed", () =>
  Fixture.inMemory(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DROP TABLE human_edits`
      const changes = [Fixture.change(0)]
      assert.deepStrictEqual(yield* Holdings.free("run", "shop", changes), changes)
      assert.strictEqual((yield* Holdings.stopping("shop", changes)).size, 0)
      const engaged = Effect.flatMap(KillSwitch, (kill) => kill.engaged)
      const none = Holdings.killSwitch("shop", Effect.succeed(undefined))
      assert.strictEqual(yield* Effect.provide(engaged, none), undefined)
    })
  ))
