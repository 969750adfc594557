/**
 * Requests of a process that hung between its last look and their first byte, and leave when it is woken. Nobody can
 * take them back (docs/reliability.md, "Two runs, or one that slept"), so they are the network's, like one that is delivered
 * late: judged is what the program makes of them. Sums of deposits count them nevertheless.
 */
import type { Observed, Request } from "../chaos/Record.js"

const known = new WeakMap<Observed, ReadonlySet<Request>>()

/** The first request of each that was woken, when it hung there. */
export const of = (observed: Observed): ReadonlySet<Request> => {
  const before = known.get(observed)
  if (before !== undefined) return before
  const found = observed.zombies.flatMap(({ isAtRequest, life, wokenAt = Number.POSITIVE_INFINITY }) => {
    const first = observed.requests.find((one) => one.life === life && one.at >= wokenAt)
    return isAtRequest === true && first?.at === wokenAt ? [first] : []
  })
  const held = new Set(found)
  known.set(observed, held)
  return held
}

/** As the checks judge it: what they did is somebody else's. */
export const asOthers = (observed: Observed): Observed => ({
  ...observed,
  echoed: new Set([...observed.echoed, ...[...of(observed)].flatMap(({ entries }) => entries)])
})
