import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Memory from "../../src/engine/decide/intents/Memory.js"
import { ChangeLog } from "../../src/engine/door/ChangeLog.js"
import { Journal } from "../../src/engine/door/Journal.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type { SlotHistory } from "../../src/engine/kinds/SlotHistory.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import * as RuleMemorySql from "../../src/store/journal/RuleMemorySql.js"
import { explained } from "./Explained.js"
import { by, change, database, inMemory, overlaid, rows, run } from "./Fixture.js"

const slot = "item_bid:777/1001/search"

/** Sends changes of one slot a minute apart, and lets each end as it says. */
const sent = (changes: ReadonlyArray<Change>, end: "applied" | "accepted" = "applied") =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const memory = yield* RuleMemory
    for (const [n, one] of changes.entries()) {
      const at = 60_000 * (n + 1)
      yield* journal.begin(
        run(`run ${n}`, { startedAt: at }),
        rows([one], () => slot)
      )
      yield* journal.move(`run ${n}`, [one.id], ["planned"], "dispatching", { nowMs: at, sent: true })
      yield* journal.move(`run ${n}`, [one.id], ["dispatching"], end, { nowMs: at + 7 })
    }
    return (yield* memory.slots("shop", 0)).get(slot)
  })

const overlay = (before: number, after: number, base: number, basisPoints = 2_000): Partial<Change> => ({
  origin: by("boost"),
  action: "adjust_bid",
  before,
  after,
  ...overlaid("boost", basisPoints, base)
})

describe("the history of a slot", () => {
  it("looks through an overlay at what steering did before it", async () => {
    const raise = change(0, {
      origin: { ...by("raise"), revertsTo: 9_000 },
      before: 10_000,
      after: 11_000
    })
    const history = await inMemory(sent([raise, change(1, overlay(11_000, 13_200, 11_000))]))
    expect(history).toEqual({
      slot,
      lastPolicy: "boost",
      lastAppliedAt: 60_000,
      pendingSince: undefined,
      dayFirstBid: 10_000,
      ours: { policy: "raise", before: 9_000, after: 11_000, returns: true },
      overlay: { policy: "boost", basisPoints: 2_000, baseKopecks: 11_000, afterKopecks: 13_200 },
      lastWritten: { policy: "boost", after: 13_200, at: 120_000 },
      lastEdge: { policy: "boost", at: 120_000, on: true }
    })
  })

  it("counts a change that somebody replaced before it was seen for the day's first bid, and for nothing else", async () => {
    const history = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        const one = rows([change(0, { before: 18_600, after: 16_800 })], () => slot)
        yield* journal.begin(run("run"), one)
        yield* journal.move("run", ["change 0"], ["planned"], "dispatching", { nowMs: 5, sent: true })
        yield* journal.move("run", ["change 0"], ["dispatching"], "conflict", { nowMs: 60_005 })
        return (yield* (yield* RuleMemory).slots("shop", 0)).get(slot)
      })
    )
    expect(history).toEqual({
      slot,
      lastPolicy: change(0).origin.name,
      lastAppliedAt: undefined,
      pendingSince: undefined,
      dayFirstBid: 18_600
    })
  })

  it("of two changes in the same millisecond takes the later run's for the last, and the earlier one's for the day's first", async () => {
    const both = (first: Partial<Change>, second: Partial<Change>) =>
      inMemory(
        Effect.gen(function* () {
          const journal = yield* Journal
          const memory = yield* RuleMemory
          for (const [n, more] of [first, second].entries()) {
            const one = rows([change(n, more)], () => slot)
            yield* journal.begin(run(`run ${n}`), one)
            yield* journal.move(`run ${n}`, [`change ${n}`], ["planned"], "applied", { nowMs: 5, sent: true })
          }
          return (yield* memory.slots("shop", 0)).get(slot)
        })
      )
    const low = { origin: by("z"), before: 90_000, after: 10_000 }
    const high = { origin: by("a"), before: 10_000, after: 90_000 }
    expect(await both(low, high)).toMatchObject({ lastPolicy: "a", dayFirstBid: 90_000 })
    expect(await both(high, low)).toMatchObject({ lastPolicy: "z", dayFirstBid: 10_000 })
    const edge = overlay(10_000, 12_000, 10_000)
    expect(await both(low, edge)).toMatchObject({ lastWritten: { policy: "boost", after: 12_000 } })
    expect(await both(edge, high)).toMatchObject({ lastWritten: { policy: "a", after: 90_000 } })
  })

  it("takes no change for one of this day that left before one of an earlier day, whatever a clock far ahead said", async () => {
    const [day, year] = [86_400_000, 365 * 86_400_000]
    const dayFirst = (dates: ReadonlyArray<number>) =>
      inMemory(
        Effect.gen(function* () {
          const journal = yield* Journal
          for (const [n, at] of dates.entries()) {
            const one = rows([change(n, { before: 10_000 + n, after: 10_001 + n })], () => slot)
            yield* journal.begin(run(`run ${n}`, { startedAt: at }), one)
            yield* journal.move(`run ${n}`, [`change ${n}`], ["planned"], "applied", {
              nowMs: at,
              sent: true
            })
          }
          return (yield* (yield* RuleMemory).slots("shop", 10 * day)).get(slot)?.dayFirstBid
        })
      )
    expect(await dayFirst([year, 9 * day, 10 * day + 5, 10 * day + 6])).toBe(10_002)
    expect(await dayFirst([year, 9 * day])).toBeUndefined()
    // Of this one nobody knows better.
    expect(await dayFirst([9 * day, year])).toBe(10_001)
  })

  it("takes the change of the later run for the last, whichever left later by a clock that was set right between", async () => {
    const lasts = (ends: ReadonlyArray<Partial<Change>>) =>
      inMemory(
        Effect.gen(function* () {
          const journal = yield* Journal
          for (const [n, more] of ends.entries()) {
            const at = n === 0 ? 5_400_000 : 60_000
            yield* journal.begin(
              run(`run ${ends.length - n}`, { startedAt: at }),
              rows([change(n, more)], () => slot)
            )
            const note = { nowMs: at, sent: true }
            yield* journal.move(`run ${ends.length - n}`, [`change ${n}`], ["planned"], "applied", note)
          }
          const named = (yield* (yield* ChangeLog).ofSlots("shop", [slot])).map(({ change }) => change.id)
          return { ...(yield* (yield* RuleMemory).slots("shop", 0)).get(slot), named }
        })
      )
    const up = { origin: by("a"), before: 10_000, after: 12_000 }
    const down = { origin: by("b"), before: 12_000, after: 10_000 }
    expect(await lasts([up, down])).toMatchObject({
      lastPolicy: "b",
      lastAppliedAt: 60_000,
      dayFirstBid: 10_000,
      lastWritten: { after: 10_000 },
      named: ["change 0", "change 1"]
    })
    const [on, off] = [overlay(10_000, 12_000, 10_000), overlay(12_000, 10_000, 10_000, 0)]
    expect(await lasts([off, on])).toMatchObject({ overlay: { baseKopecks: 10_000 }, lastEdge: { on: true } })
    expect(await lasts([on, off])).not.toHaveProperty("overlay")
  })

  it("tells what was accepted and cannot be seen yet, not what may have been lost", async () => {
    const pause = change(0, { action: "pause", kind: "campaign_status", before: "active", after: "paused" })
    const history = await inMemory(sent([pause], "accepted"))
    expect([history?.pendingAfter, history?.pendingSince]).toEqual(["paused", 60_000])
    const lost = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        const memory = yield* RuleMemory
        yield* journal.begin(
          run(),
          rows([pause], () => slot)
        )
        yield* journal.move("run 1", [pause.id], ["planned"], "unknown", { nowMs: 1_500, sent: true })
        return (yield* memory.slots("shop", 0)).get(slot)
      })
    )
    expect(lost?.pendingAfter).toBeUndefined()
  })

  it("is the same as the one that rule tests keep, after any changes", async () => {
    const bid = fc.integer({ min: 1, max: 900 }).map((n) => n * 100)
    const steered = fc.record({
      origin: fc.constantFrom(by("a"), by("b")),
      action: fc.constant("raise_bid" as const),
      before: bid,
      after: bid
    })
    const under = fc.tuple(bid, bid, bid, fc.constantFrom(2_000, -1_000)).map(
      ([before, after, base, share]): Partial<Change> => ({
        ...overlay(before, after, base, share),
        action: "raise_bid",
        origin: by("a")
      })
    )
    const edge = fc
      .tuple(bid, bid, bid, fc.constantFrom(2_000, 0))
      .map(([before, after, base, share]) => overlay(before, after, base, share))
    const back = fc.record({
      action: fc.constant("lower_bid" as const),
      before: bid,
      after: bid,
      origin: fc.constant({ ...by("01-raise"), takesBack: true })
    })
    const some = fc.array(fc.oneof(steered, under, edge, back), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(some, async (parts) => {
        const changes = parts.map((more, n) => change(n, more))
        const kept = changes.reduce<SlotHistory | undefined>(
          (last, one, n) => Memory.after(last, slot, one, 60_000 * (n + 1), last !== undefined),
          undefined
        )
        expect(await inMemory(sent(changes))).toEqual(kept)
      }),
      { numRuns: database.kind === "sqlite" ? 40 : 10 }
    )
  })

  it.runIf(database.kind === "sqlite")(
    "asks what was taken back beginning with the few changes that undo others",
    async () => {
      const asked = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        explained(RuleMemorySql.rolledBackRows(sql, "shop"))
      )
      expect(await inMemory(asked)).toMatch(/^SCAN undoes[^\n]*\nSEARCH changes USING PRIMARY KEY/)
    }
  )

  it.runIf(database.kind === "sqlite")(
    "is read from the index alone, however long the journal is",
    async () => {
      const asked = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        explained(RuleMemorySql.slotRows(sql, "shop", 0))
      )
      const ofChanges = (await inMemory(asked)).split("\n").filter((line) => line.includes(" changes "))
      expect(ofChanges.length).toBeGreaterThan(0)
      expect(new Set(ofChanges)).toEqual(
        new Set(["SEARCH changes USING COVERING INDEX changes_of_slot (account=?)"])
      )
    }
  )
})
