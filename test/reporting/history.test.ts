import { describe, expect, it } from "vitest"
import type { JournalRow, JournalState } from "../../src/engine/door/Journal.js"
import * as Deposit from "../../src/engine/kinds/Deposit.js"
import * as History from "../../src/reporting/history/History.js"
import { check } from "../golden/check.js"
import { samplePlan } from "./samplePlan.js"

const states: ReadonlyArray<JournalState> = ["applied", "unknown", "skipped", "rejected"]

const rows: ReadonlyArray<JournalRow> = samplePlan.changes.map((change, i) => ({
  runId: "run-1",
  planId: samplePlan.id,
  account: "demo",
  slot: `slot-${i}`,
  change,
  state: states[i] ?? "planned",
  operation: "setClusterBids",
  requestHash: "h",
  reason: i === 2 ? { code: "changed_by_hand", was: 12_000, now: 9_900 } : undefined,
  updatedAt: 1_788_242_400_000,
  sentAt: undefined
}))

describe("history", () => {
  it("tells how a parked deposit is settled in the words of everybody else who does", () => {
    const change = { ...rows[0]!.change, id: "0123456789abcdef" }
    const told = History.outcomes("run-1", [{ ...rows[0]!, change, state: "parked" }], "RUB")
    expect(told).toContain(`settle it with: ${Deposit.resolveWith("run-1", change)}`)
    expect(Deposit.resolveWith("run-1", { id: "0123456789abcdef" })).toBe(
      "bidhelm resolve run-1 01234567 --paid, or --not-paid"
    )
  })

  it("lists runs with what became of their changes", () => {
    const runs: Parameters<typeof History.runs>[0] = [
      {
        lane: "ads",
        runId: "run-1",
        account: "demo",
        planId: samplePlan.id,
        startedAt: 1_788_242_400_000,
        finishedAt: undefined,
        status: "partial",
        counts: { skipped: 1, applied: 2, rejected: 0 }
      }
    ]
    expect(History.runs(runs)).toBe("run-1  2026-09-01 06:00 UTC  demo  partial  applied 2, skipped 1")
    expect(History.runs(runs, [], "Asia/Almaty")).toBe(
      "run-1  2026-09-01 11:00 Asia/Almaty  demo  partial  applied 2, skipped 1"
    )
  })

  it("says so when nothing ran yet", () => {
    expect(History.runs([])).toBe("no runs yet")
  })

  it("tells every change, its state and the detail of what went wrong", () => {
    check("history.txt", History.changes(rows, "RUB"))
  })
  it("tells a big run by what became of its changes, what is not done first", () => {
    const many = Array.from({ length: 300 }, (_, i): JournalRow => {
      const state = i < 290 ? "applied" : "skipped"
      return {
        ...rows[i % 3]!,
        slot: `s${i}`,
        state,
        reason: i < 290 ? undefined : { code: "run_ended_early" }
      }
    })
    const lines = History.outcomes("run-1", many, "RUB").split("\n")
    expect(lines[0]).toBe("10 changes: skipped (left alone): never sent: the run ended before its turn")
    expect(lines.filter((line) => line.startsWith("    and "))).toEqual([
      "    and 5 more",
      "    and 285 more"
    ])
    expect(lines[7]).toBe("290 changes: applied (done and seen)")
    expect(lines.at(-1)).toBe("Each of them: bidhelm history run-1")
    expect(History.outcomes("run-1", rows, "RUB")).toBe(History.changes(rows, "RUB"))
  })
})
