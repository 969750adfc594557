import { describe, expect, it } from "vitest"
import * as Run from "../chaos/Run.js"
import * as Invariants from "../invariants/All.js"
import { bugs } from "./Bugs.js"

/** Hours that a bug gets, and seeds that it may take; those where each shows stand in the page on the simulation. */
const hours = 1
const seeds = [2, 1]

describe("a planted bug is found:", () => {
  for (const { events = [], invariants, name, wrap } of bugs)
    it(name, async () => {
      const found = new Set<number>()
      for (const seed of seeds) {
        const { observed } = await Run.run({ seed, hours, wrap, events })
        for (const { invariant } of Invariants.check(observed)) found.add(invariant)
        if (found.has(invariants[0] as number)) break
      }
      expect([...found]).toContain(invariants[0])
    })
})
