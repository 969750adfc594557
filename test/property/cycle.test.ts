/** Whatever the network does: the account is left as the rules allow, and nothing happens without a record. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import type { JournalRow } from "../../src/engine/door/Journal.js"
import { isThere } from "../../src/engine/door/Outcome.js"
import type { Fault } from "../../src/sandbox/Faults.js"
import type * as Ledger from "../../src/sandbox/Ledger.js"
import * as Depth from "../Depth.js"
import * as Scenario from "../scenario/Scenario.js"

const operations = [
  "getCampaigns",
  "listClusters",
  "getClusterStats",
  "getClusterBids",
  "getMinusPhrases",
  "getCampaignStats",
  "getBidRecommendations",
  "getMinimumBids",
  "setClusterBidsMinorUnits",
  "setMinusPhrases",
  "pauseCampaign"
]
const kinds = [
  "reset",
  "dropAnswer",
  "halfBody",
  "html",
  "errorBefore",
  "errorAfter",
  "refuse",
  "nulls",
  "missing",
  "embeddedRefusal",
  "wrongContentType",
  "emptyBody"
] as const

/** A null list of bids says that no cluster has its own (field note M03); no reader can tell it from a lie. */
const isLie = ({ kind, operation }: Fault) => kind === "nulls" && operation === "getClusterBids"

const fault: fc.Arbitrary<Fault> = fc
  .record({
    kind: fc.constantFrom(...kinds),
    operation: fc.constantFrom(...operations),
    probability: fc.constantFrom(0.2, 0.5, 1),
    count: fc.integer({ min: 1, max: 6 })
  })
  .filter((one) => !isLie(one))
const slowness: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constant("latency" as const),
  ms: fc.constantFrom(0, 20, 400),
  jitterMs: fc.constantFrom(0, 40, 1500)
})
const rounds = fc.array(fc.record({ faults: fc.array(fault, { maxLength: 5 }), slowness }), {
  minLength: 1,
  maxLength: 3
})

it("trouble of any kind leaves no bid beyond its cap, no phrase lost, no write without a record", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 50 }), rounds, (seed, all) =>
      Scenario.run(
        { rules: Scenario.firstRules(), seed, scale: { campaigns: 3, items: 2, clusters: 8 } },
        (world) =>
          Effect.gen(function* () {
            const rows: Array<JournalRow> = []
            for (const { faults, slowness: slow } of all) {
              world.faults([slow, ...faults])
              const report = yield* world.apply(yield* world.plan)
              rows.push(...report.rows)
              world.faults([])
              yield* world.advance("7 hours")
            }
            // What was refused rests for a day.
            yield* world.advance("25 hours")
            const last = yield* world.apply(yield* world.plan)
            rows.push(...last.rows)
            // What was paused yesterday and has no budget left cannot start: refused, which is no trouble.
            const refused = last.rows.filter(
              ({ change, state }) => state === "rejected" && change.action === "start"
            )
            expect(
              last.rows.filter((row) => row.state !== "applied" && !refused.includes(row) && !isThere(row))
            ).toEqual([])
            expect(yield* world.journal.open(Scenario.account)).toEqual([])
            expect(world.throttled()).toBe(0)
            for (const entry of world.ledger()) {
              expect(lawful(entry)).toBe("lawful")
              expect(recorded(entry, rows)).toBe(true)
            }
            expect(repeated(world.ledger())).toEqual([])
          })
      )
    ),
    { numRuns: Depth.cases(40, 1 / 8) }
  )
}, 240_000)

const lawful = (entry: Ledger.Entry): string => {
  const { after, before, slot } = entry
  if (slot === "bid") {
    const [from, to] = [Number(before), Number(after)]
    if (to > 45_000) return `bid of ${to} is above the cap`
    if (to % 100 !== 0) return `bid of ${to} is not on a step`
    return before === null || (to > from && to <= Math.floor(from * 1.3) + 100)
      ? "lawful"
      : `bid went from ${from} to ${to}`
  }
  if (slot === "minus") {
    const kept = new Set(after as ReadonlyArray<string>)
    return (before as ReadonlyArray<string>).every((phrase) => kept.has(phrase))
      ? "lawful"
      : "a phrase was lost"
  }
  return slot === "status" ? "lawful" : `no rule writes ${slot}`
}

/** A write of the ledger has a journal row that was claimed before it. */
const recorded = (entry: Ledger.Entry, rows: ReadonlyArray<JournalRow>): boolean =>
  rows.some(
    ({ change, sentAt }) =>
      sentAt !== undefined &&
      change.subject.campaignId === entry.target.campaignId &&
      (entry.target.itemId === undefined || change.subject.itemId === entry.target.itemId) &&
      (entry.target.cluster === undefined || change.subject.cluster === entry.target.cluster)
  )

/** The same value sent twice in a row to one slot. */
const repeated = (ledger: ReadonlyArray<Ledger.Entry>): ReadonlyArray<string> => {
  const last = new Map<string, string>()
  return ledger.flatMap((entry) => {
    const slot = JSON.stringify([entry.slot, entry.target])
    const value = JSON.stringify(entry.after)
    const again = last.get(slot) === value
    last.set(slot, value)
    return again ? [`${slot} ${value}`] : []
  })
}
