/** One committed transaction: all of its statements, or none and a `StoreFailure`. */
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import type { YieldWrap } from "effect/Utils"
import * as ScaledClock from "../../domain/ScaledClock.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Dialect from "./Dialect.js"
import * as Failure from "./Failure.js"
import * as GroupCommit from "./GroupCommit.js"
import * as Statements from "./Statements.js"

type Body<A, R> = Effect.Effect<A, SqlError | StoreFailure, R>

/** A body, or its steps as `Effect.gen` takes them. */
type Written<A, R> = Body<A, R> | (() => Generator<YieldWrap<Body<unknown, R>>, A, never>)

interface Transacting {
  <Step extends YieldWrap<Body<unknown, unknown>>, A>(
    sql: SqlClient.SqlClient,
    action: string,
    steps: () => Generator<Step, A, never>
  ): Effect.Effect<A, StoreFailure, Step extends YieldWrap<Body<unknown, infer R>> ? R : never>
  <A, R>(sql: SqlClient.SqlClient, action: string, body: Body<A, R>): Effect.Effect<A, StoreFailure, R>
}

/**
 * Runs `body` as if no other transaction ran meanwhile: with SQLite's only writer, committed together with others that
 * wait for it, or on PostgreSQL serializable; and again when another one came between or failed beside it, so a body does
 * nothing but read and write the store. A commit that fails (a
 * full disk, a lost connection) is reported by the client as a defect; here it becomes the same failure as any other
 * statement's. The body is committed whole even when the caller is interrupted meanwhile. Within another transaction
 * it is a part of that one.
 */
export const run: Transacting = <A, R>(sql: SqlClient.SqlClient, action: string, body: Written<A, R>) =>
  within(sql, action, body, (whole) =>
    Dialect.isPostgres(sql)
      ? again(once(sql, action, Effect.zipRight(sql.unsafe(serializable), whole)), retries)
      : named(
          action,
          GroupCommit.join(groupOf(sql), whole, (all) => written(sql, all))
        )
  )

/**
 * Until the next whole second of the machine, for what is in no hurry: on SQLite it then is one commit with all else that is in
 * none. Not on PostgreSQL, where each is committed by itself and those of one moment disturb each other.
 */
export const unhurried = (sql: SqlClient.SqlClient): Effect.Effect<void> =>
  Dialect.isPostgres(sql)
    ? Effect.void
    : Effect.gen(function* () {
        const secondMs = yield* ScaledClock.ofMachine(1_000)
        yield* Effect.sleep(secondMs - ((yield* Clock.currentTimeMillis) % secondMs))
      })

const groupOf = (sql: SqlClient.SqlClient): GroupCommit.Group => {
  const existing = groups.get(sql)
  if (existing !== undefined) return existing
  const made = GroupCommit.make()
  groups.set(sql, made)
  return made
}
const groups = new WeakMap<SqlClient.SqlClient, GroupCommit.Group>()

/** The same for a body that only reads: it sees one moment of the store, hinders nobody and is never repeated. */
export const read: Transacting = <A, R>(sql: SqlClient.SqlClient, action: string, body: Written<A, R>) =>
  within(sql, action, body, (whole) =>
    Dialect.isPostgres(sql)
      ? once(sql, action, Effect.zipRight(sql.unsafe(oneMoment), whole))
      : look(sql, action, whole)
  )

/** With SQLite, as a transaction that waits for no writer and lets none wait: its only writer is not asked for. */
const look = <A, R>(
  sql: SqlClient.SqlClient,
  action: string,
  body: Body<A, R>
): Effect.Effect<A, StoreFailure, R> =>
  Effect.flatMap(sql.reserve, (connection) =>
    Effect.acquireUseRelease(
      connection.executeUnprepared("BEGIN", [], undefined),
      () => Effect.provideService(body, SqlClient.TransactionConnection, [connection, 0]),
      () => Effect.ignore(connection.executeUnprepared("COMMIT", [], undefined))
    )
  ).pipe(Effect.scoped, Effect.withTracerEnabled(false), (whole) => named(action, whole))

/** Outside of another transaction as `anew` begins one. */
const within = <A, R>(
  sql: SqlClient.SqlClient,
  action: string,
  body: Written<A, R>,
  anew: (whole: Body<A, R>) => Effect.Effect<A, StoreFailure, R>
): Effect.Effect<A, StoreFailure, R> =>
  Effect.withFiberRuntime(({ currentContext }) =>
    Option.isSome(Statements.transaction(currentContext))
      ? once(sql, action, wholeOf(body))
      : anew(wholeOf(body))
  )

const wholeOf = <A, R>(body: Written<A, R>): Body<A, R> => (Effect.isEffect(body) ? body : Effect.gen(body))

/** For changes of the schema: one program at a time, however long they take. Not within another transaction. */
export const alone = <A, R>(
  sql: SqlClient.SqlClient,
  action: string,
  body: Body<A, R>
): Effect.Effect<A, StoreFailure, R> =>
  once(sql, action, Dialect.isPostgres(sql) ? Effect.zipRight(sql.unsafe(turn), body) : body)

const serializable = "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"
const oneMoment = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"

// Read committed, or the body would see the store as it was before the wait. The number is nobody else's.
const turn =
  "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(7243311)"

const once = <A, R>(sql: SqlClient.SqlClient, action: string, body: Body<A, R>) =>
  named(action, committed(sql, body))

const committed = <A, R>(sql: SqlClient.SqlClient, body: Body<A, R>): Body<A, R> =>
  expected(sql.withTransaction(body)).pipe(Effect.withTracerEnabled(false))

const expected = <A, R>(body: Body<A, R>): Body<A, R> =>
  Effect.catchSomeDefect(body, (defect) =>
    defect instanceof SqlError ? Option.some(Effect.fail(defect)) : Option.none()
  )

/**
 * What `committed` does outside of any other transaction, in half of the steps: without a span, and with the connection
 * told to a fiber that does nothing else, where it stays.
 */
const written = (sql: SqlClient.SqlClient, body: Body<void, never>): Body<void, never> =>
  Effect.flatMap(Scope.make(), (scope) => {
    const reserved = Effect.zipRight(own(Context.make(Scope.Scope, scope)), reserve(sql))
    const ended = Effect.flatMap(reserved, (connection) => {
      const told = own(Context.make(SqlClient.TransactionConnection, [connection, 0]))
      const begun = Effect.zipRight(connection.executeUnprepared(Dialect.beginWriting, [], undefined), told)
      return Effect.flatMap(Effect.exit(Effect.zipRight(begun, body)), (exit) =>
        Exit.isSuccess(exit)
          ? connection.executeUnprepared("COMMIT", [], undefined)
          : expected(Effect.zipRight(connection.executeUnprepared("ROLLBACK", [], undefined), exit))
      )
    })
    return Effect.flatMap(Effect.exit(ended), (exit) =>
      Effect.zipRight(Scope.close(scope, exit), Effect.asVoid(exit))
    )
  })

/** The services of this fiber from now on. */
const own = (services: Context.Context<never>): Effect.Effect<void> =>
  FiberRef.set(FiberRef.currentContext, services)

/** With the scope that `own` has set. */
const reserve = (sql: SqlClient.SqlClient) => sql.reserve as Body<Connection, never>

/** A failure says what could not be done. */
const named = <A, R>(action: string, transaction: Body<A, R>): Effect.Effect<A, StoreFailure, R> =>
  Effect.mapError(transaction, (error) => (error._tag === "SqlError" ? Failure.from(action, error) : error))

/** Two that disturb each other every time would be unlucky; twenty times is a fault of its own. */
const retries = 20
const longestPauseMs = 100

const again = <A, R>(
  attempt: Effect.Effect<A, StoreFailure, R>,
  left: number
): Effect.Effect<A, StoreFailure, R> =>
  Effect.catchIf(
    attempt,
    (failure) => left > 0 && Failure.isDisturbed(failure),
    () =>
      Effect.zipRight(
        Effect.flatMap(Random.nextRange(0, Math.min(2 ** (retries - left), longestPauseMs)), pause),
        again(attempt, left - 1)
      )
  )

/** In the machine's own time: the database does not wait for a sandbox's clock. */
const pause = (ms: number) =>
  Effect.async<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })
