/**
 * What stands of an account's assembly at one moment: orders that wait for a supply, open supplies with their orders, what
 * must be shipped again, and passes. Read from the marketplace at every turn; nothing of it is remembered. Plain data.
 */
import type { OrderId, SupplyId } from "../../domain/Ids.js"
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

/** An order that is in no supply, or that a closed supply left unscanned. */
export interface WaitingOrder extends Company {
  readonly orderId: OrderId
  readonly article: string | undefined
  /** Epoch milliseconds. */
  readonly createdAtMs: number | undefined
  /** Undefined where its status was not answered: nobody knows whether it is cancelled. */
  readonly status: Status | undefined
  /** The closed supply that it is in, of one that must be shipped again (field note O21). */
  readonly leftBy?: SupplyId | undefined
}

/** An order of an open supply. */
export interface PackedOrder {
  readonly orderId: OrderId
  readonly status: Status | undefined
}

export interface OpenSupply {
  readonly supplyId: SupplyId
  readonly name: string
  /** Undefined where they could not be read: then the supply is left alone. */
  readonly orders: ReadonlyArray<PackedOrder> | undefined
}

export interface Board {
  readonly waiting: ReadonlyArray<WaitingOrder>
  readonly supplies: ReadonlyArray<OpenSupply>
  /** Names of closed supplies. */
  readonly closedNames: ReadonlySet<string>
  /** Undefined where they were not asked for, or not answered. */
  readonly passes: ReadonlyArray<Passes.Listed> | undefined
}
