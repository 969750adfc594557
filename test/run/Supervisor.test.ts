import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import type { CycleResult } from "../../src/engine/schedule/Job.js"
import * as Supervisor from "../../src/engine/schedule/Supervisor.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Stage from "./SupervisorStage.js"

const hourMs = 3_600_000
const hourOf = (at: number): string => new Date(at).toISOString().slice(11, 16)
const hourly = Stage.rules({ a: "{every: 1h}" })

/** Keeps what is more than information. */
const warnings = (told: Array<string>) =>
  Logger.make(({ logLevel, message }) => {
    if (LogLevel.greaterThan(logLevel, LogLevel.Info)) told.push(String(message))
  })

describe("the supervisor", () => {
  it("runs a policy at its due times, those due together in one cycle, and not when it is seen first", () =>
    Stage.run(
      "2026-09-01T05:30:00Z",
      Stage.rules({
        a: "{every: 3h}",
        b: '{at: "09:00", tz: Europe/Moscow}',
        c: "disabled {every: 1h}"
      }),
      (stage) =>
        Effect.gen(function* () {
          yield* stage.start()
          yield* stage.advance("7 hours")
          expect(stage.told()).toEqual(["09-01T06:00 a b", "09-01T09:00 a", "09-01T12:00 a"])
        })
    ))

  it("goes on past midnight with between:, on the days that it begins on", () =>
    Stage.run(
      "2026-09-03T18:30:00Z",
      Stage.rules({ a: '{every: 1h, between: "22:00-02:00", days: [fri], tz: Europe/Moscow}' }),
      (stage) =>
        Effect.gen(function* () {
          yield* stage.start()
          yield* stage.advance("50 hours")
          expect(stage.told()).toEqual(["09-04T19:00 a", "09-04T20:00 a", "09-04T21:00 a", "09-04T22:00 a"])
        })
    ))

  it("runs an overlay when its time is over, though its schedule has no turn then: the base would never return", () => {
    const boost = (name: string, schedule: string, during: string) => ({
      path: `rules/${name}.yaml`,
      text: `version: 1\nname: ${name}\nmode: apply\nschedule: ${schedule}\neach: campaign_item\nwhere: campaign.payment = cpm\nduring: ${during}\ndo:\n  adjust_bid: {by: +20%, cap: 600 ₽}\n`
    })
    const rules = Scenario.check([
      boost("a", '{at: "18:00", tz: Europe/Moscow}', '{time: "18:00-23:00"}'),
      boost(
        "b",
        '{every: 2h, between: "22:00-02:00", days: [fri], tz: Europe/Moscow}',
        '{days: [fri], time: "22:00-02:30"}'
      )
    ])
    return Stage.run("2026-09-03T22:00:00Z", rules, (stage) =>
      Effect.gen(function* () {
        yield* stage.start()
        yield* stage.advance("2 days")
        expect(stage.told()).toEqual([
          "09-04T15:00 a",
          "09-04T19:00 b",
          "09-04T20:00 a",
          "09-04T21:00 b",
          "09-04T23:30 b",
          "09-05T15:00 a",
          "09-05T20:00 a"
        ])
      })
    )
  })

  it("runs a due time once, though it is delivered twice: while it runs, and when it is done", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        const { turns } = yield* stage.start()
        yield* stage.advance("40 minutes")
        const [first] = stage.ran
        expect(stage.told()).toEqual(["09-01T06:00 a"])
        const due = { job: "a", dueAt: Date.parse("2026-09-01T06:00:00Z") }
        expect((yield* turns.runDue({ account: first!.account, lane: "ads" }, due)).outcome).toBe("covered")
        stage.cycles.takeMs = 600_000
        const next = { job: "a", dueAt: Date.parse("2026-09-01T07:00:00Z") }
        yield* stage.advance("55 minutes")
        expect((yield* turns.status({ account: first!.account, lane: "ads" })).state).toBe("running")
        expect((yield* turns.runDue({ account: first!.account, lane: "ads" }, next)).outcome).toBe("covered")
        expect(stage.told()).toEqual(["09-01T06:00 a", "09-01T07:00 a"])
      })
    ))

  it("runs once per local slot on the days on which the clock is changed", () =>
    Stage.run(
      "2026-10-24T12:00:00Z",
      Stage.rules({ a: '{at: ["02:30", "05:00"], tz: Europe/Berlin}', b: "{every: 6h, tz: Europe/Berlin}" }),
      (stage) =>
        Effect.gen(function* () {
          yield* stage.start()
          yield* stage.advance("36 hours")
          expect(stage.told()).toEqual([
            "10-24T16:00 b",
            "10-24T22:00 b",
            "10-25T00:30 a",
            "10-25T04:00 a b",
            "10-25T10:00 b",
            "10-25T16:00 b",
            "10-25T23:00 b"
          ])
        })
    ))

  it("makes one run of three days that were missed, at once", () =>
    Stage.run(
      "2026-09-01T05:30:00Z",
      Stage.rules({ a: "{every: 1h}", b: '{at: "12:00", tz: UTC}' }),
      (stage) =>
        Effect.gen(function* () {
          const before = yield* stage.start()
          yield* stage.advance("1 hour")
          yield* before.kill
          yield* stage.advance("72 hours")
          yield* stage.start()
          yield* stage.advance("1 hour")
          expect(stage.told()).toEqual(["09-01T06:00 a", "09-04T06:30 a b", "09-04T07:00 a"])
        })
    ))

  it("catches up with a turn missed before the first run ever", () =>
    Stage.run("2026-09-01T10:00:00Z", Stage.rules({ a: '{at: "18:00", tz: UTC}' }), (stage) =>
      Effect.gen(function* () {
        yield* (yield* stage.start()).kill
        yield* stage.advance("9 hours")
        yield* stage.start()
        yield* stage.advance("1 minute")
        expect(stage.told()).toEqual(["09-01T19:00 a"])
      })
    ))

  it("never runs an account twice at once: what became due meanwhile is one cycle afterwards", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        stage.cycles.takeMs = 3.5 * hourMs
        yield* stage.start()
        yield* stage.advance("8 hours")
        expect(stage.told()).toEqual(["09-01T06:00 a", "09-01T09:30 a", "09-01T13:00 a"])
      })
    ))

  it("runs other accounts beside one that takes long, each a little after the due time, always as long", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        const accounts = ["shop", "other", "third"]
        stage.cycles.takeMs = 30 * 60_000
        yield* stage.start({ accounts, spreadMs: 300_000 })
        yield* stage.advance("2 hours")
        const late = stage.ran.map(({ account, at }) => [account, at % hourMs] as const)
        expect(late.length).toBe(6)
        for (const [account, ms] of late) expect(ms).toBe(Supervisor.spreadOf(account, 300_000))
        expect(new Set(late.map(([, ms]) => ms)).size).toBe(3)
      })
    ))

  for (const [name, jumpMs] of [
    ["back", -hourMs],
    ["forward", hourMs]
  ] as const) {
    it(`neither repeats nor skips a turn when the clock is set ${name} by an hour`, () =>
      Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
        Effect.gen(function* () {
          yield* stage.start()
          yield* stage.advance("3 hours")
          stage.setClock(jumpMs)
          yield* stage.advance("6 hours")
          const turns = stage.ran.map(({ at }) => Math.floor(at / hourMs))
          expect(new Set(turns).size).toBe(turns.length)
          const last = turns.at(-1)!
          expect(turns).toEqual(Array.from({ length: last - turns[0]! + 1 }, (_, n) => turns[0]! + n))
          expect(stage.ran[0]!.at).toBe(Date.parse("2026-09-01T06:00:00Z"))
        })
      ))
  }

  it("goes on after a clock that was a year ahead", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        yield* stage.start()
        yield* stage.advance("1 hour")
        stage.setClock(365 * 24 * hourMs)
        yield* stage.advance("2 hours")
        stage.setClock(-365 * 24 * hourMs)
        yield* stage.advance("2 hours")
        expect(stage.told().slice(-2)).toEqual(["09-01T09:00 a", "09-01T10:00 a"])
      })
    ))

  it("is not silenced when the day comes that the clock showed too early", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        yield* stage.start()
        yield* stage.advance("1 hour")
        stage.setClock(2 * 24 * hourMs)
        yield* stage.advance("1 hour")
        stage.setClock(-2 * 24 * hourMs)
        yield* stage.advance("2 days")
        const hours = stage.ran.map(({ at }) => Math.floor(at / hourMs))
        const first = Date.parse("2026-09-01T06:00:00Z") / hourMs
        expect(hours.sort((a, b) => a - b)).toEqual(Array.from({ length: 2 * 24 + 2 }, (_, n) => first + n))
      })
    ))

  it("does not take a turn that the clock showed too early for one of another runner", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        const told: Array<string> = []
        const logger = warnings(told)
        yield* stage.start().pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
        stage.setClock(20 * hourMs)
        yield* stage.advance("1 hour")
        stage.setClock(-20 * hourMs)
        stage.reload(Stage.rules({ a: "{every: 2h}" }))
        yield* stage.advance("6 hours")
        expect(told).toEqual([])
        expect(stage.told().slice(-3)).toEqual(["09-01T08:00 a", "09-01T10:00 a", "09-01T12:00 a"])
      })
    ))

  it("gives a running cycle the rules it began with, and the next one the new ones", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        stage.cycles.takeMs = 20 * 60_000
        const versions: Array<string> = []
        stage.cycles.result = ({ loaded }) => {
          versions.push(loaded.version)
          return Stage.done
        }
        yield* stage.start()
        yield* stage.advance("35 minutes")
        stage.reload(Stage.rules({ a: "{every: 1h}", b: "{every: 30m}" }))
        yield* stage.advance("80 minutes")
        expect(versions).toEqual(["v1", "v2", "v2"])
        expect(stage.told()).toEqual(["09-01T06:00 a", "09-01T06:30 b", "09-01T07:00 a b"])
      })
    ))

  it("lets a policy with another schedule, or one switched on again, wait for its next turn", () =>
    Stage.run(
      "2026-09-01T05:30:00Z",
      Stage.rules({ a: '{at: "18:00", tz: UTC}', b: "{every: 1h}" }),
      (stage) =>
        Effect.gen(function* () {
          yield* stage.start()
          yield* stage.advance("1 hour")
          stage.reload(Stage.rules({ a: '{at: "18:00", tz: UTC}', b: "disabled {every: 1h}" }))
          yield* stage.advance("6 hours")
          stage.reload(Stage.rules({ a: '{at: "08:00", tz: UTC}', b: "{every: 1h}" }))
          yield* stage.advance("1 hour")
          expect(stage.told()).toEqual(["09-01T06:00 b", "09-01T13:00 b"])
        })
    ))

  it("lets a policy switched on again wait for its next turn, though the account cannot be looked at just then", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ b: "{every: 1h}" }), (stage) =>
      Effect.gen(function* () {
        yield* stage.start({ accounts: ["shop", "other"] })
        yield* stage.advance("1 hour")
        stage.reload(Stage.rules({ b: "disabled {every: 1h}" }))
        yield* stage.advance("6 hours")
        stage.unreadable.add("shop")
        stage.reload(Stage.rules({ b: "{every: 1h}" }))
        yield* stage.advance("5 minutes")
        stage.unreadable.delete("shop")
        yield* stage.advance("55 minutes")
        const of = (name: string) =>
          stage.ran.filter(({ account }) => account === name).map(({ at }) => hourOf(at))
        expect(of("shop")).toEqual(["06:00", "13:00"])
        expect(of("other")).toEqual(["06:00", "13:00"])
      })
    ))

  it("knows that a policy was switched off, though the account could not be looked at meanwhile", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ b: "{every: 1h}" }), (stage) =>
      Effect.gen(function* () {
        yield* stage.start()
        yield* stage.advance("1 hour")
        stage.unreadable.add("shop")
        stage.reload(Stage.rules({ b: "disabled {every: 1h}" }))
        yield* stage.advance("6 hours")
        stage.unreadable.delete("shop")
        stage.reload(Stage.rules({ b: "{every: 1h}" }))
        yield* stage.advance("1 hour")
        expect(stage.told()).toEqual(["09-01T06:00 b", "09-01T13:00 b"])
      })
    ))

  it("sends a due time again each minute until it is stored, and then only in case its message was lost", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        const sent: Array<number> = []
        let isStored = false
        const submit = () =>
          Effect.map(Clock.currentTimeMillis, (at) => {
            sent.push(at)
            return isStored
          })
        yield* stage.start({ submit })
        yield* stage.advance("35 minutes")
        expect(sent.length).toBeGreaterThanOrEqual(5)
        isStored = true
        yield* stage.advance("2 minutes")
        const before = sent.length
        yield* stage.advance("7 minutes")
        expect(sent.length).toBe(before)
        yield* stage.advance("4 minutes")
        expect(sent.length).toBe(before + 1)
      })
    ))

  for (const [name, ticks] of [
    ["break", () => Stream.die("no such zone")],
    [
      "cannot be made",
      () => {
        throw new Error("no such expression")
      }
    ],
    ["end", () => Stream.empty]
  ] as const) {
    it(`goes on looking every minute when the wake-ups of the timetable ${name}`, () =>
      Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
        Effect.gen(function* () {
          yield* stage.start({ ticker: { ticks } })
          yield* stage.advance("2 hours")
          expect(stage.told().map((line) => line.slice(0, 8))).toEqual(["09-01T06", "09-01T07"])
        })
      ))
  }

  it("says once a minute that the store is away, not once for every account, and that rules are bad once", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        const told: Array<string> = []
        const logger = Logger.make(({ message }) => void told.push(String(message)))
        const accounts = Array.from({ length: 50 }, (_, i) => `shop-${i}`)
        const { supervisor } = yield* stage
          .start({ accounts })
          .pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
        stage.unreadable.add("*")
        stage.reload({ problem: "rules/a.yaml:3 Unknown key" })
        yield* stage.advance("10 minutes")
        expect(told.length).toBeGreaterThan(5)
        expect(told.length).toBeLessThan(15)
        expect(told.filter((line) => line.includes("Unknown key"))).toHaveLength(1)
        expect(told.at(-1)).toBe("no account can be looked at: could not look: try again")
        const standing = yield* supervisor.status.current
        expect(standing.accounts.every(({ problem }) => problem?.trouble === "StoreFailed")).toBe(true)
      })
    ))

  it("says of an account whose end the store does not take that it cannot be written, and goes on when it can", () =>
    Stage.run("2026-09-01T05:59:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        const { turns } = yield* stage.start()
        const status = turns.status({ account: "shop", lane: "ads" })
        stage.unwritable.add("shop")
        yield* stage.advance("10 minutes")
        expect(yield* status).toMatchObject({
          state: "running",
          doing: "writing down how it ended",
          stoppedWhy: "could not write: free space"
        })
        stage.unwritable.clear()
        yield* stage.advance("2 minutes")
        expect(yield* status).toMatchObject({ state: "idle", doing: undefined, stoppedWhy: undefined })
        expect(stage.told()).toHaveLength(1)
      })
    ))

  it("says that other rules are in force, and warns when nothing is left to run", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        const told: Array<string> = []
        const logger = Logger.make(
          ({ logLevel, message }) => void told.push(`${logLevel.label} ${String(message)}`)
        )
        yield* stage.start().pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
        yield* stage.advance("10 minutes")
        stage.reload(Stage.rules({ a: "{every: 2h}", b: "disabled {every: 1h}" }))
        yield* stage.advance("10 minutes")
        stage.reload(Stage.rules({}))
        yield* stage.advance("10 minutes")
        expect(told.map((line) => line.replace(/,?\[object Object\]$/, ""))).toEqual([
          "INFO rules v2 are in force: 1 of 2 policies have a schedule",
          "WARN rules v3 are in force: no policy has a schedule, so nothing is changed by itself"
        ])
      })
    ))

  it("tells how it stands though the rule files keep it waiting", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        const { supervisor } = yield* stage.start()
        stage.hang()
        const told = yield* Effect.timeoutOption(supervisor.status.current, "1 second")
        const [account] = Option.getOrThrow(told).accounts
        expect(account?.nextDueAt).toBe(Date.parse("2026-09-01T06:00:00Z"))
      })
    ))

  it("keeps nothing of the attempts that came to nothing, however many", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 24h}" }), (stage) =>
      Effect.gen(function* () {
        const depths: Array<number> = []
        stage.cycles.result = () => {
          const fiber = Option.getOrThrow(Fiber.getCurrentFiber())
          depths.push((Reflect.get(fiber, "_stack") as ReadonlyArray<unknown>).length)
          return { _tag: "Busy", why: "another run has the account" }
        }
        yield* stage.start()
        yield* stage.advance("24 hours")
        expect(depths.length).toBeGreaterThan(40)
        expect(depths.at(-1)).toBe(depths[0])
      })
    ))

  it("keeps the rules of before when the new ones are bad, and says so", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        const { supervisor } = yield* stage.start()
        stage.reload({ problem: "rules/a.yaml:3 Unknown key" })
        yield* stage.advance("1 hour")
        expect(stage.told()).toEqual(["09-01T06:00 a"])
        const { rulesProblem, rulesVersion } = yield* supervisor.status.current
        expect([rulesVersion, rulesProblem]).toEqual(["v1", "rules/a.yaml:3 Unknown key"])
      })
    ))

  it("drops a due time whose policy is gone when its turn comes", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        yield* stage.start({ spreadMs: 600_000 })
        yield* stage.advance("30 minutes")
        stage.reload(Stage.rules({ b: "{every: 6h}" }))
        yield* stage.advance("20 minutes")
        expect(stage.ran).toEqual([])
        const last = yield* stage.dues.last(
          { account: "shop", lane: "ads" },
          Date.parse("2026-09-01T06:20:00Z")
        )
        expect(last.get("a")?.state).toBe("dropped")
      })
    ))

  it("tries a refused token again at long intervals, says why, and at once when a person has acted", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        stage.cycles.result = () => ({ _tag: "Refused", why: "the token was not accepted" })
        const { supervisor, turns } = yield* stage.start()
        yield* stage.advance("5 hours")
        expect(stage.told()).toEqual([
          "09-01T06:00 a",
          "09-01T06:15 a",
          "09-01T06:45 a",
          "09-01T07:45 a",
          "09-01T09:45 a"
        ])
        const status = yield* turns.status({ account: "shop", lane: "ads" })
        expect([status.state, status.stoppedWhy]).toEqual(["waiting", "the token was not accepted"])
        const [account] = (yield* supervisor.status.current).accounts
        expect(account?.lagMs).toBeGreaterThan(0)
        stage.cycles.result = () => Stage.done
        yield* turns.wake({ account: "shop", lane: "ads" })
        yield* stage.advance("10 minutes")
        expect(stage.told().at(-1)).toBe("09-01T10:30 a")
        expect((yield* turns.status({ account: "shop", lane: "ads" })).stoppedWhy).toBeUndefined()
        expect((yield* supervisor.status.current).accounts[0]?.lagMs).toBe(0)
      })
    ))

  it("tries a refused token at once when its file holds another, also one put there while the cycle ran", () =>
    Stage.run("2026-09-01T05:59:00Z", Stage.rules({ a: "{every: 24h}" }), (stage) =>
      Effect.gen(function* () {
        let token = "first"
        stage.cycles.result = () =>
          token === "third" ? Stage.done : { _tag: "Refused", why: "the token was not accepted" }
        yield* stage.start({ credential: () => Effect.sync(() => token) })
        yield* stage.advance("1440 minutes")
        const before = stage.ran.length
        const last = () => stage.ran.at(-1)?.at ?? 0
        expect((yield* Clock.currentTimeMillis) - last()).toBeGreaterThan(3 * 60_000)
        token = "second"
        const changed = yield* Clock.currentTimeMillis
        yield* stage.advance("5 minutes")
        expect(stage.ran).toHaveLength(before + 1)
        expect(last() - changed).toBeLessThanOrEqual(60_000)
        stage.cycles.takeMs = 10_000
        stage.cycles.result = () => {
          token = "third"
          stage.cycles.result = () => Stage.done
          return { _tag: "Refused", why: "the token was not accepted" }
        }
        token = "other"
        yield* stage.advance("3 minutes")
        expect(stage.ran).toHaveLength(before + 3)
      })
    ))

  it("gives a broken cycle up after a few attempts, until the next due time", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 12h}" }), (stage) =>
      Effect.gen(function* () {
        stage.cycles.result = () => ({ _tag: "Broken", why: "a defect" })
        yield* stage.start()
        yield* stage.advance("18 hours")
        expect(stage.ran.length).toBe(5)
        const last = yield* stage.dues.last(
          { account: "shop", lane: "ads" },
          Date.parse("2026-09-01T23:00:00Z")
        )
        expect([last.get("a")?.state, last.get("a")?.detail]).toEqual(["failed", "a defect"])
        stage.cycles.result = () => Stage.done
        yield* stage.advance("12 hours")
        expect(stage.told().at(-1)).toBe("09-02T00:00 a")
      })
    ))

  it("holds a long outage of the marketplace against no cycle that breaks afterwards", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 12h}" }), (stage) =>
      Effect.gen(function* () {
        const unreachable: CycleResult = { _tag: "Unreachable", why: "the marketplace did not answer" }
        stage.cycles.result = () =>
          stage.ran.length <= 6
            ? unreachable
            : stage.ran.length === 7
              ? { _tag: "Broken", why: "a defect" }
              : Stage.done
        const { turns } = yield* stage.start()
        yield* stage.advance("10 hours")
        expect(stage.ran.length).toBe(8)
        expect((yield* turns.status({ account: "shop", lane: "ads" })).last?.end.outcome).toBe("ran")
        expect(
          (yield* stage.dues.last({ account: "shop", lane: "ads" }, Date.parse("2026-09-01T15:00:00Z"))).get(
            "a"
          )?.state
        ).toBe("done")
      })
    ))

  it("tries a cycle that lost its lock once more after a while, then leaves it to the next due time", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 12h}" }), (stage) =>
      Effect.gen(function* () {
        const why = "nothing was sent; the lock was lost"
        stage.cycles.result = () => ({ _tag: "LockLost", why })
        const { turns } = yield* stage.start()
        yield* stage.advance("12 hours")
        expect(stage.ran.length).toBe(2)
        expect((stage.ran[1]?.at ?? 0) - (stage.ran[0]?.at ?? 0)).toBeGreaterThanOrEqual(30_000)
        expect(yield* turns.status({ account: "shop", lane: "ads" })).toMatchObject({
          state: "idle",
          stoppedWhy: why,
          last: { end: { outcome: "failed", said: why } }
        })
        stage.cycles.result = () => Stage.done
        yield* stage.advance("12 hours")
        expect(stage.ran.length).toBe(3)
        expect((yield* turns.status({ account: "shop", lane: "ads" })).stoppedWhy).toBeUndefined()
      })
    ))

  it("has a turn that could not be read again, also after an outage of the marketplace that was tried often", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 12h}" }), (stage) =>
      Effect.gen(function* () {
        yield* stage.start()
        const outage = Array.from({ length: 5 }, (): CycleResult => ({ _tag: "Unreachable", why: "down" }))
        const unread: CycleResult = {
          _tag: "Done",
          planId: "p",
          runId: undefined,
          said: "no",
          isUnread: true
        }
        const results = [...outage, unread, unread]
        stage.cycles.result = () => results.shift() ?? Stage.done
        yield* stage.advance("8 hours")
        expect(stage.ran.length).toBe(8)
        expect(yield* stage.dues.open({ account: "shop", lane: "ads" })).toEqual([])
      })
    ))

  it("takes up what a killed process had begun", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 12h}" }), (stage) =>
      Effect.gen(function* () {
        stage.cycles.takeMs = hourMs
        const first = yield* stage.start()
        yield* stage.advance("7 hours")
        yield* first.kill
        yield* stage.start()
        yield* stage.advance("2 hours")
        expect(stage.told()).toEqual(["09-01T12:00 a", "09-01T12:30 a"])
        const { dues } = stage
        expect(yield* dues.open({ account: "shop", lane: "ads" })).toEqual([])
      })
    ))

  it("drains: the running cycle ends, nothing new begins, and the next start does what is left", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        stage.cycles.takeMs = 20 * 60_000
        stage.cycles.result = () => ({ _tag: "Stopping" })
        const { kill, supervisor, turns } = yield* stage.start()
        yield* stage.advance("31 minutes")
        yield* supervisor.stop
        yield* turns.drain({ account: "shop", lane: "ads" })
        expect(stage.ran.length).toBe(1)
        yield* stage.advance("2 hours")
        expect(stage.ran.length).toBe(1)
        yield* kill
        stage.cycles.result = () => Stage.done
        yield* stage.start()
        yield* stage.advance("1 minute")
        expect(stage.ran.length).toBe(2)
      })
    ))

  it("looks once and waits for what it began", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        yield* (yield* stage.start()).kill
        yield* stage.advance("1 hour")
        const { supervisor } = yield* stage.start({ spreadMs: 600_000 })
        yield* supervisor.once
        expect(stage.told()).toEqual(["09-01T06:30 a"])
      })
    ))

  it("tries nothing twice when it looks once, however many policies of an account are due", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 1h}", b: "{every: 1h}" }), (stage) =>
      Effect.gen(function* () {
        yield* (yield* stage.start()).kill
        yield* stage.advance("1 hour")
        stage.cycles.result = () => ({ _tag: "Refused", why: "the token was not accepted" })
        const { supervisor, turns } = yield* stage.start({ isOnce: true, retries: 0 })
        expect(yield* supervisor.once).toBe(1)
        expect(stage.told()).toEqual(["09-01T06:30 a b"])
        expect((yield* turns.status({ account: "shop", lane: "ads" })).stoppedWhy).toBe(
          "the token was not accepted"
        )
        const open = yield* stage.dues.open({ account: "shop", lane: "ads" })
        expect(open.map(({ job, state }) => [job, state])).toEqual([
          ["a", "waiting"],
          ["b", "waiting"]
        ])
      })
    ))

  it("that looks once works for the accounts that it can look at, and then says what is wrong with another", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        const accounts = ["shop", "other"]
        yield* (yield* stage.start({ accounts })).kill
        yield* stage.advance("1 hour")
        stage.unreadable.add("shop")
        const { supervisor } = yield* stage.start({ accounts, isOnce: true, retries: 0 })
        expect(yield* Effect.flip(supervisor.once)).toMatchObject({ action: "could not look" })
        expect(stage.ran.map(({ account }) => account)).toEqual(["other"])
        expect(yield* stage.dues.open({ account: "other", lane: "ads" })).toEqual([])
      })
    ))

  it("runs a turn once though another process looked once meanwhile, took it, and could not work beside it", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 12h}" }), (stage) =>
      Effect.gen(function* () {
        stage.cycles.takeMs = 20 * 60_000
        yield* stage.start()
        yield* stage.advance("400 minutes")
        expect(stage.ran).toHaveLength(1)
        stage.cycles.takeMs = 1000
        stage.cycles.result = () => ({ _tag: "Busy", why: "another apply of the account is running" })
        const { supervisor } = yield* stage.start({ isOnce: true, retries: 0 })
        yield* supervisor.once
        expect(stage.ran).toHaveLength(2)
        stage.cycles.result = () => Stage.done
        yield* stage.advance("2 hours")
        expect(stage.ran).toHaveLength(2)
        expect(yield* stage.dues.open({ account: "shop", lane: "ads" })).toEqual([])
      })
    ))

  it("runs a turn again of which a process that lost its lock had done a part, and another could do nothing yet", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 12h}" }), (stage) =>
      Effect.gen(function* () {
        stage.cycles.takeMs = 20 * 60_000
        yield* stage.start()
        yield* stage.advance("400 minutes")
        stage.cycles.takeMs = 1000
        stage.cycles.result = () => ({ _tag: "Unreachable", why: "the marketplace did not answer" })
        const { supervisor } = yield* stage.start({ isOnce: true, retries: 0 })
        yield* supervisor.once
        stage.cycles.result = () => ({ ...Stage.done, said: "applied in part", isCut: true })
        yield* stage.advance("2 hours")
        expect(stage.ran.length).toBe(3)
      })
    ))

  it("begins nothing for an account that still waits for its place when the program ends", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        stage.cycles.takeMs = 10 * 60_000
        const { supervisor, turns } = yield* stage.start({ accounts: ["shop", "other"], concurrency: 1 })
        yield* stage.advance("31 minutes")
        yield* supervisor.stop
        yield* Effect.forEach(
          [
            { account: "shop", lane: "ads" as const },
            { account: "other", lane: "ads" as const }
          ],
          turns.drain,
          { concurrency: "unbounded" }
        )
        expect(stage.ran.map(({ account }) => account)).toEqual(["shop"])
        expect((yield* stage.dues.open({ account: "other", lane: "ads" })).map(({ state }) => state)).toEqual(
          ["waiting"]
        )
      })
    ))

  it("knows nothing of an account's cycle any more that went to another runner", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        stage.cycles.takeMs = 10 * 60_000
        const { kill, turns } = yield* stage.start()
        yield* stage.advance("31 minutes")
        expect((yield* turns.status({ account: "shop", lane: "ads" })).state).toBe("running")
        yield* kill
        const { runningSince, state } = yield* turns.status({ account: "shop", lane: "ads" })
        expect([state, runningSince]).toEqual(["idle", undefined])
      })
    ))

  it("tries a due time again though not the cycle but something around it broke", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 12h}" }), (stage) =>
      Effect.gen(function* () {
        stage.cycles.result = () => {
          throw new Error("the layers of the account fell apart")
        }
        const { turns } = yield* stage.start()
        yield* stage.advance("391 minutes")
        const broken = yield* turns.status({ account: "shop", lane: "ads" })
        expect([broken.state, broken.stoppedWhy]).toEqual(["waiting", "the layers of the account fell apart"])
        stage.cycles.result = () => Stage.done
        yield* stage.advance("10 minutes")
        expect((yield* turns.status({ account: "shop", lane: "ads" })).last?.end.outcome).toBe("ran")
        expect(yield* stage.dues.open({ account: "shop", lane: "ads" })).toEqual([])
      })
    ))

  it("says that another runner has other rules, and does not when the files changed or all is well", () =>
    Stage.run("2026-09-01T05:30:00Z", hourly, (stage) =>
      Effect.gen(function* () {
        const told: Array<string> = []
        const logger = warnings(told)
        yield* stage.start().pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
        yield* stage.advance("40 minutes")
        stage.reload(Stage.rules({ a: "{every: 2h}" }))
        yield* stage.advance("4 hours")
        expect(told).toEqual([])
        const since = Date.parse("2026-09-01T10:20:00Z")
        const other = {
          account: "shop",
          lane: "ads" as const,
          job: "a",
          dueAt: since,
          since,
          schedule: "every 5; UTC"
        }
        yield* stage.dues.record([{ ...other, state: "seen" }], since)
        yield* stage.advance("2 hours")
        expect(told).toEqual([
          "shop: another bidhelm run has another schedule of a, so neither runs it; give every runner the same rules"
        ])
      })
    ))
})
