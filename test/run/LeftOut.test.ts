/** Clusters whose names no store gives back as they were: no rule sees them, and the plan says how many they are. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Besides from "../../src/engine/planning/Besides.js"
import * as TextPreview from "../../src/reporting/preview/TextPreview.js"
import * as Blueprint from "../../src/sandbox/market/Blueprint.js"
import * as World from "../../src/sandbox/market/World.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Scenario from "../scenario/Scenario.js"

const rules = (each: "campaign" | "cluster") => [
  {
    path: "rules/seen.yaml",
    text: `version: 1\nname: Seen\nmode: apply\neach: ${each}\nwhen: campaign.status = active\ndo:\n  notify: "seen"\n`
  }
]

/** The marketplace cuts the names of so many clusters of the only item, through a sign of two halves. */
const cut = (world: Scenario.World, count: number) => {
  const { clusters } = World.item(world.sandbox.world(defaultSeller), Blueprint.firstItemId)
  for (const cluster of clusters.filter(({ text }) => text !== undefined).slice(0, count))
    Object.assign(cluster, { text: `${cluster.text} \ud83d` })
}

const told = ({ reviewed }: { readonly reviewed: { readonly plan: { readonly notices?: unknown } } }) =>
  reviewed.plan.notices

it("are counted in the plan, with the reason, and told by its preview and by the cycle", () =>
  Scenario.run({ rules: rules("cluster"), scale: { campaigns: 1, items: 1, clusters: 6 } }, (world) =>
    Effect.gen(function* () {
      const before = yield* world.plan
      const rows = before.gathered.table("cluster").size
      expect(JSON.stringify(told(before))).not.toContain("left out")
      cut(world, 2)
      const planned = yield* world.plan
      const gone = rows - planned.gathered.table("cluster").size
      expect(gone).toBe(2)
      expect(told(planned)).toContainEqual({
        policy: "all rules",
        campaignName: "",
        text: "2 clusters are left out: their names hold a NUL or half of a character, which no store gives back as it was; no rule sees them, and their bids stay as they are"
      })
      expect(TextPreview.render(planned.reviewed.plan, { colour: false, all: false })).toContain(
        "2 clusters are left out"
      )
      expect(Besides.text(planned)).toContain("see the log")
    })
  ))

it("say nothing in a plan whose rules ask for no clusters", () =>
  Scenario.run({ rules: rules("campaign"), scale: { campaigns: 1, items: 1, clusters: 6 } }, (world) =>
    Effect.gen(function* () {
      yield* world.plan
      cut(world, 2)
      expect(JSON.stringify(told(yield* world.plan))).not.toContain("left out")
    })
  ))
