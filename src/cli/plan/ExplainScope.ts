/**
 * How much of the account must be read to explain one target: the target itself, and around it what is asked of rows
 * below an item, a campaign or the account that it belongs to. What costs no call more is read of all.
 */
import * as Effect from "effect/Effect"
import type { CampaignId } from "../../domain/Ids.js"
import type { Lane } from "../../domain/Lane.js"
import type * as Target from "../../domain/Target.js"
import * as FactRefs from "../../engine/facts/FactRefs.js"
import * as Level from "../../engine/facts/Level.js"
import * as Needs from "../../engine/facts/Needs.js"
import * as Sources from "../../engine/facts/Sources.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import { FactSource } from "../../engine/gather/FactSource.js"
import type { Each, Optimise, Policy, RuleSet } from "../../engine/language/Policy.js"
import * as PolicyJobs from "../../engine/planning/PolicyJobs.js"

/** `max_unknown` from which on nothing is ever held, basis points. */
export const everyRow = 10_000

export interface Scope {
  readonly hasCampaign: (campaignId: CampaignId) => boolean
  /** Whether a source is asked about a key. */
  readonly asks: (source: string, key: Target.Subject) => boolean
  /** Whether what a policy's conditions ask is read of every row that a plan would ask about. */
  readonly isCounted: (policy: Policy) => boolean
  /** Whether all that the policies of a lane need is read as for a plan: then all that counts in it is counted. */
  readonly isWhole: (lane: Lane) => boolean
}

/** Of the rules that are told about the target; `listed` is the number of the account's campaigns. */
export const scopeOf = (
  rules: RuleSet,
  target: Target.Subject,
  listed: number = Number.POSITIVE_INFINITY
): Scope => {
  const { campaignId, itemId } = target
  // All campaigns' spend of the day counts for the account's limit.
  const spend = rules.limits.spendPerDayKopecks === undefined ? [] : ["campaignStats"]
  const acrossCampaigns = new Set<string>([
    ...spend,
    ...below(rules, ["account", "item"]),
    ...addedUp(rules),
    ...ofSets(rules)
  ])
  const inCampaign = below(rules, ["campaign"])
  const budgets = budgetsOf(rules)
  const isAll = budgets.has("account") || (campaignId === undefined && itemId === undefined)
  const isFree =
    listed <= Sources.sources.campaigns.batch && on(rules).some((one) => isOfSettings(one, rules))
  const isWide = campaignId === undefined || acrossCampaigns.size > 0 || isAll || isFree
  const isRead = (source: Sources.SourceId): boolean =>
    isAll || acrossCampaigns.has(source) || (source === "campaigns" ? isWide : isOfNoItem(source))
  return {
    hasCampaign: (id) => isWide || id === campaignId,
    asks: (source, key) => {
      if (source === "campaigns" || isAll || acrossCampaigns.has(source)) return true
      if (campaignId !== undefined && key.campaignId !== undefined && key.campaignId !== campaignId)
        return false
      return (
        itemId === undefined ||
        inCampaign.has(source) ||
        budgets.size > 0 ||
        (key.itemId ?? itemId) === itemId
      )
    },
    isCounted: (policy) => ofConditions(policy, rules).every(isRead),
    isWhole: (lane) =>
      on(rules).every((policy) => PolicyJobs.laneOf(policy) !== lane || ofAll(policy, rules).every(isRead))
  }
}

/** The account as far as the target's rules look at it. */
export const narrowed = (rules: RuleSet, target: Target.Subject) =>
  Effect.gen(function* () {
    const source = yield* FactSource
    const campaigns = yield* Effect.cached(source.campaigns)
    const scope = scopeOf(rules, target, (yield* campaigns).ids.length)
    const narrow: typeof FactSource.Service = {
      ...source,
      campaigns: Effect.map(campaigns, (list) => ({ ...list, ids: list.ids.filter(scope.hasCampaign) })),
      fetch: (request) => {
        const keys = request.keys.filter((key) => scope.asks(request.source, key))
        return keys.length === 0 && request.keys.length > 0
          ? Effect.succeed({ rows: [], failures: [], readAt: 0 })
          : source.fetch({ ...request, keys })
      }
    }
    return { scope, source: narrow }
  })

const on = ({ policies }: RuleSet): ReadonlyArray<Policy> =>
  policies.filter(({ mode }) => mode !== "disabled")

// What is read of a policy.

const needsOf = (policy: Policy, { limits, needsVendorCodes }: RuleSet): Needs.Needs =>
  Needs.of(policy, limits, needsVendorCodes)

const ofConditions = (policy: Policy, rules: RuleSet): ReadonlyArray<Sources.SourceId> => {
  const { rowSource, stages } = needsOf(policy, rules)
  return [rowSource, ...stages.flatMap(({ sources }) => sources.map(({ source }) => source))]
}

const ofAll = (policy: Policy, rules: RuleSet): ReadonlyArray<Sources.SourceId> => [
  ...ofConditions(policy, rules),
  ...needsOf(policy, rules).actionSources.map(({ source }) => source)
]

/** Asks settings of campaigns and the seller's own tables alone: where one call reads all campaigns, counting its rows costs nothing. */
const isOfSettings = (policy: Policy, rules: RuleSet): boolean =>
  policy.maxUnknownBasisPoints < everyRow &&
  ofConditions(policy, rules).every((source) => source === "campaigns" || isOfNoItem(source))

/** Whoever is asked about is not chosen by campaign or item. */
const isOfNoItem = (source: Sources.SourceId): boolean => {
  const { keyLevel } = Sources.sources[source]
  return !Sources.isAsked(source) || keyLevel === "account" || keyLevel === "promotion"
}

/** What `optimise` makes of one bid depends on all others that its budget pays for. */
const budgetsOf = (rules: RuleSet): ReadonlySet<Optimise["budgetOf"]> =>
  new Set(
    on(rules).flatMap((policy) =>
      policy.rules.flatMap(({ action }) => (action._tag === "Optimise" ? [action.budgetOf] : []))
    )
  )

/** Which items reach a tier is chosen of all that may join, beside what other rules have join at the same time. */
const ofSets = (rules: RuleSet): ReadonlyArray<string> => {
  const joining = on(rules).filter(({ each }) => each === "promotion_item")
  const choosesSets = joining.some((policy) =>
    policy.rules.some(({ action }) => action._tag === "Enrol" && action.reach !== undefined)
  )
  return choosesSets ? joining.flatMap((policy) => ofAll(policy, rules)) : []
}

/** Sources of what policies of these rows ask about the rows below theirs. */
const below = (rules: RuleSet, levels: ReadonlyArray<Each>): ReadonlySet<string> =>
  new Set(
    on(rules)
      .filter(({ each }) => levels.includes(each))
      .flatMap(sourcesBelow)
  )

const sourcesBelow = (policy: Policy): ReadonlyArray<string> =>
  FactRefs.ofPolicy(policy).flatMap(({ id }) => {
    const fact = Vocabulary.byFactId(id)
    return fact === undefined || Level.reaches(policy.each, fact.level) ? [] : [fact.source]
  })

/** Sources of what rules of any rows add up over the campaigns of an item or of the account: `item.drr`. */
const addedUp = (all: RuleSet): ReadonlyArray<string> =>
  FactRefs.sumsIn(on(all).map(({ rules, where }) => [where, rules]))
    .filter(({ at }) => at === "account" || at === "item")
    .flatMap(({ of }) => FactRefs.ofExpr(of))
    .flatMap(({ id }) => Vocabulary.byFactId(id)?.source ?? [])
