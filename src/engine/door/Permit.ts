/**
 * Hands out write permits: for approved plans, and for one raw call that a person confirmed. The one importer of
 * `WritePermit.issue` (test/house.test.ts).
 */
import type * as Context from "effect/Context"
import { type AccountName, ChangeId, PlanId } from "../../domain/Ids.js"
import * as WritePermit from "../../domain/WritePermit.js"
import type { ApprovedPlan } from "../kinds/Approved.js"

/** Covers exactly the approved changes of one account. */
export const grant = (approved: ApprovedPlan): Context.Tag.Service<WritePermit.WritePermit> =>
  WritePermit.issue({
    account: approved.account,
    planId: approved.planId,
    changes: new Set(approved.changes.map((change) => ChangeId(change.id)))
  })

/**
 * For one call that a person asked for by name, with its parameters before their eyes (`bidhelm call --yes`). It covers
 * no change of any plan; `call` names it in the journal.
 */
export const confirmed = (account: AccountName, call: string): Context.Tag.Service<WritePermit.WritePermit> =>
  WritePermit.issue({ account, planId: PlanId(call), changes: new Set() })
