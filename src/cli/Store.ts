/** The store of a configuration: journal and limiter in one SQLite file, migrated. */
import * as Layer from "effect/Layer"
import * as LimiterLive from "../services/LimiterLive.js"
import * as FactMemorySql from "../store/FactMemorySql.js"
import * as JournalSql from "../store/JournalSql.js"
import * as LimiterStoreSql from "../store/LimiterStoreSql.js"
import * as Migrations from "../store/Migrations.js"
import * as SnapshotsSql from "../store/SnapshotsSql.js"
import * as SqliteClient from "../store/SqliteClient.js"

/** Opens the file, which is made when missing. Facts of whole days are kept for `snapshotDays`. */
export const layer = (path: string, snapshotDays?: number) =>
  Layer.mergeAll(
    JournalSql.layer,
    FactMemorySql.layer,
    SnapshotsSql.layer(snapshotDays),
    LimiterLive.layer.pipe(Layer.provide(LimiterStoreSql.layer))
  ).pipe(Layer.provide(Migrations.layer), Layer.provide(SqliteClient.layer({ filename: path })))
