/** What the marketplace shows of a change's slot, against what the change wanted. Pure. */
import type { PromotionId } from "../../domain/Ids.js"
import type { SeenReason } from "../../domain/OutcomeReason.js"
import type { Change, Value } from "./Change.js"
import type { Payment, TierAhead } from "./Parts.js"

/**
 * `Before` and `After` are the plan's own values; `Other` is somebody else's, or is not listed (`isGone`): its place, or
 * the bid of its own that a cluster was given; else `live` is what they set. `isUnlisted`: what was to be removed, or a
 * cluster's first bid of its own, is not in a list, which may not be whole. `Silent` could not be read.
 */
export type Seen =
  | { readonly _tag: "Before"; readonly isUnlisted?: true }
  | { readonly _tag: "After"; readonly isUnlisted?: true }
  | { readonly _tag: "Other"; readonly reason: SeenReason; readonly isGone?: true; readonly live?: Value }
  | { readonly _tag: "Silent"; readonly why: string }

/**
 * Live value of a change's slot, read just before sending and again after the visibility delay. `readAt` is when, epoch
 * milliseconds, where that may be long before the whole answer came. `payment`: of a bid, where its campaign was read for it.
 * `closed`: why nobody can set it any more, though it shows what became of what was sent; `isClosed`: `why` says that there is
 * nothing to set, which was read; `isLimited`: a call limit left no room to read it. `made`: the marketplace's id of what was to be made, where it is there.
 */
export type Live =
  | {
      readonly _tag: "Value"
      readonly value: Value
      readonly inherited?: boolean
      readonly readAt?: number
      readonly payment?: Payment
      readonly offer?: Offer
      readonly closed?: string
      readonly made?: string
    }
  | { readonly _tag: "Gone"; readonly what: "campaign" | "item" | "promotion" | "order" | "supply" }
  | {
      readonly _tag: "Unreadable"
      readonly why: string
      readonly isClosed?: true
      readonly isLimited?: true
    }

/** On which terms an item may join, as they are now: kopecks and instants, epoch milliseconds; absent what was not answered. */
export interface Offer {
  readonly priceKopecks?: number
  readonly planPriceKopecks?: number
  readonly startsAt?: number
  readonly endsAt?: number
  /** Those of the promotions beside it that are listed, with their days. */
  readonly besides?: ReadonlyArray<{
    readonly promotionId: PromotionId
    /** Empty when it was not reported. */
    readonly promotionName: string
    readonly startsAt?: number
    readonly endsAt?: number
  }>
  /** The next tier, of no items where there is none; absent where a figure of it was not answered. */
  readonly tier?: TierAhead
  /** When they were read. */
  readonly atMs: number
}

/** A value as it was read. `inherited`: it is a coarser one's, since the slot has none of its own. */
export type Shown = Extract<Live, { readonly _tag: "Value" }>

/** A live value as whoever wants to write must take it: what cannot be set any more is as good as unread. */
export const toWrite = (live: Live | undefined): Live | undefined =>
  live?._tag === "Value" && live.closed !== undefined
    ? { _tag: "Unreadable", why: live.closed, isClosed: true }
    : live

/** What a value means for a kind that has one value at a time. */
export const compare = (
  { after, before }: Pick<Change, "before" | "after">,
  { value }: Pick<Shown, "value">
): Seen =>
  value === after
    ? { _tag: "After" }
    : value === before
      ? { _tag: "Before" }
      : { _tag: "Other", reason: byHand(before, value), live: value }

export const byHand = (was: Value, now: Value): SeenReason => ({ code: "changed_by_hand", was, now })

/** The reason in words; `print` is the kind's. */
export const text = (reason: SeenReason, print: (value: Value) => string): string => {
  switch (reason.code) {
    case "changed_by_hand":
      return `changed by someone (${print(reason.was)} → ${print(reason.now)})`
    case "budget_grown":
      return `the budget has grown since the plan (${print(reason.was)} → ${print(reason.now)})`
    case "gone":
      return gone[reason.what]
  }
}

const gone: Readonly<Record<Extract<SeenReason, { readonly code: "gone" }>["what"], string>> = {
  campaign: "gone: the marketplace no longer lists the campaign",
  item: "gone: the item is no longer in the campaign",
  promotion: "gone: the promotion is over, or the marketplace no longer lists it",
  order: "gone: the order is cancelled, or not in the seller's hands any more",
  supply: "gone: the marketplace no longer has the supply, or it is closed"
}
