import { describe, expect, it } from "vitest"
import * as Decide from "../../src/engine/decide/Decide.js"
import * as Memory from "../../src/engine/decide/intents/Memory.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type { Policy } from "../../src/engine/language/Policy.js"
import * as Said from "../reporting/Said.js"
import * as Example from "./Example.js"

const stop = (id: string, tier: Policy["tier"] = "safety") =>
  Example.policy(id, Example.pause, { each: "campaign", tier, when: [] })
const start = Example.policy("start", Example.start, { each: "campaign", when: [] })
const rows = (status: string) => [{ target: Example.target(777), facts: { "campaign.status": status } }]

/** What a plan remembers that lets the rule pause the campaign. */
const pausedBy = (policy: Policy) => {
  const change: Change = Example.onlyChange(Example.plan({ policies: [policy], rows: rows("active") }))
  return Memory.after(undefined, "status:777", change, Example.now, false)
}

/** Of a plan in which only the rule that starts is due. */
const started = (policies: ReadonlyArray<Policy>, by: Policy) => {
  const input = Example.input({ policies: [...policies, start], rows: rows("paused"), slots: [pausedBy(by)] })
  const gathered = input.gathered.filter(({ policy }) => policy.id === start.id)
  const { changes, unchanged } = Decide.plan({ ...input, gathered })
  return changes.length > 0 ? "started" : unchanged.map(Said.why)
}

describe("a campaign that a rule of a higher tier has paused", () => {
  const above = "03-stop (tier safety) paused the campaign: without revert_when a person starts it again"

  it("is started by no tier below, whatever that rule's file is called by now, and whether it is there", () => {
    expect(started([stop("03-stop")], stop("03-stop"))).toEqual([above])
    expect(started([stop("30-stop")], stop("03-stop"))).toEqual([above])
    expect(started([], stop("03-stop"))).toEqual([above])
  })

  it("is started where the rule is switched off, or was of no higher tier", () => {
    expect(started([{ ...stop("03-stop"), mode: "disabled" }], stop("03-stop"))).toBe("started")
    expect(started([stop("30-stop", "normal")], stop("03-stop", "normal"))).toBe("started")
    expect(started([], stop("03-stop", "explore"))).toBe("started")
  })
})
