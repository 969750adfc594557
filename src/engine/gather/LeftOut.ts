/** What the marketplace has and a run has no row for; the plan says so, because no rule can. Pure. */
import type { Notice } from "../decide/Plan.js"

/** How many of each. */
export interface LeftOut {
  /** Clusters whose names no store gives back as they were. */
  readonly unstorable: number
  /** Campaigns that the list counts without naming them, and of which nothing is asked: completed ones, and others. */
  readonly completed: number
  readonly others: number
}

/** A notice for each kind of which there are any. */
export const notices = ({ completed: ended, others, unstorable }: LeftOut): ReadonlyArray<Notice> =>
  [
    ...(unstorable === 0 ? [] : [clusters(unstorable)]),
    ...(ended === 0 ? [] : [completed(ended)]),
    ...(others === 0
      ? []
      : [
          `the campaign list counts ${named(others, "")} that it does not name, and that no rule could change: declined, deleted or of a retired type`
        ])
  ].map((text) => ({ policy: "all rules", campaignName: "", text }))

/** Completed campaigns that the list does not name. */
export const completed = (campaigns: number): string =>
  `the campaign list counts ${named(campaigns, "completed ")} that it does not name`

const named = (campaigns: number, which: string): string =>
  `${campaigns} ${which}${campaigns === 1 ? "campaign" : "campaigns"}`

const clusters = (count: number): string => {
  const [are, their] =
    count === 1 ? ["1 cluster is", "its name holds"] : [`${count} clusters are`, "their names hold"]
  const stay =
    count === 1 ? "sees it, and its bid stays as it is" : "sees them, and their bids stay as they are"
  return `${are} left out: ${their} a NUL or half of a character, which no store gives back as it was; no rule ${stay}`
}
