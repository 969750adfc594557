/** Whole cycles by timetable against the sandbox; its ledger says what was done, and how often. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import { Holdings } from "../../src/engine/door/HoldStore.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as PolicyJobs from "../../src/engine/planning/PolicyJobs.js"
import * as RuleSource from "../../src/engine/planning/RuleSource.js"
import * as AccountTurn from "../../src/engine/schedule/AccountTurn.js"
import * as Dispatch from "../../src/engine/schedule/Dispatch.js"
import { type CycleResult, type Doing, JobSource } from "../../src/engine/schedule/Job.js"
import * as Supervisor from "../../src/engine/schedule/Supervisor.js"
import * as Ticker from "../../src/engine/schedule/Ticker.js"
import * as Scenario from "../scenario/Scenario.js"

/** Raises every bid of some campaigns by 1% whenever it runs. */
const raise = (name: string, schedule: string, mode = "apply", by = "1%"): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1
name: ${name}
mode: ${mode}
schedule: ${schedule}
each: campaign_item
where: [campaign.payment = cpm, campaign.status = active]
when: bid > 1 ₽
do:
  raise_bid: {by: ${by}, cap: 9000 ₽}
cooldown: 1h
`
})

/** Leaves the campaigns of one kind alone. */
const neverTouch: Load.File = {
  path: "rules/_shared/limits.yaml",
  text: `version: 1
kind: limits
account:
  never_touch: campaign.name matches "*полки"
`
}

/** Tells of every active campaign. */
const message = (name: string): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1
name: ${name}
mode: apply
schedule: {every: 3h}
each: campaign
when: campaign.status = active
do:
  notify: "{campaign.name} is active"
`
})

/** Pauses campaigns that spend more than any of them does; needs their statistics. */
const unreadable = (name: string): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1
name: ${name}
mode: apply
schedule: {every: 3h}
each: campaign
window: 7d
when: spend > 9000000 ₽
do: pause
`
})

/** Pauses every campaign that spent anything, once a day. */
const spending = (name: string, schedule: string): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1
name: ${name}
mode: apply
schedule: ${schedule}
each: campaign
where: campaign.status = active
window: 7d
when: spend > 1 ₽
do: pause
`
})

/** A scheduler of the story's account, as a process has one; it ends with the scope. */
const scheduler = (
  world: Scenario.World,
  source: typeof RuleSource.RuleSource.Service,
  cycle: (call: PolicyJobs.PolicyCall) => Effect.Effect<CycleResult> = (call) => world.cycle(call)
) =>
  Effect.gen(function* () {
    const jobs = yield* PolicyJobs.source(cycle)
    const turns = yield* Effect.provideService(AccountTurn.make(), JobSource, jobs)
    const supervisor = yield* Supervisor.make({ accounts: [Scenario.account], spreadMs: 0 }).pipe(
      Effect.provideService(Dispatch.Dispatch, Dispatch.direct(turns)),
      Effect.provideService(JobSource, jobs),
      Effect.provide(Ticker.layerVirtual)
    )
    yield* Effect.forkScoped(supervisor.run)
    return { turns, supervisor }
  }).pipe(Effect.provideService(RuleSource.RuleSource, source), Effect.provide(world.context))

/** A scheduler whose turn is looked at whenever a cycle says what it begins with, and where that turn stands. */
const watched = (
  world: Scenario.World,
  look: (standing: AccountTurn.TurnStatus) => void,
  cycle: (call: PolicyJobs.PolicyCall) => Effect.Effect<CycleResult> = (call) => world.cycle(call)
) =>
  Effect.gen(function* () {
    const told: { status?: Effect.Effect<AccountTurn.TurnStatus> } = {}
    const doing = (call: PolicyJobs.PolicyCall) => (what: Doing) =>
      Effect.gen(function* () {
        yield* call.doing?.(what) ?? Effect.void
        look(yield* told.status ?? Effect.dieMessage("a cycle before the scheduler"))
      })
    const { turns } = yield* scheduler(world, RuleSource.fixed(world.rules), (call) =>
      cycle({ ...call, doing: doing(call) })
    )
    const where = { account: Scenario.account, lane: "ads" } as const
    told.status = turns.status(where)
    return { status: told.status, wake: turns.wake(where) }
  })

/** Hours of the story in which bids were raised, UTC. */
const hours = (world: Scenario.World) => [
  ...new Set(world.ledger().map(({ at }) => new Date(at).toISOString().slice(5, 13)))
]

describe("a cycle of an account", () => {
  it("acts once for each due time, for the policies that are due only", () =>
    Scenario.run({ rules: [raise("a", "{every: 3h}"), raise("b", '{at: "23:59", tz: UTC}')] }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* scheduler(world, RuleSource.fixed(world.rules))
          yield* world.advance("570 minutes")
          expect(hours(world)).toEqual(["09-01T09", "09-01T12", "09-01T15"])
          const slots = world.ledger().map(({ slot, target }) => JSON.stringify([slot, target]))
          expect(slots.length).toBe(3 * new Set(slots).size)
          const runs = yield* world.journal.runs(Scenario.account, 10)
          expect(runs.map(({ status }) => status)).toEqual(["done", "done", "done"])
        })
      )
    ))

  it("only shows what policies in mode preview want, and says so", () =>
    Scenario.run({ rules: [raise("a", "{every: 3h}", "preview")] }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { turns } = yield* scheduler(world, RuleSource.fixed(world.rules))
          yield* world.advance("4 hours")
          expect(world.ledger()).toEqual([])
          const { last } = yield* turns.status({ account: Scenario.account, lane: "ads" })
          expect(last?.end.outcome).toBe("ran")
          expect(last?.end.said).toMatch(/^nothing to apply, \d+ only shown$/)
        })
      )
    ))

  it("only looks with a token for reading, says so, and journals nothing as refused", () =>
    Scenario.run({ rules: [raise("a", "{every: 3h}")], token: { readOnly: true } }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { turns } = yield* scheduler(world, RuleSource.fixed(world.rules))
          yield* world.advance("4 hours")
          expect(world.ledger()).toEqual([])
          expect(yield* world.journal.runs(Scenario.account, 10)).toEqual([])
          const { last } = yield* turns.status({ account: Scenario.account, lane: "ads" })
          expect(last?.end.said).toMatch(
            /^only looked: the token of \w+ is for reading only; .*\d+ changes planned, none sent/
          )
        })
      )
    ))

  it("says that changes are held, and by what, where nothing is left to apply, and does not seem to be idle", () =>
    Scenario.run({ rules: [raise("a", "{every: 3h}")] }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { turns } = yield* scheduler(world, RuleSource.fixed(world.rules))
          world.kill("somebody killed it weeks ago")
          yield* world.advance("4 hours")
          expect(world.ledger()).toEqual([])
          const { last } = yield* turns.status({ account: Scenario.account, lane: "ads" })
          expect(last?.end.said).toMatch(/^nothing applied, \d+ held \(kill_switch\)$/)
        })
      )
    ))

  it("counts what is held beside what it applied, the commonest reason first", () =>
    Scenario.run({ rules: [raise("a", "{every: 3h}"), neverTouch] }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { changes, held } = (yield* world.plan).reviewed.plan
          const [first] = changes
          const holdings = yield* Holdings
          yield* holdings.place({
            account: Scenario.account,
            kind: "target",
            what: `${first?.subject.campaignId}/${first?.subject.itemId}`,
            since: world.now(),
            by: "anna"
          })
          const { turns } = yield* scheduler(world, RuleSource.fixed(world.rules))
          yield* world.advance("4 hours")
          const { last } = yield* turns.status({ account: Scenario.account, lane: "ads" })
          expect(held.length).toBeGreaterThan(1)
          expect(last?.end.said).toBe(
            `applied (${changes.length - 1} applied), ${held.length + 1} held (${held.length} never_touch, 1 hold)`
          )
        }).pipe(Effect.provide(world.context))
      )
    ))

  it("stops at a refused token, says so, and does what was due once the token is good again", () =>
    Scenario.run({ rules: [raise("a", "{every: 12h}")] }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { turns } = yield* scheduler(world, RuleSource.fixed(world.rules))
          world.faults([{ kind: "refuse", operation: "listCampaignIds", status: 401 }])
          yield* world.advance("7 hours")
          const before = yield* turns.status({ account: Scenario.account, lane: "ads" })
          expect(before.state).toBe("waiting")
          expect(before.stoppedWhy).toContain("token")
          world.faults([])
          yield* turns.wake({ account: Scenario.account, lane: "ads" })
          yield* world.advance("20 minutes")
          expect((yield* turns.status({ account: Scenario.account, lane: "ads" })).stoppedWhy).toBeUndefined()
          expect(hours(world)).toEqual(["09-01T13"])
        })
      )
    ))

  it("says that rules have something to tell, and what could not be read, though nothing is to be changed", () =>
    Scenario.run({ rules: [message("tell"), unreadable("spent")] }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { turns } = yield* scheduler(world, RuleSource.fixed(world.rules))
          world.faults([{ kind: "errorBefore", operation: "getCampaignStats", status: 503 }])
          yield* world.advance("4 hours")
          const { last } = yield* turns.status({ account: Scenario.account, lane: "ads" })
          expect(last?.end.said).toMatch(
            /^nothing to change; \d+ notices, see the log; not read: getCampaignStats$/
          )
          world.faults([])
          yield* world.advance("3 hours")
          expect(
            (yield* turns.status({ account: Scenario.account, lane: "ads" })).last?.end.said
          ).not.toContain("not read")
        })
      )
    ))

  it("takes a turn once more whose statistics could not be read, soon, and not for ever", () =>
    Scenario.run({ rules: [spending("spent", '{at: "09:00", tz: UTC}')] }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          let cycles = 0
          const { turns } = yield* scheduler(world, RuleSource.fixed(world.rules), (call) => {
            cycles += 1
            return world.cycle(call)
          })
          world.faults([{ kind: "errorBefore", operation: "getCampaignStats", status: 503 }])
          for (let hour = 0; hour < 24 && cycles === 0; hour++) yield* world.advance("1 hour")
          yield* world.advance("1 hour")
          expect(cycles).toBe(3)
          expect(yield* turns.status({ account: Scenario.account, lane: "ads" })).toMatchObject({
            state: "idle",
            last: {
              end: {
                outcome: "ran",
                said: expect.stringMatching(/^nothing to change;.* not read: getCampaignStats$/)
              }
            }
          })
          yield* world.advance("22 hours")
          for (let minute = 0; minute < 240 && cycles === 3; minute++) yield* world.advance("1 minute")
          expect(world.ledger()).toEqual([])
          world.faults([])
          yield* world.advance("1 hour")
          expect(world.ledger()).not.toEqual([])
        })
      )
    ))

  it("takes no turn once more for what a token of its kind is not served, and does not tell it each time", () =>
    Scenario.run(
      {
        token: { kind: "base" },
        scale: { campaigns: 5, items: 1, clusters: 2 },
        rules: [
          {
            path: "rules/click.yaml",
            text: `version: 1
name: click
mode: apply
schedule: {at: "09:00", tz: UTC}
each: campaign_item
where: campaign.payment = cpc
when: bid > 1 ₽
do:
  raise_bid: {by: 10%, cap: 40 ₽}
cooldown: 6h
`
          }
        ]
      },
      (world) =>
        Effect.scoped(
          Effect.gen(function* () {
            let cycles = 0
            const { turns } = yield* scheduler(world, RuleSource.fixed(world.rules), (call) => {
              cycles += 1
              return world.cycle(call)
            })
            for (let hour = 0; hour < 24 && cycles === 0; hour++) yield* world.advance("1 hour")
            yield* world.advance("1 hour")
            expect(cycles).toBe(1)
            const { last } = yield* turns.status({ account: Scenario.account, lane: "ads" })
            expect(last?.end.said).toBe("nothing to change")
            expect(world.requests("getPromotionConfig")).toBe(0)
          })
        )
    ))

  it("waits out a marketplace that is down", () =>
    Scenario.run({ rules: [raise("a", "{every: 12h}")] }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { turns } = yield* scheduler(world, RuleSource.fixed(world.rules))
          world.faults([{ kind: "errorBefore", operation: "listCampaignIds", status: 503 }])
          yield* world.advance("8 hours")
          expect((yield* turns.status({ account: Scenario.account, lane: "ads" })).state).not.toBe("idle")
          expect(world.ledger()).toEqual([])
          world.faults([])
          yield* world.advance("1 hour")
          expect(hours(world).length).toBe(1)
          expect((yield* turns.status({ account: Scenario.account, lane: "ads" })).last?.end.outcome).toBe(
            "ran"
          )
        })
      )
    ))

  it("waits five minutes and longer when the list of campaigns is answered with 429, and calls it a limit", () =>
    Scenario.run({ rules: [raise("a", "{every: 12h}")] }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const ends: Array<readonly [string, number]> = []
          const { turns } = yield* scheduler(world, RuleSource.fixed(world.rules), (call) =>
            Effect.tap(world.cycle(call), ({ _tag }) =>
              Effect.map(Clock.currentTimeMillis, (nowMs) => ends.push([_tag, nowMs]))
            )
          )
          world.faults([{ kind: "throttle", operation: "listCampaignIds", retrySeconds: 5 }])
          for (let hour = 0; hour < 24 && ends.length === 0; hour++) yield* world.advance("1 hour")
          yield* world.advance("1 hour")
          expect(new Set(ends.map(([tag]) => tag))).toEqual(new Set(["Limited"]))
          const waits = ends.slice(1).map(([, at], n) => at - (ends[n]?.[1] ?? at))
          expect(Math.min(...waits)).toBeGreaterThanOrEqual(300_000)
          const status = yield* turns.status({ account: Scenario.account, lane: "ads" })
          expect(status).toMatchObject({ state: "waiting", stoppedBy: "Limited" })
          expect(world.ledger()).toEqual([])
          world.faults([])
          yield* world.advance("2 hours")
          expect(hours(world).length).toBe(1)
        })
      )
    ))

  it("keeps the rules it began with when the files change meanwhile, and keeps old ones for bad files", () =>
    Scenario.run({ rules: [raise("a", "{every: 3h}")] }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          let read: Either.Either<typeof world.rules, string> = Either.right(world.rules)
          const source = yield* RuleSource.keeping(
            world.rules,
            Effect.sync(() => read)
          )
          const { supervisor, turns } = yield* scheduler(world, source)
          const changed = Scenario.check([raise("a", "{every: 3h}", "apply", "10%")])
          yield* world.advance(10_801_000)
          expect((yield* turns.status({ account: Scenario.account, lane: "ads" })).state).toBe("running")
          read = Either.right(changed)
          yield* world.advance("30 minutes")
          const first = world.ledger()
          for (const { after, before } of first) expect(Number(after) / Number(before)).toBeLessThan(1.05)
          read = Either.left("rules/a.yaml:3 Unknown key")
          yield* world.advance("3 hours")
          const second = world.ledger().slice(first.length)
          expect(second.length).toBe(first.length)
          for (const { after, before } of second) expect(Number(after) / Number(before)).toBeGreaterThan(1.05)
          expect((yield* supervisor.status.current).rulesProblem).toBe("rules/a.yaml:3 Unknown key")
        })
      )
    ))

  it("ends before its next request when the program stops, and sends the rest with the next start", () =>
    Scenario.run(
      { rules: [raise("a", "{every: 3h}")], scale: { campaigns: 60, items: 4, clusters: 3 } },
      (world) =>
        Effect.gen(function* () {
          const stopped = yield* Effect.scoped(
            Effect.gen(function* () {
              const { supervisor, turns } = yield* scheduler(world, RuleSource.fixed(world.rules))
              while (world.ledger().length === 0) yield* world.advance("1 second")
              yield* supervisor.stop
              const begun = world.requests("setItemBids")
              expect(begun).toBeGreaterThan(0)
              yield* turns.drain({ account: Scenario.account, lane: "ads" })
              expect(world.requests("setItemBids") - begun).toBeLessThanOrEqual(1)
              return world.ledger().length
            })
          )
          expect(yield* Effect.map(world.journal.open(Scenario.account), (open) => open.length)).toBe(0)
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* scheduler(world, RuleSource.fixed(world.rules))
              yield* world.advance("20 minutes")
            })
          )
          const slots = world.ledger().map(({ slot, target }) => JSON.stringify([slot, target]))
          expect(slots.length).toBeGreaterThan(stopped)
          expect(new Set(slots).size).toBe(slots.length)
        })
    ))

  it("plans again after a lock that was lost before anything was sent, and does not count that turn as done", () =>
    Scenario.run({ rules: [raise("a", "{every: 3h}")] }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          let slow = 1
          // The machine is so busy that the lock is over before its holder hears of it.
          const journal: typeof world.journal = {
            ...world.journal,
            acquire: (...asked) =>
              world.journal.acquire(...asked).pipe(Effect.delay(slow-- > 0 ? "1 minute" : "0 seconds"))
          }
          const ends: Array<CycleResult> = []
          const { turns } = yield* scheduler(world, RuleSource.fixed(world.rules), (call) =>
            Effect.tap(world.cycle(call, journal), (end) => Effect.sync(() => ends.push(end)))
          )
          while (ends.length === 0) yield* world.advance("1 second")
          expect(world.ledger()).toEqual([])
          expect(ends).toEqual([
            { _tag: "LockLost", why: expect.stringMatching(/^nothing was sent; the apply lock was lost/) }
          ])
          yield* world.advance("1 second")
          expect((yield* turns.status({ account: Scenario.account, lane: "ads" })).state).toBe("waiting")
          yield* world.advance("20 minutes")
          expect(ends[1]).toMatchObject({
            _tag: "Done",
            said: expect.stringMatching(/^applied \(\d+ applied\)$/)
          })
          expect(hours(world)).toEqual(["09-01T09"])
          expect((yield* turns.status({ account: Scenario.account, lane: "ads" })).last?.end.outcome).toBe(
            "ran"
          )
        })
      )
    ))

  it("lets other accounts plan while it reads back what a dead process has sent", () =>
    Scenario.run({ rules: [raise("a", "{every: 3h}")] }, (world) =>
      Effect.gen(function* () {
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* scheduler(world, RuleSource.fixed(world.rules))
            while (world.ledger().length === 0) yield* world.advance("1 second")
          })
        )
        expect((yield* world.journal.open(Scenario.account)).length).toBeGreaterThan(0)
        const seen: Array<string> = []
        const say = (what: string) => Effect.sync(() => void seen.push(what))
        const noted = (call: PolicyJobs.PolicyCall): PolicyJobs.PolicyCall => ({
          ...call,
          doing: say,
          away: (waiting) =>
            Effect.zipRight(
              say("gives its place on"),
              (call.away?.(waiting) ?? waiting).pipe(Effect.zipLeft(say("has a place again")))
            )
        })
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* scheduler(world, RuleSource.fixed(world.rules), (call) => world.cycle(noted(call)))
            yield* world.advance("20 minutes")
          })
        )
        expect([...new Set(seen)].slice(0, 4)).toEqual([
          "reading back",
          "gives its place on",
          "has a place again",
          "planning"
        ])
        expect(yield* world.journal.open(Scenario.account)).toEqual([])
      })
    ))

  it("says what it is at: planning, sending, reading back", () =>
    Scenario.run({ rules: [raise("a", "{every: 3h}")] }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const seen: Array<string> = []
          const { status } = yield* watched(world, ({ doing, state }) => seen.push(`${state}: ${doing}`))
          yield* world.advance("200 minutes")
          const { doing, state } = yield* status
          expect([state, doing]).toEqual(["idle", undefined])
          expect([...new Set(seen)]).toEqual([
            "running: planning",
            "running: sending",
            "running: reading back"
          ])
        })
      )
    ))

  it("tells of a refused token while it tries in vain, and not while it sends again", () =>
    Scenario.run({ rules: [raise("a", "{every: 12h}")] }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const seen: Array<string> = []
          const { wake } = yield* watched(world, ({ doing, stoppedBy }) =>
            seen.push(`${doing}, ${stoppedBy ?? "well"}`)
          )
          world.faults([{ kind: "refuse", operation: "listCampaignIds", status: 401 }])
          yield* world.advance("7 hours")
          expect(seen.length).toBeGreaterThan(2)
          expect(new Set(seen.slice(1))).toEqual(new Set(["planning, Refused"]))
          world.faults([])
          seen.length = 0
          yield* wake
          yield* world.advance("20 minutes")
          expect([...new Set(seen)]).toEqual(["planning, Refused", "sending, well", "reading back, well"])
          expect(world.ledger()).not.toEqual([])
        })
      )
    ))

  it("tells of another run that has the lock until something was sent", () =>
    Scenario.run({ rules: [raise("a", "{every: 3h}")] }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const seen: Array<AccountTurn.TurnStatus["stoppedBy"]> = []
          let cycles = 0
          yield* watched(
            world,
            ({ stoppedBy }) => seen.push(stoppedBy),
            (call) =>
              Effect.gen(function* () {
                cycles += 1
                if (cycles === 1) return { _tag: "Busy", why: "another run has it" }
                for (const what of ["planning", "sending", "sending"] as const)
                  yield* call.doing?.(what) ?? Effect.void
                return { _tag: "Done", planId: "p", runId: undefined, said: "nothing to change" }
              })
          )
          yield* world.advance("200 minutes")
          expect(seen.slice(0, 3)).toEqual(["Busy", "Busy", undefined])
        })
      )
    ))

  it("plans nothing when it is asked to stop before it begins", () =>
    Scenario.run({ rules: [raise("a", "{every: 3h}")] }, (world) =>
      Effect.gen(function* () {
        const stopping = yield* Deferred.make<void>()
        yield* Deferred.succeed(stopping, undefined)
        const loaded = yield* RuleSource.fixed(world.rules).current
        const result = yield* world.cycle({
          lane: "ads",
          account: Scenario.account,
          loaded,
          due: new Set(["a"]),
          stopping
        })
        expect(result).toEqual({ _tag: "Stopping" })
        expect(world.ledger()).toEqual([])
      })
    ))
})
