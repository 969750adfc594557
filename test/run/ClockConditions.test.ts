/** `hour` and `weekday`: one meaning in the check, the evaluator, rule tests, backtests and in what is sent. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { assert, describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import * as Backtest from "../../src/engine/backtest/Backtest.js"
import * as Recall from "../../src/engine/backtest/Recall.js"
import * as ClockFacts from "../../src/engine/facts/ClockFacts.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as Load from "../../src/engine/language/Load.js"
import { Snapshots } from "../../src/engine/planning/Snapshots.js"
import * as Cases from "../property/Cases.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Trials from "../testing/Trials.js"

const rule = (when: string, schedule = "{every: 1h, tz: Europe/Moscow}") => ({
  path: "rules/01-raise.yaml",
  text: `version: 1
name: Pause by the clock
mode: apply
schedule: ${schedule}
each: campaign
where: campaign.status in [active, paused]
when: ${when}
do: pause
`
})
const codes = (file: Load.File) => Load.check([file]).diagnostics.map(({ code }) => code)

describe("the clock in conditions", () => {
  it(
    "is that of the city, whatever the instant, its changes of summer and winter time included",
    async () => {
      const cities = fc.constantFrom(
        "Europe/Moscow",
        "Asia/Kathmandu",
        "America/New_York",
        "Asia/Vladivostok",
        "UTC"
      )
      const instant = fc.integer({ min: Date.parse("2025-01-01"), max: Date.parse("2028-01-01") })
      await Cases.check(
        fc.property(cities, instant, (zone, nowMs) => {
          const table = Table.make("cluster")
          const ids = ["account.hour", "account.weekday"].map((id) => ClockFacts.idIn(id, zone))
          const asked = ids.map((id) => ({ id }))
          table.setAll("account", ClockFacts.readings(asked, nowMs))
          const read = ids.map((id) => {
            const cell = table.view("account").get(0, id)
            return cell._tag === "Known" ? cell.value : undefined
          })
          // The year's text is read back as if it were UTC: another way to the same two figures.
          const local = new Date(`${new Date(nowMs).toLocaleString("sv-SE", { timeZone: zone })}Z`)
          const day = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"][local.getUTCDay()]
          assert.deepStrictEqual(read, [local.getUTCHours(), day])
        }),
        300
      )
    },
    Cases.timeoutMs
  )

  it("needs the schedule's city, stands in when: only, and knows how many hours a day has", () => {
    expect(codes(rule("hour >= 18 and weekday in [sat, sun]"))).toEqual([])
    expect(codes(rule("hour between 9 and 17 and weekday != mon"))).toEqual([])
    expect(codes(rule("hour >= 18", "{every: 1h}"))).toEqual(["K13"])
    expect(codes(rule("hour[7d] >= 18"))).toEqual(["E19"])
    expect(codes(rule("weekday = saturday"))).toEqual(["E13"])
    expect(codes(rule("weekday < sat"))).toEqual(["E11"])
    expect(codes(rule("hour >= 24"))).toEqual(["S02"])
    expect(codes(rule("hour >= 20 and hour < 8"))).toEqual(["S02"])
    expect(codes(rule("weekday = sat and weekday = sun"))).toEqual(["S02"])
    const scoped = { ...rule("spend[today] > 1 ₽") }
    expect(codes({ ...scoped, text: scoped.text.replace("where: ", "where: hour > 3 and ") })).toEqual([
      "E18"
    ])
    const limits = {
      path: "rules/_shared/limits.yaml",
      text: "version: 1\nkind: limits\naccount: {never_touch: hour > 3}\n"
    }
    expect(codes(limits)).toEqual(["E18"])
  })

  it("belongs to what a policy means: another city is another policy, in one city it is the same", () => {
    const hash = (when: string, zone: string) =>
      Scenario.check([rule(when, `{every: 1h, tz: ${zone}}`)]).policies[0]!.hash
    expect(hash("hour > 3", "Asia/Vladivostok")).not.toBe(hash("hour > 3", "Europe/Moscow"))
    expect(hash("spend[today] > 3 ₽", "Asia/Vladivostok")).toBe(hash("spend[today] > 3 ₽", "Europe/Moscow"))
  })

  it("sends at the hour, and not before", () =>
    Scenario.run(
      {
        rules: [rule("hour >= 18 and weekday in [sat, sun]")],
        scale: { campaigns: 3, items: 1, clusters: 2 }
      },
      (world) =>
        Effect.gen(function* () {
          const look = Effect.gen(function* () {
            const planned = yield* world.plan
            yield* world.apply(planned)
            return planned
          })
          // Tuesday morning; Saturday 17:59; Saturday 18:00 in Moscow.
          yield* look
          yield* world.advance("4 days")
          yield* world.advance("8 hours")
          yield* world.advance("59 minutes")
          expect(new Date(world.now()).toISOString().slice(0, 16)).toBe("2026-09-05T14:59")
          yield* look
          expect(world.ledger()).toEqual([])
          yield* world.advance("1 minutes")
          const planned = yield* look
          const paused = world.ledger().map(({ slot }) => slot)
          expect(paused.length).toBeGreaterThan(0)
          expect(new Set(paused)).toEqual(new Set(["status"]))
          expect(planned.reviewed.plan.changes[0]!.reason.at(-1)).toMatchObject({ value: "18 and sat" })
          // The day's snapshot is of that instant, so a backtest says the same, and of another city's clock its own.
          const parts = yield* Effect.provide(
            Effect.flatMap(Snapshots, (store) => store.read(Scenario.account, Days.Day("2026-09-05"))),
            world.context
          )
          const facts = Either.getOrThrow(Recall.recall(parts))
          const again = (file: Load.File) => {
            const { told } = Backtest.day(
              Backtest.prepare(Scenario.check([file]), new Set()),
              facts,
              Backtest.nothingYet
            )
            const { changes, missing, rowsMatched } = told.policies[0]!
            return { changes: changes.length, missing, rowsMatched }
          }
          const sent = { changes: paused.length, missing: [], rowsMatched: paused.length }
          expect(again(rule("hour = 18"))).toMatchObject(sent)
          expect(again(rule("hour = 18", "{every: 1h, tz: Asia/Vladivostok}")).changes).toBe(0)
          expect(
            again(rule("hour = 1 and weekday = sun", "{every: 1h, tz: Asia/Vladivostok}"))
          ).toMatchObject(sent)
        })
    ))

  it("is, in a rule test, that of the case's instant, and is not given twice", () => {
    const rules = Scenario.check([rule("hour >= 18 and weekday = tue")])
    const test = (now: string, more = "") =>
      `${Trials.header}  - name: a case\n    now: ${now}\n    rows:\n      - {id: a${more}}\n    expect: [{id: a, do: pause}]\n`
    expect(Trials.failures(test("2026-09-01T18:00+03:00"), rules)).toEqual([])
    expect(Trials.failures(test("2026-09-01T15:00+00:00"), rules)).toEqual([])
    expect(Trials.failures(test("2026-09-01T17:59+03:00"), rules)).not.toEqual([])
    expect(Trials.problems(test("2026-09-01T18:00+03:00", ", hour: 19"), rules)).toEqual(["T07@8:17"])
  })
})
