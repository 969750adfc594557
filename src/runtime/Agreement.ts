/**
 * What the runners of one store must have in common: how accounts are held, among how many shards, and for how long. A runner
 * that has it otherwise does not see what the others hold, and would take it too; so it is turned away while another one lives.
 */
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Plural from "../domain/Plural.js"
import type { StoreFailure } from "../domain/StoreFailure.js"
import * as StoreMarks from "../store/audit/StoreMarks.js"
import * as Transaction from "../store/clients/Transaction.js"
import { mostLockSeconds, type Settings } from "./Settings.js"

/** Shards are rows that run out. The name changes with whatever makes two versions of the program hold them otherwise. */
const heldBy = "rows-1"

/** How the runner that joined last does it. */
const Terms = Schema.Struct({
  heldBy: Schema.String,
  shards: Schema.Int,
  lockSeconds: Schema.Int,
  address: Schema.String
})
type Terms = typeof Terms.Type

const markName = "runners"
const decode = Schema.decodeUnknownOption(Schema.parseJson(Terms))

/**
 * Writes this runner's terms into the migrated store of PostgreSQL, or answers why it may not join. Runners that start at the same
 * instant come one after the other. A runner counts as alive until it has been silent for the longer of the two times; for the longest
 * there is where its terms cannot be read.
 */
export const joining = ({
  listen,
  lockSeconds,
  shards
}: Settings): Effect.Effect<string | undefined, StoreFailure, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const { host, port } = RunnerAddress.make(listen.host, listen.port)
    const own: Terms = { heldBy, shards, lockSeconds, address: `${host}:${port}` }
    return Transaction.alone(
      sql,
      "join the runners",
      Effect.gen(function* () {
        const [found] = yield* sql<{
          at: number | null
          detail: string | null
          now: number
        }>`SELECT mark.at, mark.detail,
          CAST(EXTRACT(EPOCH FROM NOW()) * 1000 AS FLOAT8) AS now FROM (SELECT 1) AS one
          LEFT JOIN store_marks AS mark ON mark.name = ${markName} AND mark.account = ''`
        const nowMs = found?.now ?? 0
        const detail = found?.detail ?? undefined
        const there = detail === undefined ? own : Option.getOrUndefined(decode(detail))
        if (there === undefined || !agrees(own, there)) {
          const seconds = Math.max(there?.lockSeconds ?? mostLockSeconds, lockSeconds)
          const justJoined = nowMs - Number(found?.at) < seconds * 1000 ? [there?.address ?? "a runner"] : []
          const others = [...(yield* living(sql, seconds)), ...justJoined].filter(
            (one) => one !== own.address
          )
          if (others.length > 0) return refusal(own, there, [...new Set(others)], seconds)
        }
        yield* StoreMarks.put(sql, markName, "", nowMs, JSON.stringify(own))
        return undefined
      })
    )
  })

const agrees = (a: Terms, b: Terms): boolean =>
  a.heldBy === b.heldBy && a.shards === b.shards && a.lockSeconds === b.lockSeconds

/** Addresses of runners that gave a sign of life. The first one that ever joins makes the cluster's table. */
const living = (sql: SqlClient.SqlClient, seconds: number): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  Effect.gen(function* () {
    const [table] = yield* sql<{ name: string | null }>`SELECT to_regclass('cluster_runners')::text AS name`
    if (table?.name == null) return []
    const rows = yield* sql<{ address: string }>`SELECT address FROM cluster_runners
      WHERE last_heartbeat > NOW() - make_interval(secs => ${seconds}) ORDER BY address`
    return rows.map(({ address }) => address)
  })

const refusal = (
  own: Terms,
  there: Terms | undefined,
  others: ReadonlyArray<string>,
  seconds: number
): string => {
  const are = Plural.choose(others.length, "is", "are")
  const gone = `(one that was killed counts as gone after ${seconds} s)`
  if (there?.heldBy !== own.heldBy)
    return (
      `${others.join(", ")} ${are} of another version, which holds accounts otherwise (${there?.heldBy ?? "in words that cannot be read"}; ` +
      `this one ${own.heldBy}), so both could hold the same account; stop all the others before this one starts ${gone}`
    )
  const [ours, theirs] = [own, there].map(
    (terms) => `shards: ${terms.shards}, lock_seconds: ${terms.lockSeconds}`
  )
  return (
    `it has ${ours}, and ${others.join(", ")} ${Plural.choose(others.length, "has", "have")} ${theirs}, so both could hold the same account; ` +
    `give all runners the same; to change it, stop them all first ${gone}`
  )
}
