import { describe, expect, it } from "vitest"
import * as FactType from "../../src/engine/facts/FactType.js"
import type { Expr } from "../../src/engine/language/Policy.js"
import * as Example from "./Example.js"

const rows = [{ target: Example.target(777), facts: { "campaign.day_share": 0.98 } }]

/** A pause where a share of the day is usually spent by now, or that share of a week's spend is large. */
const pausing = (left: Expr, right: Expr) =>
  Example.policy("stop", Example.pause, {
    each: "campaign",
    when: [Example.clause("it is late", Example.compare(left, ">", right))]
  })

const share = Example.fact("campaign.day_share")

describe("a pause is of the day it was planned on", () => {
  it.each([
    ["where the usual share of the day alone asked for it", share, { day: "2026-09-01" }],
    ["and of none where only days that are over did", Example.fact("campaign.spend", Example.week), {}]
  ])("%s", (_, left, details) => {
    const least = Example.literal(0.9, left === share ? FactType.ratio : FactType.money)
    expect(Example.onlyChange(Example.plan({ policies: [pausing(left, least)], rows })).details).toEqual(
      details
    )
  })
})
