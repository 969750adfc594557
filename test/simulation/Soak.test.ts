/** A run of months fits into memory, and is judged by what it showed. */
import type * as Fiber from "effect/Fiber"
import { globalValue } from "effect/GlobalValue"
import { expect, test } from "vitest"
import * as Depth from "../Depth.js"
import * as Scenario from "../scenario/Scenario.js"
import type * as Events from "./chaos/Events.js"
import * as Run from "./chaos/Run.js"
import * as Soak from "./Soak.js"

/** Effect's own set of what was forked for ever. */
const { roots } = globalValue(Symbol.for("effect/FiberScope/Global"), () => ({
  roots: new Set<Fiber.RuntimeFiber<unknown, unknown>>()
}))

/** Most values that any of the fibers remembers of one fiber reference: its own and those of the fibers it comes from. */
const deepest = (fibers: ReadonlyArray<Fiber.RuntimeFiber<unknown, unknown>>): number => {
  let most = 0
  for (const fiber of fibers)
    for (const stack of fiber.getFiberRefs().locals.values()) most = Math.max(most, stack.length)
  return most
}

const depths = async (hours: number, events: (fromMs: number) => ReadonlyArray<Events.Event>) => {
  const found: Array<{ readonly depth: number; readonly roots: number }> = []
  // Other files of tests, which this worker ran before, may have left some.
  const before = new Set(roots)
  await Run.run({
    seed: 1,
    hours,
    events: events(Scenario.startMs),
    soak: {
      everyHours: hours / 4,
      judge: () => undefined,
      sample: () => {
        const ours = [...roots].filter((fiber) => !before.has(fiber))
        found.push({ depth: deepest(ours), roots: ours.length })
      }
    }
  })
  return found
}

const every = (minutes: number, hours: number, make: (at: number) => Events.Event) => (fromMs: number) =>
  Array.from({ length: Math.floor((hours * 60) / minutes) }, (_, i) => make(fromMs + i * minutes * 60_000))

test("of processes that ended nothing is left in memory", async () => {
  const found = await depths(
    4,
    every(7.5, 4, (at) => ({ _tag: "Stop", at, downMs: 0 }))
  )
  expect(found.length).toBeGreaterThanOrEqual(4)
  for (const { depth, roots } of found) {
    expect(depth).toBeLessThan(12)
    expect(roots).toBeLessThan(30)
  }
})

test("of processes that died nothing is left in memory", async () => {
  const found = await depths(
    4,
    every(7.5, 4, (at) => ({ _tag: "Crash", at, downMs: 0, where: "store", calls: 3, isAfter: true }))
  )
  for (const { depth, roots } of found) {
    expect(depth).toBeLessThan(12)
    expect(roots).toBeLessThan(30)
  }
})

test("a process that goes on does not remember more and more of its fibers", async () => {
  const [first, ...later] = await depths(Depth.isDeep ? 32 : 8, () => [])
  for (const { depth, roots } of later) {
    expect(depth).toBeLessThanOrEqual((first?.depth ?? 0) + 1)
    expect(roots).toBeLessThanOrEqual((first?.roots ?? 0) + 3)
  }
})

const weeks = (heap: (week: number) => number, store: (week: number) => number = () => 5) =>
  Array.from({ length: 12 }, (_, i) => ({
    week: i + 1,
    heapMebibytes: heap(i + 1),
    storeMebibytes: store(i + 1)
  }))

test("a soak is fine when nothing grows, everything happened and nothing broke", () => {
  expect(
    Soak.of(
      weeks(() => 60),
      0,
      []
    ).isFine
  ).toBe(true)
})

test("what fills up first is no growth: caches for three weeks, what the store keeps for 60 days", () => {
  const filling = weeks(
    (week) => 40 + 10 * Math.min(week, 4),
    (week) => 5 + Math.min(week, 10)
  )
  expect(Soak.of(filling, 0, []).isFine).toBe(true)
})

test("a heap or a store that grows all the time is not fine", () => {
  const heap = Soak.of(
    weeks((week) => 50 + 1.2 * week),
    0,
    []
  )
  expect(heap.isFine).toBe(false)
  expect(heap.heapGrowth).toBeCloseTo(1.2, 5)
  expect(
    Soak.of(
      weeks(
        () => 50,
        (week) => 5 + 0.5 * week
      ),
      0,
      []
    ).isFine
  ).toBe(false)
})

test("a kind of trouble that never happened, or something broken, is not fine", () => {
  const never = Soak.of(
    weeks(() => 60),
    0,
    ["disk full"]
  )
  expect(never.isFine).toBe(false)
  expect(never.lines.join("\n")).toContain("never: disk full")
  expect(
    Soak.of(
      weeks(() => 60),
      1,
      []
    ).isFine
  ).toBe(false)
})
