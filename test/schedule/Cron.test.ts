import * as fc from "effect/FastCheck"
import * as nodeCron from "node-cron"
import { describe, expect, it } from "vitest"
import type { Schedule } from "../../src/domain/Schedule.js"
import * as Timetable from "../../src/engine/schedule/Timetable.js"
import * as CronTicker from "../../src/runtime/CronTicker.js"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

describe("cron expressions of a schedule", () => {
  it("are as few as a person would write", () => {
    expect(CronTicker.expressions({ every: 3 * hourMs, tz: "UTC" })).toEqual(["0 0,3,6,9,12,15,18,21 * * *"])
    expect(CronTicker.expressions({ at: [360, 390, 1080], days: ["mon", "fri", "sun"], tz: "UTC" })).toEqual([
      "0 18 * * 0-1,5",
      "0,30 6 * * 0-1,5"
    ])
    expect(
      CronTicker.expressions({
        every: 2 * hourMs,
        between: { fromMinute: 1320, toMinute: 240 },
        days: ["sat"],
        tz: "UTC"
      })
    ).toEqual(["0 0,2 * * 0", "0 22 * * 6"])
    expect(CronTicker.expressions({ tz: "UTC" })).toEqual([])
  })

  it("fire at every instant of the timetable on days on which the clock is not changed", () => {
    const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const
    const minute = fc.integer({ min: 0, max: 1439 })
    const days = fc.option(fc.subarray([...weekdays], { minLength: 1 }), { nil: undefined })
    const schedules: fc.Arbitrary<Schedule> = fc
      .record({
        timing: fc.oneof(
          fc
            .uniqueArray(minute, { minLength: 1, maxLength: 5 })
            .map((at) => ({ at: at.sort((a, b) => a - b) })),
          fc.integer({ min: 1, max: 1440 }).map((n) => ({ every: n * 60_000 })),
          fc.integer({ min: 2, max: 9 }).map((n) => ({ every: n * dayMs })),
          fc
            .record({ n: fc.integer({ min: 5, max: 300 }), from: minute, to: minute })
            .filter(({ from, to }) => from !== to)
            .map(({ from, n, to }) => ({ every: n * 60_000, between: { fromMinute: from, toMinute: to } }))
        ),
        days,
        tz: fc.constantFrom("Europe/Moscow", "UTC", "Asia/Kolkata", "Asia/Kathmandu", "Europe/Berlin")
      })
      .map(({ days, timing, tz }) => ({ ...timing, ...(days === undefined ? {} : { days }), tz }))
    const fromMs = Date.parse("2026-09-02T00:00Z")
    fc.assert(
      fc.property(schedules, (schedule) => {
        const due = Timetable.between(schedule, fromMs, fromMs + 9 * dayMs)
        const tasks = CronTicker.expressions(schedule).map((expression) =>
          nodeCron.createTask(expression, () => undefined, { timezone: schedule.tz })
        )
        const missed = due.filter((ms) => !tasks.some((task) => task.match(new Date(ms))))
        for (const task of tasks) void task.destroy()
        expect(missed).toEqual([])
      }),
      { numRuns: 40 }
    )
  })
})
