import { describe, expect, it } from "vitest"
import * as Trials from "./Trials.js"

const pausing = (when: string) =>
  Trials.rules(`version: 1\nname: Pause\neach: campaign\nwindow: 7d\nwhen: ${when}\ndo: pause\n`)
const stock = pausing("all(item.stock_days < 3)")
const lines = (...rows: ReadonlyArray<string>) => ["rows:", ...rows.map((row) => `  - ${row}`)]

describe("rows below a row of a test", () => {
  it("are what all(…) asks about; a campaign without them is undecided", () => {
    expect(
      Trials.failures(
        Trials.oneCase(
          ...lines(
            "{id: out, items: [{item.stock_days: 0}, {item.stock_days: 2}]}",
            "{id: some, items: [{item.stock_days: 0}, {item.stock_days: 9}]}",
            "{id: unread, items: [{item.stock_days: 0}, {item.stock_days: unknown failed}]}",
            "{id: none}"
          ),
          "expect: [{id: out, do: pause}]",
          "undecided: [unread, none]"
        ),
        stock
      )
    ).toEqual([])
  })

  it("carry statistics over the policy's window, and sums of them", () => {
    expect(
      Trials.failures(
        Trials.oneCase(
          ...lines(
            "{id: dear, items: [{spend: 90 ₽, item.all_revenue: 100 ₽}, {spend: 1 ₽, item.all_revenue: 100 ₽}]}",
            "{id: fine, items: [{spend: 1 ₽, item.all_revenue: 100 ₽}]}"
          ),
          "expect: [{id: dear, do: pause}]"
        ),
        pausing("any(item.drr > 50%)")
      )
    ).toEqual([])
  })

  it("may change from run to run", () => {
    const text = `${Trials.header}  - name: a case
    rows: [{id: a, items: [{item.id: 5, item.stock_days: 9}]}]
    runs:
      - {at: "2026-09-01T09:00+03:00", expect: []}
      - at: 2026-09-01T10:00+03:00
        rows: [{id: a, items: [{item.id: 5, item.stock_days: 1}]}]
        expect: [{id: a, do: pause}]
`
    expect(Trials.failures(text, stock)).toEqual([])
  })

  it("are given by what a formula is made of, and checked like any row", () => {
    const broken = (item: string) =>
      Trials.problems(
        Trials.oneCase(...lines(`{id: a, items: [{${item}}]}`), "expect: []"),
        pausing("any(item.drr > 50%)")
      )
    expect(broken("item.drr: 60%")).toEqual(["T07@8:26"])
    expect(broken("vews: 5")).toEqual(["E01@8:26"])
  })
})
