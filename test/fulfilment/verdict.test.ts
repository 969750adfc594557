/** What the marketplace says of marks: each decision, what it asks for, and when to look again. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { kinds, type MarkKind } from "../../src/engine/fulfilment/marks/Mark.js"
import * as Verdict from "../../src/engine/fulfilment/marks/Verdict.js"
import * as VerdictWords from "../../src/reporting/fulfilment/VerdictWords.js"
import * as LabelChecks from "../../src/sandbox/shop/LabelChecks.js"
import * as LabelRecords from "../../src/services/areas/labels/LabelRecords.js"
import * as Depth from "../Depth.js"

const of = (key: string, decision: string | null | undefined) => Verdict.of({ key, value: "x", decision })
const allCodes = [...new Set([...Verdict.refusals, ...Verdict.allowances, "pending", "sgtinNewest", ""])]
const minuteMs = 60_000

describe("a decision", () => {
  it("lets an order go exactly where the services' reading of the contract does, of every kind and code", () => {
    for (const key of [...kinds, "colour"])
      for (const code of allCodes) {
        const allowed = LabelRecords.allowsHandover({ key, decision: LabelRecords.decision(code) })
        expect([key, code, of(key, code)._tag === "Ready"]).toEqual([key, code, allowed])
      }
  })

  it("blocks when it is unknown, absent, null or the text null", () => {
    for (const decision of [undefined, null, "null", ""])
      expect(of("sgtin", decision)).toEqual({ _tag: "Refused", code: "no_decision" })
    expect(of("sgtin", "sgtinBlessed")).toEqual({
      _tag: "Refused",
      code: "unknown_decision",
      decision: "sgtinBlessed"
    })
    expect(of("imei", "sgtinIntroduced")._tag).toBe("Refused")
    expect(of("gtin", "pending")._tag).toBe("Refused")
  })

  it("has a sentence and an action for a person, whatever it refuses, and knows all that the sandbox says", () => {
    for (const code of Verdict.refusals) {
      const { action, says } = VerdictWords.refused(code, "newCode")
      expect(says, code).toMatch(/^[a-z].{10,}[^.]$/)
      expect(action, code).toMatch(/^[a-z].{10,}[^.]$/)
    }
    const said = [LabelChecks.steeredSgtin, LabelChecks.steeredImei, LabelChecks.steeredUin]
    for (const [at, table] of said.entries())
      for (const decision of Object.values(table))
        expect(of(["sgtin", "imei", "uin"][at]!, decision), decision).not.toMatchObject({
          code: "unknown_decision"
        })
  })
})

describe("the next look", () => {
  const pending: Verdict.Verdict = { _tag: "Pending" }
  const setAtMs = 1_000_000_000
  const course = (afterMs: number | undefined, setAgain = 0): Verdict.Course => ({
    setAtMs,
    lookedAtMs: afterMs === undefined ? undefined : setAtMs + afterMs,
    setAgain
  })

  it("is never before the last one, pauses grow to ten minutes, and a long check is told to be late", () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), (key: MarkKind) => {
        let at: number | undefined
        let pause = 0
        for (let looks = 0; looks < 60; looks++) {
          const step = Verdict.next(key, pending, { setAtMs, lookedAtMs: at, setAgain: 0 })
          if (step._tag !== "Look") throw new Error(step._tag)
          const now = step.atMs - (at ?? setAtMs)
          expect(now).toBeGreaterThanOrEqual(5000)
          expect(now).toBeLessThanOrEqual(10 * minuteMs)
          if (key !== "uin") expect(now).toBeGreaterThanOrEqual(pause)
          expect(step.isLate).toBe((at ?? setAtMs) - setAtMs > (key === "uin" ? 60 : 30) * minuteMs)
          ;[at, pause] = [step.atMs, now]
        }
      })
    )
  })

  it("looks at a UIN when its half hour is over", () => {
    const times: Array<number> = []
    let at: number | undefined
    for (let looks = 0; looks < 3; looks++) {
      const step = Verdict.next("uin", pending, { setAtMs, lookedAtMs: at, setAgain: 0 })
      if (step._tag !== "Look") throw new Error(step._tag)
      at = step.atMs
      times.push((at - setAtMs) / minuteMs)
    }
    expect(times).toEqual([10, 20, 30])
  })

  it("has a UIN that was not found deleted and set again after half an hour, once, and then asks a person", () => {
    const refused: Verdict.Verdict = { _tag: "Refused", code: "uinNotFound" }
    expect(Verdict.next("uin", refused, course(31 * minuteMs))).toEqual({
      _tag: "SetAgain",
      atMs: setAtMs + 30 * minuteMs
    })
    expect(Verdict.next("uin", refused, course(5 * minuteMs, 1))._tag).toBe("Look")
    expect(Verdict.next("uin", refused, course(31 * minuteMs, 1))).toEqual({
      _tag: "Person",
      code: "uinNotFound"
    })
  })

  it("believes no refusal of the first minute: the record lags the set", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Verdict.refusals), fc.nat(59_999), (code, afterMs) => {
        expect(Verdict.next("sgtin", { _tag: "Refused", code }, course(afterMs))._tag).toBe("Look")
        const later = Verdict.next("sgtin", { _tag: "Refused", code }, course(afterMs + minuteMs))._tag
        expect(later).toBe(code === "uinNotFound" ? "SetAgain" : "Person")
      }),
      { numRuns: Depth.cases(400) }
    )
  })

  it("is over when the mark is accepted, and goes on where the check may still fail", () => {
    expect(Verdict.next("sgtin", of("sgtin", "filled"), course(1000))).toEqual({ _tag: "Done" })
    expect(Verdict.next("sgtin", of("sgtin", "deadlineExceeded"), course(1000))._tag).toBe("Look")
  })
})
