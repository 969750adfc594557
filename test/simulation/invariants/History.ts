/**
 * A short history made by hand: turns, requests, what the marketplace accepted and what the journal says of it, as a
 * run of the simulation would have noted them. A test of an invariant bends one thing of it.
 */
import { CampaignId, Cluster, ItemId } from "../../../src/domain/Ids.js"
import type { Change, Plan } from "../../../src/engine/decide/Plan.js"
import * as Summary from "../../../src/engine/decide/Summary.js"
import * as Load from "../../../src/engine/language/Load.js"
import type { RuleSet } from "../../../src/engine/language/Policy.js"
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import * as World from "../../../src/sandbox/World.js"
import type { Event } from "../chaos/Events.js"
import { type Claimed, type Cycle, type Observed, Record, type Request, type Row } from "../chaos/Record.js"
import * as Invariants from "./All.js"
import * as Effects from "./Effects.js"

export const startMs = Date.parse("2026-09-01T06:00:00Z")
const seller = "seller"
const firstId = 1_000_001
/** Paid per 1000 impressions, bids by hand, shown in search. */
export const campaignId = firstId
export const itemId = 200_000_001

const world = World.make(seller, 1, { campaigns: 3, items: 3, clusters: 4 }, startMs, firstId)

/** Two policies under tight limits: `bids` applies, `shown` is a preview. */
export const rules: RuleSet = (() => {
  const policy = (name: string, mode: string) => ({
    path: `rules/${name}.yaml`,
    text: `version: 1
name: ${name}
mode: ${mode}
schedule: {every: 1h, tz: Europe/Moscow}
each: campaign
where: campaign.status = active
when: budget < 5000 ₽
do:
  deposit: {amount: 1000 ₽, from: balance}
cooldown: 1h
limits: {changes_per_run: 2, money_per_day: 1000 ₽, policy_money_per_day: 3000 ₽}
`
  })
  const limits = {
    path: "rules/_shared/limits.yaml",
    text: `version: 1
kind: limits
account:
  max_bid: {cpm: 400 ₽, cpc: 40 ₽}
  changes_per_run: 3
  move_per_day: 20%
  money_per_day: 2000 ₽
`
  }
  const { diagnostics, ruleSet } = Load.check([policy("bids", "apply"), policy("shown", "preview"), limits])
  if (ruleSet === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"))
  return ruleSet
})()

/** The smallest bid of the item that stories are about, kopecks; and one that may move a little. */
const { combined, recommendations, search } = World.item(world, itemId).floors.cpm
export const leastBid = Math.min(combined, recommendations, search)
export const usualBid = leastBid + 2000

/** What a write changed, in the words of the ledger and of the journal. */
export interface Written {
  readonly slot: Ledger.Slot
  readonly before: unknown
  readonly after: unknown
  readonly change: Change
  readonly rowSlot: string
  readonly operation: string
  readonly url: string
  readonly body: unknown
}

const changeOf = (part: Pick<Change, "action" | "before" | "after" | "unit"> & Partial<Change>): Change => ({
  id: `${part.action} ${part.before} ${part.after}`,
  policy: "bids",
  policyLine: 1,
  target: { campaignId: CampaignId.make(campaignId), itemId: ItemId.make(itemId) },
  campaignName: "Search",
  reason: [{ condition: "campaign.status = active", value: "active", holds: "true" }],
  clamps: [],
  overruled: [],
  reversible: true,
  moneyPerDayKopecks: 0,
  ...part
})

/** The bid of an item in search, kopecks. */
export const bid = (before: number, after: number, more: Partial<Change> = {}): Written => ({
  slot: "bid.search",
  before,
  after,
  change: changeOf({
    action: after > before ? "raise_bid" : "lower_bid",
    before,
    after,
    unit: "kopecks_per_1000_impressions",
    placement: "search",
    ...more
  }),
  rowSlot: `item_bid:${campaignId}/${itemId}/search`,
  operation: "setItemBids",
  url: "/bids",
  body: { advert_id: campaignId, nm_id: itemId, bid_kopecks: after }
})

/** A minus list before and after, for one phrase that was added to it or taken from it. */
export const minus = (
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>,
  phrase: string,
  more: Partial<Change> = {}
): Written => {
  const isAdded = after.includes(phrase)
  const target = {
    campaignId: CampaignId.make(campaignId),
    itemId: ItemId.make(itemId),
    cluster: Cluster.make(phrase)
  }
  return {
    slot: "minus",
    before,
    after,
    change: changeOf({
      action: isAdded ? "add_minus" : "remove_minus",
      before: !isAdded,
      after: isAdded,
      unit: "minus_phrase",
      target,
      ...more
    }),
    rowSlot: `minus:${campaignId}/${itemId}/${phrase}`,
    operation: "setMinusPhrases",
    url: "/minus",
    body: { advert_id: campaignId, nm_id: itemId, norm_queries: after }
  }
}

/** An active campaign is paused. */
export const pause = (more: Partial<Change> = {}): Written => ({
  slot: "status",
  before: 9,
  after: 11,
  change: changeOf({
    action: "pause",
    before: "active",
    after: "paused",
    unit: "status",
    target: { campaignId: CampaignId.make(campaignId) },
    ...more
  }),
  rowSlot: `status:${campaignId}`,
  operation: "pauseCampaign",
  url: `/pause?id=${campaignId}`,
  body: ""
})

/** A deposit of so many roubles. */
export const deposit = (roubles: number): Written => ({
  slot: "budget",
  before: 100,
  after: 100 + roubles,
  change: changeOf({
    action: "deposit",
    before: 10_000,
    after: 10_000 + roubles * 100,
    unit: "kopecks_deposit",
    target: { campaignId: CampaignId.make(campaignId) }
  }),
  rowSlot: `deposit:${campaignId}`,
  operation: "depositCampaignBudget",
  url: `/deposit?id=${campaignId}`,
  body: { sum: roubles }
})

const readOf = (slot: Ledger.Slot): string =>
  slot === "minus" ? "getMinusPhrases" : slot === "budget" ? "getCampaignBudget" : "getCampaigns"

/** How a write went otherwise than well. */
export interface Course {
  /** The journal knew nothing of it when it left. */
  readonly isUnjournaled?: boolean
  /** The caller got no answer. */
  readonly isUnknown?: boolean
  /** The marketplace did nothing. */
  readonly hasNoEffect?: boolean
  /** Nothing was read before it. */
  readonly isUnread?: boolean
  /** How long the answer took, milliseconds. */
  readonly tookMs?: number
  /** The run it belongs to, and how its row ended; the current one, applied. */
  readonly runId?: string
  readonly ends?: string
  readonly life?: number
  readonly seller?: string
  readonly isBreach?: boolean
}

export class History {
  readonly record = new Record()
  readonly rows: Array<Row> = []
  readonly ledger: Array<Ledger.Entry> = []
  /** Minutes since the start. */
  minutes = 0
  private runs = 0
  private cycle: Cycle | undefined

  private get now(): number {
    return startMs + this.minutes * 60_000
  }

  pass(minutes: number): this {
    this.minutes += minutes
    return this
  }

  /** A turn that plans `written` and then begins to apply it. */
  turn(
    written: ReadonlyArray<Written> = [],
    more: Partial<Cycle> & { readonly observeOnly?: string } = {}
  ): this {
    const { observeOnly, ...cycle } = more
    this.runs++
    this.cycle = {
      kind: "schedule",
      life: 1,
      startedAt: this.now,
      rules,
      plannedAt: this.now,
      plan: planOf(
        written.map(({ change }) => change),
        observeOnly
      ),
      applyFrom: this.now,
      endedAt: this.now,
      requestsFrom: this.record.requests.length,
      requestsPlanned: this.record.requests.length,
      isRepeatable: undefined,
      error: undefined,
      ...cycle
    }
    this.record.cycles.push(this.cycle)
    return this
  }

  /** A turn whose planning read statistics, with this answer. */
  turnThatRead(status: number, written: Written): this {
    this.turn([written])
    this.request({ operation: "getCampaignStats", isWrite: false, url: "/stats", body: "", status })
    if (this.cycle !== undefined) this.cycle.requestsPlanned = this.record.requests.length
    return this
  }

  /** Reads the campaign of the stories, as sending and reading back do. */
  read(operation: string, life = 1): this {
    const body = `${campaignId} ${itemId}`
    this.request({ operation, isWrite: false, url: "/read", body, status: 200, life })
    return this
  }

  write(written: Written, course: Course = {}): this {
    const { hasNoEffect, isUnjournaled, isUnknown, life = 1, runId = `run ${this.runs}` } = course
    if (course.isUnread !== true) this.read(readOf(written.slot), life)
    const entries = hasNoEffect === true ? [] : [this.enter(written, written.operation).seq]
    const row: Row = {
      runId,
      slot: written.rowSlot,
      state: course.ends ?? "applied",
      operation: written.operation,
      hash: "hash",
      after: written.change.after,
      policy: written.change.policy,
      updatedAt: this.now + 5 * 60_000,
      detail: null,
      change: JSON.stringify(written.change),
      decoded: true
    }
    if (isUnjournaled !== true) this.rows.push(row)
    this.request({
      operation: written.operation,
      isWrite: true,
      url: written.url,
      body: written.body === "" ? "" : JSON.stringify(written.body),
      status: isUnknown === true ? undefined : 200,
      isClear: isUnknown !== true,
      isBreach: course.isBreach === true,
      entries,
      life,
      endedAt: this.now + (course.tookMs ?? 100),
      claimed: isUnjournaled === true ? [] : [...this.open, { ...row, state: "dispatching" }],
      ...(course.seller === undefined ? {} : { seller: course.seller })
    })
    return this
  }

  private open: ReadonlyArray<Claimed> = []
  /** A row that stays open from now on, of an earlier run. */
  leaves({ change, operation, rowSlot }: Written, runId: string, life: number): this {
    const row = { runId, slot: rowSlot, state: "dispatching", operation, hash: "hash", after: change.after }
    this.open = [...this.open, row]
    this.record.runsBefore.set(life, new Set([runId]))
    return this
  }

  /** Another person writes. */
  human(written: Written): this {
    this.enter(written, "human-edit")
    return this
  }

  event(event: Event): this {
    this.record.events.push(event)
    return this
  }

  private enter({ after, before, change, slot }: Written, operation: string): Ledger.Entry {
    const effectiveAt = operation === "human-edit" ? this.now : this.now + Effects.lagMs(slot)
    const { cluster: _, ...target } = change.target
    const entry = {
      seq: this.ledger.length + 1,
      at: this.now,
      operation,
      seller,
      slot,
      target,
      before,
      after,
      effectiveAt
    }
    this.ledger.push(entry)
    return entry
  }

  private request(
    more: Pick<Request, "operation" | "isWrite" | "url" | "body" | "status"> & Partial<Request>
  ): void {
    this.record.requests.push({
      at: this.now,
      life: 1,
      seller,
      claimed: [],
      endedAt: this.now + 100,
      isClear: true,
      isBreach: false,
      entries: [],
      cycle: this.cycle,
      ...more
    })
  }

  observed(): Observed {
    const { record } = this
    return {
      ...record,
      seed: 0,
      fromMs: startMs,
      toMs: this.now,
      healedAt: startMs,
      ledger: this.ledger,
      world,
      seller,
      rows: this.rows,
      versions: [rules]
    }
  }

  /** The invariants that do not hold, each once, ascending. */
  broken(): ReadonlyArray<number> {
    return [...new Set(Invariants.check(this.observed()).map(({ invariant }) => invariant))].sort(
      (a, b) => a - b
    )
  }
}

const planOf = (changes: ReadonlyArray<Change>, observeOnly: string | undefined): Plan =>
  Summary.seal({
    version: 1,
    account: "shop",
    currency: "RUB",
    createdAt: "2026-09-01T06:00:00.000Z",
    rulesHash: rules.hash,
    policies: rules.policies.map(({ id, name }) => ({
      id,
      name,
      mode: "apply",
      hash: "",
      rowsInScope: 3,
      rowsMatched: changes.length,
      rowsUnknown: 0,
      changes: 0
    })),
    changes,
    held: [],
    unknown: [],
    unchanged: [],
    calls: { perOperation: {} },
    ...(observeOnly === undefined ? {} : { observeOnly })
  })
