/**
 * Finds out which policies of which accounts are due, writes it down, and hands it to whoever runs cycles. Wake-ups
 * only say that it is worth looking; what is due is asked of the timetable and of the records, so nothing that a clock,
 * a restart or a lost wake-up does makes a policy run twice or be forgotten.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Figures from "../../domain/Figures.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Dispatch from "./Dispatch.js"
import * as DueLook from "./DueLook.js"
import { type DueRecord, type DueTime, DueTimes } from "./DueTimes.js"
import * as Reloaded from "./Reloaded.js"
import { type Loaded, RuleSource } from "./RuleSource.js"
import type { RunnerStatus } from "./RunnerStatus.js"
import * as Seen from "./Seen.js"
import * as Spread from "./Spread.js"
import { Ticker, watchdogMs } from "./Ticker.js"

export interface SupervisorOptions {
  readonly accounts: ReadonlyArray<string>
  /** Accounts begin up to so much after their due time, each always as long after; half a minute when absent. */
  readonly spreadMs?: number
}

/** Most that accounts may be spread. */
export const mostSpreadMs = 600_000

export interface Supervisor {
  /** Looks at every wake-up, for ever; what it handed over ends with the scope that the supervisor was made in. */
  readonly run: Effect.Effect<never>
  /** Looks once, hands over what is due without waiting, and ends when all of it was dealt with: of so many accounts. */
  readonly once: Effect.Effect<number, StoreFailure>
  /** Looks again now. */
  readonly wake: Effect.Effect<void>
  /** Hands nothing over any more. What runs is drained by `Turns.drain`. */
  readonly stop: Effect.Effect<void>
  readonly status: typeof RunnerStatus.Service
}

export const make = (
  options: SupervisorOptions
): Effect.Effect<Supervisor, never, DueTimes | RuleSource | Ticker | Dispatch.Dispatch | Scope.Scope> =>
  Effect.gen(function* () {
    const parts: Parts = {
      options,
      dues: yield* DueTimes,
      source: yield* RuleSource,
      dispatch: yield* Dispatch.Dispatch,
      running: yield* FiberMap.make<string, void>(),
      wakes: yield* Queue.sliding<void>(1)
    }
    const ticker = yield* Ticker
    const first = yield* parts.source.current
    const state = new Seen.State(first.version, first.rules)
    const spreadMs = Math.min(mostSpreadMs, options.spreadMs ?? 30_000)
    return {
      run: Effect.scoped(forever(parts, state, ticker, spreadMs)),
      once: Effect.gen(function* () {
        let failure: StoreFailure | undefined
        yield* look(parts, state, 0, (found) => {
          failure ??= found
        })
        const fibers = Array.from(parts.running, ([, fiber]) => fiber)
        yield* Effect.forEach(fibers, Fiber.await, { discard: true })
        if (failure !== undefined) return yield* failure
        // One that ended before the look did is no fiber any more.
        return state.handed
      }),
      wake: Effect.asVoid(Queue.offer(parts.wakes, undefined)),
      stop: Effect.sync(() => {
        state.isDraining = true
      }),
      status: { current: standing(parts, state) }
    } satisfies Supervisor
  })

interface Parts {
  readonly options: SupervisorOptions
  readonly dues: typeof DueTimes.Service
  readonly source: typeof RuleSource.Service
  readonly dispatch: typeof Dispatch.Dispatch.Service
  /** What was handed over, one fiber per account. */
  readonly running: FiberMap.FiberMap<string, void>
  readonly wakes: Queue.Queue<void>
}

const forever = (parts: Parts, state: Seen.State, ticker: typeof Ticker.Service, spreadMs: number) =>
  Effect.gen(function* () {
    const ticking = yield* FiberMap.make<"ticks", void>()
    const wake = Queue.offer(parts.wakes, undefined)
    const everyMinute = Effect.forever(Effect.zipRight(Effect.sleep(watchdogMs), wake))
    let followed: string | undefined
    for (;;) {
      const { rules } = yield* parts.source.current
      const schedules = DueLook.timetables(rules)
      const wanted = [...schedules.keys()].sort().join("\n")
      if (wanted !== followed) {
        followed = wanted
        const ticks = Effect.suspend(() =>
          Stream.runForEach(ticker.ticks([...schedules.values()]), () => wake)
        )
        yield* FiberMap.run(ticking, "ticks", Effect.zipRight(lasting(ticks), everyMinute))
      }
      const againAt = yield* look(parts, state, spreadMs)
      const nowMs = yield* Clock.currentTimeMillis
      yield* againAt === undefined
        ? Queue.take(parts.wakes)
        : Effect.raceFirst(Queue.take(parts.wakes), Effect.sleep(Math.max(1, againAt - nowMs)))
    }
  })

/** Wake-ups that broke are told; without any the supervisor would sleep for ever and seem well. */
const lasting = (ticks: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.catchAllCause(ticks, (cause) =>
    Cause.isInterruptedOnly(cause)
      ? Effect.failCause(cause)
      : Effect.logError(
          "bidhelm has a defect: the wake-ups of the timetable broke, so it is looked at every minute only",
          cause
        )
  )

/**
 * Looks at every account; one that cannot be looked at does not keep the others from it. Answers when an account that
 * was spread has its turn, if that is before anything else would wake.
 */
const look = (
  parts: Parts,
  state: Seen.State,
  spreadMs: number,
  onFailure: (failure: StoreFailure) => void = () => undefined
): Effect.Effect<number | undefined> =>
  Effect.gen(function* () {
    if (state.isDraining) return undefined
    const loaded = yield* parts.source.current
    state.rules = loaded.rules
    if (loaded.problem !== undefined && loaded.problem !== state.rulesProblem) {
      yield* Figures.add(Figures.figures.reloadFailures, {})
      yield* Effect.logWarning(
        `the rules of before stay in force (version ${loaded.version}): ${loaded.problem}`
      )
    }
    if (loaded.problem === undefined && state.rulesProblem !== undefined)
      yield* Effect.logInfo(`the rule files can be used again (version ${loaded.version})`)
    state.rulesProblem = loaded.problem
    const nowMs = yield* Clock.currentTimeMillis
    const isChanged = loaded.version !== state.rulesVersion || nowMs < (state.lastLookAt ?? nowMs)
    const onTimetable = new Set(DueLook.scheduled(loaded.rules).map(({ id }) => id))
    // An account that cannot be looked at still learns which policies were off the timetable meanwhile.
    const note = (account: string, problem: string) => {
      const { scheduled } = state.of(account)
      state.set(account, { problem, scheduled: scheduled && both(scheduled, onTimetable) })
    }
    const told = (account: string, problem: string) => {
      note(account, problem)
      return Effect.as(Effect.logWarning(`${account}: ${problem}`), undefined)
    }
    const open = yield* Effect.either(parts.dues.allOpen)
    if (Either.isLeft(open)) {
      // One line for all: there may be a thousand, and the store may be away all night.
      for (const account of parts.options.accounts) note(account, open.left.message)
      yield* Effect.logWarning(`no account can be looked at: ${open.left.message}`)
      onFailure(open.left)
      return undefined
    }
    const glance: Glance = { loaded, onTimetable, nowMs, isChanged, spreadMs, open: open.right }
    let againAt: number | undefined
    for (const account of parts.options.accounts) {
      const quiet = quietly(parts, state, account, glance)
      const readyAt = quiet.isDone
        ? quiet.readyAt
        : yield* lookAt(parts, state, account, glance).pipe(
            Effect.catchAll((failure) => {
              onFailure(failure)
              return told(account, failure.message)
            }),
            Effect.catchAllDefect((defect) => told(account, `bidhelm has a defect: ${String(defect)}`))
          )
      if (readyAt !== undefined) againAt = Math.min(againAt ?? readyAt, readyAt)
    }
    if (loaded.version !== state.rulesVersion) yield* Reloaded.tell(loaded)
    state.rulesVersion = loaded.version
    state.lastLookAt = nowMs
    return againAt
  })

const both = (one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...one].filter((id) => other.has(id)))

interface Glance {
  readonly loaded: Loaded
  readonly onTimetable: ReadonlySet<string>
  readonly nowMs: number
  readonly isChanged: boolean
  readonly spreadMs: number
  /** What waits or runs, by account, as it was before the look. */
  readonly open: ReadonlyMap<string, ReadonlyArray<DueRecord>>
}

/**
 * An account of which nothing became due and nothing is to be handed over now is done with here, without asking the
 * store: every account that ends a cycle wakes a look at all of them, and there may be a thousand.
 */
const quietly = (parts: Parts, state: Seen.State, account: string, glance: Glance) => {
  const seen = state.of(account)
  if (!isQuiet(seen, glance)) return { isDone: false } as const
  const isBusy = FiberMap.unsafeHas(parts.running, account)
  const waiting = glance.open.get(account) ?? []
  const now = state.set(account, { waiting, submittedAt: isBusy ? seen.submittedAt : undefined })
  if (isBusy || waiting.length === 0 || Seen.isHanded(now, glance.nowMs)) {
    return { isDone: true, readyAt: undefined } as const
  }
  const readyAt = spreadTo(account, waiting, glance)
  return readyAt === undefined ? ({ isDone: false } as const) : ({ isDone: true, readyAt } as const)
}

/** Nothing can have become due since it was looked at. */
const isQuiet = ({ problem, quietUntil }: Seen.Seen, { isChanged, nowMs }: Glance): boolean =>
  !isChanged && problem === undefined && nowMs < (quietUntil ?? nowMs)

/** When what waits may be handed over, if that is later than now. */
const spreadTo = (account: string, waiting: ReadonlyArray<DueRecord>, { nowMs, spreadMs }: Glance) => {
  const readyAt = Math.min(...waiting.map(({ recordedAt }) => recordedAt)) + Spread.of(account, spreadMs)
  // A clock that was set back does not make what was recorded before wait for it.
  return readyAt > nowMs && readyAt - nowMs <= spreadMs ? readyAt : undefined
}

/** Records what became due and hands over what waits; answers when what is spread may be handed over. */
const lookAt = (parts: Parts, state: Seen.State, account: string, glance: Glance) =>
  Effect.gen(function* () {
    const { nowMs } = glance
    if (!isQuiet(state.of(account), glance)) yield* recordDue(parts, state, account, glance)
    const waiting = yield* parts.dues.open(account)
    const isBusy = yield* FiberMap.has(parts.running, account)
    const now = state.set(account, {
      waiting,
      problem: undefined,
      ...(isBusy ? {} : { submittedAt: undefined })
    })
    if (isBusy || waiting.length === 0 || Seen.isHanded(now, nowMs)) return undefined
    const readyAt = spreadTo(account, waiting, glance)
    if (readyAt !== undefined) return readyAt
    state.set(account, { handed: Seen.handedAt(nowMs, waiting), submittedAt: nowMs })
    yield* handOver(parts, state, account, waiting)
    return undefined
  })

const recordDue = (parts: Parts, state: Seen.State, account: string, glance: Glance) =>
  Effect.gen(function* () {
    const { loaded, nowMs, onTimetable } = glance
    const { problem, scheduled } = state.of(account)
    const policies = DueLook.scheduled(loaded.rules)
    const last = yield* parts.dues.last(account, nowMs)
    const isSettled = scheduled !== undefined && problem === undefined
    const others = isSettled && loaded.version === state.rulesVersion && DueLook.others(policies, last)
    if (others) yield* Effect.logWarning(`${account}: ${others}`)
    const returned = (id: string) => scheduled !== undefined && !scheduled.has(id)
    const found = DueLook.newDues(account, policies, last, nowMs, returned)
    if (found.length > 0) yield* parts.dues.record(found, nowMs)
    const quietUntil = DueLook.next(policies, nowMs) ?? Number.POSITIVE_INFINITY
    state.set(account, { scheduled: onTimetable, quietUntil })
  })

/** What became due meanwhile is looked for as soon as the account is free again. */
const handOver = (parts: Parts, state: Seen.State, account: string, waiting: ReadonlyArray<DueTime>) =>
  parts.dispatch
    .submit(
      account,
      waiting.map(({ dueAt, policy }) => ({ policy, dueAt }))
    )
    .pipe(
      Effect.flatMap((isStored) =>
        Effect.sync(() => void state.set(account, { handed: { ...state.of(account).handed, isStored } }))
      ),
      Effect.ensuring(
        Effect.forkDaemon(Effect.zipRight(Effect.yieldNow(), Queue.offer(parts.wakes, undefined)))
      ),
      FiberMap.run(parts.running, account)
    )

/** As of the last look: whoever asks waits for no files. */
const standing = (parts: Parts, state: Seen.State) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const nextDueAt = DueLook.next(DueLook.scheduled(state.rules), nowMs)
    const accounts = parts.options.accounts.map((account) =>
      Seen.standing(account, state.of(account), nextDueAt, nowMs)
    )
    const { isDraining, lastLookAt, rulesProblem, rulesVersion } = state
    return { accounts, rulesVersion, rulesProblem, lastLookAt, isDraining }
  })
