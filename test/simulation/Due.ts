/** Which policies are due when: the timetable, walked ahead for virtual time. */

import type { Schedule } from "../../src/domain/Schedule.js"
import type { Policy } from "../../src/engine/language/Policy.js"
import * as Timetable from "../../src/engine/schedule/Timetable.js"

/** Epoch milliseconds from `fromMs` to before `toMs`, ascending. */
export const instants = (schedule: Schedule, fromMs: number, toMs: number): ReadonlyArray<number> =>
  Timetable.between(schedule, fromMs - 1, toMs - 1)

/** Ascending; policies due at the same instant run together. */
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
