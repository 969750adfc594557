/**
 * A lane of a seller account as an entity of the cluster: wherever its shard is, its cycles run there and one at a time.
 * A due time is one stored message, keyed by job and due time, so that any number of runners may send it. Delivery is at
 * least once: the handler asks `AccountWork`, which finds in the store what is done already.
 */
import * as ClusterSchema from "@effect/cluster/ClusterSchema"
import * as Entity from "@effect/cluster/Entity"
import * as Rpc from "@effect/rpc/Rpc"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AccountLane } from "../domain/Lane.js"
import * as Lane from "../domain/Lane.js"
import type { TurnEnd, TurnStatus, Turns } from "../engine/schedule/AccountTurn.js"
import type { DueTime } from "../engine/schedule/DueTimes.js"
import { troubles } from "../engine/schedule/Job.js"

const End = Schema.Struct({
  outcome: Schema.Literal("ran", "covered", "failed", "refused"),
  said: Schema.String
})

/** How a lane of an account stands. Instants are epoch milliseconds of the account's own clock. */
const Standing = Schema.Struct({
  account: Schema.String,
  lane: Schema.Literal(...Lane.lanes),
  /** The process that has the lane now: `pid 4711 on desk`. */
  runner: Schema.String,
  state: Schema.Literal("idle", "running", "waiting", "stopping"),
  runningSince: Schema.NullOr(Schema.Number),
  /** What the running cycle is at; a runner of an older version does not say. */
  doing: Schema.optionalWith(Schema.NullOr(Schema.String), { exact: true }),
  /** Why the last cycle got nowhere, and when it is tried again. */
  stoppedWhy: Schema.NullOr(Schema.String),
  stoppedBy: Schema.optionalWith(Schema.NullOr(Schema.Literal(...troubles)), { exact: true }),
  retryAt: Schema.NullOr(Schema.Number),
  last: Schema.NullOr(
    Schema.Struct({ at: Schema.Number, ...End.fields, runId: Schema.NullOr(Schema.String) })
  ),
  rulesVersion: Schema.NullOr(Schema.String)
})

export type Standing = typeof Standing.Type

/** The key of a due time among the lane's messages. */
const keyOf = ({ dueAt, job }: DueTime): string => `${job}@${dueAt}`

/** The entity; its id is the `Lane.key` of account and lane. */
export const SellerAccount = Entity.make("SellerAccount", [
  Rpc.make("runDue", {
    payload: { job: Schema.String, dueAt: Schema.Number },
    success: End,
    primaryKey: keyOf
  }).annotate(ClusterSchema.Persisted, true),
  Rpc.make("standing", { success: Standing }),
  Rpc.make("wake"),
  Rpc.make("drain")
])

/**
 * The entity's behaviour on the runner of this name. Messages are taken side by side, so that a question is answered
 * while a cycle runs; cycles queue up behind one another.
 */
export const layer = (runner: string) =>
  SellerAccount.toLayer(
    Effect.gen(function* () {
      const work = yield* AccountWork
      const { entityId } = yield* Entity.CurrentAddress
      const where = Lane.ofKey(entityId)
      if (where === undefined) return yield* Effect.dieMessage(`${entityId} is no lane of an account`)
      const line = new Line(where, work)
      return SellerAccount.of({
        runDue: ({ payload }) => line.run(payload),
        standing: () => Effect.map(work.status(where), (status) => standingOf(where, runner, status)),
        wake: () => work.wake(where),
        drain: () => work.drain(where)
      })
    }),
    { concurrency: "unbounded", maxIdleTime: "5 minutes" }
  )

const standingOf = ({ account, lane }: Lane.AccountLane, runner: string, status: TurnStatus): Standing => {
  const { doing, last, retryAt, rulesVersion, runningSince, state, stoppedBy, stoppedWhy } = status
  return {
    account,
    lane,
    runner,
    state,
    runningSince: runningSince ?? null,
    doing: doing ?? null,
    stoppedWhy: stoppedWhy ?? null,
    stoppedBy: stoppedBy ?? null,
    retryAt: retryAt ?? null,
    last: last === undefined ? null : { at: last.at, ...last.end, runId: last.runId ?? null },
    rulesVersion: rulesVersion ?? null
  }
}

/** Sends due times and asks how lanes stand, wherever they are. */
export const client = Effect.map(SellerAccount.client, (entity) => {
  const of = (where: Lane.AccountLane) => entity(Lane.key(where))
  return {
    /** Stores the due time; it is run once the lane's runner takes it. The same one again changes nothing. */
    send: (where: Lane.AccountLane, due: DueTime) => of(where).runDue(due, { discard: true }),
    /** `send` for several; true when all are stored now. */
    store: (where: Lane.AccountLane, dues: ReadonlyArray<DueTime>): Effect.Effect<boolean> =>
      Effect.forEach(dues, (due) => of(where).runDue(due, { discard: true }), { discard: true }).pipe(
        Effect.as(true),
        // They are handed over again within a minute.
        Effect.catchAll(({ message }) =>
          Effect.as(Effect.logWarning(`${Lane.text(where)}: not handed over: ${message}`), false)
        )
      ),
    /** As `send`, and waits for what became of it. */
    run: (where: Lane.AccountLane, due: DueTime) => of(where).runDue(due),
    standing: (where: Lane.AccountLane) => of(where).standing(),
    wake: (where: Lane.AccountLane) => of(where).wake()
  }
})

// What a runner does for the lanes it has: the cluster knows lanes, jobs and due times, and nothing of what they do.

/** Runs due times of lanes in this process; asked by the lane's entity alone. */
export class AccountWork extends Context.Tag("bidhelm/AccountWork")<AccountWork, Turns>() {}

// The due times of a lane that wait for their turn, one behind the other. A lane that cannot work for weeks is told
// of every turn meanwhile, so one that is over already leaves the line when a later one of its job comes: what waits
// is as many as there are jobs, and not as many as there were turns.

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
