/** Reads what every rule needs to know about one target, and explains what they made of it. Writes nothing. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Lane } from "../../domain/Lane.js"
import type * as Target from "../../domain/Target.js"
import * as Overlays from "../../engine/decide/intents/Overlays.js"
import type { Notice, Plan } from "../../engine/decide/Plan.js"
import * as FactType from "../../engine/facts/FactType.js"
import * as Level from "../../engine/facts/Level.js"
import { FactSource } from "../../engine/gather/FactSource.js"
import * as Gather from "../../engine/gather/Gather.js"
import * as MaxBid from "../../engine/language/MaxBid.js"
import {
  type Clause,
  type Condition,
  type Policy,
  paysDeposits,
  type RuleSet
} from "../../engine/language/Policy.js"
import * as Cycle from "../../engine/planning/Cycle.js"
import * as Pacing from "../../engine/planning/Pacing.js"
import * as PolicyJobs from "../../engine/planning/PolicyJobs.js"
import * as Explanation from "../../reporting/explain/Explanation.js"
import * as RowReasons from "../../reporting/RowReasons.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Account from "../account/Account.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { stop } from "../terminal/Stop.js"
import * as ExplainScope from "./ExplainScope.js"
import * as ExplainTarget from "./ExplainTarget.js"
import * as Planning from "./Planning.js"

export const run = (chosen: Account.Chosen, written: RuleSet, target: Target.Subject) =>
  Effect.gen(function* () {
    const rules = MaxBid.added(toldAbout(written, target))
    const { zone } = Planning.options(chosen, (yield* MarketplaceClient).tokenKind)
    const besides = yield* Cycle.besides(rules.policies, zone)
    const asked = { ...rules, policies: [...rules.policies, ...besides.questions] }
    const { scope, source } = yield* ExplainScope.narrowed(asked, target)
    const made = yield* Effect.provideService(
      explained(chosen, rules, target, besides, scope),
      FactSource,
      source
    )
    if (made !== undefined) return made
    const { tokenKind } = yield* MarketplaceClient
    const whole = yield* Gather.run({ ...rules, policies: [] }, Planning.options(chosen, tokenKind))
    yield* Planning.tell(whole)
    return yield* stop(1, ExplainTarget.unlisted(target, whole, Account.among(chosen)))
  })

/** A campaign is in no promotion: whoever asks about it waits for no calendar. */
const toldAbout = (rules: RuleSet, { campaignId }: Target.Subject): RuleSet =>
  campaignId === undefined
    ? rules
    : { ...rules, policies: rules.policies.filter((policy) => PolicyJobs.laneOf(policy) === "ads") }

/** Undefined when the target's campaign or item is not listed; then nothing was asked about it. */
const explained = (
  chosen: Account.Chosen,
  rules: RuleSet,
  target: Target.Subject,
  { filed, questions, standing, watched }: Effect.Effect.Success<ReturnType<typeof Cycle.besides>>,
  scope: ExplainScope.Scope
) =>
  Effect.gen(function* () {
    const { tokenKind } = yield* MarketplaceClient
    const nowMs = yield* Clock.currentTimeMillis
    const learned = yield* Pacing.read(chosen.name, rules.policies, nowMs)
    const options = {
      ...Planning.options(chosen, tokenKind),
      ...(yield* Cycle.trust(rules)),
      ...(learned === undefined ? {} : { curves: learned.curves })
    }
    const level = Explanation.levelOf(target)
    // Of rows finer than the target only what a plan would ask: a whole account's scarce answers take hours.
    const policies = rules.policies.flatMap((policy) => {
      if (Level.reaches(level, policy.each)) return [open(policy)]
      return Overlays.isAwake(policy, nowMs, options.zone) ? [policy] : []
    })
    const everything = { ...rules, policies: [...policies, ...questions] }
    const gathered = yield* ProgressBar.shown(Gather.run(everything, { ...options, filed, standing }))
    yield* Planning.tell(gathered)
    if (!ExplainTarget.isListed(target, gathered)) return undefined
    const missing = ExplainTarget.unknownCluster(target, gathered)
    if (missing !== undefined) return yield* stop(1, missing)
    const { alone, plan, slots } = yield* decided({ rules, gathered, scope }, options)
    yield* Effect.forEach(unreadOf(plan), Output.note, { discard: true })
    return Explanation.make({
      among: Account.among(chosen),
      target,
      policies: rules.policies.filter(({ isOfLimits }) => isOfLimits !== true),
      table: gathered.table,
      plan,
      zone: options.zone,
      readings: gathered.readings,
      remembered: gathered.remembered,
      ownFacts: rules.ownFacts ?? [],
      slots,
      alone,
      watched,
      uncounted: (policy, onlyTakesBack) => uncounted(policy, rules, scope, onlyTakesBack)
    })
  })

/** What the limit of the calendar left unread; each lane's plan says it. */
const unreadOf = (plan: Plan): ReadonlySet<string> => {
  const unread = (plan.notices ?? []).filter(({ because }) => because?.code === "calendar_unread")
  return new Set(unread.map((notice) => RowReasons.notice(notice, RowReasons.around(plan))))
}

/** What was read of the account, and how much of it that is. */
interface Read {
  readonly rules: RuleSet
  readonly gathered: Gather.Gathered
  readonly scope: ExplainScope.Scope
}

/** The plans of all lanes in one: no policy is in two of them. */
const decided = (read: Read, options: Cycle.PlanOptions) =>
  Effect.gen(function* () {
    const ads = yield* inLane("ads", read, options)
    const others = read.rules.policies.filter((policy) => PolicyJobs.laneOf(policy) === "promotions")
    if (others.length === 0) return ads
    const { budgets, made } = ads.context
    const known = {
      ...options,
      ...(budgets === undefined ? {} : { budgets }),
      ...(made === undefined ? {} : { made })
    }
    const promotions = yield* inLane("promotions", read, known)
    const both = [ads.plan, promotions.plan]
    const plan: Plan = {
      ...ads.plan,
      policies: both.flatMap(({ policies }) => policies),
      changes: both.flatMap(({ changes }) => changes),
      held: both.flatMap(({ held }) => held),
      unknown: both.flatMap(({ unknown }) => unknown),
      unchanged: both.flatMap(({ unchanged }) => unchanged),
      notices: distinct(both.flatMap(({ notices = [] }) => notices)),
      holds: both.flatMap(({ holds = [] }) => holds)
    }
    return { ...ads, plan, alone: new Map([...ads.alone, ...promotions.alone]) }
  })

/** What was read for both lanes is told by both plans. */
const distinct = (notices: ReadonlyArray<Notice>): ReadonlyArray<Notice> => [
  ...new Map(notices.map((notice) => [JSON.stringify(notice), notice])).values()
]

const inLane = (lane: Lane, { gathered, rules, scope }: Read, options: Cycle.PlanOptions) =>
  Effect.gen(function* () {
    const bound = counted(rules, scope, lane)
    const { context, reviewed, slots } = yield* Cycle.decide(bound, gathered, { ...options, lane })
    const alone = yield* Effect.forEach(losers(reviewed.plan), (policy) =>
      Effect.map(
        Cycle.decide(only(bound, policy), gathered, { ...options, lane }),
        (one) => [policy, one.reviewed.plan] as const
      )
    )
    return { context, plan: reviewed.plan, slots, alone: new Map(alone) }
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

// Limits that count the whole account, where one target was read only: they hold nothing, and it says so.

/** The rules of a lane with the limits that can be told from what was read. */
const counted = (rules: RuleSet, scope: ExplainScope.Scope, lane: Lane): RuleSet => {
  if (scope.isWhole(lane)) return rules
  return {
    ...rules,
    policies: rules.policies.map((policy) => ({
      ...policy,
      limits: withoutCounting(policy.limits),
      maxUnknownBasisPoints: scope.isCounted(policy) ? policy.maxUnknownBasisPoints : ExplainScope.everyRow
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
  policy: Policy,
  { limits }: RuleSet,
  scope: ExplainScope.Scope,
  onlyTakesBack: boolean
): ReadonlyArray<string> => {
  if (scope.isWhole(PolicyJobs.laneOf(policy))) return []
  const own = policy.limits
  const perRun = [own, limits, ...limits.campaigns].some(({ changesPerRun }) => changesPerRun !== undefined)
  const share = [own, limits].some(({ shareOfScopeBasisPoints: most }) => most !== undefined)
  const money = [own.policyMoneyPerDayKopecks, limits.moneyPerDayKopecks].some((most) => most !== undefined)
  const isUnread = policy.maxUnknownBasisPoints < ExplainScope.everyRow && !scope.isCounted(policy)
  return [
    ...(perRun ? ["changes_per_run"] : []),
    ...(isUnread ? ["max_unknown"] : []),
    ...(paysDeposits(policy) && money ? ["money_per_day"] : []),
    ...(share && !onlyTakesBack ? ["share_of_scope"] : [])
  ]
}
