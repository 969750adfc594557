import { readFile } from "node:fs/promises"
import * as Arr from "effect/Array"
import { describe, expect, it } from "vitest"
import * as Depth from "../../Depth.js"
import * as AssemblyBugs from "./AssemblyBugs.js"
import { bugs } from "./Bugs.js"
import * as Hunt from "./Hunt.js"
import * as OptimiseBugs from "./OptimiseBugs.js"
import * as Plant from "./Plant.js"
import * as PromotionBugs from "./PromotionBugs.js"

/** Judged, as `docs/simulation-faults.md` has them; 13 and 20 are not. */
const judged = Array.from({ length: 41 }, (_, i) => i + 1).filter((one) => one !== 13 && one !== 20)

/**
 * In `npm test` the first of each invariant, for the others differ in where they break it; and of those in the source, which take
 * a build and a process each, one of each concern.
 */
const concerns = [PromotionBugs.bugs, AssemblyBugs.bugs, OptimiseBugs.bugs]
const tried = bugs.filter((bug, i) => {
  if (Depth.isDeep) return true
  if (bug.plant !== undefined) return concerns.some(([first]) => first === bug)
  return bugs.findIndex((other) => other.invariants[0] === bug.invariants[0]) === i
})

describe("a planted bug is found:", () => {
  for (const bug of tried)
    it(`${bug.name} (${bug.invariants[0]})`, async () => {
      const { others, seed } = await Hunt.hunt(bug, 1)
      expect(seed).toBe(bug.seed ?? 1)
      expect(others).toEqual([])
    }, 120_000)

  it("only where its text stands once: else the build ends, and says so", async () => {
    const edit = { file: "engine/decide/intents/Clamp.ts", text: "no such line", instead: "" }
    expect(() => Plant.edited("a line", edit)).toThrow(/src\/engine\/decide\/intents\/Clamp\.ts has 0 times/)
    expect(() => Plant.edited("no such line, no such line", edit)).toThrow(/has 2 times/)
    await expect(Plant.bundle("a bug", [edit])).rejects.toThrow(/has 0 times/)
    const elsewhere = { ...edit, file: "cli/Nowhere.ts" }
    await expect(Plant.bundle("a bug", [elsewhere])).rejects.toThrow(/is not part of the program/)
  })

  it("only where its text still stands, every one of them", async () => {
    const edits = bugs.flatMap(({ plant = [] }) => plant)
    expect(edits.length).toBeGreaterThan(20)
    for (const [file, own] of Object.entries(Arr.groupBy(edits, ({ file }) => file))) {
      const source = await readFile(`src/${file}`, "utf8")
      for (const edit of own) expect(Plant.edited(source, edit)).not.toBe(source)
    }
  })

  it("at least one for each invariant", () => {
    const planted = new Set(bugs.map(({ invariants }) => invariants[0]))
    expect(judged.filter((invariant) => !planted.has(invariant))).toEqual([])
  })
})
