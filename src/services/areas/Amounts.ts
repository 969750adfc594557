/** Amounts of the wire in the brands of the domain. What is absent stays absent. */
import * as Money from "../../domain/Money.js"

/** A field that is already in minor units. */
export const minor = (units: number | undefined): Money.Kopecks | undefined =>
  units === undefined ? undefined : Money.Kopecks(units)

/** A field in whole base units; absent when it is more than could be counted in minor ones, which is no amount. */
export const whole = (units: number | undefined): Money.Roubles | undefined =>
  units === undefined || !Number.isSafeInteger(units * 100) ? undefined : Money.Roubles(units)

/** A sum of minor units; absent when it is beyond all amounts. */
export const total = (units: number | undefined): Money.Kopecks | undefined =>
  units === undefined || !Number.isSafeInteger(units) ? undefined : Money.Kopecks(units)

/** A field in base units with a fraction, read by its digits (field note M26); absent when it is no amount. */
export const decimal = (units: number | undefined): Money.Kopecks | undefined =>
  units === undefined ? undefined : Money.ofNumber(units)

/** Advice of 0 means that there is none (field note M27). */
export const advised = (
  bid: { readonly bidKopecks?: number | undefined } | undefined
): Money.Kopecks | undefined =>
  bid?.bidKopecks === undefined || bid.bidKopecks <= 0 ? undefined : Money.Kopecks(bid.bidKopecks)
