/**
 * kill -9 at every point of the journal, for every class of writes: the next run goes on from there, the marketplace has
 * every effect exactly once, and the journal ends whole. The judge is the sandbox's own ledger. One kill of each class,
 * for a quick look: `-t short`.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { type Point, points } from "../../src/engine/door/JournalPoints.js"
import type * as Shop from "../cli/Shop.js"
import { type Way, ways } from "./KillWays.js"
import * as Stage from "./Stage.js"
import * as StageJournal from "./StageJournal.js"

const names = Object.keys(ways)
const cells = Object.entries(ways).flatMap(([name, way]) =>
  points
    .filter((point) => !way.without.includes(point))
    .map((point) => ({ name, point, way, about: way.about, length: way.short === point ? "short" : "full" }))
)

const opened = async (way: Way, test: (shop: Shop.Shop) => Promise<void>): Promise<void> => {
  const shop = await Stage.open(way.rules, { speed })
  try {
    await test(shop)
  } finally {
    await shop.close()
  }
}

/** So much faster runs the sandbox's clock: the eleven minutes that prove a deposit take seconds. */
const speed = 120

const killedAt = async (shop: Shop.Shop, point: Point, command: ReadonlyArray<string>): Promise<void> => {
  shop.environment = { BIDHELM_STOP_AT: point }
  const killed = await Stage.run(shop, command)
  expect([point, killed.code, killed.stderr]).toEqual([point, null, killed.stderr])
  shop.environment = {}
}

/** Runs what comes next, which must go well, and holds ledger and journal against what must be. */
const goesOn = async (shop: Shop.Shop, way: Way, point: Point): Promise<void> => {
  if (way.isUnproved && point === "dispatching") {
    const unsettled = await Stage.run(shop, way.command)
    const [, id] = /bidhelm resolve (\S+) --created ID, or --not-created/.exec(unsettled.stderr) ?? []
    expect([unsettled.code, id, unsettled.stderr]).toEqual([1, expect.any(String), unsettled.stderr])
    expect((await Stage.run(shop, ["resolve", id!, "--not-created"])).code).toBe(0)
  }
  const next = await Stage.run(shop, way.next ?? way.command)
  const isRefused = way.next === undefined && /is there already/.test(next.stderr)
  expect([isRefused ? 0 : next.code, next.stderr]).toEqual([0, next.stderr])
  const hadLeft = points.indexOf(point) > points.indexOf("dispatching")
  // A killed creation is never sent again by itself once it may have left, a payment never at all.
  if (way.command[0] === "call")
    expect([isRefused, next.stderr]).toEqual([hadLeft && way.next === undefined, next.stderr])

  const counts: Record<string, number> = {}
  for (const { slot } of await Stage.nothingTwice(shop)) counts[slot] = (counts[slot] ?? 0) + 1
  expect(counts).toEqual({ ...way.slots, ...(hadLeft ? way.whenLeft : {}) })
  const { operation } = way
  if (operation !== undefined)
    expect(await Stage.requests(shop, operation)).toBe(way.next === undefined || hadLeft ? 1 : 0)
  const runs = await StageJournal.nothingOpen(shop)
  expect(runs.map(({ status }) => status).filter((status) => status === "interrupted")).toHaveLength(
    unjournaled.includes(point) ? 0 : 1
  )
}

/** Where a kill leaves no run behind: none is in the journal yet, or its end is. */
const unjournaled: ReadonlyArray<Point> = ["locked", "recovered", "finished"]

describe.concurrent("killed", () => {
  it.each(cells)("class $name ($about) at $point, $length", ({ point, way }) =>
    opened(way, async (shop) => {
      await killedAt(shop, point, way.command)
      await goesOn(shop, way, point)
      if (way.short === point && way.next === undefined && way.command[0] === "apply") {
        const after = JSON.parse((await shop.run("plan", "--json")).stdout) as { changes: unknown }
        expect(after.changes).toEqual([])
      }
    })
  )

  it.each(Object.entries(ways).map(([name, way]) => ({ name, way })))(
    "class $name, and killed twice more by those that recover it: before, and right after it is settled",
    ({ way }) =>
      opened(way, async (shop) => {
        const next = way.next ?? way.command
        await killedAt(shop, "answered", way.command)
        await killedAt(shop, "locked", next)
        await killedAt(shop, "recovered", next)
        await goesOn(shop, way, "answered")
      })
  )
})

describe.concurrent("left alone", () => {
  it.each(Object.entries(ways).map(([name, way]) => ({ name, way })))(
    "class $name passes the points of the table, and no others",
    ({ name, way }) =>
      opened(way, async (shop) => {
        const told = join(shop.folder, "points")
        shop.environment = { BIDHELM_POINTS: told }
        const { code, stderr } = await Stage.run(shop, way.command)
        expect([code, stderr]).toEqual([0, stderr])
        const passed = new Set(existsSync(told) ? readFileSync(told, "utf8").split("\n") : [])
        expect(points.filter((point) => passed.has(point))).toEqual(
          points.filter((point) => !way.without.includes(point))
        )
        console.log(`class ${name}: ${points.map((point) => (passed.has(point) ? point : "-")).join(" ")}`)
      })
  )
})

describe("docs/reliability.md", () => {
  it("has the table of what is killed where", () => {
    const row = (first: string, of: (name: string) => string) =>
      `| ${[first, ...names.map(of)].join(" | ")} |`
    const table = [
      row("point", (name) => `${name}: ${ways[name]?.about}`),
      `|${"---|".repeat(names.length + 1)}`,
      ...points.map((point) =>
        row(point, (name) => (ways[name]?.without.includes(point) === true ? "not passed" : "killed"))
      )
    ].join("\n")
    const page = fileURLToPath(new URL("../../docs/reliability.md", import.meta.url))
    expect(readFileSync(page, "utf8")).toContain(table)
  })
})
