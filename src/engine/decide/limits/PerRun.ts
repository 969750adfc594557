/** Numbers of changes that a run may make, with the place that each is written at. Pure. */
import type * as Target from "../../../domain/Target.js"
import type { Table } from "../../facts/Table.js"
import type { AccountLimits, Policy } from "../../language/Policy.js"
import * as BidLimits from "../intents/BidLimits.js"

/** `where` names the limit in messages; without `most` there is none. */
export interface PerRun {
  readonly most: number | undefined
  readonly where: string
}

export const ofPolicy = ({ file, limits }: Pick<Policy, "file" | "limits">): PerRun => ({
  most: limits.changesPerRun,
  where: `${file} limits.changes_per_run`
})

export const ofAccount = ({ changesPerRun }: AccountLimits): PerRun => ({
  most: changesPerRun,
  where: "_shared/limits.yaml account.changes_per_run"
})

/** Those that only some campaigns have. */
export const ofCampaigns = ({
  campaigns
}: AccountLimits): ReadonlyArray<PerRun & { readonly selector: AccountLimits["campaigns"][number] }> =>
  campaigns.map((selector, index) => ({
    selector,
    most: selector.changesPerRun,
    where: `_shared/limits.yaml campaigns[${index}].changes_per_run`
  }))

/** Whether a number is about what is in a campaign; a campaign that could not be read may be meant. */
export const isOf = (
  { where }: AccountLimits["campaigns"][number],
  subject: Target.Subject,
  campaigns: Table
): boolean => BidLimits.mayMatch(where, campaigns, campaigns.indexOf(subject))
