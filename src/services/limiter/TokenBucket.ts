/**
 * The arithmetic of one bucket. The marketplace counts a request when it arrives, some time between its leaving and
 * its answer. So a token counts as spent when the answer arrives, the latest moment possible, and a request in the
 * air is held against the content: then the marketplace's own bucket never holds less than this one says.
 *
 * Where a refusal weighs more than a success (10 on the marketplace host), a request in the air is held at that weight,
 * because nobody knows yet how it ends; only the next one to leave needs no more than its one token.
 *
 * Content is counted in milliseconds of refill, in whole numbers, so that nothing drifts over millions of requests.
 */
import type { Bucket, Feedback } from "../Limiter.js"
import type { Flight, StoredBucket } from "../ports/LimiterStore.js"

/** How long the store may take to keep a turn that it grants, of the machine's time; one that took longer is given back. */
export const takenWithinMs = 15_000

/**
 * How long a request of another process stays in the air at most, of the machine's time: `takenWithinMs`, and the client's
 * timeout of 15 s. Where it arrived later than that, the others would have counted it as spent too early.
 */
const flightMs = takenWithinMs + 15_000

/** How long after its sender has gone (killed, interrupted, cut off) a request can still arrive, of the machine's time. */
const graceMs = 1_000

/** How soon to look again while only another process's request is in the way: its answer is not announced here. */
const lookAgainMs = 25

/** Longest freeze believed; more is nonsense or a clock set back (field note T08). */
const longestFreezeMs = 86_400_000

/**
 * How far the clocks of two machines, or of two programs beside a fast sandbox, may be apart. A moment that lies ahead no
 * further was written by the other one and stands: taken back to the own clock, the same time would refill the bucket
 * twice each time the two take turns.
 */
const clocksApartMs = 60_000

/** The clock shows whole milliseconds, cut off: what just happened may have happened almost one later. */
const clockStepMs = 1

/** Sender of a flight whose process has gone. */
const nobody = ""

/** The bucket at `nowMs`: refilled, with flights that can no longer arrive spent. A new bucket is full. `speed` is that of the clock. */
export const at = (
  bucket: Bucket,
  stored: StoredBucket | undefined,
  nowMs: number,
  alive: (owner: string) => boolean,
  speed: number
): StoredBucket => {
  const { burst, intervalMs } = bucket
  if (stored === undefined) {
    return {
      creditMs: burst * intervalMs,
      creditAt: nowMs,
      intervalMs,
      flights: [],
      frozenUntil: undefined,
      refusals: 0
    }
  }
  let now = believable(rescaled(stored, intervalMs), nowMs)
  const flights = now.flights.map((flight) => bounded(flight, nowMs, alive, speed))
  const ended = flights
    .filter((flight) => flight.expiresAt <= nowMs)
    .sort((a, b) => a.expiresAt - b.expiresAt)
  // Nobody heard how it ended: it may have been refused.
  for (const flight of ended) now = spend(bucket, now, flight.expiresAt, bucket.cost4xx)
  return { ...refill(bucket, now, nowMs), flights: flights.filter((flight) => flight.expiresAt > nowMs) }
}

/**
 * The same with every request in the air of those `awaited`: who still waits for one, be it late because the machine or
 * its store stood still, knows that it may arrive yet.
 */
export const held = (
  stored: StoredBucket,
  awaited: ReadonlyMap<string, unknown>,
  nowMs: number,
  speed: number
): StoredBucket =>
  stored.flights.some(({ expiresAt, id }) => expiresAt <= nowMs && awaited.has(id))
    ? {
        ...stored,
        flights: stored.flights.map((flight) =>
          flight.expiresAt <= nowMs && awaited.has(flight.id)
            ? { ...flight, expiresAt: nowMs + graceMs * speed }
            : flight
        )
      }
    : stored

/** Earliest moment at which one more request may leave, for a bucket as `at` gives it; `nowMs` when it may now. */
export const nextAt = (bucket: Bucket, now: StoredBucket, nowMs: number, owner: string): number => {
  const soonest = soonestAt(bucket, now, nowMs)
  const neededMs = heldMs(bucket, now) + bucket.intervalMs
  const missingMs = neededMs - now.creditMs
  if (missingMs <= 0) return soonest
  const fits = neededMs <= bucket.burst * bucket.intervalMs
  const refilled = fits ? Math.ceil(now.creditAt + missingMs) : Number.POSITIVE_INFINITY
  const landed = Math.ceil(Math.min(...now.flights.map((flight) => flight.expiresAt)))
  const looked = shared(now, owner) ? nowMs + lookAgainMs : Number.POSITIVE_INFINITY
  return Math.max(soonest, Math.min(refilled, landed, looked))
}

/** The same if every request in the air were answered well at once: never later than `nextAt`. */
export const soonestAt = (bucket: Bucket, now: StoredBucket, nowMs: number): number => {
  const thawed = Math.max(nowMs, now.frozenUntil ?? nowMs)
  const missingMs = (now.flights.length + 1) * bucket.intervalMs - now.creditMs
  return missingMs <= 0 ? thawed : Math.max(thawed, Math.ceil(now.creditAt + missingMs))
}

/** Whether a request of another process is in the air. */
export const shared = (now: StoredBucket, owner: string): boolean =>
  now.flights.some((flight) => flight.owner !== owner && flight.owner !== nobody)

/** Whole tokens that could be spent at `nowMs`, for a bucket as `at` gives it. */
export const available = (bucket: Bucket, now: StoredBucket, nowMs: number): number =>
  now.frozenUntil !== undefined && now.frozenUntil > nowMs
    ? 0
    : Math.max(0, Math.floor((now.creditMs - heldMs(bucket, now)) / now.intervalMs))

/** The bucket with one more request in the air. */
export const depart = (
  now: StoredBucket,
  flight: Pick<Flight, "id" | "owner">,
  nowMs: number,
  speed: number
): StoredBucket => ({
  ...now,
  flights: [...now.flights, { ...flight, sentAt: nowMs, expiresAt: nowMs + flightMs * speed }]
})

/** The bucket without a request that did not leave after all. */
export const giveBack = (now: StoredBucket, id: string): StoredBucket => ({
  ...now,
  flights: now.flights.filter((flight) => flight.id !== id)
})

/** The bucket after a request has come to its end. */
export const arrive = (
  bucket: Bucket,
  now: StoredBucket,
  id: string,
  feedback: Feedback,
  nowMs: number,
  speed: number
): StoredBucket => {
  const flight = now.flights.find((one) => one.id === id)
  const landed = giveBack(now, id)
  const arrivedAt = Math.ceil(nowMs) + clockStepMs
  if (feedback.withheld === true) return landed
  if (feedback.arrived === "no") return spend(bucket, landed, arrivedAt, flight === undefined ? 0 : 1)
  if (feedback.status === undefined) return cutOff(now, id, nowMs, speed)
  if (feedback.status === 429 && feedback.daily !== true) {
    return freeze(bucket, landed, feedback.retryAfterMs, arrivedAt)
  }
  const cost = feedback.status >= 400 && feedback.status < 500 ? bucket.cost4xx : 1
  // A flight that is gone was already spent, at its highest cost, when it could no longer arrive.
  const spent = spend(bucket, landed, arrivedAt, flight === undefined ? 0 : cost)
  return {
    ...lower(bucket, spent, feedback.remaining, arrivedAt - (flight?.sentAt ?? arrivedAt)),
    refusals: 0
  }
}

/** What requests in the air can cost at most, milliseconds of refill. */
const heldMs = (bucket: Bucket, now: StoredBucket): number =>
  now.flights.length * bucket.cost4xx * bucket.intervalMs

const refill = (bucket: Bucket, now: StoredBucket, untilMs: number): StoredBucket =>
  untilMs <= now.creditAt
    ? now
    : {
        ...now,
        creditMs: Math.min(bucket.burst * bucket.intervalMs, now.creditMs + untilMs - now.creditAt),
        creditAt: untilMs
      }

const spend = (bucket: Bucket, now: StoredBucket, whenMs: number, tokens: number): StoredBucket => {
  const refilled = refill(bucket, now, whenMs)
  return { ...refilled, creditMs: refilled.creditMs - tokens * bucket.intervalMs }
}

/** No answer came: the request may still be under way for a moment. */
const cutOff = (now: StoredBucket, id: string, nowMs: number, speed: number): StoredBucket => ({
  ...now,
  flights: now.flights.map((flight) =>
    flight.id === id
      ? { ...flight, owner: nobody, expiresAt: Math.min(flight.expiresAt, nowMs + graceMs * speed) }
      : flight
  )
})

/**
 * Refused: nothing leaves before the announced moment, at which there is one token (field notes T04, T05). Where
 * nothing is announced it is as many intervals as a refusal weighs, growing while refusals go on: whether a 429
 * weighs as any other 4xx is stated nowhere, so it is assumed (not-shown §2).
 */
const freeze = (
  bucket: Bucket,
  now: StoredBucket,
  retryAfterMs: number | undefined,
  arrivedAt: number
): StoredBucket => {
  const growth = Math.min(8, 1.5 ** now.refusals)
  const waitMs = Math.min(
    longestFreezeMs,
    Math.ceil(retryAfterMs ?? bucket.cost4xx * bucket.intervalMs * growth)
  )
  const frozenUntil = Math.max(now.frozenUntil ?? 0, arrivedAt + waitMs)
  const creditMs = Math.min(bucket.intervalMs, now.creditMs + Math.max(0, frozenUntil - now.creditAt))
  return {
    ...now,
    creditMs,
    creditAt: Math.max(now.creditAt, frozenUntil),
    frozenUntil,
    refusals: now.refusals + 1
  }
}

/**
 * The answer says how many tokens were left when it was written, `airMs` ago at most, rounded down. Only when this
 * bucket holds more than that can explain, somebody else draws from it, and the smaller view counts (T07).
 */
const lower = (
  bucket: Bucket,
  now: StoredBucket,
  remaining: number | undefined,
  airMs: number
): StoredBucket => {
  if (remaining === undefined) return now
  const mine = now.creditMs - heldMs(bucket, now)
  const explained = (remaining + 1) * bucket.intervalMs + airMs
  return mine < explained ? now : { ...now, creditMs: Math.min(now.creditMs, remaining * bucket.intervalMs) }
}

/** The same number of tokens after the limit's interval was changed. */
const rescaled = (stored: StoredBucket, intervalMs: number): StoredBucket =>
  stored.intervalMs === intervalMs
    ? stored
    : { ...stored, intervalMs, creditMs: Math.floor((stored.creditMs / stored.intervalMs) * intervalMs) }

/** Moments that lie further ahead than they can were written before the clock was set back. */
const believable = (stored: StoredBucket, nowMs: number): StoredBucket => {
  const { frozenUntil, creditAt } = stored
  const thaw = frozenUntil === undefined ? undefined : Math.min(frozenUntil, nowMs + longestFreezeMs)
  if (thaw !== undefined && thaw > nowMs) {
    return { ...stored, frozenUntil: thaw, creditAt: Math.min(creditAt, thaw) }
  }
  return {
    ...stored,
    frozenUntil: undefined,
    creditAt: creditAt > nowMs + clocksApartMs ? nowMs + clockStepMs : creditAt
  }
}

const bounded = (flight: Flight, nowMs: number, alive: (owner: string) => boolean, speed: number): Flight => {
  const expiresAt = Math.min(flight.expiresAt, nowMs + flightMs * speed)
  return flight.owner === nobody || alive(flight.owner)
    ? { ...flight, expiresAt }
    : { ...flight, owner: nobody, expiresAt: Math.min(expiresAt, nowMs + graceMs * speed) }
}
