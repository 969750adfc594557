/**
 * Putting orders into a supply. The marketplace answers nothing about single orders, and one unfit order sinks its
 * batch (field note O10); each refusal costs ten requests. So after a 409 the supply is read, and only what is missing
 * is halved, as long as refusals are left.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { OrderId, SupplyId } from "../../../domain/Ids.js"
import type { WritePermit } from "../../../domain/WritePermit.js"
import type { Client } from "../../MarketplaceClient.js"
import { type CallError, effectOf, local, Refused } from "../../MarketplaceError.js"
import { lag } from "../Lookback.js"

/** Every asked order is in exactly one of the two. */
export interface Added {
  readonly added: ReadonlyArray<OrderId>
  readonly refused: ReadonlyArray<RefusedOrder>
}

export interface RefusedOrder {
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
export const add = (
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
  new Refused(
    local("addOrdersToSupply", `supply ${supplyId} is closed; add the orders to an open one or create one`)
  )
