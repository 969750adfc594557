import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { Holdings } from "../../../src/engine/door/HoldStore.js"
import { ApprovalStore, type Request } from "../../../src/engine/planning/ApprovalStore.js"
import * as AuditVerify from "../../../src/store/audit/AuditVerify.js"
import * as ApprovalsSql from "../../../src/store/people/ApprovalsSql.js"
import * as StopsSql from "../../../src/store/people/StopsSql.js"
import { inMemory, plan } from "../Fixture.js"

const request: Request = {
  id: "approval 1",
  account: "shop",
  plan,
  asked: [],
  state: "requested",
  requestedAt: 1_000,
  expiresAt: 90_000
}

describe("what people decide", () => {
  it("stands in the audit chain, with who and why; what changed nothing does not", async () => {
    const [found, verified] = await inMemory(
      Effect.gen(function* () {
        const holdings = yield* Holdings
        const approvals = yield* ApprovalStore
        const sql = yield* SqlClient.SqlClient
        const scope = { kind: "policy", what: "01-raise" } as const
        yield* holdings.lift("shop", scope, "olga", 400)
        yield* holdings.place({ account: "shop", ...scope, since: 500, by: "olga", why: "photo shoot" })
        yield* holdings.lift("shop", scope, "petr", 600)
        yield* holdings.place({ account: "shop", kind: "kill", what: "", since: 700, by: "olga" })
        yield* approvals.replace("shop", new Set(), new Set(), request)
        const decide = { to: "rejected", by: "petr", why: "too dear", nowMs: 2_000 } as const
        yield* approvals.decide("shop", request.id, decide)
        yield* approvals.decide("shop", request.id, decide)
        const asked = [
          { id: "c", slot: "s", policy: "raise", after: 1, tier: "notable" as const, why: "far" }
        ]
        yield* approvals.replace("shop", new Set(), new Set(), {
          ...request,
          id: "late",
          asked,
          expiresAt: 4_000_000_000_000
        })
        yield* approvals.replace("shop", new Set(["raise"]), new Set(), undefined)
        yield* approvals.replace("shop", new Set(), new Set(), { ...request, id: "unanswered", asked })
        yield* approvals.replace("shop", new Set(["raise"]), new Set(), undefined)
        yield* approvals.replace("shop", new Set(["raise"]), new Set(), undefined)
        return [
          yield* sql`SELECT who, what, why FROM audit ORDER BY seq`,
          yield* AuditVerify.verify("shop")
        ] as const
      }).pipe(Effect.provide([StopsSql.layer, ApprovalsSql.layer]))
    )
    expect(found).toEqual([
      { who: "olga", what: "hold placed", why: "photo shoot" },
      { who: "petr", what: "hold lifted", why: null },
      { who: "olga", what: "kill switch engaged", why: null },
      { who: "bidhelm", what: "approval asked", why: null },
      { who: "petr", what: "approval rejected", why: "too dear" },
      { who: "bidhelm", what: "approval asked", why: null },
      { who: "bidhelm", what: "approval superseded", why: "the next plan did not ask for it" },
      { who: "bidhelm", what: "approval asked", why: null },
      { who: "bidhelm", what: "approval expired", why: "nobody answered it in time" }
    ])
    expect(verified.breaks).toEqual([])
  })
})
