/** Bugs in the source: lines that guard money or people, each as somebody could have got it wrong. */
import type { Event } from "../chaos/Events.js"
import { type Bug, faults, minuteMs, startMs } from "./Bug.js"
import * as Rules from "./Rules.js"

const during = { at: startMs + 1, untilMs: startMs + 50 * minuteMs }
const sleeps: Event = {
  _tag: "Freeze",
  ...during,
  downMs: 1000,
  longerMs: 120_000,
  where: "begin",
  calls: 1,
  isAfter: false,
  isAsleep: true
}
const person = { _tag: "Human", at: startMs + 23 * minuteMs, kind: "ours", pick: 0, amount: 0.2 } as const
const call = { _tag: "Call", at: startMs + 23 * minuteMs, pick: 12, amount: 0.2 } as const

export const bugs: ReadonlyArray<Bug> = [
  {
    name: "a rule's own cap is ignored in a raise",
    invariants: [1],
    rules: Rules.of([Rules.raiseTo("165.50 ₽")]),
    plant: [
      {
        file: "engine/decide/intents/Clamp.ts",
        text: "present([bounds.toward, bounds.cap, road.dayHigh, road.maxBid])",
        instead: "present([bounds.toward, road.dayHigh, road.maxBid])"
      }
    ]
  },
  {
    name: "a raise is rounded past its cap",
    invariants: [1],
    rules: Rules.of([Rules.raiseTo("165.50 ₽")]),
    plant: [
      {
        file: "engine/decide/intents/Clamp.ts",
        text: "course.land(down > current ? down : floorTo(current, step) + step, step)\n  if (road",
        instead: "course.land(ceilTo(course.kopecks, step), step)\n  if (road"
      },
      {
        file: "engine/decide/intents/Clamp.ts",
        text: "return course.kopecks > tightest.kopecks ? stopped(tightest, false) : course.arrive()",
        instead:
          "return course.kopecks >= tightest.kopecks + step ? stopped(tightest, false) : course.arrive()"
      }
    ]
  },
  {
    name: "the kill switch is not asked after the limiter's wait",
    invariants: [16],
    rules: Rules.of([Rules.raise]),
    events: [{ _tag: "Kill", ...during, inWait: true }],
    plant: [
      {
        file: "engine/door/LastLook.ts",
        text: "const reason = yield* reasonToStop(lease)\n      if",
        instead: "const reason = (yield* lease.held) ? undefined : lost()\n      if"
      }
    ]
  },
  {
    name: "changes are claimed and sent without a look at the lock's epoch",
    invariants: [7],
    rules: Rules.of([Rules.raise]),
    events: [sleeps],
    plant: [
      {
        file: "store/journal/JournalSql.ts",
        text: "if (!(yield* isHeld(sql, fence))) {",
        instead: "if (!(yield* isHeld(sql, fence)) && fence.epoch < 0) {"
      }
    ]
  },
  {
    name: "statistics that are missing are zero",
    invariants: [9],
    rules: Rules.of([Rules.lowerClusters]),
    events: [faults({ kind: "omit", operation: "getClusterStats", share: 0.5 })],
    plant: [
      {
        file: "engine/gather/Office.ts",
        text: "if (!tellsAll) table.leave(key, entries.all, Cell.unknown(missing))",
        instead:
          "if (!tellsAll) table.leave(key, entries.all, desk.window === undefined ? Cell.unknown(missing) : 0)"
      }
    ]
  },
  {
    name: "undo takes back what a person has changed since",
    invariants: [15],
    rules: Rules.of([Rules.raise]),
    events: [person, { _tag: "Undo", at: startMs + 25 * minuteMs, pick: 0, ofEdited: true }],
    plant: [
      {
        file: "engine/planning/Undo.ts",
        text: 'case "Other":\n      return {',
        instead:
          'case "Other":\n      if (live?._tag === "Value") return { change: { ...inverse, before: live.value } }\n      return {'
      }
    ]
  },
  {
    name: "a minus list is merged from a reading of before",
    invariants: [12],
    rules: Rules.of([Rules.minus]),
    events: [{ _tag: "Between", ...during }],
    plant: [
      {
        file: "marketplace/writes/MinusLists.ts",
        text: "const now = (yield* read(clusters, [pair])).get(Target.key(pair))",
        instead: "const now = before"
      }
    ]
  },
  {
    name: "a deposit counts as unpaid after a minute",
    invariants: [22, 3],
    rules: Rules.of([Rules.deposit]),
    events: [{ _tag: "LateDeposits", ...during }],
    plant: [
      {
        file: "engine/kinds/DepositProof.ts",
        text: "export const decideMs = 10 * 60_000",
        instead: "export const decideMs = 60_000"
      }
    ]
  },
  {
    name: "what a person has changed is held for no time",
    invariants: [11],
    rules: Rules.of([Rules.raise]),
    hours: 2,
    events: [person],
    plant: [
      {
        file: "engine/decide/limits/HumanEdits.ts",
        text: "humanEditHoldMs ?? usualHoldMs",
        instead: "humanEditHoldMs ?? 0"
      }
    ]
  },
  {
    name: "rules move what a person has set by a call",
    invariants: [11],
    rules: Rules.of([Rules.raise]),
    hours: 2,
    events: [call],
    plant: [
      {
        file: "engine/kinds/OperatorHold.ts",
        text: "policy === undoPolicy || policy === callPolicy",
        instead: "policy === undoPolicy"
      }
    ]
  }
]
