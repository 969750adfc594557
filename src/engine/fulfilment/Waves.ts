/**
 * Waves of a fulfilment policy on the calendar: when they close and leave, to which of them an order belongs, and whether one
 * may be late. Pure: the instant is an argument, and clocks that are changed come from the IANA rules.
 */
import type { Day } from "../../domain/Days.js"
import * as Days from "../../domain/Days.js"
import { type Schedule, week } from "../../domain/Schedule.js"
import * as TextOrder from "../../domain/TextOrder.js"
import type { FulfilmentPolicy, Wave } from "../language/Fulfilment.js"
import * as LocalTime from "../schedule/LocalTime.js"

/** So long before a cut-off an order is no longer left alone for its buyer's sake. */
const nearCutOffMs = 10 * Days.minuteMs
/** A wave that has not left so long before its hand-over is at risk. */
export const nearHandOverMs = 30 * Days.minuteMs

/** A wave on one of its days; instants in epoch milliseconds. */
export interface Trip {
  readonly wave: Wave
  /** In the wave's zone. */
  readonly day: Day
  /** Orders created at this instant or later are of a later trip. */
  readonly collectUntilMs: number
  /** Not before `collectUntilMs`; the same only where the clock jumps over both. */
  readonly handOverByMs: number
}

/** The trip that an instant is in, as far as packing goes, and the one after it. */
export interface Standing {
  /** The first that has not left. */
  readonly current: Trip
  /** `packing` from its cut-off on. */
  readonly phase: "gathering" | "packing"
  readonly next: Trip
}

/** Where an order stands that is in no supply yet. */
export type Place =
  /** Left alone until then: its buyer may still cancel it. */
  | { readonly _tag: "Waits"; readonly trip: Trip; readonly untilMs: number }
  /** To be put into a supply of the trip. */
  | { readonly _tag: "Due"; readonly trip: Trip }
  /** The trip that is being packed takes it no more: a person takes it along, or from `untilMs` on it goes with the next one. */
  | { readonly _tag: "Dock"; readonly packing: Trip; readonly next: Trip; readonly untilMs: number }

/** The trip that is gathered or packed at an instant, and the next one. */
export const at = ({ waves }: Pick<FulfilmentPolicy, "waves">, nowMs: number): Standing => {
  const open = trips(waves, nowMs, nowMs + farthestMs).filter(({ handOverByMs }) => handOverByMs > nowMs)
  const [current, next] = open
  if (current === undefined || next === undefined)
    throw new RangeError("a policy has at least one wave a week")
  return { current, next, phase: current.collectUntilMs > nowMs ? "gathering" : "packing" }
}

/** The one trip that an order of this instant belongs to: the first that closes after it. */
export const ofOrder = ({ waves }: Pick<FulfilmentPolicy, "waves">, createdMs: number): Trip => {
  const first = Math.floor(createdMs / Days.dayMs) - 1
  let found: Trip | undefined
  for (let day = first; day <= first + weekDays + 3; day++) {
    // Days of a far zone may begin in another order than their trips close.
    const had = found !== undefined
    for (const trip of onDay(waves, day))
      if (trip.collectUntilMs > createdMs && (found === undefined || byCutOff(trip, found) < 0)) found = trip
    if (had) break
  }
  if (found === undefined) throw new RangeError("a policy has at least one wave a week")
  return found
}

/** Whether a wave closes within minutes: what is left over from before joins it then. */
export const isClosing = ({ waves }: Pick<FulfilmentPolicy, "waves">, nowMs: number): boolean =>
  ofOrder({ waves }, nowMs).collectUntilMs - nowMs <= nearCutOffMs

/** Where an order that is in no supply stands now. One created in the future counts as created now. */
export const placeOf = (
  policy: Pick<FulfilmentPolicy, "mode" | "waves" | "confirmAfterMs">,
  createdMs: number,
  nowMs: number
): Place => {
  const since = Math.min(createdMs, nowMs)
  const packed = trips(policy.waves, nowMs, nowMs).filter(({ handOverByMs }) => handOverByMs > nowMs)
  const inTime = packed.find((one) => one.collectUntilMs > since && nowMs < takesUntil(policy, one))
  if (inTime !== undefined) return { _tag: "Due", trip: inTime }
  const trip = ofOrder(policy, nowMs)
  const packing = packed.at(-1)
  if (packing !== undefined) {
    const untilMs = Math.min(packing.handOverByMs, trip.collectUntilMs - nearCutOffMs)
    if (nowMs < untilMs) return { _tag: "Dock", packing, next: trip, untilMs }
  }
  const untilMs = Math.min(since + policy.confirmAfterMs, trip.collectUntilMs - nearCutOffMs)
  return nowMs < untilMs ? { _tag: "Waits", trip, untilMs } : { _tag: "Due", trip }
}

/** Until when a packed trip takes orders that came in time: near its hand-over nobody would pack what no person agreed to. */
const takesUntil = ({ mode }: Pick<FulfilmentPolicy, "mode">, { handOverByMs }: Trip): number =>
  mode === "apply" ? handOverByMs - nearHandOverMs : handOverByMs

/** Why a trip may not leave in time. */
export type Risk =
  /** Its time is over. */
  | { readonly because: "over" }
  /** Its time is nearly over. */
  | { readonly because: "soon"; readonly leftMs: number }

/** Of a trip on which something is not ready; undefined while there is time. */
export const riskOf = (trip: Trip, nowMs: number): Risk | undefined => {
  const leftMs = trip.handOverByMs - nowMs
  if (leftMs <= 0) return { because: "over" }
  return leftMs <= nearHandOverMs ? { because: "soon", leftMs } : undefined
}

/** When the policy has its turn: by its schedule, and around the cut-offs and hand-overs of its waves. */
export const timesOf = ({
  schedule,
  waves
}: Pick<FulfilmentPolicy, "schedule" | "waves">): {
  readonly schedule: Schedule
  readonly alsoAt: ReadonlyArray<Schedule>
} => ({
  schedule,
  alsoAt: waves.map(({ collectUntilMinutes: close, days, handOverByMinutes: leave, zone }) => {
    const before = [close - nearCutOffMs / Days.minuteMs, leave - nearHandOverMs / Days.minuteMs]
    const at = [...before.map((minute) => Math.max(0, minute)), close, leave]
    return { at: [...new Set(at)].sort((a, b) => a - b), days, tz: zone }
  })
})

/** Every trip that leaves at or after one instant and closes at or before another, in the order they close. */
export const trips = (waves: ReadonlyArray<Wave>, fromMs: number, toMs: number): ReadonlyArray<Trip> => {
  const found: Array<Trip> = []
  const last = Math.floor(toMs / Days.dayMs) + 1
  for (let day = Math.floor(fromMs / Days.dayMs) - 1; day <= last; day++)
    for (const trip of onDay(waves, day))
      if (trip.handOverByMs >= fromMs && trip.collectUntilMs <= toMs) found.push(trip)
  return found.sort(byCutOff)
}

const weekDays = 7
/** Any wave has two trips within it, also one of a single day a week. */
const farthestMs = (2 * weekDays + 2) * Days.dayMs

const epoch = Days.Day("1970-01-01")

/** Days of the waves that were asked for: thousands of orders ask for the same few. */
const known = new WeakMap<ReadonlyArray<Wave>, Map<LocalTime.DayNumber, ReadonlyArray<Trip>>>()
const mostDays = 200

const onDay = (waves: ReadonlyArray<Wave>, day: LocalTime.DayNumber): ReadonlyArray<Trip> => {
  const days = known.get(waves) ?? new Map<LocalTime.DayNumber, ReadonlyArray<Trip>>()
  const found = days.get(day)
  if (found !== undefined) return found
  const trips = tripsOn(waves, day)
  if (days.size >= mostDays) days.clear()
  known.set(waves, days.set(day, trips))
  return trips
}

const tripsOn = (waves: ReadonlyArray<Wave>, day: LocalTime.DayNumber): ReadonlyArray<Trip> => {
  const weekday = week[LocalTime.weekdayOf(day)]!
  return waves
    .filter(({ days }) => days.includes(weekday))
    .map((wave) => ({
      wave,
      day: Days.shift(epoch, day),
      collectUntilMs: LocalTime.instantOf(day, wave.collectUntilMinutes, wave.zone),
      handOverByMs: LocalTime.instantOf(day, wave.handOverByMinutes, wave.zone)
    }))
}

/** Where a jump of the clock makes two close together, the one that is written earlier is first. */
const byCutOff = (a: Trip, b: Trip): number =>
  a.collectUntilMs - b.collectUntilMs ||
  a.wave.collectUntilMinutes - b.wave.collectUntilMinutes ||
  TextOrder.compare(a.wave.name, b.wave.name)
