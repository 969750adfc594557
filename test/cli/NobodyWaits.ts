/**
 * The machine's time of a sandbox and commands that share the test's process. While a command runs and all of the process
 * sleeps, it goes on at once to whoever wakes next: nobody waits for what only time brings.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { vi } from "vitest"

interface Sleeper {
  readonly atMs: number
  readonly wake: () => void
}

const real = Clock.make()
const sleepers = new Set<Sleeper>()
/** What was left out until now. */
let skippedMs = 0

const nanos = (): bigint => real.unsafeCurrentTimeNanos() + BigInt(Math.round(skippedMs * 1e6))
const nowMs = (): number => Number(nanos()) / 1e6
const millis = (): number => Math.floor(nowMs())

export const machine: Clock.Clock = {
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: millis,
  unsafeCurrentTimeNanos: nanos,
  currentTimeMillis: Effect.sync(millis),
  currentTimeNanos: Effect.sync(nanos),
  sleep: (duration) =>
    Effect.async<void>((resume) => {
      const ms = Duration.toMillis(duration)
      const up = () => {
        clearTimeout(timer)
        sleepers.delete(sleeper)
      }
      const wake = () => {
        up()
        resume(Effect.void)
      }
      const sleeper = { atMs: nowMs() + ms, wake }
      sleepers.add(sleeper)
      // By itself where no command runs.
      const timer = ms > longestMs ? undefined : setTimeout(wake, ms)
      return Effect.sync(up)
    })
}

/** That Node's timers know. */
const longestMs = 2 ** 31 - 1

/** Runs a command that waits for nothing. */
export const during = <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new AbortController()),
    ({ signal }) => {
      void skip(signal)
      return command
    },
    (ends) => Effect.sync(() => ends.abort())
  )

const skip = async (ended: AbortSignal): Promise<void> => {
  while (!ended.aborted) {
    const isIdle = (await idle()) && (await loaded()) && (await idle())
    if (ended.aborted) return
    const nextMs = Math.min(...[...sleepers].map(({ atMs }) => atMs))
    if (isIdle && nextMs < Number.POSITIVE_INFINITY) skippedMs += Math.max(0, nextMs - nowMs())
    for (const { atMs, wake } of sleepers) if (atMs <= nowMs()) wake()
  }
}

/** The runner of the tests loads what is imported, in a process of its own. */
const loaded = async (): Promise<true> => {
  await vi.dynamicImportSettled()
  return true
}

/** True when for a moment nothing was done, no file is waited for, and no other process lives by the same time. */
const idle = async (): Promise<boolean> => {
  const before = performance.eventLoopUtilization()
  await new Promise((done) => setTimeout(done, 1))
  return (
    performance.eventLoopUtilization(before).utilization < 0.2 &&
    !process.getActiveResourcesInfo().some((name) => name === "ProcessWrap" || name.startsWith("FSReq"))
  )
}
