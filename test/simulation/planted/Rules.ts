/** Rules of the stories with planted bugs: one or two policies that soon do what the bug needs. */
import * as Load from "../../../src/engine/language/Load.js"
import type { RuleSet } from "../../../src/engine/language/Policy.js"

const every = "schedule: {every: 20m, tz: Europe/Moscow}"
const items = `${every}
each: campaign_item
where:
  - campaign.status = active
  - campaign.bid_type = manual and campaign.payment = cpm
`

/** Checked rules under limits that hold nothing unless said. */
export const of = (
  policies: ReadonlyArray<string>,
  limits = "move_per_day: 50%",
  mode: "apply" | "approve" | "preview" = "apply",
  more: ReadonlyArray<Load.File> = []
): RuleSet => {
  const files = policies.map((text, i) => ({
    path: `rules/1${i}-planted.yaml`,
    text: `version: 1\nname: Planted ${i}\nmode: ${mode}\n${text}`
  }))
  const shared = {
    path: "rules/_shared/limits.yaml",
    text: `version: 1
kind: limits
account:
  max_bid: {cpm: 900 ₽, cpc: 40 ₽}
  money_per_day: 100000 ₽
  ${limits}
`
  }
  const { diagnostics, ruleSet } = Load.check([...files, shared, ...more])
  if (ruleSet === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"))
  return ruleSet
}

/** Goes up by a little each time, as far as an amount in the rules' words. */
export const raiseTo = (cap: string): string => `${items}when: bid < 900 ₽
do:
  raise_bid: {by: 3%, cap: ${cap}}
cooldown: 20m
`

export const raise = raiseTo("900 ₽")

/** Clusters go down when there are few orders. */
export const lowerClusters = `${items.replace("campaign_item", "cluster")}window: 7d
when: orders <= 2
do:
  lower_bid: {by: 5%, floor: min_bid}
cooldown: 20m
`

/** Goes down when there are few orders. */
export const lower = `${items}window: 7d
when: orders <= 2
do:
  lower_bid: {by: 5%, floor: min_bid}
cooldown: 20m
`

/** Up below a mark and down above it: without waiting for news they would never end. */
export const seesaw = [
  `${items}window: 7d
when:
  - views >= 1
  - bid < min_bid * 120%
do:
  raise_bid: {by: 25%, cap: 900 ₽}
`,
  `${items}window: 7d
when:
  - views >= 1
  - bid >= min_bid * 120%
do:
  lower_bid: {by: 25%, floor: min_bid}
`
]

/** Every cluster that was ever seen. */
export const minus = `${every}
each: cluster
where:
  - campaign.status = active
  - cluster.state = active
  - not cluster.in_minus
window: 30d
when: views >= 1
do:
  add_minus: {max_total: 900}
`

export const pause = `${every}
each: campaign
where: campaign.status = active
window: 3d
when: orders <= 0
do: pause
cooldown: 1h
`

/** Stops for the day what has spent its money, and starts it again when the day's spend is small. */
export const stop = `${every}
each: campaign
where: campaign.status in [active, paused]
window: today
when: spend >= 10 ₽
do: pause
revert_when: spend < 5 ₽
`

/** A thousand roubles for each campaign and day. */
export const deposit = `${every}
each: campaign
where: campaign.status = active
when: budget < 200000 ₽
do:
  deposit: {amount: 1000 ₽, from: balance}
cooldown: 20m
limits: {money_per_day: 1000 ₽, policy_money_per_day: 90000 ₽}
`

/** Asks for what the marketplace tells a few times a minute only, item by item. */
export const compete = `${items}when: bid < recommended.competitive
do:
  raise_bid: {by: 3%, cap: 900 ₽}
cooldown: 20m
`

/** Joins promotions that have not started, by one more condition. */
const join = (condition: string): string => `${every}
each: promotion_item
where:
  - promotion.type = regular
  - promotion.starts_in > 0h
when: ${condition}
do: enrol
`

export const joinAsking = join("price_drop <= 60%")
export const joinAlone = `irreversible: accepted\n${joinAsking}`
/** Only where the table says what a unit costs. */
export const joinByCost = `irreversible: accepted\n${join("unit_cost <= plan_price * 60%")}`

interface Assembly {
  readonly warehouses: string
  /** When the first wave closes; it leaves at ten to ten. */
  readonly closes: string
  readonly mode?: string
  readonly deliver?: string
  /** Lines of the policy beside the others. */
  readonly more?: string
}

/** Policies that assemble orders, by themselves unless said. */
export const assemblingBy = (policies: ReadonlyArray<Assembly>): RuleSet =>
  of(
    [],
    undefined,
    "apply",
    policies.map(({ closes, deliver = "apply", mode = "apply", more = "", warehouses }, i) => ({
      path: `rules/4${i}-assembly.yaml`,
      text: `version: 1
kind: fulfilment
name: Assembly ${i}
mode: ${mode}
deliver: ${deliver}
schedule: {every: 10m, tz: Europe/Moscow}
warehouses: [${warehouses}]
waves:
  - {name: first, collect_until: "${closes}", hand_over_by: "09:50", tz: Europe/Moscow}
  - {name: later, collect_until: "21:00", hand_over_by: "22:00", tz: Europe/Moscow}
confirm_after: 0m
${more}`
    }))
  )

/** One that has all warehouses. */
export const assembling = (more = "", deliver = "apply"): RuleSet =>
  assemblingBy([{ warehouses: "71001, 71002, 71003", closes: "09:20", deliver, more }])

/** All bids of a campaign together, with a margin in percent and a budget in roubles a day. */
export const optimise = (margin: number, budget: number): string => `${every}
each: campaign
where: campaign.status = active
window: 14d
do:
  optimise: {margin: ${margin}%, budget: ${budget} ₽, cap: {cpm: 900 ₽, cpc: 40 ₽}, park: no, explore: 0%, move: 50%}
`
