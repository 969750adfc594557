/**
 * A policy that assembles by itself and asks a person before each hand-over, which is what `deliver:` says unless
 * told otherwise. What was true when it asked is looked at again before a yes is carried out.
 */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { OrderId, SupplyId } from "../../src/domain/Ids.js"
import * as Review from "../../src/engine/decide/Review.js"
import { Holdings } from "../../src/engine/door/HoldStore.js"
import * as JournalPoints from "../../src/engine/door/JournalPoints.js"
import { Writer } from "../../src/engine/door/Writer.js"
import { ApprovalStore } from "../../src/engine/planning/ApprovalStore.js"
import * as AssemblyPlan from "../../src/engine/planning/AssemblyPlan.js"
import * as CallPlan from "../../src/engine/planning/CallPlan.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Calls from "../../src/marketplace/Calls.js"
import * as HeldReasons from "../../src/reporting/HeldReasons.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import * as Orders from "../../src/sandbox/shop/Orders.js"
import * as Staging from "../../src/sandbox/shop/Staging.js"
import * as Supplies from "../../src/sandbox/shop/Supplies.js"
import { MarketplaceClient } from "../../src/services/MarketplaceClient.js"
import { OrderEvents } from "../../src/services/ports/OrderEvents.js"
import { SupplyOrders } from "../../src/services/ports/SupplyOrders.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Waves from "./Waves.js"

const { policy, shopOf, turn, warehouse } = Waves

const requested = (world: Scenario.World) =>
  Effect.map(
    Effect.flatMap(ApprovalStore, (store) => store.list(Scenario.account, 20)),
    (all) =>
      all.filter(({ state }) => state === "requested").map(({ asked }) => asked.map(({ slot }) => slot))
  ).pipe(Effect.provide(world.context))

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

/** Two orders in a supply whose hand-over waits for a person. */
const waiting = (world: Scenario.World) =>
  Effect.gen(function* () {
    shopOf(world).shop.ordersTo = world.now()
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

/** Another program puts orders into the supply that came since. */
const added = (world: Scenario.World, supplyId: string, count: number): ReadonlyArray<number> => {
  const shop = shopOf(world)
  const made = Staging.make(shop, { ...staged, count }, world.now())
  const supply = shop.shop.supplies.get(supplyId)
  if ("problem" in made || supply === undefined) throw new Error("no orders were made")
  Supplies.add(shop, supply, Orders.known(shop, made, world.now()), world.now())
  return made
}

const inside = (world: Scenario.World, supplyId: string): ReadonlyArray<number> =>
  Orders.inSupply(shopOf(world), supplyId, world.now()).map((order) => order.id)

const isOpen = (world: Scenario.World, supplyId: string): boolean =>
  shopOf(world).shop.supplies.get(supplyId)?.closedAt === undefined

/** What `bidhelm pack` records of parcels: packed into this supply, or taken out of it. */
const packedAtTable = (
  world: Scenario.World,
  supplyId: string,
  orders: ReadonlyArray<OrderId>,
  more: { readonly undone?: true }
) =>
  Effect.flatMap(OrderEvents, (events) =>
    events.record(
      Scenario.account,
      orders.map((orderId) => ({
        orderId,
        at: world.now(),
        kind: "packed" as const,
        detail: { supplyId, ...more }
      }))
    )
  ).pipe(Effect.provide(world.context))

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

it("hands nothing over on a yes to other orders than are in the supply by then, and asks anew with all of them", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      const { id } = yield* waiting(world)
      const more = added(world, id, 2)
      const { rows } = yield* approved(world)
      expect([isOpen(world, id), world.requests("deliverSupply")]).toEqual([true, 0])
      expect(rows.map(({ reason, state }) => [state, reason])).toEqual([
        ["skipped", { code: "hand_over_others", added: more, missing: [] }]
      ])
      yield* world.advance("2 minutes")
      yield* turn(world)
      expect((yield* approved(world)).status).toBe("done")
      expect([isOpen(world, id), inside(world, id)]).toEqual([false, expect.arrayContaining([...more])])
    })
  ))

it("nor on a yes to as many orders, of which one was exchanged for another", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      const { id } = yield* waiting(world)
      const [out = 0] = inside(world, id)
      world.play({ orderId: out, play: "cancel", by: "seller" })
      const more = added(world, id, 1)
      expect(inside(world, id)).toHaveLength(2)
      const { rows } = yield* approved(world)
      expect([isOpen(world, id), world.requests("deliverSupply")]).toEqual([true, 0])
      expect(rows.map(({ reason }) => reason)).toEqual([
        { code: "hand_over_others", added: more, missing: [out] }
      ])
      yield* world.advance("2 minutes")
      yield* turn(world)
      expect((yield* approved(world)).status).toBe("done")
    })
  ))

it("nor on a yes to an order that was cancelled since and is in no supply any more, for its goods may be in the parcel", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      const { id } = yield* waiting(world)
      const [out = 0] = inside(world, id)
      world.play({ orderId: out, play: "cancel", by: "seller" })
      const { rows } = yield* approved(world)
      expect([isOpen(world, id), world.requests("deliverSupply")]).toEqual([true, 0])
      expect(rows.map(({ reason }) => reason)).toEqual([
        { code: "hand_over_others", added: [], missing: [out] }
      ])
    })
  ))

it("nor on a yes where the parcel of an order that came, was packed at the table and left again since lies in the pile", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      const { id } = yield* waiting(world)
      const supplyId = SupplyId.make(id)
      const orders = added(world, id, 1).map((one) => OrderId.make(one))
      yield* Effect.flatMap(SupplyOrders, (stored) =>
        stored.append(Scenario.account, supplyId, orders, world.now())
      ).pipe(Effect.provide(world.context))
      const all = inside(world, id).map((one) => OrderId.make(one))
      yield* packedAtTable(world, id, all, {})
      for (const orderId of orders) world.play({ orderId, play: "cancel", by: "seller" })
      const { rows } = yield* approved(world)
      expect([isOpen(world, id), world.requests("deliverSupply")]).toEqual([true, 0])
      expect(rows.map(({ reason, state }) => [state, reason?.code])).toEqual([["skipped", "hand_over_unfit"]])
      yield* world.advance("1 minutes")
      yield* packedAtTable(world, id, orders, { undone: true })
      yield* world.advance("1 minutes")
      yield* turn(world)
      expect((yield* approved(world)).status).toBe("done")
      expect(isOpen(world, id)).toBe(false)
    })
  ))

it("nor on a yes while somebody packs the supply, and says who; a turn asks for it no more as long", () => {
  let packer: string | undefined
  return Scenario.run({ rules: [policy], scale, packerOf: () => packer }, (world) =>
    Effect.gen(function* () {
      const { id } = yield* waiting(world)
      packer = "pid 7 on desk"
      const { rows } = yield* approved(world)
      expect([isOpen(world, id), world.requests("deliverSupply")]).toEqual([true, 0])
      expect(rows.map(({ reason, state }) => [state, reason])).toEqual([
        ["skipped", { code: "hand_over_packing", packer }]
      ])
      yield* world.advance("2 minutes")
      yield* turn(world)
      expect(yield* requested(world)).toEqual([])
      packer = undefined
      yield* world.advance("2 minutes")
      yield* turn(world)
      expect((yield* approved(world)).status).toBe("done")
      expect(isOpen(world, id)).toBe(false)
    })
  )
})

it("nor on a yes where the packing of the supply was begun at a table since and left off halfway, and says which orders are left", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      const { id } = yield* waiting(world)
      const [first = 0, second = 0] = inside(world, id)
      yield* packedAtTable(world, id, [OrderId.make(first)], {})
      const { rows } = yield* approved(world)
      expect([isOpen(world, id), world.requests("deliverSupply")]).toEqual([true, 0])
      expect(rows.map(({ reason, state }) => [state, reason])).toEqual([
        ["skipped", { code: "hand_over_part_packed", left: [second] }]
      ])
      yield* world.advance("2 minutes")
      yield* turn(world)
      expect(yield* requested(world)).toEqual([])
      yield* packedAtTable(world, id, [OrderId.make(second)], {})
      yield* world.advance("2 minutes")
      yield* turn(world)
      expect((yield* approved(world)).status).toBe("done")
      expect(isOpen(world, id)).toBe(false)
    })
  ))

/** The id of a supply whose orders were all cancelled, once a turn has asked to delete it. */
const emptied = (world: Scenario.World) =>
  Effect.gen(function* () {
    const { id } = yield* waiting(world)
    for (const orderId of inside(world, id)) world.play({ orderId, play: "cancel", by: "seller" })
    yield* world.advance(`${Date.parse("2026-09-01T12:01:00Z") - world.now()} millis`)
    yield* turn(world)
    return id
  })

it("deletes no supply on a yes to an empty one that another program has filled since, and asks the marketplace for no refusal", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      const id = yield* emptied(world)
      expect(yield* requested(world)).toEqual([[`supply_deletion:${id}`]])
      added(world, id, 1)
      const { rows } = yield* approved(world)
      expect(rows.map(({ reason, state }) => [state, reason])).toEqual([
        ["skipped", { code: "closed", said: "only an empty supply is deleted, and it holds 1 order" }]
      ])
      expect([isOpen(world, id), world.requests("deleteSupply")]).toEqual([true, 0])
    })
  ))

it("deletes an empty supply on a yes", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      const id = yield* emptied(world)
      expect((yield* approved(world)).status).toBe("done")
      expect(shopOf(world).shop.supplies.has(id)).toBe(false)
    })
  ))

/** `bidhelm call deliverSupply --yes`, with something that happens between its plan and its request. */
const delivered = (world: Scenario.World, supplyId: string, between: () => void) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const operation = "deliverSupply"
    const request = { path: { supplyId } }
    const call = { account: Scenario.account, operation, currency: "RUB", zone: "Europe/Moscow" }
    const planned = yield* CallPlan.make(call, yield* Calls.wanted(client, operation, request))
    if (planned._tag !== "Plan") throw new Error(planned._tag)
    between()
    const { live, reviewed } = planned
    const whole = { operation, request, changes: reviewed.appliable, live }
    const by = { approvedBy: "anna (--yes)", account: Scenario.account }
    return yield* Cycle.apply(reviewed, by, { whole: true }).pipe(
      Effect.provideServiceEffect(
        Writer,
        Effect.flatMap(Writer, (own) => Calls.writer(own, client, whole, {}))
      )
    )
  }).pipe(Effect.provide(world.context))

it("hands nothing over by a call by hand whose plan saw other orders than are in the supply when its request leaves", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      const { id } = yield* waiting(world)
      const more: Array<number> = []
      const { rows } = yield* delivered(world, id, () => void more.push(...added(world, id, 1)))
      expect(rows.map(({ reason, state }) => [state, reason])).toEqual([
        ["skipped", { code: "hand_over_others", added: more, missing: [] }]
      ])
      expect([isOpen(world, id), world.requests("deliverSupply")]).toEqual([true, 0])
      expect((yield* delivered(world, id, () => undefined)).status).toBe("done")
      expect([isOpen(world, id), world.requests("deliverSupply")]).toEqual([false, 1])
    })
  ))

it("nor by a call by hand while somebody packs the supply, after it was packed in part, or with the parcel of an order that left in its pile", () => {
  let packer: string | undefined
  return Scenario.run({ rules: [policy], scale, packerOf: () => packer }, (world) =>
    Effect.gen(function* () {
      const { id } = yield* waiting(world)
      const refused = (reason: object) =>
        Effect.map(
          delivered(world, id, () => undefined),
          ({ rows }) => {
            expect(rows.map((row) => [row.state, row.reason])).toEqual([["skipped", reason]])
            expect([isOpen(world, id), world.requests("deliverSupply")]).toEqual([true, 0])
          }
        )
      packer = "pid 7 on desk"
      yield* refused({ code: "hand_over_packing", packer })
      packer = undefined
      const [first = 0, second = 0] = inside(world, id).map((one) => OrderId.make(one))
      yield* Effect.flatMap(SupplyOrders, (stored) =>
        stored.append(
          Scenario.account,
          SupplyId.make(id),
          [first, second].map((one) => OrderId.make(one)),
          0
        )
      ).pipe(Effect.provide(world.context))
      yield* packedAtTable(world, id, [OrderId.make(first)], {})
      yield* refused({ code: "hand_over_part_packed", left: [second] })
      yield* packedAtTable(world, id, [OrderId.make(second)], {})
      world.play({ orderId: first, play: "cancel", by: "seller" })
      yield* refused({ code: "hand_over_unfit" })
      yield* world.advance("1 minutes")
      yield* packedAtTable(world, id, [OrderId.make(first)], { undone: true })
      expect((yield* delivered(world, id, () => undefined)).status).toBe("done")
      expect([isOpen(world, id), world.requests("deliverSupply")]).toEqual([false, 1])
    })
  )
})

/** A supply and the two orders that it is to be made for, which wait for a person. */
const unmade = (world: Scenario.World) =>
  Effect.gen(function* () {
    shopOf(world).shop.ordersTo = world.now()
    const orders = Staging.make(shopOf(world), staged, world.now())
    if ("problem" in orders) throw new Error(orders.problem)
    yield* world.advance("1 hours")
    yield* turn(world)
    expect((yield* requested(world))[0]).toHaveLength(3)
    return orders
  })
const asking = { ...policy, text: policy.text.replace("mode: apply", "mode: approve") }

/** The one request that waits. */
const asked = (world: Scenario.World) =>
  Effect.gen(function* () {
    const all = (yield* (yield* ApprovalStore).list(Scenario.account, 20)).filter(
      ({ state }) => state === "requested"
    )
    expect(all).toHaveLength(1)
    return all[0]!
  }).pipe(Effect.provide(world.context))

it("keeps asking for orders that came in time until their wave leaves, under the same id, and a yes still puts them into it", () =>
  Scenario.run({ rules: [asking], scale }, (world) =>
    Effect.gen(function* () {
      const orders = yield* unmade(world)
      const before = yield* asked(world)
      // 13:45 in Moscow: the wave is packed since 12:30, and its car leaves at 14:00.
      for (const at of ["09:30", "10:30", "10:45"]) {
        yield* world.advance(`${Date.parse(`2026-09-01T${at}:00Z`) - world.now()} millis`)
        yield* turn(world)
        expect((yield* asked(world)).id).toBe(before.id)
      }
      expect((yield* approved(world)).status).toBe("done")
      const [supply] = [...shopOf(world).shop.supplies.values()]
      expect(supply?.name).toContain("2026-09-01 noon")
      expect([...inside(world, supply?.id ?? "")].sort()).toEqual([...orders].sort())
    })
  ))

it("puts orders into another supply of their wave at once where theirs was closed in the cabinet before the yes", () =>
  Scenario.run({ rules: [asking], scale }, (world) =>
    Effect.gen(function* () {
      yield* unmade(world)
      yield* approved(world)
      const later = Staging.make(shopOf(world), staged, world.now())
      if ("problem" in later) throw new Error(later.problem)
      yield* world.advance("1 hours")
      yield* turn(world)
      const [own] = [...shopOf(world).shop.supplies.values()]
      expect((yield* asked(world)).plan.changes.map(({ after }) => after)).toEqual([own?.id, own?.id])
      Supplies.close(shopOf(world), own!, world.now())
      const sent = world.requests("addOrdersToSupply")
      const { rows } = yield* approved(world)
      const why = `not sent: supply ${own?.id} is closed, and only an open one takes orders; the next turn looks again`
      expect(rows.map((row) => [row.state, Reasons.ofRow(row)])).toEqual(later.map(() => ["skipped", why]))
      expect(world.requests("addOrdersToSupply")).toBe(sent)
      yield* world.advance("2 minutes")
      yield* turn(world)
      expect((yield* approved(world)).status).toBe("done")
      const beside = [...shopOf(world).shop.supplies.values()][1]
      expect(beside?.name).toContain("2026-09-01 noon")
      expect([...inside(world, beside?.id ?? "")].sort()).toEqual([...later].sort())
    })
  ))

it("asks for them with the next wave once their car has left", () =>
  Scenario.run({ rules: [asking], scale }, (world) =>
    Effect.gen(function* () {
      yield* unmade(world)
      const before = yield* asked(world)
      yield* world.advance(`${Date.parse("2026-09-01T11:00:00Z") - world.now()} millis`)
      yield* turn(world)
      const now = yield* asked(world)
      expect(now.id).not.toBe(before.id)
      const names = now.plan.changes.map(({ after }) => String(after))
      expect(names).toHaveLength(3)
      for (const name of names) expect(name).toContain("2026-09-02 noon")
    })
  ))

it("puts orders that came in time and are agreed to after the cut-off into a supply beside the packed one of their wave, and both go", () =>
  Scenario.run({ rules: [asking], scale }, (world) =>
    Effect.gen(function* () {
      const first = yield* unmade(world)
      yield* approved(world)
      const second = Staging.make(shopOf(world), staged, world.now())
      if ("problem" in second) throw new Error(second.problem)
      yield* world.advance(`${Date.parse("2026-09-01T09:29:00Z") - world.now()} millis`)
      yield* turn(world)
      const [own] = [...shopOf(world).shop.supplies.values()]
      expect((yield* asked(world)).plan.changes.map(({ after }) => after)).toEqual([own?.id, own?.id])
      yield* world.advance("2 minutes")
      yield* turn(world)
      expect((yield* asked(world)).plan.changes.map(({ action }) => action).sort()).toEqual([
        "create_supply",
        "deliver",
        "put_in_supply",
        "put_in_supply"
      ])
      expect((yield* approved(world)).status).toBe("done")
      const supplies = [...shopOf(world).shop.supplies.values()]
      expect(supplies.map(({ id }) => [...inside(world, id)].sort())).toEqual([
        [...first].sort(),
        [...second].sort()
      ])
      yield* world.advance("2 minutes")
      yield* turn(world)
      expect(yield* requested(world)).toEqual([[`supply_delivery:${supplies[1]?.id}`]])
      expect((yield* approved(world)).status).toBe("done")
      expect(supplies.map(({ id }) => isOpen(world, id))).toEqual([false, false])
    })
  ))

const cancelledByBuyer = (world: Scenario.World, orders: ReadonlyArray<number>) => {
  for (const orderId of orders) world.play({ orderId, play: "cancel", by: "buyer" })
}

it("makes no supply on a yes where every order that it was to be made for was cancelled since", () =>
  Scenario.run({ rules: [asking], scale }, (world) =>
    Effect.gen(function* () {
      cancelledByBuyer(world, yield* unmade(world))
      const { rows } = yield* approved(world)
      expect(rows.map(({ change, reason, state }) => [change.kind, state, reason?.code])).toEqual([
        ["supply_creation", "skipped", "made_for_none"],
        ["order_in_supply", "skipped", "gone"],
        ["order_in_supply", "skipped", "gone"]
      ])
      expect([world.ledger(), world.requests("createSupply")]).toEqual([[], 0])
    })
  ))

it("makes the supply on a yes where one of its orders may still go", () =>
  Scenario.run({ rules: [asking], scale }, (world) =>
    Effect.gen(function* () {
      const [first = 0, second = 0] = yield* unmade(world)
      cancelledByBuyer(world, [first])
      yield* approved(world)
      const supplies = [...shopOf(world).shop.supplies.keys()]
      expect(supplies).toHaveLength(1)
      expect(inside(world, supplies[0] ?? "")).toEqual([second])
    })
  ))

/** `bidhelm hold --target order/…` of each. */
const holding = (
  world: Scenario.World,
  orders: ReadonlyArray<number>,
  said: { readonly by: string; readonly why?: string } = { by: "boris" }
) =>
  Effect.forEach(orders, (orderId) =>
    Effect.flatMap(Holdings, (holdings) =>
      holdings.place({
        account: Scenario.account,
        kind: "target",
        what: `order/${orderId}`,
        since: world.now(),
        ...said
      })
    )
  ).pipe(Effect.provide(world.context), Effect.orDie)

for (const moment of ["compared", "claimed", "permitted"] as const) {
  it(`makes no supply where a person holds every order of it once its creation is ${moment}`, () =>
    Scenario.run({ rules: [asking], scale }, (world) =>
      Effect.gen(function* () {
        const orders = yield* unmade(world)
        const { rows } = yield* Effect.provideService(approved(world), JournalPoints.AtPoint, (point) =>
          point === moment ? holding(world, orders) : Effect.void
        )
        expect(rows.map(({ change, reason, state }) => [change.kind, state, reason?.code])).toEqual([
          ["supply_creation", "skipped", "made_for_none"],
          ["order_in_supply", "skipped", "hold"],
          ["order_in_supply", "skipped", "hold"]
        ])
        expect([world.ledger(), world.requests("createSupply")]).toEqual([[], 0])
      })
    ))
}

it("makes the supply where a person holds one of its orders at the last moment, and the other may go", () =>
  Scenario.run({ rules: [asking], scale }, (world) =>
    Effect.gen(function* () {
      const [first = 0, second = 0] = yield* unmade(world)
      yield* Effect.provideService(approved(world), JournalPoints.AtPoint, (point) =>
        point === "claimed" ? holding(world, [first]) : Effect.void
      )
      const [supply = ""] = [...shopOf(world).shop.supplies.keys()]
      expect(inside(world, supply)).toEqual([second])
    })
  ))

it("makes no supply on a yes where a person holds every order that it was to be made for", () =>
  Scenario.run({ rules: [asking], scale }, (world) =>
    Effect.gen(function* () {
      yield* holding(world, yield* unmade(world))
      const { rows } = yield* approved(world)
      expect(rows).toEqual([])
      expect([world.ledger(), world.requests("createSupply")]).toEqual([[], 0])
    })
  ))

it("makes no supply in a turn for orders that a person holds, all of them", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      shopOf(world).shop.ordersTo = world.now()
      const orders = Staging.make(shopOf(world), staged, world.now())
      if ("problem" in orders) throw new Error(orders.problem)
      yield* holding(world, orders)
      yield* world.advance("1 hours")
      yield* turn(world)
      expect([world.ledger(), world.requests("createSupply")]).toEqual([[], 0])
    })
  ))

it("makes no supply for orders that several people hold, and says of all of them how many wait for whom", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      shopOf(world).shop.ordersTo = world.now()
      const orders = Staging.make(shopOf(world), { ...staged, count: 6 }, world.now())
      if ("problem" in orders) throw new Error(orders.problem)
      const saying = [
        { by: "boris", why: "stock-taking" },
        { by: "anna", why: "torn" },
        { by: "boris", why: "stock-taking" },
        { by: "vera" },
        { by: "gleb" },
        { by: "boris", why: "stock-taking" }
      ]
      for (const [at, orderId] of orders.entries()) yield* holding(world, [orderId], saying[at])
      yield* world.advance("1 hours")
      const planned = yield* AssemblyPlan.make(world.rules, {
        account: Scenario.account,
        currency: "RUB",
        zone: "Europe/Moscow"
      }).pipe(Effect.provide(world.context))
      if (planned._tag === "Unread") throw new Error(planned.failure.message)
      const made = planned.reviewed.plan.held.find(({ change }) => change.kind === "supply_creation")
      expect([made?.by, made && HeldReasons.text(made, planned.reviewed.plan)]).toEqual([
        "hold",
        "all 6 that it would be made for are held (3 on hold by boris: stock-taking, 1 on hold by anna: torn, 1 on hold by vera and 1 more; each of them says until when)"
      ])
      yield* turn(world)
      expect([world.ledger(), world.requests("createSupply")]).toEqual([[], 0])
    })
  ))
