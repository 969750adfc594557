/** Units that buyers ordered, one by one: the one truth behind orders, order feed, funnel, reports and stock. */
import type { Days } from "../Statistics.js"
import type * as World from "../World.js"

/** One ordered unit of goods. Same seed and same bids, same sale. */
export interface Sale {
  readonly itemId: number
  /** Size, `chrtId`. */
  readonly sizeId: number
  /** Moscow day of the order, and its number within item and day. */
  readonly day: number
  readonly index: number
  /** Unique; `rid` of an assembly order, `srid` of the feed (field note O06). */
  readonly srid: string
  readonly orderedAt: number
  /** What the seller gets per unit before discounts of the platform, kopecks. */
  readonly priceKopecks: number
  readonly business: boolean
  /** Seller-fulfilled (an assembly order follows), or from the platform's warehouse. */
  readonly fulfilledBy: "seller" | "platform"
  /** Came after a click on an advertisement. */
  readonly advertised: boolean
  readonly seed: number
}

/** Sales of an item on these Moscow days, ordered up to now, by time. Never fewer than the advertising statistics show. */
export declare const ofItem: (
  world: World.World,
  itemId: number,
  days: Days,
  nowMs: number
) => ReadonlyArray<Sale>
