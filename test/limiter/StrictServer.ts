/**
 * A marketplace that counts strictly: one token bucket per limit, a request is counted when it arrives, 429 when
 * there is no whole token. It knows the exact time, finer than the limiter's clock.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Bucket, Feedback } from "../../src/services/Limiter.js"
import { key } from "../../src/services/ports/LimiterStore.js"

export interface Options {
  /** Each way takes 1 ms and up to this much more, uniformly. */
  readonly jitterMs: number
  /** Numbers in [0, 1). */
  readonly random: () => number
  /** Says `remaining` in answers and `retryAfterMs` in refusals; true when absent. */
  readonly headers?: boolean
  /** Status of an accepted request; 200 when absent. */
  readonly status?: () => number
}

export interface StrictServer {
  /** Sends one request and waits for the answer; the request arrives even when nobody waits any more. */
  readonly request: (bucket: Bucket) => Effect.Effect<Feedback>
  /** Requests that arrived so far, and those of them that were refused. */
  readonly count: () => { readonly arrived: number; readonly refused: number }
  /** Lets `tokens` vanish from a bucket, as another program's calls would. */
  readonly drain: (bucket: Bucket, tokens: number) => void
}

export const make = (options: Options): StrictServer => {
  const credits = new Map<string, { creditMs: number; atMs: number }>()
  let arrived = 0
  let refused = 0
  const creditOf = (bucket: Bucket, nowMs: number) => {
    const full = bucket.burst * bucket.intervalMs
    const credit = credits.get(key(bucket)) ?? { creditMs: full, atMs: nowMs }
    credit.creditMs = Math.min(full, credit.creditMs + nowMs - credit.atMs)
    credit.atMs = nowMs
    credits.set(key(bucket), credit)
    return credit
  }
  const arrive = (bucket: Bucket, nowMs: number): Feedback => {
    const credit = creditOf(bucket, nowMs)
    const said = options.headers !== false
    arrived++
    if (credit.creditMs < bucket.intervalMs - roundingMs) {
      refused++
      const retryAfterMs = said ? Math.ceil(bucket.intervalMs - credit.creditMs) : undefined
      return { status: 429, retryAfterMs, remaining: said ? 0 : undefined }
    }
    const status = options.status?.() ?? 200
    credit.creditMs -= bucket.intervalMs * (status >= 400 && status < 500 ? bucket.cost4xx : 1)
    const left = Math.max(0, Math.floor(credit.creditMs / bucket.intervalMs))
    return { status, retryAfterMs: undefined, remaining: said ? left : undefined }
  }
  const way = Effect.suspend(() => Effect.sleep(1 + options.random() * options.jitterMs))
  return {
    request: (bucket) =>
      way.pipe(
        Effect.zipRight(exactNow),
        Effect.map((nowMs) => arrive(bucket, nowMs)),
        Effect.zipLeft(way),
        Effect.forkDaemon,
        Effect.flatMap((fiber) => fiber.await),
        Effect.flatten
      ),
    count: () => ({ arrived, refused }),
    drain: (bucket, tokens) => {
      const credit = credits.get(key(bucket))
      if (credit !== undefined) credit.creditMs -= tokens * bucket.intervalMs
    }
  }
}

const exactNow = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)

/** Sums of fractions of milliseconds are not exact. */
const roundingMs = 1e-3

/** A small repeatable source of numbers in [0, 1). */
export const dice = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
