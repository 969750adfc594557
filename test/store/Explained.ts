/** How the database would answer a question. */
import * as SqlClient from "@effect/sql/SqlClient"
import type { Statement } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import { database } from "./Fixture.js"

/** In its own words. PostgreSQL reads a table of a few rows whole unless told not to: in a transaction only. */
export const explained = <A>(statement: Statement<A>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [text, parameters] = statement.compile()
    if (database.kind === "postgres") yield* sql.unsafe("SET LOCAL enable_seqscan = off")
    const asked = database.kind === "postgres" ? "EXPLAIN" : "EXPLAIN QUERY PLAN"
    const lines = yield* sql.unsafe<Readonly<Record<string, unknown>>>(`${asked} ${text}`, parameters)
    return lines.map((line) => String(line.detail ?? line["QUERY PLAN"])).join("\n")
  })
