import * as fc from "effect/FastCheck"
import { describe, expect, it } from "vitest"
import type { Schedule } from "../../src/domain/Schedule.js"
import * as LocalTime from "../../src/engine/schedule/LocalTime.js"
import * as Timetable from "../../src/engine/schedule/Timetable.js"

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const at = (text: string) => Date.parse(text)
const texts = (instants: ReadonlyArray<number>) =>
  instants.map((ms) => new Date(ms).toISOString().slice(5, 16))
const within = (schedule: Schedule, from: string, to: string) =>
  texts(Timetable.between(schedule, at(from) - 1, at(to) - 1))

describe("a timetable", () => {
  it("names the times of the days, in the city's time", () => {
    const schedule = { at: [360, 1110], days: ["sat", "mon"], tz: "Europe/Moscow" } as const
    expect(within(schedule, "2026-09-04T00:00Z", "2026-09-08T00:00Z")).toEqual([
      "09-05T03:00",
      "09-05T15:30",
      "09-07T03:00",
      "09-07T15:30"
    ])
  })

  it("is due once for a time that the clock shows twice, the first time", () => {
    const schedule = { at: [150], tz: "Europe/Berlin" }
    expect(within(schedule, "2026-10-24T12:00Z", "2026-10-26T12:00Z")).toEqual(["10-25T00:30", "10-26T01:30"])
  })

  it("is due at the end of the jump for a time that the clock jumps over", () => {
    const schedule = { at: [125, 150], tz: "Europe/Berlin" }
    expect(within(schedule, "2026-03-28T12:00Z", "2026-03-30T12:00Z")).toEqual([
      "03-29T01:00",
      "03-30T00:05",
      "03-30T00:30"
    ])
  })

  it("jumps over midnight with the clock", () => {
    // Cairo's 24 April 2026 begins at 01:00.
    const schedule = { at: [0, 30, 90], tz: "Africa/Cairo" }
    expect(within(schedule, "2026-04-23T12:00Z", "2026-04-24T12:00Z")).toEqual(["04-23T22:00", "04-23T22:30"])
  })

  it("goes hourly through both of the hours with one name, and through no hour that is not there", () => {
    const schedule = { every: hourMs, tz: "Europe/Berlin" }
    const day = (date: string, next: string) =>
      Timetable.between(schedule, at(date) - 1, at(next) - 1).map((ms) => (ms - at(date)) / hourMs)
    expect(day("2026-10-24T22:00Z", "2026-10-25T23:00Z")).toEqual(Array.from({ length: 25 }, (_, n) => n))
    expect(day("2026-03-28T23:00Z", "2026-03-29T22:00Z")).toEqual(Array.from({ length: 23 }, (_, n) => n))
  })

  it("does not squeeze a longer step into the hour won", () => {
    const schedule = { every: 12 * hourMs, tz: "Europe/Berlin" }
    expect(within(schedule, "2026-10-24T22:00Z", "2026-10-26T12:00Z")).toEqual([
      "10-24T22:00",
      "10-25T10:00",
      "10-25T23:00",
      "10-26T11:00"
    ])
    expect(within({ ...schedule, every: dayMs }, "2026-10-24T22:00Z", "2026-10-26T12:00Z")).toEqual([
      "10-24T22:00",
      "10-25T23:00"
    ])
  })

  it("counts the steps of a part of the day from its beginning, also past midnight", () => {
    const schedule = {
      every: 3 * hourMs,
      between: { fromMinute: 1320, toMinute: 360 },
      days: ["fri"],
      tz: "Europe/Moscow"
    } as const
    expect(within(schedule, "2026-09-01T00:00Z", "2026-09-08T00:00Z")).toEqual([
      "09-04T19:00",
      "09-04T22:00",
      "09-05T01:00"
    ])
  })

  it("is due once when the whole part of the day is jumped over", () => {
    const schedule = { every: hourMs / 2, between: { fromMinute: 120, toMinute: 180 }, tz: "Europe/Berlin" }
    expect(within(schedule, "2026-03-28T12:00Z", "2026-03-29T12:00Z")).toEqual(["03-29T01:00"])
  })

  it("takes every few days the same days whoever asks, and with days: the next of them", () => {
    expect(within({ every: 2 * dayMs, tz: "UTC" }, "2026-09-03T00:00Z", "2026-09-09T00:00Z")).toEqual([
      "09-04T00:00",
      "09-06T00:00",
      "09-08T00:00"
    ])
    const weekly = { every: 7 * dayMs, days: ["thu"], tz: "UTC" } as const
    expect(within(weekly, "2026-09-01T00:00Z", "2026-09-15T00:00Z")).toEqual(["09-03T00:00", "09-10T00:00"])
  })

  it("is never due without every: and at:", () => {
    expect(Timetable.next({ tz: "UTC" }, 0)).toBeUndefined()
    expect(Timetable.latest({ tz: "UTC" }, 0, dayMs)).toBeUndefined()
  })
})

const fromMs = at("2024-01-01T00:00Z")
const toMs = at("2028-01-01T00:00Z")
/** Every IANA zone whose clocks change in these years, with the days on which they do. */
const changing = Intl.supportedValuesOf("timeZone").flatMap((zone) => {
  const isChange = (ms: number, spanMs: number) =>
    LocalTime.offset(zone, ms) !== LocalTime.offset(zone, ms + spanMs)
  const days: Array<number> = []
  for (let ms = fromMs; ms < toMs; ms += 7 * dayMs)
    if (isChange(ms, 7 * dayMs)) {
      for (let day = ms; day < ms + 7 * dayMs; day += dayMs) if (isChange(day, dayMs)) days.push(day)
    }
  return days.length === 0 ? [] : [{ zone, days }]
})

const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const
const minute = fc.integer({ min: 0, max: 1439 })
const someDays = fc.option(fc.subarray([...weekdays], { minLength: 1 }), { nil: undefined })
const part = fc.option(
  fc.tuple(minute, minute).filter(([a, b]) => a !== b),
  { nil: undefined }
)
const every = fc.oneof(
  fc.integer({ min: 1, max: 1440 }).map((n) => n * 60_000),
  fc.constantFrom(1, 2, 3, 4, 6, 8, 12).map((n) => n * hourMs),
  fc.integer({ min: 1, max: 31 }).map((n) => n * dayMs)
)
const stepping = fc.record({ every, days: someDays, part }).map(({ days, every, part }) => ({
  every,
  ...(days === undefined ? {} : { days }),
  ...(part === undefined ? {} : { between: { fromMinute: part[0], toMinute: part[1] } })
}))
const named = fc
  .record({ at: fc.uniqueArray(minute, { minLength: 1, maxLength: 6 }), days: someDays })
  .map(({ at, days }) => ({ at: [...at].sort((a, b) => a - b), ...(days === undefined ? {} : { days }) }))

/** A schedule in a zone whose clock changes, and an instant within three days of such a change. */
const near = <S extends Omit<Schedule, "tz">>(kind: fc.Arbitrary<S>) =>
  fc
    .record({ kind, zone: fc.nat(), day: fc.nat(), shift: fc.integer({ min: -3 * dayMs, max: 3 * dayMs }) })
    .map(({ day, kind, shift, zone }) => {
      const chosen = changing[zone % changing.length]!
      return {
        schedule: { ...kind, tz: chosen.zone } as S & { readonly tz: string },
        aroundMs: chosen.days[day % chosen.days.length]! + shift
      }
    })
const any = near(fc.oneof(stepping, named) as fc.Arbitrary<Omit<Schedule, "tz">>)

describe("timetables of every zone whose clocks change", () => {
  it("know more than a hundred zones", () => {
    expect(changing.length).toBeGreaterThan(100)
  })

  it("go forward, and next, latest and between say the same", () => {
    fc.assert(
      fc.property(any, ({ aroundMs, schedule }) => {
        const next = Timetable.next(schedule, aroundMs)!
        expect(next).toBeGreaterThan(aroundMs)
        expect(Timetable.latest(schedule, aroundMs, next)).toBe(next)
        expect(Timetable.latest(schedule, aroundMs, next - 1)).toBeUndefined()
        const before = Timetable.latest(schedule, Number.NEGATIVE_INFINITY, aroundMs)!
        expect(before).toBeLessThanOrEqual(aroundMs)
        expect(Timetable.next(schedule, before)).toBe(next)
        const all = Timetable.between(schedule, aroundMs - 4 * dayMs, aroundMs + 4 * dayMs)
        const walked: Array<number> = []
        for (
          let due = Timetable.next(schedule, aroundMs - 4 * dayMs);
          due !== undefined && due <= aroundMs + 4 * dayMs;
          due = Timetable.next(schedule, due)
        )
          walked.push(due)
        expect(walked).toEqual(all)
      }),
      { numRuns: 600 }
    )
  })

  it("are due once for every time named on every day named, on days of 23 and of 25 hours too", () => {
    fc.assert(
      fc.property(
        near(named.map(({ at, days }) => ({ at: at.slice(0, 1), ...(days ? { days } : {}) }))),
        (one) => {
          const { aroundMs, schedule } = one
          const due = Timetable.between(schedule, aroundMs - 10 * dayMs, aroundMs + 10 * dayMs)
          // Where the last hour of a day is left out, its turn comes at midnight, and is of the day that has just ended.
          const lag = (schedule.at?.[0] ?? 0) >= 22 * 60 ? 1 : 0
          const dates = due.map((ms) => localDate(ms - lag, schedule.tz))
          const wanted = datesBetween(due[0]! - lag, due.at(-1)! - lag, schedule.tz).filter(
            ({ weekday }) => schedule.days?.includes(weekday) ?? true
          )
          expect(dates.map(({ date }) => date)).toEqual(wanted.map(({ date }) => date))
        }
      ),
      { numRuns: 300 }
    )
  })

  it("never wait longer than a step and the change of the clock", () => {
    const daily = near(every.filter((ms) => ms <= dayMs).map((every) => ({ every })))
    fc.assert(
      fc.property(daily, ({ aroundMs, schedule }) => {
        const due = Timetable.between(schedule, aroundMs - 3 * dayMs, aroundMs + 3 * dayMs)
        const gaps = due.slice(1).map((ms, index) => ms - due[index]!)
        // The clocks of Antarctica/Troll change by two hours.
        const change = schedule.tz === "Antarctica/Troll" ? 2 * hourMs : hourMs
        expect(Math.max(...gaps)).toBeLessThanOrEqual(schedule.every + change)
        expect(Math.min(...gaps)).toBeGreaterThan(0)
      }),
      { numRuns: 600 }
    )
  })
})

const localDate = (ms: number, zone: string) => {
  const wall = new Date(ms + LocalTime.offset(zone, ms))
  return { date: wall.toISOString().slice(0, 10), weekday: weekdays[(wall.getUTCDay() + 6) % 7]! }
}

const datesBetween = (fromMs: number, toMs: number, zone: string) => {
  const last = localDate(toMs, zone).date
  const found = [localDate(fromMs, zone)]
  while (found.at(-1)!.date < last) found.push(localDate(at(`${found.at(-1)!.date}T12:00Z`) + dayMs, "UTC"))
  return found
}
