/** A runner whose accounts only write down what they were asked for: the distribution under test, without a shop. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Lane from "../../src/domain/Lane.js"
import type { DueTime } from "../../src/engine/schedule/DueTimes.js"
import { AccountWork } from "../../src/runtime/SellerAccount.js"
import * as Migrations from "../../src/store/schema/Migrations.js"

/** Makes the store, and the table that the accounts write to. */
export const table = Effect.zipRight(
  Migrations.migrate,
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`CREATE TABLE IF NOT EXISTS turns (account TEXT, job TEXT, due BIGINT, runner TEXT, phase TEXT)`
  )
)

const write = (where: Lane.AccountLane, { dueAt, job }: DueTime, runner: string, phase: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`INSERT INTO turns VALUES (${Lane.text(where)}, ${job}, ${dueAt}, ${runner}, ${phase})`
  )

export interface Turn {
  readonly account: string
  readonly job: string
  readonly runner: string
  readonly phase: "begun" | "ended"
}

/** What was begun and ended, in order of account and job. */
export const turns = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<Turn>`SELECT account, job, runner, phase FROM turns ORDER BY account, job, phase, runner`
)

/** Waits until the accounts have come that far. */
export const until = (reached: (turns: ReadonlyArray<Turn>) => boolean) =>
  turns.pipe(Effect.delay("20 millis"), Effect.repeat({ until: reached }), Effect.timeout("60 seconds"))

/** Every due time takes `takesMs`; one that has ended before is covered. */
export const layer = (
  runner: string,
  takesMs: number,
  wake: (where: Lane.AccountLane) => Effect.Effect<void> = () => Effect.void
) =>
  Layer.effect(
    AccountWork,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      runDue: (where: Lane.AccountLane, due: DueTime) =>
        Effect.gen(function* () {
          const before = yield* turns
          const isDone = before.some(
            (turn) => turn.account === Lane.text(where) && turn.job === due.job && turn.phase === "ended"
          )
          if (isDone) return { outcome: "covered", said: runner } as const
          yield* write(where, due, runner, "begun")
          yield* Effect.sleep(takesMs)
          yield* write(where, due, runner, "ended")
          return { outcome: "ran", said: runner } as const
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.orDie),
      over: () => Effect.succeed(undefined),
      status: () =>
        Effect.succeed({
          state: "idle",
          runningSince: undefined,
          stoppedWhy: undefined,
          retryAt: undefined,
          last: undefined,
          rulesVersion: undefined
        } as const),
      wake,
      drain: () => Effect.void
    }))
  )
