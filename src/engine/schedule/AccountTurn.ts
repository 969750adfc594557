/**
 * Runs due times of accounts, one cycle of an account at a time. A cycle takes everything of the account that is due,
 * so three days of missed turns are one run; a due time that a cycle has covered is done when it is asked for. What
 * goes wrong is tried again after a while, with the rules and the due times of then.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { CycleResult, Doing, Trouble } from "./AccountCycle.js"
import * as Backoff from "./Backoff.js"
import * as CutShort from "./CutShort.js"
import * as CycleName from "./CycleName.js"
import { type DueEnd, type DueRecord, type DueTime, DueTimes, isOpen } from "./DueTimes.js"
import type * as Places from "./Places.js"
import { type Loaded, RuleSource } from "./RuleSource.js"
import { Room, type TurnEnd, type TurnStatus, troubled, waitOut } from "./TurnRoom.js"
import * as UnreadTurn from "./UnreadTurn.js"

export type { TurnEnd, TurnStatus }

export interface CycleCall {
  readonly account: string
  readonly loaded: Loaded
  readonly due: ReadonlySet<string>
  readonly stopping: Deferred.Deferred<void>
  /** Done once the plan is made: lets the next account begin, while this one sends and waits for what it reads back. */
  readonly planned?: Effect.Effect<void>
  /** Runs what only waits, before the plan is made: meanwhile another account plans. */
  readonly away?: Places.Place["away"]
  /** Told whenever the cycle begins with something else. */
  readonly doing?: (what: Doing) => Effect.Effect<void>
}

export interface Turns {
  /**
   * Ends when the due time is dealt with; a due time that is not open ends at once. While the account is being drained
   * it never ends: interrupt it, and the due time stays open for the next start.
   */
  readonly runDue: (account: string, due: DueTime) => Effect.Effect<TurnEnd>
  /** How a due time ended that is not open any more; undefined while it is, and while the store does not say. */
  readonly over: (account: string, due: DueTime) => Effect.Effect<TurnEnd | undefined>
  readonly status: (account: string) => Effect.Effect<TurnStatus>
  /** Tries again at once what waits after trouble: a person has acted. */
  readonly wake: (account: string) => Effect.Effect<void>
  /** Ends the running cycle before its next request and begins no other; ends when none runs. */
  readonly drain: (account: string) => Effect.Effect<void>
}

export interface TurnOptions {
  /** Runs one cycle with what the account needs: `AccountCycle.run` with its layers. */
  readonly cycle: (call: CycleCall) => Effect.Effect<CycleResult>
  /** How often trouble is tried again before the due time is given back; for ever when absent. */
  readonly retries?: number
  /**
   * So many accounts plan at the same time, because a plan takes memory; 24 when absent. Those that have planned do not
   * count, nor do those that read back what an earlier run left open: a change that was sent is seen minutes later.
   */
  readonly concurrency?: number
}

export const make = (options: TurnOptions): Effect.Effect<Turns, never, DueTimes | RuleSource> =>
  Effect.gen(function* () {
    const rooms: CutShort.Rooms = {
      places: yield* Effect.makeSemaphore(options.concurrency ?? 24),
      alone: yield* Effect.makeSemaphore(1)
    }
    const cycle: Parts["cycle"] = ({ isAlone, planned, ...call }) =>
      CutShort.held(rooms, isAlone, ({ away, leave }) =>
        Effect.flatMap(Deferred.isDone(call.stopping), (isStopping) =>
          isStopping
            ? Effect.succeed<CycleResult>({ _tag: "Stopping" })
            : options.cycle({ ...call, planned: Effect.zipRight(planned, leave), away })
        )
      ).pipe(
        // Whatever is around a cycle may be broken too; the due time must not stay with a cycle that is no more.
        Effect.catchAllDefect((defect) =>
          Effect.as(Effect.logError(`${call.account}: a cycle broke`, defect), {
            _tag: "Broken" as const,
            why: defect instanceof Error ? defect.message : String(defect)
          })
        )
      )
    const dues = yield* DueTimes
    const source = yield* RuleSource
    const known = new Map<string, Room>()
    const room = (account: string) =>
      Effect.suspend(() => {
        const found = known.get(account)
        if (found !== undefined) return Effect.succeed(found)
        return Effect.map(
          Effect.all([Deferred.make<void>(), Queue.sliding<void>(1)]),
          ([stopping, woken]) => {
            // Another fiber may have come first while this one made its parts.
            const made = known.get(account) ?? new Room(account, stopping, woken)
            known.set(account, made)
            return made
          }
        )
      })
    return {
      runDue: (account, due) =>
        Effect.flatMap(room(account), (own) =>
          own.turn.withPermits(1)(
            turn({ ...options, cycle, dues, source }, own, due).pipe(
              // Whoever has the account next knows how it stands; here nothing is known of it any more.
              Effect.onInterrupt(() => Effect.sync(() => own.forget()))
            )
          )
        ),
      over: (account, due) =>
        dues.find(account, due).pipe(
          Effect.map((found) => (found === undefined || isOpen(found) ? undefined : coveredBy(found))),
          Effect.orElseSucceed(() => undefined)
        ),
      status: (account) =>
        Effect.flatMap(room(account), (own) => CutShort.status(own, Effect.map(source.current, runnable))),
      wake: (account) =>
        Effect.flatMap(room(account), ({ status, woken }) =>
          status.state === "waiting" ? Effect.asVoid(Queue.offer(woken, undefined)) : Effect.void
        ),
      drain: (account) =>
        Effect.gen(function* () {
          const own = yield* room(account)
          yield* Deferred.succeed(own.stopping, undefined)
          yield* own.cycle.withPermits(1)(Effect.void)
        })
    } satisfies Turns
  })

interface Parts extends Omit<TurnOptions, "cycle"> {
  readonly cycle: (
    call: Omit<CycleCall, "planned" | "away"> & {
      readonly planned: Effect.Effect<void>
      /** Whether no other that is to plan alone may plan beside it. */
      readonly isAlone: boolean
    }
  ) => Effect.Effect<CycleResult>
  readonly dues: typeof DueTimes.Service
  readonly source: typeof RuleSource.Service
}

/** One attempt after the other until the due time is dealt with. Weeks of trouble are many: each leaves nothing behind. */
const turn = (parts: Parts, room: Room, due: DueTime): Effect.Effect<TurnEnd> =>
  Effect.gen(function* () {
    const before = parts.retries === 0 ? yield* troubled(room) : undefined
    if (before !== undefined) return before
    for (let tries = 0; ; tries++) {
      yield* waitOut(room)
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
      room.set({ state: "waiting", runningSince: undefined, stoppedWhy: why, retryAt: nowMs + waitMs })
      yield* Effect.logWarning(`${room.account}: ${why}`, { trouble: _tag, waitMs })
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
    const { account } = room
    if (yield* Deferred.isDone(room.stopping)) return { _tag: "Stopping" }
    const found = yield* parts.dues.find(account, due)
    if (found === undefined) return covered("it was never recorded as due")
    if (!isOpen(found) && !isAgain) return { _tag: "Ended", end: coveredBy(found) }
    const startedAt = yield* Clock.currentTimeMillis
    const loaded = yield* parts.source.current
    const runId = yield* CycleName.make(startedAt)
    const claimed = yield* parts.dues.claim(account, runId, startedAt)
    const wanted = runnable(loaded)
    yield* CutShort.keepOnly(room, wanted)
    const gone = claimed.filter(({ policy }) => !wanted.has(policy))
    const wantedStill = claimed.filter(({ policy }) => wanted.has(policy))
    const hopeless = CutShort.givenUp(wantedStill)
    const cut = wantedStill.filter(({ policy }) => hopeless.has(policy))
    const kept = wantedStill.filter(({ policy }) => !hopeless.has(policy))
    const policies = new Set(kept.map(({ policy }) => policy))
    yield* finish(parts, room, runId, gone, { state: "dropped", detail: goneWhy })
    const givenUp = CutShort.why(cut)
    if (givenUp !== undefined) {
      yield* CutShort.tell(room, cut)
      yield* finish(parts, room, runId, cut, { state: "failed", detail: givenUp })
    }
    if (policies.size === 0) {
      if (givenUp !== undefined) return yield* failed(room, givenUp)
      room.rest()
      return covered(gone.length > 0 ? goneWhy : (found.detail ?? found.state))
    }
    room.set({
      state: "running",
      runningSince: startedAt,
      doing: "waiting for its turn",
      retryAt: undefined,
      rulesVersion: loaded.version
    })
    const { left, ...noting } = CutShort.noting(parts.dues, room, runId)
    const { stopping } = room
    const call = { account, loaded, due: policies, stopping, ...noting, isAlone: CutShort.isAlone(kept) }
    const result = yield* Effect.onInterrupt(parts.cycle(call), () => left)
    const end = (dues: ReadonlyArray<DueRecord>, how: DueEnd) => finish(parts, room, runId, dues, how)
    const before = parts.retries === 0 ? undefined : room.seen("Unread")
    const unread = yield* UnreadTurn.again(kept, loaded.rules, result, before, end)
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
      yield* finish(parts, room, runId, dues, { state: "done", detail: result.said, isWhole: !result.isCut })
      yield* CutShort.ran(room, dues)
      room.rest({ at, end, runId: result.runId })
      return { _tag: "Ended", end }
    }
    const isGivenUp = isHopeless(room, dues, result._tag)
    const why = result._tag === "Stopping" ? "bidhelm was stopped before it was done" : result.why
    yield* finish(parts, room, runId, dues, { state: isGivenUp ? "failed" : "waiting", detail: why })
    if (!isGivenUp) return result
    return yield* failed(room, why)
  })

/** Nothing is left to do until the next due time, and the account says why. */
const failed = (room: Room, why: string): Effect.Effect<Tried> =>
  Effect.map(Clock.currentTimeMillis, (at) => {
    const end: TurnEnd = { outcome: "failed", said: why }
    room.rest({ at, end, runId: undefined })
    room.set({ stoppedWhy: why })
    return { _tag: "Ended", end }
  })

/** Whether the due times are given up until the next ones come; attempts that were no defect are not held against them. */
const isHopeless = (room: Room, dues: ReadonlyArray<DueRecord>, end: CycleResult["_tag"]): boolean =>
  end === "Broken"
    ? room.seen("Broken") + 1 >= Backoff.mostBroken &&
      dues.every(({ attempts }) => attempts >= Backoff.mostBroken)
    : end === "LockLost" && room.seen("LockLost") + 1 >= Backoff.mostLockLost

const goneWhy = "the policy is gone or switched off"

/** A cycle is not run again because its end could not be written: writing is tried until it is. */
const finish = (
  { dues }: Parts,
  { account, stopping }: Room,
  runId: string,
  records: ReadonlyArray<DueTime>,
  end: DueEnd
) =>
  records.length === 0
    ? Effect.void
    : Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        dues.finish(account, runId, records, { ...end, nowMs })
      ).pipe(
        Effect.retry({
          schedule: Schedule.union(Schedule.exponential("1 second"), Schedule.spaced("1 minute")),
          while: () => Effect.map(Deferred.isDone(stopping), (isStopping) => !isStopping)
        })
      )

const coveredBy = ({ detail, state }: DueRecord): TurnEnd => ({ outcome: "covered", said: detail ?? state })

const covered = (said: string): Tried => ({ _tag: "Ended", end: { outcome: "covered", said } })

/** Ids of the policies that a timetable may run. */
const runnable = ({ rules }: Loaded): ReadonlySet<string> =>
  new Set(rules.policies.filter(({ mode }) => mode !== "disabled").map(({ id }) => id))
