/** What the facts say about the bid of one row: which bid it is, its value, minimum and step. */

import * as Either from "effect/Either"
import type { Reason } from "../../../domain/Reason.js"
import type { Cell } from "../../facts/Cell.js"
import type * as Bids from "../../kinds/Bids.js"
import type { Part } from "../../kinds/Change.js"
import * as ClusterBid from "../../kinds/ClusterBid.js"
import * as ItemBid from "../../kinds/ItemBid.js"
import type { BidPlacement } from "../../kinds/Parts.js"
import type { Placement } from "../../language/Policy.js"
import type { UnknownReason } from "../RowReason.js"
import type { Payment } from "./BidLimits.js"
import type { Ground, Outcome } from "./Intent.js"
import { restrains, stay, targetOf, undecided } from "./Intent.js"

/** What a change of the bid says of which bid it is; `more` is what only this change knows. */
export const which = (
  { inherited, payment, placement }: BidRow,
  {
    clears,
    dayFirstKopecks,
    overlay
  }: Partial<Pick<Bids.Details, "clears" | "dayFirstKopecks" | "overlay">> = {}
): Part<"kind" | "details", Bids.Bid> => {
  const shared = { payment, ...(overlay === undefined ? {} : { overlay }) }
  return placement === undefined
    ? {
        kind: ClusterBid.name,
        details: {
          ...shared,
          ...(inherited === undefined ? {} : { inherited }),
          ...(dayFirstKopecks === undefined ? {} : { dayFirstKopecks }),
          ...(clears === true ? { clears } : {})
        }
      }
    : { kind: ItemBid.name, details: { ...shared, placement } }
}

/** All amounts in kopecks. `minimum` is undefined when it could not be read. */
export interface BidRow {
  readonly slot: string
  /** Absent for a cluster's own bid. */
  readonly placement?: BidPlacement
  readonly payment: Payment
  readonly current: number
  /** The cluster has no bid of its own: `current` is the item's. */
  readonly inherited: boolean | undefined
  readonly minimum: number | undefined
  readonly stepKopecks: number
}

/** Left: nothing can be decided, or nothing can be changed, and why. */
export const read = (
  ground: Ground,
  placement: Placement,
  step: "its step" | "any step" = "its step"
): Either.Either<BidRow, Outcome> =>
  Either.gen(function* () {
    yield* changeable(ground)
    const payment = yield* word(ground, "campaign.payment")
    const bidType = yield* word(ground, "campaign.bid_type")
    if (payment !== "cpm" && payment !== "cpc")
      return yield* unsure(ground, { code: "payment_type_unknown", payment })
    const which = yield* whichBid(ground, placement, payment, bidType)
    const current = yield* amount(ground, which.bid)
    const stepRead = stepOf(ground, payment)
    // A value from before stands on a step already.
    const stepKopecks = step === "any step" ? Either.getOrElse(stepRead, () => 1) : yield* stepRead
    const minimum = Either.getOrUndefined(amount(ground, which.minimum))
    const own = which.placement === undefined ? fact(ground, "cluster.has_own_bid") : undefined
    return {
      slot:
        which.placement === undefined
          ? ClusterBid.slot(targetOf(ground))
          : ItemBid.slot(targetOf(ground), which.placement),
      ...(which.placement === undefined ? {} : { placement: which.placement }),
      payment,
      current,
      inherited: own?._tag === "Known" ? own.value === false : undefined,
      minimum,
      stepKopecks
    }
  })

/** What a cluster without a bid of its own shows: the item's bid in search of now, which may have moved since. */
export const itemsBid = (ground: Ground): Either.Either<number, Outcome> =>
  amount(ground, "campaign_item.bid")

/** Rows without a readable bid still vote in the slot they most likely mean. */
export const slotWithoutBid = (ground: Ground, placement: Placement): string => {
  if (ground.table.each === "cluster") return ClusterBid.slot(targetOf(ground))
  const type = ground.table.get(ground.row, "campaign.bid_type")
  const isCombined = type._tag === "Known" && type.value === "unified"
  return ItemBid.slot(targetOf(ground), isCombined ? "combined" : placement)
}

/** Changes are accepted in statuses ready, active and paused only (seed 001 "States and transitions"). */
const changeable = (ground: Ground): Either.Either<void, Outcome> =>
  Either.flatMap(word(ground, "campaign.status"), (status) =>
    ["ready", "active", "paused"].includes(status)
      ? Either.void
      : Either.left(stay({ code: "bids_closed", status }, false))
  )

interface Which {
  /** Absent for a cluster's own bid. */
  readonly placement?: BidPlacement
  /** Ids of the facts. */
  readonly bid: string
  readonly minimum: string
}

/** Cluster bids exist for manual cpm campaigns only (seed 001, cluster bids); the item's search minimum holds for them. */
const whichBid = (
  ground: Ground,
  placement: Placement,
  payment: Payment,
  bidType: string
): Either.Either<Which, Outcome> => {
  const search = { bid: "campaign_item.bid", minimum: "campaign_item.min_bid" }
  if (ground.table.each === "cluster") {
    if (isExcluded(ground)) return Either.left(stay({ code: "minus_takes_no_bid" }, false))
    return bidType === "manual" && payment === "cpm"
      ? Either.right({ ...search, bid: "cluster.bid" })
      : Either.left(stay({ code: "no_cluster_bids" }, false))
  }
  if (ground.table.each === "campaign") {
    return Either.left(stay({ code: "campaign_has_no_bid" }, false))
  }
  if (bidType === "unified") return Either.right({ ...search, placement: "combined" })
  return Either.right(
    placement === "search"
      ? { ...search, placement }
      : {
          placement,
          bid: "campaign_item.bid.recommendations",
          minimum: "campaign_item.min_bid.recommendations"
        }
  )
}

/** The marketplace refuses a minus phrase's bid, and the whole request with it (field note M12). */
const isExcluded = (ground: Ground): boolean => {
  const state = fact(ground, "cluster.state")
  return state._tag === "Known" && state.value === "excluded"
}

/** Field note M07: cpm moves in whole roubles; other currencies and cpc have steps that only the account tells. */
const stepOf = (ground: Ground, payment: Payment): Either.Either<number, Outcome> => {
  const step = fact(ground, `account.bid_step.${payment}`)
  if (step._tag === "Known" && Number.isSafeInteger(step.value) && Number(step.value) > 0) {
    return Either.right(Number(step.value))
  }
  return payment === "cpm" && ground.currency === "RUB"
    ? Either.right(100)
    : Either.left(stay({ code: "bid_step_unknown", payment, currency: ground.currency }, restrains(ground)))
}

const fact = (ground: Ground, id: string): Cell => ground.table.get(ground.row, id)

const word = (ground: Ground, id: string): Either.Either<string, Outcome> => {
  const cell = fact(ground, id)
  return cell._tag === "Known"
    ? Either.right(String(cell.value))
    : unsure(ground, unknownFact(id, cell.reason))
}

const amount = (ground: Ground, id: string): Either.Either<number, Outcome> => {
  const cell = fact(ground, id)
  if (cell._tag === "Unknown") return unsure(ground, unknownFact(id, cell.reason))
  return Number.isSafeInteger(cell.value) && Number(cell.value) > 0
    ? Either.right(Number(cell.value))
    : unsure(ground, {
        code: "fact_malformed",
        fact: id,
        value: String(cell.value),
        wanted: "a whole amount above zero"
      })
}

const unknownFact = (fact: string, reason: Reason): UnknownReason => ({ code: "fact_unknown", fact, reason })

const unsure = (ground: Ground, because: UnknownReason): Either.Either<never, Outcome> =>
  Either.left(undecided(because, restrains(ground)))
