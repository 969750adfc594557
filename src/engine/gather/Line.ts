/**
 * Calls of one operation waiting for their turn at the limiter: a few go ahead, the rest wait here, the most urgent
 * first, so that a call others depend on overtakes calls that nobody waits for. What waits has no fiber of its own:
 * of a big account ten thousand calls wait.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** More than this at the limiter at once would fix their order too early; fewer could leave its tokens unused. */
const ahead = 16

export class Line<R> {
  private running = 0
  /** By urgency, the most urgent first; each with its calls in the order they came. */
  private readonly waiting: Array<{ readonly urgency: number; readonly calls: Calls<R> }> = []

  /** Makes a call when its turn comes, in a fiber of the scope; 0 is most urgent, equals keep their order. */
  send(
    urgency: number,
    call: Effect.Effect<void, never, R>,
    scope: Scope.Scope
  ): Effect.Effect<void, never, R> {
    return Effect.suspend(() => {
      if (this.running >= ahead) {
        this.callsOf(urgency).add(call)
        return Effect.void
      }
      this.running += 1
      return Effect.asVoid(Effect.forkIn(this.work(call), scope))
    })
  }

  /** Makes the call and those whose turn comes after it. */
  private work(first: Effect.Effect<void, never, R>): Effect.Effect<void, never, R> {
    let call: Effect.Effect<void, never, R> | undefined = first
    return Effect.whileLoop({
      while: () => call !== undefined,
      body: () => Effect.exit(call!),
      step: () => {
        call = this.next()
        if (call === undefined) this.running -= 1
      }
    })
  }

  private next(): Effect.Effect<void, never, R> | undefined {
    for (const { calls } of this.waiting) {
      const call = calls.take()
      if (call !== undefined) return call
    }
    return undefined
  }

  private callsOf(urgency: number): Calls<R> {
    const existing = this.waiting.find((one) => one.urgency === urgency)
    if (existing !== undefined) return existing.calls
    const calls = new Calls<R>()
    this.waiting.push({ urgency, calls })
    this.waiting.sort((a, b) => a.urgency - b.urgency)
    return calls
  }
}

/** First come, first served; what was taken is let go of. */
class Calls<R> {
  private calls: Array<Effect.Effect<void, never, R> | undefined> = []
  private taken = 0

  add(call: Effect.Effect<void, never, R>): void {
    this.calls.push(call)
  }

  take(): Effect.Effect<void, never, R> | undefined {
    const call = this.calls[this.taken]
    if (call === undefined) return undefined
    this.calls[this.taken] = undefined
    this.taken += 1
    if (this.taken === this.calls.length) {
      this.calls = []
      this.taken = 0
    }
    return call
  }
}
