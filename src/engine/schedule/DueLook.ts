/** What the timetable says of an account: which policies became due since the last record of them. Pure. */
import type { Policy, RuleSet } from "../language/Policy.js"
import type { Schedule } from "../language/Timing.js"
import type { DueRecord, NewDue } from "./DueTimes.js"
import * as Timetable from "./Timetable.js"

export type Scheduled = Policy & { readonly schedule: Schedule }

/** Policies that a timetable runs. */
export const scheduled = (rules: RuleSet): ReadonlyArray<Scheduled> =>
  rules.policies.filter(
    (policy): policy is Scheduled => policy.mode !== "disabled" && policy.schedule !== undefined
  )

/**
 * When a policy is due: by its schedule and, of an overlay, when its time is over. The base returns in a run, and the
 * schedule may have none until the next such time begins: the overlay would never end.
 */
const schedulesOf = ({ during, schedule }: Scheduled): ReadonlyArray<Schedule> => {
  if (during === undefined) return [schedule]
  const { days, fromMinute, toMinute } = during
  const end = toMinute > fromMinute ? toMinute : toMinute + dayMinutes
  return [schedule, { at: [end], ...(days === undefined ? {} : { days }), tz: schedule.tz }]
}

const dayMinutes = 1440

/** Text of a schedule; the same text is the same timetable. */
export const keyOf = ({ at, between, days, every, tz }: Schedule): string =>
  [
    every === undefined ? `at ${at?.join(" ") ?? ""}` : `every ${every}`,
    ...(days === undefined ? [] : [days.join(" ")]),
    ...(between === undefined ? [] : [`${between.fromMinute}-${between.toMinute}`]),
    tz
  ].join("; ")

/** All of them, by their text. */
export const timetables = (rules: RuleSet): ReadonlyMap<string, Schedule> =>
  new Map(
    scheduled(rules)
      .flatMap(schedulesOf)
      .map((schedule) => [keyOf(schedule), schedule])
  )

/**
 * What to record. A policy without a record, with another schedule, or `returned` from being switched off begins to
 * count now: it waits for its next turn. Several turns missed are one, the last of them.
 */
export const newDues = (
  account: string,
  policies: ReadonlyArray<Scheduled>,
  last: ReadonlyMap<string, DueRecord>,
  nowMs: number,
  returned: (policy: string) => boolean
): ReadonlyArray<NewDue> =>
  policies.flatMap((policy): ReadonlyArray<NewDue> => {
    const { id, schedule } = policy
    const before = last.get(id)
    const key = keyOf(schedule)
    if (before === undefined || before.schedule !== key || returned(id)) {
      return [{ account, policy: id, dueAt: nowMs, since: nowMs, schedule: key, state: "seen" }]
    }
    const dues = schedulesOf(policy).flatMap((one) => Timetable.latest(one, before.dueAt, nowMs) ?? [])
    if (dues.length === 0) return []
    const dueAt = Math.max(...dues)
    return [{ account, policy: id, dueAt, since: before.dueAt, schedule: key, state: "waiting" }]
  })

/**
 * What to say of policies whose last record has another schedule, though these rules were in force when it was made:
 * only another runner on the same store can have made it, and each begins to count anew after the other, for ever.
 */
export const others = (
  policies: ReadonlyArray<Scheduled>,
  last: ReadonlyMap<string, DueRecord>
): string | undefined => {
  const ids = policies.flatMap(({ id, schedule }) => {
    const before = last.get(id)
    return before === undefined || before.schedule === keyOf(schedule) ? [] : [id]
  })
  return ids.length === 0
    ? undefined
    : `another bidhelm run has another schedule of ${ids.join(", ")}, so neither runs it; give every runner the same rules`
}

/** The next due instant of any of the policies after an instant. */
export const next = (policies: ReadonlyArray<Scheduled>, afterMs: number): number | undefined => {
  const all = policies.flatMap(schedulesOf).flatMap((schedule) => Timetable.next(schedule, afterMs) ?? [])
  return all.length === 0 ? undefined : Math.min(...all)
}
