import { describe, expect, it } from "vitest"
import type * as BidSteps from "../../../src/cli/limits/BidSteps.js"
import * as Quota from "../../../src/cli/limits/Quota.js"
import * as Money from "../../../src/domain/Money.js"
import * as Load from "../../../src/engine/language/Load.js"
import { folder } from "../../language/Rules.js"

const raise = (when: string, schedule: string, more = "") =>
  `version: 1\nname: a\nschedule: ${schedule}\neach: campaign_item\nwhere: campaign.payment = cpm\nwindow: 7d\nwhen:\n${when}do: {raise_bid: {by: 10%, cap: 450 ₽}}\ncooldown: 6h\n${more}`
const scarce = "  - bid < recommended.top2\n"
const told = (
  texts: ReadonlyArray<string>,
  campaigns: number,
  kind: "personal" | "base" | "service" = "personal",
  steps?: BidSteps.Known
) => {
  const { diagnostics, ruleSet } = Load.check(texts.map((text, i) => ({ path: `rules/0${i}.yaml`, text })))
  if (ruleSet === undefined) throw new Error(JSON.stringify(diagnostics))
  return Quota.diagnostics(ruleSet, { campaigns, items: 10, clusters: 50 }, kind, steps)
}
const recommendations = (found: ReturnType<typeof told>) =>
  found
    .filter(({ message }) => message.includes("getBidRecommendations"))
    .map(({ code, file, message, severity, span }) => `${severity} ${code} ${file}:${span.line} ${message}`)

describe("the calls of rules against the limits", () => {
  it("are refused when more are needed than fit between two runs", () => {
    expect(recommendations(told([raise(scarce, "{every: 3h}")], 500))).toEqual([
      "error S04 rules/00.yaml:8 Needs about 5,000 calls of getBidRecommendations; 900 fit in 3 h. Add a cheaper condition, or run it less often, or let the rows take turns with partial: rotate."
    ])
  })
  it("are accepted where the rows take turns, which leaves the calls to rules that insist", () => {
    const rotating = raise(scarce, "{every: 3h}", "partial: rotate\n")
    expect(recommendations(told([rotating], 5000))).toEqual([])
    expect(recommendations(told([rotating, raise(scarce, "{every: 3h}")], 500))).toEqual([
      expect.stringMatching(/^error S04 rules\/01.yaml:8 Needs about 5,000 calls/)
    ])
  })
  it("are warned about above 70% of it, and not below", () => {
    expect(recommendations(told([raise(scarce, "{every: 3h}")], 70)).map((one) => one.slice(0, 11))).toEqual([
      "warning S04"
    ])
    expect(recommendations(told([raise(scarce, "{every: 3h}")], 63))).toEqual([])
  })
  it("are fewer behind a cheaper condition, and allowed more slowly", () => {
    expect(recommendations(told([raise(`  - orders >= 3\n${scarce}`, "{every: 3h}")], 500))).toEqual([])
    expect(recommendations(told([raise(scarce, "{every: 24h}")], 500))).toEqual([])
  })
  it("count the rules of other rhythms, and once what rules of one rhythm share", () => {
    const three = raise(scarce, "{every: 3h}")
    expect(recommendations(told([three, three], 60))).toEqual([])
    const found = recommendations(told([three, raise(scarce, "{every: 2h}")], 40))
    expect(found).toEqual([expect.stringContaining("rules/01.yaml:8 Needs about 667 calls")])
  })
  it("count once a day what is kept for a day, however often the rules run", () => {
    const floors = (campaigns: number, kind?: "base") =>
      told([raise("  - bid < min_bid * 2\n", "{every: 1h}")], campaigns, kind)
        .filter(({ message }) => message.includes("getMinimumBids"))
        .map(({ message, severity }) => `${severity} ${message.slice(0, 70)}`)
    expect(floors(15_000)).toEqual([])
    expect(floors(30_000)).toEqual([
      "error Needs about 30,000 calls of getMinimumBids; 28,800 fit in 24 h. Add a "
    ])
    expect(floors(80, "base")).toEqual([])
    const other = raise("  - bid < min_bid * 2\n", "{every: 2h}")
    const both = told([raise("  - bid < min_bid * 2\n", "{every: 1h}"), other], 15_000)
    expect(both.filter(({ message }) => message.includes("getMinimumBids"))).toEqual([])
    expect(floors(150, "base")).toEqual([
      "error Needs about 150 calls of getMinimumBids; 120 fit in 24 h. Add a cheape"
    ])
  })
  it("leave out rules that are off or that nothing starts", () => {
    expect(told([raise(scarce, "{every: 3h}", "mode: disabled\n")], 5000)).toEqual([])
    expect(told([raise(scarce, "{every: 3h}").replace("schedule: {every: 3h}\n", "")], 5000)).toEqual([])
  })
  it("name what a kind of token is not served", () => {
    const rated = raise("  - item.reviews >= 1\n", "{every: 24h}")
    expect(told([rated], 1, "base").map(({ message, severity }) => `${severity} ${message}`)).toContain(
      "warning A base token is not served getItemRating, which this rule needs."
    )
  })
  it("name the steps of bids that nobody tells a Base token, and how to write them; bids per view in roubles need none", () => {
    const paid = (payment: string) =>
      raise("  - orders >= 3\n", "{every: 24h}").replace("payment = cpm", `payment = ${payment}`)
    const steps = (currency: string, bidStep: BidSteps.Known["bidStep"], ...texts: ReadonlyArray<string>) =>
      told(texts, 1, "base", { currency, bidStep }).flatMap(({ file, message }) =>
        message.includes("getPromotionConfig") ? [`${file} ${message}`] : []
      )
    expect(steps("RUB", {}, paid("cpm"))).toEqual([])
    expect(steps("RUB", {}, paid("cpm"), paid("cpc"))).toEqual([
      "rules/01.yaml Of a base token getPromotionConfig is not served: bids of campaigns paid by cpc stay as they are until bidhelm.yaml tells their steps in bid_step:."
    ])
    const cpc = Money.Kopecks(10)
    expect(steps("RUB", { cpc }, paid("cpc"))).toEqual([])
    expect(steps("BYN", { cpc }, paid("cpc"), paid("cpm"))).toHaveLength(1)
    const asking = raise("  - bid > min_bid + bid_step * 3\n", "{every: 24h}").replace(
      /do: .*/,
      'do: {notify: "x"}'
    )
    expect(steps("RUB", { cpc }, asking)).toEqual([
      "rules/00.yaml Of a base token getPromotionConfig is not served: bid_step.cpm is unknown, and nothing is decided by it, until bidhelm.yaml tells it in bid_step:."
    ])
    expect(steps("RUB", { cpm: cpc }, asking)).toEqual([])
  })
  it("fit for the shipped rules and a hundred campaigns", () => {
    const { ruleSet } = Load.check(folder("rules"))
    expect(Quota.diagnostics(ruleSet!, { campaigns: 100, items: 10, clusters: 50 }, "personal")).toEqual([])
  })
})
