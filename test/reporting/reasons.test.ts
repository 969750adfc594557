import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { bidBounds } from "../../src/domain/BidBound.js"
import { OutcomeReason } from "../../src/domain/OutcomeReason.js"
import type { JournalRow, JournalState } from "../../src/engine/door/Journal.js"
import { outcomeOf } from "../../src/engine/door/Outcome.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import * as RowReasons from "../../src/reporting/RowReasons.js"
import { samplePlan } from "./samplePlan.js"

const rowOf = (state: JournalState, reason: OutcomeReason): JournalRow => ({
  runId: "run-1",
  planId: samplePlan.id,
  account: "demo",
  slot: "slot",
  change: samplePlan.changes[0]!,
  state,
  operation: undefined,
  requestHash: undefined,
  reason,
  updatedAt: 0,
  sentAt: undefined
})

describe("reasons of the journal", () => {
  it("every one of them is kept as JSON and has a sentence", () => {
    const text = Schema.parseJson(OutcomeReason)
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(OutcomeReason), (drawn) => {
        const reason =
          drawn.code === "hold"
            ? { ...drawn, since: 0, until: 1_788_242_400_000 }
            : drawn.code === "set_back_since_plan"
              ? { ...drawn, at: 0 }
              : drawn.code === "dates_changed"
                ? { ...drawn, now: "2026-12-06T21:00:00.000Z" }
                : drawn
        const kept = Schema.decodeSync(text)(Schema.encodeSync(text)(reason))
        expect(kept).toEqual(reason)
        expect(typeof Reasons.ofRow(rowOf("skipped", kept))).toBe("string")
      }),
      { numRuns: 1000 }
    )
  })

  it("a run that was stopped is told of each change that was not sent, not of the one that was refused", () => {
    const refused = { code: "account_refused", said: "the token was not accepted" } as const
    expect(Reasons.ofRow(rowOf("rejected", refused))).toBe("the token was not accepted")
    expect(Reasons.ofRow(rowOf("skipped", refused))).toBe("not sent: the token was not accepted")
  })

  it("a promotion that moved is told by the days of the marketplace, as its calendar has them", () => {
    const row = rowOf("skipped", { code: "dates_changed", what: "start", now: "2026-12-06T21:00:00.000Z" })
    expect(Reasons.ofRow(row)).toBe(
      "not sent: the start of the promotion has moved since the plan, to 2026-12-07 00:00 Europe/Moscow"
    )
  })

  it("JSON has the code, the fields and the sentence", () => {
    const row = rowOf("skipped", { code: "limit_gave_no_turn", turns: 3 })
    expect(Reasons.withWords(row)).toMatchObject({
      code: "limit_gave_no_turn",
      reason: { turns: 3 },
      detail: expect.stringMatching(/^not sent: the call limit held it back 3 times/)
    })
  })

  it("no words of the marketplace make a change count as done", () => {
    const said = "already has the new value"
    expect(outcomeOf([rowOf("rejected", { code: "refused", said })]).status).toBe("failed")
    expect(outcomeOf([rowOf("skipped", { code: "already_there" })]).status).toBe("done")
  })
})

describe("reasons of rows", () => {
  it("end in no colon of a key: nothing comes after it", () => {
    for (const bound of bidBounds)
      expect(
        RowReasons.text(
          { code: "optimised_already", bidKopecks: 16_100, bound },
          { currency: "RUB", nowMs: 0 }
        )
      ).not.toMatch(/:$/)
  })

  it("call what has no end infinite, as the rest of the program does", () => {
    const near = { currency: "RUB", nowMs: 0 }
    const said = (value: string) =>
      RowReasons.text({ code: "fact_malformed", fact: "to", value, wanted: "an amount of money" }, near)
    expect(said("Infinity")).toBe("to is infinite, not an amount of money")
    expect(said("-Infinity")).toBe("to is minus infinite, not an amount of money")
    expect(said("-5")).toBe("to is -5, not an amount of money")
  })
})
