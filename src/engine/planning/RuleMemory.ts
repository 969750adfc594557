/**
 * What rules remember from run to run: the past of slots, the plans they made, what they counted and saw. The door knows
 * nothing of it: who sends, reads back and takes back needs the `Journal` alone.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CampaignId, ItemId, PromotionId } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { DayFound, ForecastDay } from "../decide/forecasts/ForecastDay.js"
import type { Figure, Seen } from "../decide/limits/Plausibility.js"
import type { HoldCounts, Holds, Plan, WatchMark } from "../decide/Plan.js"
import type { Watched } from "../facts/SpendCurve.js"
import type { Of, Part } from "../kinds/Change.js"
import type * as OrderInSupply from "../kinds/fulfilment/OrderInSupply.js"
import type { SlotHistory } from "../kinds/SlotHistory.js"

/** Which order went into which supply. */
export type PutOrder = Part<"subject" | "details", Of<typeof OrderInSupply.name>>

/** Each method is one committed transaction. */
export class RuleMemory extends Context.Tag("bidhelm/RuleMemory")<
  RuleMemory,
  {
    /** The past of every slot with a change that left and was not refused, by slot. */
    readonly slots: (
      account: string,
      dayStartMs: number
    ) => Effect.Effect<ReadonlyMap<string, SlotHistory>, StoreFailure>
    /**
     * Since when the store knows every deposit of the account, and when a person allowed more before a day was over.
     * An account that it meets for the first time is known from now on. Epoch milliseconds.
     */
    readonly depositMemory: (
      account: string,
      nowMs: number
    ) => Effect.Effect<{ readonly sinceMs: number; readonly allowedAtMs?: number }, StoreFailure>
    /** What past runs saw of the statistics, oldest first. */
    readonly figures: (account: string, sinceMs: number) => Effect.Effect<ReadonlyArray<Seen>, StoreFailure>
    /** Remembers what a run with these rules (a hash) saw, and forgets what is two weeks old. */
    readonly keepFigures: (
      account: string,
      atMs: number,
      rules: string,
      figures: ReadonlyArray<Figure>
    ) => Effect.Effect<void, StoreFailure>
    /** Keeps a plan. */
    readonly savePlan: (plan: Plan) => Effect.Effect<void, StoreFailure>
    readonly plan: (planId: string) => Effect.Effect<Plan | undefined, StoreFailure>
    /** When a plan of exactly this content was last made here, epoch milliseconds; undefined when it never was. */
    readonly planMadeAt: (account: string, planId: string) => Effect.Effect<number | undefined, StoreFailure>
    /** The plan that was made here at this instant (ISO 8601); undefined when none was. */
    readonly planOf: (account: string, createdAt: string) => Effect.Effect<Plan | undefined, StoreFailure>
    /** What was counted for `hold_for`. */
    readonly holds: (account: string) => Effect.Effect<Holds, StoreFailure>
    /** Replaces the counts of the policies named, as a plan made at `atMs` tells them; older ones never win. */
    readonly keepHolds: (
      account: string,
      counts: ReadonlyArray<HoldCounts>,
      atMs: number
    ) => Effect.Effect<void, StoreFailure>
    /** Marks of `watch:` that these runs' changes have passed. */
    readonly marks: (
      runIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Omit<WatchMark, "policy">>, StoreFailure>
    /** What runs since an instant put into supplies, as far as it left, or may have, and was not refused; that of an order oldest first. */
    readonly putOrders: (
      account: string,
      sinceMs: number
    ) => Effect.Effect<ReadonlyArray<PutOrder>, StoreFailure>
    /** Who was in each promotion at the last look that was kept. */
    readonly promotionMembers: (
      account: string
    ) => Effect.Effect<ReadonlyMap<PromotionId, ReadonlySet<ItemId>>, StoreFailure>
    /** Replaces what was known of these promotions, and forgets those that nobody looked at for three months. */
    readonly keepPromotionMembers: (
      account: string,
      looks: ReadonlyArray<{ readonly promotionId: PromotionId; readonly items: ReadonlyArray<ItemId> }>,
      atMs: number
    ) => Effect.Effect<void, StoreFailure>
    /** What was expected of days since one, and what came; of these policies, of all when absent. By policy, budget and day. */
    readonly forecasts: (
      account: string,
      policies: ReadonlyArray<string> | undefined,
      sinceDay: string
    ) => Effect.Effect<ReadonlyArray<ForecastDay>, StoreFailure>
    /** Keeps what a plan expects of days; what one of the same day expected first stays. `found` is of days kept before. */
    readonly keepForecasts: (
      account: string,
      made: ReadonlyArray<ForecastDay>,
      found: ReadonlyArray<DayFound>
    ) => Effect.Effect<void, StoreFailure>
    /** What is remembered of the spend of each campaign through the day. */
    readonly spendCurves: (account: string) => Effect.Effect<ReadonlyMap<CampaignId, Watched>, StoreFailure>
    /** Replaces it for these campaigns, unless a later run has read since. */
    readonly keepSpendCurves: (
      account: string,
      watched: ReadonlyArray<Watched>
    ) => Effect.Effect<void, StoreFailure>
    readonly keepMarks: (marks: ReadonlyArray<WatchMark>, nowMs: number) => Effect.Effect<void, StoreFailure>
  }
>() {}
