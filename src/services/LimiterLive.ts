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
import {
  type Bucket,
  type BucketState,
  Consumer,
  type Feedback,
  Limiter,
  type LimitStopped,
  MaxWait,
  type QuotaState
} from "./Limiter.js"
import { booked, type Waiting } from "./limiter/Booking.js"
import * as DailyQuota from "./limiter/DailyQuota.js"
import { Gate } from "./limiter/Gate.js"
import * as TokenBucket from "./limiter/TokenBucket.js"
import { key, LimiterStore } from "./ports/LimiterStore.js"

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
            : booked(store, waiting, bucket, bucket.quota, send, feedback, (sent, told) =>
                pass(gateOf(bucket), sent, told)
              )
        ),
      states: states(store, gates),
      quotas: quotas(store)
    }
  })
)

/** Interrupted while waiting, the turn is given back; interrupted under way, the token counts as spent. */
const pass = <A, E, R>(
  gate: Gate,
  send: Effect.Effect<A, E, R>,
  feedback: (exit: Exit.Exit<A, E>) => Feedback
): Effect.Effect<A, E | LimitStopped, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const waiter = yield* gate.join(yield* Working, yield* Consumer, yield* MaxWait)
      const turn = yield* Effect.exit(restore(Deferred.await(waiter.turn)))
      if (Exit.isFailure(turn)) {
        yield* gate.cancel(waiter)
        return yield* Effect.failCause(turn.cause)
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
const states = (
  store: LimiterStore["Type"],
  gates: ReadonlyMap<string, Gate>
): Effect.Effect<ReadonlyArray<BucketState>> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const rows = yield* store.list
    return rows.map(({ bucket, stored }): BucketState => {
      const now = TokenBucket.at(bucket, stored, nowMs, store.alive)
      return {
        bucket,
        available: TokenBucket.available(bucket, now, nowMs),
        inFlight: now.flights.length,
        waiting: gates.get(key(bucket))?.waiting ?? 0,
        frozenUntil: now.frozenUntil
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
