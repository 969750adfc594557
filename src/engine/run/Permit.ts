/** Hands out write permits, for approved plans only. The one importer of `WritePermit.issue` (test/house.test.ts). */
import type * as Context from "effect/Context"
import { ChangeId } from "../../domain/Ids.js"
import * as WritePermit from "../../domain/WritePermit.js"
import type { ApprovedPlan } from "../decide/Review.js"

/** Covers exactly the approved changes of one account. */
export const grant = (approved: ApprovedPlan): Context.Tag.Service<WritePermit.WritePermit> =>
  WritePermit.issue({
    account: approved.account,
    planId: approved.planId,
    changes: new Set(approved.changes.map((change) => ChangeId(change.id)))
  })
