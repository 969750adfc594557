/** A clock that runs a number of times faster than real time: `bidhelm sandbox --speed 60`, and the demo. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface Options {
  /** Scaled milliseconds per real millisecond; greater than 0. 1 is real time. */
  readonly speed: number
  /** Scaled instant at which the clock starts, epoch milliseconds; now when absent. */
  readonly originMs?: number
}

/** A clock that also goes on at once, by scaled milliseconds; what sleeps by it sleeps on. */
export interface Advancing extends Clock.Clock {
  readonly advance: (byMs: number) => void
}

/** A clock of its own: reads the scaled instant, sleeps `duration / speed` of real time. */
export const make = (options: Options): Advancing => {
  const real = Clock.make()
  const startMs = real.unsafeCurrentTimeMillis()
  const startNanos = real.unsafeCurrentTimeNanos()
  let originMs = options.originMs ?? startMs
  const elapsedMs = () => (Number(real.unsafeCurrentTimeNanos() - startNanos) / 1e6) * options.speed
  const millis = () => Math.floor(originMs + elapsedMs())
  const nanos = () => BigInt(Math.floor(originMs)) * 1_000_000n + BigInt(Math.floor(elapsedMs() * 1e6))
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    advance: (byMs) => {
      originMs += byMs
    },
    sleep: (duration) => real.sleep(Duration.times(duration, 1 / options.speed))
  }
}

/** Everything provided with it reads the scaled clock. */
export const layer = (options: Options): Layer.Layer<never> => Layer.setClock(make(options))
