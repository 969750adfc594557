/** What stands on top of a plan: rows that a policy wants to be told of, and policies that hold as a whole. */
import type { UndecidedRow } from "../facts/Evaluate.js"
import type { Policy } from "../language/Policy.js"
import * as Unread from "./limits/Unread.js"
import type { Notice, Undecided } from "./Plan.js"

interface Asked {
  readonly policy: Policy
  readonly scope: ReadonlyArray<number>
  readonly undecided: ReadonlyArray<UndecidedRow>
}

/** In the order of the policies and of `unknown`. */
export const of = (asked: ReadonlyArray<Asked>, unknown: ReadonlyArray<Undecided>): ReadonlyArray<Notice> =>
  asked.flatMap(({ policy, scope, undecided }) => {
    const over = Unread.over(policy, Unread.of(scope, undecided))
    const whole: ReadonlyArray<Notice> =
      over === undefined
        ? []
        : [{ policy: policy.id, campaignName: "", text: `holds: ${over.over} (${over.limit})` }]
    if (policy.ifUnknown === "skip") return whole
    const rows = unknown.filter((row) => row.policy === policy.id)
    return [
      ...whole,
      ...rows.map(({ campaignName, subject: target, why }) => ({
        policy: policy.id,
        subject: target,
        campaignName,
        text: why
      }))
    ]
  })
