/**
 * Every kind of change of the orders' lane, and every point of the journal: the process dies there, and the turns after it
 * settle what it left. Nothing is made twice, by the marketplace's own ledger.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import { OrderId } from "../../src/domain/Ids.js"
import * as Plan from "../../src/engine/decide/Plan.js"
import * as Review from "../../src/engine/decide/Review.js"
import * as Summary from "../../src/engine/decide/Summary.js"
import { Journal, type JournalState } from "../../src/engine/door/Journal.js"
import * as JournalPoints from "../../src/engine/door/JournalPoints.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as OrderMark from "../../src/engine/kinds/fulfilment/OrderMark.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Orders from "../../src/sandbox/shop/Orders.js"
import * as Staging from "../../src/sandbox/shop/Staging.js"
import * as Supplies from "../../src/sandbox/shop/Supplies.js"
import * as Warehouses from "../../src/sandbox/shop/Warehouses.js"
import { MarkVault } from "../../src/services/ports/MarkVault.js"
import * as Depth from "../Depth.js"
import * as Scenario from "../scenario/Scenario.js"

const warehouse = Warehouses.lately.id

const policy = (more = "") => ({
  path: "rules/13-fulfilment.yaml",
  text: `version: 1
kind: fulfilment
name: Waves
mode: apply
deliver: apply
warehouses: [${warehouse}]
waves:
  - {name: noon, collect_until: "12:30", hand_over_by: "14:00", tz: Europe/Moscow}
${more}`
})

const withPasses = policy(
  "passes: {driver: {first_name: Иван, last_name: Петров}, car: {model: Газель, number: А123ВС777}, office: 15, book_before: 12h}\n"
)

/** One way to write something of the lane, and how it may be seen that it is there once. */
interface Way {
  readonly rules?: ReturnType<typeof policy>
  /** What the process does that dies; a turn unless given. */
  readonly does?: (world: Scenario.World) => Effect.Effect<Change>
  /** Brings the shop to where it does. */
  readonly before: (world: Scenario.World) => Effect.Effect<unknown, unknown>
  /** At which passing of a point it dies, where a turn has several requests. */
  readonly nth?: number
  readonly operation: string
  /** Its limit lets one request go at a time, and this process has one limiter: what stood still would hold it for good. */
  readonly endsLoudly?: true
  /** Whether what was to be done is done. */
  readonly isDone: (world: Scenario.World) => boolean
  /** Of what makes something: the marketplace's ids of that. */
  readonly made?: (world: Scenario.World) => ReadonlyArray<string>
}

const shopOf = (world: Scenario.World) => world.sandbox.world(defaultSeller)
const orderOf = (world: Scenario.World) => Orders.all(shopOf(world), world.now())[0]!
const supplyOf = (world: Scenario.World) => [...shopOf(world).shop.supplies.values()][0]!

const ordered = (world: Scenario.World, marked = false) =>
  Effect.sync(() => {
    shopOf(world).shop.ordersTo = world.now()
    Staging.make(
      shopOf(world),
      {
        count: 3,
        warehouses: [warehouse],
        cargo: [1],
        crossBorderShare: 0,
        businessShare: 0,
        markedShare: marked ? 1 : 0,
        marks: ["sgtin"],
        minutesAgo: 4
      },
      world.now()
    )
  })

/** Orders that are in a supply, by a turn. */
const filled = (world: Scenario.World, marked = false) =>
  Effect.gen(function* () {
    yield* ordered(world, marked)
    yield* world.advance("1 hours")
    yield* turn(world)
    expect(orderOf(world).supplyId).toBeDefined()
    yield* world.advance("5 minutes")
  })

const given = (world: Scenario.World, key: "sgtin" | "expiration" = "sgtin") =>
  Effect.gen(function* () {
    const { id: orderId } = orderOf(world)
    const mark = key === "expiration" ? "31.12.2027" : `0104600439931256217777${orderId}\u001d91AB12`
    const fingerprint = OrderMark.fingerprint([mark])
    yield* (yield* MarkVault).keep(Scenario.account, [
      { orderId, key, fingerprint, marks: Redacted.make([mark]) }
    ])
    return fingerprint
  }).pipe(Effect.provide(world.context))

const ways: Readonly<Record<string, Way>> = {
  "a supply that is made": {
    before: (world) => Effect.zipRight(ordered(world), world.advance("1 hours")),
    operation: "createSupply",
    isDone: (world) => shopOf(world).shop.supplies.size === 1,
    made: (world) => [...shopOf(world).shop.supplies.keys()]
  },
  "orders that are put into it": {
    before: (world) => Effect.zipRight(ordered(world), world.advance("1 hours")),
    nth: 2,
    operation: "addOrdersToSupply",
    isDone: (world) => orderOf(world).supplyId !== undefined
  },
  "a mark": {
    before: (world) => Effect.zipRight(filled(world, true), given(world)),
    operation: "setOrderSgtins",
    isDone: (world) => orderOf(world).labels.size === 1
  },
  "a hand-over": {
    before: (world) => Effect.zipRight(filled(world), world.advance("150 minutes")),
    operation: "deliverSupply",
    isDone: (world) => supplyOf(world).closedAt !== undefined
  },
  "a pass": {
    rules: withPasses,
    before: () => Effect.void,
    operation: "createPass",
    endsLoudly: true,
    isDone: (world) => shopOf(world).shop.passes.size === 1,
    made: (world) => [...shopOf(world).shop.passes.keys()].map(String)
  },
  "a cancellation": {
    before: (world) => ordered(world),
    does: (world) =>
      Effect.succeed(
        byHand({
          kind: "order_cancellation",
          action: "cancel",
          subject: { orderId: OrderId.make(orderOf(world).id) },
          details: {},
          before: "new",
          after: "cancel"
        })
      ),
    operation: "cancelOrder",
    isDone: (world) => orderOf(world).statuses.at(-1)?.status === "cancel"
  },
  "shipping units": {
    before: (world) => filled(world),
    does: (world) =>
      Effect.succeed(
        byHand({
          kind: "shipping_units",
          action: "add_units",
          subject: { supply: supplyOf(world).id },
          details: {},
          before: 0,
          after: 1
        })
      ),
    operation: "addShippingUnits",
    isDone: (world) => supplyOf(world).units.length === 1
  },
  "a supply that is deleted": {
    before: (world) =>
      Effect.sync(() => {
        shopOf(world).shop.ordersTo = world.now()
        shopOf(world).shop.supplies.set("PLATFORM-GI-5", {
          id: "PLATFORM-GI-5",
          name: "empty",
          createdAt: world.now(),
          closedAt: undefined,
          scannedAt: undefined,
          units: []
        })
      }),
    does: () =>
      Effect.succeed(
        byHand({
          kind: "supply_deletion",
          action: "delete_supply",
          subject: { supply: "PLATFORM-GI-5" },
          details: {},
          before: true,
          after: false
        })
      ),
    operation: "deleteSupply",
    isDone: (world) => !shopOf(world).shop.supplies.has("PLATFORM-GI-5")
  },
  "a mark that is removed": {
    before: (world) =>
      Effect.gen(function* () {
        yield* filled(world, true)
        yield* given(world)
        yield* turn(world)
        expect(orderOf(world).labels.get("sgtin")?.values.length).toBe(1)
        yield* world.advance("5 minutes")
      }),
    does: (world) =>
      Effect.succeed(
        byHand({
          kind: "label_deletion",
          action: "delete_mark",
          subject: { orderId: OrderId.make(orderOf(world).id) },
          details: { key: "sgtin" },
          before: OrderMark.fingerprint(orderOf(world).labels.get("sgtin")?.values ?? []),
          after: ""
        })
      ),
    operation: "deleteOrderLabel",
    isDone: (world) => orderOf(world).labels.get("sgtin")?.values.length === 0
  }
}

type Told = "kind" | "action" | "subject" | "details" | "before" | "after"

/** A change that a person asked for. */
const byHand = (told: Pick<Change, Told>): Change =>
  ({
    ...told,
    id: "by-hand-1",
    origin: { by: "call", name: "a person", operation: "" },
    campaignName: "",
    reason: [],
    clamps: [],
    overruled: [],
    reversible: false,
    irreversible: "for good",
    moneyPerDayKopecks: { unknown: "nobody spends advertising money by it" }
  }) as unknown as Change

const turn = (world: Scenario.World, journal: typeof Journal.Service = world.journal) =>
  Effect.gen(function* () {
    return yield* world.cycle(
      {
        account: Scenario.account,
        lane: "orders",
        due: new Set(world.rules.fulfilment.map(({ id }) => id as string)),
        stopping: yield* Deferred.make<void>(),
        loaded: { rules: world.rules, version: "1", problem: undefined }
      },
      journal
    )
  })

const applied = (world: Scenario.World, change: Change, journal: typeof Journal.Service = world.journal) => {
  const plan = Summary.seal({
    version: Plan.version,
    account: Scenario.account,
    currency: "RUB",
    createdAt: new Date(world.now()).toISOString(),
    rulesHash: "",
    policies: [],
    changes: [change],
    held: [],
    unknown: [],
    unchanged: [],
    calls: { perOperation: {} }
  })
  const reviewed = Review.ofCall(plan, { holds: [], killSwitch: undefined, nowMs: world.now(), zone: "UTC" })
  return Cycle.apply(reviewed, { approvedBy: "test", account: Scenario.account }).pipe(
    Effect.provide(Context.add(world.context, Journal, journal))
  )
}

/** A journal whose leases are not renewed, as those of a process that is gone. */
const withoutRenewal = ({ journal }: Scenario.World): typeof Journal.Service => ({
  ...journal,
  acquire: (account, holder, nowMs, leaseMs, renewing) =>
    renewing === undefined ? journal.acquire(account, holder, nowMs, leaseMs) : Effect.never
})

/** Does what the way does until the point, if it comes there, and nothing after it. */
const killedAt = (world: Scenario.World, way: Way, wanted: JournalPoints.Point) =>
  Effect.gen(function* () {
    let left = way.nth ?? 1
    const frozen = yield* Effect.makeLatch(false)
    const journal = withoutRenewal(world)
    const end = way.endsLoudly === true ? Effect.die("the machine is gone") : Effect.never
    const doing: Effect.Effect<unknown, unknown> =
      way.does === undefined
        ? turn(world, journal)
        : Effect.flatMap(way.does(world), (change) => applied(world, change, journal))
    const fiber = yield* Effect.forkDaemon(
      Effect.provideService(doing, JournalPoints.AtPoint, (point: JournalPoints.Point) =>
        point === wanted && --left === 0 ? Effect.zipRight(frozen.open, end) : Effect.void
      )
    )
    yield* Effect.raceFirst(frozen.await, Fiber.await(fiber))
  })

/** Requests of the way that the marketplace accepted; one may be about several orders. */
const accepted = (world: Scenario.World, { operation }: Way): number =>
  new Set(world.ledger().flatMap((entry) => (entry.operation === operation ? [entry.at] : []))).size

const rowsOf = (world: Scenario.World) =>
  Effect.map(
    Effect.flatMap(world.journal.runs(undefined, 20), (runs) =>
      Effect.forEach(runs, ({ runId }) => world.journal.rows(runId))
    ),
    (rows) => rows.flat()
  )

const ended: ReadonlySet<JournalState> = new Set([
  "applied",
  "not_applied",
  "skipped",
  "rejected",
  "conflict"
])

/** Claimed and not sent, sent for all anybody knows, and done without the journal's knowing: the others in the deep run. */
const points: ReadonlyArray<JournalPoints.Point> = Depth.isDeep
  ? JournalPoints.points
  : ["claimed", "dispatching", "answered"]

for (const [name, way] of Object.entries(ways))
  describe(name, () => {
    for (const point of points)
      it(`is done once, or is known not to be, when the process dies at "${point}"`, () =>
        Scenario.run(
          { rules: [way.rules ?? policy()], scale: { campaigns: 1, items: 1, clusters: 1 } },
          (world) =>
            Effect.gen(function* () {
              yield* way.before(world)
              const before = world.requests(way.operation)
              yield* killedAt(world, way, point)
              for (const later of ["3 minutes", "12 minutes", "12 minutes"] as const) {
                yield* world.advance(later)
                expect((yield* turn(world))._tag).toBe("Done")
              }
              const rows = yield* rowsOf(world)
              const open = rows.filter(({ state }) => !ended.has(state))
              const made = rows.flatMap((row) => (row.state === "applied" ? (Kinds.madeId(row) ?? []) : []))
              expect(made).toEqual(way.made?.(world) ?? expect.any(Array))
              expect(open.map(({ slot, state }) => [slot, state])).toEqual([])
              // What a person asked for is asked again by nobody else.
              const hadLeft =
                JournalPoints.points.indexOf(point) > JournalPoints.points.indexOf("dispatching")
              const isMeant = way.does === undefined || hadLeft
              expect([way.isDone(world), accepted(world, way)]).toEqual([isMeant, isMeant ? 1 : 0])
              expect(world.requests(way.operation) - before).toBe(isMeant ? 1 : 0)
            })
        ))
  })

describe("a mark whose supply is handed over while the process is gone", () => {
  for (const [point, state] of [
    ["dispatching", "not_applied"],
    ["answered", "applied"]
  ] as const)
    it(`is ${state} when the process dies at "${point}", for the label still shows it`, () =>
      Scenario.run({ rules: [policy()], scale: { campaigns: 1, items: 1, clusters: 1 } }, (world) =>
        Effect.gen(function* () {
          yield* filled(world)
          const { id } = orderOf(world)
          shopOf(world).shop.orders.set(id, { ...orderOf(world), optional: ["expiration"] })
          const after = yield* given(world, "expiration")
          const does = () =>
            Effect.succeed(
              byHand({
                kind: "order_mark",
                action: "set_mark",
                subject: { orderId: OrderId.make(id) },
                details: { key: "expiration", masked: "31.12.2027" },
                before: "",
                after
              })
            )
          const way: Way = {
            before: () => Effect.void,
            does,
            operation: "setOrderExpiration",
            isDone: () => true
          }
          yield* killedAt(world, way, point)
          Supplies.close(shopOf(world), supplyOf(world), world.now())
          for (const later of ["3 minutes", "12 minutes"] as const) {
            yield* world.advance(later)
            expect((yield* turn(world))._tag).toBe("Done")
          }
          const row = (yield* rowsOf(world)).find(({ change: { kind } }) => kind === "order_mark")
          expect(row?.state).toBe(state)
          expect([accepted(world, way), orderOf(world).labels.has("expiration")]).toEqual(
            state === "applied" ? [1, true] : [0, false]
          )
        })
      ))
})

describe("shipping units that their list leaves out", () => {
  const added = (faults: Parameters<Scenario.World["faults"]>[0]) =>
    Scenario.run({ rules: [policy()], scale: { campaigns: 1, items: 1, clusters: 1 } }, (world) =>
      Effect.gen(function* () {
        const way = ways["shipping units"]!
        yield* way.before(world)
        world.faults([...faults, { operation: "listShippingUnits", kind: "omit" }])
        const change = yield* way.does!(world)
        yield* applied(world, change, world.journal)
        for (const later of ["3 minutes", "12 minutes", "12 minutes"] as const) {
          yield* world.advance(later)
          yield* turn(world)
        }
        const row = (yield* rowsOf(world)).find(({ change: { kind } }) => kind === "shipping_units")
        return { units: supplyOf(world).units.length, ends: `${row?.state}: ${row?.reason?.code}` }
      })
    )

  it("were added where the answer said so, and may have been where none came", async () => {
    expect(await added([])).toEqual({ units: 1, ends: "applied: accepted_unlisted" })
    for (const [kind, units] of [
      ["errorAfter", 1],
      ["errorBefore", 0]
    ] as const)
      expect(await added([{ operation: "addShippingUnits", kind }])).toEqual({
        units,
        ends: "conflict: unanswered_unlisted"
      })
  })
})
