/**
 * A short history made by hand: turns, requests, what the marketplace accepted and what the journal says of it, as a
 * run of the simulation would have noted them. A test of an invariant bends one thing of it.
 */
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import * as Moscow from "../../../src/sandbox/Moscow.js"
import * as Promotions from "../../../src/sandbox/market/Promotions.js"
import * as World from "../../../src/sandbox/market/World.js"
import * as Staging from "../../../src/sandbox/shop/Staging.js"
import type { Event } from "../chaos/Events.js"
import { type Claimed, type Cycle, type Observed, Record, type Request, type Row } from "../chaos/Record.js"
import * as Invariants from "./All.js"
import * as Effects from "./Effects.js"
import { planOf } from "./StoryPlan.js"
import { campaignId, itemId, makeWorld, rules, seller, startMs, world } from "./StoryWorld.js"
import type { Written } from "./Written.js"

const anOrder: Staging.Staged = {
  count: 1,
  warehouses: [71_001],
  cargo: [1],
  crossBorderShare: 0,
  businessShare: 0,
  markedShare: 0,
  marks: [],
  minutesAgo: 0
}

const readOf = (slot: Ledger.Slot): string =>
  slot === "minus"
    ? "getMinusPhrases"
    : slot === "budget"
      ? "getCampaignBudget"
      : slot === "promotion"
        ? "listPromotionItems"
        : "getCampaigns"

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
  /** Who holds the account's lock then. */
  readonly lockedBy?: string
  /** The status of the answer where it is not 200. */
  readonly status?: number
  /** Why its row ended so, as the journal keeps it. */
  readonly reason?: string
  /** It took effect after the caller gave up. */
  readonly isLate?: boolean
}

export class History {
  readonly record = new Record()
  readonly rows: Array<Row> = []
  readonly ledger: Array<Ledger.Entry> = []
  private readonly chain: Array<string> = []
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

  /** A turn whose planning got this answer of statistics about the campaign of the stories. */
  turnThatWasTold(answer: unknown, written: Written): this {
    this.turn([written])
    const url = `/stats?ids=${campaignId}`
    this.request({
      operation: "getCampaignStats",
      isWrite: false,
      url,
      body: "",
      status: 200,
      answer: JSON.stringify(answer)
    })
    if (this.cycle !== undefined) this.cycle.requestsPlanned = this.record.requests.length
    return this
  }

  /** Reads it, and is answered with something else under status 200. */
  readSpoilt(operation: string): this {
    const body = `${campaignId} ${itemId}`
    this.request({ operation, isWrite: false, url: "/read", body, status: 200, isClear: false })
    return this
  }

  /** Reads the campaign of the stories, as sending and reading back do. */
  read(operation: string, life = 1, promotionId: number | undefined = undefined, more = ""): this {
    const body = `${campaignId} ${itemId} ${promotionId ?? ""} ${more}`
    this.request({ operation, isWrite: false, url: "/read", body, status: 200, life })
    return this
  }

  write(written: Written, course: Course = {}): this {
    const { hasNoEffect, isUnjournaled, isUnknown, life = 1, runId = `run ${this.runs}` } = course
    const { promotionId } = written.change.subject
    if (course.isUnread !== true)
      this.read(written.readBy ?? readOf(written.slot), life, promotionId, written.url)
    const entries = hasNoEffect === true ? [] : [this.enter(written, written.operation).seq]
    const row: Row = {
      runId,
      slot: written.rowSlot,
      state: course.ends ?? "applied",
      operation: written.operation,
      hash: "hash",
      after: written.change.after,
      policy: written.change.origin.name,
      updatedAt: this.now + 5 * 60_000,
      reason: course.reason ?? null,
      change: JSON.stringify(written.change),
      decoded: true
    }
    if (isUnjournaled !== true) this.rows.push(row)
    if (course.isLate === true) for (const seq of entries) this.record.echoed.add(seq)
    this.request({
      operation: written.operation,
      isWrite: true,
      url: written.url,
      body: written.body === "" ? "" : JSON.stringify(written.body),
      status: isUnknown === true ? undefined : (course.status ?? 200),
      isClear: isUnknown !== true,
      isBreach: course.isBreach === true,
      entries: course.isLate === true ? [] : entries,
      ...(course.isLate === true ? { lateEntries: entries } : {}),
      ...(written.shop === undefined ? {} : { shop: written.shop }),
      ...(course.lockedBy === undefined ? {} : { lockedBy: course.lockedBy }),
      life,
      endedAt: this.now + (course.tookMs ?? 100),
      claimed: isUnjournaled === true ? [] : [...this.open, { ...row, state: "dispatching" }],
      ...(course.seller === undefined ? {} : { seller: course.seller })
    })
    return this
  }

  private world = world

  /** The order of a story that has one. */
  orderId = 0

  /** A new order that nobody puts anywhere, in a world of this story's own. */
  hasOrder(): this {
    this.world = makeWorld()
    this.world.shop.ordersTo = this.now
    const made = Staging.make(this.world, anOrder, this.now)
    this.orderId = "problem" in made ? 0 : (made[0] ?? 0)
    // Nobody else buys anything.
    this.world.shop.ordersTo = Number.MAX_SAFE_INTEGER
    return this
  }

  /** Today so many times more is to be had of the campaign than on other days, in a world of this story's own. */
  rushes(factor: number): this {
    this.world = makeWorld()
    World.campaign(this.world, campaignId)?.shifts.push({ day: Moscow.dayOf(this.now), factor })
    return this
  }

  /** A turn of the orders' lane, which writes nothing. */
  turnOfOrders(): this {
    this.turn()
    if (this.cycle !== undefined) this.cycle.plan = planOf([], undefined, ["assembles"])
    return this
  }

  /** From now on an item is in a promotion, in a world of this story's own. */
  isIn(promotionId: number, item: number): this {
    this.world = makeWorld()
    Promotions.enter(this.world, promotionId, [item], this.now)
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

  /** The network repeats a request, and the marketplace accepts the repetition alone. */
  repeated(written: Written): this {
    this.record.echoed.add(this.enter(written, written.operation).seq)
    return this
  }

  /** Another person writes. */
  human(written: Written): this {
    this.enter(written, "human-edit")
    return this
  }

  /** The audit chain does not verify. */
  breaksChain(what: string): this {
    this.chain.push(what)
    return this
  }

  event(event: Event): this {
    this.record.events.push(event)
    return this
  }

  private enter(written: Written, operation: string): Ledger.Entry {
    const { after, before, change, items, slot } = written
    const effectiveAt = operation === "human-edit" ? this.now : this.now + Effects.lagMs(slot)
    const { cluster: _, ...target } = change.subject
    const entry = {
      seq: this.ledger.length + 1,
      at: this.now,
      operation,
      seller,
      slot,
      target: written.target ?? target,
      before,
      after,
      ...(items === undefined
        ? {}
        : { task: { uploadId: 1, asked: items, entered: items, isPricedNow: false } }),
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
      world: this.world,
      seller,
      rows: this.rows,
      chain: this.chain,
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
