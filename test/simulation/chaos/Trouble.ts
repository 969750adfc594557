/** Which trouble the marketplace makes: the rows of the fault matrix that the sandbox plays, by chance. */
import type * as Faults from "../../../src/sandbox/Faults.js"
import { Chance } from "./Chance.js"

const writes = [
  "setItemBids",
  "setClusterBidsMinorUnits",
  "setMinusPhrases",
  "startCampaign",
  "pauseCampaign",
  "depositCampaignBudget"
] as const
/** Operations that answer statistics. */
export const statistics = ["getCampaignStats", "getClusterStats"] as const

/** One trouble: faults that are armed together. */
export const draw = (chance: Chance): ReadonlyArray<Faults.Fault> => {
  const { make } = chance.pick(kinds)
  return make(chance)
}

/** No statistics at all while the rest of the marketplace works. */
export const outage = (chance: Chance): ReadonlyArray<Faults.Fault> => {
  const fault = chance.pick([
    { kind: "errorBefore" },
    { kind: "throttle", withHeaders: false },
    { kind: "reset" }
  ] as const)
  return statistics.map((operation) => ({ ...fault, operation }))
}

/** Statistics of which everything is zero. */
export const zeros: ReadonlyArray<Faults.Fault> = statistics.map((operation) => ({
  kind: "zeros",
  operation
}))

/** What befalls tasks of promotions and the lists that prove them. */
export const ofPromotions = (chance: Chance): ReadonlyArray<Faults.Fault> =>
  chance.pick(promotionKinds).make(chance)

/** Its kind, and where it strikes. */
export const name = ([first, ...more]: ReadonlyArray<Faults.Fault>): string => {
  if (first === undefined) return "nothing"
  const { kind, operation } = first
  if (operation === undefined) return kind
  if (statistics.some((one) => one === operation)) return `${kind} of statistics`
  if (ofShop.has(kind) || assembly.some((one) => one === operation)) return `${kind} of orders`
  if (operation === upload || operation === itemList || operation === details) return `${kind} of promotions`
  return more.length > 0 || writes.some((one) => one === operation) ? `${kind} on writes` : kind
}

interface Kind {
  readonly name: string
  readonly make: (chance: Chance) => ReadonlyArray<Faults.Fault>
}

const onWrites = (kind: Faults.Kind, more: Partial<Faults.Fault> = {}): Kind => ({
  name: `${kind} on writes`,
  make: (chance) => {
    const probability = chance.pick([0.3, 1])
    return chance.happens(0.5)
      ? writes.map((operation) => ({ kind, operation, probability, ...more }))
      : [{ kind, operation: chance.pick(writes), probability, ...more }]
  }
})

const everywhere = (kind: Faults.Kind, more: Partial<Faults.Fault> = {}): Kind => ({
  name: `${kind} everywhere`,
  make: (chance) => [{ kind, probability: chance.pick([0.05, 0.3, 1]), ...more }]
})

const onStatistics = (kind: Faults.Kind, more: Partial<Faults.Fault> = {}): Kind => ({
  name: `${kind} of statistics`,
  make: () => statistics.map((operation) => ({ kind, operation, ...more }))
})

/** Each kind with its row of the matrix in `docs/simulation-faults.md`. */
export const kinds: ReadonlyArray<Kind> = [
  everywhere("latency", { ms: 400, jitterMs: 9000 }),
  everywhere("reset"),
  everywhere("throttle", { withHeaders: false }),
  everywhere("throttle", { retrySeconds: 20 }),
  everywhere("errorBefore"),
  everywhere("html"),
  everywhere("halfBody"),
  everywhere("wrongContentType"),
  everywhere("missing"),
  everywhere("omit", { share: 0.3 }),
  { name: "another currency", make: () => [{ kind: "currency" }] },
  onWrites("reset"),
  onWrites("dropAnswer"),
  onWrites("errorBefore"),
  onWrites("errorAfter"),
  onWrites("halfBody"),
  onWrites("emptyBody"),
  onWrites("throttle", { withHeaders: false }),
  onWrites("refuse", { status: 400 }),
  onStatistics("errorBefore"),
  onStatistics("throttle", { withHeaders: false }),
  onStatistics("reset"),
  onStatistics("nulls"),
  onStatistics("zeros"),
  onStatistics("zeros", { share: 0.3 }),
  onStatistics("unattributed", { share: 0.5 }),
  onStatistics("hundredfold"),
  onStatistics("embeddedRefusal"),
  onStatistics("omit", { share: 0.5 })
]

const upload = "uploadPromotionItems"
const itemList = "listPromotionItems"
const details = "getPromotionDetails"

const ofCalendar = (
  kind: Faults.Kind,
  operation: string,
  more: (chance: Chance) => Partial<Faults.Fault> = () => ({})
): Kind => ({
  name: `${kind} of promotions`,
  make: (chance) => [{ kind, operation, ...more(chance) }]
})

/** Tasks that take hours or leave items out, lists that are not whole or lag, refusals, lost answers. */
const promotionKinds: ReadonlyArray<Kind> = [
  ofCalendar("slowTask", upload, (chance) => ({ ms: chance.int(1, 9) * 3_600_000 })),
  ofCalendar("slowTask", upload, (chance) => ({ ms: chance.int(10, 90) * 60_000 })),
  ofCalendar("leftOut", upload, (chance) => ({ share: chance.pick([0.3, 0.7, 1]) })),
  ofCalendar("soldOutLeftOut", upload),
  ofCalendar("omit", itemList, () => ({ share: 0.3 })),
  ofCalendar("missing", itemList, () => ({ probability: 0.5 })),
  ofCalendar("oldCopy", itemList),
  ofCalendar("refuse", upload, () => ({ status: 422 })),
  ofCalendar("dropAnswer", upload),
  ofCalendar("errorAfter", upload),
  ofCalendar("errorBefore", upload),
  ofCalendar("throttle", upload, () => ({ retrySeconds: 240, probability: 0.7 })),
  ofCalendar("nulls", details)
]

/** What the marketplace does to orders and supplies: refuses batches, closes supplies, lags, judges marks, loses answers. */
export const ofOrders = (chance: Chance): ReadonlyArray<Faults.Fault> => chance.pick(orderKinds).make(chance)

const ofShop: ReadonlySet<Faults.Kind> = new Set([
  "unfitOrders",
  "selfScan",
  "lateSticker",
  "labelCheck",
  "lag"
])

/** Operations of orders that faults are drawn for. */
const assembly: ReadonlyArray<string> = [
  "createSupply",
  "addOrdersToSupply",
  "deliverSupply",
  "createPass",
  "setOrderSgtins",
  "listNewOrders",
  "listSupplies",
  "getOrderStatuses",
  "getSupplyOrderIds",
  "getOrderLabels",
  "listReshipmentOrders"
]
const orderWrites = ["createSupply", "addOrdersToSupply", "deliverSupply", "createPass", "setOrderSgtins"]
const orderReads = assembly.filter((one) => !orderWrites.includes(one))

const ofAssembly = (
  kind: Faults.Kind,
  operations: ReadonlyArray<string>,
  more: (chance: Chance) => Partial<Faults.Fault> = () => ({})
): Kind => ({
  name: `${kind} of orders`,
  make: (chance) => {
    const chosen = chance.happens(0.4) ? operations : [chance.pick(operations)]
    const own = more(chance)
    return chosen.map((operation) => ({ kind, operation, ...own }))
  }
})

const ofTheShop = (kind: Faults.Kind, more: (chance: Chance) => Partial<Faults.Fault>): Kind => ({
  name: `${kind} of orders`,
  make: (chance) => [{ kind, ...more(chance) }]
})

const orderKinds: ReadonlyArray<Kind> = [
  ofTheShop("unfitOrders", (chance) => ({ share: chance.pick([0.2, 0.5]) })),
  ofTheShop("unfitOrders", (chance) => ({ share: chance.pick([0.2, 0.5]) })),
  ofTheShop("selfScan", (chance) => ({ ms: chance.int(1, 90) * 60_000, count: 1 })),
  ofTheShop("lateSticker", (chance) => ({ share: chance.pick([0.3, 1]), ms: 3 * 3_600_000 })),
  ofTheShop("labelCheck", (chance) => ({ share: 0.5, ms: chance.int(1, 40) * 60_000 })),
  ofTheShop("labelCheck", (chance) => ({
    share: chance.pick([0.3, 1]),
    decision: chance.pick(["sgtinNotFound", "deadlineExceeded"])
  })),
  ofTheShop("lag", (chance) => ({ ms: chance.pick([1000, 3000, 4500]) })),
  ofTheShop("lag", (chance) => ({ ms: chance.pick([1000, 3000, 4500]) })),
  ofAssembly("dropAnswer", orderWrites),
  ofAssembly("errorAfter", orderWrites),
  ofAssembly("errorBefore", orderWrites, (chance) => ({ probability: chance.pick([0.4, 1]) })),
  ofAssembly("refuse", orderWrites, (chance) => ({ status: 409, count: chance.int(1, 3) })),
  ofAssembly("throttle", orderWrites, () => ({ retrySeconds: 40, probability: 0.7 })),
  ofAssembly("omit", orderReads, (chance) => ({ share: chance.pick([0.2, 0.5, 1]) })),
  ofAssembly("errorBefore", orderReads, (chance) => ({ probability: chance.pick([0.4, 1]) })),
  ofAssembly("oldCopy", ["listNewOrders", "listReshipmentOrders"])
]

/** Every name that `name` may give, once. */
export const names: ReadonlyArray<string> = [
  ...new Set(
    [...kinds, ...promotionKinds, ...orderKinds].map(({ make }) => name(make(new Chance(1, "names"))))
  )
]
