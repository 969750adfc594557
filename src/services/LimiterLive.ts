/**
 * The limiter: per bucket, a queue in which lanes have fair shares and consumers take turns, and one fiber that lets the next request leave at
 * the exact moment the bucket allows it. The decision and its record are one transaction of `LimiterStore`,
 * committed before the request leaves, so neither a killed process nor a second one can spend a token twice. A daily
 * quota is booked before that, in the same store.
 */

import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { Working } from "../domain/Lane.js"
import * as ScaledClock from "../domain/ScaledClock.js"
import {
  type Bucket,
  type BucketState,
  Consumer,
  type Feedback,
  Limiter,
  LimitStopped,
  MaxWait,
  type QuotaState
} from "./Limiter.js"
import * as DailyQuota from "./limiter/DailyQuota.js"
import { Gate } from "./limiter/Gate.js"
import * as TokenBucket from "./limiter/TokenBucket.js"
import type { Quota } from "./Operation.js"
import { key, LimiterStore, type LimiterStoreFailure, type StoredQuota } from "./ports/LimiterStore.js"

export const layer: Layer.Layer<Limiter, never, LimiterStore> = Layer.scoped(
  Limiter,
  Effect.gen(function* () {
    const store = yield* LimiterStore
    const scope = yield* Effect.scope
    const gates = new Map<string, Gate>()
    const waiting: Waiting = new Map()
    const gateOf = (bucket: Bucket): Gate => {
      const known = gates.get(key(bucket))
      const gate = known ?? new Gate(bucket, store, scope)
      gate.bucket = bucket
      gates.set(key(bucket), gate)
      return gate
    }
    return {
      call: (bucket, send, feedback) =>
        Effect.suspend(() =>
          bucket.quota === undefined
            ? pass(gateOf(bucket), send, feedback)
            : booked(store, waiting, gateOf(bucket), bucket.quota, send, feedback)
        ),
      states: states(store),
      quotas: quotas(store)
    }
  })
)

/**
 * Interrupted while waiting, the turn is given back; interrupted under way, the token counts as spent. `ready` is what comes
 * between the turn and the sending; the turn is given back when it fails.
 */
const pass = <A, E, R>(
  gate: Gate,
  send: Effect.Effect<A, E, R>,
  feedback: (exit: Exit.Exit<A, E>) => Feedback,
  ready: (turn: string) => Effect.Effect<void, LimitStopped> = () => Effect.void
): Effect.Effect<A, E | LimitStopped, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const waiter = yield* gate.join(yield* Working, yield* Consumer, yield* MaxWait)
      const turn = yield* Effect.exit(restore(Deferred.await(waiter.turn)))
      if (Exit.isFailure(turn)) {
        yield* gate.cancel(waiter)
        return yield* Effect.failCause(turn.cause)
      }
      const readied = yield* Effect.exit(restore(ready(turn.value)))
      if (Exit.isFailure(readied)) {
        yield* gate.giveBack(turn.value)
        return yield* Effect.failCause(readied.cause)
      }
      let left = false
      const sent = Effect.suspend(() => {
        left = true
        return send
      })
      const exit = yield* Effect.exit(restore(sent))
      yield* left
        ? gate.arrive(turn.value, Exit.isInterrupted(exit) ? unanswered : feedback(exit))
        : gate.giveBack(turn.value)
      return yield* exit
    })
  )

const unanswered: Feedback = { status: undefined, retryAfterMs: undefined, remaining: undefined }

/** Every bucket the store knows, as it is now. Empty when the store cannot be read. */
const states = (store: LimiterStore["Type"]): Effect.Effect<ReadonlyArray<BucketState>> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const speed = ScaledClock.speedOf(yield* Effect.clock)
    const rows = yield* store.list
    return rows.map(({ bucket, stored }): BucketState => {
      const now = TokenBucket.at(bucket, stored, nowMs, store.alive, speed)
      const nextAt = TokenBucket.soonestAt(bucket, now, nowMs)
      return {
        bucket,
        available: TokenBucket.available(bucket, now, nowMs),
        inFlight: now.flights.length,
        frozenUntil: now.frozenUntil,
        nextAt: nextAt > nowMs ? nextAt : undefined
      }
    })
  }).pipe(Effect.catchAll((failure) => Effect.as(Effect.logWarning(failure.message), [])))

/** Every daily quota the store knows, as it is now. Empty when the store cannot be read. */
const quotas = (store: LimiterStore["Type"]): Effect.Effect<ReadonlyArray<QuotaState>> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const rows = yield* store.listQuotas
    return rows.map(({ account, quota, stored }): QuotaState => {
      const now = DailyQuota.at(stored, nowMs)
      const closedUntil = DailyQuota.closedUntil(quota, now, nowMs)
      return { account, quota, used: now.used, closedUntil, refused: now.closedUntil !== undefined }
    })
  }).pipe(Effect.catchAll((failure) => Effect.as(Effect.logWarning(failure.message), [])))

// Calls of operations with a daily quota. A call is booked when its turn in the bucket has come, before it leaves,
// so that a killed process loses no more bookings than it had requests in the air; and one for which no room will be
// left is stopped before it waits.

type Store = LimiterStore["Type"]

/** How many calls of this process wait for their turn, by account and quota. */
type Waiting = Map<string, number>

/**
 * Passes a request under a booking of the bucket's quota. A request that certainly did not reach the marketplace gives
 * its booking back; any other keeps it, also when this process ends meanwhile. The booking is a second transaction of a store
 * that may be slow: where it came too late, nothing is sent.
 */
const booked = <A, E, R>(
  store: Store,
  waiting: Waiting,
  gate: Gate,
  quota: Quota,
  send: Effect.Effect<A, E, R>,
  feedback: (exit: Exit.Exit<A, E>) => Feedback
): Effect.Effect<A, E | LimitStopped, R> =>
  Effect.suspend(() => {
    const call = new Call(store, waiting, gate.bucket, quota)
    const sent = Effect.onExit(send, (exit) =>
      call.settle(Exit.isInterrupted(exit) ? unansweredBooking : feedback(exit))
    )
    const ready = (turn: string) =>
      Effect.gen(function* () {
        yield* call.book
        const problem = yield* gate.late(turn)
        if (problem !== undefined) return yield* unkept(quota, problem)
      })
    return call.queue.pipe(
      Effect.zipRight(pass(gate, sent, () => call.outcome, ready)),
      Effect.ensuring(call.leave)
    )
  })

const unansweredBooking: Feedback = { status: undefined, retryAfterMs: undefined, remaining: undefined }
const neverLeft: Feedback = { ...unansweredBooking, arrived: "no" }

class Call {
  /** What became of the request so far. */
  outcome: Feedback = neverLeft
  private queued = false
  private day = ""
  /** One call of the quota is taken, and what became of it is not settled. */
  private isBooked = false

  constructor(
    private readonly store: Store,
    private readonly waiting: Waiting,
    private readonly bucket: Bucket,
    private readonly quota: Quota
  ) {}

  /** Joins those that wait, if the quota has room for all of them. */
  readonly queue: Effect.Effect<void, LimitStopped> = Effect.suspend(() =>
    this.withRoom((now) => {
      this.join()
      return now
    })
  )

  /** Takes one call of the quota. Not to be interrupted: nobody would know whether it is taken. */
  readonly book: Effect.Effect<void, LimitStopped> = Effect.suspend(() =>
    this.withRoom((now) => {
      this.outcome = unansweredBooking
      this.day = now.day
      return DailyQuota.book(now)
    })
  ).pipe(
    Effect.tap(() => Effect.sync(() => (this.isBooked = true))),
    Effect.uninterruptible
  )

  /** When the store fails here, the booking simply stays. */
  settle(outcome: Feedback): Effect.Effect<void> {
    this.outcome = outcome
    this.isBooked = false
    return this.update((now, nowMs): readonly [undefined, StoredQuota] => {
      if (outcome.arrived === "no") return [undefined, DailyQuota.giveBack(now, this.day)]
      if (outcome.daily === true) return [undefined, DailyQuota.refuse(now, nowMs)]
      const served = outcome.status !== undefined && outcome.status < 300
      return [undefined, served ? DailyQuota.accept(now) : now]
    }).pipe(
      Effect.catchAll((failure) =>
        Effect.logWarning(`the daily quota of ${this.quota.group}: ${failure.message}`)
      )
    )
  }

  /** Gives back what it has taken and never used. */
  readonly leave: Effect.Effect<void> = Effect.suspend(() => {
    this.unqueue()
    return this.isBooked ? this.settle(neverLeft) : Effect.void
  })

  private unqueue(): void {
    if (this.queued) this.waiting.set(this.name, this.ahead - 1)
    this.queued = false
  }

  private join(): void {
    this.waiting.set(this.name, this.ahead + 1)
    this.queued = true
  }

  private get ahead(): number {
    return this.waiting.get(this.name) ?? 0
  }

  private get name(): string {
    return JSON.stringify([this.bucket.account, this.quota.group])
  }

  /** Changes the quota if there is room beside those that wait; this call is none of them meanwhile. */
  private withRoom(change: (now: StoredQuota) => StoredQuota): Effect.Effect<void, LimitStopped> {
    // Before the transaction: where that is tried anew, the attempt before has joined or left already.
    const isNew = !this.queued
    return this.update((now, nowMs) => {
      this.unqueue()
      this.outcome = neverLeft
      const promised = { ...now, used: now.used + (isNew ? this.ahead : 0) }
      const until = DailyQuota.closedUntil(this.quota, promised, nowMs)
      const refused = now.closedUntil !== undefined
      return until === undefined ? [undefined, change(now)] : [full(this.quota, until, nowMs, refused), now]
    }).pipe(
      Effect.catchTag("LimiterStoreFailure", (failure) => Effect.fail(unkept(this.quota, failure.message))),
      Effect.flatMap((stopped) => (stopped === undefined ? Effect.void : Effect.fail(stopped)))
    )
  }

  private update<A>(
    change: (now: StoredQuota, nowMs: number) => readonly [A, StoredQuota]
  ): Effect.Effect<A, LimiterStoreFailure> {
    return Effect.flatMap(Effect.clock, (clock) =>
      this.store.updateQuota(this.bucket.account, this.quota, (stored) => {
        // Not before: a process that hangs on its way to the store would turn the day back.
        const nowMs = clock.unsafeCurrentTimeMillis()
        return change(DailyQuota.at(stored, nowMs), nowMs)
      })
    )
  }
}

const full = (quota: Quota, until: number, nowMs: number, refused: boolean): LimitStopped => {
  const why = refused
    ? "the marketplace says that it is used up"
    : `${quota.perDay} of ${quota.perDay} are booked`
  return new LimitStopped({
    limitGroup: quota.group,
    because: "no_room",
    waitMs: until - nowMs,
    frozenUntil: until,
    problem: `the daily quota of ${quota.group} leaves no room for another call: ${why}; run again after ${DailyQuota.clock(until)} in Moscow`
  })
}

const unkept = (quota: Quota, problem: string): LimitStopped =>
  new LimitStopped({
    limitGroup: quota.group,
    because: "not_kept",
    waitMs: 0,
    frozenUntil: undefined,
    problem
  })
