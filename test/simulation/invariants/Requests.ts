/**
 * Invariant 6: after a write whose outcome is unknown, none to the same place before it was read again.
 * Invariant 7: at most one write to a place under way, and one deposit of the account.
 * Invariant 8: no two writes to a place within the time it takes to be seen.
 * Invariant 16: after the kill switch at most one request more changes anything; nothing is written while planning.
 * Invariant 21: no request beyond a limit, restarts included, unless others use the same limit or the clock jumped.
 * Invariant 23: requests carry the account's own token, and its own campaigns.
 * Invariant 26: a life that only finds what another left open sends nothing of it again.
 */
import type { Event } from "../chaos/Events.js"
import type { Observed, Request, Violation } from "../chaos/Record.js"
import * as Effects from "./Effects.js"

const minuteMs = 60_000
const violation = (invariant: number, { at, entries, operation }: Request, what: string): Violation => ({
  invariant,
  at,
  what: `${operation}: ${what}`,
  entries
})

/** Places a write is about, by its body: the marketplace may have refused it, so the ledger cannot tell. */
const placesOf = (request: Request): ReadonlyArray<string> =>
  request.claimed
    .filter(
      ({ operation, state }) => state === "dispatching" && operation !== null && matches(request, operation)
    )
    .map(({ slot }) => slot)

/** The journal's name for an operation may be its area's. */
const matches = (request: Request, operation: string): boolean =>
  request.operation.startsWith(operation) || operation.startsWith(request.operation)

const writes = (observed: Observed): ReadonlyArray<Request> =>
  observed.requests.filter(({ isWrite }) => isWrite)

export const unknownIsRead = (observed: Observed): ReadonlyArray<Violation> => {
  const open = new Map<string, Request>()
  const found: Array<Violation> = []
  for (const request of observed.requests) {
    if (!request.isWrite) {
      if (request.status === 200)
        for (const [place, unknown] of open)
          if (!place.startsWith("deposit:") && request.at >= (unknown.endedAt ?? unknown.at))
            open.delete(place)
      continue
    }
    const places = placesOf(request)
    for (const place of places)
      if (open.has(place)) found.push(violation(6, request, `${place} was written again before it was read`))
    for (const place of places) {
      if (request.isClear || request.isBreach) open.delete(place)
      else open.set(place, request)
    }
  }
  return found.filter(({ what }) => !what.includes("deposit:"))
}

export const oneUnderWay = (observed: Observed): ReadonlyArray<Violation> => {
  const all = writes(observed).map((request) => ({ request, places: placesOf(request) }))
  return all.flatMap(({ places, request }, index) =>
    all.slice(Math.max(0, index - 8), index).flatMap((earlier) => {
      if (earlier.request.life !== request.life || (earlier.request.endedAt ?? 0) <= request.at) return []
      const both = places.find(
        (one) =>
          earlier.places.includes(one) ||
          (one.startsWith("deposit:") && earlier.places.some((other) => other.startsWith("deposit:")))
      )
      return both === undefined ? [] : [violation(7, request, `${both} was written twice at once`)]
    })
  )
}

export const apart = (observed: Observed): ReadonlyArray<Violation> => {
  const last = new Map<string, number>()
  return Effects.of(observed).flatMap(({ entry, request }) => {
    const key = Effects.place(entry)
    const before = last.get(key)
    last.set(key, entry.at)
    return before === undefined || entry.at - before >= Effects.lagMs(entry.slot)
      ? []
      : [violation(8, request, `${key} was written ${entry.at - before} ms after the last write`)]
  })
}

export const obeysKillSwitch = (observed: Observed): ReadonlyArray<Violation> => [
  ...observed.killed.flatMap(({ from, to }) =>
    writes(observed)
      .filter(({ at }) => at > from && at < to)
      .slice(1)
      .map((request) => violation(16, request, "written although the kill switch was pulled"))
  ),
  ...observed.cycles.flatMap((cycle) =>
    observed.requests
      .slice(cycle.requestsFrom, cycle.requestsPlanned)
      .filter(({ isWrite, life }) => isWrite && life === cycle.life)
      .map((request) => violation(16, request, "written while planning"))
  )
]

const excuses = (event: Event): boolean =>
  event._tag === "OtherSoftware" ||
  event._tag === "Clock" ||
  event._tag === "Network" ||
  event._tag === "Crash" ||
  event._tag === "Stop"

/** A duplicate or a lost answer spends a token that the limiter cannot know of. */
export const withinLimits = (observed: Observed): ReadonlyArray<Violation> =>
  observed.requests.flatMap((request) => {
    if (!request.isBreach) return []
    const excused = observed.events.some((event) => {
      if (!excuses(event)) return false
      const until = "untilMs" in event ? event.untilMs : event.at
      return event.at <= request.at && request.at <= until + 70 * minuteMs
    })
    return excused ? [] : [violation(21, request, "came although its limit was used up")]
  })

export const ownAccount = (observed: Observed): ReadonlyArray<Violation> =>
  observed.requests.flatMap((request) => {
    if (request.seller !== observed.seller)
      return [violation(23, request, "carried the token of another account")]
    const ids = `${request.url} ${request.body}`.match(/\b1\d{6}\b/g) ?? []
    const foreign = ids.find(
      (id) =>
        Number(id) < observed.world.firstId || Number(id) >= observed.world.nextIndex + observed.world.firstId
    )
    return foreign === undefined || !request.isWrite
      ? []
      : [violation(23, request, `named the foreign campaign ${foreign}`)]
  })

/** Only a run of this life may send. */
export const recoveryOnlyReads = (observed: Observed): ReadonlyArray<Violation> =>
  writes(observed).flatMap((request) => {
    const before = observed.runsBefore.get(request.life)
    const sending = request.claimed.filter(
      ({ operation, state }) => state === "dispatching" && operation !== null && matches(request, operation)
    )
    return sending.length > 0 && sending.every(({ runId }) => before?.has(runId) === true)
      ? [violation(26, request, "belongs to a run of an earlier life")]
      : []
  })
