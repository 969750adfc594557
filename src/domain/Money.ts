/**
 * Money is an integer of one unit, branded by that unit; never a float.
 *
 * `Kopecks` are minor units (0.01) of the account's currency: bids, floors, recommendations (seed 001,
 * "Bids in bids_kopecks are in minor currency units"). `Roubles` are whole base units: deposits, balances,
 * budgets and the v0 cluster bid. Both names are the seller's words; the currency itself is account data.
 */
import * as Brand from "effect/Brand"
import * as Either from "effect/Either"

/** Minor units (0.01 of the base unit) of the account's currency. Safe integer. */
export type Kopecks = number & Brand.Brand<"Kopecks">

/** Whole base units of the account's currency. Safe integer. */
export type Roubles = number & Brand.Brand<"Roubles">

/** Refines an integer number; throws on a fraction, so only for values already known to be whole. */
export const Kopecks = Brand.refined<Kopecks>(
  (n) => Number.isSafeInteger(n),
  (n) => Brand.error(`${n} is not a whole number of minor units`)
)

/** Refines an integer number; throws on a fraction, so only for values already known to be whole. */
export const Roubles = Brand.refined<Roubles>(
  (n) => Number.isSafeInteger(n),
  (n) => Brand.error(`${n} is not a whole number of base units`)
)

/** Exact widening: one base unit is one hundred minor units. */
export const toKopecks = (roubles: Roubles): Kopecks => Kopecks(roubles * 100)

/** Narrowing succeeds only when no fraction is lost. */
export const toRoubles = (kopecks: Kopecks): Either.Either<Roubles, string> =>
  kopecks % 100 === 0
    ? Either.right(Roubles(kopecks / 100))
    : Either.left(`${kopecks} minor units are not a whole number of base units`)

/**
 * Reads a decimal number of base units, as text or as a JSON number, into minor units by its digits, so that
 * 0.1 + 0.2 never happens (field note M26). More than two fraction digits are rounded half away from zero.
 */
export const fromDecimal = (value: string | number): Either.Either<Kopecks, string> => {
  const plainly = typeof value === "number" ? fromPlain(value) : undefined
  if (plainly !== undefined) return Either.right(plainly)
  const text = typeof value === "number" ? plain(value) : value.trim().replace(",", ".")
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (match === null) return Either.left(`"${text}" is not an amount of money`)
  const fraction = (match[3] ?? "").padEnd(3, "0")
  const units = Number(match[2]) * 100 + Number(fraction.slice(0, 2)) + (Number(fraction[2]) >= 5 ? 1 : 0)
  return Number.isSafeInteger(units)
    ? Either.right(Kopecks(match[1] === "-" ? -units : units))
    : Either.left(`"${text}" is too large for an amount of money`)
}

/** As `fromDecimal`, undefined where the number is no amount. */
export const ofNumber = (units: number): Kopecks | undefined =>
  fromPlain(units) ?? Either.getOrUndefined(fromDecimal(units))

/** Most amounts have two digits at most, and a large account has millions: their digits are seen at once. */
const fromPlain = (units: number): Kopecks | undefined => {
  const cents = Math.round(units * 100)
  return cents / 100 === units && Math.abs(cents) < surelyExact
    ? ((cents === 0 ? 0 : cents) as Kopecks)
    : undefined
}

/** Below it, a number of base units is far nearer to its own two digits than to any others. */
const surelyExact = 1e11

const plain = (value: number): string => (Number.isFinite(value) ? value.toFixed(6) : String(value))

/** Prints base units with at most two fraction digits and a currency sign: `450 ₽`, `12.50 ₽`. */
export const format = (kopecks: Kopecks, sign = "₽"): string => {
  const absolute = Math.abs(kopecks)
  const whole = String(Math.floor(absolute / 100)).replace(/\B(?=(\d{3})+$)/g, " ")
  const fraction = absolute % 100 === 0 ? "" : `.${String(absolute % 100).padStart(2, "0")}`
  return `${kopecks < 0 ? "-" : ""}${whole}${fraction} ${sign}`
}
