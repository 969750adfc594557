/** Waves on the calendar: which one an order is in, what waits, and what is late. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Waves from "../../src/engine/fulfilment/Waves.js"
import * as DueLook from "../../src/engine/schedule/DueLook.js"
import * as Depth from "../Depth.js"
import { drawnInstant, drawnWaves, ms, policy } from "./Waved.js"

const weekdays = "days: [mon, tue, wed, thu, fri]"
const twice = policy([
  `name: morning, collect_until: "12:30", hand_over_by: "14:00", ${weekdays}`,
  `name: evening, collect_until: "17:30", hand_over_by: "19:00", ${weekdays}`
])
/** Moscow is three hours ahead all year. 2026-09-01 is a Tuesday. */
const at = (clock: string, day = "2026-09-01") => ms(`${day}T${clock}:00+03:00`)
const shown = ({ collectUntilMs, day, handOverByMs, wave }: Waves.Trip) =>
  `${wave.name} ${day} ${new Date(collectUntilMs).toISOString().slice(11, 16)}-${new Date(handOverByMs).toISOString().slice(11, 16)}`

describe("the wave of now", () => {
  const told = (nowMs: number) => {
    const { current, next, phase } = Waves.at(twice, nowMs)
    return [phase, shown(current), shown(next)]
  }

  it("is gathered until its cut-off and packed until its hand-over; then the next one is", () => {
    const [morning, evening] = ["morning 2026-09-01 09:30-11:00", "evening 2026-09-01 14:30-16:00"]
    expect(told(at("08:00"))).toEqual(["gathering", morning, evening])
    expect(told(at("12:30"))).toEqual(["packing", morning, evening])
    expect(told(at("14:00"))).toEqual(["gathering", evening, "morning 2026-09-02 09:30-11:00"])
  })

  it("is Monday's after the last one of Friday, and of a wave a week the next week's", () => {
    expect(told(at("19:00", "2026-09-04"))[1]).toBe("morning 2026-09-07 09:30-11:00")
    const once = policy(['name: a, collect_until: "10:00", hand_over_by: "11:00", days: [tue]'])
    expect(shown(Waves.at(once, at("11:00")).next)).toContain("a 2026-09-15")
  })

  it("follows the clocks of its city when they are changed", () => {
    const berlin = policy(['name: a, collect_until: "12:30", hand_over_by: "14:00", tz: Europe/Berlin'])
    const cutOffs = Waves.trips(berlin.waves, ms("2026-10-24T00:00:00Z"), ms("2026-10-26T00:00:00Z"))
    expect(cutOffs.map(shown)).toEqual(["a 2026-10-24 10:30-12:00", "a 2026-10-25 11:30-13:00"])
    // 02:15 and 02:45 are not there on 29 March: both are the first instant after the gap.
    const night = policy(['name: a, collect_until: "02:15", hand_over_by: "02:45", tz: Europe/Berlin'])
    expect(shown(Waves.ofOrder(night, ms("2026-03-29T00:00:00Z")))).toBe("a 2026-03-29 01:00-01:00")
  })
})

describe("an order that is in no supply", () => {
  const place = (created: string, now: string, of = twice) => {
    const found = Waves.placeOf(of, at(created), at(now))
    const until = "untilMs" in found ? new Date(found.untilMs + 10_800_000).toISOString().slice(11, 16) : ""
    switch (found._tag) {
      case "Dock":
        return `dock of ${found.packing.wave.name} until ${until}, then ${found.next.wave.name}`
      case "Due":
        return `due for ${found.trip.wave.name}`
      case "Waits":
        return `waits until ${until} for ${found.trip.wave.name}`
    }
  }

  it("is left alone for its first hour, and for less when its cut-off is near", () => {
    expect(place("10:00", "10:30")).toBe("waits until 11:00 for morning")
    expect(place("10:00", "11:00")).toBe("due for morning")
    expect(place("12:00", "12:10")).toBe("waits until 12:20 for morning")
    expect(place("12:00", "12:20")).toBe("due for morning")
    expect(place("12:25", "12:25")).toBe("due for morning")
  })

  it("waits on the dock when it comes while a wave is packed, and then goes with the next", () => {
    expect(place("12:30", "12:31")).toBe("dock of morning until 14:00, then evening")
    expect(place("12:30", "14:00")).toBe("due for evening")
    expect(place("13:45", "14:00")).toBe("waits until 14:45 for evening")
  })

  it("goes with its wave as long as that has not left when it came in time, and then with the next", () => {
    expect(place("10:00", "13:59")).toBe("due for morning")
    expect(place("10:00", "14:00")).toBe("due for evening")
    const long = Waves.placeOf(twice, at("10:00", "2026-08-20"), at("13:00"))
    expect(long).toMatchObject({ _tag: "Due", trip: { day: "2026-09-01", wave: { name: "morning" } } })
  })

  it("waits on the dock in the last half hour of its wave where nobody is asked", () => {
    const alone = { ...twice, mode: "apply" as const }
    expect(place("10:00", "13:29", alone)).toBe("due for morning")
    expect(place("10:00", "13:30", alone)).toBe("dock of morning until 14:00, then evening")
    expect(place("10:00", "14:00", alone)).toBe("due for evening")
  })

  it("leaves the dock before the next cut-off where waves overlap", () => {
    const overlapping = policy([
      'name: first, collect_until: "10:00", hand_over_by: "13:00"',
      'name: second, collect_until: "12:00", hand_over_by: "15:00"'
    ])
    expect(place("10:30", "11:00", overlapping)).toBe("dock of first until 11:50, then second")
    expect(place("10:30", "11:50", overlapping)).toBe("due for second")
    expect(place("09:30", "12:59", overlapping)).toBe("due for first")
    expect(place("09:30", "13:00", overlapping)).toBe("due for second")
  })

  it("counts as new when its clock is ahead of ours", () => {
    expect(place("10:10", "10:00")).toBe("waits until 11:00 for morning")
  })
})

describe("a wave", () => {
  const trip = Waves.ofOrder(twice, at("10:00"))

  it("is at risk when its time is over or nearly", () => {
    const risk = (now: string) => Waves.riskOf(trip, at(now))?.because
    expect([risk("12:00"), risk("13:29"), risk("13:30"), risk("14:00")]).toEqual([
      undefined,
      undefined,
      "soon",
      "over"
    ])
  })

  it("has its turns by the schedule, and around its cut-off and hand-over", () => {
    const times = Waves.timesOf({ ...twice, schedule: { every: 3_600_000, tz: "UTC" } })
    const next = (clock: string) => DueLook.next([times], at(clock))
    expect([next("12:05"), next("12:20"), next("13:05"), next("13:30")]).toEqual([
      at("12:20"),
      at("12:30"),
      at("13:30"),
      at("14:00")
    ])
  })
})

describe("whatever the waves and the clocks", () => {
  it("an order is in exactly one wave: the first that closes after it", () => {
    const week = 8 * 86_400_000
    fc.assert(
      fc.property(drawnWaves, drawnInstant, (waves, createdMs) => {
        const own = Waves.ofOrder({ waves }, createdMs)
        const around = Waves.trips(waves, createdMs - week, createdMs + week)
        const later = around.filter(({ collectUntilMs }) => collectUntilMs > createdMs)
        expect(later[0]).toEqual(own)
        const cutOffs = around.map(({ collectUntilMs }) => collectUntilMs)
        expect(cutOffs).toEqual([...cutOffs].sort((a, b) => a - b))
      }),
      { numRuns: Depth.cases(800) }
    )
  })

  it("it is due before its wave closes and until that leaves, waits only until then, and what it waits for has not closed", () => {
    const drawn = fc.record({
      waves: drawnWaves,
      mode: fc.constantFrom("approve" as const, "apply" as const),
      createdMs: drawnInstant,
      later: fc.integer({ min: 0, max: 4 * 86_400_000 }),
      confirmAfterMs: fc.integer({ min: 0, max: 86_400_000 })
    })
    fc.assert(
      fc.property(drawn, ({ confirmAfterMs, createdMs, later, mode, waves }) => {
        const of = { waves, mode, confirmAfterMs }
        const own = Waves.ofOrder(of, createdMs)
        const last = Waves.placeOf(of, createdMs, own.collectUntilMs - 1)
        expect(last).toEqual({ _tag: "Due", trip: own })
        const nowMs = createdMs + later
        const place = Waves.placeOf(of, createdMs, nowMs)
        const trip = place._tag === "Dock" ? place.next : place.trip
        expect(trip.collectUntilMs).toBeGreaterThan(createdMs)
        expect(trip.handOverByMs).toBeGreaterThan(nowMs)
        if (mode === "approve" && own.handOverByMs > nowMs) expect(trip).toEqual(own)
        if (place._tag === "Due") return
        expect(trip).toEqual(Waves.ofOrder(of, nowMs))
        expect(place.untilMs).toBeGreaterThan(nowMs)
        const then = Waves.placeOf(of, createdMs, place.untilMs)
        if (place._tag === "Waits") expect(then).toMatchObject({ _tag: "Due", trip })
        else expect(place.packing.handOverByMs).toBeGreaterThan(nowMs)
      }),
      { numRuns: Depth.cases(800) }
    )
  })
})
