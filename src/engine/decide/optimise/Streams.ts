/**
 * The bids that `optimise` may set in a campaign that matches, as `engine/optimise` looks at them: a cluster with a bid of its
 * own where the campaign has such bids (seed 001, cluster bids), else the bids of its items, whose counts are then all that the
 * bid moves.
 */
import * as Days from "../../../domain/Days.js"
import type { Reason } from "../../../domain/Reason.js"
import * as Target from "../../../domain/Target.js"
import * as Window from "../../../domain/Window.js"
import type { Cell } from "../../facts/Cell.js"
import * as Evaluate from "../../facts/Evaluate.js"
import * as Kleene from "../../facts/Kleene.js"
import type { Table } from "../../facts/Table.js"
import * as ClusterBid from "../../kinds/ClusterBid.js"
import * as ItemBid from "../../kinds/ItemBid.js"
import * as MinusPhrase from "../../kinds/MinusPhrase.js"
import type { BidPlacement } from "../../kinds/Parts.js"
import type { Optimise } from "../../language/Policy.js"
import * as Curve from "../../optimise/Curve.js"
import * as Demand from "../../optimise/Demand.js"
import type * as Learn from "../../optimise/Learn.js"
import type * as Core from "../../optimise/Stream.js"
import * as BidIntent from "../intents/BidIntent.js"
import * as BidLimits from "../intents/BidLimits.js"
import type { Ground } from "../intents/Intent.js"
import * as Standing from "../intents/Standing.js"
import type { UnchangedReason, UnknownReason } from "../RowReason.js"
import * as Bid from "./Bid.js"
import * as Counting from "./Counting.js"
import { groundOf, OfCluster, type Offer } from "./Offer.js"
import * as Overlaid from "./Overlaid.js"
import * as Past from "./Past.js"
import { amount, RowFacts, word } from "./RowFacts.js"
import * as Silent from "./Silent.js"
import * as StoodStill from "./StoodStill.js"

type Because = UnchangedReason | UnknownReason

/** A row that nothing is decided about, and why. */
export interface Left {
  readonly ground: Ground
  readonly slot: string
  readonly because: Because
}

export interface Offers {
  readonly offers: ReadonlyArray<Offer>
  readonly left: ReadonlyArray<Left>
  /** What a day of the campaign brings beside the offers. */
  readonly elsewhere: Core.Daily
  /** Statistics of the campaign could not be read: nobody knows what its budget is spent on. */
  readonly unread?: Reason
  /** Answers leave out clusters of an item: nobody knows which bid brought what. */
  readonly silent?: UnknownReason
  /** How the campaign is paid, where the rule's `cap` has no amount for that: none of its bids is set. */
  readonly uncapped?: string
}

/** Of one campaign that matches, with the id of the budget that pays for it. `lessons` are told of every stream that is offered. */
export const of = (
  campaign: Ground,
  action: Optimise,
  budget: string,
  past: Past.Past,
  lessons: Learn.Lessons
): Offers => {
  const items = campaign.table.view("campaign_item")
  const seen = new Seen(campaign, action, budget, past, lessons, items)
  for (const row of items.rowsUnder(campaign.target)) seen.item(items, row)
  const { elsewhere, left, offers, silent, uncapped, unread } = seen
  return {
    elsewhere,
    left,
    offers,
    ...(unread === undefined ? {} : { unread }),
    ...(silent === undefined ? {} : { silent }),
    ...(uncapped === undefined ? {} : { uncapped })
  }
}

/** Where a cluster stands. */
interface ClusterAt {
  readonly row: number
  readonly target: Target.Target
  readonly counting: Counting.Counting
  readonly inMinus: Cell
  readonly standing: Core.Standing
}

class Seen {
  /** The clusters below the items. */
  readonly clusters: Table
  readonly offers: Array<Offer> = []
  readonly left: Array<Left> = []
  elsewhere: Core.Daily = Demand.none
  unread: Reason | undefined
  silent: UnknownReason | undefined
  private readonly facts: RowFacts
  private readonly payment: string
  private readonly stepKopecks: number | undefined
  private readonly capKopecks: number | undefined
  private readonly stops: ReadonlyArray<Past.Span>
  private readonly periods: Counting.Periods
  private readonly overlaid: Overlaid.Times
  private readonly statistics: Readonly<Record<"cluster" | "campaign_item", Counting.Statistics>>

  constructor(
    readonly campaign: Ground,
    private readonly action: Optimise,
    readonly budget: string,
    private readonly past: Past.Past,
    private readonly lessons: Learn.Lessons,
    items: Table
  ) {
    const { policy, row, rules, table } = campaign
    this.stops = StoodStill.stops(campaign, action.window, past)
    this.overlaid = Overlaid.timesOf(campaign)
    this.payment = word(table.get(row, "campaign.payment"))
    this.clusters = table.view("cluster")
    this.facts = new RowFacts(this.clusters)
    this.periods = Counting.periods(action.window, campaign.nowMs)
    this.statistics = {
      cluster: new Counting.Statistics(this.clusters, "cluster", this.payment, this.periods),
      campaign_item: new Counting.Statistics(items, "campaign_item", this.payment, this.periods)
    }
    if (this.payment !== "cpm" && this.payment !== "cpc") return
    this.stepKopecks =
      amount(table.get(row, `account.bid_step.${this.payment}`)) ??
      (this.payment === "cpm" && campaign.currency === "RUB" ? 100 : undefined)
    const own = action.cap[this.payment]
    const most = BidLimits.maxBid(this.payment, rules.limits, policy, table, row)?.kopecks
    this.capKopecks = own === undefined ? undefined : Math.min(own, most ?? own)
  }

  get uncapped(): string | undefined {
    return this.capKopecks === undefined ? this.payment : undefined
  }

  item(items: Table, row: number): void {
    const all = this.counting("campaign_item", row)
    const bidType = items.get(row, "campaign.bid_type")
    const [search, recommendations] = ["campaign.search", "campaign.recommendations"].map((fact) =>
      items.get(row, fact)
    )
    const known = (which: BidPlacement): Bid.Bid => Bid.ofItem(items, row, which, all, this.payment)
    const pair = items.target(row)
    const own = this.payment === "cpm" ? this.clusters.rowsUnder(pair).map((one) => this.clusterAt(one)) : []
    if (this.payment === "cpm" && search?._tag === "Known" && search.value === true)
      this.silent ??= this.silentOf(pair, all, own)
    if (bidType._tag === "Unknown") this.leave(known("search"), unknownOf("campaign.bid_type", bidType))
    else if (bidType.value === "unified") this.combined(known("combined"), own)
    else if (search?._tag !== "Known") this.leave(known("search"), unknownOf("campaign.search", search!))
    else if (recommendations?._tag !== "Known")
      this.leave(known("search"), unknownOf("campaign.recommendations", recommendations!))
    else if (this.payment === "cpm")
      this.paidByViews(known("search"), known("recommendations"), own, {
        search: search.value === true,
        shelf: recommendations.value === true
      })
    // Nothing tells the two places apart where clicks are paid: where it is in both, the bid in search answers for both.
    else this.take(known(search.value === true ? "search" : "recommendations"))
  }

  private silentOf(
    pair: Target.Subject,
    all: Counting.Counting,
    own: ReadonlyArray<ClusterAt>
  ): UnknownReason | undefined {
    const { past, periods } = this
    const named = past.unlisted.get(Target.key(pair))
    return Silent.verdict(
      {
        itemId: Number(pair.itemId),
        all,
        clusters: own.map(({ counting, inMinus, row }) => {
          const isShown = inMinus._tag === "Known" && inMinus.value === false
          return {
            counting,
            isActive: isShown && word(this.facts.ofCluster(row, "cluster.state")) === "active"
          }
        }),
        unlisted: ({ window }) => named?.get(Window.key(window))
      },
      periods
    )
  }

  /** One bid for all; its clusters are told apart only to find those that never pay at it, or rest while money is short. */
  private combined(whole: Bid.Bid, own: ReadonlyArray<ClusterAt>): void {
    // What is a minus phrase by now tells of views that no bid brings back.
    const gone = own.filter(({ standing }) => standing._tag === "Minus").map(({ counting }) => counting)
    const bid = { ...whole, counting: Counting.without(whole.counting, gone) }
    const made = this.offer(bid)
    if (made === undefined) return
    const isLeft = this.leftOf(own)
    const part = this.asPart(made)
    const parts = own.flatMap((one, at) => this.partOf(one, part, isLeft(at)))
    const without = (slots: ReadonlySet<string>): Core.Stream => {
      const gone = parts.filter(({ slot }) => slots.has(slot)).map(({ counting }) => counting)
      if (gone.length === 0) return made.stream
      const left = this.streamOf({ ...bid, counting: Counting.without(bid.counting, gone) }, live)
      return "because" in left ? made.stream : left
    }
    this.add({ ...made, parts, without }, made.stream)
  }

  /** That another's change has moved the item's bid today keeps no cluster from resting; with its own each was weighed. */
  private asPart({ slot, stream }: Offer): Core.Stream {
    const last = this.past.moves.get(slot)?.at(-1)
    const isWeighed = last?.isOwn === true && Days.ofMarket(last.atMs) === Days.ofMarket(this.campaign.nowMs)
    return isWeighed ? stream : { ...stream, firstBidTodayKopecks: stream.bidKopecks }
  }

  /** A cluster at the bid of its item, which it cannot leave: shown, or a minus phrase. */
  private partOf(one: ClusterAt, { history: _, ...stream }: Core.Stream, isLeft: boolean) {
    const { clusters } = this
    const { counting, inMinus, row, standing, target } = one
    const slot = MinusPhrase.slot(target)
    if (word(clusters.get(row, "cluster.state")) === "archived" || inMinus._tag === "Unknown") return []
    if (standing._tag === "Minus") return []
    if (isLeft) {
      // What is shown of it is within its item, which tells of both.
      if (standing._tag === "Parked")
        this.left.push({
          ground: groundOf(this.campaign, clusters, row),
          slot,
          because: this.leftBecause(standing)
        })
      return []
    }
    const levels = { _tag: "Absent", reason: "notApplicable" } as const
    return [
      {
        counting,
        ground: groundOf(this.campaign, clusters, row),
        target,
        slot,
        budget: this.budget,
        bidKopecks: stream.bidKopecks,
        standing,
        stream: {
          ...stream,
          id: slot,
          counts: this.counts(counting),
          levels,
          standing,
          canMinus: true
        }
      }
    ]
  }

  /** The clusters in search, each by itself, and the shelf of recommendations. */
  private paidByViews(
    search: Bid.Bid,
    shelf: Bid.Bid,
    own: ReadonlyArray<ClusterAt>,
    shown: { readonly search: boolean; readonly shelf: boolean }
  ): void {
    const { counting: all, row, table } = shelf
    const isLeft = this.leftOf(own)
    own.forEach((one, at) => {
      this.cluster(one, isLeft(at))
    })
    // What no listed cluster brought: small clusters, and recommendations where they are on.
    const rest = Counting.without(
      all,
      own.map(({ counting }) => counting)
    )
    if (!shown.shelf) this.countElsewhere({ ...search, counting: rest })
    else if (!shown.search) this.take(shelf)
    else {
      const unlisted = Counting.unlisted(all, this.past.unlisted.get(Target.key(table.target(row))))
      this.countElsewhere({ ...search, counting: unlisted })
      this.take({ ...shelf, counting: Counting.without(rest, [unlisted]) })
    }
  }

  private cluster(one: ClusterAt, isLeft: boolean): void {
    const { inMinus, row, standing } = one
    if (word(this.facts.ofCluster(row, "cluster.state")) === "archived") return
    const bid = this.clusterBid(one)
    if (isLeft) this.leave(bid, this.leftBecause(standing), standing)
    else if (inMinus._tag === "Unknown") this.leave(bid, unknownOf("cluster.in_minus", inMinus))
    else {
      // It is made again when bids are weighed, and before that nobody asks for levels.
      const stream = this.streamOf(bid, standing, [])
      if ("because" in stream) this.leave(bid, stream.because, standing)
      else this.add(new OfCluster(this, row, stream.bidKopecks, standing), stream)
    }
  }

  private clusterBid({ counting, row, target }: Pick<ClusterAt, "counting" | "row" | "target">): Bid.Bid {
    return {
      table: this.clusters,
      row,
      target,
      slot: ClusterBid.slot(target),
      bidFact: "cluster.bid",
      floorFact: "campaign_item.min_bid",
      counting,
      levels: Bid.clusterLevels
    }
  }

  /** Of a cluster whose stream was made before. */
  streamAt(row: number, standing: Core.Standing): Core.Stream {
    const target = Target.ofSubject(this.clusters.target(row))!
    const counting = this.counting("cluster", row, this.parkingsOf(target))
    const made = this.streamOf(this.clusterBid({ row, target, counting }), standing)
    if ("because" in made)
      throw new RangeError(`nothing can be decided about ${Target.key(this.clusters.target(row))}`)
    return made
  }

  /** By the place of a cluster among these: whether `leave:` says so, or might. */
  private leftOf(own: ReadonlyArray<ClusterAt>): (at: number) => boolean {
    const { leave } = this.action
    if (leave === undefined) return () => false
    const rows = own.map(({ row }) => row)
    const { truth } = Evaluate.condition(leave.condition, this.clusters, rows)
    return (at) => truth[at] !== Kleene.False
  }

  private leftBecause(standing: Core.Standing): UnchangedReason {
    const condition = this.action.leave?.text ?? ""
    return standing._tag === "Parked"
      ? { code: "left_at_rest", condition, days: standing.forDays }
      : { code: "left_by_rule", condition }
  }

  /** How a cluster stands; shown, as long as nobody knows whether it is a minus phrase. */
  private clusterAt(row: number): ClusterAt {
    const target = Target.ofSubject(this.clusters.target(row))!
    const parkings = this.parkingsOf(target)
    const inMinus = this.facts.ofCluster(row, "cluster.in_minus")
    const isMinus = inMinus._tag === "Known" && inMinus.value === true
    const counting = this.counting("cluster", row, parkings)
    return { row, target, counting, inMinus, standing: this.standing(isMinus, parkings) }
  }

  private parkingsOf(target: Target.Target): ReadonlyArray<Past.Span> {
    const { parkings } = this.past
    // As of moves: to look one up its whole text is needed.
    return (parkings.size === 0 ? undefined : parkings.get(MinusPhrase.slot(target))) ?? unparked
  }

  private standing(isMinus: boolean, parkings: ReadonlyArray<Past.Span>): Core.Standing {
    const last = parkings.at(-1)
    const isOpen = last?.toMs === Number.POSITIVE_INFINITY
    const daysSince = (ms: number): number =>
      Days.between(Days.ofMarket(ms), Days.ofMarket(this.campaign.nowMs))
    if (isMinus)
      return last !== undefined && isOpen
        ? { _tag: "Parked", forDays: daysSince(last.fromMs), times: parkings.length }
        : { _tag: "Minus" }
    // Still open where nobody could read whether it is a minus phrase.
    return last === undefined || isOpen ? live : { _tag: "Live", backForDays: daysSince(last.toMs) }
  }

  private take(bid: Bid.Bid, standing?: Core.Standing): void {
    const made = this.offer(bid, standing)
    if (made !== undefined) this.add(made, made.stream)
  }

  private add(offer: Offer, stream: Core.Stream): void {
    this.offers.push(offer)
    this.lessons.tell(stream)
  }

  /** Undefined where nothing can be decided about the bid, which is then told. */
  private offer(bid: Bid.Bid, standing: Core.Standing = live): Offer | undefined {
    const { placement, row, slot, table, target } = bid
    const stream = this.streamOf(bid, standing)
    if ("because" in stream) {
      this.leave(bid, stream.because, standing)
      return undefined
    }
    const ground = groundOf(this.campaign, table, row)
    const which = placement === "recommendations" ? ("recommendations" as const) : ("search" as const)
    const { bidKopecks, budget } = stream
    const placed = placement === undefined ? {} : { placement: which }
    return { stream, ground, target, slot, budget, bidKopecks, standing, ...placed }
  }

  private leave(bid: Bid.Bid, because: Because, standing: Core.Standing = live): void {
    const { row, slot, table } = bid
    if (standing._tag === "Live") this.countElsewhere(bid)
    this.left.push({ ground: groundOf(this.campaign, table, row), slot, because })
  }

  /** What nobody steers spends on, at the bid that stands. */
  private countElsewhere(bid: Bid.Bid): void {
    const { bidFact, counting, floorFact, levels, row, table } = bid
    const { history, moves } = this.pastOf(bid)
    const bidKopecks = amount(table.get(row, bidFact)) ?? moves.at(-1)?.afterKopecks ?? 0
    const counts = this.counts(counting)
    const more = Demand.asItStands(
      {
        bidKopecks,
        // Without levels half of the views are bought at a multiple of the floor; where nobody knows that, of the bid.
        floorKopecks: amount(table.get(row, floorFact)) ?? bidKopecks,
        levels: this.facts.levels(table, row, levels),
        counts: counts._tag === "Known" ? { ...counts, value: this.anyDays(counts.value) } : counts,
        ...(history === undefined ? {} : { history })
      },
      Curve.assumed
    )
    this.elsewhere = Demand.together(this.elsewhere, more)
  }

  private streamOf(
    bid: Bid.Bid,
    standing: Core.Standing,
    levels = bid.levels
  ): Core.Stream | { readonly because: Because } {
    const { bidFact, counting, floorFact, placement, row, slot, table, target } = bid
    const { campaign, payment } = this
    const unsure = StoodStill.unsure(campaign, this.past)
    if (unsure !== undefined) return { because: unsure }
    const capKopecks = this.capKopecks
    const stepKopecks = this.stepKopecks
    if (payment !== "cpm" && payment !== "cpc") return { because: { code: "payment_type_unknown", payment } }
    if (capKopecks === undefined) return { because: { code: "no_cap_for_payment", payment } }
    if (stepKopecks === undefined)
      return { because: { code: "bid_step_unknown", payment, currency: campaign.currency } }
    const liveKopecks = this.facts.amount(table, row, bidFact)
    if (liveKopecks === undefined) return { because: unknownOf(bidFact, this.facts.of(table, row, bidFact)) }
    const floorKopecks = this.facts.amount(table, row, floorFact)
    if (floorKopecks === undefined) return { because: { code: "minimum_bid_unknown" } }
    const worth = this.facts.worth(this.action.margin, table, row)
    if (worth._tag === "Known" && worth.value.profitKopecks <= 0)
      return { because: { code: "order_earns_nothing", kopecks: Math.round(worth.value.profitKopecks) } }
    const { rule, rules, slots } = campaign
    const { history, inherited, moves } = this.pastOf(bid)
    const own = { rule, rules, slots, target }
    const waits =
      placement === undefined && Standing.ofItsItem(own, { inherited, current: liveKopecks }) !== undefined
    const dayFirst = BidIntent.dayFirstOf(own, { slot, inherited })
    // What is set lies below an overlay. One that began today stays as a bid that has moved does, at what it costs by now.
    const overlay = Standing.of(slots.get(slot), liveKopecks)
    const isBase = overlay === undefined || dayFirst === undefined
    const bidKopecks = isBase ? (overlay?.baseKopecks ?? liveKopecks) : liveKopecks
    const shown = inherited === true ? moves : (this.past.moves.get(slot) ?? unmoved)
    const raises = isBase && !waits ? Overlaid.raisesOf(campaign, this.overlaid, slot, shown, overlay) : []
    const plain: Core.Stream = {
      id: slot,
      campaignId: Number(target.campaignId),
      itemId: Number(target.itemId),
      group: word(this.facts.of(table, row, "campaign_item.item.subject")),
      budget: this.budget,
      payment,
      counts: this.counts(counting),
      bidKopecks,
      firstBidTodayKopecks: dayFirst ?? bidKopecks,
      floorKopecks: Math.ceil(floorKopecks / stepKopecks) * stepKopecks,
      capKopecks: Math.floor(capKopecks / stepKopecks) * stepKopecks,
      stepKopecks,
      levels: this.facts.levels(table, row, levels),
      worth,
      standing,
      canMinus: placement === undefined
    }
    // Most of half a million are no more than this, and parts that may be there cost each of them a kilobyte to collect.
    if (moves.length === 0 && !waits && raises.length === 0) return plain
    return {
      ...plain,
      ...(history === undefined ? {} : { history }),
      ...Past.lastMove(moves, campaign.nowMs),
      ...(waits ? { waits } : {}),
      ...(raises.length === 0 ? {} : { raises })
    }
  }

  /** How the bid moved, and what it brought at which bid; `inherited` where it is its item's. */
  private pastOf(bid: Bid.Bid) {
    const { counting, placement, row } = bid
    const own = placement === undefined ? this.facts.ofCluster(row, "cluster.has_own_bid") : undefined
    const inherited = own?._tag === "Known" ? own.value === false : undefined
    const moves = this.movesOf(bid, inherited === true)
    return { inherited, moves, history: Counting.history(counting, moves, this.periods, this.campaign.nowMs) }
  }

  private movesOf({ placement, slot, target }: Bid.Bid, follows: boolean): ReadonlyArray<Past.Moved> {
    const { moves } = this.past
    // Most accounts begin without any, and to look one up its whole text is needed.
    if (moves.size === 0) return unmoved
    const own = moves.get(slot) ?? unmoved
    if (placement !== undefined) return own
    const ofItem = moves.get(ItemBid.slot(target, "search"))
    return ofItem === undefined ? own : Past.following(own, ofItem, follows)
  }

  private counting(level: "cluster" | "campaign_item", row: number, parkings = unparked): Counting.Counting {
    const hidden = parkings.length === 0 ? this.stops : Past.joined([this.stops, parkings])
    return new Counting.OfRow(this.statistics[level], row, hidden)
  }

  /** Over the whole window. What could not be read is remembered: the campaign's money is not known then. */
  private counts(counting: Counting.Counting): Core.Maybe<Core.Counts> {
    const counts = counting.of(this.periods[0])
    if (counts._tag === "Absent" && Counting.isUnread(counts)) this.unread ??= counts.reason
    return counts
  }

  /** What was spent while it is said to have been hidden throughout was spent nonetheless. */
  private anyDays(counts: Core.Counts): Core.Counts {
    return counts.liveDays > 0 ? counts : { ...counts, liveDays: this.periods[0].days }
  }
}

const live: Core.Standing = { _tag: "Live" }
const unmoved: ReadonlyArray<Past.Moved> = []
const unparked: ReadonlyArray<Past.Span> = []

const unknownOf = (fact: string, cell: Cell): UnknownReason =>
  cell._tag === "Unknown"
    ? { code: "fact_unknown", fact, reason: cell.reason }
    : { code: "fact_malformed", fact, value: String(cell.value), wanted: "a whole amount above zero" }
