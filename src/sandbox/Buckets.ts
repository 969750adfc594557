/**
 * Strict token buckets, one per seller, token kind and limit group (contract "Reading a limit"). On the marketplace
 * host a 4xx answer counts as ten requests (seed 000 "Limits"): the bucket may go below zero and must fill up again.
 */
import type { Limit } from "../services/Operation.js"

/** What of a limit a bucket needs. */
type Shape = Pick<Limit, "burst" | "intervalMs">

/** The instant each bucket is full again, milliseconds with fractions; a bucket not named is full. */
export type Buckets = Map<string, number>

export const make = (): Buckets => new Map()

export type Taken =
  | { readonly _tag: "Taken"; readonly remaining: number }
  | {
      readonly _tag: "Empty"
      readonly retrySeconds: number
      readonly resetSeconds: number
      readonly limit: number
    }

/** Takes the token of one request. An empty bucket gives none and loses none: a 429 costs nothing. */
export const take = (buckets: Buckets, key: string, limit: Shape, nowMs: number): Taken => {
  const fullAt = Math.max(buckets.get(key) ?? nowMs, nowMs)
  const after = fullAt + limit.intervalMs
  const readyAt = after - limit.burst * limit.intervalMs
  if (readyAt > nowMs)
    return {
      _tag: "Empty",
      retrySeconds: seconds(readyAt - nowMs),
      resetSeconds: seconds(fullAt - nowMs),
      limit: limit.burst
    }
  buckets.set(key, after)
  return { _tag: "Taken", remaining: remaining(buckets, key, limit, nowMs) }
}

/** Takes `tokens` more for a request that was let in, also below zero, or gives back; answers what is left. */
export const charge = (
  buckets: Buckets,
  key: string,
  limit: Shape,
  nowMs: number,
  tokens: number
): number => {
  buckets.set(key, Math.max(buckets.get(key) ?? nowMs, nowMs) + limit.intervalMs * tokens)
  return remaining(buckets, key, limit, nowMs)
}

/** Whole tokens left. */
const remaining = (buckets: Buckets, key: string, limit: Shape, nowMs: number): number => {
  const missing = ((buckets.get(key) ?? nowMs) - nowMs) / limit.intervalMs
  return Math.max(0, Math.floor(limit.burst - missing + 1e-9))
}

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))
