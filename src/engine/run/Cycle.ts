/**
 * A run from rules to a reviewed plan: gather what the rules need, answer their conditions, decide what to change,
 * hold what the limits do not allow. Nothing is written to the marketplace here; `Apply` does that with a plan
 * somebody approved.
 */

import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Days from "../../domain/Days.js"
import * as Recording from "../backtest/Recording.js"
import * as Decide from "../decide/Decide.js"
import * as Deposits from "../decide/Deposits.js"
import * as Overlays from "../decide/Overlays.js"
import * as Review from "../decide/Review.js"
import * as Slot from "../decide/Slot.js"
import * as Sources from "../facts/Sources.js"
import * as MaxBid from "../language/MaxBid.js"
import type { RuleSet } from "../language/Policy.js"
import * as Gather from "./Gather.js"
import * as Match from "./Match.js"
import * as OwnFacts from "./OwnFacts.js"
import * as Pending from "./Pending.js"
import {
  FactSource,
  Journal,
  type JournalRow,
  KillSwitch,
  type SourceFailure,
  type StoreFailure
} from "./Ports.js"
import * as Recover from "./Recover.js"
import * as Scarce from "./Scarce.js"
import * as Snapshot from "./Snapshot.js"
import { Snapshots } from "./Snapshots.js"

export interface Planned {
  readonly reviewed: Review.ReviewedPlan
  readonly gathered: Gather.Gathered
  /** What the review was held against; a saved plan is reloaded against it. */
  readonly context: Review.ReviewContext
  /** Changes of earlier runs whose outcome is still open; `Apply` settles them first. */
  readonly open: ReadonlyArray<JournalRow>
}

/** Makes a plan and keeps it with its facts. */
export const plan = (
  written: RuleSet,
  options: Gather.GatherOptions
): Effect.Effect<Planned, StoreFailure, FactSource | Journal | KillSwitch> =>
  Effect.gen(function* () {
    const rules = MaxBid.added(written)
    const journal = yield* Journal
    const store = yield* Effect.serviceOption(Snapshots)
    const keepsAll = Option.isSome(store)
    const gathered = yield* Gather.run(...(yield* asked(rules, { ...options, keepsAll })))
    const { context, decided, reviewed } = yield* decide(rules, gathered, options)
    yield* journal.savePlan(reviewed.plan, Snapshot.of(gathered.nowMs, decided))
    const unkept = Option.isSome(store) ? yield* keep(store.value, rules, gathered, options.zone) : []
    const { account } = yield* FactSource
    const told = { ...gathered, failures: [...gathered.failures, ...unkept] }
    return { reviewed, gathered: told, context, open: yield* Recover.open(account) }
  }).pipe(Effect.withSpan("Cycle.plan"))

/**
 * Keeps what was read, for `backtest`; a run that read nothing, or was turned away midway, would say too little of the
 * day. No plan is lost over it: what went wrong is answered.
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
    const parts = Recording.parts({ account, nowMs, zone, currency, rulesHash: rules.hash, asked, table })
    yield* store.keep(account, { day: Days.at(nowMs, zone), atMs: nowMs }, parts)
    return []
  }).pipe(Effect.catchAll(({ message }) => Effect.succeed([unkeptBecause(message)])))

const unkeptBecause = (message: string): SourceFailure => ({
  operation: "backtest",
  keys: 0,
  message: `the day's facts were not kept for backtests: ${message}`,
  stopsAccount: false
})

/** Policies outside of their `during:` ask nothing, but what they have laid over bids is looked at. */
const asked = (rules: RuleSet, options: Gather.GatherOptions) =>
  Effect.gen(function* () {
    const { account } = yield* FactSource
    const nowMs = yield* Clock.currentTimeMillis
    const slots = yield* (yield* Journal).slots(account, startOfDay(nowMs, options.zone))
    const policies = rules.policies.filter((policy) => Overlays.isAwake(policy, nowMs, options.zone))
    const standing = [...Overlays.byPolicy(slots).values()].flat().flatMap(({ slot }) => {
      const place = Slot.placeOf(slot)
      return place?.each === "cluster" ? [place.target] : []
    })
    return [
      { ...rules, policies },
      { ...options, standing }
    ] as const
  })

/** What the rules make of gathered facts, reviewed; keeps nothing. */
export const decide = (written: RuleSet, gathered: Gather.Gathered, options: Gather.GatherOptions) =>
  Effect.gen(function* () {
    const rules = MaxBid.added(written)
    const { account } = yield* FactSource
    const journal = yield* Journal
    const { nowMs } = gathered
    const slots = yield* journal.slots(account, startOfDay(nowMs, options.zone))
    Pending.enter(slots, gathered.table, nowMs)
    const running = rules.policies.filter((policy) => policy.mode !== "disabled")
    const decided = Match.all(running, rules.limits, gathered)
    const draft = Decide.plan({
      account,
      currency: gathered.currency,
      nowMs,
      zone: options.zone,
      rules,
      gathered: decided,
      holds: yield* journal.holds(account),
      slots,
      calls: gathered.calls,
      notices: [
        ...Scarce.notices(gathered.scarce, rules.policies, options.scarceRoom),
        ...OwnFacts.notices(rules, gathered.table, nowMs)
      ]
    })
    const killSwitch = yield* (yield* KillSwitch).engaged
    const made = yield* depositsMade(nowMs, options.zone)
    const context: Review.ReviewContext = {
      rules,
      campaigns: gathered.table("campaign"),
      campaignsUnread: campaignsUnread(gathered),
      killSwitch,
      made
    }
    return { context, decided, slots, reviewed: Review.review(draft, context) }
  })

/** How many campaigns could not be read, and so have no row; what they spend is not known. */
export const campaignsUnread = ({ failures }: Pick<Gather.Gathered, "failures">): number =>
  failures
    .filter(({ operation }) => operation === Sources.sources.campaigns.operation)
    .reduce((count, { keys }) => count + keys, 0)

/** Deposits that count against the day's limits, and those that the balance may not show yet. */
export const depositsMade = (nowMs: number, zone: string) =>
  Effect.gen(function* () {
    const { account } = yield* FactSource
    const dayStartMs = startOfDay(nowMs, zone)
    const since = Math.min(dayStartMs, nowMs - Deposits.settlingMs)
    const deposited = yield* (yield* Journal).deposits(account, since)
    return { dayStartMs, nowMs, deposited } satisfies Deposits.Made
  })

/**
 * Counts a plan's rows for `hold_for`. Only who is ready to apply the plan counts it, even when it changes nothing:
 * a look at a plan is no run.
 */
export const count = ({ plan }: Pick<Review.ReviewedPlan, "plan">) =>
  Effect.flatMap(Journal, (journal) =>
    journal.keepHolds(plan.account, plan.holds ?? [], Date.parse(plan.createdAt))
  )

/** Epoch milliseconds at which the business day began. */
const startOfDay = (nowMs: number, zone: string): number =>
  DateTime.toEpochMillis(DateTime.startOf(DateTime.unsafeMakeZoned(nowMs, { timeZone: zone }), "day"))
