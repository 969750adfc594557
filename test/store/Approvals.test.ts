import * as SqlClient from "@effect/sql/SqlClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { StoreFailure } from "../../src/domain/StoreFailure.js"
import { ChangeLog } from "../../src/engine/door/ChangeLog.js"
import { Journal } from "../../src/engine/door/Journal.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import { ApprovalStore, type Request } from "../../src/engine/planning/ApprovalStore.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import * as ApprovalsSql from "../../src/store/people/ApprovalsSql.js"
import { by, change, inMemory, plan, rows, run } from "./Fixture.js"

const slot = "item_bid:777/1001/search"

/** A change that was sent and seen in place. */
const applied = (runId: string, one: Change, at: number) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    yield* journal.begin(
      run(runId, { startedAt: at }),
      rows([one], () => slot)
    )
    yield* journal.move(runId, [one.id], ["planned"], "applied", { nowMs: at, sent: true })
  })

const request = (id: string, requestedAt: number): Request => ({
  id,
  account: "shop",
  plan,
  asked: [],
  state: "requested",
  requestedAt,
  expiresAt: 4_000_000_000_000
})

describe("what a person approved", () => {
  it("is what automatic moves are measured from until it was taken back, by whomever", () =>
    inMemory(
      Effect.gen(function* () {
        const store = yield* ApprovalStore
        const bids = Effect.map(store.approvedBids("shop", 0), (all) => [...all])
        yield* applied("run 1", change(1), 1_000)
        yield* store.applied("shop", "none", "run 1", new Map([[slot, 12_000]]), 2_000)
        expect(yield* bids).toEqual([[slot, 12_000]])
        const undoes = { runId: "run 1", changeId: change(1).id, policy: "raise" }
        yield* applied("run 2", change(2, { undoes, origin: by("raise") }), 3_000)
        expect(yield* bids).toEqual([])
        const again = { runId: "run 2", changeId: change(2).id, policy: "raise" }
        const history = Effect.flatMap(RuleMemory, (memory) => memory.slots("shop", 0))
        expect((yield* history).get(slot)?.rolledBack).toEqual([{ policy: "raise", at: 3_000 }])
        yield* applied("run 3", change(3, { undoes: again, origin: { by: "undo", name: "undo" } }), 4_000)
        expect((yield* history).get(slot)?.rolledBack).toBeUndefined()
        yield* store.applied("shop", "none", "run 3", new Map([[slot, 13_000]]), 5_000)
        expect(yield* bids).toEqual([[slot, 13_000]])
        const since = (at: number) =>
          Effect.flatMap(ChangeLog, (log) =>
            Effect.map(log.ofSlots("shop", [slot], at), (all) => all.map(({ runId }) => runId))
          )
        expect(yield* since(0)).toEqual(["run 1", "run 2", "run 3"])
        expect(yield* since(3_000)).toEqual(["run 2", "run 3"])
      }).pipe(Effect.provide(ApprovalsSql.layer))
    ))

  it("is listed while it waits, and remembered for as long as it is asked for when it was rejected", () =>
    inMemory(
      Effect.gen(function* () {
        const store = yield* ApprovalStore
        for (const [n, id] of ["a", "b", "c"].entries())
          yield* store.replace("shop", new Set(), new Set(), request(id, n))
        yield* store.decide("shop", "a", { to: "rejected", by: "anna", nowMs: 10 })
        const ids = (all: ReadonlyArray<Request>) => all.map(({ id }) => id)
        expect(ids(yield* store.list("shop", 1))).toEqual(["c", "b"])
        expect(ids(yield* store.rejected("shop", 9))).toEqual(["a"])
        expect(ids(yield* store.rejected("shop", 10))).toEqual([])
      }).pipe(Effect.provide(ApprovalsSql.layer))
    ))

  it("is asked in one transaction: a no that comes meanwhile is seen in it, or hears that another request asks now", () =>
    inMemory(
      Effect.gen(function* () {
        const store = yield* ApprovalStore
        const one = { id: "x", slot, policy: "raise", after: 1, tier: "notable" as const, why: "it is far" }
        const ask = (id: string) =>
          store.replace("shop", new Set(["raise"]), new Set(), { ...request(id, 1), asked: [one] })
        yield* ask("a")
        const no = { to: "rejected" as const, by: "anna", nowMs: 10 }
        const heard = yield* Deferred.make<boolean, StoreFailure>()
        let runs = 0
        const seen = yield* store.atOnce(
          Effect.gen(function* () {
            const before = (yield* store.rejected("shop", 0)).length
            if (runs++ === 0) Effect.runFork(Effect.intoDeferred(store.decide("shop", "a", no), heard))
            yield* Effect.sleep("100 millis")
            yield* ask("b")
            return before
          })
        )
        expect(seen).toBe((yield* Deferred.await(heard)) ? 1 : 0)
      }).pipe(Effect.provide(ApprovalsSql.layer))
    ))

  it("has ended by then, by the clock, where the store is reconciled later", () =>
    inMemory(
      Effect.gen(function* () {
        const store = yield* ApprovalStore
        const sql = yield* SqlClient.SqlClient
        const ask = (one: Request) => store.replace("shop", new Set(), new Set(), one)
        yield* ask(request("b", 2))
        yield* ask({ ...request("a", 1), expiresAt: 9 })
        yield* ApprovalsSql.supersedeAll(sql, "shop", "the store was reconciled")
        expect((yield* store.list("shop", 10)).map(({ id, state, why }) => [id, state, why])).toEqual([
          ["b", "superseded", "the store was reconciled"],
          ["a", "expired", "nobody answered it in time"]
        ])
      }).pipe(Effect.provide(ApprovalsSql.layer))
    ))

  it("is asked again by the same plan when another replaced it, and not once somebody has answered", () =>
    inMemory(
      Effect.gen(function* () {
        const store = yield* ApprovalStore
        const one = { slot, policy: "raise", after: 1, tier: "notable" as const, why: "it is far" }
        const a = {
          ...request("a", 1),
          asked: [
            { ...one, id: "x" },
            { ...one, id: "y" }
          ]
        }
        const ask = (asked: Request) => store.replace("shop", new Set(["raise"]), new Set(), asked)
        const found = (id: string) => store.find("shop", id)
        expect([yield* ask(a), yield* ask(a), yield* ask({ ...a, id: "b" })]).toEqual([true, true, true])
        expect(yield* found("a")).toMatchObject({
          state: "superseded",
          decidedBy: "bidhelm",
          decidedAt: expect.any(Number),
          why: "replaced by b"
        })
        expect(yield* ask(a)).toBe(true)
        expect(yield* found("a")).toEqual(a)
        expect(yield* found("b")).toMatchObject({ state: "superseded" })
        const yes = { to: "approved" as const, by: "anna", nowMs: 10, ids: new Set(["x"]) }
        expect(yield* store.decide("shop", "a", yes)).toBe(true)
        expect((yield* found("a"))?.asked.map(({ id }) => id)).toEqual(["x"])
        expect(yield* ask(a)).toBe(false)
        yield* store.reopen("shop", "a")
        expect(yield* found("a")).toEqual(a)
      }).pipe(Effect.provide(ApprovalsSql.layer))
    ))
})
