/** Every diagnostic code, with an example of the mistake; the reference for marketers is checked against it. */

export const codes = {
  Y01: { mistake: "a tab starts a line", example: "⇥do: pause" },
  Y02: { mistake: "an invisible character", example: "a no-break space before do" },
  Y03: { mistake: "no space after a colon", example: "{cap:450 ₽}" },
  Y04: { mistake: "a misaligned line", example: "do one space left of when" },
  Y05: { mistake: "a comparison without a field", example: "when: > 500" },
  Y06: { mistake: "the percent sign in front", example: "by: %5" },
  Y07: { mistake: "a second colon in a line", example: "name: Sale: June" },
  Y08: { mistake: "text dropped as a comment", example: "query contains #sale" },
  Y09: { mistake: "a comma splits a value", example: "{changes_per_run: 2,000}" },
  Y10: { mistake: "brackets inside a bracketed list", example: "[campaign.status in [active]]" },
  Y11: { mistake: "conditions without dashes", example: "two lines under when:" },
  Y12: { mistake: "no space after a dash", example: "-views > 5" },
  Y13: { mistake: "a key twice", example: "when: … when: …" },
  Y14: { mistake: "an exclamation mark", example: "!campaign.search" },
  Y15: { mistake: "an open quote", example: 'name: "Sale' },
  Y16: { mistake: "a leading asterisk", example: "name: *sale*" },
  Y17: { mistake: "curly quotes", example: "mode: “apply”" },
  Y18: { mistake: "several documents in a file", example: "---" },
  Y19: { mistake: "anchors, aliases, merge keys, tags", example: "&x, *x, <<, !!int" },
  Y20: { mistake: "a number that would change", example: "0123, or 19 digits" },
  Y21: { mistake: "a file beyond the bounds", example: "over 256 KiB" },
  Y22: { mistake: "unreadable YAML", example: "do: {a" },
  K01: { mistake: "an unknown key", example: "whne:" },
  K02: { mistake: "an unknown action", example: "rise_bid:" },
  K03: { mistake: "a missing option of an action", example: "raise_bid without cap" },
  K04: { mistake: "a word that is not possible here", example: "mode: on" },
  K05: { mistake: "a time zone that is not a city", example: "tz: MSK" },
  K06: { mistake: "not a time of day", example: 'at: "24:30"' },
  K07: { mistake: "a duration without a fixed length", example: "window: 1 month" },
  K08: { mistake: "a window longer than the history", example: "window: 90d" },
  K09: { mistake: "the wrong unit", example: "cap: 10%" },
  K10: { mistake: "floor above cap", example: "floor: 500 ₽, cap: 450 ₽" },
  K11: {
    mistake: "bid money while the payment type is open",
    example: "cap: 450 ₽ without campaign.payment"
  },
  K12: { mistake: "a deposit without a limit per day", example: "deposit without limits.money_per_day" },
  K13: { mistake: "a missing key", example: "no each:" },
  K14: { mistake: "a value out of bounds", example: "by: 500%" },
  K15: { mistake: "an action that does not fit each:", example: "each: campaign, do: raise_bid" },
  K16: { mistake: "the wrong kind of value", example: "when: {views: 5}" },
  K17: { mistake: "an unknown version", example: "version: 2" },
  K18: { mistake: "two files with one name", example: "a/01.yaml, b/01.yaml" },
  K19: { mistake: "a variable nothing uses (warning)", example: "vars: {daly: 3000 ₽}" },
  K20: { mistake: "when: or do: beside rules:", example: "when: … rules: …" },
  K21: { mistake: "a template that does not exist", example: "use: rise-to" },
  K22: { mistake: "a parameter that is not given", example: "use: raise-to, without with:" },
  K23: { mistake: "a parameter the template does not have", example: "with: {cpa: 450 ₽}" },
  K24: { mistake: "a template inside a template, or several", example: "use: [raise-to, lower-to]" },
  K25: { mistake: "a template nothing uses (warning)", example: "_shared/templates.yaml" },
  K31: { mistake: "during: and adjust_bid without each other", example: "adjust_bid without during:" },
  K32: { mistake: "a revert_when: that cannot take anything back", example: "revert_when: beside rules:" },
  K33: { mistake: "placements that are all off", example: "{search: off, recommendations: off}" },
  K34: { mistake: "a cooldown: for messages only (warning)", example: "do: notify, cooldown: 6h" },
  K35: {
    mistake: "auto_approve: where nothing asks",
    example: "mode: apply, auto_approve: {bid_change: 10%}"
  },
  K36: { mistake: "a watch: that cannot take anything back", example: "do: deposit, watch: …" },
  K37: {
    mistake: "a watch: that looks at days before the change (warning)",
    example: "after: 1d, roll_back_when: drr[7d] > 30%"
  },
  K38: { mistake: "an enrolment that asks nobody", example: "do: enrol, mode: apply" },
  K39: { mistake: "at_most: without a set that it bounds", example: "enrol: {at_most: 5000 ₽ per day}" },
  K40: { mistake: "two rules of a policy that reach for one tier", example: "two times reach_tier: next" },
  K41: { mistake: "a warehouse that is claimed twice", example: "warehouses: [507] in two policies" },
  K42: {
    mistake: "waves that an order could be in two of",
    example: 'collect_until: "12:30" of two waves of one day'
  },
  K43: { mistake: "a name that no supply can have", example: 'supply: {name: "{stock} {date}"}' },
  K44: { mistake: "a pass that the marketplace would refuse", example: "car: {number: А 123 ВС}" },
  K45: { mistake: "a margin with advertising in it", example: "optimise: {margin: margin}" },
  K46: { mistake: "statistics of days that are not over", example: "do: optimise, window: today" },
  K47: {
    mistake: "a part of what makes something dearer",
    example: "do: pause, limits: {excess: worst_first}"
  },
  K48: {
    mistake: "two rules of a policy that share the account's budget",
    example: "two times budget_of: account"
  },
  K49: {
    mistake: "a limits file that neither has limits nor does without (warning)",
    example: "kind: limits"
  },
  E01: { mistake: "an unknown field", example: "vews > 5" },
  E02: { mistake: "a field this row does not have", example: "acos per cluster" },
  E03: { mistake: "a bare number as a percentage", example: "ctr < 0.01" },
  E04: { mistake: "a bare number as money", example: "spend > 500" },
  E05: { mistake: "a decimal comma", example: "1,5%" },
  E06: { mistake: "a space inside a number", example: "1 000" },
  E07: { mistake: "an operator of another language", example: "=>, ≥, &&" },
  E08: { mistake: "two comparisons in a row", example: "1% < ctr < 2%" },
  E09: { mistake: "a missing and, or, or the end missing", example: "views > 5 ctr < 1%" },
  E10: { mistake: "and beside or without brackets", example: "a or b and c" },
  E11: { mistake: "things that cannot be compared", example: "spend > views" },
  E12: { mistake: "a Cyrillic letter in a word", example: "сtr" },
  E13: { mistake: "an unknown word of a list", example: "campaign.status = actve" },
  E14: {
    mistake: "a confidence or a function that does not exist",
    example: "acos < 10% with 95% confidence"
  },
  E15: { mistake: "a variable that is not defined", example: "$brnd" },
  E16: { mistake: "always or never true", example: "ctr < 100%" },
  E17: { mistake: "a statistic without a window", example: "ctr < 1%, no window:" },
  E18: { mistake: "a field that may not stand here", example: "where: ctr < 1%" },
  E19: { mistake: "a window on a field without one", example: "bid[7d]" },
  E20: { mistake: "a condition beyond the bounds", example: "over 4000 characters" },
  E21: {
    mistake: "a question about rows below where there are none",
    example: "each: cluster, all(bid < 90 ₽)"
  },
  E22: { mistake: "a brace that is not closed, or is empty", example: '"{spend spent"' },
  E23: {
    mistake: "several words in one text (warning)",
    example: 'query contains "кеды, боты"'
  },
  E24: { mistake: "letters of two alphabets in a word of a text (warning)", example: "пeрчатки" },
  S01: {
    mistake: "nothing keeps the rule from repeating",
    example: "raise_bid without statistics or cooldown"
  },
  S02: { mistake: "conditions that can never hold together", example: "views >= 500 and views < 100" },
  S03: { mistake: "rules that work against each other", example: "one raises a bid that another lowers" },
  S04: { mistake: "more calls than the limits allow", example: "a recommendation for 5,000 items every 3h" },
  S05: { mistake: "own facts that are missing for some items", example: "cost known for 812 of 950 items" },
  S06: { mistake: "a condition that says nothing new", example: "views >= 500, views >= 100" },
  S07: { mistake: "a rule that never has its turn", example: "orders >= 5 after orders >= 3" },
  S08: {
    mistake: "rows the marketplace cannot serve",
    example: "ctr per cluster without campaign.payment = cpm"
  },
  S09: { mistake: "a bid without a ceiling in money", example: "cap: recommended.top2, no max_bid" },
  S10: {
    mistake: "when: and revert_when: without a gap (warning)",
    example: "when: spend >= 3000 ₽, revert_when: spend < 3000 ₽"
  },
  S11: {
    mistake: "two policies that undo each other's work in turn (warning)",
    example: "pause when budget < 100 ₽, another starts when budget >= 100 ₽"
  },
  S12: {
    mistake: "costs that no table tells (warning)",
    example: "margin >= 18% without an economics table"
  },
  S13: {
    mistake: "a policy that moves what another optimises (warning)",
    example: "optimise, and raise_bid in the same campaigns"
  },
  S14: {
    mistake: "a start that never undoes a higher tier's pause (warning)",
    example: "tier: safety pauses without revert_when:, tier: normal starts"
  },
  S15: {
    mistake: "a policy that runs only while its clusters wait for an overlay (warning)",
    example: 'optimise at: "06:30", adjust_bid per item during: {time: "22:00-08:00"}'
  },
  F01: { mistake: "a data file that cannot be read", example: "csv: ../data/cots.csv" },
  F02: { mistake: "a column that the data file does not have", example: "column: price" },
  F03: { mistake: "an item with two values (warning)", example: "two lines with nm 1001" },
  F04: { mistake: "a value that cannot be read (warning)", example: "12O,50" },
  F05: { mistake: "data older than max_age (warning)", example: "cost.csv, 45 days old" }
} as const satisfies Record<string, { readonly mistake: string; readonly example: string }>

/** Codes of rule tests; their reference is `docs/rules/testing-rules.md`. */
export const testCodes = {
  T01: { mistake: "a policy that does not exist", example: "policy: 01-rase" },
  T02: { mistake: "nothing to test", example: "cases: []" },
  T03: { mistake: "a case that expects nothing, not even no change", example: "a case without expect:" },
  T04: { mistake: "a name or id twice", example: "two rows with id: a" },
  T05: { mistake: "a row that the case does not have", example: "expect: [{id: z, do: pause}]" },
  T06: { mistake: "a file that is never run", example: "rules/tests/01.yaml" },
  T07: { mistake: "a value that a test cannot give", example: "bid: min_bid" },
  T08: { mistake: "not an instant, or runs out of order", example: "now: yesterday" },
  T09: { mistake: "a fact that the policy does not read (warning)", example: "views[30d] for a rule over 7d" }
} as const satisfies Record<string, { readonly mistake: string; readonly example: string }>

export type Code = keyof typeof codes | keyof typeof testCodes
