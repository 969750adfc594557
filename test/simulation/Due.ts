/** The instants at which a schedule is due: what a supervisor would do, walked ahead for virtual time. */
import * as DateTime from "effect/DateTime"
import type { Policy } from "../../src/engine/language/Policy.js"
import { week } from "../../src/engine/language/Schedules.js"
import type { Schedule } from "../../src/engine/language/Timing.js"

const minuteMs = 60_000
const dayMinutes = 1440

/** Epoch milliseconds from `fromMs` to before `toMs`, ascending. Steps of `every` are counted from the day's start. */
export const instants = (schedule: Schedule, fromMs: number, toMs: number): ReadonlyArray<number> => {
  const minutes = minutesOf(schedule)
  const every = Math.max(1, Math.round((schedule.every ?? 0) / minuteMs / dayMinutes))
  const found: Array<number> = []
  let day = DateTime.startOf(DateTime.unsafeMakeZoned(fromMs, { timeZone: schedule.tz }), "day")
  for (let i = 0; DateTime.toEpochMillis(day) < toMs; i++, day = DateTime.add(day, { days: 1 })) {
    const name = week[(DateTime.getPart(day, "weekDay") + 6) % 7]
    if (i % every !== 0 || (schedule.days !== undefined && !schedule.days.some((one) => one === name)))
      continue
    for (const minute of minutes) {
      const at = DateTime.toEpochMillis(day) + minute * minuteMs
      if (at >= fromMs && at < toMs) found.push(at)
    }
  }
  return found
}

const minutesOf = ({ at, between, every }: Schedule): ReadonlyArray<number> => {
  if (at !== undefined) return at
  const [from, to] = between === undefined ? [0, dayMinutes] : [between.fromMinute, between.toMinute]
  const step = Math.max(1, Math.round((every ?? dayMinutes * minuteMs) / minuteMs))
  return Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step)
}

/** Which policies are due when, ascending; policies due at the same instant run together. */
export const walk = (
  policies: ReadonlyArray<Policy>,
  fromMs: number,
  toMs: number
): ReadonlyArray<readonly [at: number, policies: ReadonlyArray<string>]> => {
  const due = new Map<number, Array<string>>()
  for (const { id, mode, schedule } of policies) {
    if (mode === "disabled" || schedule === undefined) continue
    for (const at of instants(schedule, fromMs, toMs)) due.set(at, [...(due.get(at) ?? []), id])
  }
  return [...due].sort(([a], [b]) => a - b)
}
