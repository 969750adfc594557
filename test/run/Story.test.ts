import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Change } from "../../src/engine/kinds/Change.js"
import type * as Ledger from "../../src/sandbox/Ledger.js"
import * as Scenario from "../scenario/Scenario.js"

/** What the ledger must show for a change: one line per cluster bid, status, or phrase of a minus list. */
const wanted = (change: Change): string => {
  const { campaignId, itemId, cluster } = change.subject
  return change.kind === "minus_phrase"
    ? `minus ${campaignId}/${itemId}/${cluster} ${change.after}`
    : change.kind === "campaign_status"
      ? `status ${campaignId} ${change.after}`
      : `bid ${campaignId}/${itemId}/${cluster} ${change.after}`
}

const statusWords: Readonly<Record<number, string>> = { 9: "active", 11: "paused" }

const happened = (entry: Ledger.Entry): ReadonlyArray<string> => {
  const { campaignId, itemId, cluster } = entry.target
  if (entry.slot === "status") return [`status ${campaignId} ${statusWords[Number(entry.after)]}`]
  if (entry.slot !== "minus") return [`bid ${campaignId}/${itemId}/${cluster} ${entry.after}`]
  const before = new Set(entry.before as ReadonlyArray<string>)
  const added = (entry.after as ReadonlyArray<string>).filter((phrase) => !before.has(phrase))
  return added.map((phrase) => `minus ${campaignId}/${itemId}/${phrase} true`)
}

describe("a run from rules to applied changes", () => {
  it("does exactly what was planned, nothing twice, without a single 429, and then has nothing left to do", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const first = yield* world.plan
        const { changes } = first.reviewed.plan
        expect(new Set(changes.map((change) => change.action))).toEqual(
          new Set(["raise_bid", "lower_bid", "set_bid", "add_minus", "pause"])
        )
        const report = yield* world.apply(first)
        expect(report.status).toBe("done")
        expect(report.counts).toEqual({ applied: changes.length })
        expect(world.ledger().flatMap(happened).sort()).toEqual(changes.map(wanted).sort())
        expect(world.throttled()).toBe(0)
        const second = yield* world.plan
        expect(second.reviewed.plan.changes).toEqual([])
        expect(second.open).toEqual([])
      })
    ))

  it("never bids above the policy's cap", () =>
    Scenario.run({ seed: 3, scale: { campaigns: 20, items: 4, clusters: 12 } }, (world) =>
      Effect.gen(function* () {
        yield* world.apply(yield* world.plan)
        const bids = world.ledger().filter((entry) => entry.slot === "bid")
        expect(bids.length).toBeGreaterThan(20)
        expect(bids.filter((entry) => Number(entry.after) > 45_000)).toEqual([])
      })
    ))

  it("makes the same plan from the same account, to the byte", async () => {
    const plan = () =>
      Scenario.run({}, (world) => Effect.map(world.plan, ({ reviewed }) => JSON.stringify(reviewed.plan)))
    expect(await plan()).toBe(await plan())
  })
})

describe("facts that did not arrive", () => {
  const broken = [
    { operation: "getClusterStats", kind: "errorBefore", lost: ["raise_bid", "add_minus"] },
    { operation: "getClusterStats", kind: "nulls", lost: ["raise_bid", "add_minus"] },
    { operation: "getClusterBids", kind: "emptyBody", lost: ["raise_bid"] },
    { operation: "getClusterStats", kind: "html", lost: ["raise_bid", "add_minus"] },
    { operation: "getCampaignStats", kind: "embeddedRefusal", lost: ["pause"] },
    { operation: "getCampaignStats", kind: "nulls", lost: ["pause"] },
    { operation: "getBidRecommendations", kind: "errorBefore", lost: ["raise_bid"] },
    { operation: "getMinusPhrases", kind: "errorBefore", lost: ["add_minus"] },
    { operation: "listClusters", kind: "errorBefore", lost: ["raise_bid", "add_minus"] },
    { operation: "getCampaigns", kind: "errorBefore", lost: ["raise_bid", "add_minus", "pause"] },
    { operation: "listCampaignIds", kind: "errorBefore", lost: ["raise_bid", "add_minus", "pause"] }
  ] as const
  for (const { operation, kind, lost } of broken) {
    it(`never act: ${operation} answers ${kind}`, async () => {
      // In a world of its own: what one plan learned may be remembered by the next.
      const healthy = await Scenario.run({}, (world) =>
        Effect.map(world.plan, ({ reviewed }) => reviewed.plan.changes.map(wanted))
      )
      await Scenario.run({}, (world) =>
        Effect.gen(function* () {
          world.faults([{ operation, kind }])
          const { reviewed } = yield* world.plan
          const actions = reviewed.plan.changes.map((change): string => change.action)
          expect(actions.filter((action) => (lost as ReadonlyArray<string>).includes(action))).toEqual([])
          expect(reviewed.plan.changes.map(wanted).filter((change) => !healthy.includes(change))).toEqual([])
        })
      )
    })
  }
})
