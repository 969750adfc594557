/** What holds a change of a plan, in words: the one place that makes them. Nothing decides by these sentences. */
import * as Reason from "../domain/Reason.js"
import * as When from "../domain/When.js"
import type { Calibration } from "../engine/decide/forecasts/Calibration.js"
import * as Daytime from "../engine/decide/intents/Daytime.js"
import * as FirstDay from "../engine/decide/limits/FirstDay.js"
import * as Forecasts from "../engine/decide/limits/Forecasts.js"
import * as HumanEdits from "../engine/decide/limits/HumanEdits.js"
import * as Stops from "../engine/decide/limits/Stops.js"
import * as Cells from "../engine/facts/Cell.js"
import * as Print from "../engine/facts/Print.js"
import * as Vocabulary from "../engine/facts/Vocabulary.js"
import type { Held } from "../engine/kinds/Change.js"
import type { HeldReason } from "../engine/kinds/HeldReason.js"
import type { HumanEdit } from "../engine/kinds/HumanEdit.js"
import * as Kinds from "../engine/kinds/Kinds.js"
import * as OperatorHold from "../engine/kinds/OperatorHold.js"
import type { SlotValue } from "../engine/kinds/SlotHistory.js"
import * as WayBackReasons from "./WayBackReasons.js"

/** What a sentence needs beside its reason. */
export interface Around {
  readonly currency: string
  /** Absent where no command is for one. */
  readonly account?: string
  /** How many the configuration has, where that is known: a command need not name the only one. */
  readonly accounts?: number
}

/** `limit` names what holds the change, `over` says by how much, or what to do. */
export interface Words {
  readonly limit: string
  readonly over: string
}

/** `…/limits.yaml account.changes_per_run 5 (12 changes, 7 over)`. */
export const text = ({ because }: Pick<Held, "because">, near: Around): string => {
  const { limit, over } = words(because, near)
  return `${limit} (${over})`
}

/** `…/limits.yaml account.changes_per_run 5: 12 changes, 7 over`. */
export const line = (because: HeldReason, near: Around): string => {
  const { limit, over } = words(because, near)
  return `${limit}: ${over}`
}

/** `12 changes, 7 over (…/limits.yaml account.changes_per_run 5)`. */
export const reversed = (because: HeldReason, near: Around): string => {
  const { limit, over } = words(because, near)
  return `${over} (${limit})`
}

/** ` (could not be fetched: 4; too old to decide on: 2)`. */
const unread = (reasons: Extract<HeldReason, { readonly code: "max_unknown" }>["reasons"] = []): string =>
  reasons.length === 0
    ? ""
    : ` (${reasons.map(({ reason, rows }) => `${Reason.explain[reason]}: ${rows}`).join("; ")})`

/** A held row for JSON and tables: the words beside the code. */
export const withWords = (held: Held, near: Around) => ({
  ...held,
  ...words(held.because, near)
})

export const words = (because: HeldReason, { account, accounts, currency }: Around): Words => {
  const known = accounts === undefined ? {} : { accounts }
  const among = account === undefined ? undefined : { account, ...known }
  const money = (kopecks: number) => Print.money(kopecks, Print.currencySign(currency))
  switch (because.code) {
    case "kill_switch":
      return { limit: because.said, over: "every write is stopped" }
    case "hold":
      return {
        limit: OperatorHold.text(because, because.zone),
        over: `resume with: ${OperatorHold.resumeWith(because, { account: because.account, ...known })}`
      }
    case "rejected":
      return {
        limit: `rejected by ${because.who}${because.why === undefined ? "" : `: ${because.why}`}`,
        over: `not asked again until ${When.text(because.until, because.zone)}`
      }
    case "human_edit":
      return {
        limit: edit(because, because.zone),
        over: `left alone until ${When.text(because.until, because.zone)}; sooner with: ${Stops.resumeWith(because.slot, among)}`
      }
    case "human_edit_unsettled":
      return {
        limit: "the value is not the one we just wrote, which may not show yet",
        over: `looked at again after ${When.text(because.until, because.zone)}`
      }
    case "never_touch": {
      const what = touched[because.what ?? "campaign"]
      return {
        limit: `_shared/limits.yaml:${because.line} never_touch: ${because.condition}`,
        over: because.read ? `${what} matches, or may` : `${what} could not be read, so it may match`
      }
    }
    case "price_floor":
      return {
        limit: `price floor ${money(because.floorKopecks)} of the economics table`,
        over: `the plan price ${money(because.planPriceKopecks)} is ${money(because.floorKopecks - because.planPriceKopecks)} below it`
      }
    case "price_floor_unknown":
      return {
        limit: "price floor of the economics table",
        over: `the item's is not known: ${Reason.explain[because.reason]}`
      }
    case "price_floors_gone":
      return {
        limit: `price floors of the account stood in ${because.path} until ${because.lastSeen}, and no table has a column of them now`,
        over: floorsRemedy
      }
    case "costs_changed": {
      const fact = Vocabulary.byFactId(because.term)
      const shown = (value: typeof because.was) =>
        value === null || fact === undefined
          ? "not known"
          : Print.cell(Cells.known(value), fact.type, Print.currencySign(currency))
      return {
        limit: `${fact?.word ?? because.term} of the economics table has changed since the plan`,
        over: `it was ${shown(because.was)}, and is ${shown(because.now)} now; a new plan counts with it`
      }
    }
    case "filed_before_reconcile":
      return {
        limit:
          "the store was restored, and does not know what was filed for promotions before it was reconciled",
        over: `nothing joins until ${When.text(because.until, because.zone)}: by then the promotions' lists show it`
      }
    case "max_bid":
      return {
        limit: `${because.where} ${money(because.kopecks)}`,
        over: `${money(because.bidKopecks)} is ${money(because.bidKopecks - because.kopecks)} over`
      }
    case "changes_per_run":
      return {
        limit: `${because.where} ${because.most}`,
        over: `${because.changes} changes, ${because.changes - because.most} over`
      }
    case "share_of_scope":
      return {
        limit: `${because.where} ${because.basisPoints / 100}%`,
        over: `${because.rows} of ${because.of} rows in scope would change, ${because.most} may`
      }
    case "max_unknown":
      return {
        limit: `${because.where} ${because.basisPoints / 100}%`,
        over: `${because.rows} of ${because.of} rows could not be read${unread(because.reasons)}, ${because.most} may`
      }
    case "spend_per_day":
      return {
        limit: `${because.where} ${money(because.kopecks)}`,
        over: `${money(because.spentKopecks)} spent today, ${money(because.plannedKopecks)} more by this plan, this one ${money(because.moreKopecks)}`
      }
    case "spend_unknown":
      return { limit: `${because.where} ${money(because.kopecks)}`, over: because.said }
    case "money_per_day":
    case "policy_money_per_day":
      return deposits(because.where, because, "deposited today or in this plan", money)
    case "balance":
      return deposits(
        `balance for deposits from ${because.from}`,
        because,
        "on the way or in this plan",
        money
      )
    case "deposits_unknown":
      return { limit: "limits on deposits", over: "what was deposited today is not known" }
    case "clock_apart":
      return {
        limit: "limits on deposits",
        over: `${When.apart(because.aheadMs)}, so what counts as today is not known; set it (NTP), bidhelm doctor compares them`
      }
    case "another_day":
      return { limit: "figures of the marketplace's day", over: because.said }
    case "first_day_forgotten":
      return { limit: firstDay(because), over: forgotten(because) }
    case "first_day_unlisted":
      return {
        limit: firstDay(because),
        over: `${unlisted} before ${When.text(because.until, because.zone)}`
      }
    case "first_day_unread":
      return { limit: firstDay(because), over: `${unlisted}: ${because.said}` }
    case "set_parted": {
      const why = because.first === undefined ? "the others are not in it" : `held: ${because.first}`
      return {
        limit: `a set of ${because.items} items that reaches a tier goes whole or not at all`,
        over: `${because.left} of them could go (${why}), and alone they would cost money and miss the tier`
      }
    }
    case "made_for_held": {
      const named = because.reasons.reduce((sum, { changes }) => sum + changes, 0)
      const rest = because.changes - named
      return {
        limit: `all ${because.changes} that it would be made for are held`,
        over: `${because.reasons.map(heldOthers).join(", ")}${rest === 0 ? "" : ` and ${rest} more`}; each of them says until when`
      }
    }
    case "forecast_missed":
      return {
        limit: `${because.policy} only looks for ${budgetText(because)}`,
        over: `${missed(because)}; it acts again by itself when days come as expected, sooner with: ${OperatorHold.resumeWith(Forecasts.scopeOf(because), among)}`
      }
    case "budget_no_room":
      return {
        limit: `${budgetText(because)} has ${money(because.dailyKopecks)} a day`,
        over: `what would make room in it does not all go (it is held, was refused, or another rule, an overlay or a wait keeps it): a day of what goes is expected to cost ${money(because.spendKopecks)}, and this would add ${money(because.moreKopecks)}`
      }
    case "policy_unknown":
      return { limit: `policy ${because.policy}`, over: "is not among the rules" }
    case "during":
      return {
        limit: `${because.where} ${because.during}`,
        over: `it is ${Daytime.shown(because.nowMs, because.zone)} now`
      }
    case "budget_empty":
      return {
        limit: "what a start needs",
        over: `${WayBackReasons.lacking}: rules pay nothing to a campaign that a rule has paused, so a person does`
      }
    case "campaign_stopped":
      return {
        limit: `its campaign ${because.status === undefined ? "is not listed by now, or nobody could read how it stands" : `is ${because.status} by now`}`,
        over: "it was active when the deposit was planned, and money that was paid in stays in it"
      }
    case "campaign_over":
      return {
        limit: "its campaign was ended or deleted since, or the marketplace lists it no more",
        over: "the marketplace takes no change of one that is over"
      }
    case "switched_off":
      return { limit: because.said, over: "the marketplace refuses it to this token" }
  }
}

/** `4 on hold by boris: stock-taking`, `1 rejected by anna`. */
const heldOthers = ({
  by,
  changes,
  who,
  why
}: Extract<HeldReason, { readonly code: "made_for_held" }>["reasons"][number]): string => {
  const word = by === "hold" ? "on hold" : by === "rejected" ? by : `held (${by})`
  return `${changes} ${word}${who === undefined ? "" : ` by ${who}`}${why === undefined ? "" : `: ${why}`}`
}

/** What to do about price floors that are gone. */
const floorsRemedy = 'put the table back; to do without, leave one whose column "price floor" is empty'

const touched = {
  campaign: "the campaign",
  campaign_of_item: "a campaign of the item",
  item: "the item"
} as const

type Deposits = Pick<
  Extract<HeldReason, { readonly code: "money_per_day" }>,
  "kopecks" | "beforeKopecks" | "listedKopecks" | "moreKopecks"
>

const deposits = (
  where: string,
  { beforeKopecks, kopecks, listedKopecks, moreKopecks }: Deposits,
  already: string,
  money: (kopecks: number) => string
): Words => {
  const others =
    listedKopecks === 0 ? "" : ` (${money(listedKopecks)} of it is listed by the marketplace alone)`
  return {
    limit: `${where} ${money(kopecks)}`,
    over: `${money(beforeKopecks)} ${already}${others}, ${money(moreKopecks)} more is ${money(beforeKopecks + moreKopecks - kopecks)} over`
  }
}

/** `campaign 1000001`, or all of them. */
export const budgetText = ({ budget }: { readonly budget: string }): string =>
  budget === Forecasts.accountBudget ? "the account's budget" : `campaign ${budget}`

/** `its spend lay outside of what was expected on 4 of the last 4 days that can be judged, 78% below it in all`. */
export const missed = ({
  figure,
  judged,
  offPercent,
  outside
}: Pick<
  Extract<HeldReason, { readonly code: "forecast_missed" }>,
  "figure" | "judged" | "offPercent" | "outside"
>): string => {
  const what = figure === "spend" ? "spend" : "the orders"
  const off =
    offPercent === undefined
      ? ""
      : `, ${Math.abs(offPercent)}% ${offPercent < 0 ? "below" : "above"} it in all`
  return `${what} lay outside of what was expected on ${outside} of the last ${judged} days that can be judged${off}`
}

/** `10-optimise only looks for campaign 1000001: its spend lay …; resume with: …`. */
export const looking = (one: Calibration, among: OperatorHold.Among): string =>
  `${one.policy} only looks for ${budgetText(one)}${one.fallen === undefined ? "" : `: ${missed(one.fallen)}`}; resume with: ${OperatorHold.resumeWith(Forecasts.scopeOf(one), among)}`

const firstDay = ({ account }: { readonly account: string }): string =>
  `the first day of this store with ${account}`

const unlisted = "the marketplace's list of today's top-ups, which counts against the limits, cannot be read"

const forgotten = ({
  account,
  sinceMs,
  zone
}: Extract<HeldReason, { readonly code: "first_day_forgotten" }>): string =>
  `it knows the account since ${When.text(sinceMs, zone)} and not what was deposited before; see bidhelm account deposits ${account}, and allow them with --allow, or wait until ${When.text(sinceMs + FirstDay.firstDayMs, zone)}`

/** `undone or set by a person on 2026-09-01 15:00: 120 ₽`, `changed by someone on or after 2026-09-01 15:00: 120 ₽ → 150 ₽`. */
export const edit = (one: HumanEdit, zone: string): string =>
  HumanEdits.isUndo(one)
    ? `undone or set by a person on ${When.text(one.firstSeenAt, zone)}: ${shown(one.slot, one.live)}`
    : `changed by someone ${since(one, zone)}: ${shown(one.slot, one.ours)} → ${shown(one.slot, one.live)}`

/** What a clock ahead has dated does not tell since when. */
const since = ({ firstSeenAt, writtenAt }: HumanEdit, zone: string): string =>
  writtenAt > firstSeenAt
    ? `before ${When.text(firstSeenAt, zone)}`
    : `on or after ${When.text(writtenAt, zone)}`

const shown = (slot: string, value: SlotValue): string =>
  Kinds.ofSlot(slot)?.kind.print(value, "₽") ?? String(value)
