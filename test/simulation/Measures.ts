/** What an account went through, counted from the sandbox's own ledger and market, never from our journal. */
import * as Moscow from "../../src/sandbox/Moscow.js"
import * as Bids from "../../src/sandbox/market/Bids.js"
import * as Blueprint from "../../src/sandbox/market/Blueprint.js"
import * as Timeline from "../../src/sandbox/Timeline.js"
import type { Observed, Write } from "./Simulation.js"
import * as Truth from "./Truth.js"

const dayMs = 86_400_000

/** One accepted bid write: kopecks before and after, the Moscow day, and the slot it moved. */
interface BidMove {
  readonly slot: string
  readonly at: number
  readonly day: number
  readonly before: number
  readonly after: number
  readonly write: Write
}

export const bidMoves = (observed: Observed): ReadonlyArray<BidMove> =>
  observed.writes.flatMap((write) => {
    if (!write.slot.startsWith("bid")) return []
    const { campaignId, itemId, cluster } = write.target
    const before = Truth.bidOf(observed.world, write.before, write.target, write.at)
    const after = Truth.bidOf(observed.world, write.after, write.target, write.at)
    const slot = `${write.slot} ${campaignId} ${itemId} ${cluster ?? ""}`
    return [{ slot, at: write.at, day: Moscow.dayOf(write.at), before, after, write }]
  })

export interface Steadiness {
  /** Times that a bid turned from up to down or back, per target and day that had any move. */
  readonly reversalsMax: number
  readonly reversalsMean: number
  /** The same over all days together: turns per target in the whole time. */
  readonly turnsMax: number
  readonly targetsMoved: number
  readonly edges: number
  /** Steering moves of each week. */
  readonly movesByWeek: ReadonlyArray<number>
  /** Mean distance of moved bids from where they were in the end, basis points, at the start of each week. */
  readonly distanceByWeek: ReadonlyArray<number>
}

/** Does it settle? Beginnings and ends of overlays are left out and counted apart; they come and go by the clock. */
export const steadiness = (observed: Observed): Steadiness => {
  const all = bidMoves(observed)
  const moves = all.filter(({ after, before, write }) => !write.edge && after !== before)
  const bySlot = grouped(moves, ({ slot }) => slot)
  const perDay = [...grouped(moves, ({ day, slot }) => `${day} ${slot}`).values()].map(turns)
  const weeks = Math.ceil(observed.options.days / 7)
  const weekOf = (at: number) => Math.floor((at - observed.fromMs) / (7 * dayMs))
  const distance = (week: number): number => {
    const at = observed.fromMs + week * 7 * dayMs
    const ratios = [...bySlot.values()].map((own) => {
      const last = own.at(-1)!.after
      const then = own.findLast((move) => move.at <= at)?.after ?? own[0]!.before
      return Math.abs(then - last) / last
    })
    return Math.round(mean(ratios) * 10_000)
  }
  return {
    reversalsMax: Math.max(0, ...perDay),
    reversalsMean: mean(perDay),
    turnsMax: Math.max(0, ...[...bySlot.values()].map(turns)),
    targetsMoved: bySlot.size,
    edges: all.filter(({ write }) => write.edge).length,
    movesByWeek: Array.from(
      { length: weeks },
      (_, week) => moves.filter(({ at }) => weekOf(at) === week).length
    ),
    distanceByWeek: Array.from({ length: weeks }, (_, week) => distance(week))
  }
}

/** Changes between up and down along a row of moves. */
const turns = (moves: ReadonlyArray<BidMove>): number => {
  const signs = moves.map(({ after, before }) => Math.sign(after - before))
  return signs.filter((sign, i) => i > 0 && sign !== signs[i - 1]).length
}

export interface Limits {
  /** Accepted bids above the account's highest. */
  readonly aboveMaxBid: number
  /** Steering moves farther from the day's first bid than the account allows, one bid step of rounding aside. */
  readonly beyondMovePerDay: number
  /** Roubles deposited on the day with most. */
  readonly depositedMostRoubles: number
}

export const limits = (observed: Observed): Limits => {
  const { maxBidKopecks, movePerDayBasisPoints } = observed.rules.limits
  const all = bidMoves(observed)
  const paymentOf = (write: Write) =>
    Truth.campaigns(observed.world).find(({ id }) => id === write.target.campaignId)?.blueprint.payment ??
    "cpm"
  const above = all.filter(({ after, write }) => after > (maxBidKopecks?.[paymentOf(write)] ?? Infinity))
  const share = (movePerDayBasisPoints ?? Infinity) / 10_000
  const steered = all.filter(({ write }) => !write.edge)
  const beyond = [...grouped(steered, ({ day, slot }) => `${day} ${slot}`).values()].flatMap((own) => {
    const first = own[0]!.before
    return own.filter(({ after, write }) => {
      const step = paymentOf(write) === "cpm" ? 100 : 10
      return Math.abs(after - first) > first * share + step
    })
  })
  const deposits = observed.writes.filter(({ slot }) => slot === "budget")
  const perDay = [...grouped(deposits, ({ at }) => `${Moscow.dayOf(at)}`).values()].map((own) =>
    own.reduce((sum, { after, before }) => sum + (Number(after) - Number(before)), 0)
  )
  return {
    aboveMaxBid: above.length,
    beyondMovePerDay: beyond.length,
    depositedMostRoubles: Math.max(0, ...perDay)
  }
}

export interface DailyStop {
  /** Campaign days on which the limit was reached early enough for a run to see it. */
  readonly days: number
  /** Of these, how many were not stopped within the promised time. */
  readonly late: number
  /** From the instant the limit was reached to the accepted pause. */
  readonly minutesMost: number
  readonly minutesMean: number
  /** Spent beyond the limit on such a day. */
  readonly overRoublesMost: number
}

/** How fast a campaign stops that has spent its day's money. */
export const dailyStop = (observed: Observed, limitKopecks: number, promisedMinutes: number): DailyStop => {
  const { fromMs, toMs, world, writes } = observed
  const found: Array<{ readonly minutes: number; readonly over: number }> = []
  for (const campaign of Truth.campaigns(world)) {
    const pauses = writes.filter(
      (w) => w.slot === "status" && w.target.campaignId === campaign.id && w.after === Blueprint.status.paused
    )
    for (let day = Moscow.dayOf(fromMs); Moscow.startOf(day + 1) <= toMs; day++) {
      const end = Moscow.startOf(day + 1) - 1
      const spent = Truth.spentToday(world, campaign, end)
      if (spent < limitKopecks) continue
      const reached = crossing(
        (at) => Truth.spentToday(world, campaign, at) >= limitKopecks,
        Moscow.startOf(day),
        end
      )
      const seen = Math.max(reached, fromMs)
      if (seen + promisedMinutes * 60_000 > end) continue
      const pause = pauses.find(({ at }) => at >= seen && at <= end)
      const running = Timeline.at(campaign.status, seen) === Blueprint.status.active
      if (!running) continue
      const minutes = ((pause?.at ?? end) - seen) / 60_000
      found.push({ minutes, over: spent - Math.max(limitKopecks, Truth.spentToday(world, campaign, seen)) })
    }
  }
  return {
    days: found.length,
    late: found.filter(({ minutes }) => minutes > promisedMinutes).length,
    minutesMost: Math.max(0, ...found.map(({ minutes }) => minutes)),
    minutesMean: mean(found.map(({ minutes }) => minutes)),
    overRoublesMost: Math.max(0, ...found.map(({ over }) => over / 100))
  }
}

/** The first whole second at which something that stays true became true. */
const crossing = (isTrue: (at: number) => boolean, fromMs: number, toMs: number): number => {
  let [low, high] = [fromMs, toMs]
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2)
    if (isTrue(middle)) high = middle
    else low = middle
  }
  return high
}

export interface Judged {
  /** Clusters with a true CTR of at least 1%, or with buyers: what a marketer wants to keep. */
  readonly good: number
  readonly goodNegated: number
  /** Clusters with a true CTR below 1% and no buyers. */
  readonly bad: number
  readonly badNegated: number
}

/** Shown at least so often, else nobody could have judged it. */
const leastViews = 100

/** Whom the minus policy judged, and how: clusters of running cpm campaigns that were not among the phrases before. */
export const judged = ({ fromMs, toMs, world, writes }: Observed, ctr = 0.01): Judged => {
  const sum = { good: 0, goodNegated: 0, bad: 0, badNegated: 0 }
  for (const campaign of Truth.campaigns(world)) {
    if (campaign.blueprint.payment !== "cpm" || campaign.blueprint.status !== Blueprint.status.active)
      continue
    const added = writes.filter((w) => w.slot === "minus" && w.target.campaignId === campaign.id)
    for (const { item, traffic } of Truth.streams(world, campaign)) {
      if (traffic.text === undefined || traffic.archived) continue
      const minus = Bids.minus(world, campaign, item.id)
      if (Timeline.at(minus, fromMs).has(traffic.text)) continue
      const earlier = Moscow.startOf(Moscow.dayOf(fromMs) - 30)
      if (Truth.viewsBetween(world, campaign, item, traffic, earlier, toMs) < leastViews) continue
      const negated = added.some(({ after, target }) => target.itemId === item.id && has(after, traffic.text))
      const good = traffic.ctr >= ctr || traffic.orderRate > 0
      sum[good ? "good" : "bad"]++
      if (negated) sum[good ? "goodNegated" : "badNegated"]++
    }
  }
  return sum
}

const has = (list: unknown, phrase: string | undefined): boolean =>
  Array.isArray(list) && list.includes(phrase)

const mean = (numbers: ReadonlyArray<number>): number =>
  numbers.length === 0 ? 0 : numbers.reduce((a, b) => a + b, 0) / numbers.length

const grouped = <A>(
  list: ReadonlyArray<A>,
  key: (one: A) => string
): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const one of list) {
    const own = groups.get(key(one))
    if (own === undefined) groups.set(key(one), [one])
    else own.push(one)
  }
  return groups
}
