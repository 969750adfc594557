/** Whether a policy's schedule has it run at all on a day; a backtest runs it then once, at the snapshot's instant. */
import * as Days from "../../domain/Days.js"
import type { Policy } from "../language/Policy.js"
import * as LocalTime from "../schedule/LocalTime.js"
import * as Timetable from "../schedule/Timetable.js"

const { dayMs } = LocalTime

/**
 * `lastMs` is when it ran last, epoch milliseconds. A policy of every few days is caught up with on the next day that
 * was recorded, as a program that was not running would.
 */
export const isDue = ({ schedule }: Policy, nowMs: number, lastMs: number | undefined): boolean => {
  if (schedule === undefined) return true
  const { every = dayMs, tz } = schedule
  const today = Date.parse(`${Days.at(nowMs, tz)}T00:00:00Z`) / dayMs
  const [beginMs, endMs] = [LocalTime.instantOf(today, 0, tz), LocalTime.instantOf(today + 1, 0, tz)]
  const sinceMs = every > dayMs ? (lastMs ?? beginMs - every) : beginMs - 1
  return Timetable.latest(schedule, sinceMs, endMs - 1) !== undefined
}
