/** The keys of rule files, for checks that look at raw text. `Schema.ts` says what each holds. */

export const policyTop = [
  "version",
  "name",
  "mode",
  "auto_approve",
  "schedule",
  "each",
  "where",
  "window",
  "when",
  "do",
  "revert_when",
  "during",
  "rules",
  "tier",
  "if_unknown",
  "max_unknown",
  "hold_for",
  "cooldown",
  "watch",
  "partial",
  "limits",
  "vars",
  "use",
  "with"
]

const varsTop = ["version", "kind", "vars"]

const templatesTop = ["version", "kind", "templates"]

/** What a template may hold beside its `params:`. */
export const templateBody: ReadonlyArray<string> = policyTop.filter(
  (key) => !/^(version|name|vars|use|with)$/.test(key)
)

const factsTop = ["version", "kind", "source", "join", "fields", "max_age"]

const limitsTop = ["version", "kind", "account", "campaigns"]

const fulfilmentTop = [
  "version",
  "kind",
  "name",
  "mode",
  "schedule",
  "warehouses",
  "waves",
  "confirm_after",
  "supply",
  "labels",
  "passes",
  "deliver"
]

/** Those that start their line in a text. */
export const topOf = (text: string): ReadonlyArray<string> => {
  const kind = /^kind:\s*["']?(limits|fulfilment)/m.exec(text)?.[1]
  return kind === "limits" ? limitsTop : kind === "fulfilment" ? fulfilmentTop : policyTop
}

const fulfilmentNested = [
  "collect_until",
  "hand_over_by",
  "max_orders",
  "size",
  "sort",
  "separators",
  "own_page",
  "driver",
  "first_name",
  "last_name",
  "car",
  "model",
  "number",
  "office",
  "book_before"
]

const nested = [
  "after",
  "roll_back_when",
  "every",
  "at",
  "days",
  "between",
  "tz",
  "last",
  "settle",
  "by",
  "toward",
  "cap",
  "floor",
  "to",
  "max_step",
  "deadband",
  "placement",
  "max_total",
  "changes_per_run",
  "share_of_scope",
  "excess",
  "move_per_day",
  "max_bid",
  "cpm",
  "cpc",
  "kill_switch",
  "human_edit_hold",
  "bid_change",
  "never_touch",
  "raise_bid",
  "lower_bid",
  "set_bid",
  "add_minus",
  "remove_minus",
  "pause",
  "start",
  "adjust_bid",
  "deposit",
  "amount",
  "from",
  "placements",
  "search",
  "recommendations",
  "notify",
  "enrol",
  "reach_tier",
  "at_most",
  "overlap",
  "optimise",
  "goal",
  "margin",
  "budget",
  "budget_of",
  "drr",
  "move",
  "explore",
  "minus",
  "park",
  "leave",
  "irreversible",
  "text",
  "money_per_day",
  "policy_money_per_day",
  "spend_per_day",
  "enforce_max_bid",
  "time",
  "params",
  "csv",
  "delimiter",
  "decimal",
  "column",
  "type"
]

/** Every key any rule file may hold. */
export const all: ReadonlySet<string> = new Set([
  ...policyTop,
  ...limitsTop,
  ...varsTop,
  ...templatesTop,
  ...factsTop,
  ...fulfilmentTop,
  ...fulfilmentNested,
  ...nested
])

/** Keys the language reserves for features this version does not have. */
export const later: ReadonlyArray<string> = []

/** Actions the language reserves for features this version does not have. */
export const laterActions: ReadonlyArray<string> = ["assemble", "deliver_supply", "promo_enrol"]
