/** Strict token buckets, one per seller, token kind and limit group (seed 001 "Limits", contract "Reading a limit"). */
import type { Limit } from "../services/Operation.js"

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

/** Takes tokens for one request. An empty bucket gives none and loses none. */
export const take = (buckets: Buckets, key: string, limit: Limit, nowMs: number, tokens = 1): Taken => {
  const fullAt = Math.max(buckets.get(key) ?? nowMs, nowMs)
  const after = fullAt + limit.intervalMs * tokens
  const readyAt = after - limit.burst * limit.intervalMs
  if (readyAt > nowMs)
    return {
      _tag: "Empty",
      retrySeconds: seconds(readyAt - nowMs),
      resetSeconds: seconds(fullAt - nowMs),
      limit: limit.burst
    }
  buckets.set(key, after)
  return { _tag: "Taken", remaining: Math.floor((nowMs - readyAt) / limit.intervalMs + 1e-9) }
}

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))
