/** Bugs of what is decided, and of what is looked at before it is sent. */
import * as Effect from "effect/Effect"
import type { Live } from "../../../src/engine/kinds/Seen.js"
import type { Event } from "../chaos/Events.js"
import { type Bug, faults, minuteMs, startMs } from "./Bug.js"
import * as Rules from "./Rules.js"
import * as Wraps from "./Wraps.js"

const raise = Rules.of([Rules.raise])
const minus = Rules.of([Rules.minus])
const noStatistics = faults(
  { kind: "errorBefore", operation: "getCampaignStats" },
  { kind: "errorBefore", operation: "getClusterStats" }
)

export const bugs: ReadonlyArray<Bug> = [
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
    misread: ({ limits: { changesPerRun: _, ...limits }, ...rules }) => ({ ...rules, limits })
  },
  {
    name: "a preview is taken for an order",
    invariants: [16],
    rules: Rules.of([Rules.raise], "move_per_day: 50%", "preview"),
    misread: (rules) => ({
      ...rules,
      policies: rules.policies.map((policy) =>
        policy.mode === "preview" ? { ...policy, mode: "apply" as const } : policy
      )
    })
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
    invariants: [12, 18],
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
          new Map<string, Live>([
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
  },
  {
    name: "nobody asks what was charged, and zeros are believed",
    invariants: [9],
    rules: Rules.of([Rules.lower]),
    events: [
      faults(
        { kind: "zeros", operation: "getCampaignStats" },
        { kind: "zeros", operation: "getClusterStats" }
      )
    ],
    wrap: { facts: ({ charged: _, ...source }) => source }
  },
  {
    name: "nobody asks what was charged, and what was paused for its spend is started",
    invariants: [14],
    rules: Rules.of([Rules.stop]),
    events: [
      {
        ...faults(
          { kind: "zeros", operation: "getCampaignStats" },
          { kind: "zeros", operation: "getClusterStats" }
        ),
        at: startMs + 30 * minuteMs
      }
    ],
    wrap: { facts: ({ charged: _, ...source }) => source }
  },
  {
    name: "bids move again on the figures that moved them",
    invariants: [9, 18],
    rules: Rules.of(Rules.seesaw),
    hours: 3,
    wrap: Wraps.histories((history) => ({ ...history, lastAppliedAt: undefined }))
  }
]
