import { describe, expect, it } from "vitest"
import * as Run from "../chaos/Run.js"
import * as Invariants from "../invariants/All.js"
import { bugs } from "./Bugs.js"

describe("a planted bug is found:", () => {
  for (const { events = [], hours = 1, invariants, misread, name, rules, seed = 1, wrap } of bugs)
    it(`${name} (${invariants[0]})`, async () => {
      const { observed } = await Run.run({ seed, hours, wrap, events, versions: [misread ?? rules] })
      for (const cycle of observed.cycles) Object.assign(cycle, { rules })
      const found = new Set(Invariants.check(observed).map(({ invariant }) => invariant))
      expect(found).toContain(invariants[0])
      expect([...found].filter((invariant) => !invariants.includes(invariant))).toEqual([])
    }, 60_000)
})
