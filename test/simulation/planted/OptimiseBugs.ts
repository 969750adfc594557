/** Bugs of what `optimise` weighs: the price of money, what an order leaves, and the days it looks at. */
import type { Bug } from "./Bug.js"
import * as Rules from "./Rules.js"

export const bugs: ReadonlyArray<Bug> = [
  {
    name: "today's half day counts as a whole one",
    invariants: [39],
    rules: Rules.of([Rules.optimise(25, 1000)]),
    plant: [
      {
        file: "domain/Window.ts",
        text: "Days.shift(day, -1 - window.settleDays)",
        instead: "Days.shift(day, -window.settleDays)"
      }
    ]
  },
  {
    name: "revenue is taken for what an order leaves",
    invariants: [40],
    seed: 2,
    rules: Rules.of([Rules.optimise(2, 100_000)]),
    plant: [
      {
        file: "engine/decide/optimise/RowFacts.ts",
        text: 'margin.type._tag === "Ratio" ? Number(cell.value) * priceKopecks : Number(cell.value)',
        instead: 'margin.type._tag === "Ratio" ? priceKopecks : Number(cell.value)'
      }
    ]
  },
  {
    name: "money has a price of the wrong sign: the shorter it is, the cheaper",
    invariants: [41],
    rules: Rules.of([Rules.optimise(25, 100)]),
    plant: [
      {
        file: "engine/optimise/Allocate.ts",
        text: "const fits = spend <= budget",
        instead: "const fits = spend > budget"
      }
    ]
  }
]
