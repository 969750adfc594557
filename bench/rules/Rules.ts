/** The benchmark's rules, told once: as YAML for Bidhelm, and as plain tests that the peers' rules are made from. */
import type { File } from "../../src/engine/language/Load.js"

export type NumberFact = "views" | "orders" | "ctr" | "cpo" | "avg_pos" | "spend" | "bid"

/** Money in kopecks, ratios as fractions. All tests of a rule must hold. */
export type Test =
  | { readonly fact: "status" | "payment"; readonly is: string }
  | { readonly fact: NumberFact; readonly op: "<" | ">" | ">=" | "="; readonly value: number }
  /** `bid > min_bid × percent / 100`. */
  | { readonly overMinimumPercent: number }
  | { readonly word: string; readonly negated: boolean }

/** `family` and `step` tell the hand-written loop which of its functions this rule is, and with which figures. */
export interface Rule {
  readonly id: string
  readonly family: Family
  readonly step: number
  readonly tests: ReadonlyArray<Test>
  readonly action: string
}

export const families = ["raise", "minus", "lower", "place", "brand"] as const
export type Family = (typeof families)[number]

export const words = ["кеды", "боты", "сапоги", "бренд", "куртка", "шарф", "пальто", "юбка", "плащ", "носки"]

/** Figures of one rule; every step makes a family's rule another one. */
export const figures = (step: number) => ({
  raise: { orders: 3 + (step % 4), cpo: 6_000 + 600 * step, bid: 30_000 + 2_000 * step },
  minus: { views: 3_000 + 100 * step, ctr: (3 + step) / 1000, word: words[step % words.length]! },
  lower: { cpo: 80_000 + 1_000 * step, percent: 150 + 10 * step },
  place: { avgPos: 30 + step, views: 2_000 + 100 * step, spend: 50_000 + 5_000 * step },
  brand: {
    word: words[step % words.length]!,
    bid: 30_000 + 2_000 * step,
    spend: 500_000 + 20_000 * step
  }
})

export const rules = (count: number): ReadonlyArray<Rule> =>
  Array.from({ length: count }, (_, index) => {
    const family = families[index % families.length]!
    const step = Math.floor(index / families.length)
    const id = `${String(index).padStart(2, "0")}-${family}`
    return { id, family, step, tests: testsOf(family, step), action: actions[family] }
  })

const actions: Readonly<Record<Family, string>> = {
  raise: "raise_bid: {by: 10%, cap: 450 ₽}",
  minus: "add_minus: {max_total: 900}",
  lower: "lower_bid: {by: 10%, floor: 100 ₽}",
  place: "raise_bid: {by: 5%, cap: 700 ₽}",
  brand: "set_bid: {to: 400 ₽, cap: 500 ₽}"
}

const testsOf = (family: Family, step: number): ReadonlyArray<Test> => {
  const active: ReadonlyArray<Test> = [
    { fact: "status", is: "active" },
    { fact: "payment", is: "cpm" }
  ]
  const { raise, minus, lower, place, brand } = figures(step)
  switch (family) {
    case "raise":
      return [
        ...active,
        { fact: "orders", op: ">=", value: raise.orders },
        { fact: "cpo", op: "<", value: raise.cpo },
        { fact: "bid", op: "<", value: raise.bid }
      ]
    case "minus":
      return [
        ...active,
        { fact: "views", op: ">=", value: minus.views },
        { fact: "ctr", op: "<", value: minus.ctr },
        { fact: "orders", op: "=", value: 0 },
        { word: minus.word, negated: true }
      ]
    case "lower":
      return [
        ...active,
        { fact: "cpo", op: ">", value: lower.cpo },
        { fact: "orders", op: ">=", value: 1 },
        { overMinimumPercent: lower.percent }
      ]
    case "place":
      return [
        ...active,
        { fact: "avg_pos", op: ">", value: place.avgPos },
        { fact: "views", op: ">=", value: place.views },
        { fact: "spend", op: "<", value: place.spend }
      ]
    case "brand":
      return [
        ...active,
        { word: brand.word, negated: false },
        { fact: "bid", op: "<", value: brand.bid },
        { fact: "spend", op: ">", value: brand.spend }
      ]
  }
}

/** The rules as the files a marketer would write. */
export const files = (all: ReadonlyArray<Rule>): ReadonlyArray<File> =>
  all.map(({ id, tests, action }) => {
    const lasting = tests.filter((test) => "is" in test).map((test) => `  - ${line(test)}\n`)
    const facts = tests.filter((test) => !("is" in test)).map((test) => `  - ${line(test)}\n`)
    const head = `version: 1\nname: Rule ${id}\nmode: apply\nschedule: {every: 1d, tz: Europe/Moscow}\neach: cluster\n`
    const body = `where:\n${lasting.join("")}window: 7d\nwhen:\n${facts.join("")}do:\n  ${action}\n`
    return { path: `rules/${id}.yaml`, text: `${head}${body}cooldown: 6h\n` }
  })

const line = (test: Test): string => {
  if ("is" in test) return `campaign.${test.fact} = ${test.is}`
  if ("overMinimumPercent" in test) return `bid > min_bid * ${test.overMinimumPercent}%`
  if ("word" in test)
    return test.negated ? `not (query contains any ["${test.word}"])` : `query contains any ["${test.word}"]`
  return `${test.fact} ${test.op} ${amount(test.fact, test.value)}`
}

const amount = (fact: NumberFact, value: number): string => {
  if (fact === "ctr") return `${Math.round(value * 1000) / 10}%`
  return fact === "cpo" || fact === "spend" || fact === "bid" ? `${value / 100} ₽` : String(value)
}
