/** Turns of the orders' lane over the sandbox marketplace: what goes into which supply, judged by the marketplace's ledger. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { OrderId } from "../../src/domain/Ids.js"
import { ChangeLog } from "../../src/engine/door/ChangeLog.js"
import { ApprovalStore } from "../../src/engine/planning/ApprovalStore.js"
import * as AssemblyPlan from "../../src/engine/planning/AssemblyPlan.js"
import type { CycleResult } from "../../src/engine/schedule/Job.js"
import * as LeftWords from "../../src/reporting/fulfilment/LeftWords.js"
import * as Control from "../../src/sandbox/Control.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Orders from "../../src/sandbox/shop/Orders.js"
import * as Supplies from "../../src/sandbox/shop/Supplies.js"
import { TokenMemory } from "../../src/services/ports/TokenMemory.js"
import * as Scenario from "../scenario/Scenario.js"

const hour = 3_600_000

const policy = (mode: string, warehouses: ReadonlyArray<number>, more = "") => ({
  path: "rules/13-fulfilment.yaml",
  text: `version: 1
kind: fulfilment
name: Waves
mode: ${mode}
warehouses: [${warehouses.join(", ")}]
waves:
  - {name: noon, collect_until: "12:30", hand_over_by: "14:00", tz: Europe/Moscow}
  - {name: evening, collect_until: "19:00", hand_over_by: "21:00", tz: Europe/Moscow}
supply: {name: "{warehouse} {date} {wave} {cargo}", max_orders: 300}
${more}`
})

const cycle = (world: Scenario.World): Effect.Effect<CycleResult, unknown> =>
  Effect.gen(function* () {
    return yield* world.cycle({
      account: Scenario.account,
      lane: "orders",
      due: new Set(world.rules.fulfilment.map(({ id }) => id as string)),
      stopping: yield* Deferred.make<void>(),
      loaded: { rules: world.rules, version: "1", problem: undefined }
    })
  })

/** An office of the sandbox that asks for a pass. */
const passOffice = 15

const shopOf = (world: Scenario.World) => world.sandbox.world(defaultSeller)

/** Every seller's warehouse of the sandbox's shop. */
const warehousesOf = (world: Scenario.World): ReadonlyArray<number> => [
  ...new Set(Orders.all(shopOf(world), world.now()).map(({ warehouseId }) => warehouseId))
]

const stillNew = (world: Scenario.World) =>
  Orders.all(shopOf(world), world.now()).filter((order) =>
    Orders.mayAssemble(shopOf(world), order, world.now())
  )

/** Warehouses of the usual sandbox, found once. */
const warehouses = (): Promise<ReadonlyArray<number>> =>
  Scenario.run({}, (world) => Effect.sync(() => warehousesOf(world)))

describe("a turn of the orders' lane", () => {
  it("puts every order whose time has come into one supply of its own kind, and into no other", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("apply", ids)] }, (world) =>
      Effect.gen(function* () {
        const before = stillNew(world)
        expect(before.length).toBeGreaterThan(3)
        const result = yield* cycle(world)
        expect(result).toMatchObject({ _tag: "Done" })
        const [run] = yield* world.journal.runs(undefined, 1)
        for (const { change } of yield* world.journal.rows(run!.runId))
          expect(change.reason.map(({ value }) => value).join()).toMatch(
            /^handed over by \d{4}-\d\d-\d\d \d\d:\d\d Europe\/Moscow$/
          )
        const shop = shopOf(world)
        for (const order of before) {
          const isDue = order.sale.orderedAt + hour <= world.now()
          const now = Orders.find(shop, order.id, world.now())!
          expect([order.id, now.supplyId !== undefined]).toEqual([order.id, isDue])
        }
        const supplies = [...shop.shop.supplies.values()].filter(({ name }) => name.includes("#"))
        expect(supplies.length).toBeGreaterThan(0)
        for (const { id } of supplies) {
          const inside = Orders.inSupply(shop, id, world.now())
          const kinds = inside.map(
            (one) => `${one.warehouseId} ${one.cargoType} ${one.crossBorder} ${one.sale.business}`
          )
          expect(new Set(kinds).size).toBe(1)
        }
        const made = world.ledger().filter(({ operation }) => operation === "createSupply")
        expect(made.length).toBe(supplies.length)
        const requests = () =>
          [...world.sandbox.ledger.counters.values()].reduce((sum, one) => sum + one.requests, 0)
        const calls = requests()
        const again = yield* cycle(world)
        expect(again).toMatchObject({ _tag: "Done", said: expect.stringMatching(/^nothing to change\b/) })
        // New orders, supplies, and the statuses of those that wait.
        expect(requests() - calls).toBeLessThanOrEqual(3)
        expect(world.ledger().filter(({ operation }) => operation === "createSupply").length).toBe(
          made.length
        )
        expect(world.throttled()).toBe(0)
      })
    )
  })

  it("says of every turn how many orders are late, as their waves have it", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("preview", ids)] }, (world) =>
      Effect.gen(function* () {
        yield* world.advance("2 days")
        const result = yield* cycle(world)
        const [, said] = /; (\d+) orders? late/.exec(result._tag === "Done" ? result.said : "") ?? []
        const lastHandOver = (nowMs: number) => {
          const local = nowMs + 3 * hour
          const day = local - (local % (24 * hour))
          // Cut-offs of the wave that left last.
          const cuts = [day + 19 * hour, day + 12.5 * hour, day - 5 * hour]
          const leaves = [day + 21 * hour, day + 14 * hour, day - 3 * hour]
          return cuts[leaves.findIndex((at) => at <= local)]! - 3 * hour
        }
        const late = stillNew(world).filter(({ sale }) => sale.orderedAt < lastHandOver(world.now()))
        expect(Number(said ?? 0)).toBeGreaterThanOrEqual(late.length)
        expect(late.length).toBeGreaterThan(0)
      })
    )
  })

  it("waits for a person in mode approve, asks once for the same, and sends nothing", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("approve", ids)] }, (world) =>
      Effect.gen(function* () {
        yield* cycle(world)
        const store = yield* Effect.provide(ApprovalStore, world.context)
        const [request] = yield* store.list(Scenario.account, 5)
        expect(request?.state).toBe("requested")
        expect(world.ledger()).toEqual([])
        yield* world.advance("30 seconds")
        yield* cycle(world)
        const all = yield* store.list(Scenario.account, 5)
        expect(all.map(({ id }) => id)).toEqual([request?.id])
      })
    )
  })

  it("hands over what its wave has packed, moves on what has no mark, and books the pass before", async () => {
    const ids = await warehouses()
    const rules = [
      policy(
        "apply",
        ids,
        `deliver: apply
passes: {driver: {first_name: Иван, last_name: Петров}, car: {model: Газель, number: А123ВС777}, office: ${passOffice}, book_before: 12h}`
      )
    ]
    await Scenario.run({ rules }, (world) =>
      Effect.gen(function* () {
        const shop = shopOf(world)
        // 09:00 in Moscow: the first turn books the pass and fills supplies.
        yield* cycle(world)
        expect(world.ledger().filter(({ operation }) => operation === "createPass").length).toBe(1)
        const gathered = ours(world)
        expect(gathered.length).toBeGreaterThan(1)
        yield* world.advance("3 hours")
        yield* cycle(world)
        const marked = gathered.filter(({ id }) =>
          Orders.inSupply(shop, id, world.now()).some(({ required }) => required.length > 0)
        )
        expect(world.ledger().filter(({ operation }) => operation === "deliverSupply")).toEqual([])
        yield* world.advance("31 minutes")
        yield* cycle(world)
        const closed = new Set(
          ours(world).flatMap(({ closedAt, id }) => (closedAt === undefined ? [] : [id]))
        )
        for (const { id } of gathered)
          expect([id, closed.has(id)]).toEqual([id, !marked.some((one) => one.id === id)])
        // Half an hour before the car leaves, what keeps the others back goes with the next wave.
        yield* world.advance("62 minutes")
        yield* cycle(world)
        yield* world.advance("2 minutes")
        yield* cycle(world)
        for (const { id } of marked) {
          const inside = Orders.inSupply(shop, id, world.now())
          if (inside.length === 0) continue
          const isBlocked = inside.every(({ required }) => required.length > 0)
          expect([id, shop.shop.supplies.get(id)?.closedAt !== undefined]).toEqual([id, !isBlocked])
        }
        const failing = [...world.sandbox.ledger.counters].filter(([, { clientErrors }]) => clientErrors > 0)
        expect(failing.map(([operation]) => operation)).toEqual([])
      })
    )
  })

  it("deletes a supply that all orders have left, an hour after its car, and none that holds one", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("apply", ids, "deliver: apply")] }, (world) =>
      Effect.gen(function* () {
        yield* cycle(world)
        const shop = shopOf(world)
        const made = [...shop.shop.supplies.values()].filter(({ name }) => name.includes("#"))
        const [left] = made
        for (const order of Orders.inSupply(shop, left!.id, world.now())) Orders.cancel(order, world.now())
        const others = [...shop.shop.supplies.values()].filter(({ id }) => id !== left!.id)
        const deleted = () =>
          world
            .ledger()
            .flatMap(({ operation, target }) => (operation === "deleteSupply" ? [target.supplyId] : []))
        const hourAfterCar = Date.parse("2026-09-01T12:00:00Z")
        yield* world.advance(`${hourAfterCar - 60_000 - world.now()} millis`)
        yield* cycle(world)
        expect(deleted()).toEqual([])
        yield* world.advance("2 minutes")
        yield* cycle(world)
        expect(deleted()).toEqual([left!.id])
        yield* world.advance("1 hour")
        yield* cycle(world)
        expect(deleted()).toEqual([left!.id])
        for (const { id } of others) expect(shop.shop.supplies.has(id)).toBe(true)
        const isHolding = ({ closedAt, id }: (typeof others)[number]) =>
          closedAt === undefined && Orders.inSupply(shop, id, world.now()).length > 0
        expect(others.some(isHolding)).toBe(true)
      })
    )
  })

  it("asks what is in a person's supply once a car has left without it, and nothing of one that is empty", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("preview", ids)] }, (world) =>
      Effect.gen(function* () {
        const shop = shopOf(world)
        for (let at = 0; at < 6; at++) Supplies.create(shop, "morning", world.now())
        const held = Supplies.create(shop, "evening", world.now())
        Supplies.add(shop, held, stillNew(world).slice(0, 1), world.now())
        yield* cycle(world)
        const before = world.requests("getSupplyOrderIds")
        yield* world.advance("1 day")
        yield* cycle(world)
        expect([world.requests("getSupplyOrderIds") - before, world.requests("listOrders")]).toEqual([1, 1])
      })
    )
  })

  it("asks for a person's look nothing of those that are empty, and each other once", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("preview", ids)] }, (world) =>
      Effect.gen(function* () {
        const shop = shopOf(world)
        for (let at = 0; at < 6; at++) Supplies.create(shop, "morning", world.now())
        const held = Supplies.create(shop, "evening", world.now())
        Supplies.add(shop, held, stillNew(world).slice(0, 1), world.now())
        yield* world.advance("1 day")
        const planned = yield* AssemblyPlan.make(world.rules, {
          account: Scenario.account,
          currency: "RUB",
          zone: "Europe/Moscow",
          isWhole: true
        })
        const supplies = planned._tag === "Planned" ? planned.board.supplies : []
        expect(supplies.map(({ orders = [] }) => orders.length)).toEqual([0, 0, 0, 0, 0, 0, 1])
        expect(world.requests("getSupplyOrderIds")).toBe(1)
      }).pipe(Effect.provide(world.context))
    )
  })
})

describe("a supply that somebody deleted in the cabinet while its wave gathers", () => {
  it("is missed after ten minutes, and another one takes the orders that come", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("apply", ids)] }, (world) =>
      Effect.gen(function* () {
        yield* cycle(world)
        const shop = shopOf(world)
        const [gone] = ours(world)
        const emptied = Orders.inSupply(shop, gone!.id, world.now())
        const [first] = emptied
        for (const order of emptied) Orders.cancel(order, world.now())
        shop.shop.supplies.delete(gone!.id)
        const known = new Set(ours(world).map(({ id }) => id))
        const [words] = gone!.name.split("#")
        const another = () =>
          ours(world).filter(({ id, name }) => !known.has(id) && name.startsWith(words ?? ""))
        const before = new Set(Orders.all(shop, world.now()).map(({ id }) => id))
        world.play({
          play: "make_orders",
          seller: defaultSeller,
          count: 2,
          warehouses: [first!.warehouseId],
          cargo: [first!.cargoType],
          crossBorderShare: first!.crossBorder ? 1 : 0,
          businessShare: first!.sale.business ? 1 : 0,
          markedShare: 0,
          marks: ["sgtin"],
          minutesAgo: 120
        })
        const ordered = Orders.all(shop, world.now()).flatMap(({ id }) => (before.has(id) ? [] : [id]))
        yield* world.advance("5 minutes")
        yield* cycle(world)
        expect(another()).toEqual([])
        yield* world.advance("6 minutes")
        yield* cycle(world)
        const [made, ...more] = another()
        expect(more).toEqual([])
        expect(Orders.inSupply(shop, made!.id, world.now()).map(({ id }) => id)).toEqual(
          expect.arrayContaining(ordered)
        )
        yield* world.advance("11 minutes")
        yield* cycle(world)
        expect(another()).toEqual([made])
      })
    )
  })
})

describe("a supply that was asked for without an answer, while lists leave it out", () => {
  const ended = (world: Scenario.World) =>
    Effect.gen(function* () {
      const [run] = yield* world.journal.runs(Scenario.account, 1)
      const rows = yield* world.journal.rows(run!.runId)
      return [
        ...new Set(
          rows.flatMap(({ change, reason, state }) =>
            change.kind === "supply_creation" ? [`${state}: ${reason?.code}`] : []
          )
        )
      ]
    })
  const names = (world: Scenario.World) =>
    world.ledger().flatMap(({ after, operation }) => (operation === "createSupply" ? [String(after)] : []))

  it("may have been made: it is used once it is listed, and no other is asked for", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("apply", ids)] }, (world) =>
      Effect.gen(function* () {
        world.faults([
          { operation: "createSupply", kind: "errorAfter" },
          { operation: "listSupplies", kind: "omit" }
        ])
        yield* cycle(world)
        const made = ours(world).map(({ id }) => id)
        expect(made.length).toBeGreaterThan(0)
        expect(yield* ended(world)).toEqual(["conflict: unanswered_unlisted"])
        const before = stillNew(world).length
        world.faults([])
        yield* world.advance("5 minutes")
        yield* cycle(world)
        expect(ours(world).map(({ id }) => id)).toEqual(made)
        expect(names(world).length).toBe(made.length)
        expect(stillNew(world).length).toBeLessThan(before)
      })
    )
  })

  it("was not made: another takes its orders after ten minutes, and not before", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("apply", ids)] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ operation: "createSupply", kind: "errorBefore" }])
        yield* cycle(world)
        expect(ours(world)).toEqual([])
        expect(yield* ended(world)).toEqual(["conflict: unanswered_unlisted"])
        const before = stillNew(world).length
        world.faults([])
        yield* world.advance("5 minutes")
        yield* cycle(world)
        expect(ours(world)).toEqual([])
        yield* world.advance("6 minutes")
        yield* cycle(world)
        expect(ours(world).length).toBeGreaterThan(0)
        expect(stillNew(world).length).toBeLessThan(before)
        expect(names(world).length).toBe(ours(world).length)
      })
    )
  })
})

describe("what the marketplace refuses of supplies", () => {
  const refusals = (world: Scenario.World, operation: string): number =>
    [...world.sandbox.ledger.counters].find(([name]) => name === operation)?.[1].clientErrors ?? 0
  const turns = (world: Scenario.World, some: number) =>
    Effect.gen(function* () {
      for (let n = 0; n < some; n++) {
        yield* cycle(world)
        yield* world.advance("2 minutes")
      }
    })

  it("is asked for again after ten minutes, not every turn: a supply that is to be made", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("apply", ids)] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ operation: "createSupply", kind: "refuse", status: 400 }])
        yield* cycle(world)
        const first = refusals(world, "createSupply")
        expect(first).toBeGreaterThan(0)
        yield* world.advance("2 minutes")
        yield* turns(world, 3)
        expect(refusals(world, "createSupply")).toBe(first)
        world.faults([])
        yield* world.advance("5 minutes")
        yield* cycle(world)
        expect(ours(world).length).toBeGreaterThan(0)
      })
    )
  })

  it("is asked for again after ten minutes, not every turn: a hand-over", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("apply", ids, "deliver: apply")] }, (world) =>
      Effect.gen(function* () {
        yield* cycle(world)
        world.faults([{ operation: "deliverSupply", kind: "refuse", status: 400 }])
        yield* world.advance("3 hours")
        yield* cycle(world)
        yield* world.advance("31 minutes")
        yield* cycle(world)
        const first = refusals(world, "deliverSupply")
        expect(first).toBeGreaterThan(0)
        yield* world.advance("2 minutes")
        yield* turns(world, 3)
        expect(refusals(world, "deliverSupply")).toBe(first)
        world.faults([])
        yield* world.advance("5 minutes")
        yield* cycle(world)
        expect(ours(world).some(({ closedAt }) => closedAt !== undefined)).toBe(true)
      })
    )
  })
})

describe("orders of a request that was refused to the token", () => {
  it.each([401, 403])("go once the token is mended, not an hour later: %i", async (status) => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("apply", ids)] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ operation: "addOrdersToSupply", kind: "refuse", status }])
        yield* cycle(world)
        const refused = yield* (yield* ChangeLog).refused(Scenario.account, 0)
        expect(refused.length).toBeGreaterThan(0)
        world.faults([])
        if (status === 403) {
          yield* world.advance("2 minutes")
          expect(yield* cycle(world)).toMatchObject({ said: expect.stringContaining("held") })
          expect((yield* world.journal.runs(Scenario.account, 9)).length).toBe(1)
        }
        yield* (yield* TokenMemory).forgive(Scenario.account, "anna", world.now())
        yield* world.advance("2 minutes")
        yield* cycle(world)
        const still = new Set(stillNew(world).map(({ id }) => id))
        expect(refused.filter(({ change }) => still.has(change.subject.orderId ?? 0))).toEqual([])
      }).pipe(Effect.provide(world.context))
    )
  })
})

describe("a write that a web page of somebody on the way refuses turn after turn", () => {
  it("keeps only what the page answered waiting, and no word says that the marketplace refused it", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("apply", ids)] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ operation: "addOrdersToSupply", kind: "errorBefore", status: 403, count: 1 }])
        yield* cycle(world)
        const refused = (yield* (yield* ChangeLog).refused(Scenario.account, 0)).map(
          ({ change }) => change.subject.orderId
        )
        expect(refused.length).toBeGreaterThan(0)
        const waits = stillNew(world).filter(({ id }) => refused.includes(OrderId.make(id)))
        expect(waits.length).toBe(refused.length)
        const taken = world.ledger().filter(({ slot }) => slot === "order")
        expect(taken.length).toBeGreaterThan(0)
        const planned = yield* AssemblyPlan.make(world.rules, {
          account: Scenario.account,
          currency: "RUB",
          zone: "Europe/Moscow"
        })
        const told = planned._tag === "Planned" ? planned.left : []
        const words = told.flatMap(({ orderId, why }) =>
          refused.includes(OrderId.make(orderId)) ? [LeftWords.ofLeft(why, { zone: "UTC" })] : []
        )
        expect(words.length).toBe(refused.length)
        for (const text of words) {
          expect(text).toContain("a web page of somebody on the way, such as a firewall, refused it")
          expect(text).not.toContain("the marketplace")
        }
      }).pipe(Effect.provide(world.context))
    )
  })

  it.each([402, 403])("rests for an hour: %i", async (status) => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("apply", ids)] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ operation: "addOrdersToSupply", kind: "errorBefore", status }])
        yield* cycle(world)
        const first = world.requests("addOrdersToSupply")
        expect(first).toBeGreaterThan(0)
        for (let turn = 0; turn < 7; turn += 1) {
          yield* world.advance("2 minutes")
          yield* cycle(world)
        }
        expect(world.requests("addOrdersToSupply")).toBe(first)
        world.faults([])
        yield* world.advance("1 hours")
        yield* cycle(world)
        expect(world.requests("addOrdersToSupply")).toBeGreaterThan(first)
      })
    )
  })

  it("ends the turn as one whose token was refused, after which the lane waits", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("apply", ids)] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ operation: "addOrdersToSupply", kind: "errorBefore", status: 401 }])
        expect(yield* cycle(world)).toMatchObject({ _tag: "Refused", why: expect.stringContaining("token") })
        world.faults([])
        expect((yield* cycle(world))._tag).toBe("Done")
      })
    )
  })
})

describe("orders that are sent together", () => {
  const made = (world: Scenario.World, count: number) => {
    const before = new Set(Orders.all(shopOf(world), world.now()).map(({ id }) => id))
    const [warehouse] = warehousesOf(world)
    const asked = { play: "make_orders", count, warehouses: [warehouse], cargo: [1], minutesAgo: 60 }
    const url = new URL(`http://sandbox${Control.prefix}shop`)
    const { status } = Control.answer(world.sandbox, "POST", url, JSON.stringify(asked), world.now())
    expect(status).toBeLessThan(300)
    return Orders.all(shopOf(world), world.now()).filter(({ id }) => !before.has(id))
  }

  it("are all put into their supply within some turns, but for those that are unfit", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("apply", ids)] }, (world) =>
      Effect.gen(function* () {
        const orders = made(world, 100)
        const unfit = new Set([4, 29, 69].map((at) => orders[at]!.id))
        world.faults([{ operation: "addOrdersToSupply", kind: "unfitOrders", orders: [...unfit] }])
        // Buyers withdraw from some.
        const out = () =>
          orders.filter(
            (order) =>
              order.supplyId === undefined &&
              Orders.platformStatus(shopOf(world), order, world.now()) === "waiting"
          )
        yield* cycle(world)
        expect(out().length).toBeGreaterThan(unfit.size)
        for (let turns = 0; turns < 3; turns++) {
          yield* world.advance("2 minutes")
          yield* cycle(world)
        }
        expect(new Set(out().map(({ id }) => id))).toEqual(unfit)
      })
    )
  })

  it("were not sent where their supply could not be read before, and go with the next turn", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("apply", ids)] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ operation: "getSupply", kind: "errorBefore" }])
        yield* cycle(world)
        const [run] = yield* world.journal.runs(Scenario.account, 1)
        const rows = (yield* world.journal.rows(run!.runId)).filter(
          ({ change }) => change.kind === "order_in_supply"
        )
        const ends = rows.map(({ reason, sentAt, state }) => [state, reason?.code, sentAt].join(" "))
        expect(new Set(ends)).toEqual(new Set(["skipped unread_before "]))
        world.faults([])
        yield* world.advance("2 minutes")
        yield* cycle(world)
        const waiting = new Set(stillNew(world).map(({ id }) => id))
        expect(rows.filter(({ change }) => waiting.has(change.subject.orderId!))).toEqual([])
      })
    )
  })
})

describe("a pass that lists leave out", () => {
  const booked = async (faults: Parameters<Scenario.World["faults"]>[0]) => {
    const ids = await warehouses()
    const passes = `passes: {driver: {first_name: Иван, last_name: Петров}, car: {model: Газель, number: А123ВС777}, office: ${passOffice}, book_before: 12h}`
    return Scenario.run({ rules: [policy("apply", ids, passes)] }, (world) =>
      Effect.gen(function* () {
        world.faults([...faults, { operation: "listPasses", kind: "omit" }])
        yield* cycle(world)
        const [run] = yield* world.journal.runs(Scenario.account, 1)
        const rows = (yield* world.journal.rows(run!.runId)).filter(
          ({ change }) => change.kind === "pass_creation"
        )
        return {
          made: world.ledger().filter(({ operation }) => operation === "createPass").length,
          ends: rows.map(({ reason, state }) => `${state}: ${reason?.code}`)
        }
      })
    )
  }

  it("was made where the answer said so, and may have been where none came", async () => {
    expect(await booked([])).toEqual({ made: 1, ends: ["applied: accepted_unlisted"] })
    expect(await booked([{ operation: "createPass", kind: "errorAfter" }])).toEqual({
      made: 1,
      ends: ["conflict: unanswered_unlisted"]
    })
  })
})

describe("an answer that left labels out", () => {
  it("keeps a supply back and moves nothing out of it, until it is answered", async () => {
    const ids = await warehouses()
    await Scenario.run({ rules: [policy("apply", ids, "deliver: apply")] }, (world) =>
      Effect.gen(function* () {
        const shop = shopOf(world)
        yield* cycle(world)
        const placed = () =>
          new Map(
            ours(world).flatMap(({ id }) =>
              Orders.inSupply(shop, id, world.now()).flatMap((order) =>
                order.required.length === 0 ? [[order.id, id] as const] : []
              )
            )
          )
        const before = placed()
        const isClosed = (id: string) => shop.shop.supplies.get(id)?.closedAt !== undefined
        yield* world.advance("4 hours")
        world.faults([{ operation: "getOrderLabels", kind: "omit", share: 0.4 }])
        // Of half an hour before the car leaves.
        yield* world.advance("35 minutes")
        yield* cycle(world)
        yield* world.advance("2 minutes")
        yield* cycle(world)
        expect(placed()).toEqual(before)
        const kept = [...new Set(before.values())].filter((id) => !isClosed(id))
        expect(kept.length).toBeGreaterThan(0)
        world.faults([])
        for (let turns = 0; turns < 2; turns++) {
          yield* world.advance("2 minutes")
          yield* cycle(world)
        }
        expect(placed()).toEqual(before)
        expect(kept.map((id) => [id, isClosed(id)])).toEqual(kept.map((id) => [id, true]))
      })
    )
  })
})

/** Supplies that turns have made. */
const ours = (world: Scenario.World) =>
  [...shopOf(world).shop.supplies.values()].filter(({ name }) => name.includes("#"))
