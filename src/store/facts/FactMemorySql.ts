/** The last answers of sources that are kept in the SQL store: one row per account, source and key. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Days from "../../domain/Days.js"
import type { Cluster } from "../../domain/Ids.js"
import type { Reason } from "../../domain/Reason.js"
import * as Target from "../../domain/Target.js"
import { FactMemory, type FactRow, type Remembered } from "../../engine/gather/FactSource.js"
import * as Transaction from "../clients/Transaction.js"

/** Older answers tell nothing any more. */
const forgottenAfterMs = 31 * 86_400_000

/** More keys than this are read and kept in several statements: SQLite bounds the parameters of one. */
const rowsPerStatement = 500

/** Needs a migrated store (`Migrations.layer`). */
export const layer: Layer.Layer<FactMemory, never, SqlClient.SqlClient> = Layer.effect(
  FactMemory,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    recall: (account, source, keys) =>
      Transaction.read(
        sql,
        "read which answers were kept",
        Effect.map(
          Effect.forEach(
            Arr.chunksOf(keys, rowsPerStatement),
            (part) => sql<Row>`SELECT key, read_at, facts FROM scarce_answers
              WHERE account = ${account} AND source = ${source} AND ${sql.in("key", part)}`
          ),
          (rows) => new Map(rows.flat().flatMap(remembered))
        )
      ),
    since: (account, source, sinceMs) =>
      Transaction.read(
        sql,
        "count the answers that were kept",
        Effect.map(
          sql<Pick<Row, "key">>`SELECT key FROM scarce_answers
            WHERE account = ${account} AND source = ${source} AND read_at > ${Math.floor(sinceMs)}`,
          (rows) => rows.map(({ key }) => key)
        )
      ),
    keep: (account, source, answers) =>
      Transaction.run(sql, "keep answers for later runs", function* () {
        if (answers.length === 0) return
        const rows = answers.map(({ key, readAt, rows }) => ({
          account,
          source,
          key,
          read_at: Math.floor(readAt),
          facts: encode(rows)
        }))
        for (const some of Arr.chunksOf(rows, rowsPerStatement))
          yield* sql`INSERT INTO scarce_answers ${sql.insert(some)}
              ON CONFLICT (account, source, key) DO UPDATE SET read_at = excluded.read_at, facts = excluded.facts
              WHERE excluded.read_at >= scarce_answers.read_at
                OR scarce_answers.read_at > excluded.read_at + ${sql.literal(String(Days.clockMayErrMs))}`
        const newest = rows.reduce((latest, { read_at }) => Math.max(latest, read_at), 0)
        yield* sql`DELETE FROM scarce_answers
            WHERE account = ${account} AND source = ${source} AND read_at < ${newest - forgottenAfterMs}`
      })
  }))
)

interface Row {
  readonly key: string
  readonly read_at: number
  readonly facts: string
}

/**
 * Rows that follow each other, tell the same facts and are of clusters of one item, with their facts and the first one's target written
 * once: `[facts, target, [[cluster, value of each fact …] …]]`. A row that is of no cluster has `null` there.
 */
type Written = readonly [
  facts: FactRow["facts"],
  target: FactRow["target"],
  rows: Array<readonly [Cluster | null, ...values: ReadonlyArray<WrittenValue>]>
]
type Value = FactRow["values"][number]
type WrittenValue = Exclude<Value, object> | { readonly unknown: Reason }

const encode = (rows: ReadonlyArray<FactRow>): string => {
  const parts: Array<Written> = []
  for (const { facts, target, values } of rows) {
    const cluster = clusterOf(target)
    const row = [cluster, ...values.map(written)] as const
    const part = parts.at(-1)
    if (part?.[0] === facts && isOfItem(part[1], target)) part[2].push(row)
    else parts.push([facts, target, [row]])
  }
  return JSON.stringify(parts)
}

const clusterOf = (target: FactRow["target"]): Cluster | null =>
  target === "account" ? null : (target.cluster ?? null)

/** Whether both are clusters of one item. */
const isOfItem = (one: FactRow["target"], other: FactRow["target"]): boolean =>
  one !== "account" &&
  other !== "account" &&
  one.cluster !== undefined &&
  other.cluster !== undefined &&
  one.campaignId === other.campaignId &&
  one.itemId === other.itemId

const written = (value: Value): WrittenValue =>
  typeof value === "object" ? { unknown: value.reason } : value

/** Written by this program alone; what cannot be read back is as good as never read, and asked again. */
const remembered = ({ facts, key, read_at }: Row): ReadonlyArray<readonly [string, Remembered]> => {
  try {
    const rows = (JSON.parse(facts) as ReadonlyArray<Written>).flatMap(([facts, target, told]) => {
      const item = target === "account" ? undefined : Target.pairOf(target)
      return told.map(
        ([cluster, ...values]): FactRow => ({
          target: cluster === null || item === undefined ? target : { ...item, cluster },
          facts,
          values: values.map((value) =>
            typeof value === "object" ? { _tag: "Unknown", reason: value.unknown } : value
          )
        })
      )
    })
    return [[key, { key, readAt: read_at, rows }]]
  } catch {
    return []
  }
}
