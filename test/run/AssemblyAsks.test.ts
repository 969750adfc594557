/**
 * A policy that assembles by itself and asks a person before each hand-over, which is what `deliver:` says unless
 * told otherwise. What was true when it asked is looked at again before a yes is carried out.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Review from "../../src/engine/decide/Review.js"
import { ApprovalStore } from "../../src/engine/planning/ApprovalStore.js"
import * as AssemblyPlan from "../../src/engine/planning/AssemblyPlan.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Orders from "../../src/sandbox/shop/Orders.js"
import * as Staging from "../../src/sandbox/shop/Staging.js"
import * as Warehouses from "../../src/sandbox/shop/Warehouses.js"
import * as Scenario from "../scenario/Scenario.js"

const warehouse = Warehouses.lately.id

const policy = {
  path: "rules/13-fulfilment.yaml",
  text: `version: 1
kind: fulfilment
name: Waves
mode: apply
warehouses: [${warehouse}]
waves:
  - {name: noon, collect_until: "12:30", hand_over_by: "14:00", tz: Europe/Moscow}
`
}

const shopOf = (world: Scenario.World) => world.sandbox.world(defaultSeller)

const turn = (world: Scenario.World) =>
  Effect.gen(function* () {
    const stopping = yield* Deferred.make<void>()
    const loaded = { rules: world.rules, version: "1", problem: undefined }
    const due = new Set(world.rules.fulfilment.map(({ id }) => id as string))
    expect(
      (yield* world.cycle({ account: Scenario.account, lane: "orders", due, stopping, loaded }))._tag
    ).toBe("Done")
  })

const requested = (world: Scenario.World) =>
  Effect.map(
    Effect.flatMap(ApprovalStore, (store) => store.list(Scenario.account, 20)),
    (all) =>
      all.filter(({ state }) => state === "requested").map(({ asked }) => asked.map(({ slot }) => slot))
  ).pipe(Effect.provide(world.context))

/** Two orders in a supply whose hand-over waits for a person. */
const waiting = (world: Scenario.World) =>
  Effect.gen(function* () {
    shopOf(world).shop.ordersTo = world.now()
    const staged = {
      count: 2,
      warehouses: [warehouse],
      cargo: [1] as const,
      crossBorderShare: 0,
      businessShare: 0,
      markedShare: 0,
      marks: [],
      minutesAgo: 4
    }
    Staging.make(shopOf(world), staged, world.now())
    yield* world.advance("1 hours")
    yield* turn(world)
    const supply = [...shopOf(world).shop.supplies.values()][0]!
    expect(Orders.inSupply(shopOf(world), supply.id, world.now())).toHaveLength(2)
    expect(yield* requested(world)).toEqual([])
    yield* world.advance("155 minutes")
    yield* turn(world)
    expect(yield* requested(world)).toEqual([[`supply_delivery:${supply.id}`]])
    expect(world.requests("deliverSupply")).toBe(0)
    return supply
  })

const withdrawn = (world: Scenario.World) =>
  Effect.sync(() => {
    const [order] = Orders.all(shopOf(world), world.now())
    world.play({ orderId: order?.id ?? 0, play: "cancel", by: "buyer" })
  })

/** `bidhelm approve` of what waits, as `cli/plan/Planning` reads it back. */
const approved = (world: Scenario.World) =>
  Effect.gen(function* () {
    const [request] = yield* (yield* ApprovalStore).list(Scenario.account, 20)
    if (request === undefined) throw new Error("nothing waits")
    const here = { account: Scenario.account, zone: "Europe/Moscow" }
    const reviewed = Review.ofAssembly(
      request.plan,
      yield* AssemblyPlan.context(world.rules, here, world.now())
    )
    const chosen = new Set(request.asked.map(({ id }) => id))
    return yield* Cycle.apply(reviewed, { approvedBy: "anna", account: Scenario.account, chosen })
  }).pipe(Effect.provide(world.context))

const scale = { campaigns: 1, items: 1, clusters: 1 }

it("asks a person before a hand-over in mode apply too, and no longer once the buyer of an order withdrew", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      yield* waiting(world)
      yield* withdrawn(world)
      yield* world.advance("10 minutes")
      yield* turn(world)
      expect(yield* requested(world)).toEqual([])
      expect(world.requests("deliverSupply")).toBe(0)
    })
  ))

it("hands over what a person agreed to", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      const { id } = yield* waiting(world)
      expect((yield* approved(world)).status).toBe("done")
      expect(shopOf(world).shop.supplies.get(id)?.closedAt).toBeDefined()
    })
  ))

it("hands nothing over on a yes that came after the buyer of an order had withdrawn", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      yield* waiting(world)
      yield* withdrawn(world)
      const { rows } = yield* approved(world)
      expect(rows.map(({ reason, state }) => [state, reason?.code])).toEqual([["skipped", "hand_over_unfit"]])
      expect(world.requests("deliverSupply")).toBe(0)
    })
  ))

it("hands nothing over as long as nobody can tell whether the supply may go", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      yield* waiting(world)
      world.faults([{ kind: "omit", operation: "getOrderStatuses" }])
      const { rows } = yield* approved(world)
      expect(rows.map(({ reason, state }) => [state, reason?.code])).toEqual([
        ["skipped", "hand_over_unread"]
      ])
      expect(world.requests("deliverSupply")).toBe(0)
    })
  ))
