/**
 * A restore into a PostgreSQL database: one transaction in the same database, after what was there has been written to
 * a backup of its own. Refused while anybody works with the store, and nobody begins to before it has ended.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { StoreFailure } from "../../domain/StoreFailure.js"
import * as SerialMarker from "../audit/SerialMarker.js"
import * as ServerMark from "../audit/ServerMark.js"
import * as Failure from "../clients/Failure.js"
import * as Transaction from "../clients/Transaction.js"
import * as Migrations from "../schema/Migrations.js"
import * as Backup from "./Backup.js"
import * as BackupFile from "./BackupFile.js"
import * as Restore from "./Restore.js"
import * as Stood from "./Stood.js"

export interface Options {
  readonly nowMs: number
  /** A new file for the backup of what is there now. */
  readonly replaced: string
  /** The file with the ends of chains that this machine has seen. */
  readonly serial: string
  /** After so long without a sign of life a runner counts as gone, seconds. */
  readonly lockSeconds: number
  /** Whether the holder of a lock is certainly dead; until its end such a lock is nobody's. */
  readonly abandoned: (holder: string) => boolean
}

/** Restores the file at `path`. */
export const into = (
  path: string,
  { abandoned, lockSeconds, nowMs, replaced, serial }: Options
): Effect.Effect<
  Restore.Restored & { readonly replaced: string; readonly holds: number; readonly isMarked: true },
  StoreFailure,
  SqlClient.SqlClient
> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const header = yield* Restore.verified(path)
    yield* Migrations.migrate
    let isKept = false
    const replacing = Effect.gen(function* () {
      // What is read from here on nobody changes before the commit: a run, a kill and whatever else writes waits, or is refused.
      yield* sql.unsafe(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`)
      const locks = yield* sql<{
        holder: string
      }>`SELECT holder FROM locks WHERE until > ${Math.floor(nowMs)}`
      const run = locks.find(({ holder }) => !abandoned(holder))
      if (run !== undefined)
        return yield* busy(`a run is using it (${run.holder}); stop it and restore again`)
      const runner = yield* living(lockSeconds)
      if (runner !== undefined) {
        return yield* busy(
          `bidhelm run works on it (${runner.address}); stop every runner and restore again. One that was killed counts as gone ${lockSeconds} s after its last sign of life`
        )
      }
      yield* Backup.write(replaced, nowMs)
      isKept = true
      const loaded = Effect.gen(function* () {
        const stood = yield* standing(header, serial)
        const restored = yield* Restore.load(path, header, nowMs, stood)
        return { ...restored, replaced, holds: stood.holds?.length ?? 0, isMarked: true } as const
      })
      const forgotten = Effect.sync(() => {
        BackupFile.remove(replaced)
        isKept = false
      })
      return yield* Effect.onError(loaded, () => forgotten)
    })
    return yield* Transaction.alone(sql, "restore the backup", replacing).pipe(
      // The commit itself has failed, and what became of it may be unknown.
      Effect.mapError((failure) => (isKept ? withKept(failure, replaced) : failure)),
      Effect.tap((restored) => Restore.note(serial, restored))
    )
  })

const withKept = ({ action, cause, hint }: StoreFailure, replaced: string): StoreFailure =>
  new StoreFailure({ action, hint: `${hint}; what was there is kept as ${replaced}`, cause })

const tables = [...Migrations.own].map((name) => `"${name}"`).join(", ")

const standing = (header: BackupFile.Header, serial: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const isOlder = (yield* ServerMark.isAnother(sql)) || (yield* SerialMarker.lost(serial)).length > 0
    return yield* Stood.read(header, <Row extends object>(statement: string) => sql.unsafe<Row>(statement), {
      heads: undefined,
      isOlder
    })
  }).pipe(Effect.mapError((error) => Failure.from("read what people have stopped", error)))

/** A runner that has lately given a sign of life; by the database's clock, which wrote it. */
const living = (lockSeconds: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if (!(yield* Migrations.everything(sql)).includes("cluster_runners")) return undefined
    const [runner] = yield* sql<{ address: string }>`SELECT address FROM cluster_runners
      WHERE last_heartbeat > NOW()::timestamp - make_interval(secs => ${lockSeconds}) ORDER BY address LIMIT 1`
    return runner
  }).pipe(Effect.mapError((error) => Failure.from("look for runners", error)))

const busy = (hint: string): StoreFailure =>
  new StoreFailure({ action: "the store was not replaced", hint, cause: undefined })
