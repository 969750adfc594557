/** One unit of goods has one mark: claims of marks against each other and against live orders. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { OrderId } from "../../src/domain/Ids.js"
import * as Duplicates from "../../src/engine/fulfilment/marks/Duplicates.js"
import * as Mark from "../../src/engine/fulfilment/marks/Mark.js"
import * as MarkSheet from "../../src/engine/fulfilment/marks/MarkSheet.js"
import * as Depth from "../Depth.js"
import { gs } from "./Marks.js"

const code = (serial: string, tail = `${gs}91EE11`) => `010460123456789321${serial}${tail}`
const claim = (orderId: number, mark: Mark.Mark, at: number): Duplicates.Claim<number> => ({
  orderId: OrderId.make(orderId),
  mark,
  at
})
const sgtin = (serial: string) => Mark.Mark.of("sgtin", code(serial))

describe("marks of a list", () => {
  it("knows the full and the short form of a code as the same", () => {
    const short = Mark.Mark.of("sgtin", code("a", gs))
    const { accepted, problems } = Duplicates.settle([claim(1, sgtin("a"), 0), claim(2, short, 1)])
    expect([accepted, problems.map(({ claim, problem }) => [claim.at, problem.code])]).toEqual([
      [],
      [
        [1, "claimed_twice"],
        [0, "claimed_twice"]
      ]
    ])
  })

  it("leaves a mark with the live order that has it, and lets that order have it again", () => {
    const live = new Map([[Mark.identity(sgtin("a")), OrderId.make(9)]])
    const { accepted, problems } = Duplicates.settle([claim(1, sgtin("a"), 0), claim(9, sgtin("a"), 1)], live)
    expect(accepted.map(({ at }) => at)).toEqual([1])
    expect(problems.map(({ problem }) => problem)).toEqual([{ code: "used_by_order", otherOrderId: 9 }])
  })

  it("lets many orders have one GTIN, one day and one declaration", () => {
    for (const kind of ["gtin", "expiration", "customsDeclaration"] as const) {
      const mark = Mark.Mark.of(kind, "x")
      expect(Duplicates.settle([claim(1, mark, 0), claim(2, mark, 1)]).problems).toEqual([])
    }
  })

  it("accepts no mark for two orders, loses no claim, and is the same for claims in any order", () => {
    const one = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom("a", "b", "c", "d"), fc.boolean())
    fc.assert(
      fc.property(fc.array(one, { maxLength: 10 }), (drawn) => {
        const claims = drawn.map(([orderId, text, isCode], at) =>
          claim(orderId, isCode ? sgtin(text) : Mark.Mark.of("uin", text), at)
        )
        const live = new Map([[Mark.identity(sgtin("d")), OrderId.make(1)]])
        const { accepted, problems, repeated } = Duplicates.settle(claims, live)
        const marks = accepted.map(({ mark }) => Mark.identity(mark))
        expect(new Set(marks).size).toBe(marks.length)
        const all = [...accepted, ...problems.map(({ claim }) => claim), ...repeated].map(({ at }) => at)
        expect(all.sort((a, b) => a - b)).toEqual(claims.map(({ at }) => at))
        const codes = (found: ReadonlyArray<Duplicates.Claim<number>>) =>
          found
            .filter(({ mark }) => mark.kind === "sgtin")
            .map(({ mark, orderId }) => `${orderId} ${Mark.identity(mark)}`)
            .toSorted()
        expect(codes(Duplicates.settle(claims.toReversed(), live).accepted)).toEqual(codes(accepted))
      }),
      { numRuns: Depth.cases(800) }
    )
  })

  it("are read 50,000 at once", () => {
    const rows = Array.from({ length: 50_000 }, (_, at) => ({
      line: at + 2,
      cells: [String(1000 + at), code(`s${at % 40_000}`)]
    }))
    const sheet = MarkSheet.read([{ line: 1, cells: ["order", "sgtin"] }, ...rows], Date.UTC(2026, 8, 1))
    if (sheet._tag === "Wrong") throw new Error(sheet.problems[0]!.code)
    expect([sheet.read.claims.length, sheet.read.problems.length]).toEqual([30_000, 20_000])
  }, 10_000)
})
