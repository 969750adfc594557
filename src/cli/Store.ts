/** The store of a configuration: journal and limiter in one SQLite file, migrated. */
import * as Layer from "effect/Layer"
import * as LimiterLive from "../services/LimiterLive.js"
import * as JournalSql from "../store/JournalSql.js"
import * as LimiterStoreSql from "../store/LimiterStoreSql.js"
import * as Migrations from "../store/Migrations.js"
import * as SqliteClient from "../store/SqliteClient.js"

/** Opens the file, which is made when missing. */
export const layer = (path: string) =>
  Layer.mergeAll(JournalSql.layer, LimiterLive.layer.pipe(Layer.provide(LimiterStoreSql.layer))).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(SqliteClient.layer({ filename: path }))
  )
