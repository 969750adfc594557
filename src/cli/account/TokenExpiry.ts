/** When a token ends, as a person reads it. */
import * as Days from "../../domain/Days.js"
import * as Duration from "../terminal/Duration.js"

const dayMs = 86_400_000

/** Further away than this the year says enough. */
const farMs = 5 * 365 * dayMs

/**
 * `expires on 2026-12-01, in 9 d`, `does not expire before 2099`, `expired on 2026-01-31`: the day in the account's
 * zone, both instants in epoch milliseconds.
 */
export const text = (expiresAt: number | undefined, nowMs: number, zone: string): string => {
  if (expiresAt === undefined) return "expiry unknown"
  const day = Days.at(expiresAt, zone)
  const left = expiresAt - nowMs
  if (left <= 0) return `expired on ${day}`
  if (left > farMs) return `does not expire before ${day.slice(0, 4)}`
  return `expires on ${day}, in ${left < 2 * dayMs ? Duration.format(left) : `${Math.floor(left / dayMs)} d`}`
}
