/** Two lanes of one account at the same time: each has its own lock, epoch and open runs. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Lane } from "../../src/domain/Lane.js"
import { CreationLog } from "../../src/engine/door/CreationLog.js"
import { type Fence, Journal } from "../../src/engine/door/Journal.js"
import * as Lease from "../../src/engine/door/Lease.js"
import * as GroupCommit from "../../src/store/clients/GroupCommit.js"
import * as CreationLogSql from "../../src/store/journal/CreationLogSql.js"
import * as VirtualClock from "../scenario/VirtualClock.js"
import { change, database, inMemory, rows, run } from "./Fixture.js"

const ads = [0, 1].map((n) => change(n))
const orders = [2, 3].map((n) => change(n))
const idsOf = (changes: ReadonlyArray<{ readonly id: string }>) => changes.map(({ id }) => id)

/** The lane's lock for 500 milliseconds from then. */
const taken = (lane: Lane, holder: string, nowMs: number) =>
  Effect.gen(function* () {
    const { epoch, granted } = yield* (yield* Journal).acquire({ account: "shop", lane }, holder, nowMs, 500)
    return { granted, fence: { account: "shop", lane, holder, epoch } satisfies Fence }
  })

const begunInBoth = Effect.gen(function* () {
  const journal = yield* Journal
  yield* journal.begin(run("run ads"), rows(ads))
  yield* journal.begin(run("run orders", { lane: "orders" }), rows(orders))
})

describe("two lanes of an account", () => {
  it("are locked side by side, and each refuses a second holder", async () => {
    const granted = await inMemory(
      Effect.gen(function* () {
        const tries = [
          taken("ads", "a", 1_000),
          taken("orders", "b", 1_000),
          taken("ads", "b", 1_100),
          taken("orders", "a", 1_100),
          taken("promotions", "a", 1_100)
        ]
        return (yield* Effect.all(tries)).map((one) => one.granted)
      })
    )
    expect(granted).toEqual([true, true, false, false, true])
  })

  it("claim and send at the same moment, each under its own fence", async () => {
    const ended = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        yield* begunInBoth
        const one = yield* taken("ads", "a", 1_000)
        const other = yield* taken("orders", "b", 1_000)
        const steps = (fence: Fence, runId: string, ids: ReadonlyArray<string>) =>
          Effect.all([
            journal.claim(fence, runId, ids, ["planned"], "claimed", { nowMs: 1_100 }),
            journal.claim(fence, runId, ids, ["claimed"], "dispatching", { nowMs: 1_100, sent: true })
          ])
        return yield* Effect.all(
          [steps(one.fence, "run ads", idsOf(ads)), steps(other.fence, "run orders", idsOf(orders))],
          { concurrency: "unbounded" }
        )
      })
    )
    expect(ended.flat()).toEqual(Array.from({ length: 4 }, () => ({ _tag: "Moved" })))
  })

  it("lose their fences one by one: the other lane goes on sending", async () => {
    const told = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        yield* begunInBoth
        const lost = yield* taken("ads", "a", 1_000)
        const held = yield* taken("orders", "a", 1_000)
        yield* taken("ads", "b", 2_000)
        const claim = (fence: Fence, runId: string, ids: ReadonlyArray<string>) =>
          journal.claim(fence, runId, ids, ["planned"], "claimed", { nowMs: 2_001 })
        return [
          yield* claim(lost.fence, "run ads", idsOf(ads)),
          yield* claim(held.fence, "run orders", idsOf(orders)),
          // The epoch of one lane says nothing of another.
          yield* claim({ ...lost.fence, lane: "orders", epoch: 2 }, "run orders", [])
        ]
      })
    )
    expect(told).toEqual([
      { _tag: "Fenced", holder: "b", epoch: 2 },
      { _tag: "Moved" },
      { _tag: "Fenced", holder: "a", epoch: 1 }
    ])
  })

  it("release a lock without freeing the other's", async () => {
    const after = await inMemory(
      Effect.gen(function* () {
        yield* taken("ads", "a", 1_000)
        yield* taken("orders", "a", 1_000)
        yield* (yield* Journal).release({ account: "shop", lane: "ads" }, "a")
        return [(yield* taken("ads", "b", 1_001)).granted, (yield* taken("orders", "b", 1_001)).granted]
      })
    )
    expect(after).toEqual([true, false])
  })

  it("have open changes, runs and creations of their own, and the account has all of them", async () => {
    const found = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        const log = yield* CreationLog
        yield* begunInBoth
        const creation = {
          account: "shop",
          operation: "createSupply",
          marker: "morning",
          requestHash: "h",
          beforeIds: [],
          state: "claimed",
          foundId: undefined,
          reason: undefined,
          storedAt: 1
        } as const
        yield* log.begin({ ...creation, id: "one", lane: "orders" })
        const of = (lane?: Lane) =>
          Effect.gen(function* () {
            return {
              open: (yield* journal.open("shop", lane)).map((row) => row.change.id).sort(),
              runs: (yield* journal.runs("shop", 10, undefined, lane)).map((one) => one.lane).sort(),
              creations: (yield* log.open("shop", lane)).map((one) => one.lane)
            }
          })
        return { all: yield* of(), ads: yield* of("ads"), orders: yield* of("orders") }
      }).pipe(Effect.provide(CreationLogSql.layer))
    )
    expect(found).toEqual({
      all: { open: idsOf([...ads, ...orders]).sort(), runs: ["ads", "orders"], creations: ["orders"] },
      ads: { open: idsOf(ads), runs: ["ads"], creations: [] },
      orders: { open: idsOf(orders), runs: ["orders"], creations: ["orders"] }
    })
  })
})

it.skipIf(database.kind === "postgres")(
  "renewed by many runs of a program, locks are few commits",
  async () => {
    const virtual = VirtualClock.make(1_000_000)
    let commits = 0
    // Asked for once before each commit, and once when nothing waits any more.
    const patience = Effect.zipRight(
      Effect.sync(() => commits++),
      Effect.yieldNow()
    )
    const holding = Effect.gen(function* () {
      for (let n = 0; n < 40; n++) {
        yield* Lease.hold({ account: `shop ${n}`, lane: "ads" }, "me")
        yield* Effect.sleep("233 millis")
      }
      commits = 0
      yield* Effect.sleep("10 seconds")
      return commits / 2
    })
    const within = virtual
      .run(Effect.scoped(holding))
      .pipe(Effect.provideService(GroupCommit.Patience, patience))
    expect(await inMemory(within)).toBeLessThanOrEqual(11)
  }
)
