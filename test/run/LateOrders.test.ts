/** Late orders are the same number in the log, in the figures and on the board, and it is the marketplace's truth, all day long. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { afterEach, expect, it } from "vitest"
import type * as Account from "../../src/cli/account/Account.js"
import * as CycleFigures from "../../src/cli/daemon/CycleFigures.js"
import * as Exposition from "../../src/cli/daemon/Exposition.js"
import * as Desk from "../../src/cli/fulfilment/Desk.js"
import * as Orders from "../../src/sandbox/shop/Orders.js"
import * as Staging from "../../src/sandbox/shop/Staging.js"
import * as Exposed from "../observe/Exposed.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Waves from "./Waves.js"

const { shopOf, warehouse } = Waves
const minuteMs = 60_000

const waves = [
  { name: "noon", closes: "12:30", leaves: "14:00" },
  { name: "evening", closes: "17:30", leaves: "19:00" }
]
const policyOf = (name: string, house: number) => ({
  path: `rules/${name}.yaml`,
  text: `version: 1
kind: fulfilment
name: ${name}
mode: apply
deliver: apply
warehouses: [${house}]
waves:
${waves.map((one) => `  - {name: ${one.name}, collect_until: "${one.closes}", hand_over_by: "${one.leaves}", tz: Europe/Moscow}`).join("\n")}
`
})
const policy = policyOf("own", warehouse)
const scale = { campaigns: 1, items: 1, clusters: 1 }

const at = (clock: string) => Date.parse(`2026-09-01T${clock}:00+03:00`)
const until = (world: Scenario.World, clock: string) => world.advance(at(clock) - world.now())

const ordered = (world: Scenario.World, count: number, minutesAgo: number, markedShare = 0) => {
  const made = Staging.make(
    shopOf(world),
    {
      count,
      warehouses: [warehouse],
      cargo: [1],
      crossBorderShare: 0,
      businessShare: 0,
      markedShare,
      marks: ["sgtin"],
      minutesAgo
    },
    world.now()
  )
  if ("problem" in made) throw new Error(made.problem)
  return made
}

interface Told {
  readonly late: number | undefined
  readonly atRisk: number | undefined
}

/** A turn of the policies of these names, of all unless given: what its figures say, and its line of the log as well. */
const turn = (world: Scenario.World, names?: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const due = world.rules.fulfilment.filter(({ name }) => names?.includes(name) ?? true)
    const end = yield* world.cycle(
      {
        account: Scenario.account,
        lane: "orders",
        due: new Set(due.map(({ id }) => id as string)),
        stopping: yield* Deferred.make<void>(),
        loaded: { rules: world.rules, version: "1", problem: undefined }
      },
      undefined,
      CycleFigures.watching({ account: Scenario.account, lane: "orders" })
    )
    if (end._tag !== "Done") throw new Error(JSON.stringify(end))
    const page = Exposed.parse(yield* Exposition.current)
    const figure = (name: string) =>
      page.get(name)?.samples.find(({ labels }) => labels.account === Scenario.account)?.value
    const told: Told = { late: figure("bidhelm_orders_late"), atRisk: figure("bidhelm_orders_at_risk") }
    if (end.said.includes("; how many orders are late or at risk is not known; not read: getSupplyOrderIds"))
      return { ...told, unknown: true, isUnread: end.isUnread }
    const said = (pattern: RegExp) => Number(pattern.exec(end.said)?.[1] ?? 0)
    expect({ late: said(/(\d+) orders? late/), atRisk: said(/(\d+) at risk/) }).toEqual(told)
    return told
  })

const chosen = {
  name: Scenario.account,
  config: { currency: "RUB", timeZone: "Europe/Moscow" }
} as unknown as Account.Chosen

afterEach(() => Effect.runPromise(CycleFigures.forget({ account: Scenario.account, lane: "orders" })))

/** What `bidhelm orders` counts. */
const board = (world: Scenario.World) =>
  Effect.map(Desk.look(chosen, world.rules), ({ entries }): Told => {
    const risks = entries.flatMap(({ deadline }) => deadline?.risk?.because ?? [])
    return {
      late: risks.filter((because) => because === "over").length,
      atRisk: risks.filter((because) => because === "soon").length
    }
  }).pipe(Effect.provide(world.context))

/** Orders behind the marketplace's answers that missed the first car they came in time for and are not handed over. */
const missed = (world: Scenario.World): number => {
  const shop = shopOf(world)
  const nowMs = world.now()
  return Orders.all(shop, nowMs).filter((order) => {
    const isHere =
      order.warehouseId === warehouse &&
      ["new", "confirm"].includes(Orders.status(shop, order, nowMs)) &&
      Orders.platformStatus(shop, order, nowMs) === "waiting"
    const own = waves.find(({ closes }) => order.sale.orderedAt < at(closes))
    return isHere && own !== undefined && at(own.leaves) <= nowMs
  }).length
}

it("are as many in the log, the figures and on the board as have missed their car, from morning to night", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      const lived: Array<unknown> = []
      const look = (clock: string) =>
        Effect.gen(function* () {
          yield* until(world, clock)
          yield* turn(world)
          yield* world.advance(2 * minuteMs)
          // A turn tells what it finds, before it sends anything.
          const shown = yield* board(world)
          const truth = missed(world)
          expect([clock, yield* turn(world), truth]).toEqual([clock, shown, shown.late])
          lived.push([clock, shown.late, shown.atRisk])
        })
      shopOf(world).shop.ordersTo = world.now()
      ordered(world, 3, 20)
      // Nobody gives their marks.
      const marked = ordered(world, 2, 20, 1)
      yield* look("10:00")
      yield* look("12:40")
      yield* look("13:32")
      yield* look("14:02")
      // Nobody saw them until now.
      const overlooked = ordered(world, 4, 150)
      yield* look("14:10")
      yield* look("15:00")
      world.play({ play: "cancel", orderId: overlooked[0]!, by: "buyer" })
      yield* look("15:10")
      world.play({ play: "cancel", orderId: marked[0]!, by: "buyer" })
      yield* look("15:20")
      ordered(world, 2, 20)
      yield* look("17:40")
      yield* look("18:40")
      yield* look("19:10")
      expect(lived).toEqual([
        ["10:00", 0, 0],
        ["12:40", 0, 0],
        ["13:32", 0, 3],
        ["14:02", 2, 0],
        ["14:10", 6, 0],
        ["15:00", 6, 0],
        ["15:10", 5, 0],
        ["15:20", 4, 0],
        ["17:40", 4, 0],
        ["18:40", 4, 0],
        ["19:10", 4, 0]
      ])
    })
  ))

it("cost no request where none is late", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      shopOf(world).shop.ordersTo = world.now()
      yield* until(world, "14:30")
      ordered(world, 3, 60)
      yield* turn(world)
      yield* world.advance(2 * minuteMs)
      expect(shopOf(world).shop.supplies.size).toBe(1)
      const asked = () =>
        ["getOrderStatuses", "getSupplyOrderIds", "listOrders", "getOrderLabels"].map(world.requests)
      const [statuses = 0, ...others] = asked()
      for (let times = 0; times < 5; times++) {
        expect(yield* turn(world)).toEqual({ late: 0, atRisk: 0 })
        yield* world.advance(10 * minuteMs)
      }
      // Each turn asks for the statuses of what waits at warehouses of no policy.
      expect(asked()).toEqual([statuses + 5, ...others])
    })
  ))

it("do not fall to none in a turn of another policy", () =>
  Scenario.run({ rules: [policy, policyOf("other", 71_002)], scale }, (world) =>
    Effect.gen(function* () {
      shopOf(world).shop.ordersTo = world.now()
      const marked = ordered(world, 2, 20, 1)
      yield* until(world, "10:00")
      yield* turn(world)
      expect(marked.map((id) => Orders.find(shopOf(world), id, world.now())?.supplyId)).not.toContain(
        undefined
      )
      yield* until(world, "13:40")
      expect(yield* turn(world, ["other"])).toEqual({ late: 0, atRisk: 2 })
      yield* until(world, "14:05")
      expect(yield* turn(world, ["other"])).toEqual({ late: 2, atRisk: 0 })
    })
  ))

it("stay as they were while their supply cannot be read, which holds no turn of another policy up", () =>
  Scenario.run({ rules: [policy, policyOf("other", 71_002)], scale }, (world) =>
    Effect.gen(function* () {
      shopOf(world).shop.ordersTo = world.now()
      ordered(world, 2, 20, 1)
      yield* until(world, "10:00")
      yield* turn(world)
      yield* until(world, "14:05")
      expect(yield* turn(world, ["other"])).toEqual({ late: 2, atRisk: 0 })
      world.faults([{ operation: "getSupplyOrderIds", kind: "errorBefore", status: 503 }])
      expect(yield* turn(world, ["other"])).toEqual({
        late: 2,
        atRisk: 0,
        unknown: true,
        isUnread: undefined
      })
      expect(yield* turn(world)).toMatchObject({ late: 2, atRisk: 0, unknown: true, isUnread: true })
      world.faults([])
      expect(yield* turn(world, ["other"])).toEqual({ late: 2, atRisk: 0 })
    })
  ))

it("cost a turn of another policy no request for a supply that is empty", () =>
  Scenario.run({ rules: [policy, policyOf("other", 71_002)], scale }, (world) =>
    Effect.gen(function* () {
      shopOf(world).shop.ordersTo = world.now()
      ordered(world, 1, 20, 1)
      world.faults([{ operation: "addOrdersToSupply", kind: "errorBefore", status: 503 }])
      yield* until(world, "10:00")
      yield* turn(world)
      expect(shopOf(world).shop.supplies.size).toBeGreaterThan(0)
      world.faults([])
      yield* until(world, "13:40")
      const before = world.requests("getSupplyOrderIds")
      yield* turn(world, ["other"])
      expect(world.requests("getSupplyOrderIds")).toBe(before)
    })
  ))
