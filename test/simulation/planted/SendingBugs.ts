/** Bugs of requests on their way: claims, answers, stops, limits and tokens. */
import * as Effect from "effect/Effect"
import { sandboxToken } from "../../../src/sandbox/SandboxToken.js"
import { always, type Bug, faults } from "./Bug.js"
import * as Rules from "./Rules.js"
import * as Wraps from "./Wraps.js"

const raise = Rules.of([Rules.raise])

export const bugs: ReadonlyArray<Bug> = [
  {
    name: "writes leave before they are claimed",
    invariants: [5, 22, 25],
    rules: raise,
    wrap: { journal: (journal) => ({ ...journal, claim: () => Effect.succeed({ _tag: "Moved" as const }) }) }
  },
  {
    name: "a write without an answer is sent again at once",
    invariants: [6, 7, 8],
    rules: raise,
    events: [faults({ kind: "dropAnswer", operation: "setItemBids" })],
    wrap: Wraps.batches((batch) => ({
      ...batch,
      send: Effect.flatMap(batch.send, (outcomes) =>
        [...outcomes.values()].some(({ _tag }) => _tag === "Unknown") ? batch.send : Effect.succeed(outcomes)
      )
    }))
  },
  {
    name: "a write is sent twice at once",
    invariants: [7, 8],
    rules: raise,
    events: [faults({ kind: "latency", operation: "setItemBids", ms: 4000 })],
    wrap: Wraps.batches((batch) => ({
      ...batch,
      send: Effect.map(Effect.all([batch.send, batch.send], { concurrency: 2 }), ([first]) => first)
    }))
  },
  {
    name: "a write is sent twice",
    invariants: [8],
    rules: raise,
    wrap: Wraps.batches((batch) => ({ ...batch, send: Effect.zipRight(batch.send, batch.send) }))
  },
  {
    name: "the kill switch is not heard",
    invariants: [16],
    rules: raise,
    events: [{ _tag: "Kill", ...always }],
    wrap: { killSwitch: () => ({ engaged: Effect.succeed(undefined) }) }
  },
  {
    name: "the limiter forgets what it allowed",
    invariants: [21],
    rules: Rules.of([Rules.compete]),
    wrap: {
      limiterStore: (store) => ({
        ...store,
        update: (_bucket, change) => Effect.sync(() => change(undefined)[0])
      })
    }
  },
  {
    name: "requests carry the token of another account",
    invariants: [23],
    rules: raise,
    wrap: { token: () => sandboxToken({ seller: "5a4d0000-0000-4000-8000-000000000002" }) }
  }
]
