/**
 * Finds out which jobs of which lanes are due, writes it down, and hands it to whoever runs cycles. It alone decides:
 * wake-ups only say that it is worth looking, and one is enough for all. What is due is asked of the timetable and of
 * the records, so nothing that a clock, a restart or a lost wake-up does makes a job run twice or be forgotten.
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
import * as Lane from "../../domain/Lane.js"
import type { Schedule } from "../../domain/Schedule.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Dispatch from "./Dispatch.js"
import * as DueLook from "./DueLook.js"
import { type DueRecord, type DueTime, DueTimes } from "./DueTimes.js"
import { JobSource, type Jobs } from "./Job.js"
import type { Problem, RunnerStatus } from "./RunnerStatus.js"
import * as Seen from "./Seen.js"
import { Ticker, watchdogMs } from "./Ticker.js"
import * as Timetable from "./Timetable.js"

export interface SupervisorOptions {
  readonly accounts: ReadonlyArray<string>
  /** Accounts begin up to so much after their due time, each always as long after; half a minute when absent. */
  readonly spreadMs?: number
  /** Looks after so long though nothing wakes it, milliseconds; a minute when absent. */
  readonly idleMs?: number
}

/** Most that accounts may be spread. */
const mostSpreadMs = 600_000

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
): Effect.Effect<Supervisor, never, DueTimes | JobSource | Ticker | Dispatch.Dispatch | Scope.Scope> =>
  Effect.gen(function* () {
    const parts: Parts = {
      options,
      dues: yield* DueTimes,
      source: yield* JobSource,
      dispatch: yield* Dispatch.Dispatch,
      running: yield* FiberMap.make<string, void>(),
      wakes: yield* Queue.sliding<void>(1)
    }
    const ticker = yield* Ticker
    const first = yield* parts.source.current
    const state = new Seen.State(first)
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
  readonly source: typeof JobSource.Service
  readonly dispatch: typeof Dispatch.Dispatch.Service
  /** What was handed over, one fiber per lane of an account. */
  readonly running: FiberMap.FiberMap<string, void>
  readonly wakes: Queue.Queue<void>
}

const forever = (parts: Parts, state: Seen.State, ticker: typeof Ticker.Service, spreadMs: number) =>
  Effect.gen(function* () {
    const ticking = yield* FiberMap.make<"ticks", void>()
    const wake = Queue.offer(parts.wakes, undefined)
    let followed: string | undefined
    let version: string | undefined
    for (;;) {
      const jobs = yield* parts.source.current
      if (jobs.version !== version) {
        version = jobs.version
        const schedules = timetables(parts.options.accounts, jobs)
        const wanted = [...schedules.keys()].sort().join("\n")
        if (wanted !== followed) {
          followed = wanted
          const ticks = Effect.suspend(() =>
            Stream.runForEach(ticker.ticks([...schedules.values()]), () => wake)
          )
          yield* FiberMap.run(ticking, "ticks", lasting(ticks))
        }
      }
      const againAt = yield* look(parts, state, spreadMs)
      const nowMs = yield* Clock.currentTimeMillis
      const idleMs = parts.options.idleMs ?? watchdogMs
      const waitMs = againAt === undefined ? idleMs : Math.min(idleMs, Math.max(1, againAt - nowMs))
      yield* Effect.raceFirst(Queue.take(parts.wakes), Effect.sleep(waitMs))
    }
  })

/** All schedules, each once; accounts mostly have the same. */
const timetables = (accounts: ReadonlyArray<string>, jobs: Jobs): ReadonlyMap<string, Schedule> =>
  new Map(accounts.flatMap((account) => [...DueLook.timetables(jobs.of(account))]))

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
 * Looks at every lane; one that cannot be looked at does not keep the others from it. Answers when a lane that was
 * spread has its turn, if that is before anything else would wake.
 */
const look = (
  parts: Parts,
  state: Seen.State,
  spreadMs: number,
  onFailure: (failure: StoreFailure) => void = () => undefined
): Effect.Effect<number | undefined> =>
  Effect.gen(function* () {
    if (state.isDraining) return undefined
    const jobs = yield* parts.source.current
    state.jobs = jobs
    const nowMs = yield* Clock.currentTimeMillis
    const isReloaded = jobs.version !== state.version
    const isChanged = isReloaded || nowMs < (state.lastLookAt ?? nowMs)
    const open = yield* Effect.either(parts.dues.allOpen)
    const places = state.places(parts.options.accounts, Either.getOrUndefined(open))
    // A lane that cannot be looked at still learns which jobs were off the timetable meanwhile.
    const note = (place: Seen.Place, problem: Problem) => {
      const { scheduled } = state.of(place)
      state.set(place, { problem, scheduled: scheduled && both(scheduled, onTimetable(place)) })
    }
    if (Either.isLeft(open)) {
      // One line for all: there may be a thousand, and the store may be away all night.
      for (const place of places) note(place, missed(open.left))
      yield* Effect.logWarning(`no account can be looked at: ${open.left.message}`)
      onFailure(open.left)
      return undefined
    }
    const told = (place: Seen.Place, problem: Problem) => {
      note(place, problem)
      return Effect.as(Effect.logWarning(`${Lane.text(place)}: ${problem.said}`), undefined)
    }
    const glance: Glance = { isReloaded, isChanged, nowMs, spreadMs, open: open.right }
    let againAt: number | undefined
    for (const place of places) {
      const quiet = quietly(parts, state, place, glance)
      const readyAt = quiet.isDone
        ? quiet.readyAt
        : yield* lookAt(parts, state, place, glance).pipe(
            Effect.catchAll((failure) => {
              onFailure(failure)
              return told(place, missed(failure))
            }),
            Effect.catchAllDefect((defect) =>
              told(place, { trouble: "Broken", said: `bidhelm has a defect: ${String(defect)}` })
            )
          )
      if (readyAt !== undefined) againAt = Math.min(againAt ?? readyAt, readyAt)
    }
    state.version = jobs.version
    state.lastLookAt = nowMs
    return againAt
  })

const missed = ({ message }: StoreFailure): Problem => ({ trouble: "StoreFailed", said: message })

const onTimetable = ({ jobs }: Seen.Place): ReadonlySet<string> =>
  new Set(DueLook.scheduled(jobs).map(({ id }) => id))

const both = (one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...one].filter((id) => other.has(id)))

interface Glance {
  /** Whether the jobs are others than at the last look. */
  readonly isReloaded: boolean
  /** Whether anything may have become due that could not before: other jobs, or a clock that was set back. */
  readonly isChanged: boolean
  readonly nowMs: number
  readonly spreadMs: number
  /** What waits or runs, by `Lane.key`, as it was before the look. */
  readonly open: ReadonlyMap<string, ReadonlyArray<DueRecord>>
}

/**
 * A lane of which nothing became due and nothing is to be handed over now is done with here, without asking the store:
 * every lane that ends a cycle wakes a look at all of them, and there may be a thousand.
 */
const quietly = (parts: Parts, state: Seen.State, place: Seen.Place, glance: Glance) => {
  const seen = state.of(place)
  if (!isQuiet(seen, glance)) return { isDone: false } as const
  const isBusy = FiberMap.unsafeHas(parts.running, place.key)
  const waiting = glance.open.get(place.key) ?? []
  const now = state.set(place, { waiting, submittedAt: isBusy ? seen.submittedAt : undefined })
  if (isBusy || waiting.length === 0 || Seen.isHanded(now, glance.nowMs)) {
    return { isDone: true, readyAt: undefined } as const
  }
  const readyAt = spreadTo(place, waiting, glance)
  return readyAt === undefined ? ({ isDone: false } as const) : ({ isDone: true, readyAt } as const)
}

/** Nothing can have become due since it was looked at. */
const isQuiet = ({ problem, quietUntil }: Seen.Seen, { isChanged, nowMs }: Glance): boolean =>
  !isChanged && problem === undefined && nowMs < (quietUntil ?? nowMs)

/** When what waits may be handed over, if that is later than now. */
const spreadTo = (
  { account }: Seen.Place,
  waiting: ReadonlyArray<DueRecord>,
  { nowMs, spreadMs }: Glance
) => {
  const readyAt = Math.min(...waiting.map(({ recordedAt }) => recordedAt)) + spreadOf(account, spreadMs)
  // A clock that was set back does not make what was recorded before wait for it.
  return readyAt > nowMs && readyAt - nowMs <= spreadMs ? readyAt : undefined
}

/** Records what became due and hands over what waits; answers when what is spread may be handed over. */
const lookAt = (parts: Parts, state: Seen.State, place: Seen.Place, glance: Glance) =>
  Effect.gen(function* () {
    const { nowMs } = glance
    if (!isQuiet(state.of(place), glance)) yield* recordDue(parts, state, place, glance)
    const waiting = yield* parts.dues.open(place)
    const isBusy = yield* FiberMap.has(parts.running, place.key)
    const now = state.set(place, {
      waiting,
      problem: undefined,
      ...(isBusy ? {} : { submittedAt: undefined })
    })
    if (isBusy || waiting.length === 0 || Seen.isHanded(now, nowMs)) return undefined
    const readyAt = spreadTo(place, waiting, glance)
    if (readyAt !== undefined) return readyAt
    state.set(place, { handed: Seen.handedAt(nowMs, waiting), submittedAt: nowMs })
    yield* handOver(parts, state, place, waiting)
    return undefined
  })

const recordDue = ({ dues }: Parts, state: Seen.State, place: Seen.Place, { isReloaded, nowMs }: Glance) =>
  Effect.gen(function* () {
    const { problem, scheduled } = state.of(place)
    const jobs = DueLook.scheduled(place.jobs)
    const last = yield* dues.last(place, nowMs)
    const isSettled = scheduled !== undefined && problem === undefined
    const others = isSettled && !isReloaded && DueLook.others(jobs, last)
    if (others) yield* Effect.logWarning(`${Lane.text(place)}: ${others}`)
    const returned = (id: string) => scheduled !== undefined && !scheduled.has(id)
    const found = DueLook.newDues(jobs, last, nowMs, returned)
    if (found.length > 0) yield* dues.record(found, nowMs)
    const quietUntil = DueLook.next(jobs, nowMs) ?? Number.POSITIVE_INFINITY
    state.set(place, { scheduled: onTimetable(place), quietUntil })
  })

/** What became due meanwhile is looked for as soon as the lane is free again. */
const handOver = (parts: Parts, state: Seen.State, place: Seen.Place, waiting: ReadonlyArray<DueTime>) => {
  const { account, key, lane } = place
  return parts.dispatch
    .submit(
      { account, lane },
      waiting.map(({ dueAt, job }) => ({ job, dueAt }))
    )
    .pipe(
      Effect.flatMap((isStored) =>
        Effect.sync(() => void state.set(place, { handed: { ...state.of(place).handed, isStored } }))
      ),
      Effect.ensuring(
        Effect.forkDaemon(Effect.zipRight(Effect.yieldNow(), Queue.offer(parts.wakes, undefined)))
      ),
      FiberMap.run(parts.running, key)
    )
}

/** As of the last look: whoever asks waits for no files. */
const standing = ({ options }: Parts, state: Seen.State) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    // Accounts mostly have the same schedules.
    const known = new Map<Schedule, number | undefined>()
    const nextOf = (schedule: Schedule) => {
      const found = known.get(schedule)
      if (found !== undefined || known.has(schedule)) return found
      const next = Timetable.next(schedule, nowMs)
      known.set(schedule, next)
      return next
    }
    const lanes = state.places(options.accounts).map((place) => {
      const next = place.schedules.reduce(
        (soonest, schedule) => Math.min(soonest, nextOf(schedule) ?? soonest),
        Number.POSITIVE_INFINITY
      )
      return Seen.standing(place, state.of(place), Number.isFinite(next) ? next : undefined, nowMs)
    })
    const { isDraining, jobs, lastLookAt, version } = state
    return { accounts: lanes, rulesVersion: version, rulesProblem: jobs.problem, lastLookAt, isDraining }
  })

// Spreads accounts over a stretch of time, so that not all of them ask the marketplace at the same second.

/** Always the same for an account: milliseconds from 0 to before `withinMs`. */
export const spreadOf = (account: string, withinMs: number): number => {
  let hash = 0x811c9dc5
  for (const char of account) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
  // The last steps of the hash leave neighbouring names close together; these part them.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
  return Math.floor(((hash ^ (hash >>> 13)) >>> 0) * (Math.max(0, withinMs) / 2 ** 32))
}
