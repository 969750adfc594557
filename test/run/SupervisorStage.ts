/** A supervisor in virtual time on a real store, with cycles that only note that they ran. */
import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import { StoreFailure } from "../../src/domain/StoreFailure.js"
import type { RuleSet } from "../../src/engine/language/Policy.js"
import * as PolicyJobs from "../../src/engine/planning/PolicyJobs.js"
import { type Loaded, RuleSource } from "../../src/engine/planning/RuleSource.js"
import * as AccountTurn from "../../src/engine/schedule/AccountTurn.js"
import * as Dispatch from "../../src/engine/schedule/Dispatch.js"
import { DueTimes } from "../../src/engine/schedule/DueTimes.js"
import { type CycleResult, JobSource, together } from "../../src/engine/schedule/Job.js"
import * as Supervisor from "../../src/engine/schedule/Supervisor.js"
import { layerVirtual, Ticker } from "../../src/engine/schedule/Ticker.js"

import * as DueTimesSql from "../../src/store/journal/DueTimesSql.js"
import * as Scenario from "../scenario/Scenario.js"
import * as VirtualClock from "../scenario/VirtualClock.js"
import * as Fixture from "../store/Fixture.js"

export interface Ran {
  readonly account: string
  /** What the wall clock showed, and the time that really passed, both epoch milliseconds. */
  readonly at: number
  readonly really: number
  readonly policies: ReadonlyArray<string>
  readonly version: string
}

export interface Stage {
  readonly ran: ReadonlyArray<Ran>
  /** Wall clock as `09-01T06:00` in UTC, policies behind. */
  readonly told: () => ReadonlyArray<string>
  /** Starts a supervisor, as a process does; the effect it answers ends the process. */
  readonly start: (options?: StartOptions) => Effect.Effect<Process>
  readonly reload: (rules: RuleSet | { readonly problem: string }) => void
  /** From now on nobody learns what the rules are. */
  readonly hang: () => void
  /** Sets the wall clock forward or back. */
  readonly setClock: (byMs: number) => void
  /** How long cycles take, how much of it until the plan is made (all of it when absent), and how they end. */
  readonly cycles: {
    takeMs: number
    planMs?: number
    result: (call: PolicyJobs.PolicyCall) => CycleResult
  }
  /** Accounts of which the store cannot be asked when they were due last; `*` when it cannot be asked at all. */
  readonly unreadable: Set<string>
  /** Accounts of which the store does not take how a due time ended. */
  readonly unwritable: Set<string>
  readonly dues: Context.Tag.Service<DueTimes>
  readonly advance: (duration: string) => Effect.Effect<void>
}

/** `isOnce`: a process that looks at nothing by itself; wait for `supervisor.once`. */
type StartOptions = Partial<Supervisor.SupervisorOptions> &
  Pick<AccountTurn.TurnOptions, "retries" | "concurrency" | "credential"> & {
    readonly isOnce?: boolean
    /** Jobs beside those of the policies. */
    readonly others?: typeof JobSource.Service
    /** Wakes the supervisor; by the timetable when absent. */
    readonly ticker?: typeof Ticker.Service
    /** Instead of running due times in this process. */
    readonly submit?: (typeof Dispatch.Dispatch.Service)["submit"]
  }

export interface Process {
  readonly supervisor: Supervisor.Supervisor
  readonly turns: AccountTurn.Turns
  readonly kill: Effect.Effect<void>
  /** What runs is interrupted as by `kill`, in a process that lives: its accounts go to another runner. */
  readonly leave: Effect.Effect<void>
}

export const done: CycleResult = { _tag: "Done", planId: "plan", runId: "run", said: "nothing to change" }

/** Rules of these schedules, by policy; a mode may stand before: `disabled {every: 1h}`. */
export const rules = (schedules: Readonly<Record<string, string>>): RuleSet =>
  Scenario.check(
    Object.entries(schedules).map(([name, text]) => {
      const [, mode, schedule] = /^(?:(\w+) )?(\{.*\})$/.exec(text) ?? []
      return {
        path: `rules/${name}.yaml`,
        text: `version: 1\nname: ${name}\nmode: ${mode ?? "apply"}\nschedule: ${schedule}\neach: campaign\nwhere: campaign.name matches "${name}*"\nwhen: campaign.status = active\ndo: pause\n`
      }
    })
  )

/** Tells a story that begins at `start`. */
export const run = <A>(start: string, first: RuleSet, story: (stage: Stage) => Effect.Effect<A, unknown>) => {
  const time = VirtualClock.make(Date.parse(start))
  let skewMs = 0
  const wall = () => time.now() + skewMs
  const clock: Clock.Clock = {
    ...time.clock,
    unsafeCurrentTimeMillis: wall,
    currentTimeMillis: Effect.sync(wall)
  }
  const ran: Array<Ran> = []
  const files = Ref.unsafeMake<Loaded>({ rules: first, version: "v1", problem: undefined })
  let reloads = 1
  const cycles: Stage["cycles"] = { takeMs: 1000, result: () => done }
  const cycle = (call: PolicyJobs.PolicyCall) =>
    Effect.gen(function* () {
      const { account, due, loaded } = call
      ran.push({
        account,
        at: wall(),
        really: time.now(),
        policies: [...due].sort(),
        version: loaded.version
      })
      if (call.doing !== undefined) yield* call.doing("planning")
      const { planMs = cycles.takeMs, takeMs } = cycles
      yield* Effect.sleep(planMs)
      if (planMs < takeMs && call.planned !== undefined) yield* call.planned
      yield* Effect.sleep(takeMs - planMs)
      return cycles.result(call)
    })
  const store = DueTimesSql.layer.pipe(Layer.provideMerge(Fixture.store({ filename: ":memory:" })))
  return Effect.runPromise(
    time.run(
      Effect.scoped(
        Effect.gen(function* () {
          const stored = yield* DueTimes
          const unreadable = new Set<string>()
          const unwritable = new Set<string>()
          const unread = Effect.fail(
            new StoreFailure({ action: "could not look", hint: "try again", cause: undefined })
          )
          const dues: typeof stored = {
            ...stored,
            allOpen: Effect.suspend(() => (unreadable.has("*") ? unread : stored.allOpen)),
            last: (where, nowMs) => (unreadable.has(where.account) ? unread : stored.last(where, nowMs)),
            finish: (where, ...end) =>
              unwritable.has(where.account)
                ? Effect.fail(
                    new StoreFailure({ action: "could not write", hint: "free space", cause: undefined })
                  )
                : stored.finish(where, ...end)
          }
          let hangs = false
          const source: typeof RuleSource.Service = {
            current: Effect.suspend(() => (hangs ? Effect.never : Ref.get(files)))
          }
          const start = ({
            concurrency,
            credential,
            isOnce,
            others,
            retries,
            submit,
            ticker,
            ...options
          }: StartOptions = {}) =>
            Effect.gen(function* () {
              const scope = yield* Scope.make()
              const close = Effect.flatMap(Effect.exit(Effect.void), (end) => Scope.close(scope, end))
              let isDead = false
              // A dead process writes nothing more.
              const own: typeof dues = {
                ...dues,
                planning: (...call) => (isDead ? Effect.void : dues.planning(...call))
              }
              const policies = yield* PolicyJobs.source(cycle)
              const jobs = others === undefined ? policies : together([policies, others])
              const turns = yield* AccountTurn.make({
                ...(retries === undefined ? {} : { retries }),
                ...(concurrency === undefined ? {} : { concurrency }),
                ...(credential === undefined ? {} : { credential })
              }).pipe(Effect.provideService(DueTimes, own), Effect.provideService(JobSource, jobs))
              const supervisor = yield* Supervisor.make({ accounts: ["shop"], spreadMs: 0, ...options }).pipe(
                Effect.provideService(
                  Dispatch.Dispatch,
                  submit === undefined ? Dispatch.direct(turns) : { submit }
                ),
                Effect.provideService(JobSource, jobs),
                Effect.provide(ticker === undefined ? layerVirtual : Layer.succeed(Ticker, ticker)),
                Scope.extend(scope)
              )
              if (isOnce !== true) yield* Effect.forkIn(supervisor.run, scope)
              yield* Effect.sleep(1)
              const kill = Effect.suspend(() => {
                isDead = true
                return close
              })
              return { supervisor, turns, kill, leave: close }
            }).pipe(Effect.provideService(DueTimes, dues), Effect.provideService(RuleSource, source))
          return yield* story({
            ran,
            told: () =>
              ran.map(
                ({ at, policies }) => `${new Date(at).toISOString().slice(5, 16)} ${policies.join(" ")}`
              ),
            start,
            reload: (next) => {
              const current = Effect.runSync(Ref.get(files))
              const changed: Loaded =
                "problem" in next
                  ? { ...current, problem: next.problem }
                  : { rules: next, version: `v${++reloads}`, problem: undefined }
              Effect.runSync(Ref.set(files, changed))
            },
            hang: () => {
              hangs = true
            },
            setClock: (byMs) => {
              skewMs += byMs
            },
            cycles,
            unreadable,
            unwritable,
            dues,
            advance: (duration) => Effect.sleep(duration as "1 hour")
          })
        }).pipe(Effect.provide(store), Effect.withClock(clock))
      )
    )
  )
}
