/**
 * The plan of one budget. Twice the same question is asked: where bids are on their way to (all between floor and cap is open), which
 * gives money its price and says who is weak; and what can be done of it today. Bids of today never buy at a lower price of money than
 * the bids aimed at: else what cannot be reached today would be spent elsewhere, and taken back tomorrow.
 */
import type { BidBound } from "../../domain/BidBound.js"
import * as Allocate from "./Allocate.js"
import * as Bound from "./Bound.js"
import * as Bounds from "./Bounds.js"
import type { BudgetOutlook, Nothing, Verb } from "./Decision.js"
import * as Demand from "./Demand.js"
import * as Explore from "./Explore.js"
import * as Forecast from "./Forecast.js"
import * as Learn from "./Learn.js"
import * as Minus from "./Minus.js"
import * as Rows from "./Rows.js"
import type { Budget, Settings, Stream } from "./Stream.js"

/** What is decided of one row. */
export interface Verdict {
  readonly verb: Verb
  readonly bidKopecks: number
  readonly targetKopecks: number
  readonly binds: BidBound
  /** Where the stream was not open to a decision. */
  readonly nothing?: Nothing
}

export interface Undecided {
  readonly index: number
  readonly stream: Stream
}

export interface BudgetPlan {
  readonly outlook: BudgetOutlook
  /** In the order of the rows. */
  readonly verdicts: ReadonlyArray<Verdict>
  /** Kopecks a day of each row, as it stands and as it is decided. */
  readonly spends: { readonly before: Float64Array; readonly after: Float64Array }
}

/** Rows and undecided streams must come in the order of their ids. */
export const make = (
  budget: Budget,
  rows: ReadonlyArray<Rows.Row>,
  undecided: ReadonlyArray<Undecided>,
  settings: Settings,
  learned: Learn.Learned
): BudgetPlan => {
  const c = Rows.columns(rows, settings.goal, learned.clickExponent)
  const limits = limitsOf(budget, undecided, settings, learned)
  const states = rows.map((row, i) => firstState(c, row, i, settings, learned))
  const caps = rows.map(({ stream }, i) => capOf(c, i, stream, settings))
  const base = settings.goal === "profit" ? 1 : 0
  const aimed = aim(c, rows, states, caps, limits, settings, base)
  const before = new Float64Array(
    rows.map(({ stream }) => (stream.standing._tag === "Live" ? stream.bidKopecks : 0))
  )
  const beside: Forecast.Beside = {
    dailySpends: budget.dailySpends ?? [],
    spend: limits.otherSpend + (budget.elsewhere?.spendKopecksPerDay ?? 0),
    orders: limits.otherOrders + (budget.elsewhere?.ordersPerDay ?? 0)
  }
  const standing = Forecast.sums(c, rows, before, beside)
  const allowance = settings.explore * (budget.dailyKopecks ?? sumOf(standing.spends))
  const explored = sortOut(c, rows, states, aimed, settings, allowance)
  const today = Allocate.open(c.size)
  rows.forEach(({ stream }, i) => {
    const state = states[i]!
    if (state === "minus" || state === "park" || state === "stays_parked") Bounds.off(today, i)
    else if (state === "moved" || state === "unpark" || state === "out_of_reach" || stream.waits)
      Bounds.fixed(today, i, stream)
    else Bounds.today(today, i, stream, caps[i]!, aimed.bids[i]!, settings)
  })
  const settled = Bound.settle(c, c.revenue, today, limits, aimed)
  const prices = { base, aimed, settled }
  const verdicts = rows.map(({ stream }, i) =>
    verdictOf(stream, states[i]!, i, prices, explored, settings, caps[i]!)
  )
  const sums = Forecast.sums(c, rows, settled.bids, beside)
  const outlook: BudgetOutlook = {
    id: budget.id,
    dailyKopecks: budget.dailyKopecks,
    lambda: settled.kappa - base - settled.delta,
    targetLambda: aimed.kappa - base - aimed.delta,
    drrLambda: settled.delta,
    streams: rows.length + undecided.length,
    undecidedSpendKopecksPerDay: limits.otherSpend,
    undecidedReckonedKopecksPerDay: limits.otherReckoned,
    overlaysKopecksPerDay: sumOf(sums.spends.map((spend, i) => spend * (1 - 1 / c.raised[i]!))),
    explorationKopecksPerDay: [...explored].reduce((sum, i) => sum + sums.spends[i]!, 0),
    explorationCapKopecks: allowance,
    spendKopecksPerDay: sums.spend,
    ordersPerDay: sums.orders,
    revenueKopecksPerDay: sums.revenue,
    profitKopecksPerDay: sums.profit,
    targetProfitKopecksPerDay: sumOf(aimed.bids.map((bid, i) => Rows.profitAt(c, i, bid))),
    profitBeforeKopecksPerDay: standing.profit.mean,
    spendBeforeKopecksPerDay: standing.spend,
    ordersBeforePerDay: standing.orders,
    isOverspent: settled.isOverspent || steered(sums.spend.mean, budget) > limits.budget * (1 + 1e-9)
  }
  return { outlook, verdicts, spends: { before: standing.spends, after: sums.spends } }
}

/** The limit is what is left for the budget's streams. */
const steered = (spend: number, { elsewhere }: Budget): number => spend - (elsewhere?.spendKopecksPerDay ?? 0)

interface Limits extends Bound.Limits {
  readonly otherOrders: number
  readonly otherReckoned: number
}

/** What is not decided keeps spending what it spends. */
const limitsOf = (
  budget: Budget,
  undecided: ReadonlyArray<Undecided>,
  { drr }: Settings,
  learned: Learn.Learned
): Limits => {
  let [other, otherRevenue] = [Demand.none, 0]
  for (const { stream } of undecided) {
    const { payment, standing, worth } = stream
    if (standing._tag !== "Live") continue
    const more = Demand.asItStands(stream, learned.curve[payment])
    other = Demand.together(other, more)
    if (worth._tag === "Known") otherRevenue += more.ordersPerDay * worth.value.priceKopecks
  }
  return {
    budget: budget.dailyKopecks ?? Number.POSITIVE_INFINITY,
    drr,
    otherSpend: other.spendKopecksPerDay,
    otherRevenue,
    otherOrders: other.ordersPerDay,
    otherReckoned: other.reckonedKopecksPerDay
  }
}

type State =
  | "open"
  | "moved"
  | "out_of_reach"
  | "minus"
  | "parkable"
  | "parked"
  // After sorting out:
  | "park"
  | "unpark"
  | "stays_parked"

const firstState = (
  c: Rows.Columns,
  { estimate, stream }: Rows.Row,
  i: number,
  settings: Settings,
  learned: Learn.Learned
): State => {
  // Parking that is switched off lets back whom it holds, when their time is over.
  if (stream.standing._tag === "Parked")
    return settings.park || !Minus.isDue(stream.standing) ? "parked" : "unpark"
  const floorCost = Rows.viewCost(c, i, stream.floorKopecks)
  const { minusConfidence } = settings
  if (
    stream.canMinus &&
    !Minus.isOfToday(stream) &&
    minusConfidence !== undefined &&
    Minus.isSure(estimate, Learn.priorOf(learned, stream), floorCost, minusConfidence)
  )
    return "minus"
  if (stream.bidKopecks !== stream.firstBidTodayKopecks) return "moved"
  if (Bounds.isFloorOutOfReach(stream, settings)) return "out_of_reach"
  return Minus.mayPark(stream, estimate, settings.park) ? "parkable" : "open"
}

/** Goals other than profit know no loss: they stop where views cost what they bring. */
const capOf = (c: Rows.Columns, i: number, { capKopecks }: Stream, { goal }: Settings): number =>
  goal === "profit" ? capKopecks : Math.min(capKopecks, Rows.breakEvenBid(c, i))

const aim = (
  c: Rows.Columns,
  rows: ReadonlyArray<Rows.Row>,
  states: ReadonlyArray<State>,
  caps: ReadonlyArray<number>,
  limits: Bound.Limits,
  { park }: Settings,
  base: number
): Bound.Settled => {
  const all = Allocate.open(c.size)
  rows.forEach(({ stream }, i) => {
    const state = states[i]!
    if (state === "minus" || (state === "parked" && !park)) Bounds.off(all, i)
    else if (state === "out_of_reach") Bounds.fixed(all, i, stream)
    else Bounds.target(all, i, stream, caps[i]!, state === "parkable" || state === "parked")
  })
  return Bound.settle(c, c.revenue, all, limits, { kappa: base, delta: 0 })
}

/** Says of each stream that may be parked or is parked what becomes of it; gives those that are shown to learn. */
const sortOut = (
  c: Rows.Columns,
  rows: ReadonlyArray<Rows.Row>,
  states: Array<State>,
  aimed: Bound.Settled,
  settings: Settings,
  allowance: number
): ReadonlySet<number> => {
  const candidates: Array<Explore.Candidate> = []
  rows.forEach(({ estimate, stream }, i) => {
    const state = states[i]!
    if (state !== "parkable" && state !== "parked") return
    if (Minus.isOfToday(stream)) {
      states[i] = "stays_parked"
      return
    }
    const cost = Rows.viewCost(c, i, stream.floorKopecks)
    const factor = Allocate.clickFactor(c, i, stream.floorKopecks)
    const worth = (c.worth[i]! + aimed.delta * (settings.drr ?? 0) * c.revenue[i]!) * factor
    const returned = settings.goal !== "profit" && c.profit[i]! * factor < cost ? -1 : worth / cost
    const isWeak = Minus.isWeak(returned, aimed.kappa)
    if (stream.standing._tag === "Parked") {
      const isDue = Minus.isDue(stream.standing)
      states[i] = Minus.isGoodAgain(returned, aimed.kappa) || (isDue && !isWeak) ? "unpark" : "stays_parked"
      if (!isDue || !isWeak) return
    } else {
      states[i] = isWeak ? "park" : "open"
      if (!isWeak) return
    }
    const mean = estimate.rates.ordersPerView * factor
    const scale = c.worth[i]! > 0 ? mean / (c.worth[i]! * factor) : 0
    candidates.push({
      at: i,
      isBegun: Minus.isOnTrial(stream),
      hope: Explore.hope(mean, estimate.rates.ordersPerViewError * factor, scale * aimed.kappa * cost),
      costKopecksPerDay: Allocate.spendAt(c, i, stream.bidKopecks)
    })
  })
  const chosen = Explore.choose(candidates, allowance)
  for (const i of chosen) states[i] = states[i] === "park" ? "open" : "unpark"
  return chosen
}

interface Settlement {
  readonly base: number
  readonly aimed: Bound.Settled
  readonly settled: Bound.Settled
}

const verdictOf = (
  stream: Stream,
  state: State,
  i: number,
  { aimed, base, settled }: Settlement,
  explored: ReadonlySet<number>,
  settings: Settings,
  cap: number
): Verdict => {
  const targetKopecks = aimed.bids[i]!
  const money: BidBound =
    settled.delta > 0 ? "drr" : settled.kappa - base - settled.delta > 1e-9 ? "budget" : "optimum"
  const standing = { bidKopecks: stream.bidKopecks, targetKopecks }
  switch (state) {
    case "minus":
      return { verb: "minus", ...standing, binds: "floor" }
    case "park":
      return { verb: "park", ...standing, binds: money === "optimum" ? "floor" : money }
    case "unpark":
      return { verb: "unpark", ...standing, binds: explored.has(i) ? "exploration" : money }
    case "moved":
      return { verb: "leave", ...standing, binds: money, nothing: { code: "moved_today" } }
    case "out_of_reach":
      return { verb: "leave", ...standing, binds: "floor", nothing: { code: "floor_out_of_reach" } }
    case "stays_parked":
    case "parked": {
      const inDays =
        stream.standing._tag === "Parked" ? Minus.daysOf(stream.standing.times) - stream.standing.forDays : 0
      return {
        verb: "leave",
        ...standing,
        binds: money === "optimum" ? "floor" : money,
        ...(inDays > 0 ? { nothing: { code: "parked_until", inDays } } : {})
      }
    }
    default: {
      if (stream.waits) return { verb: "leave", ...standing, binds: money, nothing: { code: "waits" } }
      const bidKopecks = settled.bids[i]!
      const binds = explored.has(i)
        ? "exploration"
        : bindsOf(stream, bidKopecks, targetKopecks, cap, settings.move, money)
      return { verb: bidKopecks === stream.bidKopecks ? "leave" : "bid", bidKopecks, targetKopecks, binds }
    }
  }
}

/** What keeps a live bid from going further than it does. */
const bindsOf = (
  { bidKopecks, capKopecks, firstBidTodayKopecks: first, floorKopecks, stepKopecks: step }: Stream,
  bid: number,
  target: number,
  cap: number,
  move: number,
  money: BidBound
): BidBound => {
  if (bid >= first * (1 + move) - step && target > bid) return "move"
  if (bid <= first * (1 - move) + step && target < bid) return "move"
  if (bid === bidKopecks && Math.abs(target - bid) >= step) return "deadband"
  if (bid > cap - step) return cap < capKopecks ? "break_even" : "cap"
  if (bid < floorKopecks + step) return "floor"
  return money
}

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0)
