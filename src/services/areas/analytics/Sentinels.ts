/**
 * Numbers of the stock reports that are codes (field note A17): hours -1 endless, -2 zero, -3 not computed, -4 absent
 * the whole period; lost values -2 zero, any other negative not computed. They are told apart here, before arithmetic.
 */
import type { Kopecks } from "../../../domain/Money.js"
import * as Amounts from "../Amounts.js"

interface Known<A> {
  readonly _tag: "Known"
  readonly value: A
}
/** The stock would never run out at this rate of sales. */
interface Endless {
  readonly _tag: "Endless"
}
/** The item was missing from the warehouse for the whole period. */
interface WholePeriod {
  readonly _tag: "WholePeriod"
}
/** The marketplace gave no number; nothing is known, least of all zero. */
interface NotComputed {
  readonly _tag: "NotComputed"
}

/** A stretch of time, whole hours. */
export type Hours = Known<number> | Endless | WholePeriod | NotComputed
/** What was lost while stock was missing. */
export type Lost<A> = Known<A> | NotComputed

/** Whole hours, as the CSV reports write them. A code that is not listed counts as not computed. */
export const hours = (value: number | undefined): Hours | undefined => {
  if (value === undefined) return undefined
  if (value >= 0) return { _tag: "Known", value }
  switch (value) {
    case -1:
      return { _tag: "Endless" }
    case -2:
      return { _tag: "Known", value: 0 }
    case -4:
      return { _tag: "WholePeriod" }
    default:
      return notComputed
  }
}

/** Days and hours, as the JSON reports write them; a code stands in the hours. */
export const duration = (
  value: { readonly days?: number | undefined; readonly hours?: number | undefined } | undefined
): Hours | undefined => {
  if (value === undefined || (value.days === undefined && value.hours === undefined)) return undefined
  const { days = 0, hours: rest = 0 } = value
  if (rest < 0) return hours(rest)
  return days < 0 ? notComputed : { _tag: "Known", value: days * 24 + rest }
}

/** A lost count. */
export const lost = (value: number | undefined): Lost<number> | undefined => {
  if (value === undefined) return undefined
  if (value === -2) return { _tag: "Known", value: 0 }
  return value < 0 ? notComputed : { _tag: "Known", value }
}

/** A lost sum, base units on the wire. */
export const lostSum = (value: number | undefined): Lost<Kopecks> | undefined => {
  const sum = lost(value)
  if (sum?._tag !== "Known") return sum
  const kopecks = Amounts.decimal(sum.value)
  return kopecks === undefined ? notComputed : { _tag: "Known", value: kopecks }
}

const notComputed: NotComputed = { _tag: "NotComputed" }
