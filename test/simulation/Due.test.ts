import { describe, expect, it } from "vitest"
import * as Due from "./Due.js"

const texts = (instants: ReadonlyArray<number>) =>
  instants.map((at) => new Date(at).toISOString().slice(5, 16))
const from = Date.parse("2026-09-04T00:00:00Z")
const hours = (n: number) => from + n * 3_600_000

describe("when policies are due in the simulation", () => {
  it("counts the steps of every: from the beginning of between:, in the zone of the schedule", () => {
    const schedule = {
      every: 3 * 3_600_000,
      between: { fromMinute: 480, toMinute: 1380 },
      tz: "Europe/Moscow"
    }
    expect(texts(Due.instants(schedule, from, hours(24)))).toEqual([
      "09-04T05:00",
      "09-04T08:00",
      "09-04T11:00",
      "09-04T14:00",
      "09-04T17:00"
    ])
  })

  it("keeps the named times, on the named days only", () => {
    const schedule = { at: [360, 420], days: ["sat"], tz: "Europe/Moscow" } as const
    expect(texts(Due.instants(schedule, from, hours(72)))).toEqual(["09-05T03:00", "09-05T04:00"])
  })

  it("runs a policy of every two days every other day", () => {
    expect(texts(Due.instants({ every: 2 * 86_400_000, tz: "UTC" }, from, hours(96)))).toEqual([
      "09-04T00:00",
      "09-06T00:00"
    ])
  })
})
