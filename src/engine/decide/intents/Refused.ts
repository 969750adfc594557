/**
 * What the marketplace refused rests: the same is refused again as long as nothing changes, day after day, such as the bid of a
 * cluster that still gathers data (field note M13). Another value of the slot is another matter, and what stops spending never
 * waits (`Kind.rests`). A web page of somebody on the way says nothing of a value and may be gone soon: after it all waits some
 * minutes, and what would spend more an hour, so that the same request does not leave with each run. Pure.
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
const afterPageMs = 5 * 60_000
const longestAfterPageMs = 30 * 60_000

/** The last refusal of a value of a slot and how many there were; of web pages those that followed each other. */
interface Refusal {
  readonly at: number
  readonly times: number
  readonly pageAt: number
  readonly pages: number
  /** Values of its kind rest (`Kind.rests`). */
  readonly rests: boolean
}

const never = Number.NEGATIVE_INFINITY

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
    if (saysNothingOfChange(reason) || updatedAt > nowMs) continue
    const rests = Kinds.of(change).rests === true
    if (!rests && !isPage(reason)) continue
    const key = keyOf(slot, change.after)
    const before = found.get(key) ?? { at: never, times: 0, pageAt: never, pages: 0, rests }
    const isFirst = updatedAt - before.pageAt > 2 * firstMs
    found.set(
      key,
      isPage(reason)
        ? { ...before, pages: isFirst ? 1 : before.pages + 1, pageAt: updatedAt }
        : { ...before, times: before.times + 1, at: updatedAt }
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
 * After a web page an hour; what saves, and what is of no kind that rests, five minutes, and with each page twice as long, half an
 * hour at most. Undefined where it was not refused.
 */
export const rest = (
  refused: Refusals,
  wanted: { readonly slot: string; readonly after: SlotValue; readonly dearer: boolean },
  history: SlotHistory | undefined,
  nowMs: number
): Rest | undefined => {
  const refusal = refused.size === 0 ? undefined : refused.get(keyOf(wanted.slot, wanted.after))
  if (refusal === undefined) return undefined
  const { at, pageAt, pages, rests, times } = refusal
  const longMs = wanted.dearer ? Math.min(longestMs, firstMs * 2 ** (times - 1)) : firstMs
  const briefMs = Math.min(longestAfterPageMs, afterPageMs * 2 ** (pages - 1))
  const last = history?.lastAppliedAt ?? never
  // A clock that was ahead does not say whether it was changed since.
  const changedAt = last <= nowMs ? last : never
  const byMarketplace = changedAt > at ? never : at + longMs
  const byPage = changedAt > pageAt ? never : pageAt + (wanted.dearer && rests ? firstMs : briefMs)
  return { untilMs: Math.max(byMarketplace, byPage), ...(byPage > byMarketplace ? { page: true } : {}) }
}
