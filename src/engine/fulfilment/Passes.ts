/**
 * Which passes the hand-overs need and when each is made. A pass holds 48 hours, the account makes one in ten minutes, and a
 * refused try may block the next (seed 000 "Pass", field note O24). Pure: what is listed and the instant are arguments.
 */

import * as Days from "../../domain/Days.js"
import type { PolicyId } from "../../domain/Ids.js"
import * as PassForm from "../../domain/PassForm.js"
import * as TextOrder from "../../domain/TextOrder.js"
import type { FulfilmentPolicy } from "../language/Fulfilment.js"
import * as Waves from "./Waves.js"

/** How long a pass holds after its creation. */
export const holdsMs = 48 * Days.hourMs
/** Between two creations of an account. */
export const gapMs = 10 * Days.minuteMs
/** After a refused one: on the marketplace's host a refusal counts as ten requests (seed 000 "Limits", field note O24). */
const refusedGapMs = 10 * gapMs
/** A hand-over without a pass is told so long before. */
const warnMs = 6 * Days.hourMs
/** Hand-overs that are looked at: those whose pass may have to be made now, and a queue of hundreds behind them. */
const horizonMs = 96 * Days.hourMs

/** A pass as the marketplace lists it, or as it was just made. */
export interface Listed extends PassForm.PassForm {
  /** Epoch milliseconds; undefined where the list says nothing that can be read. */
  readonly validUntilMs: number | undefined
}

/** A pass that was asked for. */
export interface Try {
  /** Epoch milliseconds. */
  readonly atMs: number
  /** True where the marketplace refused it. */
  readonly isRefused: boolean
}

/** A hand-over that needs a pass. */
export interface HandOver {
  readonly policyId: PolicyId
  readonly trip: Waves.Trip
  readonly form: PassForm.PassForm
}

/** A pass to be made. */
export interface Booking {
  readonly form: PassForm.PassForm
  /** Not earlier than now, and ten minutes from every other one. */
  readonly atMs: number
  /** In the order they leave, at least one. */
  readonly covers: ReadonlyArray<HandOver>
}

/** Why a hand-over has no pass. */
export interface Lacking {
  readonly handOver: HandOver
  /** When its pass will be made; undefined where none will. */
  readonly bookedAtMs?: number
  /** `tooLate`: no creation is free before. `endUnknown`: there is a pass, and nobody knows until when. */
  readonly because: "notYetMade" | "tooLate" | "endUnknown"
}

export interface Plan {
  /** In the order they are made. */
  readonly bookings: ReadonlyArray<Booking>
  /** The booking whose time has come. */
  readonly due?: Booking
  /** The earliest instant at which the account may make a pass. */
  readonly nextCreateMs: number
  /** Hand-overs within six hours that no listed pass covers, in the order they leave. */
  readonly lacking: ReadonlyArray<Lacking>
}

/** The passes of all policies of an account together. `tries` are those of the account, old ones among them or not. */
export const plan = (
  policies: ReadonlyArray<Pick<FulfilmentPolicy, "id" | "passes" | "waves">>,
  listed: ReadonlyArray<Listed>,
  tries: ReadonlyArray<Try>,
  nowMs: number
): Plan => {
  const nextCreateMs = tries.reduce(
    (free, { atMs, isRefused }) => Math.max(free, atMs + (isRefused ? refusedGapMs : gapMs)),
    nowMs
  )
  const wanted = policies.flatMap((policy) => wantedBy(policy, nowMs)).sort(byLeaving)
  const open = wanted.filter((one) => !listed.some((pass) => covers(pass, one)))
  const unsure = new Set(open.filter((one) => listed.some((pass) => mayCover(pass, one))))
  const bookings = book(
    open.filter((one) => !unsure.has(one)),
    nextCreateMs
  )
  const due = bookings.find(({ atMs }) => atMs <= nowMs)
  const near = open.filter(({ trip }) => trip.handOverByMs - nowMs <= warnMs)
  return {
    bookings,
    ...(due === undefined ? {} : { due }),
    nextCreateMs,
    lacking: near.map(({ bookBeforeMs: _, ...handOver }) => {
      const booked = bookings.find((one) =>
        one.covers.some(({ policyId, trip }) => policyId === handOver.policyId && trip === handOver.trip)
      )
      if (booked !== undefined) return { handOver, bookedAtMs: booked.atMs, because: "notYetMade" }
      const isUnsure = [...unsure].some(({ trip }) => trip === handOver.trip)
      return { handOver, because: isUnsure ? "endUnknown" : "tooLate" }
    })
  }
}

/** Everything for which the marketplace would refuse a form; `offices` are those that ask for passes, as it lists them. */
export const refusals = (
  form: PassForm.PassForm,
  offices: ReadonlySet<number>
): ReadonlyArray<PassForm.Fault | { readonly field: "officeId"; readonly is: "notListed" }> => {
  const faults = PassForm.faults(form)
  const isNumber = faults.every(({ field }) => field !== "officeId")
  return isNumber && !offices.has(form.officeId)
    ? [...faults, { field: "officeId", is: "notListed" }]
    : faults
}

interface Wanted extends HandOver {
  readonly bookBeforeMs: number
}

const wantedBy = (
  { id, passes, waves }: Pick<FulfilmentPolicy, "id" | "passes" | "waves">,
  nowMs: number
): ReadonlyArray<Wanted> => {
  if (passes === undefined) return []
  const { bookBeforeMs, ...form } = passes
  return Waves.trips(waves, nowMs, nowMs + horizonMs)
    .filter(({ handOverByMs }) => handOverByMs > nowMs)
    .map((trip) => ({ policyId: id, trip, form, bookBeforeMs }))
}

const byLeaving = (a: Wanted, b: Wanted): number =>
  a.trip.handOverByMs - b.trip.handOverByMs || TextOrder.compare(a.policyId, b.policyId)

/** Driver, plate and office, as the list may spell them. */
const keyOf = ({ carNumber, firstName, lastName, officeId }: PassForm.PassForm): string =>
  JSON.stringify([...[firstName, lastName, carNumber].map((text) => text.trim().toLowerCase()), officeId])

/** Whether both admit the same driver and car at the same office. */
export const sameForm = (a: PassForm.PassForm, b: PassForm.PassForm): boolean => keyOf(a) === keyOf(b)

const covers = (pass: Listed, one: HandOver): boolean =>
  pass.validUntilMs !== undefined && pass.validUntilMs >= one.trip.handOverByMs && sameForm(pass, one.form)

const mayCover = (pass: Listed, { form }: HandOver): boolean =>
  pass.validUntilMs === undefined && sameForm(pass, form)

/**
 * Bookings that cover every hand-over that can be covered: the first that none covers gets one, until none is left. What
 * cannot be made in time takes no place in the queue.
 */
const book = (open: ReadonlyArray<Wanted>, firstFreeMs: number): ReadonlyArray<Booking> => {
  const lost = new Set<Wanted>()
  let needs: ReadonlyArray<Wanted> = []
  for (;;) {
    const made = queued(needs, firstFreeMs)
    const late = made.find(({ atMs, need }) => atMs >= need.trip.handOverByMs)
    if (late !== undefined) {
      lost.add(late.need)
      needs = needs.filter((need) => need !== late.need)
      continue
    }
    const uncovered = open.find((one) => !lost.has(one) && !made.some((pass) => reaches(pass, one)))
    if (uncovered === undefined) return made.map((pass) => bookingOf(pass, open))
    needs = [...needs, uncovered].sort(byLeaving)
  }
}

interface Queued {
  readonly need: Wanted
  readonly atMs: number
}

const reaches = ({ atMs, need }: Queued, { form, trip }: Wanted): boolean =>
  atMs < trip.handOverByMs && trip.handOverByMs <= atMs + holdsMs && keyOf(need.form) === keyOf(form)

const bookingOf = (pass: Queued, open: ReadonlyArray<Wanted>): Booking => ({
  form: pass.need.form,
  atMs: pass.atMs,
  covers: open.filter((one) => reaches(pass, one)).map(({ bookBeforeMs: _, ...handOver }) => handOver)
})

/**
 * Those that leave first are made first, each as long before as its policy says, or earlier where the queue behind it would be
 * late otherwise. `needs` in the order they leave.
 */
const queued = (needs: ReadonlyArray<Wanted>, firstFreeMs: number): ReadonlyArray<Queued> => {
  let behindMs = Number.POSITIVE_INFINITY
  const latest = [...needs].reverse().map(({ bookBeforeMs, trip }) => {
    behindMs = Math.min(trip.handOverByMs - bookBeforeMs, behindMs - gapMs)
    return behindMs
  })
  latest.reverse()
  let freeMs = firstFreeMs
  return needs.map((need, at) => {
    const atMs = Math.max(latest[at]!, need.trip.handOverByMs - holdsMs, freeMs)
    freeMs = atMs + gapMs
    return { need, atMs }
  })
}
