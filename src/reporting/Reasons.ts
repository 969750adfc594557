/** Reasons of the journal in words: the one place that makes a sentence of a code. Nothing decides by these sentences. */
import * as Days from "../domain/Days.js"
import * as Money from "../domain/Money.js"
import type { BareCode, HoldReason, OutcomeReason, StopReason } from "../domain/OutcomeReason.js"
import * as Plural from "../domain/Plural.js"
import * as When from "../domain/When.js"
import * as Holdings from "../engine/door/Holdings.js"
import type { JournalRow } from "../engine/door/Journal.js"
import type { Change } from "../engine/kinds/Change.js"
import * as Kinds from "../engine/kinds/Kinds.js"
import * as HandOverWords from "./fulfilment/HandOverWords.js"

/** Why a journal row is in its state, for people; undefined where the state says it all. */
export const ofRow = ({
  change,
  reason,
  state
}: Pick<JournalRow, "change" | "reason" | "state">): string | undefined => {
  if (reason === undefined) return undefined
  const text = ofChange(reason, change)
  return state === "skipped" && isStop(reason) ? `not sent: ${text}` : text
}

/** A row for JSON: with the code of its reason beside the sentence. */
export const withWords = <R extends Pick<JournalRow, "change" | "reason" | "state">>(row: R) => ({
  ...row,
  code: row.reason?.code,
  detail: ofRow(row)
})

/** Whether the turns of a policy come back to it by themselves. */
const isOfTurn = ({ origin }: Pick<Change, "origin">): boolean => origin.by === "policy"

/** Why a run sends nothing more. */
export const stop = (reason: StopReason): string => {
  switch (reason.code) {
    case "kill_switch":
      return `kill switch: ${reason.said}`
    case "lock_lost":
      return `the apply lock was lost to another run${
        reason.holder === undefined
          ? ", or not renewed in time because this machine slept or was too busy"
          : ` (${reason.holder})`
      }`
    case "account_refused":
    case "program_ending":
      return reason.said
  }
}

/** Why a call by hand was not sent. */
export const withheld = (reason: StopReason | HoldReason): string =>
  `not sent: ${reason.code === "hold" ? Holdings.text(reason) : stop(reason)}`

const isStop = (reason: OutcomeReason): reason is StopReason =>
  reason.code === "account_refused" ||
  reason.code === "kill_switch" ||
  reason.code === "lock_lost" ||
  reason.code === "program_ending"

const amount = (kopecks: number): string => Money.format(Money.Kopecks(kopecks))

const ofChange = (reason: OutcomeReason, change: Change): string => {
  switch (reason.code) {
    case "changed_by_hand":
    case "budget_grown":
    case "gone":
      return Kinds.seenText(change, reason)
    case "kill_switch":
    case "lock_lost":
    case "account_refused":
    case "program_ending":
      return stop(reason)
    case "hold":
      return withheld(reason)
    case "budget_no_room":
      return `not sent: what was to make room in its budget did not come about; a day of what goes is expected to cost ${amount(reason.spendKopecks)} of ${amount(reason.dailyKopecks)}, and this would add ${amount(reason.moreKopecks)}`
    case "live_value_unread":
      return `not sent: its live value could not be read (${reason.said})`
    case "closed":
    case "limit_left_no_room":
      return `not sent: ${reason.said}`
    case "unfit":
      return `not sent: ${reason.said}${isOfTurn(change) ? "; the next turn looks again" : ""}`
    case "unread_before":
      return `not sent: what is looked at right before it could not be read (${reason.said})`
    case "set_back_since_plan":
      return `not sent: ${reason.policy} set it at ${When.text(reason.at, Days.marketZone)} ${Days.marketZone}, after this plan was made, and its old value stands there again; make a new plan`
    case "day_over":
      return `not sent: figures of ${reason.day} asked for the pause, and it is another day of the marketplace; the next plan asks that day's`
    case "limit_gave_no_turn":
      return `not sent: the call limit held it back ${reason.turns} times after its live value was read; left to the next run`
    case "terms_changed": {
      const what = reason.what === "price" ? "its price" : "the promotion's price for it"
      return `not sent: ${what} has changed since the plan (${amount(reason.was)} → ${amount(reason.now)})`
    }
    case "tier_changed":
      return reason.now === 0
        ? "not sent: the promotion has reached the tier without it since the plan"
        : `not sent: the next tier of the promotion takes ${Plural.of(reason.now, "more item")} now; the set was chosen for ${reason.was}`
    case "overlap_filed":
      return `not sent: the item was filed for promotion ${`${reason.promotionId} ${reason.promotionName}`.trim()}, which runs at the same time`
    case "overlap_moved":
      return `not sent: the item is in promotion ${`${reason.promotionId} ${reason.promotionName}`.trim()}, which has moved since the plan and runs at the same time now`
    case "overlap_unlooked":
      return `not sent: promotion ${`${reason.promotionId} ${reason.promotionName}`.trim()} has moved since the plan and runs at the same time now, and nobody has looked whether the item is in it; the next plan does`
    case "dates_changed":
      return `not sent: the ${reason.what} of the promotion has moved since the plan, to ${When.text(Date.parse(reason.now), Days.marketZone)} ${Days.marketZone}`
    case "hand_over_others":
      return `not sent: the supply holds other orders than were agreed: ${[
        ...(reason.added.length === 0
          ? []
          : [`${Plural.named(reason.added, 10)} ${Plural.choose(reason.added.length, "was", "were")} added`]),
        ...(reason.missing.length === 0
          ? []
          : [
              `${Plural.named(reason.missing, 10)} ${Plural.choose(reason.missing.length, "is", "are")} not in it any more`
            ])
      ].join(
        ", "
      )}; ${isOfTurn(change) ? "what is in it now is asked about anew" : "look at what is in it now, and hand it over once more"}`
    case "hand_over_packing":
      return `not sent: the supply is being packed at a table (${reason.packer}); ${isOfTurn(change) ? "the next turn looks again" : "pack what is left of it, or end packing there, and hand it over once more"}`
    case "hand_over_part_packed":
      return `not sent: only a part of the supply was packed at a table: ${HandOverWords.unscanned(reason.left)}; pack ${reason.left.length === 1 ? "it" : "them"}, or hand it over with bidhelm supplies deliver --all-packed where all is packed${isOfTurn(change) ? "; the next turn looks again" : ""}`
    case "hand_over_unfit":
      return `not sent: an order of the supply was cancelled, a mark is missing or refused, or the parcel of an order that left it lies in the pile; bidhelm supplies check says which${isOfTurn(change) ? ", and the next turn looks again" : ""}`
    case "hand_over_unread":
      return `not sent: whether the supply may still go could not be read; ${isOfTurn(change) ? "the next turn looks again" : "try it again"}`
    case "mark_used":
      return `not sent: order ${reason.otherOrderId} has this mark; give one of the two another: bidhelm orders marks import`
    case "minus_list_full":
      return `the list would have ${reason.phrases} phrases; ${reason.most} are stored`
    case "minus_list_refused":
      return `the marketplace refused the list of ${Plural.of(reason.phrases, "phrase")} (${reason.said}); ${minusAtFault(reason, change.after === true)}`
    case "budget_too_small":
      return `the answer tells a new budget of ${amount(reason.kopecks)}, less than was paid`
    case "person_said":
      return `${reason.who} says: ${reason.paid ? "paid" : "not paid"}`
    case "unproved":
      return unproved(reason)
    case "limit_not_kept":
    case "switched_off":
    case "throttled":
    case "not_reached":
    case "store_failed":
    case "refused":
    case "request_refused":
    case "no_answer":
      return reason.said
    default:
      return sentences[reason.code]
  }
}

type MinusRefused = Extract<OutcomeReason, { readonly code: "minus_list_refused" }>

/** Words that name a phrase that the list had already say whose fault it is: until it is taken off no list with it is taken. */
const minusAtFault = ({ before, named }: MinusRefused, isAdded: boolean): string =>
  named === undefined
    ? `nobody knows which is at fault: ${isAdded ? "this one, or " : ""}${before === 1 ? "the one that was" : `one of the ${before} that were`} in it before`
    : `"${named}" was in it before: take it off there by hand, for every list with it is refused`

type Unproved = Extract<OutcomeReason, { readonly code: "unproved" }>

/** Also how a person settles it. */
const unproved = ({ because, sender = "unknown" }: Unproved): string =>
  `may or may not have been paid and is never sent again: ${unprovedBecause(sender)[because]}; compare the campaign's ` +
  "budget with its top-ups, then say which it is with bidhelm resolve"

const unprovedBecause = (sender: string): Readonly<Record<Unproved["because"], string>> => ({
  store_replaced: "the store was restored or replaced, and what came next may not be in it",
  nothing_recorded: "nothing was recorded to prove it by",
  too_long_ago: "it is too long ago to prove it by the money",
  sender_may_wake:
    `no money has moved, but the process that was about to send it (${sender}) is not known to have ended, and would ` +
    "send it when it wakes; end it first",
  money_unclear: "the money does not prove it"
})

const sentences: Readonly<Record<Exclude<BareCode, "hand_over_unfit" | "hand_over_unread">, string>> = {
  already_there: "already has the new value",
  read_back: "read back",
  read_back_late: "read back late",
  accepted_unlisted: "the marketplace accepted it; it is not listed, so that nobody can look again",
  budget_answered: "the marketplace answered with the new budget",
  paid_proved: "proved by the money: the account paid the sum and the budget got it",
  old_value_remains: "the old value is still there",
  not_entered: "it did not enter: the promotion's list still does not show it, and nobody says why",
  unpaid_proved: "proved by the money: neither the account nor the budget moved for ten minutes",
  not_mentioned: "the answer does not mention it",
  budget_not_answered: "the answer does not tell the new budget",
  unanswered_unlisted:
    "no answer came, and two looks at the list did not show it; it may have been made all the same",
  payment_pending: "may or may not have been paid; the money will tell, mostly within eleven minutes",
  refused_without_reason: "refused without a reason",
  refused_together: "the marketplace refused the whole request and named no change of it",
  refused_with_another: "another row of the request was refused",
  stale_value: "not sent yet: its live value was read too long ago",
  stale_list:
    "not sent: the call limit lets no list be replaced soon after it was read, and phrases of others could be lost",
  taken_by_another_run: "not sent: another run already took part of this request",
  earlier_change_open: "not sent: what became of an earlier change to it is not known yet",
  filed_before: "not sent: it was filed for this promotion before, and is filed once only",
  promotion_started: "not sent: the promotion has started since the plan",
  run_ended_early: "never sent: the run ended before its turn",
  not_in_plan: "the approved plan does not hold this change",
  set_parted:
    "not sent: another item of its set may not go now, and without it the set would cost money and miss the tier",
  made_for_none: "not sent: none of the orders that it was to be made for can go into it now",
  goes_whole: "not sent: the request goes whole or not at all, and a part of it may not go now",
  malformed: "not a value that the marketplace takes",
  money_unreadable:
    "not sent: the balance, the budget or the charges could not be read, so nobody could prove what became of it",
  deposits_since_plan: "not sent: deposits were made since the plan, so its limits do not hold; plan anew",
  plan_before_reconcile:
    "not sent: the store was restored and reconciled since the plan, and does not know what was paid or filed before that; plan anew",
  deposit_open: "not sent: another deposit of this account is still open; one at a time",
  deposit_before_unknown: "not sent: the outcome of a deposit before it is unknown",
  supply_not_found: "not sent: the supply that it was to go into was not made, or no list shows it yet",
  supply_ambiguous:
    "not sent: there are several supplies of the name that it was to go into; delete those that are empty",
  hand_over_unnamed:
    "not sent: the plan does not say which orders it hands over, as it was made by an earlier version; plan anew",
  mark_not_kept:
    "not sent: the mark is not in this program's store; import it again: bidhelm orders marks import",
  mark_holder_unread: "not sent: whether another order has this mark could not be read",
  minus_list_unread: "the minus list could not be read, and writing replaces all of it",
  minus_list_moving: "somebody is changing this minus list right now; it is left to the next run"
}
