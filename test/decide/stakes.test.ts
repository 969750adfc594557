import { describe, expect, it } from "vitest"
import { CampaignId } from "../../src/domain/Ids.js"
import type { Plan } from "../../src/engine/decide/Plan.js"
import * as Stakes from "../../src/engine/decide/Stakes.js"
import * as Summary from "../../src/engine/decide/Summary.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Wording from "../../src/reporting/Wording.js"
import { ordersPlan } from "../reporting/ordersPlan.js"
import { samplePlan } from "../reporting/samplePlan.js"

const change = (id: string): Change => {
  const found = samplePlan.changes.find((one) => one.id === id)
  if (found === undefined) throw new RangeError(id)
  return found
}

const raise = change("c1")
const minus = change("c3")
const pause = change("c4")
const deposit: Change = {
  ...pause,
  id: "d1",
  action: "deposit",
  kind: "campaign_deposit",
  details: { from: "balance" },
  before: 10_000,
  after: 110_000,
  subject: { campaignId: CampaignId.make(777) },
  moneyPerDayKopecks: { unknown: "a deposit is no spend until the campaign spends it" }
}

type Mode = Plan["policies"][number]["mode"]

/** Plans have these policies, in these modes. */
const plan = (changes: ReadonlyArray<Change>, modes: Readonly<Record<string, Mode>> = {}): Plan => {
  const policies = [...new Set(changes.map(({ origin: { name: policy } }) => policy))].map((id) => ({
    ...samplePlan.policies[0]!,
    id,
    mode: modes[id] ?? ("apply" as const)
  }))
  const { id: _, seal: __, summary: ___, ...draft } = samplePlan
  return Summary.seal({ ...draft, changes, policies })
}

const inPaused = (one: Change): Change =>
  ({
    ...one,
    id: `${one.id}-paused`,
    subject: { ...one.subject, campaignId: pause.subject.campaignId! }
  }) as Change

describe("the money of a plan", () => {
  it("is three sums, never one: raises, savings and deposits", () => {
    const { summary } = plan([raise, minus, pause, deposit])
    expect(summary).toMatchObject({
      raisesPerDayKopecks: 1234,
      savingsPerDayKopecks: 305_000,
      depositsKopecks: 100_000,
      moneyPerDayKopecks: -303_766,
      moneyUnknown: 0
    })
    expect(Wording.summary(plan([raise, minus, pause, deposit]))[1]).toBe(
      "raises about +12.34 ₽ a day, savings about -3 050 ₽ a day, deposits 1 000 ₽; add_minus 1, deposit 1, pause 1, raise_bid 1"
    )
  })

  it("counts nothing of a raise, or of a saving, in a campaign that the same plan pauses", () => {
    const made = plan([inPaused(raise), inPaused(minus), raise, pause])
    expect(made.summary).toMatchObject({
      raisesPerDayKopecks: 1234,
      savingsPerDayKopecks: 300_000,
      underPause: 2
    })
    expect(Wording.summary(made)[1]).toContain("2 count nothing: their campaigns are being paused")
    expect(Wording.stake(Stakes.judge(made)(inPaused(raise)), "RUB")).toBe(
      "counts nothing: 03-daily-budget-stop pauses the campaign"
    )
  })

  it("counts a raise that is sent beside a pause that is only shown, or waits for a person", () => {
    for (const mode of ["preview", "approve"] as const) {
      const { summary } = plan([inPaused(raise), pause], { "03-daily-budget-stop": mode })
      expect([summary.raisesPerDayKopecks, summary.underPause]).toEqual([1234, undefined])
    }
    const shown = plan([inPaused(raise), pause], {
      "01-raise-to-reach-max": "preview",
      "03-daily-budget-stop": "preview"
    })
    expect([shown.summary.raisesPerDayKopecks, shown.summary.underPause]).toEqual([0, 1])
  })

  it("counts what nobody can estimate on its own side, and never as zero", () => {
    const unknown = { unknown: "no spend is known over a window of this rule" }
    const stakes = Stakes.of(
      plan([
        { ...raise, moneyPerDayKopecks: unknown },
        { ...minus, moneyPerDayKopecks: unknown }
      ])
    )
    expect(stakes).toMatchObject({ raises: { kopecks: 0, unknown: 1 }, savings: { kopecks: 0, unknown: 1 } })
    expect(Wording.stakes(stakes, "RUB")).toBe(
      "raises: 1 without an estimate, savings: 1 without an estimate"
    )
  })

  it("takes no side for what joins a promotion, and counts nothing for what spends no advertising money", () => {
    const joining = {
      ...raise,
      action: "enrol",
      kind: "enrolment",
      details: { promotionName: "Осень" },
      subject: { promotionId: 7, itemId: 1001 },
      before: false,
      after: true,
      moneyPerDayKopecks: { unknown: "what a promotion sells is not known before" }
    } as unknown as Change
    const joined = plan([joining])
    expect(joined.summary.moneyUnknown).toBe(1)
    expect(Wording.summary(joined)[1]).toBe("1 without an estimate; enrol 1")
    expect(ordersPlan.summary.moneyUnknown).toBe(0)
    expect(Wording.summary(ordersPlan)[1]).toMatch(/^no change of spend; /)
  })
})
