/** Bugs of deposits: how many, and how much. */
import * as Effect from "effect/Effect"
import type { Bug } from "./Bug.js"
import * as Rules from "./Rules.js"
import * as Wraps from "./Wraps.js"

const deposit = Rules.of([Rules.deposit])

export const bugs: ReadonlyArray<Bug> = [
  {
    name: "deposits of the day are forgotten",
    invariants: [3],
    rules: deposit,
    hours: 2,
    wrap: { journal: (journal) => ({ ...journal, deposits: () => Effect.succeed([]) }) }
  },
  {
    name: "deposits are sent twice",
    invariants: [4, 3, 8],
    rules: deposit,
    wrap: {
      ...Wraps.batches((batch) =>
        batch.operation === "depositCampaignBudget"
          ? { ...batch, send: Effect.zipRight(batch.send, batch.send) }
          : batch
      ),
      journal: (journal) => ({
        ...journal,
        claim: (...args) => Effect.as(journal.claim(...args), { _tag: "Moved" as const })
      })
    }
  }
]
