/**
 * A clock that jumps from one wake-up to the next: hours pass in milliseconds and every run is the same run.
 * In-process effects only; real sockets and child processes do not live in virtual time.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"

export interface VirtualTime {
  readonly clock: Clock.Clock
  /** Makes everything provided with it live in this time. */
  readonly layer: Layer.Layer<never>
  /** Current virtual instant, epoch milliseconds. */
  readonly now: () => number
  /** Lets `duration` pass and wakes every sleeper due in it, in order. Answers the number of wake-ups. */
  readonly advance: (duration: Duration.DurationInput) => Effect.Effect<number>
  /**
   * Runs `effect` in this time, jumping ahead whenever everything sleeps, until it ends. Dies when the effect waits
   * and nothing sleeps, which would be forever.
   */
  readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** A virtual time that starts at `startMs` (epoch milliseconds). */
export const make = (startMs = 0): VirtualTime => {
  const sleepers = new Sleepers()
  let nowMs = startMs
  const nanos = () => BigInt(Math.round(nowMs * 1e3)) * 1000n
  // Like the real one, the clock shows whole milliseconds, cut off, although time passes between them.
  const millis = () => Math.floor(nowMs)
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.async<void>((resume) => {
        const sleeper = sleepers.add(nowMs + Duration.toMillis(duration), () => resume(Effect.void))
        return Effect.sync(() => {
          sleeper.cancelled = true
        })
      })
  }
  /** Jumps to the next instant at which somebody wakes; answers how many woke. */
  const jump = (untilMs: number): number => {
    const at = sleepers.next()
    if (at === undefined || at > untilMs) return 0
    nowMs = Math.max(nowMs, at)
    let woken = 0
    while (sleepers.next() === at) {
      sleepers.take().wake()
      woken++
    }
    return woken
  }
  const advance = (duration: Duration.DurationInput) =>
    Effect.gen(function* () {
      const end = nowMs + Duration.toMillis(duration)
      let woken = 0
      for (;;) {
        yield* settle
        const now = jump(end)
        if (now === 0) break
        woken += now
      }
      nowMs = end
      return woken
    })
  const run = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(Effect.withScheduler(Effect.withClock(effect, clock), untimed))
      let idle = 0
      for (;;) {
        yield* settle
        const exit = fiber.unsafePoll()
        if (exit !== null) return yield* exit
        idle = jump(Number.POSITIVE_INFINITY) > 0 ? 0 : idle + 1
        if (idle > idleTurns) {
          yield* Fiber.interruptFork(fiber)
          return yield* Effect.dieMessage(
            "in virtual time the effect waits for something, but nothing sleeps"
          )
        }
      }
    })
  return { clock, layer: Layer.setClock(clock), now: () => nowMs, advance, run }
}

/** Turns of the event loop without any sleeper after which waiting counts as for ever. */
const idleTurns = 1000

/**
 * Never falls back to a timer, so that all runnable work is done within one turn of the event loop, however much.
 */
const untimed = new Scheduler.MixedScheduler(Number.POSITIVE_INFINITY)

/** Lets every runnable fiber run until all wait: two turns of the event loop cover chains of promises. */
const settle = Effect.async<void>((resume) => {
  setImmediate(() => setImmediate(() => resume(Effect.void)))
})

interface Sleeper {
  readonly at: number
  readonly order: number
  readonly wake: () => void
  cancelled: boolean
}

/** Binary heap by instant, then by order of falling asleep. */
class Sleepers {
  private readonly heap: Array<Sleeper> = []
  private added = 0

  add(at: number, wake: () => void): Sleeper {
    const sleeper = { at, order: this.added++, wake, cancelled: false }
    const heap = this.heap
    let index = heap.length
    heap.push(sleeper)
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!earlier(sleeper, heap[parent]!)) break
      heap[index] = heap[parent]!
      index = parent
    }
    heap[index] = sleeper
    return sleeper
  }

  /** Instant of the next wake-up. */
  next(): number | undefined {
    while (this.heap[0]?.cancelled === true) this.take()
    return this.heap[0]?.at
  }

  take(): Sleeper {
    const heap = this.heap
    const top = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return top
    let index = 0
    for (;;) {
      const left = 2 * index + 1
      if (left >= heap.length) break
      const right = left + 1
      const child = right < heap.length && earlier(heap[right]!, heap[left]!) ? right : left
      if (!earlier(heap[child]!, last)) break
      heap[index] = heap[child]!
      index = child
    }
    heap[index] = last
    return top
  }
}

const earlier = (a: Sleeper, b: Sleeper): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)
