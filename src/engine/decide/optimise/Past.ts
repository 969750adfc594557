/**
 * What is known of the days before, which no fact tells: by the journal what was paused, parked, and at which bids; what was expected
 * of them; what campaigns did day by day, what they were charged, and what statistics tell of clusters that have no row.
 */

import * as Days from "../../../domain/Days.js"
import type { CampaignId } from "../../../domain/Ids.js"
import type { Charges } from "../../facts/Charges.js"
import type { CampaignDays } from "../../facts/DayFigures.js"
import type * as Unlisted from "../../facts/Unlisted.js"
import type { SlotValue } from "../../kinds/SlotHistory.js"
import * as Bounds from "../../optimise/Bounds.js"
import type { Stream } from "../../optimise/Stream.js"
import type { ForecastDay } from "../forecasts/ForecastDay.js"

/** A time, epoch milliseconds; `toMs` is infinite while it lasts. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** A bid that was set; seen in place. */
export interface Moved {
  readonly atMs: number
  /** By a policy that optimises, at this bid; else an undo, another policy, a call by hand, or the bid that it followed. */
  readonly isOwn: boolean
  readonly beforeKopecks: number
  readonly afterKopecks: number
  /** Of a cluster: until then it had no bid of its own, and followed its item's. */
  readonly followed: boolean
  /** The overlay that it left over the bid's base, and how many times the base it is. */
  readonly overlay?: { readonly policy: string; readonly factor: number }
}

/** A change that a policy which optimises made; seen in place. */
export interface Own {
  readonly policy: string
  readonly campaignId: number
  readonly slot: string
  readonly atMs: number
  /** When the slot was changed again, by the policy itself or by somebody else; infinite while it was not. */
  readonly untilMs: number
  /** Somebody else ended it, and set another value than the one from before. */
  readonly isReplaced: boolean
  /** Of a bid under an overlay: its base. */
  readonly before: SlotValue
}

/** What a change of a policy that optimises, or of its undo, was expected to add to its campaign, kopecks a day; seen in place. */
export interface Step {
  readonly atMs: number
  readonly moreKopecks: number
}

/** Spans and moves ascend, and changes of a slot do. */
export interface Past {
  /** When a rule had paused a campaign. */
  readonly pauses: ReadonlyMap<CampaignId, ReadonlyArray<Span>>
  /** What was set of bids, by slot, whoever set it. */
  readonly moves: ReadonlyMap<string, ReadonlyArray<Moved>>
  /** When parking kept a cluster among the minus phrases, by the slot of the phrase. */
  readonly parkings: ReadonlyMap<string, ReadonlyArray<Span>>
  readonly own: ReadonlyArray<Own>
  readonly steps: ReadonlyMap<CampaignId, ReadonlyArray<Step>>
  /** What was expected of days, of all policies that optimise. */
  readonly kept: ReadonlyArray<ForecastDay>
  readonly days: ReadonlyMap<CampaignId, CampaignDays>
  readonly charges: Charges
  /** What is left to campaigns that showed nothing on the last day, kopecks; undefined where it could not be read. */
  readonly purses: ReadonlyMap<CampaignId, number | undefined>
  readonly unlisted: Unlisted.ByPair
}

export const nothing: Past = {
  pauses: new Map(),
  moves: new Map(),
  parkings: new Map(),
  own: [],
  steps: new Map(),
  kept: [],
  days: new Map(),
  charges: new Map(),
  purses: new Map(),
  unlisted: new Map()
}

/**
 * How a cluster's bid moved: with its item's as long as it had none of its own; `follows` where it has none now. What it followed is no
 * move of its own, whoever moved the item's.
 */
export const following = (
  own: ReadonlyArray<Moved>,
  ofItem: ReadonlyArray<Moved>,
  follows: boolean
): ReadonlyArray<Moved> => {
  const followed: Array<Moved> = []
  let later = own.length
  for (const moved of ofItem.toReversed()) {
    while (later > 0 && own[later - 1]!.atMs > moved.atMs) later--
    if (own[later]?.followed ?? follows) followed.push({ ...moved, isOwn: false })
  }
  return followed.length === 0 ? own : [...own, ...followed].sort((a, b) => a.atMs - b.atMs)
}

/** All that some of them cover, none of it twice; ascending. */
export const joined = (some: ReadonlyArray<ReadonlyArray<Span>>): ReadonlyArray<Span> => {
  const [only, ...others] = some.filter((spans) => spans.length > 0)
  if (only === undefined || others.length === 0) return only ?? []
  const found: Array<Span> = []
  for (const span of [...only, ...others.flat()].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = found.at(-1)
    if (last === undefined || last.toMs < span.fromMs) found.push(span)
    else found[found.length - 1] = { ...last, toMs: Math.max(last.toMs, span.toMs) }
  }
  return found
}

/** Days of a span that others cover, of which none overlap. */
export const overlapDays = (spans: ReadonlyArray<Span>, span: Span): number =>
  spans.reduce(
    (sum, { fromMs, toMs }) => sum + Math.max(0, Math.min(toMs, span.toMs) - Math.max(fromMs, span.fromMs)),
    0
  ) / Days.dayMs

/** The mean bid of a span by time; `moves` are those since it began, at least one. */
export const meanBid = (moves: ReadonlyArray<Moved>, { fromMs, toMs }: Span): number => {
  let sum = 0
  let sinceMs = fromMs
  let bid = moves[0]!.beforeKopecks
  for (const { afterKopecks, atMs } of moves) {
    const until = Math.min(toMs, Math.max(sinceMs, atMs))
    sum += bid * (until - sinceMs)
    sinceMs = until
    bid = afterKopecks
  }
  return (sum + bid * (toMs - sinceMs)) / (toMs - fromMs)
}

/** Whether a policy raised or lowered the bid last, when, and how often it turned. */
export const lastMove = (moves: ReadonlyArray<Moved>, nowMs: number): Pick<Stream, "lastMove"> => {
  if (moves.length === 0) return {}
  const own = moves.filter(({ isOwn }) => isOwn)
  const directions = own.flatMap(({ afterKopecks, atMs, beforeKopecks }) => {
    const direction: 1 | -1 = afterKopecks > beforeKopecks ? 1 : -1
    return afterKopecks === beforeKopecks ? [] : [{ direction, daysAgo: (nowMs - atMs) / Days.dayMs }]
  })
  const last = directions.at(-1)
  if (last === undefined) return {}
  const turns = directions.filter(
    ({ daysAgo, direction }, i) =>
      daysAgo <= Bounds.turnDays && i > 0 && direction !== directions[i - 1]!.direction
  ).length
  return { lastMove: { ...last, turns } }
}
