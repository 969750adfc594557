/** The keys of rule files, for checks that look at raw text. `Schema.ts` says what each holds. */

export const policyTop = [
  "version",
  "name",
  "mode",
  "schedule",
  "each",
  "where",
  "window",
  "when",
  "do",
  "rules",
  "tier",
  "if_unknown",
  "max_unknown",
  "hold_for",
  "cooldown",
  "limits",
  "vars"
]

export const varsTop = ["version", "kind", "vars"]

export const limitsTop = ["version", "kind", "account", "campaigns"]

const nested = [
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
  "move_per_day",
  "max_bid",
  "cpm",
  "cpc",
  "kill_switch",
  "never_touch",
  "raise_bid",
  "lower_bid",
  "set_bid",
  "add_minus",
  "remove_minus",
  "pause",
  "start"
]

/** Every key any rule file may hold. */
export const all: ReadonlySet<string> = new Set([...policyTop, ...limitsTop, ...varsTop, ...nested])

/** Keys the language reserves for features this version does not have. */
export const later: ReadonlyArray<string> = [
  "during",
  "money_per_day",
  "partial",
  "policy_money_per_day",
  "revert_when",
  "spend_per_day",
  "use",
  "with"
]

/** Actions the language reserves for features this version does not have. */
export const laterActions: ReadonlyArray<string> = [
  "adjust_bid",
  "assemble",
  "deliver_supply",
  "deposit",
  "notify",
  "placements",
  "promo_enrol"
]
