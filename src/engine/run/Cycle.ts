/**
 * A run from rules to a reviewed plan: gather what the rules need, answer their conditions, decide what to change,
 * hold what the limits do not allow. Nothing is written to the marketplace here; `Apply` does that with a plan
 * somebody approved.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Decide from "../decide/Decide.js"
import * as Review from "../decide/Review.js"
import type { RuleSet } from "../language/Policy.js"
import * as Gather from "./Gather.js"
import * as Match from "./Match.js"
import { FactSource, Journal, type JournalRow, KillSwitch, type StoreFailure } from "./Ports.js"
import * as Recover from "./Recover.js"
import * as Snapshot from "./Snapshot.js"

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
  rules: RuleSet,
  options: Gather.GatherOptions
): Effect.Effect<Planned, StoreFailure, FactSource | Journal | KillSwitch> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const gathered = yield* Gather.run(rules, options)
    const { context, decided, reviewed } = yield* decide(rules, gathered, options)
    yield* journal.savePlan(reviewed.plan, Snapshot.of(gathered.nowMs, decided))
    const { account } = yield* FactSource
    return { reviewed, gathered, context, open: yield* Recover.open(account) }
  }).pipe(Effect.withSpan("Cycle.plan"))

/** What the rules make of gathered facts, reviewed; keeps nothing. */
export const decide = (rules: RuleSet, gathered: Gather.Gathered, options: Gather.GatherOptions) =>
  Effect.gen(function* () {
    const { account } = yield* FactSource
    const journal = yield* Journal
    const { nowMs } = gathered
    const decided = rules.policies
      .filter((policy) => policy.mode !== "disabled")
      .map((policy) => Match.policy(policy, rules.limits, gathered))
    const draft = Decide.plan({
      account,
      currency: gathered.currency,
      nowMs,
      zone: options.zone,
      rules,
      gathered: decided,
      holds: yield* journal.holds(account),
      slots: yield* journal.slots(account, startOfDay(nowMs, options.zone)),
      calls: gathered.calls
    })
    const killSwitch = yield* (yield* KillSwitch).engaged
    const context: Review.ReviewContext = { rules, campaigns: gathered.table("campaign"), killSwitch }
    return { context, decided, reviewed: Review.review(draft, context) }
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
