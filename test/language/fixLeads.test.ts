/** What a fix says to write is taken as it stands: it leads to no further error. */
import { expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"

const joining = (where: string, action = "enrol") => `version: 1
name: Join
mode: approve
schedule: {at: "07:00", tz: Europe/Moscow}
each: promotion_item
where:
  - promotion.type = regular
  - ${where}
when: price_drop <= 15%
do: ${action}
`
const set = (most: string) =>
  joining("promotion.starts_in > 12h", `{enrol: {reach_tier: next, at_most: ${most}}}`)

const optimising = (window: string) => `version: 1
name: Steer
schedule: {at: "07:00", tz: Europe/Moscow}
each: campaign
where: campaign.status = active
window: ${window}
when: spend > 10 ₽
do:
  optimise: {goal: orders, margin: 40%, budget: 1000 ₽, cap: {cpm: 400 ₽}}
`

const errors = (text: string) =>
  Load.check([{ path: "rules/a.yaml", text }]).diagnostics.filter(({ severity }) => severity === "error")

it.each([
  ["a set's bare amount", set("5000"), "5000", "5000 ₽ per day"],
  ["an amount per day without its currency", set("5000 per day"), "5000 per day", "5000 ₽ per day"],
  ["an amount that is not said to be per day", set("5000 ₽"), "5000 ₽", "5000 ₽ per day"],
  ["too long a window of optimise", optimising("60d"), "60d", "28d"],
  ["a window of optimise that is not over", optimising("today"), "today", "28d"],
  [
    "a bare number beside a duration",
    joining("promotion.starts_in < 7"),
    "promotion.starts_in < 7",
    "promotion.starts_in < 7d"
  ],
  ["a time within which something is", joining("promotion.starts_in in 7d"), "in 7d", "<= 7d"],
  ["a time not within which it is", joining("promotion.starts_in not in 7d"), "not in 7d", "> 7d"],
  [
    "bare bounds of a duration",
    joining("promotion.starts_in between 1 and 7"),
    "promotion.starts_in between 1 and 7",
    "promotion.starts_in between 1d and 7d"
  ]
])("%s has one fix, and nothing more is wrong once it is written", (_, text, wrong, fix) => {
  expect(errors(text).map((one) => one.fix)).toEqual([fix])
  expect(errors(text.replace(wrong, fix))).toEqual([])
})

it.each([
  ["promotion.id in (1005, 1006)", "in [1005, 1006]"],
  ["promotion.id in 1005", "in [1005]"]
])("%s is told with the values that stand there, in brackets", (where, said) => {
  const [error] = errors(joining(where))
  expect(error?.message).toBe(`Write the possible values in square brackets: ${said}`)
  expect(errors(joining(where.replace(/in \(?([\d, ]+)\)?$/, said)))).toEqual([])
})

const campaigns = (more: string) => `version: 1
name: Steer
each: campaign
where: campaign.status = active
${more}
`

it.each([
  ["a schedule without its city", 'schedule: {at: "09:00"}\nwhen: spend[7d] > 10 ₽\ndo: pause'],
  ["a schedule in words", "schedule: every day at 9:00\nwhen: spend[7d] > 10 ₽\ndo: pause"],
  ["a city that is none", 'schedule: {at: "09:00", tz: Kazan}\nwhen: spend[7d] > 10 ₽\ndo: pause'],
  ["a change over unknown days", "when: spend упал на 15%\ndo: pause"],
  ["a statistic without days", "when: spend > 10 ₽\ndo: pause"],
  ["a field alone", "when: orders[7d]\ndo: pause"],
  ["a comparison without its field", 'when: "> 5"\ndo: pause'],
  [
    "a deposit without a limit",
    "cooldown: 4h\nwhen: budget < 5 ₽\ndo: {deposit: {amount: 1000 ₽, from: balance}}"
  ],
  [
    "a deposit that repeats",
    "limits: {money_per_day: 1000 ₽}\nwhen: spend[7d] > 5 ₽\ndo: {deposit: {amount: 1000 ₽, from: balance}}"
  ],
  ["an action without what it needs", "when: budget < 5 ₽\ndo: deposit\nlimits: {money_per_day: 1000 ₽}"],
  ["placements without any", "when: spend[7d] > 10 ₽\ndo: {placements: {}}"]
])("%s has no fix: what nobody wrote is shown as an example, in words", (_, more) => {
  const found = errors(campaigns(more))
  expect(found.length).toBeGreaterThan(0)
  expect(found.map((one) => one.fix)).toEqual(found.map(() => undefined))
})

it("a bid's amount, whose payment is not said, has no fix", () => {
  const cluster = `version: 1
name: Raise
each: cluster
where: campaign.status = active
window: 7d
when: orders >= 3
do: {raise_bid: {by: 10%, cap: 450 ₽}}
`
  expect(errors(cluster).map((one) => [one.code, one.fix])).toEqual([["K11", undefined]])
})
