/** Every write the marketplace accepted, in order, and how often each operation was called: the oracle of the tests. */

/** What a write changed. Orders and supplies by their status. Bids in kopecks, budgets and balances in roubles, minus phrases as the whole sorted list. */
export type Slot =
  | "bid"
  | "bid.search"
  | "bid.recommendations"
  | "status"
  | "name"
  | "placements"
  | "items"
  | "minus"
  | "budget"
  | "campaign"
  | "promotion"
  | "order"
  | "label"
  | "supply"
  | "units"
  | "pass"
  | "report"

export interface Entry {
  readonly seq: number
  /** When it was accepted, epoch milliseconds. */
  readonly at: number
  /** Operation id, or `human-edit` when someone else changed it. */
  readonly operation: string
  readonly seller: string
  readonly slot: Slot
  readonly target: {
    readonly campaignId?: number
    readonly itemId?: number
    readonly cluster?: string
    readonly promotionId?: number
    readonly orderId?: number
    readonly labelKey?: string
    readonly supplyId?: string
    readonly passId?: number
    readonly reportId?: string
  }
  readonly before: unknown
  readonly after: unknown
  /** When a reader sees it, epoch milliseconds; a later write within the interval may replace it. */
  readonly effectiveAt: number
}

export interface Counters {
  requests: number
  clientErrors: number
  throttled: number
}

export interface Ledger {
  readonly entries: Array<Entry>
  readonly counters: Map<string, Counters>
}

export const make = (): Ledger => ({ entries: [], counters: new Map() })

export const append = (ledger: Ledger, entry: Omit<Entry, "seq">): void => {
  ledger.entries.push({ seq: ledger.entries.length + 1, ...entry })
}

/** Counts an answer. A 429 is a client error too, and a breach of the limit. */
export const countAnswer = (ledger: Ledger, operation: string, status: number): void => {
  const counters = ledger.counters.get(operation) ?? { requests: 0, clientErrors: 0, throttled: 0 }
  counters.requests++
  if (status >= 400 && status < 500) counters.clientErrors++
  if (status === 429) counters.throttled++
  ledger.counters.set(operation, counters)
}

/** The ledger as JSON: entries after `since`, counters by operation in order of name, breaches in all. */
export const report = (ledger: Ledger, since: number) => ({
  entries: ledger.entries.slice(since),
  counters: Object.fromEntries([...ledger.counters].sort(([a], [b]) => (a < b ? -1 : 1))),
  breaches: [...ledger.counters.values()].reduce((sum, c) => sum + c.throttled, 0)
})
