/**
 * Invariant 6: after a write whose outcome is unknown, none to the same place before it was read when it can be seen.
 * Invariant 7: at most one write to a place under way, and one deposit of the account; only who holds its lock writes.
 * Invariant 8: no two writes to a place within the time it takes to be seen.
 * Invariant 16: nothing is written once the kill switch is pulled, nor while planning, nor by a policy that only shows.
 * Invariant 21: no request beyond a limit, crashes and restarts included, unless others use it, the network repeats
 * requests or the clock jumped.
 * Invariant 23: requests carry the account's own token, and its own campaigns.
 * Invariant 26: a life that only finds what another left open sends nothing of it again, nor anything over it.
 */
import * as Bids from "../../../src/engine/kinds/Bids.js"
import type { Event } from "../chaos/Events.js"
import type { Observed, Request, Violation } from "../chaos/Record.js"
import * as Effects from "./Effects.js"
import * as Held from "./Held.js"
import { violation } from "./Judging.js"
import * as Reads from "./Reads.js"

const minuteMs = 60_000
const writes = (observed: Observed): ReadonlyArray<Request> =>
  observed.requests.filter((one) => one.isWrite && !Held.of(observed).has(one))

/**
 * Read means: that very place, when the write can be seen, or was seen. Of deposits no reading allows a second one
 * (invariant 4).
 */
export const unknownIsRead = (observed: Observed): ReadonlyArray<Violation> => {
  const open = new Map<string, { readonly seenFrom: number }>()
  const effectiveAt = new Map(observed.ledger.map((entry) => [entry.seq, entry.effectiveAt]))
  const found: Array<Violation> = []
  for (const request of observed.requests) {
    if (Held.of(observed).has(request)) continue
    if (!request.isWrite) {
      for (const [slot, { seenFrom }] of open)
        if (request.at >= seenFrom && Reads.tells(request, slot)) open.delete(slot)
      continue
    }
    const slots = Reads.asked(request).flatMap(({ slot }) => (slot.startsWith("deposit:") ? [] : [slot]))
    for (const slot of slots) {
      if (open.has(slot)) found.push(violation(6, request, `${slot} was written again before it was read`))
      const seen = request.entries.map((seq) => effectiveAt.get(seq) ?? 0)
      const latest = (request.endedAt ?? request.at) + Reads.lagMs(slot)
      if (request.isClear || request.isBreach) open.delete(slot)
      else open.set(slot, { seenFrom: seen.length === 0 ? latest : Math.max(...seen) })
    }
  }
  return found
}

export const oneUnderWay = (observed: Observed): ReadonlyArray<Violation> => {
  const all = writes(observed).map((request) => ({
    request,
    slots: Reads.asked(request).map(({ slot }) => slot)
  }))
  return all.flatMap(({ request, slots }, index) =>
    all.slice(Math.max(0, index - 8), index).flatMap((earlier) => {
      if (earlier.request.life !== request.life || (earlier.request.endedAt ?? 0) <= request.at) return []
      const both = slots.find(
        (one) =>
          earlier.slots.includes(one) || (isDeposit(one) && earlier.slots.some((other) => isDeposit(other)))
      )
      return both === undefined ? [] : [violation(7, request, `${both} was written twice at once`)]
    })
  )
}

const isDeposit = (slot: string): boolean => slot.startsWith("deposit:")

/** A row that another run left open is a write that may still come; of a run of an earlier life it is invariant 26. */
export const noneLeftOpen = (observed: Observed): ReadonlyArray<Violation> =>
  writes(observed).flatMap((request) => {
    const before = observed.runsBefore.get(request.life)
    const asked = Reads.asked(request)
    const own = asked.findLast(({ runId }) => before?.has(runId) !== true) ?? asked.at(-1)
    if (own === undefined) return []
    const other = request.claimed.find(
      ({ runId, slot, state }) =>
        runId !== own.runId &&
        ["dispatching", "accepted", "unknown"].includes(state) &&
        (slot === own.slot || (isDeposit(slot) && isDeposit(own.slot)))
    )
    if (other === undefined) return []
    const isDead = before?.has(other.runId) === true
    return [violation(isDead ? 26 : 7, request, `${other.slot} is still ${other.state} by ${other.runId}`)]
  })

export const apart = (observed: Observed): ReadonlyArray<Violation> => {
  const last = new Map<string, number>()
  return Effects.of(observed).flatMap(({ entry, request }) => {
    // A promotion takes task after task, and no item twice (invariant 28).
    if (entry.slot === "promotion" || Effects.isOfOrders(entry.slot)) return []
    const key = Effects.place(entry)
    const before = last.get(key)
    last.set(key, entry.at)
    return before === undefined || entry.at - before >= Effects.lagMs(entry.slot)
      ? []
      : [violation(8, request, `${key} was written ${entry.at - before} ms after the last write`)]
  })
}

/**
 * Nothing leaves once the kill switch is pulled: it is asked right before a request's first byte, and the time of the
 * simulation stands still between. A process that hung there could not ask again.
 */
export const obeysKillSwitch = (observed: Observed): ReadonlyArray<Violation> => {
  const indexOf = new Map(observed.requests.map((one, index) => [one, index]))
  return [
    ...observed.killed.flatMap(({ from, requestsFrom = Number.POSITIVE_INFINITY, to }) =>
      writes(observed)
        .filter(
          (one) =>
            one.at < to &&
            (one.at > from || indexOf.get(one)! >= requestsFrom) &&
            !wokenWith(observed, one, from)
        )
        .map((request) => violation(16, request, "written although the kill switch was pulled"))
    ),
    ...observed.cycles.flatMap((cycle) =>
      observed.requests
        .slice(cycle.requestsFrom, cycle.requestsPlanned)
        .filter((request) => request.isWrite && request.cycle === cycle)
        .map((request) => violation(16, request, "written while planning"))
    )
  ]
}

/** The first request of a process that hung when the kill switch was pulled. */
const wokenWith = ({ requests, zombies }: Observed, request: Request, killedAt: number): boolean =>
  zombies.some(
    ({ hungAt, life, wokenAt = Number.POSITIVE_INFINITY }) =>
      life === request.life &&
      hungAt <= killedAt &&
      wokenAt >= killedAt &&
      requests.find((one) => one.life === life && one.isWrite && one.at >= wokenAt) === request
  )

/** Who writes holds the account's lock, as the store has it when the request leaves. */
export const holdsLock = (observed: Observed): ReadonlyArray<Violation> =>
  writes(observed).flatMap((request) => {
    const { life, lockedBy } = request
    return lockedBy === undefined || lockedBy.startsWith(`life ${life},`)
      ? []
      : [violation(7, request, `life ${life} wrote, and the lock was held by "${lockedBy}"`)]
  })

/**
 * A policy that is only to be shown, or waits for somebody's approval, has no effect by itself. What a person has let
 * be laid over bids ends in its time without being asked again.
 */
export const onlyShows = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  return Effects.of(observed).flatMap((effect) => {
    const { cycle, request } = effect
    if (cycle?.kind === "approve") return []
    const shown = rows(effect).find((row) => {
      const { fulfilment = [], policies = [] } = cycle?.rules ?? {}
      const mode = [...policies, ...fulfilment].find(({ id }) => id === row.policy)?.mode
      if (mode === "approve" && Bids.endsOverlay(Effects.changeOf(row))) return false
      // Invariants 29 and 33 are about these.
      const { slot } = effect.entry
      if (mode === "approve" && (slot === "promotion" || Effects.isOfOrders(slot))) return false
      return mode !== undefined && mode !== "apply"
    })
    return shown === undefined ? [] : [violation(16, request, `${shown.policy} is not to apply anything`)]
  })
}

const excuses = (event: Event): boolean =>
  event._tag === "OtherSoftware" || event._tag === "Clock" || event._tag === "Network"

/**
 * A duplicate or a lost answer spends a token that the limiter cannot know of. So does a process that was allowed a
 * request, hung before it left, and sends it when it is woken.
 */
export const withinLimits = (observed: Observed): ReadonlyArray<Violation> => {
  const held = observed.zombies.flatMap(({ life, wokenAt = Number.POSITIVE_INFINITY }) =>
    observed.requests.filter((one) => one.life === life && one.at >= wokenAt && one.at < wokenAt + 1000)
  )
  return observed.requests.flatMap((request) => {
    if (!request.isBreach) return []
    const isHeld = held.some(
      ({ at, operation }) =>
        operation === request.operation && at <= request.at && request.at <= at + 70 * minuteMs
    )
    if (isHeld) return []
    const excused = observed.events.some((event) => {
      if (!excuses(event)) return false
      const until = "untilMs" in event ? event.untilMs : event.at
      return event.at <= request.at && request.at <= until + 70 * minuteMs
    })
    return excused ? [] : [violation(21, request, "came although its limit was used up")]
  })
}

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
    const sending = Reads.asked(request)
    return sending.length > 0 && sending.every(({ runId }) => before?.has(runId) === true)
      ? [violation(26, request, "belongs to a run of an earlier life")]
      : []
  })
