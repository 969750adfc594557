/** The accounts that a running program works for, each with its token, client and rules' layers, on one clock. */

import { performance } from "node:perf_hooks"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Hash from "../../domain/Hash.js"
import { AccountName } from "../../domain/Ids.js"
import * as ScaledClock from "../../domain/ScaledClock.js"
import type { Schedule } from "../../domain/Schedule.js"
import type { Policy } from "../../engine/language/Policy.js"
import * as AccountCycle from "../../engine/planning/AccountCycle.js"
import * as LimitsKept from "../../engine/planning/LimitsKept.js"
import type { PolicyCall } from "../../engine/planning/PolicyJobs.js"
import type { CycleResult } from "../../engine/schedule/Job.js"
import * as Timetable from "../../engine/schedule/Timetable.js"
import * as CreationReasons from "../../reporting/CreationReasons.js"
import * as HandOverWords from "../../reporting/fulfilment/HandOverWords.js"
import * as Reasons from "../../reporting/Reasons.js"
import { MaxWait } from "../../services/Limiter.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Account from "../account/Account.js"
import * as Holder from "../account/Holder.js"
import type * as Config from "../config/Config.js"
import * as Workspace from "../config/Workspace.js"
import * as Planning from "../plan/Planning.js"
import * as Duration from "../terminal/Duration.js"
import { stop } from "../terminal/Stop.js"
import * as CycleFigures from "./CycleFigures.js"

/** The accounts of the flags: the one named, or all. */
export const choose = (
  config: Config.Config,
  flags: Account.Flags & { readonly rules?: Option.Option<string> }
) =>
  Effect.gen(function* () {
    const maxWaitMs = yield* Workspace.maxWaitMs(config, flags.maxWait)
    const accounts = Option.isSome(flags.account)
      ? [yield* Workspace.account(config, flags.account)]
      : config.accounts
    const kinds = new Set(accounts.map(({ sandbox }) => sandbox))
    if (kinds.size > 1) {
      return yield* stop(
        1,
        "the configuration mixes accounts of a sandbox with others; their clocks differ: choose one with --account"
      )
    }
    const rulesOfRun = Option.getOrUndefined(flags.rules ?? Option.none())
    return accounts.map(
      (account): Account.Chosen => ({
        config,
        account,
        name: AccountName(account.name),
        maxWaitMs,
        ...(rulesOfRun === undefined ? {} : { rulesOfRun })
      })
    )
  })

/** The clock that all of them live by: the sandbox's for sandbox accounts, the machine's for every other. */
export const clock = ([first]: ReadonlyArray<Account.Chosen>): Effect.Effect<
  Clock.Clock,
  Effect.Effect.Error<ReturnType<typeof Account.during<Clock.Clock, never, never>>>
> => (first === undefined ? Effect.clock : Account.during(first, Effect.clock))

/**
 * Opens what the accounts of a configuration share, for the scope; answers how to run a cycle of one. What an account
 * needs for itself is made for each cycle and forgotten after it: nothing that was read in one cycle is believed in the
 * next, a new token is found, and a thousand accounts that wait for their turn need no memory.
 */
export const open = (config: Config.Config, fleet: ReadonlyArray<Account.Chosen>) =>
  Effect.gen(function* () {
    yield* tokens(config, fleet)
    const common = Layer.succeedContext(yield* Layer.build(Account.common(config)))
    const files = yield* FileSystem.FileSystem
    const accounts = new Map(fleet.map((chosen) => [chosen.name as string, chosen]))
    const speed = watchSpeed()
    return (call: PolicyCall): Effect.Effect<CycleResult> => {
      const chosen = accounts.get(call.account)
      if (chosen === undefined)
        return refused(`${call.account} is not among the accounts that this program was started for`)
      const schedules = call.loaded.rules.policies.filter(({ id }) => call.due.has(id))
      return speed(cycleOf(chosen, call), schedules).pipe(
        Effect.provide(Planning.layer(chosen, common)),
        Effect.provideService(FileSystem.FileSystem, files),
        Effect.catchAll((error) =>
          error._tag === "StoreFailure"
            ? Effect.succeed<CycleResult>({ _tag: "StoreFailed", why: error.message })
            : refused(error.message)
        )
      )
    }
  })

/**
 * A token that is missing or has expired is told at the start; the other accounts do not wait for it. One that only this
 * machine of several does not have ends it: the account would come here and stand still.
 */
const tokens = (config: Config.Config, fleet: ReadonlyArray<Account.Chosen>) =>
  Effect.gen(function* () {
    const found = yield* Effect.forEach(fleet, (chosen) => Effect.either(Account.token(chosen)))
    const problems = found.flatMap((one, i) =>
      Either.isLeft(one) ? [{ name: fleet[i]?.name, problem: one.left }] : []
    )
    const [first] = problems
    if (first === undefined) return
    const own = problems.find(({ problem }) => problem.reason !== "expired")
    if (own !== undefined && config.store._tag === "Postgres") return yield* own.problem
    if (problems.length === fleet.length) return yield* first.problem
    for (const { name, problem } of problems) yield* Effect.logWarning(`${name}: ${problem.message}`)
  })

/**
 * What an account shows the marketplace now, for `AccountTurn.TurnOptions`: not the token itself, or why it cannot be used.
 */
export const credential = (fleet: ReadonlyArray<Account.Chosen>) =>
  Effect.map(FileSystem.FileSystem, (files) => {
    const accounts = new Map(fleet.map((chosen) => [chosen.name as string, chosen]))
    return (account: string): Effect.Effect<string> => {
      const chosen = accounts.get(account)
      if (chosen === undefined) return Effect.succeed("")
      return Account.token(chosen).pipe(
        Effect.match({
          onFailure: ({ message }) => message,
          onSuccess: ({ value }) => Hash.of(Redacted.value(value))
        }),
        Effect.provideService(FileSystem.FileSystem, files)
      )
    }
  })

const refused = (why: string) => Effect.succeed<CycleResult>({ _tag: "Refused", why })

const cycleOf = (chosen: Account.Chosen, { away, doing, due, lane, loaded, planned, stopping }: PolicyCall) =>
  Effect.gen(function* () {
    // Another machine may have limits that this one's folder never had.
    const gone = yield* LimitsKept.check(chosen.name, loaded.rules)
    if (gone !== undefined) return yield* refused(`${gone}. Nothing was sent`)
    const { tokenKind } = yield* MarketplaceClient
    return yield* AccountCycle.run({
      tell: Reasons.stop,
      tellSettled: CreationReasons.settled,
      tellStop: HandOverWords.ofStop,
      account: chosen.name,
      lane,
      rules: loaded.rules,
      isElsewhere: !Planning.isOwn(chosen),
      due,
      options: Planning.scheduled(chosen, tokenKind),
      approvedBy: `schedule, rules ${loaded.version}`,
      currency: chosen.config.currency,
      apply: { holder: Holder.name(), abandoned: Holder.abandoned },
      stopping,
      ...(planned === undefined ? {} : { planned }),
      ...(away === undefined ? {} : { away }),
      ...(doing === undefined ? {} : { doing }),
      watching: CycleFigures.watching({ account: chosen.name, lane })
    })
  }).pipe(Effect.provideService(MaxWait, chosen.maxWaitMs))

// Whether this machine keeps the speed of a sandbox's clock. A cycle's own work takes the machine's time whatever
// the speed: at 600 times a second of it is ten minutes, and a turn every ten minutes is never over before the next
// one.

/** One cycle. `periodMs` and `tookMs` are of the account's clock, `workMs` of the machine's. */
export interface Lap {
  /** How long after it a policy of it is due again. */
  readonly periodMs: number
  readonly tookMs: number
  /** What this process worked meanwhile. */
  readonly workMs: number
}

/** The sandbox answers on the same machine and works about as much. */
const workers = 2

/** A program that has just been started works more than it will: so many cycles in a row must not have kept up. */
const inARow = 3

/**
 * The speed that the last cycles could have kept, a whole number or a tenth; undefined while they keep the one they
 * have. Only cycles count whose own work does not fit before the next due time, and whose waiting does: the marketplace's limits make a
 * cycle wait as long at any speed, and the other work of a long wait is not its own.
 */
export const couldKeep = (laps: ReadonlyArray<Lap>, speed: number): number | undefined => {
  const last = laps.slice(-inARow)
  if (last.length < inARow) return undefined
  const kept = last.map(({ periodMs, tookMs, workMs }) => {
    const waitedMs = tookMs - workers * workMs * speed
    const isLate = tookMs > periodMs && waitedMs < periodMs
    return isLate ? periodMs / (workers * workMs) : Number.POSITIVE_INFINITY
  })
  const most = Math.max(...kept)
  return most >= speed ? undefined : most >= 1 ? Math.floor(most) : Math.max(0.1, Math.floor(most * 10) / 10)
}

/** Milliseconds that this process has worked since it was started. */
const worked = (): number => performance.eventLoopUtilization().active

/** Wraps cycles; says once that the speed is not kept. Clocks that are not scaled are left alone. */
export const watchSpeed = (work: () => number = worked) => {
  let laps: ReadonlyArray<Lap> = []
  let isSaid = false
  return <A, E, R>(
    cycle: Effect.Effect<A, E, R>,
    due: ReadonlyArray<Pick<Policy, "schedule">>
  ): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const speed = yield* Effect.clockWith((clock) => Effect.succeed(ScaledClock.speedOf(clock)))
      if (speed === 1 || isSaid) return yield* cycle
      const from = yield* Clock.currentTimeMillis
      const before = work()
      const result = yield* cycle
      const periodMs = Math.min(...due.map(({ schedule }) => stepMs(schedule, from)))
      const tookMs = (yield* Clock.currentTimeMillis) - from
      laps = [...laps, { periodMs, tookMs, workMs: work() - before }].slice(-inARow)
      const speedKept = couldKeep(laps, speed)
      if (speedKept === undefined || isSaid) return result
      isSaid = true
      yield* Effect.logWarning(
        `this machine does not keep up with the sandbox's clock, which runs ${speed} times faster: a turn took ${words(tookMs)} of it and was due again after ${words(periodMs)}. Turns are late or left out, nothing is sent twice. About --speed ${speedKept} could be kept here`,
        { event: "speed_not_kept", speed, speedKept }
      )
      return result
    })
}

/** From the next due time to the one after it: a cycle that begins late has not less time than others. */
const stepMs = (schedule: Schedule | undefined, fromMs: number): number => {
  const next = schedule === undefined ? undefined : Timetable.next(schedule, fromMs)
  const second = schedule === undefined || next === undefined ? undefined : Timetable.next(schedule, next)
  return next === undefined || second === undefined ? Number.POSITIVE_INFINITY : second - next
}

const words = (ms: number): string => Duration.format(Math.max(1000, Math.round(ms / 1000) * 1000))
