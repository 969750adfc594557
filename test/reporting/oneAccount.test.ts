/** The command that lifts what holds a change, as whoever has one account types it. */
import { expect, it } from "vitest"
import * as Changes from "../../src/engine/kinds/Change.js"
import * as HeldReasons from "../../src/reporting/HeldReasons.js"
import * as TextPreview from "../../src/reporting/preview/TextPreview.js"
import { samplePlan } from "./samplePlan.js"

const because = {
  code: "hold",
  account: "main",
  kind: "target",
  what: "777",
  since: Date.parse("2026-09-01T12:00:00Z"),
  by: "boris",
  zone: "Europe/Moscow"
} as const
const [first] = samplePlan.changes
const plan = {
  ...samplePlan,
  account: "main",
  held: first === undefined ? [] : [Changes.held(first, because)]
}

it("names the account only where the configuration has several, or nobody knows how many", () => {
  const told = (accounts: number | undefined) =>
    HeldReasons.text({ because }, { ...plan, ...(accounts === undefined ? {} : { accounts }) })
  expect(told(1)).toContain("(resume with: bidhelm resume --target 777)")
  for (const several of [2, undefined])
    expect(told(several)).toContain("(resume with: bidhelm resume --target 777 --account main)")
})

it("stands so in the preview of a plan", () => {
  const shown = (accounts: number) => TextPreview.render(plan, { all: true, colour: false, accounts })
  expect(shown(1)).toMatch(/resume with: bidhelm resume --target 777$/m)
  expect(shown(2)).toMatch(/resume with: bidhelm resume --target 777 --account main$/m)
})
