/**
 * The seller account as an entity of the cluster: wherever its shard is, its cycles run there and one at a time. A due
 * time is one stored message, keyed by policy and due time, so that any number of runners may send it. Delivery is at
 * least once: the handler asks `AccountWork`, which finds in the store what is done already.
 */
import * as ClusterSchema from "@effect/cluster/ClusterSchema"
import * as Entity from "@effect/cluster/Entity"
import * as Rpc from "@effect/rpc/Rpc"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { TurnStatus, Turns } from "../engine/schedule/AccountTurn.js"
import type { DueTime } from "../engine/schedule/DueTimes.js"
import { Line } from "./Line.js"

const End = Schema.Struct({
  outcome: Schema.Literal("ran", "covered", "failed", "refused"),
  said: Schema.String
})

/** How an account stands. Instants are epoch milliseconds of the account's own clock. */
const Standing = Schema.Struct({
  account: Schema.String,
  /** The process that has the account now: `pid 4711 on desk`. */
  runner: Schema.String,
  state: Schema.Literal("idle", "running", "waiting", "stopping"),
  runningSince: Schema.NullOr(Schema.Number),
  /** What the running cycle is at; a runner of an older version does not say. */
  doing: Schema.optionalWith(Schema.NullOr(Schema.String), { exact: true }),
  /** Why the last cycle got nowhere, and when it is tried again. */
  stoppedWhy: Schema.NullOr(Schema.String),
  retryAt: Schema.NullOr(Schema.Number),
  last: Schema.NullOr(
    Schema.Struct({ at: Schema.Number, ...End.fields, runId: Schema.NullOr(Schema.String) })
  ),
  rulesVersion: Schema.NullOr(Schema.String)
})

export type Standing = typeof Standing.Type

/** The key of a due time among the account's messages. */
const keyOf = ({ dueAt, policy }: DueTime): string => `${policy}@${dueAt}`

/** The entity; its id is the account's name. */
export const SellerAccount = Entity.make("SellerAccount", [
  Rpc.make("runDue", {
    payload: { policy: Schema.String, dueAt: Schema.Number },
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
      const { entityId: account } = yield* Entity.CurrentAddress
      const line = new Line(account, work)
      return SellerAccount.of({
        runDue: ({ payload }) => line.run(payload),
        standing: () => Effect.map(work.status(account), (status) => standingOf(account, runner, status)),
        wake: () => work.wake(account),
        drain: () => work.drain(account)
      })
    }),
    { concurrency: "unbounded", maxIdleTime: "5 minutes" }
  )

const standingOf = (account: string, runner: string, status: TurnStatus): Standing => {
  const { doing, last, retryAt, rulesVersion, runningSince, state, stoppedWhy } = status
  return {
    account,
    runner,
    state,
    runningSince: runningSince ?? null,
    doing: doing ?? null,
    stoppedWhy: stoppedWhy ?? null,
    retryAt: retryAt ?? null,
    last: last === undefined ? null : { at: last.at, ...last.end, runId: last.runId ?? null },
    rulesVersion: rulesVersion ?? null
  }
}

/** Sends due times and asks how accounts stand, wherever they are. */
export const client = Effect.map(SellerAccount.client, (of) => ({
  /** Stores the due time; it is run once the account's runner takes it. The same one again changes nothing. */
  send: (account: string, due: DueTime) => of(account).runDue(due, { discard: true }),
  /** `send` for several; true when all are stored now. */
  store: (account: string, dues: ReadonlyArray<DueTime>): Effect.Effect<boolean> =>
    Effect.forEach(dues, (due) => of(account).runDue(due, { discard: true }), { discard: true }).pipe(
      Effect.as(true),
      // They are handed over again within a minute.
      Effect.catchAll(({ message }) =>
        Effect.as(Effect.logWarning(`${account}: not handed over: ${message}`), false)
      )
    ),
  /** As `send`, and waits for what became of it. */
  run: (account: string, due: DueTime) => of(account).runDue(due),
  standing: (account: string) => of(account).standing(),
  wake: (account: string) => of(account).wake()
}))

// What a runner does for the accounts it has: the cluster knows accounts, policies and due times, and nothing of rules
// or of a marketplace.

/** Runs due times of accounts in this process; asked by the account's entity alone. */
export class AccountWork extends Context.Tag("bidhelm/AccountWork")<AccountWork, Turns>() {}
