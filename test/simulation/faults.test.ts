import { isDeepStrictEqual } from "node:util"
import { describe, expect, it } from "vitest"
import * as Depth from "../Depth.js"
import * as Scenario from "../scenario/Scenario.js"
import { Chance } from "./chaos/Chance.js"
import * as Events from "./chaos/Events.js"
import * as RuleSets from "./chaos/RuleSets.js"
import * as Run from "./chaos/Run.js"
import * as Trouble from "./chaos/Trouble.js"
import * as Invariants from "./invariants/All.js"
import * as Rules from "./planted/Rules.js"
import * as Summary from "./Summary.js"

const hourMs = 3_600_000
const { startMs } = Scenario

/** Hours of a whole seed: every landing runs many more of them beside these (`npm run sim`). */
const repeated = Depth.isDeep ? 4 : 2

describe("the simulation with faults", () => {
  it("draws the same of a seed, and one concern whatever the others draw", () => {
    expect(Events.draw(5, 0, 24 * hourMs)).toEqual(Events.draw(5, 0, 24 * hourMs))
    const hashes = () => RuleSets.draw(5, new Set([2])).map(({ hash }) => hash)
    expect(hashes()).toEqual(hashes())
    const crashes = (seed: number) =>
      Events.draw(seed, 0, 24 * hourMs).flatMap((event) => (event._tag === "Crash" ? [event] : []))
    expect(crashes(5)).not.toEqual(crashes(6))
    expect(new Chance(5, "a").unit()).not.toBe(new Chance(5, "b").unit())
  })

  it("draws every kind of event that its summary counts", () => {
    const drawn = new Set(
      Array.from({ length: 60 }, (_, seed) => Events.draw(seed, 0, 72 * hourMs))
        .flat()
        .map(Events.name)
    )
    expect(Events.kinds.filter((kind) => !drawn.has(kind))).toEqual(["zombie woken"])
    expect(Trouble.names.length).toBeGreaterThan(20)
  })

  it("keeps every invariant, and does the same again from the same seed", async () => {
    const first = await Run.run({ seed: 3, hours: repeated })
    expect(Invariants.check(first.observed)).toEqual([])
    const second = await Run.run({ seed: 3, hours: repeated })
    expect(second.hash).toBe(first.hash)
  }, 180_000)

  // A landing runs a whole day of this seed.
  it.runIf(Depth.isDeep)(
    "keeps every invariant on another seed",
    async () => {
      const { observed } = await Run.run({ seed: 2, hours: 8 })
      expect(Invariants.check(observed)).toEqual([])
    },
    180_000
  )

  it("goes on beside a process that hung and was woken, and sends nothing twice", async () => {
    const at = 4 * hourMs
    const begin = (await Run.run({ seed: 7, hours: 0, events: [] })).observed.fromMs
    const freeze: Events.Event = {
      _tag: "Freeze",
      at: begin,
      untilMs: begin + at,
      downMs: 1000,
      longerMs: 2 * hourMs,
      where: "network",
      calls: 12,
      isAfter: true
    }
    const { observed } = await Run.run({ seed: 7, hours: 6, events: [freeze] })
    const [span] = observed.zombies
    expect(span?.wokenAt).toBe(begin + at)
    expect(observed.cycles.some(({ life, startedAt }) => life === 2 && startedAt < begin + at)).toBe(true)
    expect(Invariants.check(observed)).toEqual([])
  }, 180_000)

  it("takes no harm from a network that doubles every request, but for the deposits that it pays twice", async () => {
    const versions = [Rules.of([Rules.raise, Rules.minus, Rules.deposit], "move_per_day: 50%")]
    const events: ReadonlyArray<Events.Event> = [
      { _tag: "Network", at: startMs, untilMs: startMs + 2 * hourMs, kind: "duplicate", share: 1 }
    ]
    const { observed } = await Run.run({ seed: 1, hours: 2, events, versions })
    expect(Invariants.check(observed)).toEqual([])
    const { echoed, ledger, requests } = observed
    const doubled = ledger.filter(({ seq }) => echoed.has(seq))
    const slots = new Set(doubled.map(({ slot }) => slot))
    expect([...slots].sort()).toEqual(["bid.search", "budget", "minus"])
    for (const { after, seq, slot, target } of doubled.filter((one) => one.slot !== "budget")) {
      const first = ledger.findLast(
        (one) => one.seq < seq && isDeepStrictEqual([one.slot, one.target], [slot, target])
      )
      expect(after).toEqual(first?.after)
    }
    // The program asked once for each campaign; the money that left twice is the network's.
    const asked = requests
      .filter(({ operation }) => operation === "depositCampaignBudget")
      .map(({ url }) => url)
    expect(asked.length).toBeGreaterThan(0)
    expect(asked).toEqual([...new Set(asked)])
    expect(doubled.filter(({ slot }) => slot === "budget")).toHaveLength(asked.length)
  }, 180_000)

  it("knows a supply for made that a network asked for twice while its answer was lost, fills one of the two and deletes the other", async () => {
    const untilMs = startMs + 2 * hourMs
    const events: ReadonlyArray<Events.Event> = [
      { _tag: "Shop", at: startMs + 60_000, kind: "ordered", pick: 50, amount: 0.9 },
      { _tag: "Network", at: startMs, untilMs, kind: "duplicate", share: 1 },
      { _tag: "Faults", at: startMs, untilMs, list: [{ kind: "dropAnswer", operation: "createSupply" }] }
    ]
    const versions = [Rules.assembling()]
    const { observed } = await Run.run({ seed: 1, hours: 3, events, versions })
    const { echoed, ledger, rows, world } = observed
    const made = ledger.filter(({ operation }) => operation === "createSupply")
    expect(made.some(({ seq }) => echoed.has(seq))).toBe(true)
    const creations = rows.filter(({ slot }) => slot.startsWith("supply_creation:"))
    expect(new Set(creations.map(({ state }) => state))).toEqual(new Set(["applied"]))
    expect(made.length).toBe(2 * new Set(creations.map(({ slot }) => slot)).size)
    const ordered = [...world.shop.orders.values()].filter(({ sale }) => sale.orderedAt >= startMs)
    expect(ordered.length).toBeGreaterThan(0)
    expect(ordered.filter(({ supplyId }) => supplyId === undefined)).toEqual([])
    const deleted = ledger.filter(({ operation }) => operation === "deleteSupply")
    expect(deleted.length).toBe(made.length / 2)
    expect(Invariants.check(observed)).toEqual([])
  }, 180_000)

  it("changes nothing of a campaign that somebody has deleted, while the marketplace still lists it", async () => {
    const at = startMs + 20 * 60_000 - 1000
    const events: ReadonlyArray<Events.Event> = [0, 1, 2].map((pick) => ({
      _tag: "Human",
      at,
      kind: "delete",
      pick,
      amount: 0.99
    }))
    const { observed } = await Run.run({ seed: 1, hours: 1, events, versions: [Rules.of([Rules.raise])] })
    const listed = observed.requests.filter((one) => one.operation === "getCampaigns" && one.at > at)
    expect(listed.length).toBeGreaterThan(0)
    expect(observed.requests.filter(({ isWrite }) => isWrite).length).toBeGreaterThan(0)
    expect(observed.ledger.map(({ operation }) => operation)).toEqual([
      "human-edit",
      "human-edit",
      "human-edit"
    ])
    expect(new Set(observed.rows.map(({ state }) => state))).toEqual(new Set(["rejected"]))
    expect(Invariants.check(observed)).toEqual([])
  }, 180_000)

  it("sums up what happened, what never did and what to run again", () => {
    const line: Summary.Line = {
      seed: 17,
      hash: "",
      isUnsteady: false,
      violations: [{ invariant: 4, at: 0, what: "twice", entries: [3] }],
      seconds: 1,
      cpuSeconds: 1.5,
      heapBytes: 0,
      figures: { runs: 1, requests: 2, writes: 3, deposits: 0, lives: 1, events: 5 },
      counts: { crash: 2 }
    }
    const summary = Summary.of([line], { hours: 24, seconds: 2, runTwice: 0, expected: ["crash", "undo"] })
    const text = Summary.print(summary)
    expect(summary.failing).toEqual([{ seed: 17, invariants: [4] }])
    expect(summary.cpuSecondsPerSeedDay).toBe(1.5)
    expect(text).toContain("seed 17 1970-01-01T00:00:00.000Z invariant 4: twice")
    expect(text).toContain("never happened: undo")
    expect(text).toContain("npm run sim -- --hours 24 --seed 17 --trace")
  })
})
