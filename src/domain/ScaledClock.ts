/** A clock that runs a number of times faster than real time: `bidhelm sandbox --speed 60`, and the demo. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface Options {
  /** Scaled milliseconds per real millisecond; greater than 0. 1 is real time. */
  readonly speed: number
  /** Scaled instant at which the clock starts, epoch milliseconds; now when absent. */
  readonly originMs?: number
  /** What it goes by; the machine's own time when absent. */
  readonly machine?: Clock.Clock
}

/** The machine's time that scaled clocks go by. Tests give one in which nobody waits for what only time brings. */
export class Machine extends Context.Reference<Machine>()("bidhelm/Machine", {
  defaultValue: () => Clock.make()
}) {}

/** A clock that also goes on at once, by scaled milliseconds; what sleeps by it sleeps on. */
export interface Advancing extends Clock.Clock {
  readonly advance: (byMs: number) => void
}

/** Marks a scaled clock with its speed, so that whoever is given only the clock knows it. */
const Speed: unique symbol = Symbol.for("bidhelm/ScaledClock/speed")

type Scaled = Clock.Clock & { readonly [Speed]?: number }

/** How many of a clock's milliseconds pass in one of the machine's; 1 for every clock that is not scaled. */
export const speedOf = (clock: Clock.Clock): number => (clock as Scaled)[Speed] ?? 1

/**
 * So many of the machine's milliseconds, in those of the clock at hand. For whatever is about a process or a connection
 * and not about the marketplace: a lease, a request's timeout. Those take as long on a fast clock as on a slow one.
 */
export const ofMachine = (ms: number): Effect.Effect<number> =>
  Effect.clockWith((clock) => Effect.succeed(ms * speedOf(clock)))

/** A clock of its own: reads the scaled instant, sleeps `duration / speed` of real time. */
export const make = (options: Options): Advancing & Scaled => {
  const real = options.machine ?? Clock.make()
  const startMs = real.unsafeCurrentTimeMillis()
  const startNanos = real.unsafeCurrentTimeNanos()
  let originMs = options.originMs ?? startMs
  const elapsedMs = () => (Number(real.unsafeCurrentTimeNanos() - startNanos) / 1e6) * options.speed
  const millis = () => Math.floor(originMs + elapsedMs())
  const nanos = () => BigInt(Math.floor(originMs)) * 1_000_000n + BigInt(Math.floor(elapsedMs() * 1e6))
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    [Speed]: options.speed,
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
export const layer = (options: Options): Layer.Layer<never> =>
  Layer.unwrapEffect(Effect.map(Machine, (machine) => Layer.setClock(make({ machine, ...options }))))
