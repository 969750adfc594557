import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { Journal } from "../../src/engine/door/Journal.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import * as DepositMemory from "../../src/store/accounts/DepositMemory.js"
import * as StoreMarks from "../../src/store/audit/StoreMarks.js"
import * as Packed from "../../src/store/Packed.js"
import { by, change, inMemory, plan, rows, run } from "./Fixture.js"

const changes = [0, 1, 2].map((n) => change(n))
const ids = changes.map((one) => one.id)

describe("the lock of an account", () => {
  it("goes to the first, and tells the second who holds it until when", async () => {
    const answers = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        return [
          yield* journal.acquire({ account: "shop", lane: "ads" }, "a", 1_000, 500),
          yield* journal.acquire({ account: "shop", lane: "ads" }, "b", 1_499, 500),
          yield* journal.acquire({ account: "other", lane: "ads" }, "b", 1_499, 500)
        ]
      })
    )
    expect(answers).toEqual([
      { granted: true, holder: "a", until: 1_500, epoch: 1 },
      { granted: false, holder: "a", until: 1_500, epoch: 1 },
      { granted: true, holder: "b", until: 1_999, epoch: 1 }
    ])
  })

  it("is renewed by its holder, ends with its lease, and is released by its holder alone", async () => {
    const answers = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        yield* journal.acquire({ account: "shop", lane: "ads" }, "a", 1_000, 500)
        const renewed = yield* journal.acquire({ account: "shop", lane: "ads" }, "a", 1_400, 500)
        yield* journal.release({ account: "shop", lane: "ads" }, "b")
        const refused = yield* journal.acquire({ account: "shop", lane: "ads" }, "b", 1_899, 500)
        const expired = yield* journal.acquire({ account: "shop", lane: "ads" }, "b", 1_900, 500)
        yield* journal.release({ account: "shop", lane: "ads" }, "b")
        return [
          renewed.until,
          refused.granted,
          expired.granted,
          (yield* journal.acquire({ account: "shop", lane: "ads" }, "c", 1_901, 1)).granted
        ]
      })
    )
    expect(answers).toEqual([1_900, false, true, true])
  })
})

describe("moving changes", () => {
  it("moves only those in an expected state and names them", async () => {
    const [first, second, stored] = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        yield* journal.begin(run(), rows(changes))
        const note = { nowMs: 2_000, operation: "setBids", requestHash: "abc", sent: true }
        const one = yield* journal.move("run 1", ids.slice(0, 2), ["planned"], "dispatching", note)
        const two = yield* journal.move("run 1", ids, ["planned"], "skipped", {
          nowMs: 3_000,
          reason: { code: "kill_switch", said: "why" }
        })
        return [one, two, yield* journal.rows("run 1")]
      })
    )
    expect([first, second]).toEqual([ids.slice(0, 2), ids.slice(2)])
    expect(
      stored.map((row) => [row.change.id, row.state, row.updatedAt, row.sentAt, row.requestHash, row.reason])
    ).toEqual([
      ["change 0", "dispatching", 2_000, 2_000, "abc", undefined],
      ["change 1", "dispatching", 2_000, 2_000, "abc", undefined],
      ["change 2", "skipped", 3_000, undefined, undefined, { code: "kill_switch", said: "why" }]
    ])
  })

  it("keeps what an earlier note said when a later one is silent", async () => {
    const [row] = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        yield* journal.begin(run(), rows(changes))
        yield* journal.move("run 1", ids, ["planned"], "dispatching", {
          nowMs: 2,
          operation: "setBids",
          sent: true
        })
        yield* journal.move("run 1", ids, ["dispatching"], "accepted", { nowMs: 3 })
        return yield* journal.rows("run 1")
      })
    )
    expect(row).toMatchObject({
      state: "accepted",
      operation: "setBids",
      sentAt: 2,
      updatedAt: 3,
      planId: "plan 1",
      account: "shop"
    })
    expect(row?.change).toEqual(changes[0])
  })

  it("forgets why a request was kept back once it is claimed again", async () => {
    const [row] = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        yield* journal.begin(run(), rows(changes))
        const { epoch } = yield* journal.acquire({ account: "shop", lane: "ads" }, "a", 1, 500)
        const fence = { account: "shop", lane: "ads" as const, holder: "a", epoch }
        yield* journal.claim(fence, "run 1", ids, ["planned"], "claimed", { nowMs: 2 })
        yield* journal.move("run 1", ids, ["claimed"], "planned", {
          nowMs: 3,
          reason: { code: "stale_value" }
        })
        yield* journal.claim(fence, "run 1", ids, ["planned"], "claimed", { nowMs: 4 })
        yield* journal.claim(fence, "run 1", ids, ["claimed"], "dispatching", { nowMs: 5, sent: true })
        yield* journal.move("run 1", ids, ["dispatching"], "accepted", { nowMs: 6 })
        return yield* journal.rows("run 1")
      })
    )
    expect(row).toMatchObject({ state: "accepted", reason: undefined })
  })

  it("lets one of two racing claims win each change", async () => {
    const won = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        yield* journal.begin(run(), rows(changes))
        const claim = journal.move("run 1", ids, ["planned"], "dispatching", { nowMs: 2 })
        return yield* Effect.all([claim, claim, claim], { concurrency: 3 })
      })
    )
    expect(won.flat().sort()).toEqual(ids)
  })
})

describe("runs", () => {
  it("are listed newest first, of one account or of all, with what came of them", async () => {
    const [all, shop] = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        yield* journal.begin(run("run 1"), rows(changes))
        yield* journal.begin(run("run 2", { account: "other", startedAt: 2_000 }), [])
        yield* journal.begin(run("run 3", { startedAt: 3_000 }), [])
        yield* journal.finish("run 1", "partial", { applied: 2, conflict: 1 }, 9_000)
        return [yield* journal.runs(undefined, 2), yield* journal.runs("shop", 10)]
      })
    )
    expect(all.map((one) => one.runId)).toEqual(["run 3", "run 2"])
    expect(shop.map((one) => one.runId)).toEqual(["run 3", "run 1"])
    expect(shop[1]).toEqual(
      run("run 1", { status: "partial", counts: { applied: 2, conflict: 1 }, finishedAt: 9_000 })
    )
  })

  it("cannot begin twice under one name, and the second attempt leaves nothing", async () => {
    const [failure, count] = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        yield* journal.begin(run(), rows(changes))
        const failed = yield* Effect.flip(journal.begin(run(), rows([change(7)])))
        return [failed, (yield* journal.rows("run 1")).length] as const
      })
    )
    expect(failure._tag).toBe("StoreFailure")
    expect(count).toBe(3)
  })

  it("show their open changes, oldest first, until each has ended", async () => {
    const open = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        yield* journal.begin(run("b", { startedAt: 1 }), rows(changes))
        yield* journal.begin(run("a", { startedAt: 2 }), rows(changes))
        yield* journal.begin(run("c", { account: "other" }), rows(changes))
        yield* journal.move("b", ["change 0"], ["planned"], "applied", { nowMs: 5 })
        yield* journal.move("b", ["change 1"], ["planned"], "unknown", { nowMs: 5 })
        yield* journal.move("a", ids, ["planned"], "rejected", { nowMs: 5 })
        return yield* journal.open("shop")
      })
    )
    expect(open.map((row) => [row.runId, row.change.id, row.state])).toEqual([
      ["b", "change 1", "unknown"],
      ["b", "change 2", "planned"]
    ])
  })
})

describe("the history of slots", () => {
  const slot = () => "777/1001/search"
  const policy = (n: number, name: string, before: number) => change(n, { origin: by(name), before })

  it("tells the last policy, when it acted, what is pending, and the bid the day began with", async () => {
    const history = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        const memory = yield* RuleMemory
        const send = (
          runId: string,
          one: ReturnType<typeof change>,
          sentAt: number,
          end: "applied" | "accepted"
        ) =>
          Effect.gen(function* () {
            yield* journal.begin(run(runId, { startedAt: sentAt }), rows([one], slot))
            yield* journal.move(runId, [one.id], ["planned"], "dispatching", { nowMs: sentAt, sent: true })
            yield* journal.move(runId, [one.id], ["dispatching"], end, { nowMs: sentAt + 7 })
          })
        yield* send("yesterday", policy(0, "old", 5_000), 900, "applied")
        yield* send("morning", policy(1, "first", 6_000), 1_100, "applied")
        yield* send("noon", policy(2, "second", 7_000), 1_200, "accepted")
        yield* journal.begin(run("refused"), rows([policy(3, "third", 8_000)], slot))
        yield* journal.move("refused", ["change 3"], ["planned"], "rejected", { nowMs: 1_300 })
        return yield* memory.slots("shop", 1_000)
      })
    )
    expect([...history]).toEqual([
      [
        "777/1001/search",
        {
          slot: "777/1001/search",
          lastPolicy: "second",
          lastAppliedAt: 1_200,
          pendingSince: 1_200,
          pendingAfter: 11_000,
          dayFirstBid: 6_000,
          ours: { policy: "second", before: 7_000, after: 11_000 },
          lastWritten: { policy: "second", after: 11_000, at: 1_200 }
        }
      ]
    ])
  })

  it("has no bid for a status change and nothing of what was never sent", async () => {
    const history = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        const memory = yield* RuleMemory
        const pause = change(0, {
          action: "pause",
          kind: "campaign_status",
          before: "active",
          after: "paused"
        })
        yield* journal.begin(run(), [
          { slot: "777/status", change: pause },
          { slot: "never sent", change: change(1) }
        ])
        yield* journal.move("run 1", ["change 0"], ["planned"], "unknown", { nowMs: 1_500, sent: true })
        return yield* memory.slots("shop", 1_000)
      })
    )
    expect([...history.values()]).toEqual([
      {
        slot: "777/status",
        lastPolicy: "01-raise",
        lastAppliedAt: undefined,
        pendingSince: 1_500,
        dayFirstBid: undefined
      }
    ])
  })
})

describe("a store that was restored", () => {
  it("says of each account when it was reconciled, and of none before", async () => {
    const found = await inMemory(
      Effect.gen(function* () {
        const { reconciledAt } = yield* Journal
        const sql = yield* SqlClient.SqlClient
        const both = Effect.all([reconciledAt("shop"), reconciledAt("other")])
        const fresh = yield* both
        yield* StoreMarks.mark(sql, 5_000, "restored")
        const marked = yield* both
        yield* DepositMemory.begin(sql, "shop", 6_000, "reconciled")
        yield* StoreMarks.lift(sql, "shop", 6_000, "olga")
        return { fresh, marked, lifted: yield* both }
      })
    )
    const none = [undefined, undefined]
    expect(found).toEqual({ fresh: none, marked: none, lifted: [6_000, undefined] })
  })
})

describe("plans", () => {
  it("come back as they were kept; an unknown one is absent; keeping one twice changes nothing", async () => {
    const [kept, unknown, rows] = await inMemory(
      Effect.gen(function* () {
        const memory = yield* RuleMemory
        const sql = yield* SqlClient.SqlClient
        yield* memory.savePlan(plan)
        yield* memory.savePlan(plan)
        const rows = yield* sql`SELECT 1 FROM plans`
        return [yield* memory.plan("plan 1"), yield* memory.plan("plan 2"), rows.length]
      })
    )
    expect(kept).toEqual(plan)
    expect(unknown).toBeUndefined()
    expect(rows).toBe(1)
  })

  it("of an account with more changes and unchanged rows than one piece holds come back whole", async () => {
    const [first] = plan.changes
    const { campaignName, subject } = first!
    const changes = Array.from({ length: 1001 }, (_, i) => ({ ...first!, id: `change ${i}` }))
    const unchanged = Array.from({ length: 20_001 }, (_, i) => ({
      policy: `rule-${i}`,
      subject,
      campaignName,
      because: { code: "status_already" as const, status: "paused" }
    }))
    const kept = await inMemory(
      Effect.gen(function* () {
        const memory = yield* RuleMemory
        yield* memory.savePlan({ ...plan, changes, unchanged })
        return yield* memory.plan("plan 1")
      })
    )
    expect(kept).toEqual({ ...plan, changes, unchanged })
  })

  it("are known by account, content and the latest moment they were made at, and found by that moment", async () => {
    const [early, late] = ["2026-09-01T12:00:00.000Z", "2026-09-01T13:00:00.000Z"] as const
    const found = await inMemory(
      Effect.gen(function* () {
        const memory = yield* RuleMemory
        const { account } = plan
        yield* memory.savePlan({ ...plan, createdAt: late })
        yield* memory.savePlan({ ...plan, createdAt: early })
        return [
          yield* memory.planMadeAt(account, plan.id),
          yield* memory.planMadeAt("other", plan.id),
          yield* memory.planMadeAt(account, "plan 2"),
          (yield* memory.planOf(account, late))?.createdAt,
          yield* memory.planOf(account, early),
          yield* memory.planOf("other", late)
        ]
      })
    )
    expect(found).toEqual([Date.parse(late), undefined, undefined, late, undefined, undefined])
  })

  it("that were tampered with are refused with advice", async () => {
    const failures = await inMemory(
      Effect.gen(function* () {
        const memory = yield* RuleMemory
        const sql = yield* SqlClient.SqlClient
        yield* memory.savePlan(plan)
        const failures: Array<string> = []
        for (const bytes of [Packed.of('{"version":1}'), Packed.of("{"), new TextEncoder().encode("{}")]) {
          yield* sql`UPDATE plans SET plan = ${bytes}`
          failures.push((yield* Effect.flip(memory.plan("plan 1"))).message)
        }
        return failures
      })
    )
    expect(failures).toHaveLength(3)
    for (const failure of failures) expect(failure).toMatch(/could not read a stored plan.*restore a backup/)
  })
})
