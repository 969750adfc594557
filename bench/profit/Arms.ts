/** What is measured against what: each arm is a set of rule files, made for a daily limit. */
import { readdirSync, readFileSync } from "node:fs"
import type * as Load from "../../src/engine/language/Load.js"

export interface Arm {
  readonly name: string
  readonly says: string
  readonly files: (dailyRoubles: number) => ReadonlyArray<Load.File>
}

const read = (path: string): Load.File => ({ path, text: readFileSync(path, "utf8") })

/** A shipped rule, turned on. */
const shipped = (name: string): Load.File => {
  const { path, text } = read(`rules/${name}.yaml`)
  return { path, text: text.replace(/^mode: \w+/m, "mode: apply") }
}

/** Shared values with the seller's daily limit, and the account's limits as they are shipped. */
const shared = (dailyRoubles: number): ReadonlyArray<Load.File> => {
  const vars = read("rules/_shared/vars.yaml")
  const daily = vars.text.replace(/^( {2}daily:) .*$/m, `$1 ${dailyRoubles} ₽`)
  if (!daily.includes(`daily: ${dailyRoubles} ₽`))
    throw new Error("rules/_shared/vars.yaml has no daily: any more")
  return [{ ...vars, text: daily }, read("rules/_shared/limits.yaml")]
}

/** What is turned on as it is shipped. */
const turnedOn = readdirSync("rules")
  .filter((name) => name.endsWith(".yaml") && /^mode: apply/m.test(read(`rules/${name}`).text))
  .map((name) => name.slice(0, -5))
  .sort()

const stop = shipped("03-daily-budget-stop")

const own = (name: string, text: string): Load.File => ({ path: `rules/${name}.yaml`, text })

/** What many write first: sells a little, so raise it; does not, so lower it; a bad ratio, so out with it. */
const naive = [
  own(
    "naive-bids",
    `version: 1
name: Raise what sells, lower what does not
mode: apply
schedule: {at: "07:00", tz: Europe/Moscow}
each: cluster
where:
  - campaign.status = active
  - campaign.bid_type = manual and campaign.payment = cpm
window: 7d
rules:
  - name: sells
    when: orders >= 1
    do:
      raise_bid: {by: 10%, cap: 900 ₽}
  - name: does not
    when:
      - orders = 0
      - spend >= 300 ₽
    do:
      lower_bid: {by: 10%, floor: min_bid}
`
  ),
  own(
    "naive-minus",
    `version: 1
name: Minus clusters by a bare ratio
mode: apply
schedule: {at: "06:00", tz: Europe/Moscow}
each: cluster
where:
  - campaign.status = active
  - campaign.payment = cpm
  - cluster.state = active
  - not cluster.in_minus
window: 7d
when:
  - views >= 300
  - ctr < 1%
do:
  add_minus: {max_total: 900}
`
  )
]

/** Every bid of search clusters toward what an order may cost on average. */
const acos = [
  own(
    "acos-clusters",
    `version: 1
name: Every cluster to an ACOS of 15%
mode: apply
schedule: {at: "07:00", tz: Europe/Moscow}
each: cluster
where:
  - campaign.status = active
  - campaign.bid_type = manual and campaign.payment = cpm
window: {last: 14d, settle: 1d}
rules:
  - name: burns money
    when:
      - orders = 0
      - spend >= 800 ₽
    do:
      lower_bid: {by: 20%, floor: min_bid}
  - name: sells dear
    when:
      - orders >= 1
      - cpo > item.price * 15%
    do:
      lower_bid: {by: 15%, floor: min_bid}
  - name: sells cheap
    when:
      - orders >= 1
      - cpo < item.price * 12%
    do:
      raise_bid: {by: 15%, cap: 900 ₽}
`
  )
]

/** The seller's caps are the account's own limits, as for the other arms. */
const optimise = (change: (text: string) => string = (text) => text): Load.File => {
  const { path, text } = shipped("10-optimise")
  return { path, text: change(text.replace(/cap: \{.*?\}/, "cap: {cpm: 900 ₽, cpc: 40 ₽}")) }
}

const without = (name: string, says: string, change: (text: string) => string): Arm => ({
  name,
  says,
  files: (daily) => [...shared(daily), stop, optimise(change)]
})

export const all: ReadonlyArray<Arm> = [
  {
    name: "none",
    says: "the daily stop alone",
    files: (daily) => [...shared(daily), stop]
  },
  {
    name: "naive",
    says: "thresholds: +10% with an order in 7 days, −10% after 300 ₽ without, minus under 1% CTR after 300 views",
    files: (daily) => [...shared(daily), stop, ...naive]
  },
  {
    name: "acos",
    says: "every cluster's bid toward an ACOS of 15%",
    files: (daily) => [...shared(daily), stop, ...acos]
  },
  {
    name: "shipped",
    says: "the rules that are turned on as they are shipped",
    files: (daily) => [...shared(daily), ...turnedOn.map(shipped)]
  },
  {
    name: "paced",
    says: "the same and 17, which spreads the daily limit over the day",
    files: (daily) => [...shared(daily), ...turnedOn.map(shipped), shipped("17-pace-through-the-day")]
  },
  {
    name: "optimise",
    says: "10 and the daily stop",
    files: (daily) => [...shared(daily), stop, optimise()]
  },
  without("no-parking", "10 without parking", (text) => text.replace("park: yes", "park: no")),
  without("no-minus", "10 without minus phrases", (text) => text.replace(/minus: with.*/, "minus: no")),
  without("no-exploring", "10 that explores nothing", (text) => text.replace("explore: 3%", "explore: 0%"))
]
