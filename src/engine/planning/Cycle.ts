/**
 * A run from rules to a reviewed plan: gather what the rules need, answer their conditions, decide what to change,
 * hold what the limits do not allow. Nothing is written to the marketplace here; `Apply` does that with a plan
 * somebody approved.
 */

import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Days from "../../domain/Days.js"
import * as Groups from "../../domain/Groups.js"
import * as Hash from "../../domain/Hash.js"
import type { Lane } from "../../domain/Lane.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Target from "../../domain/Target.js"
import * as Recall from "../backtest/Recall.js"
import * as Recording from "../backtest/Recording.js"
import * as Decide from "../decide/Decide.js"
import * as Calibration from "../decide/forecasts/Calibration.js"
import * as ForecastDay from "../decide/forecasts/ForecastDay.js"
import * as Forecasting from "../decide/forecasts/Forecasting.js"
import * as BidLimits from "../decide/intents/BidLimits.js"
import * as Overlays from "../decide/intents/Overlays.js"
import * as Refused from "../decide/intents/Refused.js"
import type * as DailySpend from "../decide/limits/DailySpend.js"
import type * as Deposits from "../decide/limits/Deposits.js"
import * as HumanEdits from "../decide/limits/HumanEdits.js"
import * as StartNeeds from "../decide/limits/StartNeeds.js"
import * as SwitchedOff from "../decide/limits/SwitchedOff.js"
import type { Notice } from "../decide/Plan.js"
import * as Review from "../decide/Review.js"
import * as Watching from "../decide/Watching.js"
import * as Apply from "../door/Apply.js"
import { ChangeLog } from "../door/ChangeLog.js"
import { Journal, type JournalRow } from "../door/Journal.js"
import * as Pasts from "../door/Pasts.js"
import * as Recover from "../door/Recover.js"
import { KillSwitch } from "../door/Stopping.js"
import * as Sources from "../facts/Sources.js"
import * as Budgets from "../gather/Budgets.js"
import { FactSource, type SourceFailure } from "../gather/FactSource.js"
import * as Gather from "../gather/Gather.js"
import * as Match from "../gather/Match.js"
import * as OwnFacts from "../gather/OwnFacts.js"
import * as Promotions from "../gather/Promotions.js"
import * as Scarce from "../gather/Scarce.js"
import * as Enrolment from "../kinds/Enrolment.js"
import * as Kinds from "../kinds/Kinds.js"
import * as MaxBid from "../language/MaxBid.js"
import type { Policy, RuleSet } from "../language/Policy.js"
import * as Approvals from "./Approvals.js"
import * as BelowFloor from "./BelowFloor.js"
import * as DepositsMade from "./DepositsMade.js"
import * as FloorsKept from "./FloorsKept.js"
import type { LimitsMemory } from "./LimitsMemory.js"
import * as OptimisePast from "./OptimisePast.js"
import * as Pacing from "./Pacing.js"
import * as Plausible from "./Plausible.js"
import * as PolicyJobs from "./PolicyJobs.js"
import { RuleMemory } from "./RuleMemory.js"
import { Snapshots } from "./Snapshots.js"
import * as Stopped from "./Stopped.js"
import * as Strangers from "./Strangers.js"

export interface Planned {
  readonly reviewed: Review.ReviewedPlan
  readonly gathered: Gather.Gathered
  /** What the review was held against; a saved plan is reloaded against it. */
  readonly context: Review.ReviewContext
  /** Changes of earlier runs whose outcome is still open; `Apply` settles them first. */
  readonly open: ReadonlyArray<JournalRow>
}

export interface PlanOptions extends Gather.GatherOptions {
  /** What the amounts in the rules mean; of an account in another currency nothing can be applied. */
  readonly currency?: string
  /** Why nothing may be applied, as `Plausible` or the store found. */
  readonly observeOnly?: string
  /** Set when the statistics alone are in doubt. */
  readonly observeOnlyFor?: "statistics"
  /** Whose policies these are; those of advertising when absent. */
  readonly lane?: Lane
  /** The policies that are due, all when absent: the others neither ask nor act in this run. */
  readonly due?: ReadonlySet<string>
  /** True for a run whose notices are read: what it sees in promotions is what the next run compares with. */
  readonly keepsMembers?: true
  /** What the run has to say of the account, beside what the rules make it say. */
  readonly notices?: ReadonlyArray<Notice>
  /** Budgets as an earlier look at the same facts read them; asked for when absent. */
  readonly budgets?: StartNeeds.Budgets
  /** Deposits of today as an earlier look at the same facts read them; asked for when absent. */
  readonly made?: Deposits.Made
}

const isDue =
  ({ due, lane = "ads" }: PlanOptions) =>
  (policy: Policy): boolean =>
    PolicyJobs.laneOf(policy) === lane &&
    (due === undefined || policy.isOfLimits === true || due.has(policy.id))

/** Makes a plan and keeps it. */
export const plan = (
  written: RuleSet,
  options: PlanOptions
): Effect.Effect<
  Planned,
  StoreFailure,
  ChangeLog | FactSource | Journal | LimitsMemory | RuleMemory | KillSwitch
> =>
  Effect.gen(function* () {
    const rules = MaxBid.added(written)
    const memory = yield* RuleMemory
    // Backtests try rules of advertising: a look at promotions alone would take the place of the day's.
    const store = (options.lane ?? "ads") === "ads" ? yield* Effect.serviceOption(Snapshots) : Option.none()
    const keepsAll = Option.isSome(store)
    const { account } = yield* FactSource
    const past = yield* Pacing.read(
      account,
      rules.policies.filter(isDue(options)),
      yield* Clock.currentTimeMillis
    )
    const pacing = past === undefined ? {} : { curves: past.curves }
    const gathered = yield* Gather.run(...(yield* asked(rules, { ...options, ...pacing, keepsAll })))
    const doubt = yield* Plausible.verdict(gathered, { ...options, rules: hashOf(rules, options) })
    const strangers =
      options.lane === "promotions"
        ? yield* Strangers.find(account, gathered.table("promotion_item"))
        : Strangers.none
    // What the store is in doubt of forbids more than statistics do.
    const { context, edits, reviewed, slots } = yield* decide(rules, gathered, {
      ...(options.observeOnly === undefined ? doubt : {}),
      ...options,
      notices: [...(options.notices ?? []), ...strangers.notices]
    })
    yield* keepEdits(edits)
    // Statistics that cannot be true teach nothing.
    const watched =
      past === undefined || reviewed.plan.observeOnly !== undefined
        ? []
        : Pacing.learned(past, gathered.table("campaign"), slots, gathered.nowMs)
    // Side by side, so that the store commits them together.
    yield* Effect.all([memory.savePlan(reviewed.plan), memory.keepSpendCurves(account, watched)], {
      concurrency: 2,
      discard: true
    })
    const unkept = Option.isSome(store) ? yield* keep(store.value, rules, gathered, options.zone) : []
    if (options.keepsMembers === true)
      yield* memory.keepPromotionMembers(account, strangers.looks, gathered.nowMs)
    const told = { ...gathered, failures: [...gathered.failures, ...unkept] }
    return {
      reviewed,
      gathered: told,
      context,
      open: yield* Recover.open({ account, lane: options.lane ?? "ads" })
    }
  }).pipe(Effect.withSpan("Cycle.plan"))

/**
 * Keeps what was read, for `backtest`; a run that read nothing, was turned away midway, or asked less than the day's kept one
 * (other rules were due) would say too little of the day. No plan is lost over it: what went wrong is answered.
 */
const keep = (
  store: Context.Tag.Service<Snapshots>,
  rules: RuleSet,
  gathered: Gather.Gathered,
  zone: string
): Effect.Effect<ReadonlyArray<SourceFailure>, never, FactSource> =>
  Effect.gen(function* () {
    const { asked, currency, failures, nowMs, table } = gathered
    if (table("campaign").size === 0 || failures.some(({ stopsAccount }) => stopsAccount)) return []
    const { account } = yield* FactSource
    const day = Days.at(nowMs, zone)
    const recorded = {
      account,
      nowMs,
      zone,
      currency,
      rulesHash: rules.hash,
      asked,
      campaignsUnread: campaignsUnread(gathered),
      spentByCompleted: gathered.spentByCompleted,
      table
    }
    const kept = Recall.headOf(yield* store.first(account, day))
    if (Either.isLeft(kept) || !Recording.isLess(recorded, kept.right))
      yield* store.keep(account, { day, atMs: nowMs }, Recording.parts(recorded))
    return []
  }).pipe(Effect.catchAll(({ message }) => Effect.succeed([unkeptBecause(message)])))

const unkeptBecause = (message: string): SourceFailure => ({
  operation: "backtest",
  keys: 0,
  message: `the day's facts were not kept for backtests: ${message}`,
  stopsAccount: false
})

/** What others have changed is held from when it was first seen, so the first look at it is kept. */
const keepEdits = (edits: HumanEdits.Found) =>
  Effect.gen(function* () {
    if (edits.edits.length === 0 && edits.over.length === 0) return
    const { account } = yield* FactSource
    yield* (yield* Journal).keepEdits(account, edits.edits, edits.over)
  })

/** Runs of the same policies, as they are written now, look at the same rows. */
const hashOf = (rules: RuleSet, options: PlanOptions): string =>
  Hash.of(rules.policies.filter(isDue(options)).map(({ hash }) => hash)).slice(0, 16)

/** Policies outside of their `during:` ask nothing, but what they have laid over bids is looked at. */
const asked = (rules: RuleSet, options: PlanOptions) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const due = rules.policies.filter(isDue(options))
    const awake = due.filter((policy) => Overlays.isAwake(policy, nowMs, options.zone))
    const { filed, questions, standing } = yield* besides(due, options.zone)
    return [
      { ...rules, policies: [...awake, ...questions] },
      { ...options, filed, standing, ...(yield* trust(rules)) }
    ] as const
  })

/**
 * What a run asks beside the conditions of its policies: about changes that `watch:` looks at again (`watched`, and the
 * `questions` that `Gather` asks for them), about bids that overlays stand over, and about what was filed for promotions.
 */
export const besides = (policies: ReadonlyArray<Policy>, zone: string) =>
  Effect.gen(function* () {
    const { account } = yield* FactSource
    const nowMs = yield* Clock.currentTimeMillis
    const slots = yield* (yield* RuleMemory).slots(account, DepositsMade.startOfDay(nowMs, zone))
    const standing = [...Overlays.byPolicy(slots).values()].flat().flatMap(({ slot }) => {
      const place = Kinds.placeOf(slot)
      const target = place?.each === "cluster" ? Target.ofSubject(place.target) : undefined
      return target === undefined ? [] : [target]
    })
    const watched = yield* watchesDue(account, policies, nowMs)
    return { watched, questions: watchQuestions(watched), standing, filed: Enrolment.pending(slots) }
  })

/** What decides whether an answer of an earlier run still counts. */
export const trust = (rules: RuleSet) =>
  Effect.gen(function* () {
    const { account } = yield* FactSource
    const nowMs = yield* Clock.currentTimeMillis
    const refused = yield* (yield* ChangeLog).refused(account, nowMs - Refused.rememberedMs)
    return { refusedAt: Refused.byCampaign(refused), maxBids: BidLimits.lowestMaxBids(rules) }
  })

/** What the rules make of gathered facts, reviewed; keeps nothing. */
export const decide = (written: RuleSet, gathered: Gather.Gathered, options: PlanOptions) =>
  Effect.gen(function* () {
    const rules = MaxBid.added(written)
    const { account, calendar, switchedOff: standing = Effect.succeed([]) } = yield* FactSource
    const switchedOff = yield* standing
    const journal = yield* Journal
    const memory = yield* RuleMemory
    const { nowMs } = gathered
    const slots = yield* memory.slots(account, DepositsMade.startOfDay(nowMs, options.zone))
    Gather.enterPending(slots, gathered.table, nowMs)
    const running = rules.policies.filter((policy) => policy.mode !== "disabled").filter(isDue(options))
    const decided = Match.all(running, gathered)
    const watched = yield* watchesDue(account, running, nowMs)
    const known = yield* journal.stops(account)
    const kept = yield* OptimisePast.read(account, running, gathered, known.edits)
    const past = yield* OptimisePast.withPurses(kept, decided, nowMs)
    const forecasts = Calibration.of(past.kept, Days.ofMarket(nowMs))
    const draft = Decide.draft({
      account,
      watched: Watching.judge({ account, zone: options.zone }, watched, gathered.table, slots),
      currency: gathered.currency,
      nowMs,
      zone: options.zone,
      rules,
      gathered: decided,
      holds: yield* memory.holds(account),
      slots,
      refused: Refused.of(yield* (yield* ChangeLog).refused(account, nowMs - Refused.rememberedMs), nowMs),
      past,
      known: {
        holds: known.holds,
        edits: HumanEdits.standing(slots, known.edits),
        editHoldMs: HumanEdits.holdMs(rules.limits),
        campaigns: gathered.table("campaign"),
        switchedOff,
        forecasts
      },
      calls: gathered.calls,
      notices: [
        ...looksOnly(options),
        ...(options.notices ?? []),
        ...SwitchedOff.notices(switchedOff),
        ...Gather.notices(gathered.leftOut),
        ...Promotions.notices(calendar === undefined ? [] : yield* calendar.unread),
        ...Scarce.notices(gathered.scarce, rules.policies, options.scarceRoom),
        ...OwnFacts.notices({ ...rules, policies: running }, gathered.table, nowMs),
        ...(options.lane === "promotions" ? BelowFloor.notices(gathered.table("promotion_item")) : [])
      ]
    })
    const killSwitch = yield* (yield* KillSwitch).engaged
    const wishes = [...draft.changes, ...(draft.equals ?? [])]
    const made = options.made ?? (yield* DepositsMade.read(wishes, rules, nowMs, options.zone))
    const doubtful = HumanEdits.doubtful(slots, gathered.table, known.edits, nowMs)
    const budgets =
      options.budgets ?? (yield* Budgets.read([...doubtful, ...StartNeeds.startsOf(draft.changes)]))
    const found = HumanEdits.find(slots, gathered.table, known.edits, nowMs, budgets)
    const edits = made.aheadMs === undefined ? HumanEdits.dated(found, nowMs) : found
    const isEnrolling = draft.changes.some(Enrolment.isEnrolment)
    const context: Review.ReviewContext = {
      rules,
      // Reading may have taken hours.
      nowMs: yield* Clock.currentTimeMillis,
      zone: options.zone,
      ...accountRead(gathered),
      // Asked of the store only where it matters: most plans enrol nothing.
      floorsGone: isEnrolling ? yield* FloorsKept.gone(account, rules) : undefined,
      reconciledAt: isEnrolling ? yield* (yield* Journal).reconciledAt(account) : undefined,
      killSwitch,
      made,
      stops: yield* Stopped.stops(account, rules.limits, options.zone, edits),
      ...(running.some(({ mode }) => mode === "approve")
        ? { rejected: yield* Approvals.rejected(account) }
        : {}),
      switchedOff,
      budgets,
      forecasts:
        draft.found === undefined
          ? forecasts
          : Calibration.of(ForecastDay.withFound(past.kept, draft.found), Days.ofMarket(nowMs))
    }
    const reviewed = Review.review({ ...draft, ...doubtOf(options) }, context)
    return { context, edits, slots, reviewed }
  })

const doubtOf = ({ observeOnly, observeOnlyFor }: PlanOptions): Partial<Plausible.Doubt> =>
  observeOnly === undefined
    ? {}
    : { observeOnly, ...(observeOnlyFor === undefined ? {} : { observeOnlyFor }) }

const looksOnly = ({ observeOnly }: PlanOptions): ReadonlyArray<Notice> =>
  observeOnly === undefined ? [] : [{ policy: "all rules", campaignName: "", text: observeOnly }]

/** The account as its limits look at it. */
export const accountRead = (
  gathered: Gather.Gathered
): DailySpend.Account & Pick<Review.ReviewContext, "listed"> => ({
  campaigns: gathered.table("campaign"),
  listed: gathered.listed,
  campaignsUnread: campaignsUnread(gathered),
  spentByCompleted: gathered.spentByCompleted
})

/** How many campaigns could not be read, and so have no row; what they spend is not known. */
const campaignsUnread = ({ failures }: Pick<Gather.Gathered, "failures">): number =>
  failures
    .filter(({ operation }) => operation === Sources.sources.campaigns.operation)
    .reduce((count, { keys }) => count + keys, 0)

/**
 * Counts a plan's rows for `hold_for`, and keeps the marks that its changes passed and what it expects of the day. Only who is ready
 * to apply the plan counts it, even when it changes nothing: a look at a plan is no run, and neither is one whose figures cannot be true.
 */
export const count = ({
  plan
}: Pick<Review.ReviewedPlan, "plan">): Effect.Effect<void, StoreFailure, RuleMemory> =>
  Effect.gen(function* () {
    if (plan.observeOnly !== undefined) return
    const madeAt = Date.parse(plan.createdAt)
    const memory = yield* RuleMemory
    yield* memory.keepHolds(plan.account, plan.holds ?? [], madeAt)
    yield* memory.keepMarks(plan.watched ?? [], madeAt)
    const made = Forecasting.daysOf(plan)
    if (made.length > 0 || plan.found !== undefined)
      yield* memory.keepForecasts(plan.account, made, plan.found ?? [])
  })

/** Applies what a review lets go in somebody's name, and counts the plan with it. */
export const apply = (
  reviewed: Review.ReviewedPlan,
  by: Parameters<typeof Review.approve>[1],
  options: Apply.ApplyOptions = {}
) => Apply.run(Review.approve(reviewed, by), { ...options, begun: count(reviewed) })

// Which changes `watch:` looks at again in this run, by the journal.

/** Changes that are due for a second look, of these policies; nothing where none of them watches. */
export const watchesDue = (
  account: string,
  policies: ReadonlyArray<Policy>,
  nowMs: number
): Effect.Effect<ReadonlyArray<Watching.Due>, StoreFailure, ChangeLog | RuleMemory> =>
  Effect.gen(function* () {
    const reaches = policies.flatMap((policy) => {
      const reach = Watching.reachMs(policy)
      return reach === undefined ? [] : [{ policy, reach }]
    })
    if (reaches.length === 0) return []
    const log = yield* ChangeLog
    const since = nowMs - Math.max(...reaches.map(({ reach }) => reach))
    const rows = yield* log.applied(
      account,
      reaches.map(({ policy }) => policy.id),
      since
    )
    if (rows.length === 0) return []
    const marks = yield* (yield* RuleMemory).marks([...new Set(rows.map(({ runId }) => runId))])
    const passed = new Set(marks.map(Watching.markName))
    const pasts = rows
      .map(Pasts.of)
      .filter((past) => reaches.some(({ policy }) => Watching.open(policy, past, passed, nowMs).length > 0))
    if (pasts.length === 0) return []
    const names = new Set(pasts.map(({ change }) => Kinds.slotOf(change)))
    // What was done later may have an earlier date: the clock of before was ahead.
    const oldest = pasts.reduce((least, { at }) => Math.min(least, at), nowMs) - Days.clockMayErrMs
    const slots = Pasts.bySlot(yield* log.ofSlots(account, [...names], oldest))
    return reaches.flatMap(({ policy }) =>
      Watching.due(policy, pasts, (change) => slots.get(Kinds.slotOf(change)) ?? [], passed, nowMs)
    )
  })

/** One question per policy, for `Gather`. */
const watchQuestions = (due: ReadonlyArray<Watching.Due>): ReadonlyArray<Policy> =>
  [...Groups.by(due, ({ policy }) => policy.id).values()].map(Watching.question)
