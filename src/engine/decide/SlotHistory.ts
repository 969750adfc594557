/** A slot's latest finished or open change, for cooldown, move_per_day and pending overlays. */
export interface SlotHistory {
  readonly slot: string
  readonly lastPolicy: string
  readonly lastAppliedAt: number | undefined
  /** Sent but not yet visible. */
  readonly pendingSince: number | undefined
  /** Bid before the first change of the business day, kopecks. */
  readonly dayFirstBid: number | undefined
}
