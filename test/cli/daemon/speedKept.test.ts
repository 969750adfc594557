import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as DaemonLog from "../../../src/cli/daemon/DaemonLog.js"
import * as Fleet from "../../../src/cli/daemon/Fleet.js"
import * as ScaledClock from "../../../src/domain/ScaledClock.js"

const minuteMs = 60_000
const late: Fleet.Lap = { periodMs: 10 * minuteMs, tookMs: 14 * minuteMs, workMs: 2000 }

it("knows the speed at which a turn and the sandbox's answers fit before the next due time", () => {
  expect(Fleet.couldKeep([late, late, late], 300)).toBe(150)
  // The quickest of the last three is what the machine can do.
  expect(Fleet.couldKeep([late, late, { ...late, workMs: 1500 }], 300)).toBe(200)
})

it("blames no speed for a turn that only waited, that was over in time, or that was the first", () => {
  expect(Fleet.couldKeep([late, late, { ...late, workMs: 900 }], 300)).toBeUndefined()
  expect(Fleet.couldKeep([late, late, { ...late, tookMs: 9 * minuteMs }], 300)).toBeUndefined()
  expect(Fleet.couldKeep([late, late], 300)).toBeUndefined()
})

it("blames no speed for turns that call limits held for longer than a period, whatever else was worked meanwhile", () => {
  const held = { ...late, tookMs: 300 * minuteMs, workMs: 5000 }
  expect(Fleet.couldKeep([held, held, held], 300)).toBeUndefined()
  expect(Fleet.couldKeep([late, late, held], 300)).toBeUndefined()
  const both = { ...late, tookMs: 55 * minuteMs, workMs: 5000 }
  expect(Fleet.couldKeep([both, both, both], 300)).toBe(60)
})

/** Five cycles that are due every minute, each a fifth of a second of work, on a clock that is so many times faster. */
const said = async (speed: number, tookMs: number): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  let workedMs = 0
  const watched = Fleet.watchSpeed(() => workedMs)
  const cycle = Effect.suspend(() => {
    workedMs += 200
    return Effect.sleep(tookMs)
  })
  const schedule = { every: minuteMs, tz: "Europe/Moscow" }
  const log = DaemonLog.writing({ format: "text", level: "info" }, (line) => lines.push(line))
  const five = Effect.repeatN(watched(cycle, [{ schedule }]), 4)
  await five.pipe(Effect.withClock(ScaledClock.make({ speed })), log, Effect.runPromise)
  return lines
}

it("is said once, with the speed that could be kept", async () => {
  const [line, ...more] = await said(6000, 2 * minuteMs)
  expect(more).toEqual([])
  expect(line).toMatch(
    /runs 6000 times faster: a turn took .* due again after 1 min\..* About --speed 150 could/
  )
})

it("is not said of a clock that is kept, nor of the machine's own", async () => {
  expect(await said(6000, minuteMs / 30)).toEqual([])
  expect(await said(1, 1)).toEqual([])
})
