/**
 * How far a bid may go: integer kopecks, percentages as basis points. A bid ends on a step, at or above the
 * minimum and at or below every cap, or it does not move. Percent bounds never override a cap.
 */
import * as Print from "../../facts/Print.js"
import type { Clamp } from "../../kinds/Change.js"

/** One end of the road: which limit, how many kopecks, and where it is written. */
export interface Bound {
  readonly by: Clamp["by"]
  readonly kopecks: number
  readonly where: string
}

/** Where a bid stands and what holds for every action. `minimum` is absent when it is not known. */
export interface Road {
  readonly current: number
  readonly stepKopecks: number
  readonly minimum?: Bound | undefined
  /** Farthest the bid may be from the day's first one. */
  readonly dayLow?: Bound | undefined
  readonly dayHigh?: Bound | undefined
  readonly maxBid?: Bound | undefined
}

/** `satisfied`: the action has what it wants, as opposed to being stopped. */
export type Arrival =
  | { readonly _tag: "Moved"; readonly kopecks: number; readonly clamps: ReadonlyArray<Clamp> }
  | { readonly _tag: "Stopped"; readonly by: Bound; readonly satisfied: boolean }
  | { readonly _tag: "CapBelowMinimum"; readonly cap: Bound; readonly minimum: Bound }

/** Part of an amount in basis points, rounded down: 10% is 1000. */
export const share = (kopecks: number, basisPoints: number): number =>
  Math.floor((kopecks * basisPoints) / 10_000)

/** Up by `distance`, not past `toward` or `cap`; one step at least, if every bound has room for it. */
export const raise = (
  road: Road,
  distance: number,
  bounds: { readonly toward?: Bound | undefined; readonly cap: Bound }
): Arrival => {
  const { current, stepKopecks: step } = road
  const uppers = present([bounds.toward, bounds.cap, road.dayHigh, road.maxBid])
  const tightest = lowest(uppers) ?? bounds.cap
  if (bounds.toward !== undefined && bounds.toward.kopecks <= current) return stopped(bounds.toward, true)
  const course = new Course(current + distance)
  for (const upper of uppers) course.atMost(upper)
  const down = floorTo(course.kopecks, step)
  course.land(down > current ? down : floorTo(current, step) + step, step)
  if (road.minimum !== undefined && course.kopecks < road.minimum.kopecks) {
    course.atLeast({ ...road.minimum, kopecks: ceilTo(road.minimum.kopecks, step) })
    if (course.kopecks > tightest.kopecks) return belowMinimum(tightest, road.minimum)
  }
  return course.kopecks > tightest.kopecks ? stopped(tightest, false) : course.arrive()
}

/** Down by `distance`, not past `toward`, `floor` or the minimum; one step at least, if they have room for it. */
export const lower = (
  road: Road & { readonly minimum: Bound },
  distance: number,
  bounds: { readonly toward?: Bound | undefined; readonly floor: Bound }
): Arrival => {
  const { current, stepKopecks: step, minimum, maxBid } = road
  const reached = highest(present([bounds.toward, bounds.floor]))
  if (reached !== undefined && reached.kopecks >= current) return stopped(reached, true)
  const lowers = present([bounds.toward, bounds.floor, road.dayLow])
  const course = new Course(current - distance)
  for (const bound of lowers) course.atLeast(bound)
  if (maxBid !== undefined) course.atMost(maxBid)
  course.atLeast(minimum)
  const tightest = highest([...lowers, minimum]) ?? minimum
  const down = floorTo(course.kopecks, step)
  const aimed = down < current ? down : ceilTo(current, step) - step
  course.land(aimed < tightest.kopecks ? ceilTo(tightest.kopecks, step) : aimed, step)
  return capped(course, road, present([maxBid]), highest([minimum, bounds.floor]) ?? minimum, tightest)
}

/** To an amount: at most `maxStep` basis points of the current bid at once, within `floor` and `cap`. */
export const set = (
  road: Road & { readonly minimum: Bound },
  to: Bound,
  bounds: {
    readonly floor?: Bound | undefined
    readonly cap: Bound
    readonly deadbandBasisPoints?: number | undefined
    readonly maxStepBasisPoints?: number | undefined
  }
): Arrival => {
  const { current, stepKopecks: step, minimum } = road
  const caps = present([bounds.cap, road.maxBid])
  const ceiling = lowest(caps) ?? bounds.cap
  const isNear = Math.abs(to.kopecks - current) <= share(current, bounds.deadbandBasisPoints ?? 0)
  // No difference is too small to come down to a cap.
  if (isNear && current <= ceiling.kopecks) return stopped(to, true)
  const course = new Course(to.kopecks)
  if (bounds.floor !== undefined) course.atLeast(bounds.floor)
  if (bounds.maxStepBasisPoints !== undefined) {
    const reach = share(current, bounds.maxStepBasisPoints)
    course.atMost({ by: "max_step", kopecks: current + reach, where: to.where })
    course.atLeast({ by: "max_step", kopecks: current - reach, where: to.where })
  }
  // Below the day's lowest only a cap itself brings a bid down, and to itself. One that is there already stays: the
  // day's lowest never raises.
  const dayLow = road.dayLow && { ...road.dayLow, kopecks: Math.min(current, road.dayLow.kopecks) }
  if (dayLow !== undefined && dayLow.kopecks > ceiling.kopecks) course.atLeast(dayLow)
  course.atMost(bounds.cap)
  if (road.dayHigh !== undefined && road.dayHigh.kopecks >= current) course.atMost(road.dayHigh)
  if (dayLow !== undefined && dayLow.kopecks <= ceiling.kopecks) course.atLeast(dayLow)
  if (road.maxBid !== undefined) course.atMost(road.maxBid)
  course.atLeast(minimum)
  if (minimum.kopecks > ceiling.kopecks) return belowMinimum(ceiling, minimum)
  if (to.kopecks < current && course.kopecks >= current) {
    return stopped(highest(present([bounds.floor, road.dayLow, minimum])) ?? minimum, true)
  }
  // What was to go up and may not stays, on a step or between two.
  if (course.kopecks === current) return stopped(lowest(present([...caps, road.dayHigh])) ?? ceiling, true)
  return course.kopecks > current
    ? setUp(
        course,
        road,
        lowest(present([...caps, road.dayHigh])) ?? ceiling,
        Math.max(to.kopecks, course.kopecks)
      )
    : setDown(course, road, caps, present([road.dayLow, bounds.floor]), step)
}

const setUp = (
  course: Course,
  road: Road & { readonly minimum: Bound },
  upper: Bound,
  wanted: number
): Arrival => {
  const { current, stepKopecks: step, minimum } = road
  const down = floorTo(course.kopecks, step)
  const next = down > current ? down : floorTo(current, step) + step
  const aimed = Math.max(next, ceilTo(minimum.kopecks, step))
  if (aimed > upper.kopecks)
    return minimum.kopecks > upper.kopecks ? belowMinimum(upper, minimum) : stopped(upper, true)
  if (down <= current && aimed > wanted) {
    return stopped({ by: "step", kopecks: current, where: "less than one bid step away" }, true)
  }
  course.land(aimed, step)
  return course.arrive()
}

const setDown = (
  course: Course,
  road: Road & { readonly minimum: Bound },
  caps: ReadonlyArray<Bound>,
  lowers: ReadonlyArray<Bound>,
  step: number
): Arrival => {
  const { current, minimum } = road
  const ceiling = lowest(caps)?.kopecks ?? Number.POSITIVE_INFINITY
  const soft = lowers.filter((bound) => bound.kopecks <= Math.min(current, ceiling))
  const tightest = highest([...soft, minimum]) ?? minimum
  const down = floorTo(course.kopecks, step)
  course.land(down < tightest.kopecks ? ceilTo(tightest.kopecks, step) : down, step)
  return capped(course, road, caps, minimum, tightest)
}

/** Caps last: what percent bounds and rounding left above a cap comes down to it, or nothing moves. */
const capped = (
  course: Course,
  road: Road,
  caps: ReadonlyArray<Bound>,
  hardest: Bound,
  tightest: Bound
): Arrival => {
  const cap = lowest(caps)
  if (cap !== undefined && course.kopecks > cap.kopecks) {
    course.atMost({ ...cap, kopecks: floorTo(cap.kopecks, road.stepKopecks) })
    if (course.kopecks < hardest.kopecks) return belowMinimum(cap, hardest)
  }
  return course.kopecks >= road.current || course.kopecks < hardest.kopecks
    ? stopped(tightest, true)
    : course.arrive()
}

/** A bid on its way, writing down what bends it. */
class Course {
  private readonly clamps: Array<Clamp> = []
  constructor(public kopecks: number) {}

  atMost(bound: Bound): void {
    if (this.kopecks > bound.kopecks) this.bend(bound)
  }

  atLeast(bound: Bound): void {
    if (this.kopecks < bound.kopecks) this.bend(bound)
  }

  /** Steps are known in roubles alone. */
  land(kopecks: number, step: number): void {
    if (kopecks !== this.kopecks)
      this.bend({ by: "step", kopecks, where: `bid step of ${Print.money(step, "₽")}` })
  }

  arrive(): Arrival {
    return { _tag: "Moved", kopecks: this.kopecks, clamps: this.clamps }
  }

  private bend(bound: Bound): void {
    this.clamps.push({ by: bound.by, from: this.kopecks, to: bound.kopecks, where: bound.where })
    this.kopecks = bound.kopecks
  }
}

const stopped = (by: Bound, satisfied: boolean): Arrival => ({ _tag: "Stopped", by, satisfied })
const belowMinimum = (cap: Bound, minimum: Bound): Arrival => ({ _tag: "CapBelowMinimum", cap, minimum })

const floorTo = (kopecks: number, step: number): number => Math.floor(kopecks / step) * step
const ceilTo = (kopecks: number, step: number): number => Math.ceil(kopecks / step) * step

const present = (bounds: ReadonlyArray<Bound | undefined>): ReadonlyArray<Bound> =>
  bounds.filter((bound) => bound !== undefined)

const lowest = (bounds: ReadonlyArray<Bound>): Bound | undefined =>
  bounds.reduce<Bound | undefined>((a, b) => (a === undefined || b.kopecks < a.kopecks ? b : a), undefined)

const highest = (bounds: ReadonlyArray<Bound>): Bound | undefined =>
  bounds.reduce<Bound | undefined>((a, b) => (a === undefined || b.kopecks > a.kopecks ? b : a), undefined)
