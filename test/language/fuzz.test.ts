import { describe, expect, it } from "vitest"
import * as Depth from "../Depth.js"
import { mutant, random, trouble, weighted } from "./Mutations.js"
import { folder } from "./Rules.js"

const files = Depth.cases(4_000, 1 / 8)
const slowMs = 2000

describe("no input text breaks check, fmt or fix", () => {
  const texts = (path: string) => folder(path).map(({ text }) => text)
  const samples = weighted(texts("rules"), texts("test/broken"))

  it(`${files} mutated rule files (npm run fuzz looks at more)`, { timeout: 900_000 }, () => {
    const next = random(1)
    for (let number = 1; number <= files; number++) {
      const text = mutant(samples, next)
      const start = performance.now()
      const found = trouble(text)
      const took = performance.now() - start
      if (found !== undefined || took > slowMs)
        expect.fail(`file ${number}: ${found ?? `took ${took} ms`}\n${JSON.stringify(text)}`)
    }
  })

  it("mutants differ, and one seed makes the same ones again", () => {
    const make = (seed: number) => {
      const next = random(seed)
      return Array.from({ length: 200 }, () => mutant(samples, next))
    }
    expect(make(5)).toEqual(make(5))
    expect(new Set(make(5)).size).toBeGreaterThan(180)
    expect(make(5)).not.toEqual(make(6))
  })
})
