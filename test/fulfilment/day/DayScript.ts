/**
 * What happens on one day of assembly, whoever lives through it: in virtual time turn by turn, or by the built program over
 * HTTP. Orders of three warehouses come in all morning, some are cancelled on their way, batches are refused, a pass is
 * refused, stickers are late, a supply closes itself. Pure: what is done is said as posts to the sandbox's control routes.
 */
import * as Warehouses from "../../../src/sandbox/shop/Warehouses.js"

export const minuteMs = 60_000

/** Nine in the morning in Moscow. */
export const startMs = Date.parse("2026-09-01T09:00:00+03:00")
/** Five minutes after the last car. */
export const endMs = startMs + 335 * minuteMs

export interface Wave {
  readonly name: string
  /** Minutes after the start. */
  readonly collectUntil: number
  readonly handOverBy: number
}

export const waves: readonly [Wave, Wave] = [
  { name: "noon", collectUntil: 120, handOverBy: 195 },
  { name: "evening", collectUntil: 255, handOverBy: 330 }
]

/** The wave that an order of this instant is in; undefined for one that came after the last cut-off. */
export const waveOf = (orderedAtMs: number): Wave | undefined =>
  waves.find(({ collectUntil }) => orderedAtMs < startMs + collectUntil * minuteMs)

/** Few enough that a wave fills more than one supply of a kind. */
export const mostOrders = (orders: number): number => Math.max(8, Math.ceil(orders / 10))

/** How names of supplies begin that a person makes, who may fill them as they like. */
export const byHand = "along"

/** The only policy of the day. `orders` are those that the day brings. */
export const policy = (mode: "approve" | "apply", orders: number): string => `version: 1
kind: fulfilment
name: Waves
mode: ${mode}
schedule: {every: 3m}
deliver: ${mode}
warehouses: [${Warehouses.ofOrders.map(({ id }) => id).join(", ")}]
waves:
${waves
  .map(
    ({ collectUntil, handOverBy, name }) =>
      `  - {name: ${name}, collect_until: "${clock(collectUntil)}", hand_over_by: "${clock(handOverBy)}", tz: Europe/Moscow}`
  )
  .join("\n")}
confirm_after: 15m
supply: {name: "{warehouse} {date} {wave} {cargo}", max_orders: ${mostOrders(orders)}}
passes: {driver: {first_name: Иван, last_name: Петров}, car: {model: Газель, number: А123ВС777}, office: 15, book_before: 12h}
`

/** `10:30` for ninety minutes after nine. */
const clock = (minutes: number): string =>
  `${String(9 + Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`

/** An order as `GET shop?orders=all` of the sandbox tells it. */
export interface Order {
  readonly id: number
  readonly orderedAt: number
  readonly supplierStatus: string
  readonly platformStatus: string
  readonly warehouseId: number
  readonly cargoType: number
  readonly crossBorder: boolean
  readonly business: boolean
  readonly required: ReadonlyArray<string>
  readonly supplyId: string | null
}

export interface Supply {
  readonly id: string
  readonly name: string
  readonly closedAt: number | null
  readonly orderCount: number
}

/** What the day is like at an instant, behind what the marketplace answers. */
export interface Seen {
  readonly orders: ReadonlyArray<Order>
  readonly supplies: ReadonlyArray<Supply>
  /** `GET faults`. */
  readonly faults: ReadonlyArray<{
    readonly kind: string
    readonly operation?: string
    readonly fired: number
  }>
  readonly cancelled: ReadonlyMap<number, Cancelled>
}

export interface Cancelled {
  readonly by: "buyer" | "seller"
  /** Where the order stood. */
  readonly at: string
  /** Epoch milliseconds of the sandbox, not before it happened. */
  readonly atMs: number
}

export type Step =
  | { readonly route: "faults"; readonly body: { readonly faults: ReadonlyArray<object> } }
  | {
      readonly route: "shop"
      readonly body: object
      /** The order that it cancels. */
      readonly cancels?: number
    }

export interface Happening {
  /** Minutes after the start; what cannot happen yet happens as soon as it can. */
  readonly at: number
  readonly what: string
  readonly step: (seen: Seen) => Step | undefined
}

/** The kinds of orders that may share a supply. */
export const company = ({ business, cargoType, crossBorder, warehouseId }: Order): string =>
  `warehouse ${warehouseId}, cargo ${cargoType}${crossBorder ? ", cross-border" : ""}${business ? ", business" : ""}`

/** Everything that happens, as it comes; `orders` in all, and a few of the next day. */
export const happenings = (orders: number): ReadonlyArray<Happening> =>
  [
    faults(0, "the first pass is refused", () => [refusedPass]),
    ...arrivals.flatMap(([at, share]) => ordered(at, Math.round(orders * share))),
    faults(9, "orders of three batches are unfit for a while", (seen) => [
      ...(seen.faults.some(({ fired, operation }) => operation === "createPass" && fired > 0)
        ? []
        : [refusedPass]),
      { kind: "unfitOrders", orders: unfit(seen) }
    ]),
    ...[
      cancelled(8, "buyer", "new"),
      cancelled(8, "seller", "new"),
      cancelled(70, "seller", "confirm"),
      cancelled(70, "buyer", "confirm"),
      cancelled(70, "buyer", "new"),
      cancelled(200, "buyer", "complete")
    ].flatMap((one) => [one, one]),
    faults(50, "all orders are fit", () => []),
    faults(192, "a supply will close itself, an answer is lost, statuses are left out", () => [
      { kind: "selfScan", ms: 2 * minuteMs, count: 1 },
      { kind: "dropAnswer", operation: "createSupply", count: 1 },
      { kind: "omit", operation: "getOrderStatuses", share: 0.1, count: 3 }
    ]),
    ...ordered(265, Math.max(5, Math.round(orders / 50)))
  ].toSorted((a, b) => a.at - b.at)

/**
 * A quarter of an hour later each is due. The last of a wave leave half an hour at least for whoever agrees to their supplies;
 * those at 130 and 150 come while the first wave is packed.
 */
const arrivals: ReadonlyArray<readonly [at: number, share: number]> = [
  [0, 0.2],
  [20, 0.12],
  [40, 0.12],
  [60, 0.12],
  [130, 0.1],
  [150, 0.12],
  [195, 0.12],
  [205, 0.1]
]

/** Of all warehouses; a fifth goes abroad from the first one, a fifth is oversize at the last. */
const ordered = (at: number, count: number): ReadonlyArray<Happening> => {
  const [first, , last] = Warehouses.ofOrders.map(({ id }) => id)
  const fifth = Math.round(count / 5)
  const parts = [
    [count - 2 * fifth, {}],
    [fifth, { warehouses: [first], crossBorderShare: 1 }],
    [fifth, { warehouses: [last], cargo: [2] }]
  ] as const
  return parts.map(([some, kind]) => ({
    at,
    what: `${some} orders come`,
    step: () => ({
      route: "shop",
      body: {
        play: "make_orders",
        count: some,
        markedShare: 1 / 3,
        marks: ["sgtin", "expiration"],
        ...kind
      }
    })
  }))
}

const refusedPass = { kind: "refuse", operation: "createPass", status: 400, count: 1 }

/** All day long stickers are late and what is listed is a little old. */
const faults = (at: number, what: string, more: (seen: Seen) => ReadonlyArray<object>): Happening => ({
  at,
  what,
  step: (seen) => ({
    route: "faults",
    body: {
      faults: [
        ...more(seen),
        { kind: "lateSticker", share: 0.1, ms: 10 * minuteMs },
        { kind: "lag", ms: 3_000 }
      ]
    }
  })
})

const cancelled = (at: number, by: "buyer" | "seller", status: string): Happening => ({
  at,
  what: `the ${by} cancels an order that is ${status}`,
  step: (seen) => {
    const fit = seen.orders.find((order) => !seen.cancelled.has(order.id) && standsAt(order, status))
    return fit === undefined
      ? undefined
      : { route: "shop", body: { play: "cancel", orderId: fit.id, by }, cancels: fit.id }
  }
})

/** What is written down of a cancellation that was posted. */
export const cancelledOf = (
  { orders }: Seen,
  { body, cancels }: Extract<Step, { route: "shop" }>,
  atMs: number
): Cancelled => ({
  by: "by" in body && body.by === "seller" ? "seller" : "buyer",
  at: orders.find(({ id }) => id === cancels)?.supplierStatus ?? "unknown",
  atMs
})

/** How many orders the day cancels. */
export const cancellations = 12

const standsAt = ({ platformStatus, supplierStatus }: Order, status: string): boolean =>
  supplierStatus === status && platformStatus === "waiting"

/** Two of each of three kinds: a buyer may decline one. */
const unfit = ({ orders }: Seen): ReadonlyArray<number> => {
  const byCompany = new Map<string, ReadonlyArray<number>>()
  for (const order of orders)
    if (standsAt(order, "new"))
      byCompany.set(company(order), [...(byCompany.get(company(order)) ?? []), order.id])
  return [...byCompany.values()].slice(0, 3).flatMap((ids) => ids.slice(0, 2))
}

/** Such a mark as the marketplace finds nothing wrong with. */
export const markOf = (key: string, orderId: number): string =>
  key === "expiration" ? "01.01.2028" : `0104600439931256217777${orderId}\u001d91AB12`
