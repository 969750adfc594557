/** Why a row of a plan changes nothing, in words: the one place that makes them. Nothing decides by these sentences. */
import * as Days from "../domain/Days.js"
import * as Plural from "../domain/Plural.js"
import * as Reason from "../domain/Reason.js"
import * as When from "../domain/When.js"
import type { Notice, Plan } from "../engine/decide/Plan.js"
import type { LimitNamed, NoticeReason, UnchangedReason, UnknownReason } from "../engine/decide/RowReason.js"
import * as Print from "../engine/facts/Print.js"
import * as Kinds from "../engine/kinds/Kinds.js"
import * as HeldReasons from "./HeldReasons.js"
import * as WayBackReasons from "./WayBackReasons.js"

/** What a sentence needs beside its reason. */
export interface Around {
  readonly currency: string
  /** Absent where no command is for one. */
  readonly account?: string
  /** How many the configuration has, where that is known. */
  readonly accounts?: number
  /** When the plan was made, epoch milliseconds: a time of the same day is shown without it. */
  readonly nowMs: number
  /** True for a recorded day: what it does not have was not recorded. */
  readonly isPast?: boolean
}

/** Of a plan. */
export const around = ({
  account,
  createdAt,
  currency
}: Pick<Plan, "account" | "createdAt" | "currency">): Around => ({
  account,
  currency,
  nowMs: Date.parse(createdAt)
})

/** What a policy wants a person to know. */
export const notice = ({ because, text: own }: Notice, near: Around): string =>
  because === undefined ? (own ?? "") : text(because, near)

export type Because = UnchangedReason | NoticeReason

/** One sentence for a marketer, without its subject. */
export const text = (because: Because, near: Around): string => {
  switch (because.code) {
    case "condition_unknown":
    case "fact_unknown":
    case "fact_malformed":
    case "spend_untold":
    case "clusters_unlisted":
    case "clusters_silent":
    case "budget_nothing":
    case "spend_to_come_unknown":
    case "overlap_unread":
    case "payment_type_unknown":
    case "minimum_bid_unknown":
    case "change_pending":
    case "items_change_pending":
    case "payment_open":
    case "watch_row_unread":
    case "watch_condition_unknown":
      return unknown(because, near)
    case "joined_by_others":
      return joined(because)
    case "in_below_floor":
      return inBelowFloor(because, near)
    case "calendar_unread":
      return unreadCalendar(because, near)
    case "max_unknown":
      return `holds: ${HeldReasons.reversed(because, near)}`
    case "automatic_unlooked":
      return `what the marketplace puts into automatic promotions at the same time nobody can look at: ${because.promotions.join(", ")}`
    default:
      return unchanged(because, near)
  }
}

const joined = ({
  count,
  items,
  promotionId,
  promotionName
}: Extract<Because, { readonly code: "joined_by_others" }>): string => {
  const more = count > items.length ? ` and ${count - items.length} more` : ""
  const [are, them] = count === 1 ? ["item is", "it"] : ["items are", "them"]
  return `${count} ${are} in promotion ${promotionId} "${promotionName}" that bidhelm did not put there, and since the last look: ${items.join(", ")}${more}. Nothing takes ${them} out but a person in the seller's cabinet`
}

const inBelowFloor = (
  { count, items, promotionId, promotionName }: Extract<Because, { readonly code: "in_below_floor" }>,
  { currency }: Around
): string => {
  const money = (kopecks: number) => Print.money(kopecks, Print.currencySign(currency))
  const named = items.map(
    ({ floorKopecks, itemId, planPriceKopecks }) =>
      `${itemId} (${money(planPriceKopecks)}, floor ${money(floorKopecks)})`
  )
  const more = count > items.length ? ` and ${count - items.length} more` : ""
  return `${Plural.of(count, "item")} ${Plural.choose(count, "is", "are")} in promotion ${promotionId} "${promotionName}" at a price below the floor: ${named.join(", ")}${more}. Nothing takes ${Plural.choose(count, "it", "them")} out but a person in the seller's cabinet`
}

const unreadCalendar = (
  { promotions, readAt, what }: Extract<Because, { readonly code: "calendar_unread" }>,
  { nowMs }: Around
): string => {
  const whose =
    what === "list"
      ? "the calendar: "
      : `${Plural.choose(promotions.length, "promotion", "promotions")} ${promotions.join(", ")}: `
  const things = { list: "list of promotions", details: "dates and figures", items: "items" }[what]
  const hours = Math.floor((nowMs - (readAt ?? 0)) / 3_600_000)
  const when =
    readAt === undefined ? "not read yet" : `last read ${Plural.of(hours, "hour")} ago, which counts no more`
  return `${whose}${things} ${when}; the limit leaves one call an hour, and the next runs go on from here`
}

const untold = (
  { chargedKopecks, days, statedKopecks }: Extract<UnknownReason, { readonly code: "spend_untold" }>,
  { currency }: Around
): string => {
  const perDay = (kopecks: number) => Print.money(Math.round(kopecks / days), Print.currencySign(currency))
  return `the statistics of ${Plural.of(days, "day")} tell of ${perDay(statedKopecks)} a day, and ${perDay(chargedKopecks)} a day was charged: they leave something out, so nobody knows what the budget is spent on`
}

const silent = ({
  active,
  clusters,
  days,
  itemId,
  views
}: Extract<UnknownReason, { readonly code: "clusters_silent" }>): string => {
  const which =
    active === 0
      ? `no cluster of item ${itemId} is told of`
      : `${clusters} of ${Plural.of(active, "active cluster")} of item ${itemId} ${Plural.choose(clusters, "has", "have")} no statistics of ${Plural.of(days, "day")}`
  return `${which}, and ${Plural.of(views, "view")} of it came by none of the others: nobody knows which bid brought what`
}

const nothing = (
  { keptKopecks, kopecks }: Extract<UnknownReason, { readonly code: "budget_nothing" }>,
  { currency }: Around
): string => {
  const amount = (value: number) => Print.money(value, Print.currencySign(currency))
  return keptKopecks === 0
    ? `the budget came to ${amount(kopecks)}, of which nothing can be shared out`
    : `the budget came to ${amount(kopecks)}, and ${amount(keptKopecks)} a day are kept for campaigns that stand still and will spend again, so nothing is left to share out`
}

/** Why nobody can decide on a row. */
const unknown = (because: UnknownReason, near: Around): string => {
  switch (because.code) {
    case "condition_unknown":
      return lacking(because, near)
    case "fact_unknown":
      return `${because.fact} is unknown: ${explained(because.reason, near)}`
    case "fact_malformed":
      return `${because.fact} is ${endless[because.value] ?? because.value}, not ${because.wanted}`
    case "spend_untold":
      return untold(because, near)
    case "clusters_unlisted":
      return `the statistics of ${Plural.of(because.days, "day")} name ${Plural.of(because.clusters, "cluster")} of item ${because.itemId}, with ${Plural.of(because.views, "view")}, which the list of its clusters leaves out: nobody knows which bid brought what`
    case "clusters_silent":
      return silent(because)
    case "budget_nothing":
      return nothing(because, near)
    case "spend_to_come_unknown":
      return `campaign ${because.campaignId} stands still and will spend of the account's budget too, for this plan starts it or its pause ends by itself, and nobody knows how much`
    case "overlap_unread":
      return `whether the item is in ${other(because)} at the same time could not be read`
    case "payment_type_unknown":
      return `payment type "${because.payment}" is not known`
    case "minimum_bid_unknown":
      return "the minimum bid is unknown, so nobody can say how low it may go"
    case "change_pending":
      return explained("pending", near)
    case "items_change_pending":
      return "it has no bid of its own, and a change of its item's was not read back yet"
    case "payment_open":
      return Kinds.paysOf(because)?.open ?? explained("pending", near)
    case "watch_row_unread":
      return `${mark(because)}: the row was not read, so nobody can tell whether the change did harm`
    case "watch_condition_unknown":
      return `${mark(because)}: ${lacking(because, near)}`
  }
}

const lacking = (
  { condition, reason }: { readonly condition: string; readonly reason?: Reason.Reason },
  near: Around
): string => `${condition}: ${reason === undefined ? "unknown" : explained(reason, near)}`

/** What a live run had left out for want of calls, a past one never asked. */
const explained = (reason: Reason.Reason, { isPast = false }: Around): string =>
  isPast && reason === "notFetched" ? "not recorded that day" : Reason.explain[reason]

const mark = ({ hours, runId }: { readonly hours: number; readonly runId: string }): string =>
  `watch ${hours}h after ${runId}`

/** Why a matched row stays as it is. */
const unchanged = (because: UnchangedReason, near: Around): string => {
  const money = (kopecks: number) => Print.money(kopecks, Print.currencySign(near.currency))
  const limit = ({ kopecks, name, where }: LimitNamed) => `${name} ${money(kopecks)} (${where})`
  switch (because.code) {
    case "status_already":
      return `already ${because.status}`
    case "minus_already":
      return because.listed ? "already a minus phrase" : "not a minus phrase"
    case "placements_already":
      return `already shown in: ${because.shown}`
    case "bid_already": {
      // What set_bid aims at may be another amount only so near to the bid.
      const isNear = because.limit.name === "to" && because.limit.kopecks !== because.bidKopecks
      return `already there${isNear ? ", within the deadband" : ""}: bid ${money(because.bidKopecks)}, ${limit(because.limit)}`
    }
    case "no_room":
      return `no room to move: bid ${money(because.bidKopecks)}, ${limit(because.limit)}`
    case "overlay_no_room":
      return `no room for the overlay: ${limit(because.limit)}`
    case "cap_below_minimum":
      return `${limit(because.cap)} is below ${limit(because.minimum)}`
    case "max_bid_below_minimum":
      return `max_bid ${money(because.mostKopecks)} (${because.where}) is below the marketplace's minimum bid ${money(because.leastKopecks)}`
    case "minus_list_full":
      return `the list is full: ${because.phrases} phrases with this plan's, max_total ${because.most}`
    case "balance_too_low":
      return `${because.balance} has ${money(because.kopecks)}, ${money(because.neededKopecks)} are needed`
    case "bids_closed":
      return `bids of a campaign that is ${because.status} cannot be changed`
    case "minus_closed":
      return `minus phrases of a campaign that is ${because.status} cannot be changed`
    case "deposits_closed":
      return `a campaign that is ${because.status} takes no money`
    case "status_unreachable":
      return `a campaign that is ${because.status} cannot become ${because.wanted}`
    case "bid_step_unknown":
      return `the bid step for ${because.payment} in ${because.currency} is not known`
    case "cooldown":
      return `cooldown until ${clock(because, near)}`
    case "watch_rests":
      return `its watch took a change back; left alone until ${clock(because, near)}`
    case "refused_before":
      return `${because.page === true ? "a web page of somebody on the way, such as a firewall," : "the marketplace"} refused the same before; tried again from ${clock(because, near)}`
    case "hold_for":
      return `hold_for: matched in ${because.runs} of ${because.wanted} runs`
    case "held_back":
      return `held back by ${because.by.join(", ")}${because.tier === undefined ? "" : ` (tier ${because.tier})`}`
    case "overtaken":
      return overtaken(because)
    case "paused_by":
      return `${because.policy} paused the campaign, which gets no money from rules then: if its budget is empty it cannot start again before a person tops it up`
    case "paused_above":
      return `${because.policy} (tier ${because.tier}) paused the campaign: ${because.takesBack ? "it, or a person, starts" : "without revert_when a person starts"} it again`
    case "overlay_keeps_bid":
      return `the base would move, but the overlay of ${because.policy} keeps the bid where it is`
    case "items_overlay":
      return `it has no bid of its own, and the overlay of ${because.policy} stands over its item's; it is moved when that is over`
    case "items_overlay_left":
      return `it has no bid of its own, and the overlay of ${because.policy} stands over its item's, which no rule ends: set the item's bid by hand, or bring its base back as the plan's notice says`
    case "overlay_of_other":
      return `${because.tier === undefined ? `the cheaper overlay of ${because.policy}` : `the overlay of ${because.policy} (tier ${because.tier})`} stands; this one is laid when that is over`
    case "overlay_unbounded":
      return `the overlay of ${because.policy} stands, and nothing says how high it may go`
    case "watch_keeps":
      return `${mark(because)}: it would be taken back, but ${kept(because.because)}`
    case "undo_leaves":
      return `${because.action} of ${because.runId} stays: ${WayBackReasons.text(because.because)}`
    case "price_quarantine":
      return `the price would fall from ${money(because.priceKopecks)} to ${money(because.planPriceKopecks)}: a fall of three times puts the item into quarantine`
    case "price_floor":
      return `the plan price ${money(because.planPriceKopecks)} is below the item's floor ${money(because.floorKopecks)}`
    case "never_touch":
      return HeldReasons.line(because, near)
    case "overlap_in":
      return `the item is in ${other(because)} at the same time`
    case "overlap_filed":
      return `the item was filed for ${other(because)}, which runs at the same time; its list does not show it yet`
    case "overlap_planned":
      return `the item joins ${other(because)} at the same time, in this plan`
    case "set_dearer":
      return `not among the cheapest ${because.items}: it would cost ${money(because.costKopecks)} a day`
    case "set_too_few":
      return `the next tier asks for ${Plural.of(because.needed, "more item")}, and ${because.candidates === 0 ? "none" : `only ${because.candidates}`} can join`
    case "set_too_dear":
      return `the cheapest ${because.items} that reach the next tier cost ${money(because.kopecks)} a day, at_most ${money(because.mostKopecks)}`
    case "set_waits":
      return `${Plural.of(because.items, "item")} filed before ${because.items === 1 ? "is" : "are"} not in the promotion's list yet: until then nobody knows how many are missing`
    case "set_unneeded":
      return `the next tier asks for ${Plural.of(because.needed, "more item")}, and other rules enrol ${because.items} in this plan: it may be reached without the set`
    case "left_at_rest":
      return `leave: ${because.condition} keeps it as it is, a minus phrase: optimise let it rest ${Plural.of(because.days, "day")} ago. Take the phrase away where it is to be shown`
    case "left_by_rule":
      return `leave: ${because.condition}`
    case "no_cap_for_payment":
      return `cap: has no amount for ${because.payment}`
    case "budget_pays_uncapped":
      return `the budget also pays for ${Plural.of(because.campaigns, "campaign")} for which cap: has no amount (${because.payment}), about ${money(because.spendKopecks)} a day: give cap an amount for ${because.payment}, or leave them out by where:`
    case "optimised_already":
      return `bid ${money(because.bidKopecks)}: ${kepts[because.bound]}`
    case "order_earns_nothing":
      return `an order leaves ${money(because.kopecks)} before advertising: no bid pays, and nothing is negated for that; see its price and costs`
    case "later_run":
      return `would move, but ${because.where} lets ${Plural.of(because.most, "change")} a run go: its turn comes after those with more money`
    case "parked_for":
      return `parked: it comes back in ${Plural.of(because.days, "day")}`
    case "set_of_other":
      return `${because.policy} reaches the tier of this promotion`
    default:
      return sentences[because.code]
  }
}

const other = ({
  promotionId,
  promotionName
}: {
  readonly promotionId: number
  readonly promotionName: string
}) => `promotion ${promotionId} ${promotionName}`.trim()

type Kept = Extract<UnchangedReason, { readonly code: "watch_keeps" }>["because"]

const overtaken = (because: Extract<UnchangedReason, { readonly code: "overtaken" }>): string => {
  const { by, only } = because
  const { does, so, would } = Kinds.of(because).overtaking ?? pointless
  return only === undefined ? `${by} ${does}, ${so}` : `${by} would ${would}, ${so}, ${unsure[only]}`
}

const unsure = {
  asked: "if a person agrees (bidhelm approvals); until that is answered it stays as it is",
  shown: "but only shows it (mode: preview)",
  held: "but is held back itself; this stays as it is as well",
  looks: "but this run only looks"
}

const pointless = {
  does: "does what comes before it",
  would: "do what comes before it",
  so: "which makes it pointless"
}

const kept = (because: Kept): string =>
  because.code === "changed_since" ? "somebody has changed the value since" : WayBackReasons.text(because)

/** `15:00`, with the day in front when it is not the plan's. */
const clock = (
  { until, zone }: { readonly until: number; readonly zone: string },
  { nowMs }: Around
): string =>
  Days.at(until, zone) === Days.at(nowMs, zone) ? When.clock(until, zone) : When.text(until, zone)

type Bound = Extract<UnchangedReason, { readonly code: "optimised_already" }>["bound"]

const kepts: Readonly<Record<Bound, string>> = {
  optimum: "no better one is known",
  cap: "more would pay, and cap: or max_bid is reached",
  floor: "less would pay, and the marketplace takes no lower bid",
  move: "it is on its way, as far as move: lets it go",
  budget: "more would pay, and the budget has better uses",
  drr: "more would pay, and drr: is reached",
  deadband: "the best bid is within the deadband",
  break_even: "more would cost what it brings",
  exploration: "shown to learn what it brings"
}

/** Codes without fields. */
type Bare = {
  [R in UnchangedReason as keyof Omit<R, "code"> extends never ? R["code"] : never]: string
}

const sentences: Readonly<Bare> = {
  enrolled_already: "the item is in the promotion",
  filed_before: "the item was filed for this promotion before; it is filed once only",
  promotion_auto: "the marketplace fills this promotion itself: nobody can enter it",
  promotion_over: "the promotion is over",
  set_reached: "the promotion reaches the tier already",
  out_of_stock: "the item is sold out: it would join and sell nothing",
  set_tier_highest: "the promotion is on its highest tier: there is none to reach",
  overlay_already: "the overlay stands already",
  placements_closed: "the campaign is in a status that takes no changes",
  minus_takes_no_bid: "a minus phrase takes no bid: it is not shown",
  no_cluster_bids: "only campaigns with custom bids paid per 1000 impressions have cluster bids",
  no_placements: "only campaigns with custom bids paid per 1000 impressions have placements to set",
  campaign_has_no_bid: "a campaign has no bid: write each: campaign_item",
  minus_needs_cluster: "minus phrases need each: cluster",
  shown_nowhere: "the campaign would be shown nowhere; to stop it, pause it",
  overlay_needs_cap: "an overlay upwards needs a cap",
  no_new_statistics: "no statistics newer than the bid's last change",
  overlay_disturbed: "somebody changed the bid since the overlay began: theirs holds until the next time",
  overlay_kept: "keeps its overlay while nobody can decide on it",
  curve_contradicts:
    "what is known of bids and views contradicts itself, so nobody can say what a bid would bring",
  statistics_impossible: "its statistics cannot be true: a count below zero, or of no time at all",
  out_of_money:
    "its budget is empty, so it is not shown: none of its bids is changed, and it takes no share of a budget until money comes. Deposit to it, or pause it",
  cap_below_floor: "cap: is below the marketplace's minimum bid",
  floor_out_of_reach: "the marketplace's minimum bid is farther away than a bid moves in a day",
  minus_stays: "a minus phrase, and not one that is only parked",
  moved_today: "moved today already; optimise moves a bid once a day"
}

/** What has no digits, in the words of the docs (`Print.cell`). */
const endless: Readonly<Record<string, string>> = { Infinity: "infinite", "-Infinity": "minus infinite" }
