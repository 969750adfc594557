/**
 * The due times of a lane that wait for their turn, one behind the other. A lane that cannot work for weeks is
 * told of every turn meanwhile, so one that is over already leaves the line when a later one of its job comes: what
 * waits is as many as there are jobs, and not as many as there were turns.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { AccountLane } from "../domain/Lane.js"
import type { TurnEnd, Turns } from "../engine/schedule/AccountTurn.js"
import type { DueTime } from "../engine/schedule/DueTimes.js"

/** Someone who waits; told that it is its turn, or how its due time ended without it. */
interface Waiting {
  readonly due: DueTime
  readonly told: Deferred.Deferred<"turn" | TurnEnd>
}

export class Line {
  private isTaken = false
  private readonly waiting = new Set<Waiting>()

  constructor(
    private readonly where: AccountLane,
    private readonly work: Pick<Turns, "runDue" | "over">
  ) {}

  /** How many wait. */
  get length(): number {
    return this.waiting.size
  }

  /** Runs the due time when its turn has come, or ends when there is nothing left to run of it. */
  readonly run = (due: DueTime): Effect.Effect<TurnEnd> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(this, function* () {
        const own: Waiting = { due, told: yield* Deferred.make<"turn" | TurnEnd>() }
        this.waiting.add(own)
        this.next()
        const told = yield* restore(Effect.zipRight(this.pass(own), Deferred.await(own.told))).pipe(
          Effect.onError(() => this.leave(own))
        )
        if (told !== "turn") return told
        return yield* Effect.ensuring(restore(this.work.runDue(this.where, due)), this.free)
      })
    )

  /** Lets those go whose turn a later one of the job has taken. */
  private pass(own: Waiting): Effect.Effect<void> {
    if (!this.waiting.has(own)) return Effect.void
    const { dueAt, job } = own.due
    const before = [...this.waiting].filter(({ due }) => due.job === job && due.dueAt <= dueAt)
    return Effect.forEach(
      before,
      (one) =>
        Effect.flatMap(this.work.over(this.where, one.due), (end) =>
          end !== undefined && this.waiting.delete(one)
            ? Effect.asVoid(Deferred.succeed(one.told, end))
            : Effect.void
        ),
      { discard: true }
    )
  }

  private next(): void {
    if (this.isTaken) return
    for (const first of this.waiting) {
      this.isTaken = true
      this.waiting.delete(first)
      Deferred.unsafeDone(first.told, Effect.succeed("turn"))
      return
    }
  }

  private readonly free = Effect.sync(() => {
    this.isTaken = false
    this.next()
  })

  /** Whoever was given the turn and goes before it began gives it on. */
  private leave(own: Waiting): Effect.Effect<void> {
    return Effect.flatMap(Deferred.poll(own.told), (told) =>
      this.waiting.delete(own) || told._tag === "None"
        ? Effect.void
        : Effect.flatMap(told.value, (what) => (what === "turn" ? this.free : Effect.void))
    )
  }
}
