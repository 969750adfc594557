import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import * as When from "../../src/domain/When.js"
import * as Window from "../../src/domain/Window.js"
import * as LocalTime from "../../src/engine/schedule/LocalTime.js"

const zone = "Europe/Moscow"
const nightInMoscow = Date.parse("2026-08-31T21:30:00Z")

describe("business days", () => {
  it("begin at midnight of their zone: half past nine in the evening UTC is tomorrow in Moscow", () => {
    expect(Days.at(nightInMoscow, zone)).toBe("2026-09-01")
    expect(Days.at(nightInMoscow, "UTC")).toBe("2026-08-31")
  })

  it("shift over months and years, there and back", () => {
    expect(Days.shift(Days.Day("2026-12-31"), 1)).toBe("2027-01-01")
    expect(Days.shift(Days.Day("2028-03-01"), -1)).toBe("2028-02-29")
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: -4000, max: 4000 }), (from, by) => {
        const day = Days.shift(Days.Day("1990-01-01"), from)
        expect(Days.shift(Days.shift(day, by), -by)).toBe(day)
      })
    )
  })

  it.each(["2026-02-30", "2026-13-01", "2026-00-10", "26-01-01", ""])("tell that %j is no day", (text) =>
    expect(Days.parse(text)).toBeUndefined()
  )
  it("know a leap day", () => expect(Days.parse("2028-02-29")).toBe("2028-02-29"))
  it("refuse what is no day", () => expect(() => Days.Day("1.9.2026")).toThrow())
})

describe("a window", () => {
  it("counts complete days only, and ends before those that still settle", () => {
    expect(Window.resolve(Window.last(7), nightInMoscow)).toEqual({
      from: "2026-08-25",
      to: "2026-08-31"
    })
    expect(Window.resolve(Window.last(14, 1), nightInMoscow)).toEqual({
      from: "2026-08-17",
      to: "2026-08-30"
    })
  })

  it("of today is the running day alone", () => {
    expect(Window.resolve(Window.today, nightInMoscow)).toEqual({
      from: "2026-09-01",
      to: "2026-09-01"
    })
  })

  it("has as many days as it says, whatever the instant", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 31 }),
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 0, max: 4e12 }),
        (days, settle, nowMs) => {
          const range = Window.resolve(Window.last(days, settle), nowMs)
          expect(Days.length(range)).toBe(days)
          expect(range.to < Days.ofMarket(nowMs)).toBe(true)
        }
      )
    )
  })
})

describe("days and clocks of the marketplace's zone", () => {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" })
  const lastSet = Date.parse("2014-10-26T01:00:00+03:00")
  const isAsTold = (epochMs: number) => {
    expect(When.text(epochMs, zone)).toBe(format.format(epochMs))
    const { day, minute } = LocalTime.at(epochMs, zone)
    expect(When.text(day * Days.dayMs + minute * Days.minuteMs, "UTC")).toBe(format.format(epochMs))
  }

  it("are what the tables of zones say, before its clocks were last set and since", () => {
    for (const apart of [-Days.dayMs, -3 * Days.hourMs, -1, 0, 1, Days.hourMs]) isAsTold(lastSet + apart)
    fc.assert(fc.property(fc.integer({ min: lastSet - 4e11, max: lastSet + 2e12 }), isAsTold))
  })

  it("are known without opening the tables, since then", () => {
    expect(Days.settled(zone, lastSet)).toBe(3 * Days.hourMs)
    expect(Days.settled(zone, lastSet - 1)).toBeUndefined()
    expect(Days.settled("Asia/Yekaterinburg", lastSet)).toBeUndefined()
  })
})
