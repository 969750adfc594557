/** What static analysis calls settled by a cooldown is: on the real timetable, the two never go back and forth. */
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { Schedule } from "../../src/domain/Schedule.js"
import * as Memory from "../../src/engine/decide/intents/Memory.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import type { SlotHistory } from "../../src/engine/kinds/SlotHistory.js"
import * as Fights from "../../src/engine/language/analysis/Fights.js"
import * as Subject from "../../src/engine/language/analysis/Subject.js"
import type { Action, Policy } from "../../src/engine/language/Policy.js"
import * as Timetable from "../../src/engine/schedule/Timetable.js"
import * as Example from "../decide/Example.js"
import * as Cases from "./Cases.js"

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const tz = "Europe/Moscow"

const schedule: fc.Arbitrary<Schedule> = fc.oneof(
  fc.constantFrom(1, 3, 6, 24).map((hours) => ({ every: hours * hourMs, tz })),
  fc.array(fc.integer({ min: 0, max: 1439 }), { minLength: 1, maxLength: 2 }).map((at) => ({ at, tz })),
  fc.record({ from: fc.integer({ min: 0, max: 600 }), hours: fc.constantFrom(1, 3) }).map(
    ({ from, hours }): Schedule => ({
      every: hours * hourMs,
      between: { fromMinute: from, toMinute: from + 720 },
      tz
    })
  ),
  fc.constant<Schedule>({ at: [420], days: ["mon", "thu"], tz })
)
const cooldown = fc.constantFrom(undefined, 1, 6, 24, 48, 96, 168, 240)

const made = (id: string, action: Action, of: Schedule, hours: number | undefined): Policy => ({
  ...Example.policy(id, action),
  each: action._tag === "Pause" || action._tag === "Start" ? "campaign" : "cluster",
  rules: [{ when: isBid(action) ? [Example.ordersAtLeast(3)] : [], action }],
  schedule: of,
  ...(hours === undefined ? {} : { cooldownMs: hours * hourMs })
})
const isBid = ({ _tag }: Action): boolean => _tag === "RaiseBid" || _tag === "LowerBid"

const steps = { _tag: "Steps" as const, steps: 1 }
const bids: readonly [Action, Action] = [
  Example.raiseBid({ by: steps, cap: Example.rub(900) }),
  Example.lowerBid({ by: steps, floor: Example.rub(10) })
]
const pair = fc
  .tuple(
    fc.constantFrom(bids, bids, [Example.start, Example.pause] as const),
    schedule,
    schedule,
    cooldown,
    cooldown
  )
  .map(([[dearer, cheaper], a, b, c, d]): readonly [Policy, Policy] => [
    made("01", dearer, a, c),
    made("02", cheaper, b, d)
  ])

/** How often the dearer side moves after the cheaper one has moved, in 20 days in which both match all the time. */
const returns = ([dearer, cheaper]: readonly [Policy, Policy]): number => {
  const turns = new Map<number, Array<Policy>>()
  for (const policy of [dearer, cheaper])
    for (const at of Timetable.between(policy.schedule!, Example.now, Example.now + 20 * dayMs))
      turns.set(at, [...(turns.get(at) ?? []), policy])
  const live: { bid: number; status: string } = { bid: 300_00, status: "active" }
  let history: SlotHistory | undefined
  let hasLowered = false
  let count = 0
  for (const [nowMs, policies] of [...turns].sort(([a], [b]) => a - b)) {
    const target = policies[0]!.each === "campaign" ? Example.target(777) : Example.oneRow[0]!.target
    const facts = { "cluster.bid": live.bid, "campaign.status": live.status, "cluster.orders@7d": 9 }
    const slots = history === undefined ? [] : [history]
    const [change] = Example.plan({ policies, rows: [{ target, facts }], slots, nowMs }).changes
    if (change === undefined) continue
    if (change.kind === "campaign_status") live.status = String(change.after)
    else live.bid = Number(change.after)
    history = { ...Memory.after(history, Kinds.slotOf(change), change, nowMs, false), dayFirstBid: undefined }
    if (change.origin.name === cheaper.id) hasLowered = true
    else if (hasLowered) count++
  }
  return count
}

describe("two policies that want opposite things of one row", () => {
  it(
    "never go back and forth where a cooldown is said to settle it, and do where it is said not to",
    async () => {
      const seen = { settled: 0, swinging: 0 }
      await Cases.check(
        fc.property(pair, (policies) => {
          const isFight = Fights.among(policies.map(Subject.of)).length > 0
          const swings = returns(policies)
          if (!isFight) {
            seen.settled++
            assert.strictEqual(swings, 0)
          } else if (swings > 0) seen.swinging++
        }),
        60,
        11
      )
      assert.isAbove(seen.settled, 5)
      assert.isAbove(seen.swinging, 10)
    },
    Cases.timeoutMs
  )
})
