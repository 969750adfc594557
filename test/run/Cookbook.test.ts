/**
 * The cookbook's blocks are the source: each recipe loads without a warning, passes its own tests, and acts in the
 * sandbox, judged by its ledger (or, where it only tells, by the plan's notices).
 */
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Plan } from "../../src/engine/decide/Plan.js"
import * as Load from "../../src/engine/language/Load.js"
import * as ReadTests from "../../src/engine/testing/ReadTests.js"
import * as RunTests from "../../src/engine/testing/RunTests.js"
import type * as Ledger from "../../src/sandbox/Ledger.js"
import * as Said from "../reporting/Said.js"
import * as OwnTables from "../scenario/OwnTables.js"
import * as Scenario from "../scenario/Scenario.js"

const text = readFileSync("docs/rules/cookbook.md", "utf8")

interface Recipe {
  readonly title: string
  /** Contents by path: `rules/21-….yaml`, `data/items.csv`. */
  readonly blocks: ReadonlyMap<string, string>
}

const recipes: ReadonlyArray<Recipe> = text
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.split("\n")[0]!,
    blocks: new Map(
      [...section.matchAll(/```\w+ (\S+)\n([\s\S]*?)```/g)].map((match) => [match[1]!, match[2]!])
    )
  }))

const economics = "rules/_shared/economics.csv"
const isTest = (path: string) => path.startsWith("rules/tests/")

/** Rule files of a recipe with their tables, and with the edits of a seller. */
const files = (
  { blocks }: Recipe,
  edit: (path: string, text: string) => string = (_, text) => text
): ReadonlyArray<Load.File> => {
  const edited = new Map([...blocks].map(([path, block]) => [path, edit(path, block)]))
  return [...edited].flatMap(([path, block]) => {
    if (path === economics) return [{ path, text: "", data: OwnTables.dataOf(path, block) }]
    if (isTest(path) || !path.endsWith(".yaml")) return []
    const csv = /csv: \.\.\/\.\.\/(\S+?)[,}]/.exec(block)?.[1]
    return [
      { path, text: block, ...(csv === undefined ? {} : { data: OwnTables.dataOf(csv, edited.get(csv)!) }) }
    ]
  })
}

const tests = ({ blocks }: Recipe): ReadonlyArray<Load.File> =>
  [...blocks].flatMap(([path, block]) => (isTest(path) ? [{ path, text: block }] : []))

interface Story {
  /** What else a seller edits before turning the rule on. */
  readonly edits?: ReadonlyArray<readonly [from: string, to: string]>
  /** What happens to the shop and the clock before the rule has its turn. */
  readonly before?: (world: Scenario.World) => Effect.Effect<void, unknown>
  /** How often the rule may have its turn, and how long after each other, until it acts. */
  readonly turns?: readonly [count: number, apart: "1 day"]
  /** The rule is about promotions: it has its turn in their lane, and needs a word that nobody takes back. */
  readonly enrols?: true
  /** What stands in the ledger; of a rule that tells, what the plan says. */
  readonly acts: (entries: ReadonlyArray<Ledger.Entry>, plan: Plan) => void
}

const raised = ({ after, before }: Ledger.Entry) => Number(after) > Number(before)
const all = (
  entries: ReadonlyArray<Ledger.Entry>,
  slot: Ledger.Slot,
  of: (entry: Ledger.Entry) => boolean
) => {
  expect(entries.length).toBeGreaterThan(0)
  for (const entry of entries) {
    expect(entry.slot).toBe(slot)
    expect(of(entry), JSON.stringify(entry)).toBe(true)
  }
}
const always = () => true

/** Own bids of clusters stand in the ledger as null before the first one. */
const stories: Readonly<Record<string, Story>> = {
  "Raise toward reach max": {
    acts: (entries) => all(entries, "bid", ({ after }) => Number(after) <= 45_000)
  },
  "Minus what nobody clicks": {
    edits: [["share_of_scope: 20%", "share_of_scope: 40%"]],
    turns: [2, "1 day"],
    acts: (entries) => all(entries, "minus", ({ after }) => Array.isArray(after) && after.length > 0)
  },
  "Pause for the day": {
    edits: [["daily: 3000 ₽", "daily: 300 ₽"]],
    acts: (entries) => all(entries, "status", ({ after }) => after === 11)
  },
  "Keep the cost of sales (ДРР) over 14 days": {
    edits: [["acos > 20%", "acos > 2%"]],
    acts: (entries) => all(entries, "bid.search", (entry) => !raised(entry))
  },
  "Weekend evenings": {
    // From Tuesday 09:00 in Moscow to Saturday 18:30.
    before: (world) => Effect.zipRight(world.advance("4 days"), world.advance("570 minutes")),
    acts: (entries) => all(entries, "bid.search", raised)
  },
  "Stock below ten": {
    before: (world) =>
      Effect.gen(function* () {
        const { gathered } = yield* world.plan
        const [campaign] = gathered.table("campaign").rows
        for (const { campaignId, itemId } of gathered.table("campaign_item").rows)
          if (campaignId === campaign!.campaignId)
            world.play({ itemId: itemId!, play: "count_stock", units: 3 })
        yield* world.advance("2 hours")
      }),
    acts: (entries) => all(entries, "status", ({ after }) => after === 11)
  },
  "Hold a top position": {
    edits: [['["кеды"]', '["перчатки"]']],
    acts: (entries) => all(entries, "bid", always)
  },
  "Top up what sells": {
    edits: [
      ["acos < 15%", "acos < 80%"],
      ["spend / 7 * 50%", "spend * 500%"]
    ],
    acts: (entries) => all(entries, "budget", ({ after, before }) => Number(after) - Number(before) === 1000)
  },
  "Grace for new campaigns": {
    edits: [
      ["orders default 0 = 0", "orders default 0 < 100"],
      ["spend >= 1500 ₽", "spend >= 100 ₽"]
    ],
    acts: (entries) => all(entries, "status", ({ after }) => after === 11)
  },
  "Week on week": {
    edits: [["change(views, 7d) < -10%", "change(views, 7d) < 5%"]],
    acts: (entries, plan) => {
      expect(entries).toEqual([])
      expect(plan.notices?.map(({ text: told }) => told)).toContainEqual(
        expect.stringMatching(/: \d+ views, \d+ the week before$/)
      )
    }
  },
  "Portfolio budget": {
    edits: [["together: 10000 ₽", "together: 300 ₽"]],
    acts: (entries) => {
      all(entries, "status", ({ after }) => after === 11)
      expect(entries.map(({ target }) => target.campaignId)).toEqual([1_000_001, 1_000_002])
    }
  },
  "Settings per brand": {
    edits: [['["кеды"]', '["перчатки"]']],
    acts: (entries) => all(entries, "bid", ({ after }) => Number(after) <= 50_000)
  },
  "All but the labelled": {
    edits: [["cpo > 500 ₽", "cpo > 10 ₽"]],
    acts: (entries) => all(entries, "bid.search", ({ target }) => target.campaignId !== 1_000_001)
  },
  "A rule per group, from a table": {
    acts: (entries) =>
      all(entries, "bid", ({ target }) => [200_000_001, 200_000_002].includes(target.itemId!))
  },
  "Advertise only what earns": {
    edits: [["*;;15", "*;100000;15"]],
    acts: (entries) => all(entries, "status", ({ after }) => after === 11)
  },
  "The next boost for little money": {
    enrols: true,
    edits: [
      ["*;;15", "*;0;15"],
      ["price_drop <= 30%", "price_drop <= 80%"],
      ["12h and 7d", "12h and 30d"],
      ["at_most: 5000 ₽ per day", "at_most: 500000 ₽ per day, overlap: allowed"]
    ],
    acts: (entries) => all(entries, "promotion", always)
  },
  "Pause above break-even": {
    edits: [
      ["*;;15", "*;100000;15"],
      ["spend >= 2000 ₽", "spend >= 200 ₽"]
    ],
    acts: (entries) => all(entries, "status", ({ after }) => after === 11)
  }
}

describe("the cookbook", () => {
  it("has a story for each recipe", () => {
    expect(recipes.map(({ title }) => title)).toEqual(Object.keys(stories))
  })

  for (const recipe of recipes) {
    describe(recipe.title, () => {
      it("loads as it stands, without a warning, and begins as a preview", () => {
        const { diagnostics, ruleSet } = Load.check(files(recipe))
        expect(
          diagnostics.map(({ code, message, span }) => `${span.file}:${span.line} ${code} ${message}`)
        ).toEqual([])
        expect(ruleSet?.policies.map(({ mode }) => mode)).toEqual(["preview"])
      })

      it("passes its own tests", () => {
        const ruleSet = Scenario.check(files(recipe))
        const read = ReadTests.read(tests(recipe), ruleSet)
        expect(read.diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([])
        const { cases } = RunTests.run(
          read.files ?? [],
          {
            rules: ruleSet,
            zone: "Europe/Moscow",
            currency: "RUB"
          },
          Said.sentences
        )
        expect(cases.length).toBeGreaterThan(0)
        expect(cases.flatMap(({ failures }) => failures)).toEqual([])
      })

      it("acts in the sandbox", () => {
        const { acts, before, edits = [], enrols, turns = [1, "1 day"] } = stories[recipe.title]!
        const mode = enrols ? "mode: apply\nirreversible: accepted" : "mode: apply"
        const rules = files(recipe, (path, block) =>
          edits
            .reduce((now, [from, to]) => now.replaceAll(from, to), block)
            .replace(/^name: .*$/m, path.includes("_shared") ? "$&" : `$&\n${mode}`)
        )
        return Scenario.run({ rules, seed: 3, scale: { campaigns: 12, items: 3, clusters: 12 } }, (world) =>
          Effect.gen(function* () {
            if (before !== undefined) yield* before(world)
            const known = world.ledger().length
            let plan: Plan | undefined
            for (let turn = 0; turn < turns[0] && world.ledger().length === known; turn++) {
              if (turn > 0) yield* world.advance(turns[1])
              const planned = yield* enrols ? world.planPromotions : world.plan
              yield* world.apply(planned)
              plan = planned.reviewed.plan
            }
            acts(world.ledger().slice(known), plan!)
          })
        )
      })
    })
  }
})
