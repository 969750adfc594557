/** The tests of the audit and of looking back once more, on a real server. */
import { afterAll, describe } from "vitest"
import * as Fixture from "../Fixture.js"
import * as Postgres from "../Postgres.js"

Fixture.database.kind = "postgres"
afterAll(Postgres.end)

describe("on PostgreSQL", async () => {
  // One that cannot start is said once, by this file, not by every test.
  await Postgres.shared()
  await import("./Audit.test.js")
  await import("./AuditRows.test.js")
  await import("./AuditWrittenBefore.test.js")
  await import("../Browsing.test.js")
  await import("../BrowsingChanges.test.js")
  await import("../ChangeLog.test.js")
  await import("../Retention.test.js")
  await import("./PersonAudit.test.js")
  await import("../backup/WentBack.test.js")
})
