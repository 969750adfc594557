/** Supplies: made, filled with orders, handed over, printed (seed 000, "Supplies"). Units are in `Units.ts`. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { OrderId, SupplyId } from "../../../domain/Ids.js"
import type { WritePermit } from "../../../domain/WritePermit.js"
import type { CodeFormat } from "../../endpoints/SupplyRecords.js"
import type { Client } from "../../MarketplaceClient.js"
import { type CallError, local, Refused } from "../../MarketplaceError.js"
import * as Pages from "../../Pages.js"
import { lookAfter } from "../Lookback.js"
import { blocking, type Label, type OrderLabels } from "../labels/LabelRecords.js"
import * as State from "../State.js"
import * as SupplyOrders from "./SupplyOrders.js"
import type { Shipping, Supply } from "./SupplyRecords.js"
import * as SupplyRecords from "./SupplyRecords.js"
import { why } from "./SupplyRefusals.js"

/** A supply found or made by its name. */
export interface Opened {
  readonly supplyId: SupplyId
  /** True: an open supply of that name was there already. */
  readonly adopted: boolean
  /** Further open supplies of the same name, from doubled tries; delete them if they are empty. */
  readonly strays: ReadonlyArray<SupplyId>
}

const pageSize = 1000
/** The code follows the hand-over with a delay; each try before costs ten requests (O19, T09). */
const untilCoded = Schedule.exponential("2 seconds", 2).pipe(Schedule.intersect(Schedule.recurs(3)))

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

  const named = (fits: (name: string) => boolean) =>
    list.pipe(
      Stream.filter(({ name }) => name !== undefined && fits(name)),
      Stream.runCollect,
      Effect.map((found) => [...found].sort(byAge))
    )

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

    /** Supplies whose name holds the marker, the oldest first; walks the whole list. */
    findByName: (marker: string): Effect.Effect<ReadonlyArray<SupplyRecords.Supply>, CallError> =>
      named((name) => name.includes(marker)),

    /** The open supply of exactly this name, or a new one; looks again after an unknown outcome (T16). */
    adoptOrCreate: (name: string): Effect.Effect<Opened, CallError, WritePermit> => {
      const adopt = Effect.map(
        named((given) => given === name),
        adopted
      )
      const made = Effect.map(create(name), (supplyId): Opened => ({ supplyId, adopted: false, strays: [] }))
      return Effect.flatMap(adopt, (before) =>
        before === undefined ? lookAfter(adopt)(made) : Effect.succeed(before)
      )
    },

    /** Adds orders that fit together (`SupplyOrders.grouped`), any number of them. See `SupplyOrders`. */
    addOrders: (supplyId: SupplyId, orders: ReadonlyArray<OrderId>) =>
      SupplyOrders.add(api, supplyId, orders),

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
     * Hands a supply over; one that closed by itself is left as it is (O23). Check with `readyForDelivery`
     * before, read a refusal with `SupplyRefusals.why` after.
     */
    deliver: (supplyId: SupplyId): Effect.Effect<"delivered" | "closed before", CallError, WritePermit> =>
      Effect.gen(function* () {
        const { closed } = yield* details(supplyId)
        if (closed === true) return "closed before"
        const isClosed = Effect.map(details(supplyId), (now) => (now.closed === true ? now : undefined))
        yield* lookAfter(isClosed)(api.supplies.deliverSupply({ path: { supplyId } }))
        return "delivered"
      }),

    /** The code of a supply that was handed over; waits up to 14 s for it. */
    barcode: (supplyId: SupplyId, format: CodeFormat): Effect.Effect<SupplyRecords.PrintedCode, CallError> =>
      api.supplies.getSupplyBarcode({ path: { supplyId }, urlParams: { type: format } }).pipe(
        Effect.retry({ schedule: untilCoded, while: (error) => why(error)?._tag === "notClosed" }),
        Effect.flatMap((code) => SupplyRecords.unpack("getSupplyBarcode", code))
      ),

    /** Reads a supply until it is closed, with growing pauses; the last reading may still be open. */
    waitClosed: (supplyId: SupplyId, withinMs = 60_000): Effect.Effect<SupplyRecords.Supply, CallError> =>
      Effect.gen(function* () {
        const until = (yield* Clock.currentTimeMillis) + withinMs
        for (let pauseMs = 1000; ; pauseMs *= 2) {
          const supply = yield* details(supplyId)
          const leftMs = until - (yield* Clock.currentTimeMillis)
          if (supply.closed === true || leftMs <= 0) return supply
          yield* Effect.sleep(Math.min(pauseMs, leftMs))
        }
      })
  }
}

const ordersObjection = ({ length }: ReadonlyArray<OrderId>): string | undefined =>
  length === 0 ? undefined : `holds ${length} orders; move them to another supply first`

const adopted = (found: ReadonlyArray<SupplyRecords.Supply>): Opened | undefined => {
  const [oldest, ...strays] = found.filter(({ closed }) => closed !== true)
  return oldest === undefined
    ? undefined
    : { supplyId: oldest.supplyId, adopted: true, strays: strays.map(({ supplyId }) => supplyId) }
}

/** Ascending by creation, then id; one of unknown age comes last. */
const byAge = Order.combine(
  Order.mapInput(Order.number, (supply: SupplyRecords.Supply) => supply.createdAtMs ?? Number.MAX_VALUE),
  Order.mapInput(Order.string, (supply: SupplyRecords.Supply) => supply.supplyId)
)

const isMissing = (error: CallError): boolean => error._tag === "Refused" && error.status === 404

// What keeps a supply from being handed over. deliver fails as a whole and costs ten requests (field notes O18, T09).

interface Readiness {
  /** True when no problem is known. */
  readonly ready: boolean
  readonly problems: ReadonlyArray<string>
  /** What the marketplace may or may not insist on: the shipping data (O20). */
  readonly warnings: ReadonlyArray<string>
  /** Orders whose labels are in the way, with just those labels. */
  readonly blocked: ReadonlyArray<OrderLabels>
}

/**
 * Checks a supply by its record, the ids of its orders, and the label records of those orders. An order without a
 * label record counts as a problem: nothing is known about it.
 */
export const readyForDelivery = (
  supply: Supply,
  orderIds: ReadonlyArray<OrderId>,
  labels: ReadonlyArray<OrderLabels>
): Readiness => {
  const known = new Map(labels.map((row) => [row.orderId, row.labels]))
  const blocked = orderIds
    .map((orderId) => ({ orderId, labels: blocking(known.get(orderId) ?? []) }))
    .filter((row) => row.labels.length > 0)
  const problems = [
    ...(supply.closed === true ? [`supply ${supply.supplyId} is closed already`] : []),
    ...(orderIds.length === 0 ? [`supply ${supply.supplyId} has no orders; add one first`] : []),
    ...orderIds
      .filter((orderId) => !known.has(orderId))
      .map((orderId) => `order ${orderId}: its label identifiers were not read; read them first`),
    ...blocked.map((row) => `order ${row.orderId}: ${row.labels.map(complaint).join(", ")}`)
  ]
  return { ready: problems.length === 0, problems, warnings: warnings(supply), blocked }
}

const complaint = ({ decision, key }: Label): string =>
  decision._tag === "required"
    ? `${key} is missing`
    : `${key} is not accepted (${State.textOf(decision) ?? "no decision"})`

const warnings = ({ shipping, supplyId }: Supply): ReadonlyArray<string> => {
  const missing = missingOf(shipping)
  return missing.length === 0
    ? []
    : [
        `supply ${supplyId} has no ${missing.join(", no ")}; sellers who need it are refused: set it in the seller's account`
      ]
}

const missingOf = (shipping: Shipping): ReadonlyArray<string> => [
  ...(shipping.method === undefined ? ["shipping method"] : []),
  ...(shipping.day === undefined ? ["shipping date"] : []),
  ...(shipping.pointId === undefined ? ["shipping point"] : []),
  ...(shipping.method?._tag === "transportCompany" && shipping.waybillUuid === undefined ? ["waybill"] : [])
]
