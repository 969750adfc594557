/**
 * The cluster keeps every message and reply for ever. What is older than the horizon goes: whether a due time is done
 * is kept in the store's own table, so that a due time that is sent again after its message went is still done once.
 */
import * as MachineId from "@effect/cluster/MachineId"
import * as Snowflake from "@effect/cluster/Snowflake"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Transaction from "../store/clients/Transaction.js"

/** For how long messages are kept, days; longer than a runner is ever down without somebody noticing. */
export const keptDays = 14

/** Deletes what was sent more than `keptDays` before `nowMs`; answers how many messages went. */
export const purge = (nowMs: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const before = oldest(nowMs)
    return yield* Transaction.run(sql, "forget old messages between runners", function* () {
      const [counted] = yield* sql<{ count: number | string }>`
        SELECT count(*) AS count FROM cluster_messages WHERE id < ${before}`
      yield* sql`DELETE FROM cluster_replies WHERE request_id < ${before}`
      yield* sql`DELETE FROM cluster_messages WHERE id < ${before}`
      return Number(counted?.count ?? 0)
    })
  })

/** Ids begin with the instant they were made at. */
const oldest = (nowMs: number) => {
  const timestamp = Math.max(Snowflake.constEpochMillis, nowMs - keptDays * 86_400_000)
  return Snowflake.make({ machineId: MachineId.make(0), sequence: 0, timestamp }) as bigint
}

/** Purges now and every six hours; what fails is told, and tried again then. By the machine's clock. */
export const always: Effect.Effect<never, never, SqlClient.SqlClient> = Clock.currentTimeMillis.pipe(
  Effect.flatMap(purge),
  Effect.catchAllCause((cause) =>
    Effect.logWarning(
      "old messages between runners could not be forgotten; it tries again in six hours",
      cause
    )
  ),
  Effect.zipRight(Effect.sleep("6 hours")),
  Effect.forever
)
