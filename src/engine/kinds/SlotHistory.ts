import type { TierAbove } from "./Parts.js"

/** What a change sets: a bid in kopecks, a status, or whether a phrase is a minus phrase. */
export type SlotValue = number | string | boolean

/**
 * A slot's latest finished or open change, for cooldown, move_per_day and pending overlays. Overlays of `adjust_bid` lie
 * over a bid's base: what is said of other changes is said of the base.
 */
export interface SlotHistory {
  readonly slot: string
  readonly lastPolicy: string
  /** Beginning and end of an overlay do not count: they neither need nor use up evidence. */
  readonly lastAppliedAt: number | undefined
  /** Sent but not yet visible. */
  readonly pendingSince: number | undefined
  /** Base bid before the first change of the business day, kopecks. */
  readonly dayFirstBid: number | undefined
  /** What the latest accepted change that cannot be seen yet has written. */
  readonly pendingAfter?: SlotValue
  /**
   * Of the last applied change: whose it was, the value before that policy's unbroken row of changes, and the value
   * after. Absent when it took something back, unless that was `watch:` and there are changes of the row before it.
   */
  readonly ours?: {
    readonly policy: string
    readonly before: SlotValue
    readonly after: SlotValue
    /** `before` is the item's bid: the cluster had none of its own then. */
    readonly inherited?: true
    /** The policy had a `revert_when:` to take it back. */
    readonly returns?: true
    /** `optimise` keeps the cluster among the minus phrases for a while, to try it again. */
    readonly parked?: true
    /** Of a pause: the tier of its policy, where that goes before the usual one. */
    readonly tier?: TierAbove
  }
  /**
   * The last applied change, whatever it was: whose, what it left, when it was sent (epoch milliseconds). `clears`: it
   * removed the slot's own value, which has been another slot's since.
   */
  readonly lastWritten?: {
    readonly policy: string
    readonly after: SlotValue
    readonly at: number
    readonly clears?: true
  }
  /** What the last applied change left: it stands only while the live bid is still `afterKopecks`. */
  readonly overlay?: Overlay
  /** When each policy's own `watch:` last took a change of it back, whatever has been done to the slot since. */
  readonly rolledBack?: ReadonlyArray<RolledBack>
  /** When an overlay last began (`on`) or ended in this slot, epoch milliseconds. */
  readonly lastEdge?: { readonly policy: string; readonly at: number; readonly on: boolean }
}

/** `at`: when the change that took it back left, epoch milliseconds. */
export interface RolledBack {
  readonly policy: string
  readonly at: number
}

/** A share laid over a bid's base: +20% is 2000 basis points. */
export interface Overlay {
  readonly policy: string
  readonly basisPoints: number
  readonly baseKopecks: number
  readonly afterKopecks: number
  /** The base is the item's bid: the cluster had none of its own before. */
  readonly inherited?: true
}
