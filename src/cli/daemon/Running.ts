/**
 * The program that runs on: what is due of every account, one cycle of an account at a time, until a signal asks it to
 * end. It holds the lock beside the store, has the store open as the only one, and runs other commands for whoever
 * knocks at its socket.
 */
import { resolve } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import * as Lane from "../../domain/Lane.js"
import * as When from "../../domain/When.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as Asking from "../../engine/planning/Asking.js"
import * as LeftOpen from "../../engine/planning/LeftOpen.js"
import * as LimitsKept from "../../engine/planning/LimitsKept.js"
import * as PolicyJobs from "../../engine/planning/PolicyJobs.js"
import { RuleSource } from "../../engine/planning/RuleSource.js"
import * as AccountTurn from "../../engine/schedule/AccountTurn.js"
import * as Dispatch from "../../engine/schedule/Dispatch.js"
import { JobSource } from "../../engine/schedule/Job.js"
import type { Standing } from "../../engine/schedule/RunnerStatus.js"
import * as Supervisor from "../../engine/schedule/Supervisor.js"
import * as Ticker from "../../engine/schedule/Ticker.js"
import * as Report from "../../reporting/people/Approvals.js"
import * as StoreAway from "../../runtime/StoreAway.js"
import * as LimitsMemorySql from "../../store/accounts/LimitsMemorySql.js"
import * as GroupCommit from "../../store/clients/GroupCommit.js"
import * as ProcessLock from "../../store/clients/ProcessLock.js"
import * as ChangeLogSql from "../../store/journal/ChangeLogSql.js"
import * as DueTimesSql from "../../store/journal/DueTimesSql.js"
import * as ApprovalsSql from "../../store/people/ApprovalsSql.js"
import * as Retention from "../../store/retention/Retention.js"
import type { Keep } from "../../store/retention/RetentionDays.js"
import type * as Account from "../account/Account.js"
import * as AccountMarks from "../account/AccountMarks.js"
import * as Holder from "../account/Holder.js"
import * as StopFile from "../account/StopFile.js"
import type * as Config from "../config/Config.js"
import * as Secrets from "../config/Secrets.js"
import * as Workspace from "../config/Workspace.js"
import * as Planning from "../plan/Planning.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import * as RulesWatch from "../rules/RulesWatch.js"
import * as Store from "../store/Store.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as ConfigChange from "./ConfigChange.js"
import * as ControlServer from "./ControlServer.js"
import * as DaemonFigures from "./DaemonFigures.js"
import * as DaemonLog from "./DaemonLog.js"
import * as Exposition from "./Exposition.js"
import * as Fleet from "./Fleet.js"
import * as Health from "./Health.js"
import * as RunFolder from "./RunFolder.js"
import * as Runner from "./Runner.js"
import * as RunReport from "./RunReport.js"

interface Flags {
  readonly json: boolean
  readonly config: string
  readonly account: Option.Option<string>
  readonly maxWait: Option.Option<string>
  readonly rules: Option.Option<string>
  readonly once: boolean
}

/** Runs until a signal, or until what is due now is done. */
export const run = (flags: Flags) =>
  Effect.scoped(
    Effect.gen(function* () {
      const config = yield* Workspace.config(flags.config)
      const fleet = yield* Fleet.choose(config, flags)
      if (config.store._tag === "Postgres" && fleet.length < config.accounts.length && !flags.once) {
        return yield* stop(
          1,
          "every runner of a PostgreSQL store works for all accounts of the configuration; leave --account away"
        )
      }
      yield* alone(config)
      yield* Output.leaveAlone
      const asked = yield* first
      const unlessAsked = before(asked)
      const clock = yield* unlessAsked(Fleet.clock(fleet))
      const source = yield* unlessAsked(
        RulesWatch.open(flags.rules._tag === "Some" ? flags.rules.value : config.rulesFolder)
      )
      const opened = yield* unlessAsked(open(config))
      yield* limited(fleet, (yield* source.current).rules).pipe(
        Effect.provide(LimitsMemorySql.layer),
        Effect.provide(opened),
        Effect.withClock(clock)
      )
      const work = Effect.gen(function* () {
        const cycle = yield* unlessAsked(Fleet.open(config, fleet))
        const credential = yield* Fleet.credential(fleet)
        const jobs = yield* PolicyJobs.source(
          (call) => RunReport.told(call, cycle(call), flags.json),
          yield* settling(fleet)
        )
        const working = Effect.gen(function* () {
          const turns = yield* AccountTurn.make({
            credential,
            ...(flags.once ? { retries: 0 } : {}),
            ...(config.runner?.plansAtOnce === undefined ? {} : { concurrency: config.runner.plansAtOnce })
          })
          const accounts = fleet.map(({ name }) => name as string)
          if (flags.once) return yield* once({ accounts, config, turns, asked })
          return yield* forever({ accounts, clock, config, flags, turns, asked })
        })
        return yield* Effect.provideService(working, JobSource, jobs)
      })
      return yield* work.pipe(
        Effect.provideService(RuleSource, source),
        Effect.provide(opened),
        Effect.provideService(GroupCommit.Patience, GroupCommit.oneTurn),
        Effect.withClock(clock),
        yield* exporting(config),
        DaemonLog.writing(DaemonLog.optionsOf(config.runner), Output.logLine)
      )
    })
  ).pipe(
    Effect.catchTag("AskedToEnd", () => Output.note("bidhelm run: asked to end before it had begun anything"))
  )

/** Nothing of OpenTelemetry is loaded unless the configuration asks for it. */
const exporting = ({ telemetry }: Config.Config) =>
  Effect.gen(function* () {
    if (telemetry === undefined) return <A, E, R>(effect: Effect.Effect<A, E, R>) => effect
    const Telemetry = yield* Effect.promise(() => import("./Telemetry.js"))
    return Telemetry.exported(yield* Telemetry.optionsOf(telemetry, process.env))
  })

/** The operating system lets nobody else have the lock, and takes it from a dead process by itself. */
const alone = (config: Config.Config) =>
  ProcessLock.hold(RunFolder.lock(config), Holder.name()).pipe(
    Effect.catchTag("Locked", ({ holder }) =>
      stop(
        1,
        `bidhelm run works here already (${holder}); see bidhelm status. To end it, send that process the signal TERM`
      )
    )
  )

/** The store, open and migrated, for everything in this process. */
const open = (config: Config.Config) =>
  Effect.gen(function* () {
    const database = yield* Layer.build(
      Layer.provideMerge(Store.migrated(config.store), Store.client(config.store))
    )
    const sql = Context.get(database, SqlClient.SqlClient)
    const dues = yield* Layer.build(DueTimesSql.layer).pipe(Effect.provide(database))
    const opened = Context.make(Store.Opened, { store: config.store, sql })
    return Context.mergeAll(database, dues, opened)
  })

/** Rules that are without limits from the start say it; where an account had some, they end the program with 3. */
const limited = (fleet: ReadonlyArray<Account.Chosen>, rules: RuleSet) =>
  Effect.gen(function* () {
    for (const { name } of fleet) {
      // Not with the first cycle only: hours may pass until something is due.
      const gone = yield* LimitsKept.check(name, rules)
      if (gone !== undefined) return yield* stop(3, `${name}: ${gone}. Nothing was begun`)
    }
    yield* RuleFiles.tellLimits(rules)
  })

/**
 * Ends requests that no policy of the configured rules stands behind any more: nothing of them may ever be due. Answers the accounts whose
 * supplies none stands behind. Rules of another folder end and leave none. A store that fails is told by the looks for what is due.
 */
const settling = (fleet: ReadonlyArray<Account.Chosen>) =>
  Effect.map(
    Layer.build(Layer.mergeAll(ApprovalsSql.layer, ChangeLogSql.layer, DueTimesSql.layer)),
    (opened) => (rules: RuleSet) =>
      Effect.filter(
        fleet.filter(Planning.isOwn).map(({ name }) => name),
        (name) =>
          Effect.gen(function* () {
            const ended = yield* Asking.endOrphans(name, rules)
            if (ended > 0) yield* Effect.logInfo(`${name}: ${Report.orphaned(ended)}`)
            return rules.fulfilment.length === 0 && (yield* LeftOpen.mayBe(name))
          })
      ).pipe(
        Effect.provide(opened),
        Effect.map((names): ReadonlySet<string> => new Set(names)),
        Effect.orElseSucceed(() => undefined)
      )
  )

const once = ({ accounts, asked, config, turns }: Omit<Work, "clock" | "flags">) =>
  Effect.gen(function* () {
    const supervisor = yield* Supervisor.make({ accounts, spreadMs: 0 }).pipe(
      Effect.provideService(Dispatch.Dispatch, Dispatch.direct(turns)),
      Effect.provide(Ticker.layerVirtual)
    )
    const worked = yield* Effect.raceFirst(supervisor.once, Effect.as(asked, undefined))
    if (worked === 0) yield* Output.note(idle(yield* supervisor.status.current, config.timeZone))
    if (worked === undefined) yield* drain(accounts, turns)
    else yield* Effect.raceFirst(forgetWhenDue(config.keep), asked)
    const stands = yield* Effect.forEach(lanesOf(accounts), turns.status)
    const stopped = stands.flatMap(({ stoppedWhy }) => (stoppedWhy === undefined ? [] : [stoppedWhy]))
    if (stopped.length > 0) return yield* stop(1, stopped.join("\n"))
  })

/** Why `--once` has done nothing: a policy counts its turns from when it is first seen. */
const idle = ({ accounts }: Standing, zone: string): string => {
  const next = accounts.flatMap(({ nextDueAt }) => nextDueAt ?? [])
  return next.length === 0
    ? "bidhelm run: no policy has a schedule, so nothing is ever due"
    : `bidhelm run: nothing is due; the next turn is ${When.text(Math.min(...next), zone)}`
}

/** By their whole paths, which people are shown. */
const rulesOf = ({ rulesFolder }: Config.Config, { rules }: Flags) => ({
  rulesFolder: resolve(rulesFolder),
  ...(rules._tag === "Some" ? { rulesOfRun: resolve(rules.value) } : {})
})

interface Work {
  readonly accounts: ReadonlyArray<string>
  readonly clock: Clock.Clock
  readonly config: Config.Config
  readonly flags: Flags
  readonly turns: AccountTurn.Turns
  readonly asked: Effect.Effect<void>
}

const forever = ({ accounts, asked, clock, config, flags, turns }: Work) =>
  Effect.gen(function* () {
    const { dispatch, has, standing, ticker, wake } = yield* before(asked)(
      Runner.join({ config, turns, clock })
    )
    const supervisor = yield* Supervisor.make({ accounts }).pipe(
      Effect.provideService(Dispatch.Dispatch, dispatch),
      Effect.provide(ticker)
    )
    const configPath = resolve(flags.config)
    const changed = ConfigChange.since(flags.config, config)
    const { current } = supervisor.status
    const sql = yield* SqlClient.SqlClient
    const { current: rules } = yield* RuleSource
    const store = yield* FiberRef.get(StoreAway.current)
    const commands = yield* RunReport.commands(supervisor.wake, wake, accounts)
    const door = yield* ControlServer.serve(RunFolder.socket(config), {
      status: Effect.withClock(
        RunReport.status({
          config: flags.config,
          zone: config.timeZone,
          current,
          standing,
          marks: AccountMarks.read(sql),
          changed,
          storeAway: () => store?.outage?.why,
          killSwitchIn: StopFile.inLimits(rulesOf(config, flags))
        }),
        clock
      ),
      command: (words, sink) =>
        Effect.provideService(commands(words, sink), LimitsKept.Working, {
          rules: Effect.map(rules, (loaded) => loaded.rules)
        }),
      isStopping: Effect.map(current, ({ isDraining }) => isDraining),
      config: configPath,
      changed
    })
    const { http, httpKey, httpNames: names } = config.runner ?? {}
    const refresh = yield* DaemonFigures.refreshing({
      sql,
      accounts,
      turns,
      has,
      current,
      clock
    })
    if (http !== undefined) {
      const figures = Effect.zipRight(refresh, Exposition.current)
      const key = httpKey === undefined ? undefined : yield* Secrets.readHealthKey(httpKey, process.env)
      yield* Health.serve(http, { standing: current, figures, clock }, { key, names })
    }
    if (config.telemetry !== undefined) {
      yield* refresh.pipe(
        Effect.repeat(Schedule.spaced("10 seconds")),
        Effect.withClock(Clock.make()),
        Effect.forkScoped
      )
    }
    yield* Effect.logInfo(RunReport.greeting(accounts, process.pid))
    yield* forgetDaily(config.keep)
    yield* Effect.raceFirst(supervisor.run, asked)
    yield* Effect.logInfo("bidhelm run: stopping; a cycle that runs may send no further request")
    yield* supervisor.stop
    yield* drain(accounts, turns, door)
  })

const lanesOf = (accounts: ReadonlyArray<string>): ReadonlyArray<Lane.AccountLane> =>
  accounts.flatMap((account) => Lane.lanes.map((lane) => ({ account, lane })))

/** Longest that a cycle or a command is waited for before it is interrupted, milliseconds; the rest of 30 s is for closing down. */
const patienceMs = 23_000

/** By the machine's time, whatever the accounts live by. */
const drain = (accounts: ReadonlyArray<string>, turns: AccountTurn.Turns, door?: ControlServer.Door) =>
  Effect.gen(function* () {
    const cycles = Effect.forEach(lanesOf(accounts), turns.drain, { concurrency: "unbounded", discard: true })
    const works = yield* Effect.forEach(
      [["a cycle", cycles] as const, ["a command", door?.drain ?? Effect.void] as const],
      ([what, end]) =>
        Effect.map(Effect.fork(Effect.interruptible(end)), (fiber) => ({
          what,
          isOver: () => fiber.unsafePoll() !== null
        }))
    )
    for (let waited = 0; waited < patienceMs; waited += 50) {
      if (works.every(({ isOver }) => isOver())) return
      yield* Effect.promise(() => new Promise((wake) => setTimeout(wake, 50)))
    }
    for (const { what } of works.filter(({ isOver }) => !isOver())) {
      yield* Effect.logWarning(
        `bidhelm run: interrupted ${what}; its open changes are read back at the next start`
      )
    }
  })

// How a program that runs on is asked to end: the first signal asks, the second ends it at once, and so does the time.

/** The machine's milliseconds from the first signal to the end, however much is still open: a little less than is promised. */
const endMs = 28_000

/** SIGHUP comes when the terminal is closed. Node takes it back to its default where `nohup` had it ignored. */
const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/**
 * Done at the first signal, for the scope. The program's own answer to signals, which is to interrupt what runs, is put
 * aside meanwhile: always one after the other, as a signal that nobody hears for a moment is lost.
 */
const first = Effect.gen(function* () {
  const asked = yield* Deferred.make<void>()
  let count = 0
  const onSignal = (name: NodeJS.Signals) => {
    // The shell and the terminal send it both, and systemd may send it right after SIGTERM.
    if (name !== "SIGHUP") count++
    if (count > 1) process.exit(130)
    // What hangs while the program closes down must not keep it.
    setTimeout(() => process.exit(0), endMs).unref()
    Deferred.unsafeDone(asked, Effect.void)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const before = names.map((name) => [name, process.listeners(name)] as const)
      for (const [name, listeners] of before) {
        process.on(name, onSignal)
        for (const listener of listeners) process.off(name, listener)
      }
      return before
    }),
    (before) =>
      Effect.sync(() => {
        for (const [name, listeners] of before) {
          for (const listener of listeners) process.on(name, listener)
          process.off(name, onSignal)
        }
      })
  )
  return Deferred.await(asked)
})

/** The program was asked to end before it had begun anything. */
class AskedToEnd extends Data.TaggedError("AskedToEnd") {}

/** Opening a connection may go on for long after nobody wants it any more; then the process ends without it. */
const closingMs = 2000

/** Runs a part of the start-up; it is given up at once when `asked` is done, whatever it waits for. */
const before =
  (asked: Effect.Effect<void>) =>
  <A, E, R>(startUp: Effect.Effect<A, E, R>): Effect.Effect<A, E | AskedToEnd, R> =>
    Effect.raceFirst(
      Effect.disconnect(startUp),
      Effect.zipRight(
        asked,
        Effect.suspend(() => {
          setTimeout(() => process.exit(0), closingMs).unref()
          return Effect.fail(new AskedToEnd())
        })
      )
    )

// `bidhelm run` forgets what is old by itself, once a day, by the accounts' clock.

/** Several runners of one store begin at different times; the first due policies go before. */
const firstMs = { least: 600_000, most: 3_600_000 }

/** Forgets now, and says how much; a failure is told, and tomorrow is another day. */
const forget = (keep: Keep | undefined): Effect.Effect<void, never, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const counts = yield* Retention.purge(yield* Retention.believedNow(yield* Clock.currentTimeMillis), keep)
    const told = Object.entries(counts).flatMap(([what, n]) => (n > 0 ? [`${what} ${n}`] : []))
    if (told.length > 0) yield* Effect.logInfo(`the store has forgotten what was old: ${told.join(", ")}`)
  }).pipe(
    Effect.catchAllCause((cause) =>
      Effect.logWarning("the store could not forget what is old; it tries again tomorrow", cause)
    )
  )

/** For a program that is started again and again: forgets when nobody did for a day. */
export const forgetWhenDue = (keep: Keep | undefined): Effect.Effect<void, never, SqlClient.SqlClient> =>
  Clock.currentTimeMillis.pipe(
    Effect.flatMap(Retention.isPurgeDue),
    Effect.catchAllCause((cause) =>
      Effect.as(Effect.logWarning("the store does not say when it last forgot what is old", cause), false)
    ),
    Effect.flatMap((isDue) => (isDue ? forget(keep) : Effect.void))
  )

/** Goes on for the scope. */
const forgetDaily = (keep: Keep | undefined) =>
  Effect.gen(function* () {
    yield* Effect.sleep(yield* Random.nextIntBetween(firstMs.least, firstMs.most))
    yield* Effect.repeat(forget(keep), Schedule.spaced("1 day"))
  }).pipe(Effect.forkScoped)
