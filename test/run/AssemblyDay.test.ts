/**
 * A whole day of the orders' lane over the sandbox marketplace, turn by turn: orders of three warehouses come in from seven
 * to eight in the evening, some are cancelled on their way, batches are refused, a supply closes itself. Judged by what the
 * marketplace itself holds in the end, and by its ledger.
 */
import * as Arr from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { expect, it } from "vitest"
import * as OrderMark from "../../src/engine/kinds/fulfilment/OrderMark.js"
import * as AssemblyPlan from "../../src/engine/planning/AssemblyPlan.js"
import type { CycleResult } from "../../src/engine/schedule/Job.js"
import type { World as Shop } from "../../src/sandbox/market/World.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Orders from "../../src/sandbox/shop/Orders.js"
import * as Progress from "../../src/sandbox/shop/Progress.js"
import * as Staging from "../../src/sandbox/shop/Staging.js"
import type { Order } from "../../src/sandbox/shop/State.js"
import * as Supplies from "../../src/sandbox/shop/Supplies.js"
import * as Warehouses from "../../src/sandbox/shop/Warehouses.js"
import { MarkVault } from "../../src/services/ports/MarkVault.js"
import * as Depth from "../Depth.js"
import * as Scenario from "../scenario/Scenario.js"

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const ordersOfTheDay = Depth.isDeep ? 500 : 117
const turnMs = (Depth.isDeep ? 5 : 10) * minuteMs

/** Few, so that waves fill more than one supply of a kind. */
const mostOrders = 12

const policy = {
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
supply: {name: "{warehouse} {date} {wave} {cargo}", max_orders: ${mostOrders}}
passes: {driver: {first_name: Иван, last_name: Петров}, car: {model: Газель, number: А123ВС777}, office: 15, book_before: 12h}
`
}

/** Small: nearly all orders are made by the test. */
const scale = { campaigns: 1, items: 1, clusters: 1 }

const shopOf = (world: Scenario.World): Shop => world.sandbox.world(defaultSeller)
const all = (world: Scenario.World) => Orders.all(shopOf(world), world.now())

const turn = (world: Scenario.World): Effect.Effect<CycleResult, unknown> =>
  Effect.gen(function* () {
    return yield* world.cycle({
      account: Scenario.account,
      lane: "orders",
      due: new Set(world.rules.fulfilment.map(({ id }) => id as string)),
      stopping: yield* Deferred.make<void>(),
      loaded: { rules: world.rules, version: "1", problem: undefined }
    })
  })

const planned = (world: Scenario.World) =>
  Effect.gen(function* () {
    const made = yield* AssemblyPlan.make(world.rules, {
      account: Scenario.account,
      currency: "RUB",
      zone: "Europe/Moscow"
    }).pipe(Effect.provide(world.context))
    if (made._tag === "Unread") throw new Error(made.failure.message)
    return made
  })

/** So many orders at once, of every kind. */
const ordered = (world: Scenario.World, count: number): ReadonlyArray<number> => {
  const made = Staging.make(
    shopOf(world),
    {
      count,
      warehouses: Warehouses.ofOrders.map(({ id }) => id),
      cargo: [1, 1, 2, 3],
      crossBorderShare: 0.2,
      businessShare: 0.1,
      markedShare: 1 / 3,
      marks: ["sgtin", "expiration"],
      minutesAgo: 0
    },
    world.now()
  )
  if ("problem" in made) throw new Error(made.problem)
  return made
}

/** The seller gives the marks of what is packed, as their import does. */
const marked = (world: Scenario.World) =>
  Effect.gen(function* () {
    const shop = shopOf(world)
    const vault = yield* MarkVault
    const packed = all(world).filter((order) => Orders.status(shop, order, world.now()) === "confirm")
    const given = packed.flatMap(({ id, labels, required }) =>
      required
        .filter((key) => !labels.has(key))
        .map((key) => {
          const marks = [markOf(key, id)]
          return {
            orderId: id,
            key,
            fingerprint: OrderMark.fingerprint(marks),
            marks: Redacted.make(marks)
          }
        })
    )
    yield* vault.keep(Scenario.account, given)
  }).pipe(Effect.provide(world.context))

/** Such as the marketplace finds nothing wrong with. */
const markOf = (key: string, orderId: number): string =>
  marks[key] ?? `0104600439931256217777${orderId}\u001d91AB12`

const marks: Readonly<Record<string, string>> = {
  expiration: "01.01.2028",
  customsDeclaration: "10702020/010926/0001234",
  uin: "1234567777123456",
  imei: "123456777712345"
}

/** A person takes the goods of what was cancelled out of a supply, which no turn does, and hands it over. */
const handedOver = (world: Scenario.World, wave: string): void => {
  const shop = shopOf(world)
  for (const supply of shop.shop.supplies.values()) {
    const inside = Orders.inSupply(shop, supply.id, world.now())
    const isHeld = inside.some((order) => Orders.platformStatus(shop, order, world.now()) !== "waiting")
    if (supply.closedAt === undefined && isHeld && supply.name.includes(` ${wave} `))
      Supplies.close(shop, supply, world.now())
  }
}

const standsAt =
  (world: Scenario.World, status: string) =>
  (order: Order): boolean =>
    Orders.status(shopOf(world), order, world.now()) === status &&
    Orders.platformStatus(shopOf(world), order, world.now()) === "waiting"

/** When each order was cancelled, by its id. */
type Cancelled = Map<number, number>

const cancelTwo = (
  world: Scenario.World,
  cancelled: Cancelled,
  by: "buyer" | "seller",
  status: string
): void => {
  const fit = all(world).filter((order) => !cancelled.has(order.id) && standsAt(world, status)(order))
  for (const { id } of fit.slice(0, 2)) {
    world.play({ orderId: id, play: "cancel", by })
    cancelled.set(id, world.now())
  }
}

/** What happens at an instant of the day, counted from nine in the morning in Moscow. */
const happenings: ReadonlyArray<
  readonly [atMs: number, happens: (world: Scenario.World, cancelled: Cancelled) => void]
> = [
  ...Array.from(
    { length: 9 },
    (_, n) => [n * hourMs, (world: Scenario.World) => ordered(world, Math.ceil(ordersOfTheDay / 9))] as const
  ),
  [
    30 * minuteMs,
    (world, cancelled) => {
      cancelTwo(world, cancelled, "buyer", "new")
      cancelTwo(world, cancelled, "seller", "new")
    }
  ],
  // One order of each of three batches is unfit until the afternoon.
  [
    50 * minuteMs,
    (world) => {
      const byCompany = new Map(
        all(world).flatMap((order) => (standsAt(world, "new")(order) ? [[company(order), order.id]] : []))
      )
      world.faults([{ kind: "unfitOrders", orders: [...byCompany.values()].slice(0, 3) }, lag])
    }
  ],
  [
    2 * hourMs + 40 * minuteMs,
    (world, cancelled) => {
      cancelTwo(world, cancelled, "seller", "confirm")
      cancelTwo(world, cancelled, "buyer", "confirm")
      cancelTwo(world, cancelled, "buyer", "new")
    }
  ],
  [4 * hourMs + 50 * minuteMs, (world) => handedOver(world, "noon")],
  [5 * hourMs + 20 * minuteMs, (world, cancelled) => cancelTwo(world, cancelled, "buyer", "complete")],
  [
    5 * hourMs + 40 * minuteMs,
    (world) =>
      world.faults([
        { kind: "selfScan", ms: 2 * minuteMs, count: 1 },
        { kind: "dropAnswer", operation: "createSupply", count: 1 },
        { kind: "omit", operation: "getOrderStatuses", share: 0.1, count: 3 },
        lag
      ])
  ],
  [11 * hourMs + 50 * minuteMs, (world) => handedOver(world, "evening")]
]

const lag = { kind: "lag", ms: 3_000 } as const

it(
  "puts every deliverable order of a day into one supply, none that is cancelled, and says why of what is left",
  () =>
    Scenario.run({ rules: [policy], scale }, (world) =>
      Effect.gen(function* () {
        shopOf(world).shop.ordersTo = world.now()
        world.faults([{ kind: "refuse", operation: "createPass", status: 400, count: 1 }])
        const cancelled: Cancelled = new Map()
        const startMs = world.now()
        const coming = happenings.toSorted(([a], [b]) => a - b)
        while (world.now() < startMs + 12.5 * hourMs) {
          while (coming[0] !== undefined && startMs + coming[0][0] <= world.now())
            coming.shift()?.[1](world, cancelled)
          expect((yield* turn(world))._tag).toBe("Done")
          yield* marked(world)
          yield* world.advance(turnMs - ((world.now() - startMs) % turnMs))
        }
        expect(coming).toEqual([])
        expect(cancelled.size).toBe(12)
        expect(world.throttled()).toBe(0)
        const written = (operation: string) =>
          world.ledger().filter((entry) => entry.operation === operation && entry.slot !== "order").length
        // The refused pass was booked an hour later; nearly all supplies were handed over by turns.
        expect([world.requests("createPass"), written("createPass")]).toEqual([2, 1])
        expect(written("deliverSupply")).toBeGreaterThan(written("createSupply") / 2)
        expect(world.sandbox.ledger.counters.get("addOrdersToSupply")?.clientErrors).toBeGreaterThanOrEqual(3)
        suppliesAreWhole(world)
        everyOrderHasItsPlace(world, cancelled, yield* planned(world))
      })
    ),
  600_000
)

const isOurs = ({ name }: { readonly name: string }): boolean => name.includes("#")

/** The kinds of orders that may share a supply. */
const company = ({ cargoType, crossBorder, sale, warehouseId }: Order): string =>
  `${warehouseId} ${cargoType} ${crossBorder} ${sale.business}`

/** No name twice, one kind of orders in each, none too full, and one of them closed itself. */
const suppliesAreWhole = (world: Scenario.World): void => {
  const supplies = [...shopOf(world).shop.supplies.values()].filter(isOurs)
  expect(new Set(supplies.map(({ name }) => name)).size).toBe(supplies.length)
  expect(supplies.length).toBeGreaterThan(6)
  expect(supplies.filter(({ scanDue }) => scanDue !== undefined).length).toBe(1)
  for (const { id } of supplies) {
    const inside = Orders.inSupply(shopOf(world), id, world.now())
    expect([id, new Set(inside.map(company)).size <= 1, inside.length <= mostOrders]).toEqual([
      id,
      true,
      true
    ])
  }
}

/** Each order of the day in one supply that was handed over, or cancelled; none was put in that was cancelled before. */
const everyOrderHasItsPlace = (
  world: Scenario.World,
  cancelled: Cancelled,
  { left, reviewed }: Extract<AssemblyPlan.Planned, { _tag: "Planned" }>
): void => {
  const shop = shopOf(world)
  const puttings = Arr.groupBy(
    world.ledger().filter(({ operation }) => operation === "addOrdersToSupply"),
    ({ target }) => String(target.orderId)
  )
  const why = new Map(left.map((one) => [one.orderId as number, one.why.code]))
  expect(reviewed.plan.changes).toEqual([])
  for (const order of all(world)) {
    const { id } = order
    const [put, again] = puttings[id] ?? []
    expect([id, again]).toEqual([id, undefined])
    // Lists and statuses are three seconds behind at most.
    const cancelledAt = cancelled.get(id)
    if (put !== undefined && cancelledAt !== undefined)
      expect([id, put.at < cancelledAt + 5_000]).toEqual([id, true])
    if (Progress.isFinal(Orders.platformStatus(shop, order, world.now()))) continue
    const isDone = isTomorrows(order)
      ? order.supplyId !== undefined || why.has(id)
      : shop.shop.supplies.get(order.supplyId ?? "")?.closedAt !== undefined
    expect([id, isDone, why.get(id)]).toEqual([id, true, isTomorrows(order) ? why.get(id) : undefined])
  }
}

/** Came after the last cut-off. */
const isTomorrows = ({ sale }: Order): boolean => sale.orderedAt >= Scenario.startMs + 10 * hourMs
