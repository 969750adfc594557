/** The store's tests once more, on a real server; those of the audit and of looking back are in `audit/OnPostgres`. */
import { afterAll, describe } from "vitest"
import * as Fixture from "./Fixture.js"
import * as Postgres from "./Postgres.js"

Fixture.database.kind = "postgres"
afterAll(Postgres.end)

describe("on PostgreSQL", async () => {
  // One that cannot start is said once, by this file, not by every test.
  await Postgres.shared()
  await import("./Journal.test.js")
  await import("./Lanes.test.js")
  await import("./RuleMemory.test.js")
  await import("./Holds.test.js")
  await import("./Forecasts.test.js")
  await import("./SpendCurves.test.js")
  await import("./DueTimes.test.js")
  await import("./FactMemory.test.js")
  await import("./CalendarMemory.test.js")
  await import("./Assembly.test.js")
  await import("./TokenMemory.test.js")
  await import("./CreationLog.test.js")
  await import("./Snapshots.test.js")
  await import("./ReportStore.test.js")
  await import("./Approvals.test.js")
})
