/**
 * What `optimise` decides, judged by the market's own truth; the journal only says which effects are its own.
 * Invariant 39: it goes by whole days that are over, and by all that the marketplace counted in them.
 * Invariant 40: no bid is raised where views plainly lose: where they cost more than twice what they leave as it is.
 * Invariant 41: a campaign that spends half as much again as its budget, in its window and as its bids stand, does not get dearer
 * by a turn's bids and minus phrases together.
 */
import * as Streams from "../../../bench/profit/Streams.js"
import * as Target from "../../../src/domain/Target.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import * as Optimised from "../../../src/engine/kinds/Optimised.js"
import type { Optimise } from "../../../src/engine/language/Policy.js"
import type * as Faults from "../../../src/sandbox/Faults.js"
import * as Moscow from "../../../src/sandbox/Moscow.js"
import * as Bids from "../../../src/sandbox/market/Bids.js"
import * as Purse from "../../../src/sandbox/market/Purse.js"
import * as Traffic from "../../../src/sandbox/market/Traffic.js"
import * as World from "../../../src/sandbox/market/World.js"
import * as Timeline from "../../../src/sandbox/Timeline.js"
import type { Cycle, Observed, Violation } from "../chaos/Record.js"
import * as Trouble from "../chaos/Trouble.js"
import * as Effects from "./Effects.js"
import { isArmed } from "./Judging.js"
import * as MachineClock from "./MachineClock.js"
import * as Places from "./Places.js"

interface Decided {
  readonly effect: Effects.Effect
  readonly cycle: Cycle
  readonly change: Change
  readonly told: NonNullable<ReturnType<typeof Optimised.of>>
  readonly action: Optimise
  readonly campaign: World.Campaign
}

const decided = (observed: Observed): ReadonlyArray<Decided> => {
  const rows = Effects.rowsOf(observed)
  return Effects.of(observed).flatMap((effect) => {
    const { cycle, entry } = effect
    const campaign = World.campaign(observed.world, entry.target.campaignId ?? 0)
    if (cycle === undefined || cycle.kind === "undo" || cycle.kind === "call" || campaign === undefined)
      return []
    return rows(effect).flatMap((row): ReadonlyArray<Decided> => {
      const change = Effects.changeOf(row)
      const told = Optimised.of(change)
      const action = cycle.rules.policies
        .find(({ id }) => id === row.policy)
        ?.rules.map((rule) => rule.action)
        .find((one) => one._tag === "Optimise")
      // What is taken back still says what it was made of.
      if (told === undefined || action === undefined || change.undoes !== undefined) return []
      return [{ effect, cycle, change, told, action, campaign }]
    })
  })
}

/** Of clusters: what an item's bid moves besides them is known by subtraction alone. */
export const goesByWholeDays = (observed: Observed): ReadonlyArray<Violation> =>
  decided(observed).flatMap(({ action, campaign, change, cycle, effect, told }) => {
    const { cluster, itemId } = Target.ofSubject(change.subject) ?? {}
    const plannedAt = cycle.plannedAt ?? cycle.startedAt
    if (cluster === undefined || cycle.kind === "approve" || isLiedTo(observed, plannedAt)) return []
    const [first, last] = daysOf(observed, action, plannedAt)
    const streams = Streams.ofCampaign(observed.world, campaign).filter(
      ({ item, traffic }) => item.id === itemId && traffic.text === cluster
    )
    const views = counted(observed, streams, first, last).views
    return views === told.seen.views
      ? []
      : [
          {
            invariant: 39,
            at: effect.entry.at,
            what: `${Effects.place(effect.entry)} was decided by ${told.seen.views} views, and the marketplace counted ${views} in the days ${Moscow.dayText(first)} to ${Moscow.dayText(last)}`,
            entries: [effect.entry.seq]
          }
        ]
  })

/** By streams whose orders say what they are worth. */
const telling = 20
const plainly = 2

export const raisesNothingThatLoses = (observed: Observed): ReadonlyArray<Violation> =>
  decided(observed).flatMap(({ action, campaign, effect, told }) => {
    const { entry } = effect
    const { after } = entry
    const margin = shareOf(action)
    if (told.verb !== "bid" || typeof after !== "number" || action.goal !== "profit" || margin === undefined)
      return []
    const before = Places.bidOf(observed, entry.before, entry)
    const streams = movedBy(observed, campaign, entry)
    const day = MachineClock.dayOf(observed, entry.at)
    const orders = counted(observed, streams, ...daysOf(observed, action, entry.at)).orders
    if (after <= before || orders < telling) return []
    const { gain, spend } = streams
      .map((stream) => Streams.expected(Streams.onDay(stream, day, margin), before))
      .reduce(Streams.add, Streams.nothing)
    return spend <= plainly * gain
      ? []
      : [
          {
            invariant: 40,
            at: entry.at,
            what: `${Effects.place(entry)} went from ${before} to ${after}, where views that leave ${Math.round(gain)} cost ${Math.round(spend)} already`,
            entries: [entry.seq]
          }
        ]
  })

const over = 1.5
const dearer = 1.1
/** Of a budget: what is no matter, for it is expected, and nobody knows the day. */
const slight = 0.02

export const keepsBudgets = (observed: Observed): ReadonlyArray<Violation> => {
  const turns = new Map<string, Array<Decided>>()
  for (const one of decided(observed)) {
    if (one.action.budgetOf !== "campaign" || one.cycle.kind === "approve") continue
    const key = `${observed.cycles.indexOf(one.cycle)} ${one.campaign.id}`
    turns.set(key, [...(turns.get(key) ?? []), one])
  }
  return [...turns.values()].flatMap((turn) => {
    if (turn.every(({ told }) => told.verb !== "bid")) return []
    const [{ action, campaign, effect }] = turn as [Decided, ...Array<Decided>]
    const budget = action.budget._tag === "Literal" ? Number(action.budget.value) : Number.NaN
    const { at } = effect.entry
    const [first, last] = daysOf(observed, action, at)
    const streams = Streams.ofCampaign(observed.world, campaign)
    const spent = counted(observed, streams, first, last).spend / (last - first + 1)
    const spends = standing(observed, streams, at).spend
    if (!(Math.min(spent, spends) > over * budget)) return []
    // A rush of the very day weighs streams as nobody could know.
    const dearerBy = (day: number): number => {
      const { after, before } = costOf(observed, turn, day)
      return after <= before * dearer || after - before <= slight * budget ? 0 : after - before
    }
    const more = Math.min(dearerBy(MachineClock.dayOf(observed, at)), dearerBy(last))
    return more === 0
      ? []
      : [
          {
            invariant: 41,
            at,
            what: `campaign ${campaign.id} spent ${Math.round(spent)} a day of ${budget}, and it was made dearer by ${Math.round(more)} a day`,
            entries: [...new Set(turn.map((one) => one.effect.entry.seq))]
          }
        ]
  })
}

/** What a turn has moved is expected to cost on a day, kopecks: as it stood, and as it stands. */
const costOf = (observed: Observed, turn: ReadonlyArray<Decided>, day: number) => {
  let [before, after] = [0, 0]
  // The phrases of one list are one entry.
  const bySeq = new Map(turn.map((one) => [one.effect.entry.seq, one]))
  for (const { campaign, effect } of bySeq.values()) {
    const { entry } = effect
    if (entry.slot === "minus") {
      const [been, is] = [entry.before, entry.after].map((list) => new Set(Array.isArray(list) ? list : []))
      for (const stream of Streams.ofCampaign(observed.world, campaign)) {
        const { text } = stream.traffic
        if (stream.item.id !== entry.target.itemId || text === undefined || been!.has(text) === is!.has(text))
          continue
        const shown = Streams.onDay(stream, day, 0)
        const { spend } = Streams.expected(shown, bidOf(observed, stream, entry.at))
        if (is!.has(text)) before += spend
        else after += spend
      }
    }
    if (typeof entry.after !== "number") continue
    const moved = movedBy(observed, campaign, entry).map((stream) => Streams.onDay(stream, day, 0))
    const cost = (bid: number) =>
      moved.map((one) => Streams.expected(one, bid)).reduce(Streams.add, Streams.nothing).spend
    before += cost(Places.bidOf(observed, entry.before, entry))
    after += cost(entry.after)
  }
  return { before, after }
}

/** First and last day of the window, by the machine's clock. */
const daysOf = (observed: Observed, { window }: Optimise, at: number): readonly [number, number] => {
  const [days, settle] = window._tag === "Last" ? [window.days, window.settleDays] : [1, 0]
  const last = MachineClock.dayOf(observed, at) - 1 - settle
  return [last - days + 1, last]
}

/** What a day is expected to bring with the items, bids and minus phrases of an instant. */
const standing = (
  observed: Observed,
  streams: ReadonlyArray<Streams.Stream>,
  at: number
): Streams.Expected => {
  const { world } = observed
  const day = MachineClock.dayOf(observed, at)
  return streams
    .filter(({ campaign, item }) => Timeline.at(campaign.items, at).includes(item.id))
    .map((stream) => {
      const { campaign, item, traffic } = stream
      const { text } = traffic
      const isMinus = text !== undefined && Timeline.at(Bids.minus(world, campaign, item.id), at).has(text)
      return Streams.expected(Streams.onDay(stream, day, 0), isMinus ? 0 : bidOf(observed, stream, at))
    })
    .reduce(Streams.add, Streams.nothing)
}

/** The bid that a stream has at an instant, as a minus phrase too, kopecks. */
const bidOf = (
  { world }: Observed,
  { campaign, item, traffic: { text } }: Streams.Stream,
  at: number
): number => {
  const items = Bids.itemBids(world, campaign, item.id)
  const own = text === undefined ? undefined : Bids.clusterBids(world, campaign, item.id).get(text)
  const ofItem = Timeline.at(text === undefined ? items.recommendations : items.search, at)
  return (own === undefined ? null : Timeline.at(own, at)) ?? ofItem
}

/** What the marketplace counted of streams in whole days. */
const counted = (
  { world }: Observed,
  streams: ReadonlyArray<Streams.Stream>,
  first: number,
  last: number
): Traffic.Totals => {
  const totals = Traffic.none()
  const toMs = Moscow.startOf(last + 1)
  for (const { campaign, item, traffic } of streams) {
    Purse.settle(world, campaign, toMs)
    const spans = Traffic.pieces(world, campaign, item.id, traffic, Moscow.startOf(first), toMs)
    for (let day = first; day <= last; day++)
      Traffic.addTo(totals, Traffic.ofDay(campaign, item, traffic, day, spans))
  }
  return totals
}

/** The streams that a bid of the ledger moves; the standard bid of an item counts once, by its search bid. */
const movedBy = (
  { world }: Observed,
  campaign: World.Campaign,
  { at, slot, target }: Effects.Effect["entry"]
): ReadonlyArray<Streams.Stream> => {
  const own = Streams.ofCampaign(world, campaign).filter(({ item }) => item.id === target.itemId)
  if (slot === "bid") return own.filter(({ traffic }) => traffic.text === target.cluster)
  const { bidType, payment } = campaign.blueprint
  const minus = Timeline.at(Bids.minus(world, campaign, target.itemId ?? 0), at)
  if (bidType === "unified" || payment === "cpc")
    return slot === "bid.search"
      ? own.filter(({ traffic: { text } }) => text === undefined || !minus.has(text))
      : []
  return slot === "bid.recommendations" ? own.filter(({ traffic }) => traffic.text === undefined) : []
}

const shareOf = ({ margin }: Optimise): number | undefined =>
  margin._tag === "Literal" && margin.type._tag === "Ratio" ? Number(margin.value) : undefined

const cacheMs = 6 * 3_600_000
const lies: ReadonlySet<Faults.Fault["kind"]> = new Set([
  "zeros",
  "nulls",
  "omit",
  "missing",
  "hundredfold",
  "oldCopy"
])
const statistics: ReadonlySet<string> = new Set(Trouble.statistics)

/** Whether answers of statistics said something else than the marketplace counted when a plan was made, or shortly before. */
const isLiedTo = (observed: Observed, at: number): boolean =>
  isArmed(observed, { at, backMs: cacheMs }, lies, statistics)
