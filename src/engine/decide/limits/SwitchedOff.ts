/** What the marketplace refuses to the account's token: told by the plan, and changes that would need it wait. Pure. */
import * as Plural from "../../../domain/Plural.js"
import type { Change } from "../../kinds/Change.js"
import type { HeldReason } from "../../kinds/HeldReason.js"
import * as Kinds from "../../kinds/Kinds.js"
import type { Notice } from "../Plan.js"

export interface SwitchedOff {
  /** Operation id of the contract. */
  readonly operation: string
  /** Empty for the operation as a whole; `campaign 777` when the refusal was about that campaign. */
  readonly scope: string
  /** Since when, why, and until when, for people. */
  readonly text: string
}

/** One notice per operation, however many campaigns it is refused for; rules that need none of them go on as if nothing were. */
export const notices = (all: ReadonlyArray<SwitchedOff>): ReadonlyArray<Notice> => {
  const single = all.filter(({ scope }) => /^campaign \d+$/.test(scope))
  return all.flatMap((one) => {
    const alike = single.includes(one) ? single.filter(({ operation }) => operation === one.operation) : [one]
    if (alike[0] !== one) return []
    const more = alike.length === 1 ? "" : `. So it is for ${Plural.of(alike.length - 1, "more campaign")}`
    return [{ policy: "all rules", campaignName: "", text: `${one.text}${more}` }]
  })
}

/** Why a change could not be sent now; undefined when nothing is against it. */
export const verdict = (change: Change, all: ReadonlyArray<SwitchedOff>): HeldReason | undefined => {
  if (all.length === 0) return undefined
  // Which of the ways of setting cluster bids carries it depends on the token that was refused.
  const needed = Kinds.of(change).operations(change)
  const off = all.find(
    ({ operation, scope }) =>
      needed.includes(operation) && (scope === "" || scope === `campaign ${change.subject.campaignId}`)
  )
  return off === undefined ? undefined : { code: "switched_off", said: off.text }
}
