/**
 * What stands of an account's assembly at one moment: orders that wait for a supply, open supplies with their orders, what
 * must be shipped again, and passes. Read from the marketplace at every turn; of what is remembered only marks and parcels. Plain data.
 */
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import type { MarkKey } from "../kinds/Parts.js"
import type * as HandOver from "./HandOver.js"
import type * as Passes from "./Passes.js"

/** What of an order decides which supply it fits (field note O10); undefined where the marketplace did not say. */
export interface Company {
  readonly warehouseId: number | undefined
  /** `small`, `oversize`, `bulky`, or the marketplace's own word. */
  readonly cargo: string | undefined
  readonly crossBorder: boolean | undefined
  readonly b2b: boolean | undefined
}

/** How an order stands on both sides, as the marketplace spells it; undefined where it did not answer. */
export interface Status {
  readonly supplier: string | undefined
  readonly platform: string | undefined
  /** True when nothing more is expected of it: cancelled by anyone, sold, defective. */
  readonly isFinal: boolean
}

/** An order that is in no supply, that a closed supply left unscanned, or that keeps the others of its supply back. */
export interface WaitingOrder extends Company {
  readonly orderId: OrderId
  readonly article: string | undefined
  /** Epoch milliseconds. */
  readonly createdAtMs: number | undefined
  /** Undefined where its status was not answered: nobody knows whether it is cancelled. */
  readonly status: Status | undefined
  /**
   * The supply that it is in: a closed one of an order that must be shipped again (field note O21), or an open one that
   * could go without it (O18).
   */
  readonly from?: { readonly supplyId: SupplyId; readonly as: "left_over" | "blocked" }
}

/** An order of an open supply. */
export interface PackedOrder {
  readonly orderId: OrderId
  readonly status: Status | undefined
}

/** An open supply; its company is undefined before its first order. */
export interface OpenSupply extends Omit<Company, "warehouseId"> {
  readonly supplyId: SupplyId
  readonly name: string
  /** Epoch milliseconds. */
  readonly createdAtMs: number | undefined
  /** Its record, as a hand-over looks at it. */
  readonly record: HandOver.Supply
  /** Undefined as long as nobody asked, or where they could not be read: then the supply is left alone. */
  readonly orders: ReadonlyArray<PackedOrder> | undefined
}

/** What of its orders decides whether an open supply may be handed over. */
export interface Closing {
  readonly supplyId: SupplyId
  readonly orders: ReadonlyArray<HandOver.SupplyOrder>
  /** What was packed into it and left it since. */
  readonly parcels: ReadonlyArray<HandOver.Parcel>
  /** Those of its orders that were packed into it at a table of ours. */
  readonly packed: ReadonlySet<OrderId>
  /** As in `HandOver.Situation`. */
  readonly scanned: ReadonlySet<OrderId> | undefined
  /** Who packs it at this moment; undefined where nobody does. */
  readonly packer: string | undefined
}

/** A mark that the seller gave for an order; of itself only what nobody can resell. */
export interface KeptMark {
  readonly orderId: OrderId
  readonly key: MarkKey
  readonly fingerprint: string
  readonly masked: string
}

export interface Board {
  readonly waiting: ReadonlyArray<WaitingOrder>
  readonly supplies: ReadonlyArray<OpenSupply>
  /** Names of closed supplies. */
  readonly closedNames: ReadonlySet<string>
  /** Statuses of the other orders that were asked for. */
  readonly statuses: ReadonlyMap<OrderId, Status>
  /** Undefined where they were not asked for, or not answered. */
  readonly passes: ReadonlyArray<Passes.Listed> | undefined
}
