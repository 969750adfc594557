/**
 * The door of one bucket in this process. Requests wait in turns, lanes by their shares; one fiber, alive only while somebody waits, sleeps
 * until the bucket allows the next one, records the departure in the store and opens the door once.
 */
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Lane } from "../../domain/Lane.js"
import * as ScaledClock from "../../domain/ScaledClock.js"
import { type Bucket, type Feedback, LimitStopped } from "../Limiter.js"
import type { LimiterStore, LimiterStoreFailure, StoredBucket } from "../ports/LimiterStore.js"
import { Shares } from "./Shares.js"
import * as TokenBucket from "./TokenBucket.js"

/** Somebody waiting at the door; `turn` brings the id under which the request's departure is recorded. */
export interface Waiter {
  readonly lane: Lane
  readonly consumer: string
  /** Latest moment at which leaving is still of use, epoch milliseconds. */
  readonly deadline: number
  readonly turn: Deferred.Deferred<string, LimitStopped>
}

export class Gate {
  private readonly turns = new Shares<Waiter>()
  /** Opened when something happened that may let a request leave earlier than thought. */
  private readonly news = Effect.unsafeMakeLatch(false)
  /** The bucket as this process saw it last; undefined when it must be read again. */
  private seen: StoredBucket | undefined
  private running = false
  /** Whether anybody who waits may have a deadline. */
  private impatient = false
  private departures = 0
  /** When the turns were granted whose requests have left, or are about to, and whose end is not known yet. */
  private readonly awaited = new Map<string, number>()
  /** Whether somebody was told that the store is slow, since a turn was last kept in time. */
  private isTold = false

  constructor(
    public bucket: Bucket,
    private readonly store: LimiterStore["Type"],
    private readonly scope: Scope.Scope
  ) {}

  /** Queues up. Whoever joins must end with `cancel`, `giveBack` or `arrive`. */
  join(lane: Lane, consumer: string, patienceMs: number): Effect.Effect<Waiter> {
    return Effect.gen(this, function* () {
      const deadline = (yield* Clock.currentTimeMillis) + patienceMs
      const waiter = { lane, consumer, deadline, turn: yield* Deferred.make<string, LimitStopped>() }
      if (patienceMs < Number.POSITIVE_INFINITY) this.impatient = true
      this.turns.add(lane, consumer, waiter)
      this.news.unsafeOpen()
      if (!this.running) {
        this.running = true
        yield* Effect.forkIn(Effect.interruptible(this.letThrough), this.scope)
      }
      return waiter
    })
  }

  /** Leaves the queue; a turn that came in the same moment is given back. */
  cancel(waiter: Waiter): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      if (this.turns.remove(waiter.lane, waiter.consumer, waiter)) return this.news.unsafeOpen()
      const turn = yield* Deferred.poll(waiter.turn)
      if (turn._tag === "None") return
      yield* Effect.matchEffect(turn.value, {
        onFailure: () => Effect.void,
        onSuccess: (id) => this.giveBack(id)
      })
    })
  }

  /**
   * Why a request must not leave any more: its turn was granted so long ago that other processes might count it as arrived before
   * it has. Undefined while it may.
   */
  late(id: string): Effect.Effect<string | undefined> {
    return Effect.map(Effect.clock, (clock) => {
      const nowMs = clock.unsafeCurrentTimeMillis()
      const tookMs = (nowMs - (this.awaited.get(id) ?? nowMs)) / ScaledClock.speedOf(clock)
      return tookMs <= TokenBucket.takenWithinMs
        ? undefined
        : `the limit of ${this.bucket.limitGroup}: the store took ${Math.ceil(tookMs / 1000)} s to keep a turn, which may take ${TokenBucket.takenWithinMs / 1000} s, and nothing was sent; see what keeps its disk or server busy`
    })
  }

  /** The request did not leave after all. */
  giveBack(id: string): Effect.Effect<void> {
    this.awaited.delete(id)
    return this.record((now) => TokenBucket.giveBack(now, id))
  }

  /** The request has come to its end. */
  arrive(id: string, feedback: Feedback): Effect.Effect<void> {
    return this.record((now, nowMs, speed) =>
      TokenBucket.arrive(this.bucket, now, id, feedback, nowMs, speed)
    ).pipe(Effect.ensuring(Effect.sync(() => this.awaited.delete(id))))
  }

  private readonly letThrough: Effect.Effect<void> = Effect.gen(this, function* () {
    const speed = ScaledClock.speedOf(yield* Effect.clock)
    while (this.turns.size > 0) {
      this.news.unsafeClose()
      const nowMs = yield* Clock.currentTimeMillis
      const until = this.nextAt(nowMs, speed)
      if (until > nowMs) {
        if (this.impatient) this.dismiss(nowMs)
        if (this.turns.size > 0) yield* this.pause(until - nowMs)
      } else {
        const id = yield* this.depart
        if (id === undefined) continue
        const waiter = this.turns.take()
        if (waiter === undefined) yield* Effect.uninterruptible(this.giveBack(id))
        else Deferred.unsafeDone(waiter.turn, Effect.succeed(id))
      }
    }
    // In the same step as the last look: whoever joins after it must find nobody at work, or would wait for ever.
    this.running = false
  }).pipe(
    Effect.catchAll((failure) => Effect.sync(() => this.stopAll(failure))),
    Effect.onError((cause) => Effect.sync(() => this.abandonAll(cause)))
  )

  /** Until then, or until news; what another process has in the air must be read again after it. */
  private pause(forMs: number): Effect.Effect<void> {
    return Effect.raceFirst(Effect.sleep(forMs), this.news.await).pipe(
      Effect.zipRight(
        Effect.sync(() => {
          if (this.seen !== undefined && TokenBucket.shared(this.seen, this.store.owner))
            this.seen = undefined
        })
      )
    )
  }

  private at(stored: StoredBucket | undefined, nowMs: number, speed: number): StoredBucket {
    const held = stored === undefined ? undefined : TokenBucket.held(stored, this.awaited, nowMs, speed)
    return TokenBucket.at(this.bucket, held, nowMs, this.store.alive, speed)
  }

  /** As far as this process knows; the store has the last word in `depart`. */
  private nextAt(nowMs: number, speed: number): number {
    if (this.seen === undefined) return nowMs
    this.seen = this.at(this.seen, nowMs, speed)
    return TokenBucket.nextAt(this.bucket, this.seen, nowMs, this.store.owner)
  }

  /**
   * Records a departure if the bucket allows one now; undefined when it does not, or when it came too late: whose patience
   * has ended meanwhile is sent away then.
   */
  private readonly depart: Effect.Effect<string | undefined, LimiterStoreFailure> = Effect.gen(
    this,
    function* () {
      const clock = yield* Effect.clock
      const speed = ScaledClock.speedOf(clock)
      const { owner } = this.store
      let grantedAt = 0
      const id = `${owner} ${this.departures++}`
      const left = yield* this.store.update(this.bucket, (stored) => {
        const nowMs = clock.unsafeCurrentTimeMillis()
        const now = this.at(stored, nowMs, speed)
        const free = TokenBucket.nextAt(this.bucket, now, nowMs, owner) <= nowMs
        grantedAt = nowMs
        this.seen = free ? TokenBucket.depart(now, { id, owner }, nowMs, speed) : now
        return [free ? id : undefined, this.seen]
      })
      if (left === undefined) return undefined
      this.awaited.set(left, grantedAt)
      const problem = yield* this.late(left)
      if (problem !== undefined) {
        if (!this.isTold) yield* Effect.logWarning(problem)
        this.stopUnkept(problem, clock.unsafeCurrentTimeMillis())
        yield* this.giveBack(left)
      }
      this.isTold = problem !== undefined
      return problem === undefined ? left : undefined
    }
  )

  /**
   * Stores what became of a request. When that fails the answer is handed on all the same: the departure is already
   * stored, and counts as spent when it can no longer arrive.
   */
  private record(
    change: (now: StoredBucket, nowMs: number, speed: number) => StoredBucket
  ): Effect.Effect<void> {
    return Effect.flatMap(Effect.clock, (clock) => {
      const speed = ScaledClock.speedOf(clock)
      return this.store.update(this.bucket, (stored) => {
        // Not before: a process that hangs on its way to the store would turn the bucket back to then.
        const nowMs = clock.unsafeCurrentTimeMillis()
        this.seen = change(this.at(stored, nowMs, speed), nowMs, speed)
        return [undefined, this.seen]
      })
    }).pipe(
      Effect.catchAll((failure) => {
        this.seen = undefined
        return Effect.logWarning(`the limit of ${this.bucket.limitGroup}: ${failure.message}`)
      }),
      Effect.ensuring(Effect.sync(() => this.news.unsafeOpen()))
    )
  }

  /** Sends away those whose turn will certainly come too late. */
  private dismiss(nowMs: number): void {
    let at = this.seen === undefined ? nowMs : TokenBucket.soonestAt(this.bucket, this.seen, nowMs)
    this.impatient = false
    for (const waiter of [...this.turns.inOrder()]) {
      if (at <= waiter.deadline) {
        at += this.bucket.intervalMs
        if (waiter.deadline < Number.POSITIVE_INFINITY) this.impatient = true
      } else
        this.stop(waiter, { because: "no_room", waitMs: at - nowMs, frozenUntil: this.seen?.frozenUntil })
    }
  }

  private stopAll(failure: LimiterStoreFailure): void {
    this.running = false
    this.seen = undefined
    this.stopUnkept(failure.message, Number.POSITIVE_INFINITY)
  }

  /** Sends away those whose patience ends by then: the store keeps no turn for them. */
  private stopUnkept(problem: string, untilMs: number): void {
    for (const waiter of [...this.turns.inOrder()]) {
      if (waiter.deadline <= untilMs)
        this.stop(waiter, { because: "not_kept", waitMs: 0, frozenUntil: undefined, problem })
    }
  }

  private stop(
    waiter: Waiter,
    why: Pick<LimitStopped, "because" | "waitMs" | "frozenUntil" | "problem">
  ): void {
    this.turns.remove(waiter.lane, waiter.consumer, waiter)
    Deferred.unsafeDone(
      waiter.turn,
      Effect.fail(new LimitStopped({ limitGroup: this.bucket.limitGroup, ...why }))
    )
  }

  /** The limiter is closed, or its program is wrong: nobody's turn will come. */
  private abandonAll(cause: Cause.Cause<never>): void {
    this.running = false
    for (let waiter = this.turns.take(); waiter !== undefined; waiter = this.turns.take()) {
      Deferred.unsafeDone(waiter.turn, Effect.failCause(cause))
    }
  }
}
