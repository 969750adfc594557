/** One committed transaction: all of its statements, or none and a `StoreFailure`. */
import type * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StoreFailure } from "../engine/run/Ports.js"
import * as Failure from "./Failure.js"

/**
 * Runs `body` in an immediate transaction. A commit that fails (a full disk) is reported by the client as a defect;
 * here it becomes the same failure as any other statement's. The body is committed whole even when the caller is
 * interrupted meanwhile.
 */
export const run = <A, R>(
  sql: SqlClient.SqlClient,
  action: string,
  body: Effect.Effect<A, SqlError | StoreFailure, R>
): Effect.Effect<A, StoreFailure, R> =>
  sql.withTransaction(body).pipe(
    Effect.catchSomeDefect((defect) =>
      defect instanceof SqlError ? Option.some(Effect.fail(defect)) : Option.none()
    ),
    Effect.mapError((error) => (error._tag === "SqlError" ? Failure.from(action, error) : error)),
    Effect.withTracerEnabled(false)
  )
