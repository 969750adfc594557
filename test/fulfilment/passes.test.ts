/** Passes planned from the waves: when each is made, what it covers, and what is told when it cannot be. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { PolicyId } from "../../src/domain/Ids.js"
import * as Passes from "../../src/engine/fulfilment/Passes.js"
import * as Depth from "../Depth.js"
import { drawnInstant, drawnWaves, ms, policy } from "./Waved.js"

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const daily = 'name: daily, collect_until: "12:30", hand_over_by: "14:00"'
const withPasses = (id: string, office: number, before = "12h", waves = [daily]) =>
  policy(
    waves,
    `passes:\n  driver: {first_name: Пётр, last_name: Андреев}\n  car: {model: ГАЗель, number: А123ВС777}\n  office: ${office}\n  book_before: ${before}\n`,
    id
  )
const one = withPasses("one", 15)
const at = (clock: string, day = "2026-09-01") => ms(`${day}T${clock}:00+03:00`)
const made = (clock: string): Passes.Try => ({ atMs: at(clock), isRefused: false })
const form = {
  firstName: "Пётр",
  lastName: "Андреев",
  carModel: "ГАЗель",
  carNumber: "А123ВС777",
  officeId: 15
}
const shown = ({ bookings }: Passes.Plan) =>
  bookings.map(
    ({ atMs, covers, form: { officeId } }) =>
      `${officeId} ${new Date(atMs + 3 * hourMs).toISOString().slice(5, 16)} ${covers.map(({ trip }) => trip.day.slice(8)).join(" ")}`
  )

describe("passes", () => {
  it("are made as long before a hand-over as the policy says, and hold for two of a wave a day", () => {
    expect(shown(Passes.plan([one], [], [], at("00:00")))).toEqual([
      "15 09-01T02:00 01 02",
      "15 09-03T02:00 03 04"
    ])
  })

  it("are not made where one that is listed still holds, however its driver is spelt", () => {
    const listed = [{ ...form, firstName: "пётр ", validUntilMs: at("14:00", "2026-09-02") }]
    expect(shown(Passes.plan([one], listed, [], at("00:00")))).toEqual(["15 09-03T02:00 03 04"])
  })

  it("are made anew for one that ended, or that is another driver's, car's or office's", () => {
    const until = at("20:00", "2026-09-04")
    const others = [
      { ...form, validUntilMs: at("13:59") },
      { ...form, officeId: 16, validUntilMs: until },
      { ...form, carNumber: "А124ВС777", validUntilMs: until },
      { ...form, lastName: "Иванов", validUntilMs: until }
    ]
    expect(shown(Passes.plan([one], others, [], at("00:00")))).toHaveLength(2)
  })

  it("of several offices queue up, ten minutes apart, and begin early enough for the last", () => {
    const three = [1, 2, 3].map((office) => withPasses(`p${office}`, office))
    const { bookings } = Passes.plan(three, [], [], at("00:00"))
    expect(bookings.slice(0, 3).map(({ atMs }) => atMs)).toEqual([at("01:40"), at("01:50"), at("02:00")])
    expect(new Set(bookings.map(({ form: { officeId } }) => officeId))).toEqual(new Set([1, 2, 3]))
  })

  it("of two policies with one driver and office are one", () => {
    expect(Passes.plan([one, withPasses("two", 15)], [], [], at("00:00")).bookings).toHaveLength(2)
  })

  it("wait ten minutes after a try, and are due when their time has come", () => {
    const plan = Passes.plan([one], [], [made("03:00")], at("03:01"))
    expect([plan.nextCreateMs, plan.due]).toEqual([at("03:10"), undefined])
    expect(plan.bookings[0]?.atMs).toBe(at("03:10"))
    expect(Passes.plan([one], [], [made("03:00")], at("03:10")).due?.form).toEqual(form)
  })

  it("wait for ten times as long after a refused try, which counts as ten", () => {
    const tries = [{ atMs: at("03:00"), isRefused: true }, made("02:30")]
    const plan = Passes.plan([one], [], tries, at("03:30"))
    expect([plan.nextCreateMs, plan.due]).toEqual([at("04:40"), undefined])
    expect(Passes.plan([one], [], tries, at("04:40")).due?.form).toEqual(form)
  })

  it("that are lacking six hours before a hand-over are told, with when they will be made", () => {
    const lacking = (
      nowMs: number,
      listed: ReadonlyArray<Passes.Listed> = [],
      ...tries: ReadonlyArray<Passes.Try>
    ) =>
      Passes.plan([one], listed, tries, nowMs).lacking.map(({ because, bookedAtMs }) => [because, bookedAtMs])
    expect(lacking(at("07:59"))).toEqual([])
    expect(lacking(at("08:00"))).toEqual([["notYetMade", at("08:00")]])
    expect(lacking(at("13:55"), [], made("13:54"))).toEqual([["tooLate", undefined]])
    expect(lacking(at("08:00"), [{ ...form, validUntilMs: at("15:00") }])).toEqual([])
  })

  it("are not made again and again where the list does not say until when one holds", () => {
    const plan = Passes.plan([one], [{ ...form, validUntilMs: undefined }], [], at("09:00"))
    expect(plan.bookings).toEqual([])
    expect(plan.lacking.map(({ because }) => because)).toEqual(["endUnknown"])
  })

  it("of a policy without them are not made", () => {
    expect(Passes.plan([policy([daily])], [], [], at("09:00"))).toEqual({
      bookings: [],
      nextCreateMs: at("09:00"),
      lacking: []
    })
  })
})

describe("the form of a pass", () => {
  const refused = (more: Partial<typeof form>, offices = [15]) =>
    Passes.refusals({ ...form, ...more }, new Set(offices)).map(({ field, is }) => `${field} ${is}`)

  it("is looked at whole before it is sent", () => {
    expect(refused({})).toEqual([])
    expect(refused({ firstName: "Ян", lastName: "Ли" })).toEqual(["names length"])
    expect(refused({ firstName: "Я".repeat(60), lastName: "Л".repeat(41) })).toEqual(["names length"])
    expect(refused({ carModel: "x".repeat(101), carNumber: "А 1" })).toEqual([
      "carModel length",
      "carNumber signs",
      "carNumber length"
    ])
    expect(refused({ firstName: " ", carModel: "", carNumber: "" })).toEqual([
      "firstName empty",
      "carModel empty",
      "carNumber empty"
    ])
    expect(refused({ officeId: 0 })).toEqual(["officeId noNumber"])
    expect(refused({}, [16])).toEqual(["officeId notListed"])
  })
})

describe("whatever the waves, cars and offices", () => {
  const drawn = fc.record({
    policies: fc.array(
      fc.record({
        waves: drawnWaves,
        office: fc.integer({ min: 1, max: 4 }),
        bookBeforeHours: fc.integer({ min: 1, max: 48 })
      }),
      { minLength: 1, maxLength: 5 }
    ),
    startMs: drawnInstant
  })

  it("no two are made within ten minutes, and every hand-over has one when that is possible", () => {
    fc.assert(
      fc.property(drawn, ({ policies: parts, startMs }) => {
        const policies = parts.map(({ bookBeforeHours, office, waves }, n) => ({
          id: PolicyId(`p${n}`),
          waves,
          passes: { ...form, officeId: office, bookBeforeMs: bookBeforeHours * hourMs }
        }))
        const listed: Array<Passes.Listed> = []
        const tries: Array<Passes.Try> = []
        const tooLate = new Set<string>()
        const untilMs = startMs + 6 * 24 * hourMs
        for (let nowMs = startMs; nowMs < untilMs; ) {
          const plan = Passes.plan(policies, listed, tries, nowMs)
          for (const { because, handOver } of plan.lacking)
            if (because === "tooLate") tooLate.add(`${handOver.form.officeId} ${handOver.trip.handOverByMs}`)
          if (plan.due !== undefined) {
            listed.push({ ...plan.due.form, validUntilMs: nowMs + Passes.holdsMs })
            tries.push({ atMs: nowMs, isRefused: false })
          } else nowMs = Math.min(plan.bookings[0]?.atMs ?? untilMs, nowMs + 4 * hourMs)
        }
        for (const [n, { atMs }] of tries.entries())
          if (n > 0) expect(atMs - tries[n - 1]!.atMs).toBeGreaterThanOrEqual(Passes.gapMs)
        // Only in the first minutes is there no time: of the n-th office to leave after the start, ten minutes times n.
        for (const late of tooLate)
          expect(Number(late.split(" ")[1]) - startMs).toBeLessThanOrEqual(3 * Passes.gapMs)
        const leaving = Passes.plan(policies, [], [], startMs).bookings.flatMap(({ covers }) => covers)
        for (const { form: asked, trip } of leaving) {
          const isHeld = listed.some(
            ({ officeId, validUntilMs = 0 }) =>
              officeId === asked.officeId &&
              validUntilMs >= trip.handOverByMs &&
              validUntilMs - Passes.holdsMs < trip.handOverByMs
          )
          expect(isHeld || trip.handOverByMs >= untilMs).toBe(true)
        }
      }),
      { numRuns: Depth.cases(200) }
    )
  })
})
