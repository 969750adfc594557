/** Bids of the ledger: how they are paid, on which step they stand, and which change of the journal is theirs. */
import * as KindOfBids from "../../../src/engine/kinds/Bids.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import * as Bids from "../../../src/sandbox/market/Bids.js"
import * as World from "../../../src/sandbox/market/World.js"
import * as Timeline from "../../../src/sandbox/Timeline.js"
import type { Observed } from "../chaos/Record.js"

type World_ = Pick<Observed, "world">

export const payment = ({ world }: World_, campaignId: number | undefined) =>
  World.campaign(world, campaignId ?? 0)?.blueprint.payment ?? "cpm"

/** Bids are multiples of it, kopecks. */
export const stepOf = (payment: "cpm" | "cpc"): number => (payment === "cpm" ? 100 : 10)

/** A bid of the ledger, kopecks; a cluster without one of its own follows its item. */
export const bidOf = (
  { world }: World_,
  value: unknown,
  { at, target }: Pick<Ledger.Entry, "at" | "target">
): number => {
  if (typeof value === "number") return value
  const campaign = World.campaign(world, target.campaignId ?? 0)
  return campaign === undefined
    ? Number.NaN
    : Timeline.at(Bids.itemBids(world, campaign, target.itemId ?? 0).search, at)
}

/** The standard bid is one change and two entries, of which the first is looked at. */
export const isOf = (slot: Ledger.Slot, change: Change): boolean => {
  const { placement } = KindOfBids.detailsOf(change)
  return slot === "bid"
    ? change.kind === "cluster_bid"
    : slot === "bid.search"
      ? placement === "search" || placement === "combined"
      : placement === "recommendations"
}
