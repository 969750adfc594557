/**
 * Runs due times, one cycle of a lane at a time; lanes of an account run side by side. A cycle takes everything of the
 * lane that is due and that the same runnable runs, so three days of missed turns are one run; a due time that a cycle
 * has covered is done when it is asked for. What goes wrong is tried again after a while, with the jobs and the due
 * times of then.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import * as Lane from "../../domain/Lane.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Backoff from "./Backoff.js"
import * as CutShort from "./CutShort.js"
import * as DueLook from "./DueLook.js"
import { type DueEnd, type DueRecord, type DueTime, DueTimes, isOpen } from "./DueTimes.js"
import {
  type CycleCall,
  type CycleResult,
  type Job,
  JobSource,
  type Jobs,
  type Runnable,
  type Trouble
} from "./Job.js"
import { Room, type TurnEnd, type TurnStatus, troubled, waitOut } from "./TurnRoom.js"

export type { TurnEnd, TurnStatus }

/** The turns of this process. */
export interface Turns {
  /**
   * Ends when the due time is dealt with; a due time that is not open ends at once. While the lane is being drained
   * it never ends: interrupt it, and the due time stays open for the next start.
   */
  readonly runDue: (where: Lane.AccountLane, due: DueTime) => Effect.Effect<TurnEnd>
  /** How a due time ended that is not open any more; undefined while it is, and while the store does not say. */
  readonly over: (where: Lane.AccountLane, due: DueTime) => Effect.Effect<TurnEnd | undefined>
  readonly status: (where: Lane.AccountLane) => Effect.Effect<TurnStatus>
  /** Tries again at once what waits after trouble: a person has acted. */
  readonly wake: (where: Lane.AccountLane) => Effect.Effect<void>
  /** Ends the running cycle before its next request and begins no other; ends when none runs. */
  readonly drain: (where: Lane.AccountLane) => Effect.Effect<void>
}

export interface TurnOptions {
  /** How often trouble is tried again before the due time is given back; for ever when absent. */
  readonly retries?: number
  /**
   * So many accounts plan at the same time in a lane, because a plan takes memory; 24 when absent. Those that have
   * planned do not count, nor do those that read back what an earlier run left open: a change that was sent is seen
   * minutes later.
   */
  readonly concurrency?: number
  /** What an account shows the marketplace, as a text that is another when that is; one that was refused then tries at once. */
  readonly credential?: (account: string) => Effect.Effect<string>
}

export const make = (options: TurnOptions = {}): Effect.Effect<Turns, never, DueTimes | JobSource> =>
  Effect.gen(function* () {
    const parts: Parts = {
      ...options,
      rooms: yield* CutShort.rooms(options.concurrency ?? 24),
      dues: yield* DueTimes,
      source: yield* JobSource
    }
    const { dues, source } = parts
    const known = new Map<string, Room>()
    const room = (where: Lane.AccountLane) =>
      Effect.suspend(() => {
        const key = Lane.key(where)
        const found = known.get(key)
        if (found !== undefined) return Effect.succeed(found)
        return Effect.map(
          Effect.all([Deferred.make<void>(), Queue.sliding<void>(1)]),
          ([stopping, woken]) => {
            // Another fiber may have come first while this one made its parts.
            const made = known.get(key) ?? new Room(where, stopping, woken)
            known.set(key, made)
            return made
          }
        )
      })
    return {
      runDue: (where, due) =>
        Effect.flatMap(room(where), (own) =>
          own.turn.withPermits(1)(
            turn(parts, own, due).pipe(
              // Whoever has the lane next knows how it stands; here nothing is known of it any more.
              Effect.onInterrupt(() => Effect.sync(() => own.forget()))
            )
          )
        ),
      over: (where, due) =>
        dues.find(where, due).pipe(
          Effect.map((found) => (found === undefined || isOpen(found) ? undefined : coveredBy(found))),
          Effect.orElseSucceed(() => undefined)
        ),
      status: (where) =>
        Effect.flatMap(room(where), (own) =>
          CutShort.status(
            own,
            Effect.map(source.current, (jobs) => idsOf(jobsOf(jobs, where)))
          )
        ),
      wake: (where) =>
        Effect.flatMap(room(where), ({ status, woken }) =>
          status.state === "waiting" ? Effect.asVoid(Queue.offer(woken, undefined)) : Effect.void
        ),
      drain: (where) =>
        Effect.gen(function* () {
          const own = yield* room(where)
          yield* Deferred.succeed(own.stopping, undefined)
          yield* own.cycle.withPermits(1)(Effect.void)
        })
    } satisfies Turns
  })

interface Parts extends TurnOptions {
  readonly rooms: CutShort.Rooms
  readonly dues: typeof DueTimes.Service
  readonly source: typeof JobSource.Service
}

/** Runs a cycle when there is a place for it. `isAlone`: no other that is to plan alone may plan beside it. */
const cycle = (
  { rooms }: Parts,
  runnable: Runnable,
  isAlone: boolean,
  call: Omit<CycleCall, "planned" | "away"> & { readonly planned: Effect.Effect<void> }
): Effect.Effect<CycleResult> =>
  CutShort.held(rooms, call.lane, isAlone, ({ away, leave }) =>
    Effect.flatMap(Deferred.isDone(call.stopping), (isStopping) =>
      isStopping
        ? Effect.succeed<CycleResult>({ _tag: "Stopping" })
        : runnable.run({ ...call, planned: Effect.zipRight(call.planned, leave), away })
    )
  ).pipe(
    Effect.provideService(Lane.Working, call.lane),
    // Whatever is around a cycle may be broken too; the due time must not stay with a cycle that is no more.
    Effect.catchAllDefect((defect) =>
      Effect.as(Effect.logError(`${Lane.text(call)}: a cycle broke`, defect), {
        _tag: "Broken" as const,
        why: defect instanceof Error ? defect.message : String(defect)
      })
    )
  )
/** One attempt after the other until the due time is dealt with. Weeks of trouble are many: each leaves nothing behind. */
const turn = (parts: Parts, room: Room, due: DueTime): Effect.Effect<TurnEnd> =>
  Effect.gen(function* () {
    const before = parts.retries === 0 ? yield* troubled(room) : undefined
    if (before !== undefined) return before
    for (let tries = 0; ; tries++) {
      const credential = parts.credential?.(room.where.account)
      yield* waitOut(room, credential)
      if (credential !== undefined) room.credential = yield* credential
      const tried = yield* room.cycle
        .withPermits(1)(attempt(parts, room, due, tries > 0))
        .pipe(Effect.catchAll(({ message }) => Effect.succeed<Tried>({ _tag: "StoreFailed", why: message })))
      if (tried._tag === "Ended") return tried.end
      if (tried._tag === "Stopping") {
        room.set({ state: "stopping", runningSince: undefined })
        return yield* Effect.never
      }
      const { _tag, why } = tried
      const nowMs = yield* Clock.currentTimeMillis
      const waitMs = yield* Backoff.waitMs(_tag, room.count(_tag))
      room.set({
        state: "waiting",
        runningSince: undefined,
        stoppedWhy: why,
        stoppedBy: _tag,
        retryAt: nowMs + waitMs
      })
      yield* Effect.logWarning(`${Lane.text(room.where)}: ${why}`, { trouble: _tag, waitMs })
      if (tries >= (parts.retries ?? Number.POSITIVE_INFINITY)) {
        return { outcome: _tag === "Refused" ? "refused" : "failed", said: why } satisfies TurnEnd
      }
    }
  })

type Tried =
  | { readonly _tag: "Ended"; readonly end: TurnEnd }
  | { readonly _tag: "Stopping" }
  | { readonly _tag: Trouble; readonly why: string }

/** A due time that is tried again may have given its place to a later one; whatever is open then has its turn. */
const attempt = (
  parts: Parts,
  room: Room,
  due: DueTime,
  isAgain: boolean
): Effect.Effect<Tried, StoreFailure> =>
  Effect.gen(function* () {
    const { where } = room
    if (yield* Deferred.isDone(room.stopping)) return { _tag: "Stopping" }
    const found = yield* parts.dues.find(where, due)
    if (found === undefined) return covered("it was never recorded as due")
    if (!isOpen(found) && !isAgain) return { _tag: "Ended", end: coveredBy(found) }
    const startedAt = yield* Clock.currentTimeMillis
    const jobs = jobsOf(yield* parts.source.current, where)
    const runId = yield* cycleName(startedAt)
    const runnable = (jobs.find(({ id }) => id === due.job) ?? jobs[0])?.runnable
    const others = jobs.filter((job) => job.runnable !== runnable).map(({ id }) => id)
    const claimed = yield* parts.dues.claim(where, runId, startedAt, others)
    const wanted = idsOf(jobs)
    yield* CutShort.keepOnly(room, wanted)
    const gone = claimed.filter(({ job }) => !wanted.has(job))
    const wantedStill = claimed.filter(({ job }) => wanted.has(job))
    const hopeless = CutShort.givenUp(wantedStill)
    const cut = wantedStill.filter(({ job }) => hopeless.has(job))
    const kept = wantedStill.filter(({ job }) => !hopeless.has(job))
    yield* finish(parts, room, runId, gone, { state: "dropped", detail: goneWhy })
    const givenUp = CutShort.why(cut)
    if (givenUp !== undefined) {
      yield* CutShort.tell(room, cut)
      yield* finish(parts, room, runId, cut, { state: "failed", detail: givenUp })
    }
    if (kept.length === 0 || runnable === undefined) {
      if (givenUp !== undefined) return yield* failed(room, givenUp)
      room.rest()
      return covered(gone.length > 0 ? goneWhy : (found.detail ?? found.state))
    }
    room.set({
      state: "running",
      runningSince: startedAt,
      doing: "waiting for its turn",
      retryAt: undefined,
      rulesVersion: runnable.version
    })
    const { left, ...noting } = CutShort.noting(parts.dues, room, runId)
    const { stopping } = room
    const call = { ...where, due: new Set(kept.map(({ job }) => job)), stopping, ...noting }
    const running = cycle(parts, runnable, CutShort.isAlone(kept), call)
    const result = yield* Effect.onInterrupt(running, () => left)
    const end = (dues: ReadonlyArray<DueRecord>, how: DueEnd) => finish(parts, room, runId, dues, how)
    const before = parts.retries === 0 ? undefined : room.seen("Unread")
    const unread = yield* againUnread(kept, jobs, result, before, end)
    if (unread !== undefined) return yield* Effect.as(CutShort.ran(room, kept), unread)
    return yield* ended(parts, room, runId, kept, result, givenUp)
  })

/** Writes down how a cycle ended; whatever is not done waits for its next attempt. */
const ended = (
  parts: Parts,
  room: Room,
  runId: string,
  dues: ReadonlyArray<DueRecord>,
  result: CycleResult,
  givenUp: string | undefined
): Effect.Effect<Tried, StoreFailure> =>
  Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    if (result._tag === "Done") {
      const said = givenUp === undefined ? result.said : `${result.said}; ${givenUp}`
      const end: TurnEnd = { outcome: "ran", said }
      yield* finish(parts, room, runId, dues, {
        state: result.ends ?? "done",
        detail: result.said,
        isWhole: !result.isCut
      })
      yield* CutShort.ran(room, dues)
      room.rest({ at, end, runId: result.runId })
      return { _tag: "Ended", end }
    }
    const isGivenUp = isHopeless(room, dues, result._tag)
    const why = result._tag === "Stopping" ? "bidhelm was stopped before it was done" : result.why
    yield* finish(parts, room, runId, dues, { state: isGivenUp ? "failed" : "waiting", detail: why })
    if (!isGivenUp) return result
    return yield* failed(room, why, result._tag === "Stopping" ? undefined : result._tag)
  })

/** Nothing is left to do until the next due time, and the account says why. */
const failed = (room: Room, why: string, trouble?: Trouble): Effect.Effect<Tried> =>
  Effect.map(Clock.currentTimeMillis, (at) => {
    const end: TurnEnd = { outcome: "failed", said: why }
    room.rest({ at, end, runId: undefined })
    room.set({ stoppedWhy: why, stoppedBy: trouble })
    return { _tag: "Ended", end }
  })

/** Whether the due times are given up until the next ones come; attempts that were no defect are not held against them. */
const isHopeless = (room: Room, dues: ReadonlyArray<DueRecord>, end: CycleResult["_tag"]): boolean =>
  end === "Broken"
    ? room.seen("Broken") + 1 >= Backoff.mostBroken &&
      dues.every(({ attempts }) => attempts >= Backoff.mostBroken)
    : end === "LockLost" && room.seen("LockLost") + 1 >= Backoff.mostLockLost

const goneWhy = "it is gone or switched off"

const unwritten = "writing down how it ended"

/** A cycle is not run again because its end could not be written: writing is tried until it is. */
const finish = ({ dues }: Parts, room: Room, runId: string, records: ReadonlyArray<DueTime>, end: DueEnd) =>
  records.length === 0
    ? Effect.void
    : Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        dues.finish(room.where, runId, records, { ...end, nowMs })
      ).pipe(
        Effect.tapError(({ message }) =>
          Effect.zipRight(
            Effect.sync(() =>
              room.set({
                doing: unwritten,
                stoppedWhy: message,
                stoppedBy: "StoreFailed"
              })
            ),
            Effect.logWarning(`${Lane.text(room.where)}: its end could not be written: ${message}`)
          )
        ),
        Effect.retry({
          schedule: Schedule.union(Schedule.exponential("1 second"), Schedule.spaced("1 minute")),
          while: () => Effect.map(Deferred.isDone(room.stopping), (isStopping) => !isStopping)
        }),
        Effect.tap(() =>
          Effect.sync(() => {
            if (room.status.doing === unwritten) room.set({ doing: undefined, stoppedWhy: undefined })
          })
        )
      )

const coveredBy = ({ detail, state }: DueRecord): TurnEnd => ({ outcome: "covered", said: detail ?? state })

const covered = (said: string): Tried => ({ _tag: "Ended", end: { outcome: "covered", said } })

const jobsOf = (jobs: Jobs, { account, lane }: Lane.AccountLane): ReadonlyArray<Job> =>
  jobs.of(account).filter((job) => job.lane === lane)

const idsOf = (jobs: ReadonlyArray<Job>): ReadonlySet<string> => new Set(jobs.map(({ id }) => id))

// Turns whose cycle did nothing because something could not be read. A job that runs once a day would lose its day,
// so it has its turn again soon, a few times; one that is due soon anyway waits for that.

/** A due time has its turn so many times at most. */
const mostTurns = 3

/** A job whose next turn comes within this time has no turn again. */
const soonMs = 3_600_000

const soon = "it has its turn again"

/**
 * Gives back the due times that have their turn again, and ends the others; undefined, and nothing done, when all could
 * be read or none has its turn again. `before`: how many turns in a row could not be read; where each process has one turn
 * only, how often the due time was taken tells.
 */
const againUnread = <E>(
  dues: ReadonlyArray<DueRecord>,
  jobs: ReadonlyArray<Job>,
  result: CycleResult,
  before: number | undefined,
  finish: (dues: ReadonlyArray<DueRecord>, end: DueEnd) => Effect.Effect<void, E>
): Effect.Effect<{ readonly _tag: "Unread"; readonly why: string } | undefined, E> =>
  Effect.gen(function* () {
    if (result._tag !== "Done" || result.isUnread !== true) return undefined
    const rare = rarely(jobs, yield* Clock.currentTimeMillis)
    const isAgain = ({ attempts, job }: DueRecord) =>
      (before ?? attempts - 1) + 1 < mostTurns && rare.has(job)
    const some = dues.filter(isAgain)
    if (some.length === 0) return undefined
    const why = `${result.said}; ${soon}`
    const others = dues.filter((due) => !isAgain(due))
    yield* finish(others, { state: "done", detail: result.said, isWhole: true })
    yield* finish(some, { state: "waiting", detail: why })
    return { _tag: "Unread" as const, why }
  })

/** Ids of the jobs that would wait long for their next turn. */
const rarely = (jobs: ReadonlyArray<Job>, nowMs: number): ReadonlySet<string> =>
  new Set(
    DueLook.scheduled(jobs)
      .filter((job) => (DueLook.next([job], nowMs) ?? Number.POSITIVE_INFINITY) - nowMs > soonMs)
      .map(({ id }) => id)
  )

// Names a cycle by when it began; two that begin at once get different names.

const cycleName = (nowMs: number): Effect.Effect<string> =>
  Effect.map(
    Random.nextIntBetween(0, 0x1000000),
    (tail) => `cycle-${new Date(nowMs).toISOString()}-${tail.toString(16).padStart(6, "0")}`
  )
