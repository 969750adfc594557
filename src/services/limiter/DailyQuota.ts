/**
 * The arithmetic of a daily quota: calls are booked before they leave, per account and Moscow day, so that the first
 * one too many stays here. A refusal of the marketplace closes the quota until midnight; where the day ends is stated
 * nowhere (not-shown §2), so after a midnight that did not open it, it is tried once an hour.
 */
import * as Days from "../../domain/Days.js"
import * as When from "../../domain/When.js"
import type { Quota } from "../Operation.js"
import type { StoredQuota } from "../ports/LimiterStore.js"

/** How soon a refused quota is tried again when midnight did not open it. */
const probeMs = 3_600_000

/** The business day an instant falls into. */
const dayOf = (epochMs: number): Days.Day => Days.ofMarket(epochMs)

/** The next midnight in Moscow, epoch milliseconds. */
export const midnightAfter = (epochMs: number): number => Days.startOfMarket(Days.shift(dayOf(epochMs), 1))

/** Date and time of an instant in Moscow, `YYYY-MM-DD HH:MM`. */
export const clock = (epochMs: number): string => When.text(epochMs, Days.marketZone)

/** The quota at `nowMs`: a new day has nothing booked; a clock set back keeps the count. */
export const at = (stored: StoredQuota | undefined, nowMs: number): StoredQuota => {
  const day = dayOf(nowMs)
  if (stored === undefined) return { day, used: 0, closedUntil: undefined, refusedOn: undefined }
  const { closedUntil } = stored
  const shut = closedUntil === undefined ? undefined : Math.min(closedUntil, midnightAfter(nowMs))
  const closed = shut !== undefined && shut > nowMs ? shut : undefined
  return { ...stored, day, used: stored.day < day ? 0 : stored.used, closedUntil: closed }
}

/** When the next call may be booked; undefined when it may now. For a quota as `at` gives it. */
export const closedUntil = (quota: Quota, now: StoredQuota, nowMs: number): number | undefined =>
  now.closedUntil ?? (now.used >= quota.perDay ? midnightAfter(nowMs) : undefined)

/** The quota with one more call. */
export const book = (now: StoredQuota): StoredQuota => ({ ...now, used: now.used + 1 })

/** The quota without a call that never reached the marketplace; one of another day stays as it was. */
export const giveBack = (now: StoredQuota, day: string): StoredQuota =>
  now.day === day ? { ...now, used: Math.max(0, now.used - 1) } : now

/** The quota after the marketplace said that it is used up. */
export const refuse = (now: StoredQuota, nowMs: number): StoredQuota => {
  const probing = now.refusedOn !== undefined && now.refusedOn < now.day
  const midnight = midnightAfter(nowMs)
  return {
    ...now,
    closedUntil: probing ? Math.min(midnight, nowMs + probeMs) : midnight,
    refusedOn: now.refusedOn ?? now.day
  }
}

/** The quota after a call that was served: it is open. */
export const accept = (now: StoredQuota): StoredQuota => ({ ...now, refusedOn: undefined })
