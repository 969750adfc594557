/** What the timetable says of the jobs of a lane: which became due since the last record of them. Pure. */
import type { Schedule } from "../../domain/Schedule.js"
import type { DueRecord, NewDue } from "./DueTimes.js"
import type { Job } from "./Job.js"
import * as Timetable from "./Timetable.js"

export type Scheduled = Job & { readonly schedule: Schedule }

/** Jobs that a timetable runs. */
export const scheduled = (jobs: ReadonlyArray<Job>): ReadonlyArray<Scheduled> =>
  jobs.filter((job): job is Scheduled => job.schedule !== undefined)

/** When a job is due. */
type Times = Pick<Job, "schedule" | "alsoAt">

/** All schedules of a job; none of one that no timetable runs. */
export const schedulesOf = ({ alsoAt = [], schedule }: Times): ReadonlyArray<Schedule> =>
  schedule === undefined ? [] : [schedule, ...alsoAt]

/** Text of a schedule; the same text is the same timetable. */
const keyOf = ({ at, between, days, every, tz }: Schedule): string =>
  [
    every === undefined ? `at ${at?.join(" ") ?? ""}` : `every ${every}`,
    ...(days === undefined ? [] : [days.join(" ")]),
    ...(between === undefined ? [] : [`${between.fromMinute}-${between.toMinute}`]),
    tz
  ].join("; ")

/** All of them, by their text. */
export const timetables = (jobs: ReadonlyArray<Job>): ReadonlyMap<string, Schedule> =>
  new Map(
    scheduled(jobs)
      .flatMap(schedulesOf)
      .map((schedule) => [keyOf(schedule), schedule])
  )

/**
 * What to record. A job without a record, with another schedule, or `returned` from being switched off begins to
 * count now: it waits for its next turn. Several turns missed are one, the last of them.
 */
export const newDues = (
  jobs: ReadonlyArray<Scheduled>,
  last: ReadonlyMap<string, DueRecord>,
  nowMs: number,
  returned: (job: string) => boolean
): ReadonlyArray<NewDue> =>
  jobs.flatMap((job): ReadonlyArray<NewDue> => {
    const { account, id, lane, schedule } = job
    const before = last.get(id)
    const key = keyOf(schedule)
    if (before === undefined || before.schedule !== key || returned(id)) {
      return [{ account, lane, job: id, dueAt: nowMs, since: nowMs, schedule: key, state: "seen" }]
    }
    const dues = schedulesOf(job).flatMap((one) => Timetable.latest(one, before.dueAt, nowMs) ?? [])
    if (dues.length === 0) return []
    const dueAt = Math.max(...dues)
    return [{ account, lane, job: id, dueAt, since: before.dueAt, schedule: key, state: "waiting" }]
  })

/**
 * What to say of jobs whose last record has another schedule, though these were in force when it was made:
 * only another runner on the same store can have made it, and each begins to count anew after the other, for ever.
 */
export const others = (
  jobs: ReadonlyArray<Scheduled>,
  last: ReadonlyMap<string, DueRecord>
): string | undefined => {
  const ids = jobs.flatMap(({ id, schedule }) => {
    const before = last.get(id)
    return before === undefined || before.schedule === keyOf(schedule) ? [] : [id]
  })
  return ids.length === 0
    ? undefined
    : `another bidhelm run has another schedule of ${ids.join(", ")}, so neither runs it; give every runner the same rules`
}

/** The next due instant of any of the jobs after an instant. */
export const next = (jobs: ReadonlyArray<Times>, afterMs: number): number | undefined => {
  const all = jobs.flatMap(schedulesOf).flatMap((schedule) => Timetable.next(schedule, afterMs) ?? [])
  return all.length === 0 ? undefined : Math.min(...all)
}
