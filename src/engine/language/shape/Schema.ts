/**
 * The shape of rule files: which keys, what each holds. One declaration for three readers: the loader (`Shape.ts`
 * walks it), editors (`print` makes a JSON Schema of it) and the reference. What a value means is checked elsewhere.
 */

import * as Schema from "effect/Schema"
import { week } from "../../../domain/Schedule.js"
import * as Level from "../../facts/Level.js"
import * as Fulfilment from "../Fulfilment.js"

const about = (description: string, examples: ReadonlyArray<string> = []) => ({
  description,
  jsonSchema: { description, type: "string", ...(examples.length === 0 ? {} : { examples }) }
})
/** A text with what it says and examples of it. */
const text = (description: string, ...examples: ReadonlyArray<string>) =>
  Schema.String.annotations(about(description, examples))

const whole = (description: string, minimum: number, maximum: number) =>
  Schema.Number.annotations({ description, jsonSchema: { type: "integer", minimum, maximum, description } })

const optional = Schema.optional

/** A condition, or a list of conditions that must all hold. */
const conditions = (description: string) =>
  Schema.Union(
    text("One condition.", "views >= 500"),
    Schema.Array(text("One condition.", "ctr < 1%"))
  ).annotations({
    description
  })

const maxBid = Schema.Struct({
  cpm: optional(text("The most per 1000 views.", "900 ₽")),
  cpc: optional(text("The most per click.", "40 ₽"))
}).annotations({ description: "The highest bid, by payment type." })

const placement = optional(
  Schema.Literal("search", "recommendations").annotations({
    description: "Which bid of the item; search unless said otherwise."
  })
)
const by = text("How far: a share, an amount or bid steps.", "10%", "15 ₽", "2 steps")
const toward = optional(text("Never beyond this value.", "recommended.reach_max"))
const cap = text("the most you will pay", "450 ₽")
const nothing = (description: string) =>
  Schema.Struct({}).annotations({
    description,
    jsonSchema: { type: "object", maxProperties: 0, description }
  })

const toggle = (description: string) =>
  Schema.Literal("on", "off", "yes", "no", true, false).annotations({ description })
const message = text("what a person should read; braces hold fields", "{campaign.name}: {spend} spent today")

/** Every action by its key, with the shape of its options. */
export const actions = {
  raise_bid: Schema.Struct({ by, toward, cap, placement }).annotations({ description: "Raises a bid." }),
  lower_bid: Schema.Struct({
    by,
    toward,
    floor: text("the least the bid may fall to", "min_bid", "120 ₽"),
    placement
  }).annotations({ description: "Lowers a bid." }),
  set_bid: Schema.Struct({
    to: text("the value to reach", "cpm * 15% / acos"),
    max_step: optional(text("The most one run moves the bid.", "15%")),
    deadband: optional(text("Smaller differences are left alone.", "5%")),
    floor: optional(
      text(
        "A cut stops here; a bid below it that should come down stays as it is, and is not raised.",
        "min_bid"
      )
    ),
    cap,
    placement
  }).annotations({ description: "Sets a bid to a computed value." }),
  adjust_bid: Schema.Struct({
    by: text("how far above (+) or below (-) the base bid", "+20%", "-15%"),
    cap: optional(text("the most you will pay", "600 ₽")),
    floor: optional(text("the least the bid may fall to", "min_bid", "120 ₽")),
    placement
  }).annotations({
    description: "Lays a share over the base bid while during: lasts; then the base returns."
  }),
  add_minus: Schema.Struct({
    max_total: optional(
      whole("The list of minus phrases grows no longer than this; 900 unless said.", 1, 1000)
    )
  }).annotations({ description: "Adds the cluster to the item's minus phrases." }),
  remove_minus: nothing("Takes the cluster off the item's minus phrases."),
  pause: nothing("Pauses the campaign."),
  start: nothing("Starts the campaign."),
  deposit: Schema.Struct({
    amount: text("how much money the campaign gets: whole roubles, 1000 ₽ or more", "2000 ₽"),
    from: Schema.Literal("balance", "net", "bonus").annotations({
      description: "which money pays: the prepaid balance, the settlement limit (net) or bonuses"
    })
  }).annotations({ description: "Tops the campaign's budget up. Needs limits.money_per_day." }),
  placements: Schema.Struct({
    search: optional(toggle("In search results; as it is unless said.")),
    recommendations: optional(toggle("In recommendations; as it is unless said."))
  }).annotations({ description: "Sets where a campaign with custom bids paid per 1000 views is shown." }),
  enrol: Schema.Struct({
    reach_tier: optional(
      Schema.Literal("next").annotations({
        description:
          "Of the items that match, the cheapest set that reaches the promotion's next tier; every one that matches unless said."
      })
    ),
    overlap: optional(
      Schema.Literal("allowed").annotations({
        description:
          "Lets an item join that is in another promotion at the same time, or joins one; it stays unless said."
      })
    ),
    at_most: optional(text("The most that the set may cost a day, beside reach_tier.", "5000 ₽ per day"))
  }).annotations({ description: "Files the item for its promotion. Nothing takes it out again." }),
  optimise: Schema.Struct({
    goal: optional(
      Schema.Literal("profit", "orders", "revenue").annotations({
        description: "What the budget is spent for; profit unless said."
      })
    ),
    margin: text(
      "what an order leaves before advertising: a share of its price, or money",
      "25%",
      "profit_per_order"
    ),
    budget: text("the most that advertising may cost a day", "3000 ₽", "$daily"),
    budget_of: optional(
      Schema.Literal("campaign", "account").annotations({
        description: "Whether each campaign has the budget, or all of them share it; campaign unless said."
      })
    ),
    drr: optional(text("Advertising costs no more than this share of what is ordered.", "15%")),
    cap: Schema.Struct({
      cpm: optional(text("The most per 1000 views.", "900 ₽")),
      cpc: optional(text("The most per click.", "40 ₽"))
    }).annotations({
      description: "the most you will pay; a bid whose payment type has no cap stays as it is"
    }),
    move: optional(text("The most one run moves a bid; 30% unless said.", "20%")),
    deadband: optional(text("Smaller differences are left alone; 5% unless said.", "5%")),
    explore: optional(
      text(
        "The most that learning may cost, as a share of the budget: bids of clusters of which little is known; 3% unless said.",
        "0%"
      )
    ),
    minus: optional(
      Schema.Literal("no", "with 95% confidence", "with 99% confidence", false).annotations({
        description:
          "How sure it must be that a cluster never pays before it becomes a minus phrase; with 99% confidence unless said."
      })
    ),
    park: optional(
      toggle(
        "Whether weak clusters become minus phrases for some days while the budget is short; yes unless said."
      )
    ),
    leave: optional(text("Clusters that are left as they are.", "query contains any $brand_words"))
  }).annotations({
    description: "Sets the bids and minus phrases of the campaigns that match, for the most within a budget."
  }),
  notify: Schema.Union(message, Schema.Struct({ text: message })).annotations({
    description: "Tells a person, and changes nothing."
  })
} as const

export type ActionKey = keyof typeof actions

const action = Schema.Union(
  Schema.Literal("add_minus", "remove_minus", "pause", "start", "enrol"),
  Schema.Struct({
    raise_bid: optional(actions.raise_bid),
    lower_bid: optional(actions.lower_bid),
    set_bid: optional(actions.set_bid),
    adjust_bid: optional(actions.adjust_bid),
    add_minus: optional(Schema.NullOr(actions.add_minus)),
    remove_minus: optional(Schema.NullOr(actions.remove_minus)),
    pause: optional(Schema.NullOr(actions.pause)),
    start: optional(Schema.NullOr(actions.start)),
    deposit: optional(actions.deposit),
    placements: optional(actions.placements),
    enrol: optional(Schema.NullOr(actions.enrol)),
    optimise: optional(actions.optimise),
    notify: optional(actions.notify)
  })
).annotations({ description: "What to do with a row that matches: exactly one action." })

const version = Schema.Literal(1).annotations({ description: "Version of the rules language: 1." })

const dayName = Schema.Literal(...week)

const schedule = Schema.Struct({
  every: optional(text("How often.", "3h", "30m")),
  at: optional(Schema.Union(text("A time of day.", "06:00"), Schema.Array(text("A time of day.", "06:00")))),
  days: optional(Schema.Array(dayName)),
  between: optional(text("Part of the day; it may go on past midnight.", "08:00-23:00")),
  tz: optional(text("Time zone, named by a city.", "Europe/Moscow"))
}).annotations({ description: "When the policy is due." })

const watch = Schema.Struct({
  after: Schema.Union(
    text("How long after a change it is looked at.", "1d"),
    Schema.Array(text("How long after a change it is looked at.", "1d"))
  ),
  roll_back_when: conditions("When a change is taken back; every condition must hold for its row.")
}).annotations({ description: "A second look at every change, which takes back what did harm." })

const during = Schema.Struct({
  days: optional(Schema.Array(dayName)),
  time: text("Part of the day; it may go on past midnight.", "18:00-23:00")
}).annotations({ description: "When adjust_bid holds, in the schedule's time zone." })

/** `window:` of a policy. */
export const Window = Schema.Union(
  text("Days the statistics are counted over.", "7d", "today", "yesterday"),
  Schema.Struct({
    last: text("Number of days.", "14d"),
    settle: optional(text("Days at the end that are still filling.", "1d"))
  })
).annotations({ description: "Days the statistics of the conditions are counted over." })

const bounds = {
  changes_per_run: optional(whole("The most changes one run makes.", 1, 1_000_000)),
  share_of_scope: optional(text("The largest share of the rows in scope one run changes.", "20%")),
  move_per_day: optional(text("Farthest a bid moves from the day's first bid.", "30%"))
}

const moneyPerDay = (description: string) => optional(text(description, "6000 ₽"))

const autoApprove = Schema.Struct({
  bid_change: optional(text("How far a bid moves in seven days, or since an approval.", "10%")),
  money_per_day: optional(text("The most one run may add to a day's spend, as estimated.", "500 ₽"))
}).annotations({ description: "What mode approve does without asking: small moves of bids." })

/** A value of a variable or a parameter. */
const variable = Schema.Union(Schema.String, Schema.Number, Schema.Boolean)
const vars = Schema.Record({
  key: Schema.String,
  value: Schema.Union(variable, Schema.Array(variable))
}).annotations({
  description: "Values with names: daily: 3000 ₽ is written $daily where the value should stand."
})

const when = conditions("When to act on a row; every condition must hold.")

/** One entry of `rules:`. */
export const Rule = Schema.Struct({
  name: optional(text("What the rule is called in previews.")),
  when,
  do: action
}).annotations({ description: "A rule: when it holds for a row, this is done." })

/** A policy: one file of `rules/`. */
export const Policy = Schema.Struct({
  version,
  name: text("What the policy is called in previews and reports."),
  mode: optional(
    Schema.Literal("preview", "approve", "apply", "disabled").annotations({
      description:
        "preview shows what it would do, approve asks a person first, apply does it, disabled does neither; preview unless said."
    })
  ),
  auto_approve: optional(autoApprove),
  irreversible: optional(
    Schema.Literal("accepted").annotations({
      description: "With mode: apply, says that what nobody can take back (enrol) needs no person."
    })
  ),
  schedule: optional(schedule),
  each: Schema.Literal(...Level.order).annotations({
    description:
      "What a row is: item is an item wherever it is advertised, campaign_item an item in a campaign, promotion_item an item that is in a promotion or may join it."
  }),
  where: optional(conditions("Which rows the policy is about, by lasting properties.")),
  window: optional(Window),
  vars: optional(vars),
  use: optional(text("Name of the template whose parts this policy takes over.", "raise-to")),
  with: optional(
    vars.annotations({ description: "Values for the template's parameters, such as cap: 450 ₽." })
  ),
  when: optional(when),
  do: optional(action),
  revert_when: optional(conditions("When to take back what this policy itself did to a row.")),
  during: optional(during),
  rules: optional(
    Schema.Array(Rule).annotations({
      description: "Several rules instead of when: and do:. The first that matches a row acts."
    })
  ),
  tier: optional(
    Schema.Literal("safety", "event", "normal", "explore").annotations({
      description:
        "Where several policies want the same thing changed, the highest tier decides; normal unless said."
    })
  ),
  if_unknown: optional(
    Schema.Literal("skip", "notify").annotations({
      description:
        "What to do about rows that cannot be decided on: nothing, or say so on top; skip unless said."
    })
  ),
  max_unknown: optional(
    text("Above this share of rows that could not be read, nothing is done; 20% unless said.", "20%")
  ),
  hold_for: optional(text("In how many runs in a row a rule must match before it acts.", "2 runs")),
  cooldown: optional(text("How long a row is left alone after a change.", "6h")),
  watch: optional(watch),
  partial: optional(
    Schema.Literal("rotate").annotations({
      description:
        "Where the call limit is too small for all rows: rotate looks at those first whose facts are oldest; those with the most money at stake unless said."
    })
  ),
  limits: optional(
    Schema.Struct({
      ...bounds,
      excess: optional(
        Schema.Literal("hold", "worst_first").annotations({
          description:
            "What becomes of minus phrases over changes_per_run and of changes over share_of_scope: hold does none of them, worst_first does as many as the limit allows, those that spend most first; hold unless said."
        })
      ),
      max_bid: optional(Schema.Union(text("The highest bid.", "450 ₽"), maxBid)),
      money_per_day: moneyPerDay("The most that deposits bring one campaign in a day."),
      policy_money_per_day: moneyPerDay("The most that all deposits of this policy bring in a day.")
    }).annotations({
      description: "What one run of this policy may not exceed."
    })
  )
}).annotations({ description: "A Bidhelm policy." })

/** A policy with `during:` or `optimise`: what to do is enough, since they say themselves when. */
export const OverlayPolicy = Schema.Struct({ ...Policy.fields, do: action })

/** A policy without `rules:`, which must say when it does what. */
export const PlainPolicy = Schema.Struct({ ...Policy.fields, when, do: action })

/** `_shared/vars.yaml`: variables of every policy. */
export const Vars = Schema.Struct({
  version,
  kind: Schema.Literal("vars").annotations({ description: "This file holds variables." }),
  vars
}).annotations({ description: "Variables that every Bidhelm policy may use." })

/** `_shared/limits.yaml`: what no policy may exceed. */
export const Limits = Schema.Struct({
  version,
  kind: Schema.Literal("limits").annotations({ description: "This file holds limits." }),
  account: optional(
    Schema.Struct({
      ...bounds,
      max_bid: optional(maxBid),
      enforce_max_bid: optional(
        Schema.Literal("preview", "apply", "off").annotations({
          description:
            "What becomes of item bids above max_bid that no rule touches: shown, lowered, or left; preview unless said."
        })
      ),
      money_per_day: moneyPerDay("The most that all deposits bring in a day."),
      spend_per_day: optional(
        text("Once all campaigns have spent this much today, nothing is made dearer.", "50000 ₽")
      ),
      kill_switch: optional(
        Schema.Boolean.annotations({ description: "true stops every change of the account." })
      ),
      human_edit_hold: optional(
        text("How long a value that somebody else set is left alone; 3d unless said, 0 never.", "3d")
      ),
      never_touch: optional(
        conditions(
          "Campaigns that are never changed, and items (by item.id, item.subject or columns of your own) that are changed in no campaign and join no promotion."
        )
      )
    }).annotations({ description: "Limits of the whole account." })
  ),
  campaigns: optional(
    Schema.Array(
      Schema.Struct({
        where: conditions("Which campaigns."),
        max_bid: optional(maxBid),
        changes_per_run: bounds.changes_per_run
      })
    ).annotations({ description: "Tighter limits for some campaigns." })
  )
}).annotations({ description: "Limits that no Bidhelm policy may exceed." })

// The shape of `_shared/templates.yaml` and of tables of own facts; the other files' shapes are in `Schema.ts`.

const optionalKey = Schema.optional

const parameter = Schema.Record({ key: Schema.String, value: Schema.Union(variable, Schema.Array(variable)) })

const {
  each: rows,
  name: _name,
  use: _use,
  vars: _vars,
  version: _version,
  with: _with,
  ...partly
} = Policy.fields

/** One template: parts of a policy, and what `$name` stands for in them. */
const Template = Schema.Struct({
  params: optionalKey(
    parameter.annotations({
      description: "Names with default values, or with the word required: cap: required, step: 10%."
    })
  ),
  each: optionalKey(rows),
  ...partly
}).annotations({ description: "A part of a policy: any of its keys." })

/** `_shared/templates.yaml`: parts that policies have in common. */
export const Templates = Schema.Struct({
  version,
  kind: Schema.Literal("templates").annotations({ description: "This file holds templates." }),
  templates: Schema.Record({ key: Schema.String, value: Template }).annotations({
    description: "Templates by the names that use: takes."
  })
}).annotations({ description: "Parts of policies that several Bidhelm policies share." })

/** One field of `fields:`. */
export const FactColumn = Schema.Struct({
  column: text("Name of the column in the table's first line.", "cost"),
  type: Schema.Literal("money", "count", "number", "ratio", "text", "yes_no", "labels").annotations({
    description: "What the column holds."
  })
}).annotations({ description: "Which column, and what it holds." })

const source = {
  csv: text(
    "Path of the table, starting at this file's folder: a CSV file, or the first sheet of an .xlsx.",
    "../data/cost.csv",
    "../data/cost.xlsx"
  ),
  delimiter: optionalKey(
    Schema.Literal(",", ";", "\t", "|").annotations({
      description: "What stands between columns of a CSV file; a comma unless said."
    })
  )
}

/** `_shared/economics.yaml`: where the economics table lies, if it is not `_shared/economics.csv` or `.xlsx`. */
export const Economics = Schema.Struct({
  version,
  kind: Schema.Literal("economics").annotations({ description: "This file says where your costs are." }),
  source: Schema.Struct(source).annotations({ description: "Where the table is." }),
  max_age: optionalKey(text("Values of an older file are not used.", "30d"))
}).annotations({ description: "Your economics table: what each item costs." })

/** `_shared/cost.yaml` and its like: facts from a table of the seller's. */
export const Facts = Schema.Struct({
  version,
  kind: Schema.Literal("facts").annotations({ description: "This file describes a table of yours." }),
  source: Schema.Struct({
    ...source,
    decimal: optionalKey(
      Schema.Literal(".", ",").annotations({
        description: "The mark before the fraction; a point unless said."
      })
    )
  }).annotations({ description: "Where the table is and how it is written." }),
  join: text(
    "Which column holds the item's number, the campaign's number, or the query of a cluster.",
    "item.id = nm",
    "campaign.id = campaign",
    "query = phrase"
  ),
  fields: Schema.Record({ key: Schema.String, value: FactColumn }).annotations({
    description:
      "Fields by the names that conditions use, such as item.cost, campaign.labels or cluster.labels."
  }),
  max_age: optionalKey(text("Values of an older file are not used.", "30d"))
}).annotations({ description: "A table of yours as fields of items, campaigns or clusters." })

// The shape of policies of `kind: fulfilment`.

/** One entry of `waves:`. */
const Wave = Schema.Struct({
  name: text("What the wave is called; no other wave of the file has the name.", "morning"),
  collect_until: text("Time of day; orders that come later are of the next wave.", "12:30"),
  hand_over_by: text("Time of the same day by which its supplies are handed over.", "14:00"),
  days: optional(Schema.Array(dayName).annotations({ description: "Every day unless said." })),
  tz: optional(
    text("Time zone, named by a city; Europe/Moscow unless said. One for all waves.", "Europe/Moscow")
  )
}).annotations({ description: "Orders that are gathered, packed and handed over together." })

const supplyOf = Schema.Struct({
  name: optional(
    text(
      "What supplies are called, with {warehouse}, {date}, {wave}, {cargo}, {border}, {buyer} and {n}.",
      "{warehouse} {date} {wave} {cargo}"
    )
  ),
  max_orders: optional(whole("The most orders of one supply; 300 unless said.", 1, 1000))
}).annotations({ description: "How supplies are called, and how large they are." })

const labelsOf = Schema.Struct({
  size: optional(
    Schema.Literal("58x40", "40x30").annotations({
      description: "Millimetres of a label; 58x40 unless said."
    })
  ),
  sort: optional(
    Schema.Array(Schema.Literal(...Fulfilment.sortKeys)).annotations({
      description: "What labels, pick list and packing list are sorted by; cell, article, size unless said."
    })
  ),
  separators: optional(
    Schema.Boolean.annotations({
      description: "true puts a page between articles, with what comes next; false unless said."
    })
  ),
  own_page: optional(
    Schema.Array(Schema.Literal(...Fulfilment.pageFields)).annotations({
      description: "What a page of our own behind each label says; there is none unless said."
    })
  )
}).annotations({ description: "How labels are printed." })

const passesOf = Schema.Struct({
  driver: Schema.Struct({
    first_name: text("First name, as in the driver's papers.", "Пётр"),
    last_name: text("Last name; both together have 6 to 100 characters.", "Андреев")
  }).annotations({ description: "Who drives." }),
  car: Schema.Struct({
    model: text("Make and model, up to 100 characters.", "ГАЗель Next"),
    number: text("The plate: 6 to 9 letters and digits, without blanks.", "А123ВС777")
  }).annotations({ description: "Which car." }),
  office: whole("Number of the office that asks for the pass.", 1, Number.MAX_SAFE_INTEGER),
  book_before: optional(text("How long before a hand-over its pass is made; 12h unless said.", "12h"))
}).annotations({ description: "Passes that are booked for the hand-overs; none unless said." })

/** A policy of `kind: fulfilment`: how the orders of warehouses become handed-over supplies. */
export const FulfilmentPolicy = Schema.Struct({
  version,
  kind: Schema.Literal("fulfilment").annotations({
    description: "This policy assembles orders and hands them over."
  }),
  name: text("What the policy is called in previews and reports."),
  mode: optional(
    Schema.Literal("preview", "approve", "apply", "disabled").annotations({
      description:
        "preview shows what it would do, approve asks a person first, apply does it, disabled does neither; approve unless said."
    })
  ),
  schedule: optional(schedule),
  warehouses: Schema.Array(whole("Number of a warehouse of yours.", 1, Number.MAX_SAFE_INTEGER)).annotations({
    description: "Whose orders; a warehouse belongs to one policy."
  }),
  waves: Schema.Array(Wave).annotations({ description: "When orders are gathered, and when they leave." }),
  confirm_after: optional(
    text(
      "How long an order is left alone, since its buyer may cancel it; less when its cut-off is near; 60m unless said.",
      "60m"
    )
  ),
  supply: optional(supplyOf),
  labels: optional(labelsOf),
  passes: optional(passesOf),
  deliver: optional(
    Schema.Literal("approve", "apply").annotations({
      description:
        "Whether a person agrees to every hand-over, also in mode: apply, for nothing takes it back; approve unless said."
    })
  )
}).annotations({ description: "A Bidhelm policy that assembles orders and hands them over." })
