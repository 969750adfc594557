/**
 * `SqlClient` over one PostgreSQL database. Whole numbers of 64 bits are read as numbers and refused when a number
 * cannot hold them. Loaded on demand: a SQLite store never pays for the driver.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as Sql from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { StoreFailure } from "../../domain/StoreFailure.js"
import * as Failure from "./Failure.js"
import * as Statements from "./Statements.js"

export interface Options {
  /** `postgres://user@host:port/database?sslmode=…`, without a password. */
  readonly url: string
  readonly password?: Redacted.Redacted
  /** Connections kept at most; 10 when absent. */
  readonly connections?: number
  /** How the program is named in `pg_stat_activity`. */
  readonly applicationName?: string
}

/** Opens the pool, closes it with the layer. The schema is not touched: see `Migrations`. */
export const layer = (options: Options): Layer.Layer<Sql.SqlClient | PgClient.PgClient, StoreFailure> =>
  open(options, { types: { getTypeParser } }).pipe(
    Layer.tap((context) => usable(Context.get(context, Sql.SqlClient), options))
  )

/**
 * The same database with the driver's own types, as `@effect/cluster` wants them: 64 bits as text. It sends many
 * statements at once over the one connection that it reserves for its locks; here they go one behind the other.
 */
export const plain = (options: Options): Layer.Layer<Sql.SqlClient | PgClient.PgClient, StoreFailure> =>
  Layer.tap(open(options, {}), (context) =>
    Effect.sync(() => {
      const client = Context.get(context, Sql.SqlClient)
      Object.assign(client, { reserve: Effect.flatMap(client.reserve, oneAtATime) })
    })
  )

/**
 * A connection that takes a statement when the one before has ended. The driver would queue them too, but says that its
 * next version will not; and a statement given up in that queue would cancel the one before it on the server.
 */
const oneAtATime = (connection: Connection): Effect.Effect<Connection> =>
  Effect.map(Effect.makeSemaphore(1), (turn) => {
    const inTurn = turn.withPermits(1)
    return {
      execute: (...words) => inTurn(connection.execute(...words)),
      executeRaw: (...words) => inTurn(connection.executeRaw(...words)),
      executeValues: (...words) => inTurn(connection.executeValues(...words)),
      executeUnprepared: (...words) => inTurn(connection.executeUnprepared(...words)),
      executeStream: (...words) => connection.executeStream(...words)
    }
  })

const open = (options: Options, more: Pick<PgClient.PgClientConfig, "types">) =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const url = yield* whole(options)
      const client = Statements.short(yield* PgClient.make({ ...settings(options, url), ...more }))
      return Context.make(PgClient.PgClient, client).pipe(Context.add(Sql.SqlClient, client))
    }).pipe(
      Effect.mapError((error) =>
        error._tag === "SqlError" ? Failure.from(`open the store ${options.url}`, error) : error
      ),
      // The server answers in the machine's time, however fast a sandbox's clock runs.
      Effect.withClock(Clock.make())
    )
  ).pipe(Layer.provide(Reactivity.layer))

const settings = (options: Options, url: URL) => ({
  url: Redacted.make(url.href),
  applicationName: options.applicationName ?? "bidhelm",
  maxConnections: options.connections ?? 10,
  connectTimeout: "10 seconds" as const,
  idleTimeout: "1 minute" as const
})

/** The address with the password and with what holds for every connection. */
const whole = ({ password, url }: Options): Effect.Effect<URL, StoreFailure> =>
  Effect.try({
    try: () => {
      const full = new URL(url)
      if (password !== undefined) full.password = encodeURIComponent(Redacted.value(password))
      const rules = [
        "statement_timeout=60000",
        "lock_timeout=15000",
        // A program that was stopped in the middle of a transaction must not stop the others for good.
        "idle_in_transaction_session_timeout=30000",
        "synchronous_commit=on",
        "timezone=UTC"
      ]
      full.searchParams.set("options", rules.map((rule) => `-c ${rule}`).join(" "))
      return full
    },
    catch: () =>
      new StoreFailure({
        action: "could not open the store",
        hint: "store is not an address; write it as postgres://user@host:5432/database",
        cause: undefined
      })
  })

/** The oldest PostgreSQL this program is meant for. */
const oldest = 130_000

/** Refuses what would fail later and in a stranger way. */
const usable = (sql: Sql.SqlClient, { url }: Options): Effect.Effect<void, StoreFailure> =>
  Effect.flatMap(
    sql<{ encoding: string; version: number; copy: boolean; closed: boolean }>`SELECT
      current_setting('server_encoding') AS encoding, current_setting('server_version_num')::int AS version,
      pg_is_in_recovery() AS copy, current_setting('transaction_read_only')::boolean AS closed`,
    ([server]) => {
      const hint =
        server?.encoding !== "UTF8"
          ? "its database does not hold all letters; make it with: createdb --encoding=UTF8 --template=template0"
          : server.version < oldest
            ? "PostgreSQL is older than version 13; update it"
            : server.copy
              ? "this PostgreSQL server is a read-only copy; point store to the primary server"
              : server.closed
                ? "the server, the database or the user is set read-only; set default_transaction_read_only off"
                : undefined
      return hint === undefined
        ? Effect.void
        : Effect.fail(new StoreFailure({ action: "could not use the store", hint, cause: undefined }))
    }
  ).pipe(
    Effect.mapError((error) =>
      error._tag === "SqlError" ? Failure.from(`open the store ${url}`, error) : error
    )
  )

/** PostgreSQL's numbers of its types. */
const bytes = 17
const wholeNumbers: ReadonlySet<number> = new Set([20, 21, 23, 26])
/** Sums of whole numbers come as the type without bounds. */
const numbers: ReadonlySet<number> = new Set([700, 701, 1700])
const boolean = 16

/** Everything else stays the text it is, times and JSON too. */
const getTypeParser = (type: number) =>
  wholeNumbers.has(type) || numbers.has(type)
    ? number
    : type === bytes
      ? (text: string) => Buffer.from(text.slice("\\x".length), "hex")
      : type === boolean
        ? (text: string) => text === "t"
        : (text: string) => text

const number = (text: string): number => {
  const value = Number(text)
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(text)) return value
  throw new RangeError(`the number ${text} is larger than a number can be`)
}
