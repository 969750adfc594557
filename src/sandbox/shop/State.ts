/**
 * What a seller's shop remembers beside its campaigns: assembly orders, supplies, units, passes and report tasks.
 * Only what somebody did is kept here; what follows from the seed (sales, visits, stock) is computed when asked for.
 */

export type LabelKey = "imei" | "uin" | "gtin" | "sgtin" | "expiration" | "customsDeclaration"

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
  /** The promotion whose price was paid; absent where it was the ordinary one. */
  readonly promotionId?: number
  readonly business: boolean
  /** Seller-fulfilled (an assembly order follows), or from the platform's warehouse. */
  readonly fulfilledBy: "seller" | "platform"
  /** Came after a click on an advertisement. */
  readonly advertised: boolean
  readonly seed: number
}

/** Values of one key; `setAt` starts the asynchronous check. No values: there were some and they were deleted. */
export interface Label {
  readonly values: ReadonlyArray<string>
  readonly setAt: number
  /** Looked up afresh, because the values before were deleted first (field note O16). */
  readonly afterDelete?: boolean
  /** A result that sticks, because the values before were not deleted (field note O16). */
  readonly stale?: string
  /** How long the check takes, milliseconds, and what it comes to, where a fault says so. */
  readonly checkMs?: number
  readonly verdict?: string
}

export type SupplierStatus = "new" | "confirm" | "complete" | "cancel" | "cancel_carrier"

/** One unit of goods to be assembled by the seller (seed 000 "Assembly order"). Made from a sale the seller fulfils. */
export interface Order {
  readonly id: number
  readonly sale: Sale
  readonly warehouseId: number
  readonly officeId: number
  readonly cargoType: 1 | 2 | 3
  readonly crossBorder: boolean
  readonly pickupPointAllowed: boolean
  readonly required: ReadonlyArray<LabelKey>
  readonly optional: ReadonlyArray<LabelKey>
  readonly labels: Map<LabelKey, Label>
  /** Every status with the instant it began, ascending; the last one holds. Never empty. */
  readonly statuses: Array<{ readonly status: SupplierStatus; readonly at: number }>
  /** Supply it is in now; an order of a closed supply keeps it. */
  supplyId: string | undefined
  /** Where it was until it moved to where it is now; absent as long as it never moved. */
  moved?: { readonly from: string | undefined; readonly at: number }
  /** When the platform scanned it at acceptance; undefined until then. */
  scannedAt: number | undefined
  /** Left unscanned in a closed supply, so it must be shipped again. */
  reshipment: boolean
  /** Steps played by the test environment or a control route, ascending: they override what the seed would let happen. */
  readonly plays: Array<Play>
}

/** A step of buyer or platform, played by hand. */
export interface Play {
  readonly what: "decline" | "withdraw" | "deliver" | "receive" | "reject" | "defect"
  readonly at: number
}

/** How and when a supply travels (not-shown §4.6). No operation of the 90 sets it. */
export interface Shipping {
  /** `YYYY-MM-DD`. */
  readonly date: string
  readonly pointId: number
  readonly type: "selfShipping" | "transportCompany"
}

/** A supply (seed 000 "Supply"); its orders are those whose `supplyId` names it. */
export interface Supply {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  /** When its code exists: by deliver, or by the first scan. */
  closedAt: number | undefined
  scannedAt: number | undefined
  /** When it is to be scanned, open or not, and how many of its orders are not found then; absent: when the seed says. */
  scanDue?: { readonly at: number; readonly short: number }
  /** Shipping units in the order they were added. */
  units: ReadonlyArray<string>
  /** Absent: nobody asks for it. `required`: deliver is refused until it is given (set by `Supplies.requireShipping`). */
  shipping?: Shipping | "required"
}

export interface Pass {
  readonly id: number
  readonly createdAt: number
  readonly firstName: string
  readonly lastName: string
  readonly carModel: string
  readonly carNumber: string
  readonly officeId: number
}

/** A CSV report task (seed 002 "CSV report task"); its course follows from the seed and these instants. */
export interface Report {
  readonly id: string
  readonly reportType: string
  readonly name: string
  readonly params: unknown
  readonly createdAt: number
  /** Start of every try, ascending; the first is `createdAt`. */
  readonly triesAt: Array<number>
  /** When its id was used for another report, which spoils it (field note A22). */
  spoiltAt: number | undefined
}

/** How many units of an item there were at a count, in all its places together. */
export interface StockCount {
  readonly at: number
  readonly units: number
}

export interface State {
  /** Assembly orders by id, made up to `ordersTo`. */
  readonly orders: Map<number, Order>
  ordersTo: number | undefined
  readonly supplies: Map<string, Supply>
  nextSupply: number
  nextUnit: number
  readonly passes: Map<number, Pass>
  nextPass: number
  readonly reports: Map<string, Report>
  /** Counts of items by item, ascending, set by a control route: from the first on nothing is filled up by itself. */
  readonly stockCounts: Map<number, Array<StockCount>>
  /** Ids use the form of the test environment. */
  readonly testEnvironment: boolean
}

export const make = (testEnvironment: boolean): State => ({
  orders: new Map(),
  ordersTo: undefined,
  supplies: new Map(),
  nextSupply: 1,
  nextUnit: 1,
  passes: new Map(),
  nextPass: 1,
  reports: new Map(),
  stockCounts: new Map(),
  testEnvironment
})

/** The id of the next supply, `PLATFORM-GI-<digits>`; with letters between in the test environment (not-shown §5). */
export const nextSupplyId = (state: State): string =>
  `PLATFORM-GI-${state.testEnvironment ? "SAND-" : ""}${10_000_000 + state.nextSupply++}`
