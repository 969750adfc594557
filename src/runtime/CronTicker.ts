/**
 * Wake-ups by node-cron. It leaves out hours around a change of the clock and drops what it missed while the machine
 * slept; both are covered by the supervisor, which looks every minute and asks the timetable.
 */
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { createTask, type ScheduledTask } from "node-cron"
import * as Days from "../domain/Days.js"
import * as Groups from "../domain/Groups.js"
import { type Schedule, week } from "../domain/Schedule.js"
import { Ticker } from "../engine/schedule/Ticker.js"

export const layer: Layer.Layer<Ticker> = Layer.succeed(Ticker, {
  ticks: (schedules) =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        // One waiting wake-up stands for all: the supervisor looks at everything at once.
        const queue = yield* Effect.acquireRelease(Queue.sliding<void>(1), Queue.shutdown)
        yield* Effect.acquireRelease(
          Effect.sync(() => tasksOf(schedules, () => void queue.unsafeOffer(undefined))),
          (tasks) => Effect.promise(() => Promise.all(tasks.map((task) => task.destroy())))
        )
        return Stream.fromQueue(queue)
      })
    )
})

/** One started task for each different expression and zone. */
const tasksOf = (schedules: ReadonlyArray<Schedule>, wake: () => void): ReadonlyArray<ScheduledTask> => {
  const wanted = new Map(
    schedules.flatMap((schedule) =>
      expressions(schedule).map((expression) => {
        const { tz } = schedule
        return [`${tz} ${expression}`, { expression, tz }] as const
      })
    )
  )
  return [...wanted.values()].map(({ expression, tz }) => {
    const task = createTask(expression, wake, { timezone: tz, suppressMissedWarning: true })
    task.on("execution:missed", wake)
    void task.start()
    return task
  })
}

// Cron expressions that wake a program when a schedule is due, on the clock of the schedule's zone. They only wake:
// around a change of the clock, on days between those of `every: 3d`, and when a step is no whole minute, the
// timetable and the wake-up of every minute say what is due.

const dayMinutes = 1440

/** `minute hour day month weekday`; none for a schedule that is never due. Sorted, each once. */
export const expressions = (schedule: Schedule): ReadonlyArray<string> => {
  const today = new Map<number, Arr.NonEmptyArray<number>>()
  const tomorrow = new Map<number, Arr.NonEmptyArray<number>>()
  for (const minute of minutesOf(schedule))
    Groups.add(minute < dayMinutes ? today : tomorrow, Math.floor((minute % dayMinutes) / 60), minute % 60)
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
  const count = Math.ceil(((end - fromMinute) * Days.minuteMs) / every)
  return Array.from({ length: count }, (_, step) => fromMinute + Math.ceil((step * every) / Days.minuteMs))
}

/** Hours with the same minutes share an expression. */
const ofDay = (hours: ReadonlyMap<number, ReadonlyArray<number>>, days: string): ReadonlyArray<string> => {
  const byMinutes = Groups.by(hours, ([, minutes]) => ranges([...new Set(minutes)].sort((a, b) => a - b)))
  return [...byMinutes].map(
    ([minutes, own]) => `${minutes} ${ranges(own.map(([hour]) => hour).sort((a, b) => a - b))} * * ${days}`
  )
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
