import { describe, expect, it } from "vitest"
import { Chance } from "./chaos/Chance.js"
import * as Events from "./chaos/Events.js"
import * as RuleSets from "./chaos/RuleSets.js"
import * as Run from "./chaos/Run.js"
import * as Invariants from "./invariants/All.js"

const hourMs = 3_600_000

describe("the simulation with faults", () => {
  it("draws the same of a seed, and one concern whatever the others draw", () => {
    expect(Events.draw(5, 0, 24 * hourMs)).toEqual(Events.draw(5, 0, 24 * hourMs))
    expect(RuleSets.draw(5).map(({ hash }) => hash)).toEqual(RuleSets.draw(5).map(({ hash }) => hash))
    const crashes = (seed: number) =>
      Events.draw(seed, 0, 24 * hourMs).flatMap((event) => (event._tag === "Crash" ? [event] : []))
    expect(crashes(5)).not.toEqual(crashes(6))
    expect(new Chance(5, "a").unit()).not.toBe(new Chance(5, "b").unit())
  })

  it("keeps every invariant, and does the same again from the same seed", async () => {
    const first = await Run.run({ seed: 3, hours: 4 })
    expect(Invariants.check(first.observed)).toEqual([])
    const second = await Run.run({ seed: 3, hours: 4 })
    expect(second.hash).toBe(first.hash)
  }, 180_000)

  it("keeps every invariant on other seeds", async () => {
    for (const seed of [1, 2]) {
      const { observed } = await Run.run({ seed, hours: 8 })
      expect(Invariants.check(observed)).toEqual([])
    }
  }, 180_000)
})
