/** `optimise` while answers leave clusters out: what no cluster is told to have brought is not the shelf's. The ledger is the judge. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type * as Load from "../../src/engine/language/Load.js"
import type * as Faults from "../../src/sandbox/Faults.js"
import * as Scenario from "../scenario/Scenario.js"

const vars: Load.File = { path: "rules/_shared/vars.yaml", text: "version: 1\nkind: vars\nvars: {}\n" }

const optimise: Load.File = {
  path: "rules/10-optimise.yaml",
  text: `version: 1
name: Best profit
mode: apply
each: campaign
where: campaign.status = active
window: 14d
do:
  optimise: {margin: 25%, budget: 30000 ₽, cap: {cpm: 900 ₽, cpc: 12 ₽}}
`
}

const scale = { campaigns: 4, items: 4, clusters: 20 }
/** Of these, the second is shown in search and in recommendations, and the fourth has one bid for both. */
const [both, unified] = [1_000_002, 1_000_004]

/** What a morning makes of the account while answers are not what they were. */
const morning = (faults: ReadonlyArray<Faults.Fault>) =>
  Scenario.run({ rules: [vars, optimise], scale }, (world) =>
    Effect.gen(function* () {
      world.faults(faults)
      const planned = yield* world.plan
      yield* world.apply(planned)
      const entries = [...world.ledger()]
      return { entries, plan: planned.reviewed.plan }
    })
  )

const of = ({ entries }: Awaited<ReturnType<typeof morning>>, campaignId: number) =>
  entries.filter(({ target }) => target.campaignId === campaignId)

const why = ({ plan }: Awaited<ReturnType<typeof morning>>, campaignId: number) =>
  plan.unknown.flatMap(({ because, subject }) => (subject.campaignId === campaignId ? [because.code] : []))

describe("clusters that an answer leaves out", () => {
  for (const [operations, code] of [
    [["listClusters"], "clusters_unlisted"],
    [["getClusterStats"], "clusters_silent"],
    [["listClusters", "getClusterStats"], "clusters_silent"]
  ] as const)
    it(`are not counted as recommendations, and move nothing in the campaign: half of ${operations.join(" and ")}`, async () => {
      const spoilt = await morning(
        operations.map((operation) => ({ kind: "omit", operation, share: 0.5 }) as const)
      )
      for (const campaignId of [both, unified]) {
        expect(of(spoilt, campaignId)).toEqual([])
        expect(why(spoilt, campaignId)).toEqual([code])
      }
    }, 60_000)

  it("are not counted as recommendations where their list fails", async () => {
    const spoilt = await morning([{ kind: "errorBefore", operation: "listClusters" }])
    expect(spoilt.entries).toEqual([])
    expect(why(spoilt, both)).toEqual(["clusters_unlisted"])
  }, 60_000)

  it("are none on an ordinary morning, when every campaign is steered", async () => {
    const usual = await morning([])
    expect(usual.plan.unknown).toEqual([])
    for (const campaignId of [both, unified]) expect(of(usual, campaignId).length).toBeGreaterThan(5)
  }, 60_000)
})
