/** The store of a configuration: journal and limiter in a SQLite file or a PostgreSQL database, migrated. */

import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { StoreFailure } from "../../domain/StoreFailure.js"
import * as LimiterLive from "../../services/LimiterLive.js"
import * as LimitsMemorySql from "../../store/accounts/LimitsMemorySql.js"
import * as TokenMemorySql from "../../store/accounts/TokenMemorySql.js"
import * as SerialMarker from "../../store/audit/SerialMarker.js"
import type * as PgClient from "../../store/clients/PgClient.js"
import * as SqliteClient from "../../store/clients/SqliteClient.js"
import * as CalendarMemorySql from "../../store/facts/CalendarMemorySql.js"
import * as FactMemorySql from "../../store/facts/FactMemorySql.js"
import * as SnapshotsSql from "../../store/facts/SnapshotsSql.js"
import * as MarkVaultSql from "../../store/fulfilment/MarkVaultSql.js"
import * as OrderEventsSql from "../../store/fulfilment/OrderEventsSql.js"
import * as SupplyOrdersSql from "../../store/fulfilment/SupplyOrdersSql.js"
import * as ChangeLogSql from "../../store/journal/ChangeLogSql.js"
import * as CreationLogSql from "../../store/journal/CreationLogSql.js"
import * as JournalSql from "../../store/journal/JournalSql.js"
import * as RuleMemorySql from "../../store/journal/RuleMemorySql.js"
import * as LimiterStoreSql from "../../store/limiter/LimiterStoreSql.js"
import * as ApprovalsSql from "../../store/people/ApprovalsSql.js"
import * as StopsSql from "../../store/people/StopsSql.js"
import * as Migrations from "../../store/schema/Migrations.js"
import * as Secrets from "../config/Secrets.js"
import type { StorePlace } from "../config/StoreField.js"
import * as StoreField from "../config/StoreField.js"

/** What a configuration says of its store. Facts of whole days are kept for `snapshotDays`. */
export interface Kept {
  readonly store: StorePlace
  readonly snapshotDays?: number
  /** Beside this path the end of the audit chain is noted; the store's own path when absent. */
  readonly storePath?: string
}

/** The file that notices an old copy of the store: see `SerialMarker`. */
export const serialPath = ({ store, storePath }: Kept): string =>
  `${storePath ?? (store._tag === "Sqlite" ? store.path : ".bidhelm/store")}.serial`

/** Opens the store and brings it to this program's version; a SQLite file is made when missing. */
export const layer = ({ snapshotDays, store, storePath }: Kept) =>
  Layer.mergeAll(
    SerialMarker.guarding(serialPath({ store, ...(storePath === undefined ? {} : { storePath }) })).pipe(
      Layer.provide(JournalSql.layer)
    ),
    RuleMemorySql.layer,
    CreationLogSql.layer,
    ChangeLogSql.layer,
    StopsSql.layer,
    ApprovalsSql.layer,
    FactMemorySql.layer,
    CalendarMemorySql.layer,
    MarkVaultSql.layer,
    SupplyOrdersSql.layer,
    OrderEventsSql.layer,
    TokenMemorySql.layer,
    LimitsMemorySql.layer,
    SnapshotsSql.layer(snapshotDays),
    LimiterLive.layer.pipe(Layer.provide(LimiterStoreSql.layer))
  ).pipe(Layer.provide(migrated(store)), Layer.provide(client(store)))

/** Brings the store to this program's version; a refusal says which store it is. */
export const migrate = (store: StorePlace): Effect.Effect<void, StoreFailure, SqlClient.SqlClient> =>
  Effect.mapError(
    Migrations.migrate,
    ({ action, cause, hint }) =>
      new StoreFailure({ action: `${action} (${StoreField.describe(store)})`, hint, cause })
  )

export const migrated = (store: StorePlace) => Layer.effectDiscard(migrate(store))

/**
 * A store that this process has open: a second connection of one process to a SQLite file would wait for the first
 * without ever letting it go on.
 */
export class Opened extends Context.Tag("bidhelm/OpenedStore")<
  Opened,
  { readonly store: StorePlace; readonly sql: SqlClient.SqlClient }
>() {}

/** The database as it is, not migrated; the one that is open already when there is one. */
export const client = (store: StorePlace): Layer.Layer<SqlClient.SqlClient, StoreFailure> =>
  Layer.unwrapEffect(
    Effect.map(Effect.serviceOption(Opened), (opened) =>
      Option.isSome(opened) && StoreField.describe(opened.value.store) === StoreField.describe(store)
        ? Layer.succeed(SqlClient.SqlClient, opened.value.sql)
        : connection(store)
    )
  )

/** A connection for long looks at the whole store: it sees one moment and keeps nobody from writing. */
export const reading = (store: StorePlace): Layer.Layer<SqlClient.SqlClient, StoreFailure> =>
  store._tag === "Sqlite" ? SqliteClient.layer({ filename: store.path, readOnly: true }) : client(store)

/** PostgreSQL's driver is loaded when a configuration asks for it. */
const connection = (store: StorePlace): Layer.Layer<SqlClient.SqlClient, StoreFailure> =>
  store._tag === "Sqlite"
    ? SqliteClient.layer({ filename: store.path })
    : postgres(store, (PgClient, options) => PgClient.layer(options))

/** The database as the cluster wants it: its ids are longer than a number holds, and it has a pool of its own. */
export const forCluster = (store: StorePlace): Layer.Layer<SqlClient.SqlClient, StoreFailure> =>
  store._tag === "Sqlite" ? client(store) : postgres(store, (PgClient, options) => PgClient.plain(options))

const postgres = (
  store: Extract<StorePlace, { readonly _tag: "Postgres" }>,
  open: (driver: typeof PgClient, options: PgClient.Options) => ReturnType<typeof PgClient.layer>
) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const password = yield* Secrets.readStorePassword(store.password, process.env)
      const driver = yield* Effect.promise(() => import("../../store/clients/PgClient.js"))
      return open(driver, { url: store.url, ...(password === undefined ? {} : { password }) })
    })
  )
