/** Conditions of questions that are about one account or lane, or about all of them. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"

/** The condition of what is named; one that always holds where nothing is. */
export const where = <A>(
  sql: SqlClient.SqlClient,
  one: A | undefined,
  condition: (one: A) => Fragment
): Fragment => (one === undefined ? sql.literal("1 = 1") : condition(one))
