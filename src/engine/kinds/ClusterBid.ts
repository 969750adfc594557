/** A search cluster's own bid (seed 001, `normquery/bids`); one without shows its item's bid in search. */
import * as Target from "../../domain/Target.js"
import * as Bids from "./Bids.js"
import type { Change, Of } from "./Change.js"
import * as ItemBid from "./ItemBid.js"
import * as Keys from "./Keys.js"
import type { Kind } from "./Kind.js"
import * as Seen from "./Seen.js"

export const name = "cluster_bid" as const
export const prefix = "cluster_bid"

export const slot = ({ campaignId, cluster, itemId }: Target.Target): string =>
  `${prefix}:${campaignId}/${itemId}/${cluster}`

/**
 * What leaves a cluster without a bid of its own shows the bid that its item has beside it: `bidOf` tells that of some changes of
 * items' bids. Any other change is as it is.
 */
export const beside = (
  changes: ReadonlyArray<Change>,
  bidOf: (ofItem: Change) => number | undefined
): ((change: Change) => Change) => {
  const bids = new Map(
    changes.flatMap((change) => {
      if (change.kind !== ItemBid.name) return []
      const bid = bidOf(change)
      return bid === undefined ? [] : [[ItemBid.kind.slotOf(change), bid] as const]
    })
  )
  return (change) =>
    change.kind === name
      ? (Bids.following(change, bids.get(ItemBid.slot(change.subject, "search"))) ?? change)
      : change
}

export const kind: Kind<Of<typeof name>> = {
  ...Bids.shared,
  prefix,
  slotOf: ({ subject: target }) => slot(target),
  targetOf: Keys.clusterOf,
  shownBy: () => ({ each: "cluster", fact: "cluster.bid" }),
  live: (facts) => facts("cluster.bid"),
  isOwn: (facts) => {
    const own = facts("cluster.has_own_bid")
    return typeof own === "boolean" ? own : undefined
  },
  leaves: ({ after, details }) => ({ "cluster.bid": after, "cluster.has_own_bid": details.clears !== true }),
  // Before its item's: a cluster shows that until it has a bid of its own. After it where it is to show that again.
  // What `optimise` makes dearer leaves last all the same (`Send`).
  order: 4,
  turn: ({ details: { clears } }) => (clears === true ? 6 : undefined),
  operations: ({ details }) =>
    details.clears === true ? ["deleteClusterBids"] : ["setClusterBidsMinorUnits", "setClusterBids"],
  compare: ({ after, before, details: { clears } }, { inherited, value }) => {
    if (inherited !== true)
      return clears === true && value === after
        ? value === before
          ? { _tag: "Before" }
          : { _tag: "Other", reason: Seen.byHand(before, value), live: value }
        : Seen.compare({ after, before }, { value })
    // Without a bid of its own a cluster shows its item's, whatever that is by now.
    if (clears === true) return { _tag: "After", isUnlisted: true }
    return value === before
      ? { _tag: "Before", isUnlisted: true }
      : { _tag: "Other", reason: Seen.byHand(before, value), isGone: true }
  },
  follows: ({ details: { clears, inherited }, subject: target }) =>
    inherited === true && clears !== true ? ItemBid.slot(target, "search") : undefined,
  minimum: () => "campaign_item.min_bid",
  yieldsTo: ({ subject: target }) => `bid of ${Target.key(target)}`,
  effect: (change, sign) => Bids.effect(change, "bid", sign)
}
