/** Turns, who packs a supply, and the parcels of orders that were packed into it and left it: judged by the marketplace's ledger. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { OrderId, SupplyId } from "../../src/domain/Ids.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Orders from "../../src/sandbox/shop/Orders.js"
import * as Warehouses from "../../src/sandbox/shop/Warehouses.js"
import { OrderEvents } from "../../src/services/ports/OrderEvents.js"
import { SupplyOrders } from "../../src/services/ports/SupplyOrders.js"
import * as Scenario from "../scenario/Scenario.js"

const rules = [
  {
    path: "rules/13-fulfilment.yaml",
    text: `version: 1
kind: fulfilment
name: Waves
mode: apply
deliver: apply
warehouses: [${Warehouses.ofOrders.map(({ id }) => id).join(", ")}]
waves:
  - {name: noon, collect_until: "12:30", hand_over_by: "14:00", tz: Europe/Moscow}
  - {name: evening, collect_until: "19:00", hand_over_by: "21:00", tz: Europe/Moscow}
`
  }
]

const shopOf = (world: Scenario.World) => world.sandbox.world(defaultSeller)

/** Four orders without marks, which go into a supply of their own. */
const business = (world: Scenario.World, warehouse: number) =>
  world.play({
    play: "make_orders",
    seller: defaultSeller,
    count: 4,
    warehouses: [warehouse],
    cargo: [1],
    crossBorderShare: 0,
    businessShare: 1,
    markedShare: 0,
    marks: ["sgtin"],
    minutesAgo: 120
  })

/** What the turn says of itself. */
const turn = (world: Scenario.World) =>
  Effect.gen(function* () {
    const result = yield* world.cycle({
      account: Scenario.account,
      lane: "orders",
      due: new Set(world.rules.fulfilment.map(({ id }) => id as string)),
      stopping: yield* Deferred.make<void>(),
      loaded: { rules: world.rules, version: "1", problem: undefined }
    })
    return result._tag === "Done" ? result.said : result._tag
  })

/** Orders of a supply that turns made, by supply. */
const gathered = (world: Scenario.World) =>
  [...shopOf(world).shop.supplies.values()]
    .filter(({ name }) => name.includes("#"))
    .map(({ id }) => ({ id, orders: Orders.inSupply(shopOf(world), id, world.now()) }))

/** Of them those of several orders without marks, made of `business` orders of these warehouses. */
const bare = (world: Scenario.World) =>
  gathered(world).filter(
    ({ orders }) => orders.length > 1 && orders.every(({ required }) => required.length === 0)
  )

/** Of them those in which some orders need a mark, and some none. */
const mixed = (world: Scenario.World) =>
  gathered(world).filter(
    ({ orders }) =>
      orders.some(({ required }) => required.length > 0) &&
      orders.some(({ required }) => required.length === 0)
  )

/** What a packing table writes down of these orders. */
const table = (
  world: Scenario.World,
  supply: string,
  orders: ReadonlyArray<Pick<ReturnType<typeof gathered>[number]["orders"][number], "id">>,
  more: { readonly undone?: boolean; readonly refused?: boolean } = {}
) =>
  Effect.gen(function* () {
    const supplyId = SupplyId.make(supply)
    const ids = orders.map(({ id }) => OrderId.make(id))
    yield* (yield* SupplyOrders).append(Scenario.account, supplyId, ids, world.now())
    yield* (yield* OrderEvents).record(
      Scenario.account,
      ids.map((orderId) => ({ orderId, at: world.now(), kind: "packed", detail: { supplyId, ...more } }))
    )
  }).pipe(Effect.provide(world.context))

const delivered = (world: Scenario.World) =>
  new Set(
    world
      .ledger()
      .flatMap(({ operation, target }) => (operation === "deliverSupply" ? [target.supplyId] : []))
  )

/** Past the cut-off of the first wave. */
const packedUp = (world: Scenario.World) => world.advance("211 minutes")

it("hands no supply over whose packed parcel may lie in the pile though its order left, and says which, until it is out or accepted", () =>
  Scenario.run({ rules }, (world) =>
    Effect.gen(function* () {
      for (const { id } of Warehouses.ofOrders.slice(0, 2)) business(world, id)
      yield* turn(world)
      const [cancels, moves] = bare(world)
      const [lost] = cancels!.orders
      const [moved] = moves!.orders
      yield* table(world, cancels!.id, cancels!.orders)
      yield* table(world, moves!.id, moves!.orders)
      Orders.cancel(lost!, world.now())
      Orders.move(moved!, undefined, world.now())
      yield* packedUp(world)
      const said = yield* turn(world)
      expect(said).toContain(`${cancels!.id} is not handed over: order ${lost!.id} is cancelled (cancel)`)
      expect(said).toContain(`${moves!.id} is not handed over: order ${moved!.id} was packed here`)
      expect([cancels!.id, moves!.id].filter((id) => delivered(world).has(id))).toEqual([])
      yield* world.advance("2 minutes")
      yield* table(world, cancels!.id, [lost!], { undone: true })
      // Its new supply was handed over, and the marketplace has its goods.
      moved!.statuses.push({ status: "complete", at: world.now() })
      moved!.scannedAt = world.now()
      yield* turn(world)
      expect([cancels!.id, moves!.id].filter((id) => !delivered(world).has(id))).toEqual([])
    })
  ))

/** Held back, which the turn says, while other supplies go; handed over once what is in the way is gone, and until then nothing is moved on of `stay`. */
const waits = (
  world: Scenario.World,
  {
    gone,
    held,
    other,
    says,
    stay
  }: {
    readonly held: string
    readonly other: string
    readonly says: string
    readonly stay: ReturnType<typeof gathered>[number]
    readonly gone: Effect.Effect<void, unknown>
  }
) =>
  Effect.gen(function* () {
    yield* packedUp(world)
    expect(yield* turn(world)).toContain(`${held} is not handed over: ${says}`)
    expect([held, other].map((id) => delivered(world).has(id))).toEqual([false, true])
    yield* world.advance("62 minutes")
    yield* turn(world)
    expect(delivered(world).has(held)).toBe(false)
    expect(Orders.inSupply(shopOf(world), stay.id, world.now())).toHaveLength(stay.orders.length)
    yield* gone
    yield* world.advance("2 minutes")
    yield* turn(world)
    expect(delivered(world).has(held)).toBe(true)
  })

it("hands no supply over while somebody packs it, says who and moves nothing on, and does so once packing has ended", () => {
  const packers = new Map<string, string>()
  return Scenario.run({ rules, packerOf: (supplyId) => packers.get(supplyId) }, (world) =>
    Effect.gen(function* () {
      for (const { id } of Warehouses.ofOrders.slice(0, 2)) business(world, id)
      yield* turn(world)
      const [[packing, other], [stay]] = [bare(world), mixed(world)]
      for (const one of [packing, stay]) packers.set(one!.id, "pid 7 on desk")
      const says =
        "the supply is being packed at a table (pid 7 on desk) → pack what is left of it, or end packing there"
      const gone = Effect.sync(() => packers.clear())
      yield* waits(world, { held: packing!.id, other: other!.id, says, stay: stay!, gone })
    })
  )
})

it("hands no supply over of which only a part was packed at the table, says so, moves nothing on, and does so once all is packed", () =>
  Scenario.run({ rules }, (world) =>
    Effect.gen(function* () {
      for (const { id } of Warehouses.ofOrders.slice(0, 2)) business(world, id)
      yield* turn(world)
      const [half, other] = bare(world)
      const [, ...unscanned] = half!.orders
      yield* table(world, half!.id, half!.orders.slice(0, 1))
      const says = `only a part of the supply was packed at a table: ${unscanned.length} orders were not scanned`
      const gone = table(world, half!.id, unscanned)
      yield* waits(world, { held: half!.id, other: other!.id, says, stay: half!, gone })
    })
  ))

it("hands no supply over that a table began and left off while the last look at it waited", () => {
  let look = (_supply: string): void => {}
  const packerOf = (supply: string) => {
    look(supply)
    return undefined
  }
  return Scenario.run({ rules, packerOf }, (world) =>
    Effect.gen(function* () {
      business(world, Warehouses.ofOrders[0]!.id)
      yield* turn(world)
      const [begun] = bare(world)
      yield* packedUp(world)
      let looks = 0
      look = (supply) => {
        if (supply === begun!.id && ++looks === 2)
          Effect.runSync(table(world, begun!.id, begun!.orders.slice(0, 1)))
      }
      yield* turn(world)
      expect(looks).toBe(2)
      expect(delivered(world).has(begun!.id)).toBe(false)
      yield* table(world, begun!.id, begun!.orders)
      yield* world.advance("2 minutes")
      yield* turn(world)
      expect(delivered(world).has(begun!.id)).toBe(true)
    })
  )
})

it("moves an order on that cannot be packed for want of its mark, and hands over the others, which all were packed", () =>
  Scenario.run({ rules }, (world) =>
    Effect.gen(function* () {
      yield* turn(world)
      const [supply] = mixed(world)
      const marked = supply!.orders.filter(({ required }) => required.length > 0)
      const others = supply!.orders.filter((one) => !marked.includes(one))
      yield* table(world, supply!.id, others)
      yield* packedUp(world)
      yield* turn(world)
      yield* world.advance("62 minutes")
      yield* turn(world)
      const inside = Orders.inSupply(shopOf(world), supply!.id, world.now()).map(({ id }) => id)
      expect(inside.filter((id) => marked.some((one) => one.id === id))).toEqual([])
      yield* world.advance("2 minutes")
      yield* turn(world)
      expect(delivered(world).has(supply!.id)).toBe(true)
    })
  ))

it.each([
  { what: "packed order", isRefused: false },
  { what: "order whose mark was refused after it was packed", isRefused: true }
])("moves no $what on before the car leaves: its parcel would stay in the pile", ({ isRefused }) =>
  Scenario.run({ rules }, (world) =>
    Effect.gen(function* () {
      yield* turn(world)
      const [packed] = mixed(world)
      yield* table(world, packed!.id, packed!.orders)
      yield* world.advance("1 minutes")
      const again = packed!.orders.filter(({ required }) => isRefused && required.length > 0)
      yield* table(world, packed!.id, again, { undone: true, refused: true })
      yield* packedUp(world)
      yield* turn(world)
      yield* world.advance("62 minutes")
      const said = yield* turn(world)
      expect(said).toContain(`${packed!.id} is not handed over: order`)
      const inside = Orders.inSupply(shopOf(world), packed!.id, world.now()).map(({ id }) => id)
      expect(inside).toEqual(packed!.orders.map(({ id }) => id))
      expect(delivered(world).has(packed!.id)).toBe(false)
    })
  )
)
