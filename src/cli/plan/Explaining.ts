/** Reads what every rule needs to know about one target, and explains what they made of it. Writes nothing. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CampaignId } from "../../domain/Ids.js"
import type * as Target from "../../domain/Target.js"
import type { Plan } from "../../engine/decide/Plan.js"
import * as FactRefs from "../../engine/facts/FactRefs.js"
import * as FactType from "../../engine/facts/FactType.js"
import * as Level from "../../engine/facts/Level.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import { FactSource } from "../../engine/gather/FactSource.js"
import * as Gather from "../../engine/gather/Gather.js"
import type { Clause, Condition, Each, Optimise, Policy, RuleSet } from "../../engine/language/Policy.js"
import * as Cycle from "../../engine/planning/Cycle.js"
import * as Pacing from "../../engine/planning/Pacing.js"
import * as Explanation from "../../reporting/explain/Explanation.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import type * as Account from "../account/Account.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { stop } from "../terminal/Stop.js"
import * as ExplainTarget from "./ExplainTarget.js"
import * as Planning from "./Planning.js"

export const run = (chosen: Account.Chosen, rules: RuleSet, target: Target.Subject) =>
  Effect.gen(function* () {
    const made = yield* Effect.provide(explained(chosen, rules, target), narrowed(rules, target))
    if (made !== undefined) return made
    const { tokenKind } = yield* MarketplaceClient
    const whole = yield* Gather.run({ ...rules, policies: [] }, Planning.options(chosen, tokenKind))
    yield* Planning.tell(whole)
    return yield* stop(1, ExplainTarget.unlisted(target, whole))
  })

/** Undefined when the target's campaign or item is not listed; then nothing was asked about it. */
const explained = (chosen: Account.Chosen, rules: RuleSet, target: Target.Subject) =>
  Effect.gen(function* () {
    const { tokenKind } = yield* MarketplaceClient
    const learned = yield* Pacing.read(chosen.name, rules.policies, yield* Clock.currentTimeMillis)
    const options = {
      ...Planning.options(chosen, tokenKind),
      ...(yield* Cycle.trust(rules)),
      ...(learned === undefined ? {} : { curves: learned.curves })
    }
    const level = Explanation.levelOf(target)
    // Of rows finer than the target only what a plan would ask: a whole account's scarce answers take hours.
    const policies = rules.policies.map((policy) =>
      Level.reaches(level, policy.each) ? open(policy) : policy
    )
    const everything = { ...rules, policies }
    const gathered = yield* ProgressBar.shown(Gather.run(everything, options))
    yield* Planning.tell(gathered)
    if (!ExplainTarget.isListed(target, gathered)) return undefined
    const missing = ExplainTarget.unknownCluster(target, gathered)
    if (missing !== undefined) return yield* stop(1, missing)
    const uncounted = withoutCounting(rules)
    const { reviewed, slots } = yield* Cycle.decide(uncounted, gathered, options)
    const { plan } = reviewed
    const alone = yield* Effect.forEach(losers(plan), (policy) =>
      Effect.map(
        Cycle.decide(only(uncounted, policy), gathered, options),
        (decided) => [policy, decided.reviewed.plan] as const
      )
    )
    return Explanation.make({
      target,
      policies: rules.policies,
      table: gathered.table,
      plan,
      zone: options.zone,
      readings: gathered.readings,
      remembered: gathered.remembered,
      ownFacts: rules.ownFacts ?? [],
      slots,
      alone: new Map(alone)
    })
  })

/** Policies that wanted something else of a slot than what becomes of it. */
const losers = ({ changes, held, unchanged }: Plan): ReadonlyArray<string> => {
  const overruled = [...changes, ...held.map(({ change }) => change)].flatMap((change) => change.overruled)
  const heldBack = unchanged.filter(({ because }) => because.code === "held_back").map(({ policy }) => policy)
  return [...new Set([...overruled, ...heldBack])].sort()
}

/** The same rules, of which one decides; the others are still there for what they did before. */
const only = (rules: RuleSet, id: string): RuleSet => ({
  ...rules,
  policies: rules.policies.map((policy) => (policy.id === id ? policy : { ...policy, mode: "disabled" }))
})

/** The account as far as the target's rules look at it. */
const narrowed = (rules: RuleSet, target: Target.Subject) =>
  Layer.effect(
    FactSource,
    Effect.map(FactSource, (source) => {
      const scope = scopeOf(rules, target)
      return {
        ...source,
        campaigns: Effect.map(source.campaigns, (list) => ({
          ...list,
          ids: list.ids.filter((campaignId) => scope.hasCampaign(campaignId))
        })),
        fetch: (request) => {
          const keys = request.keys.filter((key) => scope.asks(request.source, key))
          return keys.length === 0 && request.keys.length > 0
            ? Effect.succeed({ rows: [], failures: [], readAt: 0 })
            : source.fetch({ ...request, keys })
        }
      }
    })
  )

const one = { _tag: "Literal", type: FactType.number, value: 1 } as const
const always: Condition = { _tag: "Compare", op: "=", left: one, right: one }

/** A policy that asks for the same facts and lets every row through, so that no condition stays unanswered. */
const open = (policy: Policy): Policy => {
  const opened = (clause: Clause): Clause => ({
    ...clause,
    condition: { _tag: "Or", any: [clause.condition, always] }
  })
  // Every rule asks what all of them ask: the first that holds would end the search for the others' facts.
  const when = policy.rules.flatMap((rule) => rule.when).map(opened)
  const rules = policy.rules.map((rule) => ({ ...rule, when }))
  return { ...policy, where: policy.where.map(opened), rules }
}

/** Limits on the number of changes mean the whole account; one target says nothing about them. */
const withoutCounting = (rules: RuleSet): RuleSet => {
  const uncounted = <
    L extends { readonly changesPerRun?: number; readonly shareOfScopeBasisPoints?: number }
  >({
    changesPerRun: _,
    shareOfScopeBasisPoints: __,
    ...rest
  }: L) => rest
  return {
    ...rules,
    policies: rules.policies.map((policy) => ({ ...policy, limits: uncounted(policy.limits) })),
    limits: {
      ...uncounted(rules.limits),
      campaigns: rules.limits.campaigns.map(({ changesPerRun: _, ...rest }) => rest)
    }
  }
}

// How much of the account must be read to explain one target: the target itself, and around it what is asked of rows
// below an item, a campaign or the account that it belongs to.

interface Scope {
  readonly hasCampaign: (campaignId: CampaignId) => boolean
  /** Whether a source is asked about a key. */
  readonly asks: (source: string, key: Target.Subject) => boolean
}

export const scopeOf = (rules: RuleSet, target: Target.Subject): Scope => {
  const { campaignId, itemId } = target
  // All campaigns' spend of the day counts for the account's limit.
  const spend = rules.limits.spendPerDayKopecks === undefined ? [] : ["campaignStats"]
  const acrossCampaigns = new Set([...spend, ...below(rules, ["account", "item"]), ...addedUp(rules)])
  const inCampaign = below(rules, ["campaign"])
  const budgets = budgetsOf(rules)
  const isShared = budgets.has("account")
  const isWide = campaignId === undefined || acrossCampaigns.size > 0 || isShared
  return {
    hasCampaign: (id) => isWide || id === campaignId,
    asks: (source, key) => {
      if (source === "campaigns" || isShared || acrossCampaigns.has(source)) return true
      if (campaignId !== undefined && key.campaignId !== undefined && key.campaignId !== campaignId)
        return false
      return (
        itemId === undefined ||
        inCampaign.has(source) ||
        budgets.size > 0 ||
        (key.itemId ?? itemId) === itemId
      )
    }
  }
}

/** What `optimise` makes of one bid depends on all others that its budget pays for. */
const budgetsOf = ({ policies }: RuleSet): ReadonlySet<Optimise["budgetOf"]> =>
  new Set(
    policies
      .filter(({ mode }) => mode !== "disabled")
      .flatMap(({ rules }) =>
        rules.flatMap(({ action }) => (action._tag === "Optimise" ? [action.budgetOf] : []))
      )
  )

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
  FactRefs.sumsIn(policies.map(({ rules, where }) => [where, rules]))
    .filter(({ at }) => at === "account" || at === "item")
    .flatMap(({ of }) => FactRefs.ofExpr(of))
    .flatMap(({ id }) => Vocabulary.byFactId(id)?.source ?? [])
