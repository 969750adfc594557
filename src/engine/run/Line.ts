/**
 * Calls of one operation waiting for their turn at the limiter: a few go ahead, the rest wait here, the most urgent
 * first, so that a call others depend on overtakes calls that nobody waits for.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"

/** More than this at the limiter at once would fix their order too early; fewer could leave its tokens unused. */
const ahead = 16

interface Waiting {
  readonly urgency: number
  readonly turn: Deferred.Deferred<void>
}

export class Line {
  private running = 0
  private readonly waiting: Array<Waiting> = []

  /** Runs a call when its turn comes; 0 is most urgent, equals keep their order. */
  through<A, R>(urgency: number, call: Effect.Effect<A, never, R>): Effect.Effect<A, never, R> {
    return Effect.acquireUseRelease(
      Effect.suspend(() => this.enter(urgency)),
      () => call,
      () => Effect.suspend(() => this.leave())
    )
  }

  private enter(urgency: number): Effect.Effect<void> {
    if (this.running < ahead) {
      this.running += 1
      return Effect.void
    }
    const turn = Deferred.unsafeMake<void>(FiberId.none)
    const behind = this.waiting.findIndex((other) => other.urgency > urgency)
    this.waiting.splice(behind < 0 ? this.waiting.length : behind, 0, { urgency, turn })
    return Effect.interruptible(Deferred.await(turn))
  }

  private leave(): Effect.Effect<void> {
    const next = this.waiting.shift()
    if (next !== undefined) return Effect.asVoid(Deferred.succeed(next.turn, undefined))
    this.running -= 1
    return Effect.void
  }
}
