/** Reads the board of an account's assembly: new orders, supplies and what is in the open ones, statuses, reshipments, passes. */

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { OrderId, type SupplyId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import type {
  Board,
  Closing,
  Company,
  KeptMark,
  OpenSupply,
  Status,
  WaitingOrder
} from "../../engine/fulfilment/Board.js"
import * as Mark from "../../engine/fulfilment/marks/Mark.js"
import type { SourceFailure } from "../../engine/gather/FactSource.js"
import { type Asked, BoardSource, type Looked } from "../../engine/planning/BoardSource.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import * as OrderRecords from "../../services/areas/orders/OrderRecords.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import * as Passes from "../../services/areas/passes/Passes.js"
import * as State from "../../services/areas/State.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import type { Supply } from "../../services/areas/supplies/SupplyRecords.js"
import * as Limiter from "../../services/Limiter.js"
import { type Client, MarketplaceClient } from "../../services/MarketplaceClient.js"
import type { CallError } from "../../services/MarketplaceError.js"
import { type Marks, MarkVault, waitsMs } from "../../services/ports/MarkVault.js"
import type { OrderEvents } from "../../services/ports/OrderEvents.js"
import { PackingTables } from "../../services/ports/PackingTables.js"
import type { SupplyOrders } from "../../services/ports/SupplyOrders.js"
import * as SwitchedOff from "../../services/SwitchedOff.js"
import * as HandOverParts from "./HandOverParts.js"
import * as OrderLook from "./OrderLook.js"
import * as Parcels from "./Parcels.js"

export const layer: Layer.Layer<
  BoardSource,
  never,
  MarketplaceClient | OrderEvents | PackingTables | SupplyOrders
> = Layer.effect(
  BoardSource,
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const kept = yield* Effect.context<OrderEvents | PackingTables | SupplyOrders>()
    const vault = yield* Effect.serviceOption(MarkVault)
    return {
      look: (asked) =>
        Effect.catchAll(look(client, asked), (failure) =>
          Effect.succeed<Looked>({ _tag: "Unread", failure })
        ),
      closing: (supplies) => Effect.provide(closing(client, supplies), kept),
      inside: (supplies) => inside(client, supplies),
      warehouses: (supplies) => warehouses(client, supplies),
      keptMarks: Option.match(vault, {
        onNone: () => Effect.succeed([]),
        onSome: ({ since }) =>
          Effect.clockWith(({ currentTimeMillis }) =>
            Effect.flatMap(currentTimeMillis, (nowMs) =>
              Effect.map(since(client.account, nowMs - waitsMs), (marks) => marks.flatMap(keptMark))
            )
          )
      }),
      switchedOff: SwitchedOff.told(client),
      passOffices: Effect.match(Passes.make(client).offices, {
        onFailure: () => undefined,
        onSuccess: (offices) => new Set<number>(offices.map(({ officeId }) => officeId))
      })
    }
  })
)

/** What may be told of marks that are kept; the masked form is of the first. */
const keptMark = ({ fingerprint, key, marks, orderId }: Marks): ReadonlyArray<KeptMark> => {
  const [first = ""] = Redacted.value(marks)
  return Mark.isKind(key)
    ? [{ orderId: OrderId.make(orderId), key, fingerprint, masked: Mark.Mark.of(key, first).toString() }]
    : []
}

/** Statuses, labels, parcels and packers of supplies that may go: one question for the labels of all of them. */
const closing = (client: Client, supplies: ReadonlyArray<OpenSupply>) =>
  Effect.gen(function* () {
    const idsOf = ({ orders = [] }: OpenSupply) => orders.map(({ orderId }) => orderId)
    const read = yield* Labels.make(client).read(supplies.flatMap(idsOf))
    const labels = new Map(read.values.map((one) => [one.orderId, one.labels]))
    const failures = read.failures.map(({ error, keys }) => failed("getOrderLabels", error, keys.length))
    const { packerOf } = yield* PackingTables
    const looked = yield* Effect.forEach(supplies, (supply) =>
      Effect.zipWith(
        Parcels.look(client.account, supply.supplyId, idsOf(supply)),
        packerOf(client.account, supply.supplyId),
        (parcels, packer) => ({ ...supply, ...parcels, packer })
      )
    )
    const statusOf = yield* statuses(
      client,
      looked.flatMap(({ left }) => left),
      failures
    )
    const closings = looked.map(
      ({ left, orders = [], packed, packer, scanned, supplyId }): Closing => ({
        supplyId,
        orders: orders.map(({ orderId, status }) => ({
          ...stateOf(orderId, status),
          // A mark that is missing stands in the record as required.
          required: [],
          labels: labels.get(orderId)?.map(HandOverParts.label)
        })),
        parcels: left.map((orderId) => stateOf(orderId, statusOf(orderId))),
        packed,
        scanned,
        packer
      })
    )
    return { closings, failures }
  })

const stateOf = (orderId: OrderId, status: Status | undefined) => ({
  orderId,
  status: status?.supplier,
  platformStatus: status?.platform
})

const look = (client: Client, asked: Asked): Effect.Effect<Looked, SourceFailure> =>
  Effect.gen(function* () {
    const failures: Array<SourceFailure> = []
    const fresh = yield* needed("listNewOrders", Orders.make(client).new)
    const listed = [...(yield* needed("listSupplies", Stream.runCollect(Supplies.make(client).list)))]
    const again = asked.reshipments ? yield* reshipped(client, failures) : []
    const open = listed.filter(({ closed }) => closed === false)
    const statusOf = yield* statuses(
      client,
      [...fresh.map(({ orderId }) => orderId), ...again.map(({ orderId }) => orderId), ...asked.statusesOf],
      failures
    )
    const board: Board = {
      waiting: [
        ...fresh.map((order) => waiting(order, statusOf(order.orderId))),
        ...again.flatMap(({ leftBy, ...order }) =>
          leftBy === undefined
            ? []
            : [
                {
                  ...waiting(order, statusOf(order.orderId)),
                  from: { supplyId: leftBy, as: "left_over" as const }
                }
              ]
        )
      ],
      supplies: open.map(opened),
      statuses: new Map(
        asked.statusesOf.flatMap((orderId) => {
          const status = statusOf(orderId)
          return status === undefined ? [] : [[orderId, status] as const]
        })
      ),
      closedNames: new Set(listed.flatMap(({ closed, name = "" }) => (closed === true ? [name] : []))),
      passes: asked.passes ? yield* passes(client, failures) : undefined
    }
    return { _tag: "Board", board, failures } satisfies Looked
  })

const opened = (supply: Supply): OpenSupply => ({
  supplyId: supply.supplyId,
  ...HandOverParts.named(supply),
  record: HandOverParts.supply(supply, undefined),
  orders: undefined
})

/** What is in these supplies, with the statuses of all of it in one question. */
const inside = (client: Client, supplies: ReadonlyArray<OpenSupply>) =>
  Effect.gen(function* () {
    const failures: Array<SourceFailure> = []
    const found = new Map<SupplyId, ReadonlyArray<OrderId>>()
    for (const { supplyId } of supplies) {
      const ids = yield* Effect.either(Supplies.make(client).orderIds(supplyId))
      if (ids._tag === "Right") found.set(supplyId, ids.right)
      else failures.push(failed("getSupplyOrderIds", ids.left))
    }
    const statusOf = yield* statuses(client, [...found.values()].flat(), failures)
    const read = supplies.map((supply): OpenSupply => {
      const ids = found.get(supply.supplyId)
      const orders = ids?.map((orderId) => ({ orderId, status: statusOf(orderId) }))
      return { ...supply, orders }
    })
    return { supplies: read, failures }
  })

/** Nothing tells the warehouse of a supply; all its orders are of one, so any that is listed tells it: one look for all supplies. */
const warehouses = (client: Client, supplies: ReadonlyArray<OpenSupply>) =>
  Effect.gen(function* () {
    const ids = supplies.map(({ orders = [] }) => orders.map(({ orderId }) => orderId))
    const nowMs = yield* Clock.currentTimeMillis
    const { failure, found } = yield* OrderLook.find(
      client,
      ids.flat(),
      Math.min(...supplies.map(({ createdAtMs = nowMs }) => createdAtMs)),
      (found) => ids.every((some) => OrderLook.houseOf(found, some) !== undefined)
    )
    const bySupply = new Map(
      supplies.flatMap(({ supplyId }, at) => {
        const house = OrderLook.houseOf(found, ids[at] ?? [])
        return house === undefined ? [] : [[supplyId, house] as const]
      })
    )
    return { bySupply, failures: failure === undefined ? [] : [failed("listOrders", failure)] }
  })

const waiting = (
  order: OrderRecords.Order | OrderRecords.NewOrder,
  status: Status | undefined
): WaitingOrder => ({
  orderId: order.orderId,
  article: order.article,
  createdAtMs: order.createdAtMs,
  status,
  ...company(order)
})

const company = ({
  b2b,
  cargo,
  crossBorder,
  warehouseId
}: Pick<OrderRecords.Order, "b2b" | "cargo" | "crossBorder" | "warehouseId">): Company => ({
  warehouseId,
  cargo: State.textOf(cargo),
  crossBorder,
  b2b
})

/** Orders that a closed supply left unscanned, with what decides their company; those that no list describes are left out. */
const reshipped = (client: Client, failures: Array<SourceFailure>) =>
  Effect.gen(function* () {
    const named = yield* Effect.either(Orders.make(client).reshipment)
    if (named._tag === "Left") failures.push(failed("listReshipmentOrders", named.left))
    if (named._tag === "Left" || named.right.length === 0) return []
    const left = new Map(named.right.map(({ orderId, supplyId }) => [orderId, supplyId]))
    const { failure, found } = yield* OrderLook.find(client, [...left.keys()], undefined)
    const missing = [...left.keys()].filter((orderId) => !found.has(orderId))
    if (failure !== undefined) failures.push(failed("listOrders", failure))
    else if (missing.length > 0)
      yield* Effect.logWarning(
        `${client.account}: to ship again, and in no list of three months, so that nobody here knows their company: ${Plural.named(missing.map(String), 5)}`
      )
    return [...found.values()].map((order) => ({
      ...order,
      leftBy: left.get(order.orderId) ?? order.supplyId
    }))
  })

/** The status of each; undefined for what was not answered. */
const statuses = (client: Client, orders: ReadonlyArray<OrderId>, failures: Array<SourceFailure>) =>
  Effect.gen(function* () {
    const answer =
      orders.length === 0 ? { failures: [], values: [] } : yield* Orders.make(client).statuses(orders)
    for (const { error, keys } of answer.failures)
      failures.push(failed("getOrderStatuses", error, keys.length))
    const found = new Map(
      answer.values.map((one): readonly [OrderId, Status] => [
        one.orderId,
        {
          supplier: State.textOf(one.supplier),
          platform: State.textOf(one.platform),
          isFinal: OrderRecords.isFinal(one)
        }
      ])
    )
    return (orderId: OrderId) => found.get(orderId)
  })

const passes = (client: Client, failures: Array<SourceFailure>) =>
  Effect.map(Effect.either(Passes.make(client).listAll), (listed) => {
    if (listed._tag === "Left") {
      failures.push(failed("listPasses", listed.left))
      return undefined
    }
    return HandOverParts.passes(listed.right)
  })

const needed = <A>(operation: string, call: Effect.Effect<A, CallError>) =>
  Effect.mapError(call, (error) => failed(operation, error))

const failed = (operation: string, error: CallError, keys = 1): SourceFailure => ({
  operation,
  keys,
  message: error.message,
  stopsAccount: error._tag === "Unauthorised",
  ...(error._tag === "Forbidden" && error.page !== true ? { isForbidden: true as const } : {}),
  ...(Limiter.isNoRoom(error) || error._tag === "Throttled" ? { reason: "notFetched" as const } : {})
})
