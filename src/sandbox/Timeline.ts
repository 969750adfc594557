/**
 * A value with a past and a near future. A write is not seen at once: the marketplace takes it over at the end of an
 * interval, and the latest write within that interval wins (seed 001 "Timing").
 */
export interface Timeline<A> {
  /** Ascending by time; the first holds since ever. */
  readonly steps: Array<{ readonly at: number; readonly value: A }>
}

/** How long until a change is seen, milliseconds (seed 001: bids 30 s, status 1 minute, database 3 minutes). */
export const delays = { bid: 30_000, status: 60_000, database: 180_000 } as const

export const of = <A>(value: A): Timeline<A> => ({ steps: [{ at: Number.NEGATIVE_INFINITY, value }] })

/** What a reader sees at an instant. */
export const at = <A>(timeline: Timeline<A>, nowMs: number): A => {
  const steps = timeline.steps
  let i = steps.length - 1
  while (i > 0 && (steps[i] as { at: number }).at > nowMs) i--
  return (steps[i] as { value: A }).value
}

/** The latest accepted value, seen or not: what the next write is judged by. */
export const latest = <A>(timeline: Timeline<A>): A =>
  (timeline.steps[timeline.steps.length - 1] as { value: A }).value

/**
 * Accepts a write. The first write opens an interval; further writes inside it replace the value and are seen at
 * the same moment. Answers that moment.
 */
export const write = <A>(timeline: Timeline<A>, nowMs: number, delayMs: number, value: A): number => {
  const last = timeline.steps[timeline.steps.length - 1] as { at: number }
  if (last.at > nowMs) {
    timeline.steps[timeline.steps.length - 1] = { at: last.at, value }
    return last.at
  }
  timeline.steps.push({ at: nowMs + delayMs, value })
  return nowMs + delayMs
}

/** Sets the value from an instant on, at once; what was pending still comes. */
export const set = <A>(timeline: Timeline<A>, atMs: number, value: A): void => {
  const index = timeline.steps.findIndex((step) => step.at > atMs)
  timeline.steps.splice(index < 0 ? timeline.steps.length : index, 0, { at: atMs, value })
}

/** Adds the instants strictly between two at which the value changes. */
export const cuts = (timeline: Timeline<unknown>, from: number, to: number, into: Set<number>): void => {
  for (const step of timeline.steps) if (step.at > from && step.at < to) into.add(step.at)
}

/** The last instant up to now at which the value changed; undefined if it never did. */
export const changedAt = (timeline: Timeline<unknown>, nowMs: number): number | undefined => {
  const at = timeline.steps.findLast((step) => step.at <= nowMs)?.at
  return at === undefined || at === Number.NEGATIVE_INFINITY ? undefined : at
}
