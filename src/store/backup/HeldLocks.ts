/** Whether a run works on the store now. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../engine/run/Ports.js"
import * as Failure from "../clients/Failure.js"

/** Who holds the lock of any account at an instant; undefined when nobody does. */
export const holder = (nowMs: number): Effect.Effect<string | undefined, StoreFailure, SqlClient.SqlClient> =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ holder: string }>`SELECT holder FROM locks WHERE until > ${Math.floor(nowMs)} LIMIT 1`
  ).pipe(
    Effect.map(([lock]) => lock?.holder),
    Effect.mapError((error) => Failure.from("read the locks", error))
  )
