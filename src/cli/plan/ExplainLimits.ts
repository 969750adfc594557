/** Limits that count the whole account, where `explain` read one target only: they hold nothing, and it says so. */
import type { Lane } from "../../domain/Lane.js"
import * as Policy from "../../engine/language/Policy.js"
import * as PolicyJobs from "../../engine/planning/PolicyJobs.js"
import { everyRow, type Scope } from "./ExplainScope.js"

/** The rules of a lane with the limits that can be told from what was read. */
export const counted = (rules: Policy.RuleSet, scope: Scope, lane: Lane): Policy.RuleSet => {
  if (scope.isWhole(lane)) return rules
  return {
    ...rules,
    policies: rules.policies.map((policy) => ({
      ...policy,
      limits: withoutCounting(policy.limits),
      maxUnknownBasisPoints: scope.isCounted(policy) ? policy.maxUnknownBasisPoints : everyRow
    })),
    limits: {
      ...withoutCounting(rules.limits),
      campaigns: rules.limits.campaigns.map(({ changesPerRun: _, ...rest }) => rest)
    }
  }
}

const withoutCounting = <
  L extends { readonly changesPerRun?: number; readonly shareOfScopeBasisPoints?: number }
>({
  changesPerRun: _,
  shareOfScopeBasisPoints: __,
  ...rest
}: L) => rest

/** By name, the limits of a policy that were not counted over the whole account; what only takes back is bound by no share. */
export const uncounted = (
  policy: Policy.Policy,
  { limits }: Policy.RuleSet,
  scope: Scope,
  onlyTakesBack: boolean
): ReadonlyArray<string> => {
  if (scope.isWhole(PolicyJobs.laneOf(policy))) return []
  const own = policy.limits
  const perRun = [own, limits, ...limits.campaigns].some(({ changesPerRun }) => changesPerRun !== undefined)
  const share = [own, limits].some(({ shareOfScopeBasisPoints: most }) => most !== undefined)
  const money = [own.policyMoneyPerDayKopecks, limits.moneyPerDayKopecks].some((most) => most !== undefined)
  const isUnread = policy.maxUnknownBasisPoints < everyRow && !scope.isCounted(policy)
  return [
    ...(perRun ? ["changes_per_run"] : []),
    ...(isUnread ? ["max_unknown"] : []),
    ...(Policy.paysDeposits(policy) && money ? ["money_per_day"] : []),
    ...(share && !onlyTakesBack ? ["share_of_scope"] : [])
  ]
}
