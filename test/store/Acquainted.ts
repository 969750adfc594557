/** A store that knows an account since an instant, for tests of what comes after its first day. */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as StoreMarks from "../../src/store/StoreMarks.js"

/** `sinceMs` in epoch milliseconds. */
export const since = (sql: SqlClient.SqlClient, account: string, sinceMs: number) =>
  StoreMarks.put(sql, "first-seen", account, sinceMs, "new")
