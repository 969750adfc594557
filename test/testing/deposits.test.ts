import { describe, expect, it } from "vitest"
import * as Trials from "./Trials.js"

const topUp = Trials.rules(`version: 1
name: Top up
each: campaign
when: budget < 500 ₽
do:
  deposit: {amount: 2000 ₽, from: balance}
cooldown: 1h
limits: {money_per_day: 4000 ₽}
`)
const day = (...runs: ReadonlyArray<string>) =>
  `${Trials.header}  - name: a case\n    defaults: {balance: 9000 ₽}\n    rows: [{id: a, budget: 100 ₽}]\n    runs:\n${runs
    .map((run) => `      - {at: 2026-09-${run}}\n`)
    .join("")}`
const emptied = "rows: [{id: a, budget: 100 ₽}]"

describe("a test of deposits", () => {
  it("counts what earlier runs of the day paid in, and starts anew the next day", () => {
    const text = day(
      "01T09:00+03:00, expect: [{id: a, deposit: 2000 ₽}]",
      `01T11:00+03:00, ${emptied}, expect: [{id: a, deposit: 2000 ₽}]`,
      `01T23:50+03:00, ${emptied}, expect: [], held: [a]`,
      "02T00:10+03:00, expect: [{id: a, deposit: 2000 ₽}]"
    )
    expect(Trials.failures(text, topUp)).toEqual([])
  })

  it("fails on another amount, and on a bid", () => {
    const failed = (expected: string) =>
      Trials.failures(day(`01T09:00+03:00, expect: [{id: a, ${expected}}]`), topUp)
    expect(failed("deposit: 1000 ₽")).toEqual(["a: a deposit of 1 000 ₽ / a deposit of 2 000 ₽"])
    expect(failed("set_bid: 2100 ₽")).toEqual(["a: bid 2 100 ₽ / a deposit of 2 000 ₽"])
  })

  it("takes no reason for the amount, and says one thing of a row", () => {
    const broken = (expected: string) =>
      Trials.problems(day(`01T09:00+03:00, expect: [{id: a, ${expected}}]`), topUp).map((one) =>
        one.slice(0, 3)
      )
    expect(broken("deposit: 2000 ₽, because: cap")).toEqual(["K04"])
    expect(broken("deposit: 2000 ₽, do: pause")).toEqual(["T03"])
    expect(broken("deposit: 2000")).toEqual(["E04"])
  })
})
