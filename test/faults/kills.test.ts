/**
 * kill -9 at every point of the journal, for every class of writes: the next run goes on from there, the marketplace has
 * every effect at most once, and the journal ends whole. The judge is the sandbox's own ledger.
 */
import { describe, expect, it } from "vitest"
import { type Point, points } from "../../src/engine/run/JournalPoints.js"
import * as Stage from "./Stage.js"

interface Way {
  readonly about: string
  readonly rules: ReadonlyArray<keyof typeof Stage.rules>
  readonly command: ReadonlyArray<string>
  /** Points that this way never passes: a raw call has no wave of changes to read back. */
  readonly without: ReadonlyArray<Point>
  /** What must be in the ledger once the command was killed and run again. */
  readonly slots: Readonly<Record<string, number>>
  /** How fast the sandbox's clock runs: slower where little is waited for, so that a busy machine keeps its lock. */
  readonly speed?: number
  /** Operations of which at most one request may ever have left. */
  readonly once?: string
  /** What runs after the kill: the same command, unless a person has to look before it is sent again. */
  readonly next?: ReadonlyArray<string>
}

const call = (operation: string, params: object) => [
  "call",
  operation,
  "--params",
  JSON.stringify(params),
  "--yes"
]

const ways: Readonly<Record<string, Way>> = {
  A: {
    about: "bids and a status",
    rules: ["bids", "status"],
    command: ["apply", "--yes"],
    without: [],
    slots: { "bid.search": 4, status: 1 }
  },
  B: {
    about: "minus lists",
    rules: ["minus"],
    command: ["apply", "--yes"],
    without: [],
    slots: { minus: 4 }
  },
  "C campaign": {
    about: "a campaign by a raw call",
    rules: ["status"],
    command: call("createCampaign", {
      name: "Of ours",
      nms: [200000001],
      bid_type: "manual",
      placement_types: ["search"]
    }),
    without: ["sent", "seen", "settled"],
    slots: { campaign: 1 },
    once: "createCampaign"
  },
  "C supply": {
    about: "a supply by a raw call",
    rules: ["status"],
    command: call("createSupply", { name: "Boots" }),
    without: ["sent", "seen", "settled"],
    slots: { supply: 1 },
    speed: 10,
    once: "createSupply"
  },
  D: {
    about: "a deposit",
    rules: ["deposit"],
    command: ["apply", "--yes"],
    without: [],
    slots: { budget: 1 },
    once: "depositCampaignBudget"
  },
  E: {
    about: "the end of a campaign by a raw call",
    rules: ["status"],
    command: call("stopCampaign", { id: 1000002 }),
    // Nothing is claimed: only the run itself is in the journal.
    without: ["compared", "claiming", "claimed", "dispatching", "sent", "seen", "settled"],
    slots: {},
    once: "stopCampaign",
    next: ["apply", "--yes"]
  }
}

const combinations = Object.entries(ways).flatMap(([name, way]) =>
  points.map((point) => ({ name, point, way, about: way.about }))
)

const counted = (entries: Stage.Ledger["entries"]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { slot } of entries) counts[slot] = (counts[slot] ?? 0) + 1
  return counts
}

describe.concurrent("killed", () => {
  it.each(combinations.filter(({ point, way }) => !way.without.includes(point)))(
    "class $name ($about) at $point",
    async ({ point, way }) => {
      const shop = await Stage.open(way.rules, { speed: way.speed ?? 60 })
      try {
        shop.environment = { BIDHELM_STOP_AT: point }
        const killed = await Stage.run(shop, way.command)
        expect([killed.code, killed.stderr]).toEqual([null, killed.stderr])
        shop.environment = {}
        const next = await Stage.run(shop, way.next ?? way.command)
        const isRefused = /is there already/.test(next.stderr)
        expect([isRefused ? 0 : next.code, next.stderr]).toEqual([0, next.stderr])

        const entries = await Stage.nothingTwice(shop)
        if (way.next === undefined) expect(counted(entries)).toEqual(way.slots)
        if (way.once !== undefined) expect(await Stage.requests(shop, way.once)).toBeLessThanOrEqual(1)
        const runs = await Stage.nothingOpen(shop)
        if (!unjournaled.includes(point))
          expect(runs.some(({ status }) => status === "interrupted")).toBe(true)
        if (way.command[0] === "apply") {
          const after = JSON.parse((await shop.run("plan", "--json")).stdout) as { changes: unknown }
          expect(after.changes).toEqual([])
        }
      } finally {
        await shop.close()
      }
    }
  )

  it.each(combinations.filter(({ point, way }) => way.without.includes(point)))(
    "class $name never passes $point",
    async ({ point, way }) => {
      const shop = await Stage.open(way.rules, { speed: way.speed ?? 60 })
      try {
        shop.environment = { BIDHELM_STOP_AT: point }
        expect(await Stage.run(shop, way.command)).toMatchObject({ code: 0 })
      } finally {
        await shop.close()
      }
    }
  )
})

/** Where a kill leaves no run behind: none is in the journal yet, or its end is. */
const unjournaled: ReadonlyArray<Point> = ["locked", "recovered", "finished"]
