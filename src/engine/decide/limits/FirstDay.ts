/**
 * Deposits of a store that does not know the whole day of an account, because it met it, or lost its memory, today. Before a
 * person's word it makes none; after it the top-ups that the marketplace lists count against every limit of a day.
 */

import type { HeldReason } from "../../kinds/HeldReason.js"

/**
 * Since when a store knows every deposit that this program made of an account, and what the marketplace knows beside it.
 * The top-ups that it lists name no campaign (seed 001, "top-up history row"): they count for all.
 */
export interface Memory {
  readonly account: string
  /** IANA zone, for messages. */
  readonly zone: string
  /** Epoch milliseconds. */
  readonly sinceMs: number
  /** When a person said that deposits may be made all the same; epoch milliseconds. */
  readonly allowedAtMs?: number
  /** Absent when nobody asked the marketplace. */
  readonly listed?: Listed
}

/** A top-up that the marketplace lists. */
export interface TopUp {
  readonly kopecks: number
  /** Epoch milliseconds; undefined when the marketplace does not say when. */
  readonly at: number | undefined
}

/** Kopecks that are listed of today and that the store knows nothing of, or why that cannot be said. */
export type Listed = { readonly kopecks: number } | { readonly unread: string }

/** The business day that limits count in, and when they are asked; epoch milliseconds. */
export interface Today {
  readonly dayStartMs: number
  readonly nowMs: number
}

/** So long a store must have known an account before it makes deposits by itself: a whole day of any limit. */
export const firstDayMs = 24 * 3_600_000

/**
 * So long after the store met the account no list of top-ups is believed: a deposit of a store that is lost may be shown
 * later than it was made (the marketplace's database is three minutes late, seed 001 "Timing").
 */
export const listedAfterMs = 10 * 60_000

/** True when deposits of today may have been forgotten, and no person has said that they were not. */
export const isWaiting = ({ allowedAtMs, sinceMs }: Memory, { dayStartMs, nowMs }: Today): boolean =>
  sinceMs > Math.min(dayStartMs, nowMs - firstDayMs) && (allowedAtMs === undefined || allowedAtMs < sinceMs)

/** True when the marketplace's list is what tells the deposits of today, and may be believed. */
export const needsList = (memory: Memory, today: Today): boolean =>
  !isWaiting(memory, today) && isPartial(memory, today) && today.nowMs >= listableAt(memory)

/** When the list of top-ups has everything that was deposited before the store met the account; epoch milliseconds. */
export const listableAt = ({ sinceMs }: Memory): number => sinceMs + listedAfterMs

/** True when deposits of today may have been made before the store knew of them. */
export const isPartial = (memory: Memory, { dayStartMs }: Today): boolean => listableAt(memory) > dayStartMs

/** Why no deposit may be made at all; undefined when the limits decide. */
export const verdict = (memory: Memory, today: Today): HeldReason | undefined => {
  const { account, sinceMs, zone } = memory
  if (isWaiting(memory, today)) return { code: "first_day_forgotten", account, sinceMs, zone }
  if (!isPartial(memory, today)) return undefined
  const until = listableAt(memory)
  if (today.nowMs < until) return { code: "first_day_unlisted", account, until, zone }
  const { listed = { unread: "nobody was asked" } } = memory
  return "unread" in listed ? { code: "first_day_unread", account, said: listed.unread } : undefined
}

/** What counts against the limits beside the store's own deposits; kopecks. */
export const beside = (memory: Memory | undefined): number => {
  const listed = memory?.listed
  return listed !== undefined && "kopecks" in listed ? listed.kopecks : 0
}

/** The sum of `unknown`; kopecks. */
export const unknownKopecks = (...asked: Parameters<typeof unknown>): number =>
  unknown(...asked).reduce((sum, { kopecks }) => sum + kopecks, 0)

/**
 * What is listed since the day's beginning and is no deposit of the store's, each of which takes one top-up of the same sum
 * that was listed about when it was made. A top-up whose time is not told counts. The oldest first.
 */
export const unknown = (
  topUps: ReadonlyArray<TopUp>,
  own: ReadonlyArray<{ readonly kopecks: number; readonly at: number }>,
  { dayStartMs }: Pick<Today, "dayStartMs">
): ReadonlyArray<TopUp> => {
  const left = topUps
    .filter(({ at }) => at === undefined || at >= dayStartMs)
    .sort((a, b) => (a.at ?? Number.POSITIVE_INFINITY) - (b.at ?? Number.POSITIVE_INFINITY))
  for (const one of [...own].sort((a, b) => a.at - b.at)) {
    const place = left.findIndex(({ at, kopecks }) => kopecks === one.kopecks && isOf(one.at, at))
    if (place >= 0) left.splice(place, 1)
  }
  return left
}

/** Clocks differ a little, and the list may tell when the money arrived. */
const isOf = (madeAt: number, listedAt: number | undefined): boolean =>
  listedAt !== undefined && listedAt >= madeAt - clocksApartMs && listedAt <= madeAt + listedAfterMs

const clocksApartMs = 60_000
