/**
 * What a plan finds of earlier days of its budgets: whether the bids stood that a day was expected with, by the bids as they are and the
 * journal, and what the day brought, by statistics that the plan read anyway. Pure. What is not known stays so.
 */
import * as Days from "../../../domain/Days.js"
import { CampaignId } from "../../../domain/Ids.js"
import * as Target from "../../../domain/Target.js"
import * as ClusterBid from "../../kinds/ClusterBid.js"
import * as ItemBid from "../../kinds/ItemBid.js"
import * as Kinds from "../../kinds/Kinds.js"
import * as Buyers from "../optimise/Buyers.js"
import * as Past from "../optimise/Past.js"
import * as StoodStill from "../optimise/StoodStill.js"
import type { DayFound, ForecastDay, Outcome, Realised } from "./ForecastDay.js"
import * as Standing from "./Standing.js"

export interface Now {
  readonly nowMs: number
  /** The last day whose statistics the policy takes for settled. */
  readonly settledTo: Days.Day
  /** The budget's bids as they stand; undefined where it is in no plan now. */
  readonly standing: Standing.Values | undefined
  readonly past: Past.Past
}

/** What is new of a kept day; undefined while there is nothing. */
export const find = (kept: ForecastDay, now: Now): DayFound | undefined => {
  const { budget, day, policy } = kept
  if (day >= Days.ofMarket(now.nowMs)) return undefined
  const outcome = kept.outcome === undefined ? outcomeOf(kept, now) : undefined
  const realised = day <= now.settledTo ? realisedOf(kept, now.past) : undefined
  const isNew = realised !== undefined && !isSame(kept.realised, realised)
  if (outcome === undefined && !isNew) return undefined
  return {
    policy,
    budget,
    day,
    ...(outcome === undefined ? {} : { outcome }),
    ...(isNew ? { realised } : {})
  }
}

/** A campaign that was stopped for longer on a day did not have the day. */
const mostPausedMinutes = 30

const outcomeOf = (kept: ForecastDay, { past, standing }: Now): Outcome => {
  const minutes = pausedMinutes(kept, past)
  if (minutes > mostPausedMinutes) return { code: "paused", minutes }
  if (standing === undefined) return { code: "bids_unknown" }
  const own = past.own.filter(({ atMs, policy }) => policy === kept.policy && atMs >= kept.madeAtMs)
  const dayEndMs = Days.startOfMarket(Days.Day(kept.day)) + Days.dayMs
  // Neither the bid of before nor ours stood then.
  if (own.some(({ isReplaced, untilMs }) => isReplaced && untilMs < dayEndMs)) return { code: "bids_moved" }
  if (isLowered(kept, standing, past)) return { code: "bids_moved" }
  const then = new Map(standing)
  // Oldest first: the value before our first change is the one that stood.
  for (const { before, slot } of [...own].reverse()) if (then.has(slot)) then.set(slot, before)
  switch (Standing.compare(kept.standing, Standing.digest(then))) {
    case "same":
      return { code: "stood", sent: sentOf(kept, own) }
    case "moved":
      return { code: "bids_moved" }
    case "unknown":
      return { code: "bids_unknown" }
  }
}

/** An overlay below the base lay over one of the bids, of which no forecast holds what it saves (decision 0132). */
const isLowered = (
  { day, madeAtMs }: ForecastDay,
  standing: Standing.Values,
  { moves }: Past.Past
): boolean => {
  const dayEndMs = Days.startOfMarket(Days.Day(day)) + Days.dayMs
  const lowered = new Map<string, number>()
  for (const [slot, own] of moves)
    if (
      own.some(
        ({ atMs, overlay }, i) =>
          (overlay?.factor ?? 1) < 1 && atMs < dayEndMs && (own[i + 1]?.atMs ?? dayEndMs) > madeAtMs
      )
    )
      lowered.set(slot, own.at(-1)!.afterKopecks)
  if (lowered.size === 0) return false
  return [...standing].some(([slot, value]) => lowered.has(slot) || lowered.get(itemSlot(slot)) === value)
}

/** Clusters without a bid of their own have that of their item. */
const itemSlot = (slot: string): string => {
  const item = slot.startsWith(ClusterBid.prefix) ? Target.pairOf(Kinds.targetOf(slot) ?? {}) : undefined
  return item === undefined ? slot : ItemBid.slot(item, "search")
}

const pausedMinutes = ({ campaigns, day }: ForecastDay, { pauses }: Past.Past): number => {
  const fromMs = Days.startOfMarket(Days.Day(day))
  const span = { fromMs, toMs: fromMs + Days.dayMs }
  const most = campaigns.reduce(
    (longest, id) => Math.max(longest, Past.overlapDays(pauses.get(CampaignId.make(id)) ?? [], span)),
    0
  )
  return Math.round(most * 24 * 60)
}

/** Of the changes that the plan made, the part that was in force, each from when it was sent until it was taken back. */
const sentOf = ({ campaigns, changes, day }: ForecastDay, own: ReadonlyArray<Past.Own>): number => {
  if (changes === 0) return 1
  const fromMs = Days.startOfMarket(Days.Day(day))
  const ids = new Set(campaigns)
  const inForce = own.reduce(
    (sum, { atMs, campaignId, untilMs }) =>
      ids.has(campaignId) ? sum + Buyers.come(untilMs - fromMs) - Buyers.come(atMs - fromMs) : sum,
    0
  )
  return Math.round(Math.min(1, inForce / changes) * 1000) / 1000
}

/** The sum over all campaigns of the budget; nothing where one of them has no figure for the day, and may have done something. */
const realisedOf = ({ campaigns, day: name }: ForecastDay, past: Past.Past): Realised | undefined => {
  const day = Days.Day(name)
  const found = campaigns.map((one) => {
    const id = CampaignId.make(one)
    const told = past.days.get(id)?.days.find((figures) => figures.day === day)
    return told ?? (StoodStill.didNothing(id, day, past) ? nothing : undefined)
  })
  let [spendKopecks, orders] = [0, 0]
  let revenueKopecks: number | undefined = 0
  for (const one of found) {
    if (one?.spendKopecks === undefined || one.orders === undefined) return undefined
    spendKopecks += one.spendKopecks
    orders += one.orders
    revenueKopecks =
      revenueKopecks === undefined || one.revenueKopecks === undefined
        ? undefined
        : revenueKopecks + one.revenueKopecks
  }
  return { spendKopecks, orders, ...(revenueKopecks === undefined ? {} : { revenueKopecks }) }
}

const nothing: Realised = { spendKopecks: 0, orders: 0, revenueKopecks: 0 }

const isSame = (one: Realised | undefined, other: Realised): boolean =>
  one !== undefined &&
  one.spendKopecks === other.spendKopecks &&
  one.orders === other.orders &&
  one.revenueKopecks === other.revenueKopecks
