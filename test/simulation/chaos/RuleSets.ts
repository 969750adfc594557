/** Rules of a seed: some of the shipped ones and some drawn, under account limits of their own. Text, as a seller saves it. */
import * as Load from "../../../src/engine/language/Load.js"
import type { RuleSet } from "../../../src/engine/language/Policy.js"
import * as Blueprint from "../../../src/sandbox/market/Blueprint.js"
import * as Shipped from "../Rules.js"
import * as Assemblies from "./Assemblies.js"
import { Chance } from "./Chance.js"
import * as Economics from "./Economics.js"

/**
 * Versions of a seed's rules: the seller saves another one now and then. Money limits stay the same. Those that are not
 * `wanted` need not be drawn; the first stands for them.
 */
export const draw = (
  seed: number,
  wanted: ReadonlySet<number> = new Set([0, 1, 2, 3])
): ReadonlyArray<RuleSet> => {
  const limits = new Chance(seed, "limits")
  const joins = new Chance(seed, "joins").happens(0.7)
  const optimises = new Chance(seed, "optimises").happens(0.4)
  const economics = joins ? Economics.table(seed) : undefined
  const money = limits.int(2, 20) * 1000
  const versioned = (version: number): RuleSet =>
    valid(new Chance(seed, `rules ${version}`), money, [
      ...Assemblies.files(seed, version),
      ...(optimises ? [optimising(new Chance(seed, `optimises ${version}`))] : []),
      ...(economics === undefined ? [] : [...joining(new Chance(seed, `joins ${version}`)), economics])
    ])
  const first = versioned(0)
  const others = [1, 2, 3].map((version) => (wanted.has(version) ? versioned(version) : first))
  return [first, ...others]
}

/** Drawn policies may contradict each other; those that the loader refuses are left out, the last first. */
const valid = (chance: Chance, money: number, more: ReadonlyArray<Load.File>): RuleSet => {
  const shared = [limitsFile(chance, money), ...shippedShared]
  const own = Array.from({ length: chance.int(2, 5) }, (_, i) => drawn(chance, i))
  let kept: ReadonlyArray<Load.File> = [...more, ...own, ...shippedPolicies.filter(() => chance.happens(0.4))]
  for (;;) {
    const { diagnostics, ruleSet } = Load.check([...kept, ...shared], opened)
    if (ruleSet !== undefined) return ruleSet
    const wrong = new Set(diagnostics.flatMap(({ file, severity }) => (severity === "error" ? [file] : [])))
    const dropped = kept.findLast(({ path }) => wrong.has(path))
    if (dropped === undefined) throw new Error(`no policy of the draw is valid: ${diagnostics[0]?.message}`)
    kept = kept.filter((file) => file !== dropped)
  }
}

/** The shipped files are the same for every seed, so they are read once. */
const opened = (file: Load.File): Load.Opened => {
  const known = read.get(file)
  if (known !== undefined) return known
  const now = Load.open(file)
  if (all.includes(file)) read.set(file, now)
  return now
}

const read = new Map<Load.File, Load.Opened>()

/** Shipped policies are due as seldom as the drawn ones. */
const seldom = (text: string): string => text.replace(/every: (10m|30m|1h|3h)/, "every: 2h")
const all = Shipped.shipped().map(({ path, text }) => ({ path, text: seldom(text) }))
const isShared = ({ path }: Load.File) => path.includes("_shared")
const shippedShared = all.filter((file) => isShared(file) && !file.path.endsWith("limits.yaml"))
const shippedPolicies = all.filter((file) => !isShared(file))

const limitsFile = (chance: Chance, money: number): Load.File => ({
  path: "rules/_shared/limits.yaml",
  text: `version: 1
kind: limits
account:
  max_bid: {cpm: ${chance.pick([100, 250, 400, 900])} ₽, cpc: ${chance.pick([6, 40])} ₽}
  changes_per_run: ${chance.pick([2, 5, 20, 2000])}
  move_per_day: ${chance.pick([10, 20, 50])}%
  money_per_day: ${money} ₽
`
})

type Draw = (chance: Chance) => string

const drawn = (chance: Chance, index: number): Load.File => ({
  path: `rules/1${index}-drawn.yaml`,
  text: `version: 1
name: Drawn ${index}
mode: ${chance.pick(["apply", "apply", "apply", "apply", "apply", "approve", "approve", "preview"])}
${(index === 0 ? deposit : chance.pick(makers))(chance)}`
})

/** Whole hours: what is due at the same time is one turn, so that a day costs little and all of it is exercised. */
const every = (chance: Chance): string =>
  `schedule: {every: ${chance.pick(["2h", "2h", "2h", "4h"])}, tz: Europe/Moscow}`

/**
 * Policies that join promotions, each for a few items and most only from an hour of the day on: over a limit a policy files
 * nothing, so that several turns have a few items each. Most go by themselves, since there more may go wrong.
 */
const joining = (chance: Chance): ReadonlyArray<Load.File> =>
  Array.from({ length: chance.int(3, 5) }, (_, i) => {
    const least = chance.int(5, 25)
    const items = Array.from({ length: 3 }, () => Blueprint.firstItemId + chance.int(0, 8))
    const from = chance.pick(["11", "13", "15", "17", "19", "21"])
    return {
      path: `rules/3${i}-joins.yaml`,
      text: `version: 1
name: Joins ${i}
mode: ${chance.pick([alone, alone, alone, alone, "approve", "preview"])}
schedule: {every: 2h, ${i === 0 ? "" : `between: "${from}:00-23:00", `}tz: Europe/Moscow}
each: promotion_item
where:
  - promotion.type = regular
  - item.id in [${[...new Set(items)].join(", ")}]
  - ${chance.pick(["promotion.starts_in between 1h and 12d", "promotion.starts_in > 0h", "promotion.ends_in > 0h"])}
${chance.happens(0.5) ? "  - not promotion_item.in_action\n" : ""}when:
  - price_drop ${chance.pick(["<= 60%", `between ${least}% and ${least + chance.int(10, 25)}%`])}
${chance.happens(0.3) ? `  - item.stock >= ${chance.pick([1, 40])}\n` : ""}${chance.pick(byMargin)}do: ${chance.pick(["enrol", "{enrol: {overlap: allowed}}", "{enrol: {overlap: allowed}}"])}
max_unknown: 100%
limits: {changes_per_run: ${chance.pick([8, 20, 20])}}
`
    }
  })

/** All bids together, of campaigns or of the account; caps and margins from where nothing pays to where everything does. */
const optimising = (chance: Chance): Load.File => ({
  path: "rules/20-optimises.yaml",
  text: `version: 1
name: Optimises
mode: ${chance.pick(["apply", "apply", "apply", "approve"])}
${every(chance)}
each: campaign
where: campaign.status = active
window: ${chance.pick(["14d", "14d", "7d", "{last: 14d, settle: 1d}"])}
do:
  optimise:
    goal: ${chance.pick(["profit", "profit", "profit", "orders", "revenue"])}
    margin: ${chance.pick([1, 1, 3, 10, 25, 40])}%
    budget: ${chance.pick([50, 150, 400, 1500, 5000, 5000])} ₽
    budget_of: ${chance.pick(["campaign", "campaign", "account"])}
    cap: {cpm: ${chance.pick(["150.50", "300", "900", "2000"])} ₽, cpc: ${chance.pick([8, 40])} ₽}
    move: ${chance.pick([10, 30, 50])}%
    explore: ${chance.pick([0, 3, 10])}%
${chance.happens(0.3) ? "    drr: 20%\n" : ""}    minus: ${chance.pick(["no", "with 95% confidence", "with 99% confidence"])}
    park: ${chance.pick(["yes", "yes", "no"])}
`
})

/** What many ask of costs: nothing, a share of the plan price, or the margin after all costs. */
const byMargin = [
  "",
  "",
  "  - unit_cost * 130% <= plan_price\n",
  "  - unit_cost <= plan_price * 60%\n",
  "  - margin_at_plan_price >= 10%\n"
]

const alone = "apply\nirreversible: accepted"

const raise: Draw = (chance) => `${every(chance)}
each: ${chance.pick(["cluster", "campaign_item"])}
where:
  - campaign.status = active
  - campaign.bid_type = manual and campaign.payment = cpm
window: 7d
when: orders >= ${chance.int(0, 3)}
do:
  raise_bid: {by: ${chance.int(1, 40)}%, cap: ${chance.pick(["60", "150.50", "200.70", "300"])} ₽}
cooldown: ${chance.pick(["1h", "6h"])}
`

/** Few orders are what a row seems to have that nothing is known of. */
const lower: Draw = (chance) => `${every(chance)}
each: ${chance.pick(["cluster", "cluster", "campaign_item"])}
where:
  - campaign.status = active
  - campaign.bid_type = manual and campaign.payment = cpm
window: 7d
when: orders <= ${chance.int(0, 4)}
do:
  lower_bid: {by: ${chance.int(1, 40)}%, floor: min_bid}
cooldown: ${chance.pick(["1h", "6h"])}
`

const set: Draw = (chance) =>
  `${every(chance)}
each: campaign_item
where:
  - campaign.status = active
  - campaign.payment = cpm
window: 7d
when: orders >= 1
do:
  set_bid: {to: ${chance.pick(["$wish", "cpm * 0.9"])}, max_step: ${chance.int(5, 40)}%, deadband: 5%, floor: min_bid, cap: ${chance.pick(["200.50", "500"])} ₽}
${chance.happens(0.5) ? "cooldown: 1h\n" : ""}`.replace("$wish", `${chance.pick([110, 180, 260])} ₽`)

const minus: Draw = (chance) => `${every(chance)}
each: cluster
where:
  - campaign.status = active
  - cluster.state = active
  - not cluster.in_minus
window: 30d
when:
  - views >= ${chance.pick([100, 400])}
  - orders <= ${chance.int(0, 1)}
do:
  add_minus: {max_total: ${chance.pick([2, 900])}}
${chance.happens(0.4) ? "limits: {share_of_scope: 50%}\n" : ""}`

/** A part of the clusters at a time of the day: several turns have something to minus, and not too much for a limit. */
const minusSome: Draw = (
  chance
) => `schedule: {every: 2h, between: "${chance.pick(["08:00-23:00", "12:00-23:00", "16:00-23:00"])}", tz: Europe/Moscow}
each: cluster
where:
  - campaign.status = active
  - cluster.state = active
  - not cluster.in_minus
  - query contains any [${chance.pick(["женские, зимние", "мужские, синие", "детские, красные", "домашние, белые, чёрные"])}]
window: 30d
when: views >= ${chance.pick([1, 100])}
do:
  add_minus: {max_total: 900}
`

const release: Draw = (chance) => `${every(chance)}
each: cluster
where:
  - campaign.status = active
  - cluster.in_minus
when: campaign.budget > ${chance.int(1, 20) * 1000} ₽
do: remove_minus
`

const pause: Draw = (chance) => `${every(chance)}
tier: safety
each: campaign
where: campaign.status in [active, paused]
window: today
when: spend default 0 ₽ >= ${chance.pick([100, 300, 600, 1500])} ₽
do: pause
revert_when: spend default 0 ₽ < ${chance.pick([50, 80])} ₽
`

/** Stops what sells nothing; no campaign of the market does, but for those that nothing is known of. */
const pauseIdle: Draw = (chance) => `${every(chance)}
tier: safety
each: campaign
where: campaign.status = active
window: ${chance.pick(["3d", "7d"])}
when: orders <= ${chance.int(0, 2)}
do: pause
cooldown: 6h
`

const start: Draw = (chance) => `${every(chance)}
each: campaign
where: campaign.status = paused
when: campaign.budget > ${chance.int(1, 20) * 1000} ₽
do: start
cooldown: 6h
`

const deposit: Draw = (chance) => {
  const amount = chance.pick([1000, 2000])
  return `${every(chance)}
each: campaign
where: campaign.status = active
when: budget < ${chance.pick([20, 90, 900]) * 1000} ₽
do:
  deposit: {amount: ${amount} ₽, from: ${chance.pick(["balance", "net", "bonus"])}}
cooldown: ${chance.pick(["1h", "2h", "4h"])}
limits: {money_per_day: ${amount * chance.int(1, 3)} ₽, policy_money_per_day: ${amount * chance.int(3, 8)} ₽}
`
}

const overlay: Draw = (chance) => `schedule: {every: 2h, tz: Europe/Moscow}
each: campaign_item
where:
  - campaign.status = active
  - campaign.payment = cpm
during: {time: "${chance.pick(["10:00-14:00", "18:00-23:00"])}"}
do:
  adjust_bid: {by: ${chance.pick(["+20%", "-15%"])}, cap: 400 ₽, floor: min_bid}
`

const places: Draw = (chance) => `${every(chance)}
each: campaign
where:
  - campaign.status = active
  - campaign.bid_type = manual and campaign.payment = cpm
window: 7d
when: orders >= ${chance.int(0, 20)}
do:
  placements: {recommendations: ${chance.pick(["on", "off"])}}
`

const makers: ReadonlyArray<Draw> = [
  raise,
  lower,
  lower,
  set,
  minus,
  minusSome,
  minusSome,
  release,
  pause,
  pauseIdle,
  start,
  deposit,
  deposit,
  overlay,
  places
]
