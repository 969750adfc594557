/**
 * Runs due times of accounts, one cycle of an account at a time. A cycle takes everything of the account that is due,
 * so three days of missed turns are one run; a due time that a cycle has covered is done when it is asked for. What
 * goes wrong is tried again after a while, with the rules and the due times of then.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type { CycleResult, Doing, Trouble } from "./AccountCycle.js"
import * as Backoff from "./Backoff.js"
import { type DueRecord, type DueTime, DueTimes } from "./DueTimes.js"
import * as Places from "./Places.js"
import type { StoreFailure } from "./Ports.js"
import { type Loaded, RuleSource } from "./RuleSource.js"
import { Room, type TurnEnd, type TurnStatus } from "./TurnRoom.js"

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
    const places = yield* Effect.makeSemaphore(options.concurrency ?? 24)
    const cycle: Parts["cycle"] = (call) =>
      Places.held(places, ({ away, leave }) =>
        Effect.flatMap(Deferred.isDone(call.stopping), (isStopping) =>
          isStopping
            ? Effect.succeed<CycleResult>({ _tag: "Stopping" })
            : options.cycle({ ...call, planned: leave, away })
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
    const rooms = new Map<string, Room>()
    const room = (account: string) =>
      Effect.suspend(() => {
        const known = rooms.get(account)
        if (known !== undefined) return Effect.succeed(known)
        return Effect.map(
          Effect.all([Deferred.make<void>(), Queue.sliding<void>(1)]),
          ([stopping, woken]) => {
            // Another fiber may have come first while this one made its parts.
            const made = rooms.get(account) ?? new Room(account, stopping, woken)
            rooms.set(account, made)
            return made
          }
        )
      })
    return {
      runDue: (account, due) =>
        Effect.flatMap(room(account), (own) =>
          own.turn.withPermits(1)(
            turn({ ...options, cycle, dues, source }, own, due, 0).pipe(
              // Whoever has the account next knows how it stands; here nothing is known of it any more.
              Effect.onInterrupt(() => Effect.sync(() => own.forget()))
            )
          )
        ),
      status: (account) => Effect.map(room(account), (own) => own.status),
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
  readonly cycle: (call: Omit<CycleCall, "planned" | "away">) => Effect.Effect<CycleResult>
  readonly dues: typeof DueTimes.Service
  readonly source: typeof RuleSource.Service
}

/** One attempt after the other until the due time is dealt with; `tries` counts those made. */
const turn = (parts: Parts, room: Room, due: DueTime, tries: number): Effect.Effect<TurnEnd> =>
  Effect.gen(function* () {
    const before = tries === 0 && parts.retries === 0 ? yield* troubled(room) : undefined
    if (before !== undefined) return before
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
    const waitMs = Backoff.waitMs(_tag, room.count(_tag))
    room.set({ state: "waiting", runningSince: undefined, stoppedWhy: why, retryAt: nowMs + waitMs })
    yield* Effect.logWarning(`${room.account}: ${why}`, { trouble: _tag, waitMs })
    if (tries >= (parts.retries ?? Number.POSITIVE_INFINITY)) {
      return { outcome: _tag === "Refused" ? "refused" : "failed", said: why } satisfies TurnEnd
    }
    return yield* turn(parts, room, due, tries + 1)
  })

/** What is never tried again ends with the trouble of before: that cycle had taken everything due of the account. */
const troubled = ({ status: { retryAt, stoppedWhy } }: Room): Effect.Effect<TurnEnd | undefined> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) =>
    stoppedWhy === undefined || retryAt === undefined || retryAt <= nowMs
      ? undefined
      : { outcome: "failed", said: stoppedWhy }
  )

/** After trouble the account waits, also with due times that came meanwhile. */
const waitOut = ({ status: { retryAt }, stopping, woken }: Room) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    retryAt === undefined || retryAt <= nowMs
      ? Effect.void
      : Effect.raceFirst(
          Effect.raceFirst(Effect.sleep(Math.min(Backoff.mostMs, retryAt - nowMs)), Queue.take(woken)),
          Deferred.await(stopping)
        )
  )

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
    const isOpen = found.state === "waiting" || found.state === "running"
    if (!isOpen && !isAgain) return covered(found.detail ?? found.state)
    const startedAt = yield* Clock.currentTimeMillis
    const loaded = yield* parts.source.current
    const runId = yield* makeRunId(startedAt)
    const claimed = yield* parts.dues.claim(account, runId, startedAt)
    const wanted = runnable(loaded)
    const [gone, kept] = [
      claimed.filter(({ policy }) => !wanted.has(policy)),
      claimed.filter(({ policy }) => wanted.has(policy))
    ]
    const policies = new Set(kept.map(({ policy }) => policy))
    yield* finish(parts, room, runId, gone, "dropped", goneWhy)
    if (policies.size === 0) {
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
    const doing = (what: Doing) => Effect.sync(() => room.set({ doing: what }))
    const result = yield* parts.cycle({ account, loaded, due: policies, stopping: room.stopping, doing })
    return yield* ended(parts, room, runId, kept, result)
  })

/** Writes down how a cycle ended; whatever is not done waits for its next attempt. */
const ended = (
  parts: Parts,
  room: Room,
  runId: string,
  dues: ReadonlyArray<DueRecord>,
  result: CycleResult
): Effect.Effect<Tried, StoreFailure> =>
  Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    if (result._tag === "Done") {
      const end: TurnEnd = { outcome: "ran", said: result.said }
      yield* finish(parts, room, runId, dues, "done", result.said)
      room.rest({ at, end, runId: result.runId })
      return { _tag: "Ended", end }
    }
    const isGivenUp = isHopeless(room, dues, result._tag)
    const why = result._tag === "Stopping" ? "bidhelm was stopped before it was done" : result.why
    yield* finish(parts, room, runId, dues, isGivenUp ? "failed" : "waiting", why)
    if (!isGivenUp) return result
    const end: TurnEnd = { outcome: "failed", said: why }
    room.rest({ at, end, runId: undefined })
    room.set({ stoppedWhy: why })
    return { _tag: "Ended", end }
  })

/** Whether the due times are given up until the next ones come. */
const isHopeless = (room: Room, dues: ReadonlyArray<DueRecord>, end: CycleResult["_tag"]): boolean =>
  end === "Broken"
    ? dues.every(({ attempts }) => attempts >= Backoff.mostBroken)
    : end === "LockLost" && room.seen("LockLost") + 1 >= Backoff.mostLockLost

const goneWhy = "the policy is gone or switched off"

/** A cycle is not run again because its end could not be written: writing is tried until it is. */
const finish = (
  { dues }: Parts,
  { account, stopping }: Room,
  runId: string,
  records: ReadonlyArray<DueTime>,
  state: "done" | "failed" | "waiting" | "dropped",
  detail: string
) =>
  records.length === 0
    ? Effect.void
    : Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        dues.finish(account, runId, records, { state, detail, nowMs })
      ).pipe(
        Effect.retry({
          schedule: Schedule.union(Schedule.exponential("1 second"), Schedule.spaced("1 minute")),
          while: () => Effect.map(Deferred.isDone(stopping), (isStopping) => !isStopping)
        })
      )

const covered = (said: string): Tried => ({ _tag: "Ended", end: { outcome: "covered", said } })

/** Ids of the policies that a timetable may run. */
const runnable = ({ rules }: Loaded): ReadonlySet<string> =>
  new Set(rules.policies.filter(({ mode }) => mode !== "disabled").map(({ id }) => id))

const makeRunId = (nowMs: number) =>
  Effect.map(
    Random.nextIntBetween(0, 0x1000000),
    (tail) => `cycle-${new Date(nowMs).toISOString()}-${tail.toString(16).padStart(6, "0")}`
  )
