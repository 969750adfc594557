/**
 * Bugs that are put in on purpose, to see that each invariant can fail. A bug wraps or replaces a service; nothing in
 * `src` knows of it. `seed` is where it shows within `hours`.
 */
import * as Effect from "effect/Effect"
import type { Change } from "../../../src/engine/decide/Plan.js"
import type { WriteBatch } from "../../../src/engine/run/Ports.js"
import { sandboxToken } from "../../../src/sandbox/SandboxToken.js"
import * as Scenario from "../../scenario/Scenario.js"
import type { Event } from "../chaos/Events.js"
import type { Wrap } from "../chaos/Program.js"

export interface Bug {
  readonly name: string
  /** Any of these being found proves that the check can fail; the first is the one that it is planted for. */
  readonly invariants: ReadonlyArray<number>
  readonly wrap: Wrap
  /** What else happens; nothing unless stated, so that only the bug can be to blame. */
  readonly events?: ReadonlyArray<Event>
}

/** A batch that is sent twice. */
const twice = (batch: WriteBatch): WriteBatch => ({
  ...batch,
  send: Effect.zipRight(batch.send, batch.send)
})

const batchesOf = (change: (batch: WriteBatch) => WriteBatch): Wrap => ({
  writer: (writer) => ({
    ...writer,
    batches: (changes) => Effect.map(writer.batches(changes), (batches) => batches.map(change))
  })
})

/** The writer is given other values than were approved and journaled. */
const valued = (change: (one: Change) => Change): Wrap => ({
  writer: (writer) => ({ ...writer, batches: (changes) => writer.batches(changes.map(change)) })
})

const isBid = ({ unit }: Change): boolean => unit.startsWith("kopecks_per")

export const bugs: ReadonlyArray<Bug> = [
  {
    name: "bids leave without their upper bound",
    invariants: [1],
    wrap: valued((one) => (isBid(one) ? { ...one, after: Number(one.after) + 100_000 } : one))
  },
  {
    name: "bids leave farther than the day allows",
    invariants: [2],
    wrap: valued((one) => (isBid(one) ? { ...one, after: Number(one.before) * 2 } : one))
  },
  {
    name: "every write is sent twice",
    invariants: [8, 6, 7],
    wrap: batchesOf(twice)
  },
  {
    name: "the kill switch is not heard",
    invariants: [16],
    wrap: { killSwitch: () => ({ engaged: Effect.succeed(undefined) }) },
    events: [{ _tag: "Kill", at: Scenario.startMs + 1, untilMs: Scenario.startMs + 3_600_000 }]
  },
  {
    name: "the limiter forgets what it allowed",
    invariants: [21],
    wrap: {
      limiterStore: (store) => ({
        ...store,
        update: (_bucket, change) => Effect.sync(() => change(undefined)[0])
      })
    }
  },
  {
    name: "settled rows are not written down",
    invariants: [22],
    wrap: {
      journal: (journal) => ({
        ...journal,
        move: (runId, ids, from, to, note) =>
          to === "applied" || to === "not_applied"
            ? Effect.succeed(ids)
            : journal.move(runId, ids, from, to, note)
      })
    }
  },
  {
    name: "requests carry the token of another account",
    invariants: [23],
    wrap: { token: () => sandboxToken({ seller: "5a4d0000-0000-4000-8000-000000000002" }) }
  },
  {
    name: "the journal keeps changes without their reasons",
    invariants: [25],
    wrap: {
      journal: (journal) => ({
        ...journal,
        begin: (run, rows) =>
          journal.begin(
            run,
            rows.map(({ change, slot }) => ({ slot, change: { ...change, reason: [] } }))
          )
      })
    }
  },
  {
    name: "the store stays full for ever",
    invariants: [27],
    wrap: {
      journal: (journal) => ({ ...journal, savePlan: () => Effect.dieMessage("never again") })
    }
  }
]
