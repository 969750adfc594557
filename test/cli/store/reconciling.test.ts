/** What a reconciliation says of the holds that it places. */
import { expect, it } from "vitest"
import * as Reconciling from "../../../src/cli/store/Reconciling.js"
import * as Ids from "../../../src/domain/Ids.js"
import * as Found from "./Found.js"

it("a reconciliation tells whose hold the one on a policy that pays took the place of, in the words of a hold", () => {
  const since = Date.parse("2026-09-01T15:00+03:00")
  const found: Reconciling.Found = {
    ...Found.nothing,
    toHold: [Ids.PolicyId("08-budget-topup"), Ids.PolicyId("09-top-up")],
    replaced: [
      {
        account: "main",
        kind: "policy",
        what: "09-top-up",
        since,
        until: since + 30 * 86_400_000,
        by: "anna",
        why: "photo shoot"
      }
    ]
  }
  const lines = Reconciling.print(found, "Europe/Moscow", "₽", { account: "main", accounts: 1 }).split("\n")
  const at = lines.findIndex((line) => line.startsWith("09-top-up pays deposits"))
  expect(lines[at + 1]).toBe(
    "  It took the place of one that stood: on hold by anna since 2026-09-01 15:00, until 2026-10-01 15:00: photo shoot."
  )
  expect(lines.filter((line) => line.includes("took the place"))).toHaveLength(1)
})
