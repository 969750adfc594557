/**
 * What the marketplace refused rests: the same is refused again as long as nothing changes, day after day, such as the bid of a
 * cluster that still gathers data (field note M13). Another value of the slot is another matter, and what stops spending never
 * waits (`Kind.rests`). A web page of somebody on the way says nothing of a value and may be gone soon: after it only what would
 * spend more rests, so that the same request does not leave with each run. Pure.
 */
import type { CampaignId } from "../../../domain/Ids.js"
import type { OutcomeReason } from "../../../domain/OutcomeReason.js"
import type { Change } from "../../kinds/Change.js"
import * as Kinds from "../../kinds/Kinds.js"
import type { SlotHistory, SlotValue } from "../../kinds/SlotHistory.js"

/** So long refusals are remembered, milliseconds. */
export const rememberedMs = 4 * 86_400_000

const firstMs = 3_600_000
const longestMs = 86_400_000

/** The last refusal of a value of a slot and how many there were, and when a web page refused it last. */
interface Refusal {
  readonly at: number
  readonly times: number
  readonly pageAt: number
}

const none: Refusal = { at: Number.NEGATIVE_INFINITY, times: 0, pageAt: Number.NEGATIVE_INFINITY }

/** A change that was refused, and when, epoch milliseconds. */
interface Refused {
  readonly change: Change
  readonly slot: string
  readonly updatedAt: number
  readonly reason: OutcomeReason | undefined
}

/** By slot and value. */
export type Refusals = ReadonlyMap<string, Refusal>

/** What a token may do says nothing of the change: until that is mended the operation is switched off, or the lane waits. */
export const saysNothingOfChange = (reason: OutcomeReason | undefined): boolean =>
  reason?.code === "account_refused" || (reason?.code === "request_refused" && reason.page !== true)

/** Nor does a web page, but it switches nothing off. */
export const isPage = (reason: OutcomeReason | undefined): boolean =>
  reason?.code === "request_refused" && reason.page === true

const keyOf = (slot: string, after: SlotValue): string => JSON.stringify([slot, after])

/** Oldest first. */
export const of = (refused: ReadonlyArray<Refused>, nowMs: number): Refusals => {
  const found = new Map<string, Refusal>()
  for (const { change, reason, slot, updatedAt } of refused) {
    // A clock that was ahead says nothing of the time.
    if (Kinds.of(change).rests !== true || saysNothingOfChange(reason) || updatedAt > nowMs) continue
    const key = keyOf(slot, change.after)
    const { times, ...before } = found.get(key) ?? none
    found.set(
      key,
      isPage(reason)
        ? { ...before, times, pageAt: updatedAt }
        : { ...before, times: times + 1, at: updatedAt }
    )
  }
  return found
}

/** When a change of each campaign was refused last, epoch milliseconds. */
export const byCampaign = (
  refused: ReadonlyArray<Omit<Refused, "slot">>
): ReadonlyMap<CampaignId, number> => {
  const found = new Map<CampaignId, number>()
  for (const { change, reason, updatedAt } of refused) {
    const { campaignId } = change.subject
    if (campaignId === undefined || saysNothingOfChange(reason) || isPage(reason)) continue
    found.set(campaignId, Math.max(updatedAt, found.get(campaignId) ?? updatedAt))
  }
  return found
}

/** How a slot rests, and whether a web page of somebody on the way is why, and not the marketplace. */
export interface Rest {
  /** Epoch milliseconds. */
  readonly untilMs: number
  readonly page?: true
}

/**
 * Until when a slot is not set to a value again: an hour, and with each refusal of what would spend more twice as long, a day at most.
 * After a web page an hour, and what saves not at all. Undefined where it was not refused.
 */
export const rest = (
  refused: Refusals,
  wanted: { readonly slot: string; readonly after: SlotValue; readonly dearer: boolean },
  history: SlotHistory | undefined,
  nowMs: number
): Rest | undefined => {
  const refusal = refused.size === 0 ? undefined : refused.get(keyOf(wanted.slot, wanted.after))
  if (refusal === undefined) return undefined
  const { at, pageAt, times } = refusal
  const longMs = wanted.dearer ? Math.min(longestMs, firstMs * 2 ** (times - 1)) : firstMs
  const last = history?.lastAppliedAt ?? Number.NEGATIVE_INFINITY
  // A clock that was ahead does not say whether it was changed since.
  const changedAt = last <= nowMs ? last : Number.NEGATIVE_INFINITY
  const byMarketplace = changedAt > at ? Number.NEGATIVE_INFINITY : at + longMs
  const byPage = changedAt > pageAt || !wanted.dearer ? Number.NEGATIVE_INFINITY : pageAt + firstMs
  const untilMs = Math.max(byMarketplace, byPage)
  return { untilMs, ...(byPage > byMarketplace ? { page: true } : {}) }
}
