/**
 * Bugs that are put in on purpose, to see that each invariant can fail. A bug wraps or replaces a service; nothing in
 * `src` knows of it. Each comes with rules and events under which it shows within its hours on its seed.
 */
import * as Effect from "effect/Effect"
import type { RuleSet } from "../../../src/engine/language/Policy.js"
import { sandboxToken } from "../../../src/sandbox/SandboxToken.js"
import * as Scenario from "../../scenario/Scenario.js"
import type { Event } from "../chaos/Events.js"
import type { Wrap } from "../chaos/Program.js"
import * as Rules from "./Rules.js"
import * as Wraps from "./Wraps.js"

export interface Bug {
  readonly name: string
  /** The first is the one that it is planted for; the others cannot but be broken too, or may be. */
  readonly invariants: ReadonlyArray<number>
  readonly wrap: Wrap
  readonly rules: RuleSet
  /** What the engine is given instead, which has not read them rightly. */
  readonly misread?: RuleSet
  /** What else happens; nothing unless stated, so that only the bug can be to blame. */
  readonly events?: ReadonlyArray<Event>
  readonly seed?: number
  readonly hours?: number
}

const { startMs } = Scenario
const minuteMs = 60_000
const raise = Rules.of([Rules.raise])
const deposit = Rules.of([Rules.deposit])
const minus = Rules.of([Rules.minus])

const always = { at: startMs + 1, untilMs: startMs + 50 * minuteMs }
const faults = (...list: Extract<Event, { _tag: "Faults" }>["list"]): Event => ({
  _tag: "Faults",
  ...always,
  list
})
const noStatistics = faults(
  { kind: "errorBefore", operation: "getCampaignStats" },
  { kind: "errorBefore", operation: "getClusterStats" }
)

const bids: ReadonlyArray<Bug> = [
  {
    name: "bids leave without their upper bound",
    invariants: [1, 2, 5, 25],
    rules: raise,
    wrap: Wraps.bids((one) => Number(one.after) + 100_000)
  },
  {
    name: "bids leave farther than the day allows",
    invariants: [2, 5, 25],
    rules: Rules.of([Rules.raise], "move_per_day: 10%"),
    wrap: Wraps.bids((one) => Math.ceil(Number(one.before) * 0.0125) * 100)
  },
  {
    name: "bids are counted in parts of a kopeck",
    invariants: [24],
    rules: raise,
    wrap: Wraps.bodies("setItemBids", (body) => body.replace(/"bid_kopecks":(\d+)/g, '"bid_kopecks":$1.5'))
  },
  {
    name: "when a bid was last moved is forgotten",
    invariants: [18],
    rules: Rules.of(Rules.seesaw),
    hours: 3,
    wrap: Wraps.histories((history) => ({ ...history, lastAppliedAt: undefined }))
  }
]

const money: ReadonlyArray<Bug> = [
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

const sending: ReadonlyArray<Bug> = [
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

const deciding: ReadonlyArray<Bug> = [
  {
    name: "orders that could not be read are none",
    invariants: [9],
    rules: Rules.of([Rules.lower]),
    events: [noStatistics],
    wrap: Wraps.unreadOrdersAreNone
  },
  {
    name: "orders that could not be read are none, and campaigns are paused",
    invariants: [14],
    rules: Rules.of([Rules.pause]),
    events: [noStatistics],
    wrap: Wraps.unreadOrdersAreNone
  },
  {
    name: "the most changes of a run are not read from the limits",
    invariants: [10],
    rules: Rules.of([Rules.raise], "changes_per_run: 2"),
    misread: raise,
    wrap: {}
  },
  {
    name: "a preview is taken for an order",
    invariants: [16],
    rules: Rules.of([Rules.raise], "move_per_day: 50%", "preview"),
    misread: raise,
    wrap: {}
  },
  {
    name: "live values are not read before sending",
    invariants: [11],
    rules: raise,
    wrap: Wraps.live((_, changes) =>
      Effect.succeed(new Map(changes.map(({ before, id }) => [id, { _tag: "Value", value: before }])))
    )
  },
  {
    name: "a minus list is replaced instead of merged",
    invariants: [12],
    rules: minus,
    events: Array.from({ length: 8 }, (_, i) => ({
      _tag: "Human",
      at: startMs + 5 * minuteMs,
      kind: "minus",
      pick: i * 101,
      amount: 0
    })),
    wrap: Wraps.bodies("setMinusPhrases", (body) => {
      const { norm_queries, ...pair } = JSON.parse(body)
      return JSON.stringify({ ...pair, norm_queries: norm_queries.slice(-1) })
    })
  },
  {
    name: "undo does not see what somebody has set",
    invariants: [15],
    rules: raise,
    events: [
      ...Array.from(
        { length: 9 },
        (_, i): Event => ({
          _tag: "Human",
          at: startMs + 23 * minuteMs,
          kind: "bid",
          pick: i * 7 + (i % 3),
          amount: 0.9
        })
      ),
      { _tag: "Undo", at: startMs + 25 * minuteMs, pick: 0 }
    ],
    wrap: Wraps.live((read, changes) =>
      Effect.map(
        read,
        (values) =>
          new Map([
            ...values,
            ...changes
              .filter(({ undoes }) => undoes !== undefined)
              .map(({ before, id }) => [id, { _tag: "Value" as const, value: before }] as const)
          ])
      )
    )
  },
  {
    name: "every other look at the past finds none",
    invariants: [17],
    rules: raise,
    events: [{ _tag: "Look", at: startMs + 25 * minuteMs }],
    wrap: Wraps.pastOfEveryOtherLook
  }
]

const remembering: ReadonlyArray<Bug> = [
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
      journal: (journal) => ({
        ...journal,
        ...Wraps.past(journal, (history) => ({
          ...history,
          lastAppliedAt: undefined,
          pendingSince: undefined
        })),
        open: () => Effect.succeed([])
      })
    }
  },
  {
    name: "plans cannot be kept any more",
    invariants: [27],
    hours: 0.1,
    rules: raise,
    wrap: { journal: (journal) => ({ ...journal, savePlan: () => Effect.dieMessage("never again") }) }
  }
]

export const bugs: ReadonlyArray<Bug> = [...bids, ...money, ...sending, ...deciding, ...remembering]
