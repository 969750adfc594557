/** Whether a policy's schedule has it run at all on a day; a backtest runs it then once, at the snapshot's instant. */
import * as Days from "../../domain/Days.js"
import type { Policy } from "../language/Policy.js"
import { week } from "../language/Schedules.js"

const dayMs = 86_400_000

/** `lastMs` is when it ran last, epoch milliseconds. */
export const isDue = ({ schedule }: Policy, nowMs: number, lastMs: number | undefined): boolean => {
  if (schedule === undefined) return true
  const { days, every, tz } = schedule
  const today = Days.at(nowMs, tz)
  if (days !== undefined && !days.includes(weekday(today))) return false
  if (every === undefined || every <= dayMs || lastMs === undefined) return true
  return Days.length({ from: Days.at(lastMs, tz), to: today }) - 1 >= Math.floor(every / dayMs)
}

const weekday = (day: Days.Day): (typeof week)[number] => {
  const sundayFirst = new Date(Date.parse(`${day}T00:00:00Z`)).getUTCDay()
  return week[(sundayFirst + 6) % 7]!
}
