/**
 * Why a change ended as it did, or still waits: a code with typed fields, as the journal keeps it. The program decides by
 * the code alone; sentences are made in `reporting/Reasons`. `said` is the text of somebody else: of the marketplace's
 * answer, of a failed call, of a person.
 */
import * as Schema from "effect/Schema"
import { coded } from "./Coded.js"

const value = Schema.Union(Schema.Int, Schema.String, Schema.Boolean)
const said = { said: Schema.String }

/** What a slot shows that is neither the old nor the new value of a change, or that it is gone. */
export const SeenReason = Schema.Union(
  coded("changed_by_hand", { was: value, now: value }),
  coded("budget_grown", { was: value, now: value }),
  coded("gone", { what: Schema.Literal("campaign", "item", "promotion", "order", "supply") })
)
export type SeenReason = typeof SeenReason.Type

/** Why a run sends nothing more. `account_refused`: the marketplace does not accept its token. */
export const StopReason = Schema.Union(
  coded("program_ending", said),
  coded("kill_switch", said),
  coded("lock_lost", { holder: Schema.optionalWith(Schema.String, { exact: true }) }),
  coded("account_refused", said)
)
export type StopReason = typeof StopReason.Type

/** A budget that is planned as a whole has no room for a change: what is spent a day without it, and what it adds, kopecks. */
export const budgetNoRoom = coded("budget_no_room", {
  budget: Schema.String,
  dailyKopecks: Schema.Int,
  spendKopecks: Schema.Int,
  moreKopecks: Schema.Int
})

/** Codes that need no fields. */
const bare = Schema.Struct({
  code: Schema.Literal(
    // Done and seen.
    "already_there",
    "read_back",
    "read_back_late",
    "accepted_unlisted",
    "budget_answered",
    "paid_proved",
    // Not done.
    "old_value_remains",
    "not_entered",
    "unpaid_proved",
    // Nobody knows yet.
    "not_mentioned",
    "budget_not_answered",
    "unanswered_unlisted",
    "payment_pending",
    // Refused.
    "refused_without_reason",
    "refused_together",
    "refused_with_another",
    // Not sent.
    "stale_value",
    "stale_list",
    "taken_by_another_run",
    "earlier_change_open",
    "filed_before",
    "promotion_started",
    "run_ended_early",
    "not_in_plan",
    "goes_whole",
    "set_parted",
    "made_for_none",
    "malformed",
    "money_unreadable",
    "deposits_since_plan",
    "plan_before_reconcile",
    "deposit_open",
    "deposit_before_unknown",
    "supply_not_found",
    "supply_ambiguous",
    "mark_not_kept",
    "mark_holder_unread",
    "hand_over_unfit",
    "hand_over_unread",
    "hand_over_unnamed",
    "minus_list_unread",
    "minus_list_moving"
  )
})

/** A person's hold, as `OperatorHold` has it; instants are epoch milliseconds. */
export const holdFields = {
  kind: Schema.Literal("account", "kill", "policy", "target"),
  what: Schema.String,
  account: Schema.String,
  since: Schema.Number,
  until: Schema.optionalWith(Schema.Number, { exact: true }),
  by: Schema.String,
  why: Schema.optionalWith(Schema.String, { exact: true })
}
const hold = coded("hold", holdFields)
export type HoldReason = typeof hold.Type

/** Why a deposit is left to a person. `sender` may still send it. */
const unproved = coded("unproved", {
  because: Schema.Literal(
    "store_replaced",
    "nothing_recorded",
    "too_long_ago",
    "sender_may_wake",
    "money_unclear"
  ),
  sender: Schema.optionalWith(Schema.String, { exact: true })
})

export const OutcomeReason = Schema.Union(
  SeenReason,
  StopReason,
  bare,
  hold,
  unproved,
  budgetNoRoom,
  coded("live_value_unread", said),
  /** It was read that nothing can be set there any more. */
  coded("closed", said),
  coded("unread_before", said),
  /** Another run has written the slot in this policy's name since the plan, and the value that the plan saw stands in it again; epoch milliseconds. */
  coded("set_back_since_plan", { policy: Schema.String, at: Schema.Number }),
  /** Figures of this day of the marketplace asked for it, and the day is over. */
  coded("day_over", { day: Schema.String }),
  coded("limit_gave_no_turn", { turns: Schema.Int }),
  coded("terms_changed", { what: Schema.Literal("price", "plan_price"), was: Schema.Int, now: Schema.Int }),
  /** The next tier of the promotion is another, or so many further items reach it; none is left when `now` is 0. */
  coded("tier_changed", { was: Schema.Int, now: Schema.Int }),
  /** The item was filed for another promotion that runs at the same time. */
  coded("overlap_filed", { promotionId: Schema.Int, promotionName: Schema.String }),
  coded("overlap_moved", { promotionId: Schema.Int, promotionName: Schema.String }),
  /** A promotion that was at another time is at the same time now, and the plan did not know whether the item was in it. */
  coded("overlap_unlooked", { promotionId: Schema.Int, promotionName: Schema.String }),
  coded("dates_changed", { what: Schema.Literal("start", "end"), now: Schema.String }),
  /** The supply holds other orders than were agreed: ids of those that came, and of those that are not in it any more. */
  coded("hand_over_others", { added: Schema.Array(Schema.Int), missing: Schema.Array(Schema.Int) }),
  /** Somebody packs the supply at this moment. */
  coded("hand_over_packing", { packer: Schema.String }),
  /** A table packed some orders of the supply, and not these. */
  coded("hand_over_part_packed", { left: Schema.Array(Schema.Int) }),
  /** Another order in assembly has the mark. */
  coded("mark_used", { otherOrderId: Schema.Int }),
  coded("minus_list_full", { phrases: Schema.Int, most: Schema.Int }),
  /** The whole list was refused: `before` of its phrases stood in it already. `named`: that of these which the words name; absent where they name none. */
  coded("minus_list_refused", {
    phrases: Schema.Int,
    before: Schema.Int,
    named: Schema.optionalWith(Schema.String, { exact: true }),
    ...said
  }),
  /** Found before it was sent: the marketplace would refuse it. */
  coded("unfit", said),
  coded("limit_left_no_room", said),
  coded("limit_not_kept", said),
  coded("switched_off", said),
  coded("throttled", said),
  coded("not_reached", said),
  coded("store_failed", said),
  coded("refused", said),
  /**
   * The request was refused for what is about none of its changes, such as what the token may do. `page`: a web page of somebody
   * on the way said it, so that nothing is switched off.
   */
  coded("request_refused", {
    ...said,
    page: Schema.optionalWith(Schema.Literal(true), { exact: true })
  }),
  coded("no_answer", said),
  coded("budget_too_small", { kopecks: Schema.Int }),
  coded("person_said", { who: Schema.String, paid: Schema.Boolean })
)
export type OutcomeReason = typeof OutcomeReason.Type

/** Codes whose reason has no fields. */
export type BareCode = (typeof bare.Type)["code"]

/** The reason of such a code. */
export const of = (code: BareCode): OutcomeReason => ({ code })
