/**
 * Cron expressions that wake a program when a schedule is due, on the clock of the schedule's zone. They only wake:
 * around a change of the clock, on days between those of `every: 3d`, and when a step is no whole minute, the
 * timetable and the wake-up of every minute say what is due.
 */
import { type Schedule, week } from "../../domain/Schedule.js"

const minuteMs = 60_000
const dayMinutes = 1440

/** `minute hour day month weekday`; none for a schedule that is never due. Sorted, each once. */
export const expressions = (schedule: Schedule): ReadonlyArray<string> => {
  const today = new Map<number, Array<number>>()
  const tomorrow = new Map<number, Array<number>>()
  for (const minute of minutesOf(schedule)) {
    const hours = minute < dayMinutes ? today : tomorrow
    const hour = Math.floor((minute % dayMinutes) / 60)
    hours.set(hour, [...(hours.get(hour) ?? []), minute % 60])
  }
  const named = (schedule.days ?? week).map((day) => week.indexOf(day))
  return [
    ...ofDay(today, weekdays(named)),
    ...ofDay(tomorrow, weekdays(named.map((day) => (day + 1) % 7)))
  ].sort()
}

/** Minutes counted from the beginning of the day named, past 1440 on the next one. */
const minutesOf = ({ at, between, every }: Schedule): ReadonlyArray<number> => {
  if (at !== undefined) return at
  if (every === undefined) return []
  const { fromMinute, toMinute } = between ?? { fromMinute: 0, toMinute: dayMinutes }
  const end = toMinute > fromMinute ? toMinute : toMinute + dayMinutes
  const count = Math.ceil(((end - fromMinute) * minuteMs) / every)
  return Array.from({ length: count }, (_, step) => fromMinute + Math.ceil((step * every) / minuteMs))
}

/** Hours with the same minutes share an expression. */
const ofDay = (hours: ReadonlyMap<number, ReadonlyArray<number>>, days: string): ReadonlyArray<string> => {
  const byMinutes = new Map<string, Array<number>>()
  for (const [hour, minutes] of hours) {
    const text = ranges([...new Set(minutes)].sort((a, b) => a - b))
    byMinutes.set(text, [...(byMinutes.get(text) ?? []), hour])
  }
  return [...byMinutes].map(([minutes, all]) => `${minutes} ${ranges(all.sort((a, b) => a - b))} * * ${days}`)
}

/** Cron's week begins on Sunday, with 0. */
const weekdays = (days: ReadonlyArray<number>): string =>
  days.length === 7 ? "*" : ranges(days.map((day) => (day + 1) % 7).sort((a, b) => a - b))

/** `0-4,9`. */
const ranges = (ascending: ReadonlyArray<number>): string => {
  const found: Array<[number, number]> = []
  for (const one of ascending) {
    const last = found.at(-1)
    if (last !== undefined && last[1] === one - 1) last[1] = one
    else found.push([one, one])
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",")
}
