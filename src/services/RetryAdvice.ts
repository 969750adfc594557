/**
 * When to call again, as the answer's headers say. Order of trust: `X-Ratelimit-Retry`, then `Retry-After` in seconds
 * or as an HTTP date (not-shown §2, field note T08).
 */

const dayMs = 86_400_000

type Headers = Readonly<Record<string, string | undefined>>

/** Milliseconds to wait; undefined when nothing usable was said. Nonsense beyond a day is cut to a day. */
export const retryAfterMs = (headers: Headers, nowMs: number): number | undefined =>
  seconds(headers["x-ratelimit-retry"]) ??
  seconds(headers["retry-after"]) ??
  date(headers["retry-after"], nowMs)

/** Tokens left in the bucket, as the marketplace counts them. */
export const remaining = (headers: Headers): number | undefined => {
  const text = headers["x-ratelimit-remaining"]
  return text !== undefined && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined
}

const seconds = (text: string | undefined): number | undefined =>
  text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Math.min(Number(text) * 1000, dayMs) : undefined

const date = (text: string | undefined, nowMs: number): number | undefined => {
  if (text === undefined || !/^[A-Za-z]{3,9},/.test(text.trim())) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - nowMs), dayMs)
}
