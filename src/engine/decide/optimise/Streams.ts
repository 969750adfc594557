/**
 * The bids that `optimise` may set in the campaigns that match, as `engine/optimise` looks at them: a cluster with a bid of
 * its own where the campaign has such bids (seed 001, cluster bids), else the bids of its items, whose counts are then all
 * that the bid moves.
 */
import * as Days from "../../../domain/Days.js"
import type { CampaignId } from "../../../domain/Ids.js"
import type { Reason } from "../../../domain/Reason.js"
import * as Target from "../../../domain/Target.js"
import * as Window from "../../../domain/Window.js"
import type { Cell } from "../../facts/Cell.js"
import * as Evaluate from "../../facts/Evaluate.js"
import * as FactRefs from "../../facts/FactRefs.js"
import * as Kleene from "../../facts/Kleene.js"
import { factKey, type Table } from "../../facts/Table.js"
import * as ClusterBid from "../../kinds/ClusterBid.js"
import * as ItemBid from "../../kinds/ItemBid.js"
import * as MinusPhrase from "../../kinds/MinusPhrase.js"
import type { BidPlacement } from "../../kinds/Parts.js"
import type { Optimise, Placement } from "../../language/Policy.js"
import type * as Core from "../../optimise/Stream.js"
import * as BidLimits from "../intents/BidLimits.js"
import type { Ground } from "../intents/Intent.js"
import type { UnchangedReason, UnknownReason } from "../RowReason.js"

const dayMs = 86_400_000

/** A time, epoch milliseconds; `toMs` is infinite while it lasts. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** What the journal tells of the days before, which no fact does. Spans ascend. */
export interface Past {
  /** When a rule had paused a campaign. */
  readonly pauses: ReadonlyMap<CampaignId, ReadonlyArray<Span>>
  /** Bids that a policy that optimises has set, by slot, oldest first. */
  readonly moves: ReadonlyMap<string, ReadonlyArray<Moved>>
  /** When parking kept a cluster among the minus phrases, by the slot of the phrase. */
  readonly parkings: ReadonlyMap<string, ReadonlyArray<Span>>
}

export interface Moved {
  readonly atMs: number
  readonly beforeKopecks: number
  readonly afterKopecks: number
}

export const noPast: Past = { pauses: new Map(), moves: new Map(), parkings: new Map() }

/** A bid that may be set, and the row whose bid it is. */
export interface Offer {
  readonly stream: Core.Stream
  /** The row, of clusters or of items, with the rule of its campaign. */
  readonly ground: Ground
  readonly slot: string
  /** Of an item's bid: which. */
  readonly placement?: Placement
  /** Where one bid is for all: the clusters below it, which it moves together and of which each may become a minus phrase. */
  readonly parts?: ReadonlyArray<Offer>
  /** The stream without some of its parts, by their slots. */
  readonly without?: (slots: ReadonlySet<string>) => Core.Stream
}

/** A row that nothing is decided about, and why. */
export interface Left {
  readonly ground: Ground
  readonly slot: string
  readonly because: UnchangedReason | UnknownReason
}

export interface Offers {
  readonly offers: ReadonlyArray<Offer>
  readonly left: ReadonlyArray<Left>
  /** What the campaign spends a day on what is no offer, kopecks. */
  readonly elsewhereKopecks: number
}

/** Of one campaign that matches, with the id of the budget that pays for it. */
export const of = (campaign: Ground, action: Optimise, budget: string, past: Past): Offers => {
  const seen = new Seen(campaign, action, budget, past)
  const items = campaign.table.view("campaign_item")
  for (const row of items.rowsUnder(campaign.target)) seen.item(items, row)
  return seen
}

type Counting = (window: Window.Window) => Core.Maybe<Core.Counts>

interface Bid {
  readonly table: Table
  readonly row: number
  readonly slot: string
  readonly placement?: BidPlacement
  readonly bidFact: string
  readonly floorFact: string
  /** Over some days. */
  readonly counts: Counting
  readonly parkings: ReadonlyArray<Span>
  readonly levels: ReadonlyArray<readonly [Core.LevelName, string]>
}

class Seen implements Offers {
  readonly offers: Array<Offer> = []
  readonly left: Array<Left> = []
  elsewhereKopecks = 0
  private readonly payment: string
  private readonly bidType: string
  private readonly days: number
  private readonly stepKopecks: number | undefined
  private readonly capKopecks: number | undefined
  private readonly pauses: ReadonlyArray<Span>

  constructor(
    private readonly campaign: Ground,
    private readonly action: Optimise,
    private readonly budget: string,
    private readonly past: Past
  ) {
    const { nowMs, policy, row, rules, table } = campaign
    this.payment = word(table.get(row, "campaign.payment"))
    this.bidType = word(table.get(row, "campaign.bid_type"))
    const range = Window.resolve(action.window, nowMs)
    this.days = Days.length(range)
    const window = spanOf(range)
    const { campaignId } = campaign.target
    this.pauses = campaignId === undefined ? [] : (past.pauses.get(campaignId) ?? [])
    this.window = window
    if (this.payment !== "cpm" && this.payment !== "cpc") return
    this.stepKopecks =
      amount(table.get(row, `account.bid_step.${this.payment}`)) ??
      (this.payment === "cpm" && campaign.currency === "RUB" ? 100 : undefined)
    const own = action.cap[this.payment]
    const most = BidLimits.maxBid(this.payment, rules.limits, policy, table, row)?.kopecks
    this.capKopecks = own === undefined ? undefined : Math.min(own, most ?? own)
  }

  private readonly window: Span

  item(items: Table, row: number): void {
    const all = this.counting(items, row, "campaign_item", [])
    if (this.bidType === "unified") this.combined(items, row, all)
    else if (this.payment === "cpm") this.paidByViews(items, row, all)
    else this.paidByClicks(items, row, all)
  }

  /** One bid for all; its clusters are told apart only to find those that never pay at it. */
  private combined(items: Table, row: number, all: Counting): void {
    const bid = itemBid(items, row, "combined", all, this.payment)
    const made = this.offer(bid)
    if (made === undefined || this.payment !== "cpm") return
    const clusters = items.view("cluster")
    const parts = clusters.rowsUnder(items.target(row)).flatMap((cluster) => {
      const part = this.partOf(clusters, cluster, made.stream)
      return part === undefined ? [] : [part]
    })
    const without = (slots: ReadonlySet<string>): Core.Stream => {
      const gone = parts.filter(({ slot }) => slots.has(slot)).map(({ counting }) => counting)
      const counts: Counting = (window) => lessOf(all(window), sumOf(gone.map((of) => of(window))))
      const left =
        gone.length === 0 ? made.stream : this.streamOf({ ...bid, counts }, { _tag: "Live" }, made.ground)
      return "because" in left ? made.stream : left
    }
    this.offers.push({ ...made, parts, without })
  }

  /** A cluster at the bid of its item, which it cannot leave: shown, or a minus phrase. */
  private partOf(clusters: Table, row: number, { bidKopecks, ...stream }: Core.Stream) {
    const { leave } = this.action
    const [truth] =
      leave === undefined ? [Kleene.False] : Evaluate.condition(leave.condition, clusters, [row]).truth
    if (truth !== Kleene.False || word(clusters.get(row, "cluster.state")) !== "active") return undefined
    if (isOn(clusters.get(row, "cluster.in_minus"))) return undefined
    const counting = this.counting(clusters, row, "cluster", [])
    const slot = MinusPhrase.slot(Target.ofSubject(clusters.target(row))!)
    const { history: _, ...shared } = stream
    return {
      counting,
      ground: this.groundOf(clusters, row),
      slot,
      stream: {
        ...shared,
        id: slot,
        counts: counting(this.action.window),
        bidKopecks,
        firstBidTodayKopecks: bidKopecks,
        floorKopecks: bidKopecks,
        capKopecks: bidKopecks,
        levels: { _tag: "Absent", reason: "notApplicable" },
        canMinus: true
      } satisfies Core.Stream
    }
  }

  /** The clusters in search, each by itself, and the shelf of recommendations. */
  private paidByViews(items: Table, row: number, all: Counting): void {
    const clusters = items.view("cluster")
    const own = clusters.rowsUnder(items.target(row))
    for (const cluster of own) this.cluster(clusters, cluster)
    const counting = own.map((cluster) => this.counting(clusters, cluster, "cluster", []))
    // What no listed cluster brought: small clusters, and recommendations where they are on.
    const rest: Counting = (window) => lessOf(all(window), sumOf(counting.map((of) => of(window))))
    if (!isOn(items.get(row, "campaign.recommendations")))
      this.elsewhereKopecks += perDay(rest(this.action.window), this.days)
    else {
      const counts = isOn(items.get(row, "campaign.search")) ? rest : all
      this.take(itemBid(items, row, "recommendations", counts, this.payment))
    }
  }

  /** Nothing tells the two places of such a campaign apart: where it is in both, the bid in search answers for both. */
  private paidByClicks(items: Table, row: number, all: Counting): void {
    const place = isOn(items.get(row, "campaign.search")) ? "search" : "recommendations"
    this.take(itemBid(items, row, place, all, this.payment))
  }

  private cluster(clusters: Table, row: number): void {
    const state = word(clusters.get(row, "cluster.state"))
    const target = clusters.target(row)
    const ground = this.groundOf(clusters, row)
    const slot = ClusterBid.slot(Target.ofSubject(target)!)
    if (state === "archived") return
    const { leave } = this.action
    if (leave !== undefined) {
      const [truth] = Evaluate.condition(leave.condition, clusters, [row]).truth
      if (truth !== Kleene.False) {
        const counts = this.counting(clusters, row, "cluster", [])(this.action.window)
        this.elsewhereKopecks += perDay(counts, this.days)
        this.left.push({ ground, slot, because: { code: "left_by_rule", condition: leave.text } })
        return
      }
    }
    const minusSlot = MinusPhrase.slot(Target.ofSubject(target)!)
    const parkings = this.past.parkings.get(minusSlot) ?? []
    this.take(
      {
        table: clusters,
        row,
        slot,
        bidFact: "cluster.bid",
        floorFact: "campaign_item.min_bid",
        counts: this.counting(clusters, row, "cluster", parkings),
        parkings,
        levels: clusterLevels
      },
      this.standing(clusters, row, parkings)
    )
  }

  private standing(clusters: Table, row: number, parkings: ReadonlyArray<Span>): Core.Standing {
    const last = parkings.at(-1)
    const daysSince = (ms: number): number => Math.floor((this.campaign.nowMs - ms) / dayMs)
    const isMinus = isOn(clusters.get(row, "cluster.in_minus"))
    if (!isMinus)
      // Still open where somebody else took the phrase away.
      return last === undefined || last.toMs === Number.POSITIVE_INFINITY
        ? { _tag: "Live" }
        : { _tag: "Live", backForDays: daysSince(last.toMs) }
    return last?.toMs === Number.POSITIVE_INFINITY
      ? { _tag: "Parked", forDays: daysSince(last.fromMs), times: parkings.length }
      : { _tag: "Minus" }
  }

  private take(bid: Bid, standing?: Core.Standing): void {
    const made = this.offer(bid, standing)
    if (made !== undefined) this.offers.push(made)
  }

  /** Undefined where nothing can be decided about the bid, which is then told. */
  private offer(bid: Bid, standing: Core.Standing = { _tag: "Live" }): Offer | undefined {
    const { placement, row, slot, table } = bid
    const ground = this.groundOf(table, row)
    const made = this.streamOf(bid, standing, ground)
    if ("because" in made) {
      this.elsewhereKopecks += perDay(bid.counts(this.action.window), this.days)
      this.left.push({ ground, slot, because: made.because })
      return undefined
    }
    const which = placement === "recommendations" ? "recommendations" : "search"
    return { stream: made, ground, slot, ...(placement === undefined ? {} : { placement: which }) }
  }

  private streamOf(
    bid: Bid,
    standing: Core.Standing,
    ground: Ground
  ): Core.Stream | { readonly because: UnchangedReason | UnknownReason } {
    const { bidFact, floorFact, levels, placement, row, slot, table } = bid
    const { payment } = this
    const capKopecks = this.capKopecks
    const stepKopecks = this.stepKopecks
    if (payment !== "cpm" && payment !== "cpc") return { because: { code: "payment_type_unknown", payment } }
    if (capKopecks === undefined) return { because: { code: "no_cap_for_payment", payment } }
    if (stepKopecks === undefined)
      return { because: { code: "bid_step_unknown", payment, currency: this.campaign.currency } }
    const live = table.get(row, bidFact)
    const bidKopecks = amount(live)
    if (bidKopecks === undefined) return { because: unknownOf(bidFact, live) }
    const floor = table.get(row, floorFact)
    const floorKopecks = amount(floor)
    if (floorKopecks === undefined) return { because: { code: "minimum_bid_unknown" } }
    const { campaignId, itemId } = table.target(row)
    const history = this.history(bid)
    return {
      id: slot,
      campaignId: Number(campaignId),
      itemId: Number(itemId),
      group: word(table.get(row, "campaign_item.item.subject")),
      budget: this.budget,
      payment,
      counts: bid.counts(this.action.window),
      ...(history === undefined ? {} : { history }),
      ...this.lastMove(slot),
      bidKopecks,
      firstBidTodayKopecks: ground.slots.get(slot)?.dayFirstBid ?? bidKopecks,
      floorKopecks: Math.ceil(floorKopecks / stepKopecks) * stepKopecks,
      capKopecks: Math.floor(capKopecks / stepKopecks) * stepKopecks,
      stepKopecks,
      levels: levelsOf(table, row, levels),
      worth: this.worth(table, row),
      standing,
      canMinus: placement === undefined
    }
  }

  /** A share of the price, or money of the seller's own; both need to know the price for a share of revenue. */
  private worth(table: Table, row: number): Core.Maybe<Core.Worth> {
    const { margin } = this.action
    const cell = Evaluate.value(margin, table, row)
    if (cell._tag === "Unknown") return { _tag: "Absent", reason: cell.reason }
    const price = table.get(row, "item.price")
    if (price._tag === "Unknown") return { _tag: "Absent", reason: price.reason }
    const priceKopecks = Number(price.value)
    const profitKopecks =
      margin.type._tag === "Ratio" ? Number(cell.value) * priceKopecks : Number(cell.value)
    return { _tag: "Known", value: { priceKopecks, profitKopecks } }
  }

  /** Over some days, of which the campaign and the cluster were shown in a part. */
  private counting(
    table: Table,
    row: number,
    level: "cluster" | "campaign_item",
    parkings: ReadonlyArray<Span>
  ): Counting {
    return (window) => {
      const span = spanOf(Window.resolve(window, this.campaign.nowMs))
      const days = (span.toMs - span.fromMs) / dayMs
      const hidden = overlapDays(this.pauses, span) + overlapDays(parkings, span)
      return this.counts(table, row, level, window, Math.max(0, days - hidden))
    }
  }

  /**
   * Days at the bids that stood then, where a policy has moved the bid in the window; undefined where none has. What is told of
   * several days together is told of each as their mean.
   */
  private history({ counts, slot }: Bid): ReadonlyArray<Core.Day> | undefined {
    const windows = FactRefs.optimiseWindows(this.action.window)
    const moves = this.past.moves.get(slot)?.filter(({ atMs }) => atMs >= this.window.fromMs) ?? []
    const [first] = moves
    if (first === undefined || windows.length < 2) return undefined
    const days: Array<Core.Day> = []
    for (const [i, window] of windows.entries()) {
      const whole = counts(window)
      const newer = windows[i + 1] === undefined ? nothing : counts(windows[i + 1]!)
      if (whole._tag === "Absent" || newer._tag === "Absent") continue
      const span = spanOf(Window.resolve(window, this.campaign.nowMs))
      const toMs =
        windows[i + 1] === undefined
          ? span.toMs
          : spanOf(Window.resolve(windows[i + 1]!, this.campaign.nowMs)).fromMs
      const part = lessOf(whole, newer)
      if (part._tag === "Absent") continue
      const count = Math.round((toMs - span.fromMs) / dayMs)
      const live = Math.max(0, whole.value.liveDays - newer.value.liveDays)
      for (let day = 0; day < count; day++)
        days.push({
          daysAgo: Math.round((this.campaign.nowMs - toMs) / dayMs) + day,
          bidKopecks: meanBid(moves, { fromMs: span.fromMs, toMs }),
          views: part.value.views / count,
          clicks: part.value.clicks / count,
          spendKopecks: part.value.spendKopecks / count,
          liveShare: Math.min(1, live / count)
        })
    }
    return days
  }

  /** Whether a policy raised or lowered the bid last, and when. */
  private lastMove(slot: string): Pick<Core.Stream, "lastMove"> {
    const last = this.past.moves.get(slot)?.at(-1)
    if (last === undefined || last.afterKopecks === last.beforeKopecks) return {}
    const direction = last.afterKopecks > last.beforeKopecks ? 1 : -1
    return { lastMove: { direction, daysAgo: (this.campaign.nowMs - last.atMs) / dayMs } }
  }

  private counts(
    table: Table,
    row: number,
    level: "cluster" | "campaign_item",
    window: Window.Window,
    liveDays: number
  ): Core.Maybe<Core.Counts> {
    const read = (name: string) => table.get(row, factKey({ id: `${level}.${name}`, window }))
    const cells = [read("clicks"), read("orders"), read("spend")] as const
    const views = read("views")
    // Where clicks are paid the marketplace counts no views (field note M20).
    const viewed = this.payment === "cpc" && views._tag === "Unknown" ? 0 : numberOf(views)
    const [clicks, orders, spendKopecks] = cells.map(numberOf)
    if (viewed === undefined || clicks === undefined || orders === undefined || spendKopecks === undefined) {
      const unknown = [views, ...cells].find((cell) => cell._tag === "Unknown")
      return { _tag: "Absent", reason: unknown?._tag === "Unknown" ? unknown.reason : "unreadable" }
    }
    return { _tag: "Known", value: { views: viewed, clicks, orders, spendKopecks, liveDays } }
  }

  private groundOf(table: Table, row: number): Ground {
    const { amounts: _, ...campaign } = this.campaign
    return { ...campaign, table, row, target: table.target(row) }
  }
}

const clusterLevels: Bid["levels"] = [
  ["reach_min", "cluster.recommended.reach_min"],
  ["reach_medium", "cluster.recommended.reach_medium"],
  ["reach_max", "cluster.recommended.reach_max"]
]

const itemLevels: Readonly<Record<string, Bid["levels"]>> = {
  cpm: [
    ["competitive", "campaign_item.recommended.competitive"],
    ["leaders", "campaign_item.recommended.leaders"],
    ["top2", "campaign_item.recommended.top2"]
  ],
  cpc: [
    ["place_11_34", "campaign_item.recommended.place_11_34"],
    ["place_3_10", "campaign_item.recommended.place_3_10"],
    ["place_1_2", "campaign_item.recommended.place_1_2"]
  ]
}

const itemBid = (
  table: Table,
  row: number,
  placement: BidPlacement,
  counts: Counting,
  payment: string
): Bid => {
  const isShelf = placement === "recommendations"
  return {
    table,
    row,
    slot: ItemBid.slot(Target.ofSubject(table.target(row))!, placement),
    placement,
    bidFact: isShelf ? "campaign_item.bid.recommendations" : "campaign_item.bid",
    floorFact: isShelf ? "campaign_item.min_bid.recommendations" : "campaign_item.min_bid",
    counts,
    parkings: [],
    // What is recommended is said of search.
    levels: isShelf ? [] : (itemLevels[payment] ?? [])
  }
}

const levelsOf = (
  table: Table,
  row: number,
  levels: Bid["levels"]
): Core.Maybe<ReadonlyArray<Core.Level>> => {
  const known: Array<Core.Level> = []
  let reason: Reason = "notApplicable"
  for (const [name, fact] of levels) {
    const cell = table.get(row, fact)
    const bidKopecks = amount(cell)
    if (bidKopecks !== undefined) known.push({ name, bidKopecks })
    else if (cell._tag === "Unknown") reason = cell.reason
  }
  return known.length === 0 ? { _tag: "Absent", reason } : { _tag: "Known", value: known }
}

const nothing: Core.Maybe<Core.Counts> = {
  _tag: "Known",
  value: { views: 0, clicks: 0, orders: 0, spendKopecks: 0, liveDays: 0 }
}

/** By time; `moves` are those of the window and after, at least one. */
const meanBid = (moves: ReadonlyArray<Moved>, { fromMs, toMs }: Span): number => {
  let sum = 0
  let sinceMs = fromMs
  let bid = moves[0]!.beforeKopecks
  for (const { afterKopecks, atMs } of moves) {
    const until = Math.min(toMs, Math.max(sinceMs, atMs))
    sum += bid * (until - sinceMs)
    sinceMs = until
    bid = afterKopecks
  }
  return (sum + bid * (toMs - sinceMs)) / (toMs - fromMs)
}

const word = (cell: Cell): string => (cell._tag === "Known" ? String(cell.value) : "unknown")

const isOn = (cell: Cell): boolean => cell._tag === "Known" && cell.value === true

const numberOf = (cell: Cell): number | undefined =>
  cell._tag === "Known" && typeof cell.value === "number" && Number.isFinite(cell.value)
    ? cell.value
    : undefined

/** A whole amount above zero. */
const amount = (cell: Cell): number | undefined => {
  const value = numberOf(cell)
  return value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined
}

const unknownOf = (fact: string, cell: Cell): UnknownReason =>
  cell._tag === "Unknown"
    ? { code: "fact_unknown", fact, reason: cell.reason }
    : { code: "fact_malformed", fact, value: String(cell.value), wanted: "a whole amount above zero" }

const perDay = (counts: Core.Maybe<Core.Counts>, days: number): number =>
  counts._tag === "Known" ? counts.value.spendKopecks / days : 0

const sumOf = (all: ReadonlyArray<Core.Maybe<Core.Counts>>): Core.Maybe<Core.Counts> => {
  const known = all.flatMap((one) => (one._tag === "Known" ? [one.value] : []))
  const [first] = known
  if (first === undefined) return { _tag: "Absent", reason: "absent" }
  const sum = (of: keyof Core.Counts): number => known.reduce((total, one) => total + one[of], 0)
  return {
    _tag: "Known",
    value: {
      views: sum("views"),
      clicks: sum("clicks"),
      orders: sum("orders"),
      spendKopecks: sum("spendKopecks"),
      liveDays: first.liveDays
    }
  }
}

/** Two statistics of the same days may disagree by a little: what is left is never below nothing. */
const lessOf = (all: Core.Maybe<Core.Counts>, part: Core.Maybe<Core.Counts>): Core.Maybe<Core.Counts> => {
  if (all._tag === "Absent" || part._tag === "Absent") return all
  const rest = (of: keyof Core.Counts): number => Math.max(0, all.value[of] - part.value[of])
  return {
    _tag: "Known",
    value: {
      views: rest("views"),
      clicks: rest("clicks"),
      orders: rest("orders"),
      spendKopecks: rest("spendKopecks"),
      liveDays: all.value.liveDays
    }
  }
}

const spanOf = (range: Days.DayRange): Span => ({
  fromMs: Days.startOfMarket(range.from),
  toMs: Days.startOfMarket(Days.shift(range.to, 1))
})

const overlapDays = (spans: ReadonlyArray<Span>, window: Span): number =>
  spans.reduce(
    (sum, { fromMs, toMs }) =>
      sum + Math.max(0, Math.min(toMs, window.toMs) - Math.max(fromMs, window.fromMs)),
    0
  ) / dayMs
