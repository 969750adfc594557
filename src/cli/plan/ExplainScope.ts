/**
 * How much of the account must be read to explain one target: the target itself, and around it what is asked of rows
 * below an item, a campaign or the account that it belongs to.
 */
import type { CampaignId } from "../../domain/Ids.js"
import type * as Target from "../../domain/Target.js"
import * as FactRefs from "../../engine/facts/FactRefs.js"
import * as Level from "../../engine/facts/Level.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import type { Each, Policy, RuleSet, SumExpr } from "../../engine/language/Policy.js"

export interface Scope {
  readonly hasCampaign: (campaignId: CampaignId) => boolean
  /** Whether a source is asked about a key. */
  readonly asks: (source: string, key: Target.Subject) => boolean
}

export const of = (rules: RuleSet, target: Target.Subject): Scope => {
  const { campaignId, itemId } = target
  // All campaigns' spend of the day counts for the account's limit.
  const spend = rules.limits.spendPerDayKopecks === undefined ? [] : ["campaignStats"]
  const acrossCampaigns = new Set([...spend, ...below(rules, ["account", "item"]), ...addedUp(rules)])
  const inCampaign = below(rules, ["campaign"])
  const isWide = campaignId === undefined || acrossCampaigns.size > 0
  return {
    hasCampaign: (id) => isWide || id === campaignId,
    asks: (source, key) => {
      if (source === "campaigns" || acrossCampaigns.has(source)) return true
      if (campaignId !== undefined && key.campaignId !== undefined && key.campaignId !== campaignId)
        return false
      return itemId === undefined || inCampaign.has(source) || (key.itemId ?? itemId) === itemId
    }
  }
}

/** Sources of what policies of these rows ask about the rows below theirs. */
const below = ({ policies }: RuleSet, levels: ReadonlyArray<Each>): ReadonlySet<string> =>
  new Set(policies.filter(({ each }) => levels.includes(each)).flatMap(sourcesBelow))

const sourcesBelow = (policy: Policy): ReadonlyArray<string> =>
  FactRefs.ofPolicy(policy).flatMap(({ id }) => {
    const fact = Vocabulary.byFactId(id)
    return fact === undefined || Level.reaches(policy.each, fact.level) ? [] : [fact.source]
  })

/** Sources of what rules of any rows add up over the campaigns of an item or of the account: `item.drr`. */
const addedUp = ({ policies }: RuleSet): ReadonlyArray<string> =>
  sumsIn(policies.map(({ rules, where }) => [where, rules]))
    .filter(({ at }) => at === "account" || at === "item")
    .flatMap(({ of }) => FactRefs.ofExpr(of))
    .flatMap(({ id }) => Vocabulary.byFactId(id)?.source ?? [])

const sumsIn = (node: unknown): ReadonlyArray<SumExpr> => {
  if (typeof node !== "object" || node === null) return []
  return [...(isSum(node) ? [node] : []), ...Object.values(node).flatMap(sumsIn)]
}

const isSum = (node: object): node is SumExpr => "_tag" in node && node._tag === "Sum"
