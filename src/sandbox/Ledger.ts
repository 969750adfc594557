/** Every write the marketplace accepted, in order, and how often each operation was called: the oracle of the tests. */
import * as TextOrder from "../domain/TextOrder.js"

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
  /** Of a filed task: its number, the items it asked for, and those of them that are in once it is applied. */
  readonly task?: {
    readonly uploadId: number
    readonly asked: ReadonlyArray<number>
    readonly entered: ReadonlyArray<number>
    /** Whether their prices fall then, and not when the promotion starts. */
    readonly isPricedNow: boolean
  }
  /** When a reader sees it, epoch milliseconds; a later write within the interval may replace it. */
  readonly effectiveAt: number
}

interface Counters {
  requests: number
  clientErrors: number
  /** Answers of 429, those that a fault asked for included. */
  throttled: number
  /** Requests that a limit or a daily quota did not allow. */
  breaches: number
}

export interface Ledger {
  readonly entries: Array<Entry>
  readonly counters: Map<string, Counters>
  /** Entries that are kept at least; the oldest go when there are an eighth more. */
  readonly most: number
  /** Entries that are not kept any more. */
  forgotten: number
}

/** Keeps every entry, unless the most that are to be kept are given. */
export const make = (most = Number.POSITIVE_INFINITY): Ledger => ({
  entries: [],
  counters: new Map(),
  most,
  forgotten: 0
})

export const append = (ledger: Ledger, entry: Omit<Entry, "seq">): void => {
  const { entries, most } = ledger
  entries.push({ seq: last(ledger) + 1, ...entry })
  if (entries.length > most * 1.125) ledger.forgotten += entries.splice(0, entries.length - most).length
}

/** The number of the last entry; 0 before the first. */
export const last = ({ entries, forgotten }: Ledger): number => forgotten + entries.length

/** Entries after the one of this number, as far as they are kept. */
export const after = ({ entries, forgotten }: Ledger, seq: number): ReadonlyArray<Entry> =>
  entries.slice(Math.max(0, seq - forgotten))

/** Counts an answer. A 429 is a client error too. */
export const countAnswer = (ledger: Ledger, operation: string, status: number): void => {
  const counters = countersOf(ledger, operation)
  counters.requests++
  if (status >= 400 && status < 500) counters.clientErrors++
  if (status === 429) counters.throttled++
}

/** Counts a request that came although its limit was used up. */
export const countBreach = (ledger: Ledger, operation: string): void => {
  countersOf(ledger, operation).breaches++
}

const countersOf = (ledger: Ledger, operation: string): Counters => {
  const kept = ledger.counters.get(operation)
  if (kept !== undefined) return kept
  const made: Counters = { requests: 0, clientErrors: 0, throttled: 0, breaches: 0 }
  ledger.counters.set(operation, made)
  return made
}

/** The ledger as JSON: entries after the one numbered `since`, how many older ones are forgotten, counters by operation in order of name, breaches in all. */
export const report = (ledger: Ledger, since: number) => ({
  entries: after(ledger, since),
  forgotten: ledger.forgotten,
  counters: Object.fromEntries([...ledger.counters].sort(TextOrder.byKey)),
  breaches: [...ledger.counters.values()].reduce((sum, c) => sum + c.breaches, 0)
})
