/**
 * What holds a change of a plan: a code with typed fields, as the plan keeps it. The program decides by the code alone;
 * sentences are made in `reporting/HeldReasons`. Amounts are kopecks; instants epoch milliseconds; `zone` is the IANA zone
 * they are shown in. `where` is the place of a limit: a file and its key. `said` is the text of others.
 */
import * as Schema from "effect/Schema"
import { coded } from "../../domain/Coded.js"
import * as Hash from "../../domain/Hash.js"
import { budgetNoRoom, holdFields } from "../../domain/OutcomeReason.js"
import { unknowns } from "../../domain/Reason.js"

const amount = Schema.Number
const where = { where: Schema.String }
const zoned = { zone: Schema.String }
const until = { until: Schema.Number, ...zoned }
const said = { said: Schema.String }
const value = Schema.Union(Schema.Number, Schema.String, Schema.Boolean)
const why = Schema.optionalWith(Schema.String, { exact: true })

/** What was paid in before, of it what the marketplace alone lists, and what this deposit would add. */
const deposits = { kopecks: amount, beforeKopecks: amount, listedKopecks: amount, moreKopecks: amount }

/** Rows that count against a share, of how many, and how many may. */
const share = { basisPoints: Schema.Number, rows: Schema.Int, of: Schema.Int, most: Schema.Int }

/** Why so many rows could not be read, those of the most rows first. */
export const Unread = Schema.Array(Schema.Struct({ reason: Schema.Literal(...unknowns), rows: Schema.Int }))

/** Too many rows of a policy could not be read; absent reasons are those of a plan from before they were kept. */
export const MaxUnknown = coded("max_unknown", {
  ...where,
  ...share,
  reasons: Schema.optionalWith(Unread, { exact: true })
})
export type MaxUnknown = typeof MaxUnknown.Type

/** What `never_touch` means, or may mean; not `read` where that could not be looked at. `what` is a campaign when absent. */
export const NeverTouch = coded("never_touch", {
  line: Schema.Int,
  condition: Schema.String,
  read: Schema.Boolean,
  what: Schema.optionalWith(Schema.Literal("item", "campaign_of_item"), { exact: true })
})
export type NeverTouch = typeof NeverTouch.Type

/** The limit, the person or the state of the account that holds a change: what is counted, and what rules can change. */
export const HeldBy = Schema.Literal(
  "balance",
  "budget",
  "changes_per_run",
  "clock",
  "costs",
  "during",
  "first_day",
  "forecast",
  "hold",
  "human_edit",
  "kill_switch",
  "max_bid",
  "max_unknown",
  "money_per_day",
  "never_touch",
  "policy",
  "policy_money_per_day",
  "price_floor",
  "reconciled",
  "rejected",
  "set",
  "share_of_scope",
  "spend_per_day",
  "switched_off"
)
export type HeldBy = typeof HeldBy.Type

/** Of others that are held, so many by one word: whose, and what a person said of it. */
const HeldOthers = Schema.Struct({
  by: HeldBy,
  who: Schema.optionalWith(Schema.String, { exact: true }),
  why,
  changes: Schema.Int
})
type HeldOthers = typeof HeldOthers.Type

export const HeldReason = Schema.Union(
  // People.
  coded("kill_switch", said),
  coded("hold", { ...holdFields, ...zoned }),
  coded("rejected", { who: Schema.String, why, ...until }),
  coded("human_edit", {
    slot: Schema.String,
    ours: value,
    writtenAt: Schema.Number,
    live: value,
    firstSeenAt: Schema.Number,
    ...until
  }),
  coded("human_edit_unsettled", until),
  // Limits.
  NeverTouch,
  coded("price_floor", { planPriceKopecks: amount, floorKopecks: amount }),
  coded("price_floor_unknown", { reason: Schema.Literal(...unknowns) }),
  /** Floors stood in this table until that day, and no table has their column now. */
  coded("price_floors_gone", { path: Schema.String, lastSeen: Schema.String }),
  /** The economics table says something else of a term (a fact) than when it was planned; null where it says nothing. */
  coded("costs_changed", { term: Schema.String, was: Schema.NullOr(value), now: Schema.NullOr(value) }),
  /** The store was restored and reconciled lately: what was filed before may be on its way, and it does not know of it. */
  coded("filed_before_reconcile", until),
  coded("max_bid", { ...where, kopecks: amount, bidKopecks: amount }),
  coded("changes_per_run", { ...where, most: Schema.Int, changes: Schema.Int }),
  coded("share_of_scope", { ...where, ...share }),
  MaxUnknown,
  coded("spend_per_day", {
    ...where,
    kopecks: amount,
    spentKopecks: amount,
    plannedKopecks: amount,
    moreKopecks: amount
  }),
  coded("spend_unknown", { ...where, kopecks: amount, ...said }),
  coded("money_per_day", { ...where, ...deposits }),
  coded("policy_money_per_day", { ...where, ...deposits }),
  coded("balance", { from: Schema.String, ...deposits }),
  coded("deposits_unknown", {}),
  /** By how many milliseconds this machine's clock is ahead of the marketplace's; negative where it is behind. */
  coded("clock_apart", { aheadMs: Schema.Number }),
  /** By the marketplace's clock it is another day. */
  coded("another_day", said),
  coded("first_day_forgotten", { account: Schema.String, sinceMs: Schema.Number, ...zoned }),
  coded("first_day_unlisted", { account: Schema.String, ...until }),
  coded("first_day_unread", { account: Schema.String, ...said }),
  /** Of a set that goes whole or not at all: so many of its items may go, and what holds the first other one, if anything does. */
  coded("set_parted", {
    items: Schema.Int,
    left: Schema.Int,
    first: Schema.optionalWith(Schema.String, { exact: true })
  }),
  /** All that it would be made for is held, so many changes, for more than one reason; `reasons` are the commonest. */
  coded("made_for_held", { changes: Schema.Int, reasons: Schema.Array(HeldOthers) }),
  // What was learned.
  /** On so many of so many judged days more or less came than was expected, `offPercent` of it in all (none where nothing was expected); `since` the last of them. */
  coded("forecast_missed", {
    policy: Schema.String,
    budget: Schema.String,
    figure: Schema.Literal("spend", "orders"),
    outside: Schema.Int,
    judged: Schema.Int,
    offPercent: Schema.optionalWith(Schema.Int, { exact: true }),
    since: Schema.String
  }),
  /** What would make room in the budget is held; a day of what goes, and what this one would add. */
  budgetNoRoom,
  // The rules, the account, the marketplace.
  coded("policy_unknown", { policy: Schema.String }),
  coded("during", { ...where, during: Schema.String, nowMs: Schema.Number, ...zoned }),
  coded("budget_empty", {}),
  /** A deposit was planned for a campaign that ran, and that somebody has stopped since; without `status` it is not listed, or how it stands could not be read. */
  coded("campaign_stopped", { status: Schema.optionalWith(Schema.String, { exact: true }) }),
  /** The marketplace lists its campaign no more among those that can be changed. */
  coded("campaign_over", {}),
  coded("switched_off", said)
).annotations({ identifier: "HeldReason" })
export type HeldReason = typeof HeldReason.Type

/** Whose word it is; several codes may be one limit's. A person's hold of every request is a kill switch. */
export const by = (because: HeldReason): HeldBy => {
  if (because.code === "made_for_held") return because.reasons[0]?.by ?? limits.made_for_held
  return because.code === "hold" && because.kind === "kill" ? "kill_switch" : limits[because.code]
}

/** So many reasons of others are kept. */
const mostReasons = 3

/** What holds something that is made for others, all of which are held: their reason where they have one, else the commonest, counted. */
export const madeForHeld = (reasons: ReadonlyArray<HeldReason>): HeldReason | undefined => {
  const [first] = reasons
  if (first === undefined || new Set(reasons.map((reason) => Hash.of(reason))).size === 1) return first
  const words = new Map<string, HeldOthers>()
  for (const reason of reasons) {
    const word = wordOf(reason)
    const key = Hash.of(word)
    words.set(key, { ...word, changes: (words.get(key)?.changes ?? 0) + 1 })
  }
  const commonest = [...words.values()].toSorted((a, b) => b.changes - a.changes)
  return { code: "made_for_held", changes: reasons.length, reasons: commonest.slice(0, mostReasons) }
}

const wordOf = (reason: HeldReason): Omit<HeldOthers, "changes"> => {
  const said = reason.code === "hold" || reason.code === "rejected" ? reason : undefined
  const who = said?.code === "hold" ? said.by : said?.who
  return {
    by: by(reason),
    ...(who === undefined ? {} : { who }),
    ...(said?.why === undefined ? {} : { why: said.why })
  }
}

const limits: Readonly<Record<HeldReason["code"], HeldBy>> = {
  kill_switch: "kill_switch",
  hold: "hold",
  rejected: "rejected",
  human_edit: "human_edit",
  human_edit_unsettled: "human_edit",
  never_touch: "never_touch",
  price_floor: "price_floor",
  price_floor_unknown: "price_floor",
  price_floors_gone: "price_floor",
  costs_changed: "costs",
  filed_before_reconcile: "reconciled",
  max_bid: "max_bid",
  changes_per_run: "changes_per_run",
  share_of_scope: "share_of_scope",
  set_parted: "set",
  made_for_held: "hold",
  max_unknown: "max_unknown",
  spend_per_day: "spend_per_day",
  spend_unknown: "spend_per_day",
  money_per_day: "money_per_day",
  policy_money_per_day: "policy_money_per_day",
  balance: "balance",
  deposits_unknown: "money_per_day",
  clock_apart: "money_per_day",
  another_day: "clock",
  first_day_forgotten: "first_day",
  first_day_unlisted: "first_day",
  first_day_unread: "first_day",
  forecast_missed: "forecast",
  policy_unknown: "policy",
  during: "during",
  budget_empty: "budget",
  campaign_stopped: "human_edit",
  campaign_over: "human_edit",
  budget_no_room: "budget",
  switched_off: "switched_off"
}
