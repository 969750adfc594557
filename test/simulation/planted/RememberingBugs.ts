/** Bugs of the journal, of recovery and of coming to rest. */
import * as Effect from "effect/Effect"
import { type Bug, minuteMs, startMs } from "./Bug.js"
import * as Rules from "./Rules.js"
import * as Wraps from "./Wraps.js"

const raise = Rules.of([Rules.raise])

export const bugs: ReadonlyArray<Bug> = [
  {
    name: "settled rows are not written down",
    invariants: [22],
    rules: raise,
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
    name: "what was answered is written down as refused",
    invariants: [22],
    rules: raise,
    wrap: {
      journal: (journal) => ({
        ...journal,
        move: (runId, ids, from, to, note) =>
          journal.move(runId, ids, from, to === "accepted" ? "rejected" : to, note)
      })
    }
  },
  {
    name: "the journal keeps changes without their reasons",
    invariants: [25],
    rules: raise,
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
    name: "what a dead run left open is not looked at",
    invariants: [26, 6, 7, 8, 22],
    rules: raise,
    events: [
      {
        _tag: "Crash",
        at: startMs + 20 * minuteMs,
        downMs: 1000,
        where: "network",
        calls: 8,
        isAfter: true
      }
    ],
    wrap: {
      ...Wraps.histories((history) => ({ ...history, lastAppliedAt: undefined, pendingSince: undefined })),
      journal: (journal) => ({ ...journal, open: () => Effect.succeed([]) })
    }
  },
  {
    name: "plans cannot be kept any more",
    invariants: [27],
    hours: 0.1,
    rules: raise,
    wrap: { memory: (memory) => ({ ...memory, savePlan: () => Effect.dieMessage("never again") }) }
  },
  {
    name: "a row of the audit chain is changed by hand",
    invariants: [25],
    rules: raise,
    wrap: { tamper: Wraps.sql("UPDATE audit SET who = 'nobody' WHERE seq = 2") }
  },
  {
    name: "the last rows of the audit chain are taken out",
    invariants: [25],
    rules: raise,
    wrap: { tamper: Wraps.sql("DELETE FROM audit WHERE seq = (SELECT MAX(seq) FROM audit)") }
  },
  {
    name: "a turn waits for ever",
    invariants: [27],
    hours: 0.1,
    rules: raise,
    wrap: { facts: (source) => ({ ...source, fetch: () => Effect.never }) }
  }
]
