/** Supplies: made, filled with orders, handed over, printed (seed 000, "Supplies"). Units are in `Units.ts`. */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import type * as Stream from "effect/Stream"
import * as Groups from "../../../domain/Groups.js"
import type { OrderId, SupplyId } from "../../../domain/Ids.js"
import * as Plural from "../../../domain/Plural.js"
import type { WritePermit } from "../../../domain/WritePermit.js"
import type { Client } from "../../MarketplaceClient.js"
import { type CallError, effectOf, isMissing, local, Refused } from "../../MarketplaceError.js"
import * as Pages from "../../Pages.js"
import { lag, lookAfter } from "../Lookback.js"
import type { Cargo } from "../orders/OrderRecords.js"
import * as State from "../State.js"
import type { Supply } from "./SupplyRecords.js"
import * as SupplyRecords from "./SupplyRecords.js"
import * as SupplyRefusals from "./SupplyRefusals.js"

const pageSize = 1000
export const make = ({ api }: Client) => {
  const list: Stream.Stream<SupplyRecords.Supply, CallError> = Pages.walk(
    (next) =>
      Effect.map(api.supplies.listSupplies({ urlParams: { limit: pageSize, next } }), (answer) => ({
        next: answer.next,
        rows: answer.supplies.map(SupplyRecords.fromWire)
      })),
    ({ supplyId }) => supplyId
  )

  const details = (supplyId: SupplyId): Effect.Effect<SupplyRecords.Supply, CallError> =>
    Effect.map(api.supplies.getSupply({ path: { supplyId } }), SupplyRecords.fromWire)

  const orderIds = (supplyId: SupplyId): Effect.Effect<ReadonlyArray<OrderId>, CallError> =>
    Effect.map(api.supplies.getSupplyOrderIds({ path: { supplyId } }), (answer) => [
      ...new Set(answer.orderIds)
    ])

  /** Files a supply. The marketplace takes a name twice, so it should hold a marker of its own (O29). */
  const create = (name: string): Effect.Effect<SupplyId, CallError, WritePermit> =>
    Effect.map(api.supplies.createSupply({ payload: { name } }), ({ id }) => id)

  return {
    /** All supplies, open and closed. */
    list,
    details,
    /** Orders of a supply, each once. */
    orderIds,
    create,

    /** Adds orders that fit together (`SupplyOrders.grouped`), any number of them. See `SupplyOrders`. */
    addOrders: (supplyId: SupplyId, orders: ReadonlyArray<OrderId>) => addOrders(api, supplyId, orders),

    /** Deletes an open supply that holds no orders; looks first, because a refusal costs ten requests (T09). */
    delete: (supplyId: SupplyId): Effect.Effect<void, CallError, WritePermit> =>
      Effect.gen(function* () {
        const { closed } = yield* details(supplyId)
        const objection =
          closed === true
            ? "is closed, and only an open one can be deleted; leave it"
            : ordersObjection(yield* orderIds(supplyId))
        if (objection !== undefined)
          return yield* new Refused(local("deleteSupply", `supply ${supplyId} ${objection}`))
        const gone = Effect.catchIf(Effect.as(details(supplyId), undefined), isMissing, () =>
          Effect.succeed("gone" as const)
        )
        yield* lookAfter(gone)(api.supplies.deleteSupply({ path: { supplyId } }))
      }),

    /**
     * Hands a supply over; one that closed by itself is left as it is (O23). A refusal says how to mend it, and names the orders it is
     * about; `SupplyRefusals.why` reads it.
     */
    deliver: (supplyId: SupplyId): Effect.Effect<"delivered" | "closed before", CallError, WritePermit> =>
      Effect.gen(function* () {
        const { closed } = yield* details(supplyId)
        if (closed === true) return "closed before"
        const isClosed = Effect.map(details(supplyId), (now) => (now.closed === true ? now : undefined))
        yield* lookAfter(isClosed)(api.supplies.deliverSupply({ path: { supplyId } })).pipe(
          Effect.catchAll((error) =>
            Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
              Effect.fail(SupplyRefusals.advised(error, nowMs))
            )
          )
        )
        return "delivered"
      })
  }
}

const ordersObjection = ({ length }: ReadonlyArray<OrderId>): string | undefined =>
  length === 0
    ? undefined
    : `holds ${Plural.of(length, "order")}; move ${Plural.choose(length, "it", "them")} to another supply first`

// Putting orders into a supply. The marketplace answers nothing about single orders, and one unfit order sinks its
// batch (field note O10); each refusal costs ten requests. So after a 409 the supply is read, and only what is
// missing is halved, as long as refusals are left.

/** Every asked order is in exactly one of the two. */
export interface Added {
  readonly added: ReadonlyArray<OrderId>
  readonly refused: ReadonlyArray<RefusedOrder>
}

interface RefusedOrder {
  readonly orderId: OrderId
  /** `effectOf` it tells whether the order may be in the supply nevertheless. */
  readonly error: CallError
  /** True: this order is unfit. False: it was refused in company, or not sent after an earlier error. */
  readonly alone: boolean
}

/** Refusals that one call of `add` provokes at most. */
export const mostRefusals = 12

const perCall = 100

/** Adds orders to an open supply, or moves them there; fails only if the supply cannot be read before. */
const addOrders = (
  api: Client["api"],
  supplyId: SupplyId,
  orders: ReadonlyArray<OrderId>
): Effect.Effect<Added, CallError, WritePermit> =>
  Effect.gen(function* () {
    const asked = [...new Set(orders)]
    if (asked.length === 0) return { added: [], refused: [] }
    const { done } = yield* api.supplies.getSupply({ path: { supplyId } })
    const walk = new Walk(api, supplyId)
    if (done === true) walk.stop = closed(supplyId)
    for (const chunk of Arr.chunksOf(asked, perCall)) yield* walk.settle(chunk, undefined)
    return { added: walk.added, refused: walk.refused }
  })

/** One course of sending and halving, with what it has learnt. */
class Walk {
  readonly added: Array<OrderId> = []
  readonly refused: Array<RefusedOrder> = []
  /** Once set, nothing more is sent. */
  stop: CallError | undefined
  private refusals = 0

  constructor(
    private readonly api: Client["api"],
    private readonly supplyId: SupplyId
  ) {}

  /**
   * True when all of the chunk are in the supply. `unfitInside` is the refusal of a greater chunk whose rest was
   * accepted: this one would be refused too, so it is halved without being sent.
   */
  settle(
    chunk: ReadonlyArray<OrderId>,
    unfitInside: CallError | undefined
  ): Effect.Effect<boolean, never, WritePermit> {
    return Effect.gen(this, function* () {
      if (this.stop !== undefined) return this.refuse(chunk, this.stop, false)
      if (unfitInside !== undefined) return yield* this.halve(chunk, unfitInside)
      const sent = yield* Effect.either(
        this.api.supplies.addOrdersToSupply({ path: { supplyId: this.supplyId }, payload: { orders: chunk } })
      )
      if (sent._tag === "Right") return this.accept(chunk)
      const error = sent.left
      const conflict = error._tag === "Refused" && error.status === 409
      if (conflict) this.refusals += 1
      else this.stop = error
      const missing =
        conflict || effectOf(error) === "unknown" ? yield* this.missing(chunk, conflict, error) : chunk
      return conflict ? yield* this.halve(missing, error) : this.refuse(missing, error, false)
    })
  }

  private halve(
    missing: ReadonlyArray<OrderId>,
    error: CallError
  ): Effect.Effect<boolean, never, WritePermit> {
    return Effect.gen(this, function* () {
      if (missing.length === 0) return true
      if (this.refusals >= mostRefusals) this.stop = error
      if (missing.length === 1) return this.refuse(missing, error, true)
      const [first, second] = Arr.splitAt(missing, Math.ceil(missing.length / 2))
      const clean = yield* this.settle(first, undefined)
      yield* this.settle(second, clean ? error : undefined)
      return false
    })
  }

  /** What of a chunk is not in the supply; the rest is taken down as added. If that cannot be read, all of it. */
  private missing(chunk: ReadonlyArray<OrderId>, atOnce: boolean, error: CallError) {
    return Effect.gen(this, function* () {
      if (!atOnce) yield* Effect.sleep(lag)
      const read = yield* Effect.either(
        this.api.supplies.getSupplyOrderIds({ path: { supplyId: this.supplyId } })
      )
      if (read._tag === "Left") {
        this.stop = error
        return chunk
      }
      const inside = new Set(read.right.orderIds)
      this.accept(chunk.filter((orderId) => inside.has(orderId)))
      return chunk.filter((orderId) => !inside.has(orderId))
    })
  }

  private accept(orders: ReadonlyArray<OrderId>): true {
    this.added.push(...orders)
    return true
  }

  private refuse(orders: ReadonlyArray<OrderId>, error: CallError, alone: boolean): false {
    this.refused.push(...orders.map((orderId) => ({ orderId, error, alone })))
    return false
  }
}

const closed = (supplyId: SupplyId): Refused =>
  new Refused(local("addOrdersToSupply", `supply ${supplyId} is closed, and only an open one takes orders`))

// Orders that may share a supply: one warehouse, cargo, cross-border and business kind (seed 000 "Supply", field note
// O10). A refused batch costs ten requests and names no order, so sets are parted before they are sent.

/** What of an order decides about its company; absent values go together, apart from all others. */
interface Groupable {
  readonly orderId: OrderId
  readonly warehouseId: number | undefined
  readonly cargo: Cargo | undefined
  readonly crossBorder: boolean | undefined
  readonly b2b: boolean | undefined
}

interface OrderGroup<O extends Groupable> extends Omit<Groupable, "orderId"> {
  /** Each once, ascending by id; never empty, of any number. */
  readonly orders: ReadonlyArray<O>
}

/** Parts orders into groups that fit together; groups and orders come in a fixed sequence. */
export const grouped = <O extends Groupable>(orders: ReadonlyArray<O>): ReadonlyArray<OrderGroup<O>> => {
  const once = new Map(orders.map((order) => [order.orderId, order]))
  const groups = Groups.by([...once.values()].sort(byId), (order) =>
    JSON.stringify(kind(order).map((part) => part ?? null))
  )
  return [...groups.values()]
    .map((members) => {
      const { b2b, cargo, crossBorder, warehouseId } = members[0]
      return { warehouseId, cargo, crossBorder, b2b, orders: members }
    })
    .sort(byKind)
}

/** Why a group cannot go into a supply, as far as the supply's record tells; an empty supply takes any. */
export const misfits = (
  supply: Supply,
  group: Omit<Groupable, "orderId" | "warehouseId">
): ReadonlyArray<string> => [
  ...(supply.closed === true ? [`supply ${supply.supplyId} is closed`] : []),
  ...(differ(cargoText(supply), cargoText(group))
    ? [`the supply holds ${cargoText(supply)} goods, these are ${cargoText(group)}`]
    : []),
  ...(differ(supply.crossBorder, group.crossBorder)
    ? [supply.crossBorder === true ? "the supply is cross-border, these are not" : "these are cross-border"]
    : []),
  ...(differ(supply.b2b, group.b2b)
    ? [supply.b2b === true ? "the supply is for business buyers, these are not" : "these are business sales"]
    : [])
]

const cargoText = ({ cargo }: { readonly cargo: Cargo | undefined }): string | undefined =>
  cargo === undefined ? undefined : State.textOf(cargo)

const differ = <A>(supply: A | undefined, group: A | undefined): boolean =>
  supply !== undefined && group !== undefined && supply !== group

const kind = (of: Omit<Groupable, "orderId">) =>
  [of.warehouseId, cargoText(of), of.crossBorder, of.b2b] as const

const byId = Order.mapInput(Order.number, ({ orderId }: Groupable) => orderId)

/** Absent values come last. */
const byKind = Order.combineAll<Omit<Groupable, "orderId">>([
  Order.mapInput(Order.number, ({ warehouseId }) => warehouseId ?? Number.POSITIVE_INFINITY),
  Order.mapInput(Order.string, (of) => cargoText(of) ?? "~"),
  Order.mapInput(Order.number, ({ crossBorder }) => (crossBorder === undefined ? 2 : Number(crossBorder))),
  Order.mapInput(Order.number, ({ b2b }) => (b2b === undefined ? 2 : Number(b2b)))
])
