/**
 * Wake-ups by node-cron. It leaves out hours around a change of the clock and drops what it missed while the machine
 * slept; both are covered by the supervisor, which looks every minute and asks the timetable.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { createTask, type ScheduledTask } from "node-cron"
import type { Schedule } from "../domain/Schedule.js"
import * as Cron from "../engine/schedule/Cron.js"
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
      Cron.expressions(schedule).map((expression) => {
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
