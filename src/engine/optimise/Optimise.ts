/**
 * `optimise`: which bids earn most within a budget. Pure: same input, same output, whatever the order of the rows.
 *
 * Rates and curves are learned across the account first (`Learn.learn`), then each budget is decided for itself; a large account may be
 * planned budget by budget, with what was learned once of all. Of most streams nobody asks for reasons, so these are made when asked for.
 */
import { type BidBound, bidBounds } from "../../domain/BidBound.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as BudgetPlan from "./BudgetPlan.js"
import type { BudgetOutlook, Decision, Grounds, Interval, Nothing, Verb } from "./Decision.js"
import * as Estimate from "./Estimate.js"
import * as Learn from "./Learn.js"
import * as Rows from "./Rows.js"
import type { Budget, Input, Listed, Settings, Stream } from "./Stream.js"
import * as Value from "./Value.js"

export interface Plan {
  /** In the order of their ids. */
  readonly budgets: ReadonlyArray<BudgetOutlook>
  /** As many as the input's streams, in their order. */
  readonly size: number
  /** True where something is changed: cheap, for most of a large account is left as it is. */
  readonly acts: (index: number) => boolean
  /** What keeps a bid where it is, or why nothing is decided; of a stream that is left. Cheap as well. */
  readonly left: (index: number) => BidBound | Nothing
  /** What a stream that acts does, and what that has to do with money. Cheap as well. */
  readonly stake: (index: number) => Stake
  /** The decision on the stream of this index, with its reasons; made when asked for. */
  readonly decision: (index: number) => Decision
}

/** Kopecks a day: what is spent as it stands, and what the change adds, below zero where it saves. */
export interface Stake {
  readonly verb: Verb
  readonly spendKopecks: number
  readonly moreKopecks: number
}

/** A stream names a budget that the input does not hold, or two streams or budgets share an id: a bug of the caller. */
class BadInput extends Error {}

/** Decides every stream. `learned` is made of the input's own streams when it is left out. */
export const plan = (input: Input<Listed>, learned: Learn.Learned = Learn.learn(input.streams)): Plan => {
  const verdicts = new Verdicts(input.streams.length)
  const budgets = decide(input, learned, verdicts)
  const lambdas = new Map(budgets.map(({ id, lambda }) => [id, lambda]))
  const streamAt = (index: number): Stream => input.streams.at(index) ?? missing(index)
  const decision = (index: number): Decision => {
    const stream = streamAt(index)
    const estimate = Estimate.of(stream, learned)
    const verdict = verdicts.get(index)
    const nothing = "_tag" in estimate ? verdict?.nothing : estimate
    if (nothing !== undefined || verdict === undefined || !("_tag" in estimate))
      return leave(stream, nothing ?? { code: "impossible_statistics" })
    const lambda = lambdas.get(stream.budget) ?? 0
    const reason = groundsOf({ index, stream, estimate }, verdict, lambda, input.settings, learned)
    return { id: stream.id, verb: verdict.verb, bidKopecks: verdict.bidKopecks, reason }
  }
  const left = (index: number): BidBound | Nothing => {
    const verdict = verdicts.get(index)
    if (verdict !== undefined) return verdict.nothing ?? verdict.binds
    const estimate = Estimate.of(streamAt(index), learned)
    return "_tag" in estimate ? { code: "impossible_statistics" } : estimate
  }
  return {
    budgets,
    size: input.streams.length,
    acts: (index) => verdicts.acts(index),
    stake: (index) => verdicts.stake(index),
    left,
    decision
  }
}

/** All streams are there as long as this lasts. */
const decide = (
  input: Input<Listed>,
  learned: Learn.Learned,
  verdicts: Verdicts
): ReadonlyArray<BudgetOutlook> => {
  const streams = Array.from({ length: input.streams.length }, (_, i) => input.streams.at(i) ?? missing(i))
  const byBudget = membersOf(input.budgets, streams)
  return [...input.budgets].sort(TextOrder.by(({ id }) => id)).map((budget) => {
    const rows: Array<Rows.Row> = []
    const undecided: Array<BudgetPlan.Undecided> = []
    for (const index of byBudget.get(budget.id) ?? []) {
      const stream = streams[index]!
      const estimate = Estimate.of(stream, learned)
      if ("_tag" in estimate) rows.push({ index, stream, estimate })
      else undecided.push({ index, stream })
    }
    const made = BudgetPlan.make(budget, rows, undecided, input.settings, learned)
    const { before, after } = made.spends
    for (let i = 0; i < rows.length; i++)
      verdicts.set(rows[i]!.index, made.verdicts[i]!, before[i]!, after[i]!)
    return made.outlook
  })
}

const missing = (index: number): never => {
  throw new BadInput(`there is no stream ${index}`)
}

const leave = ({ bidKopecks, id }: Stream, why: Nothing): Decision => ({
  id,
  verb: "leave",
  bidKopecks,
  reason: { _tag: "Nothing", why }
})

/** Indices of each budget's streams, in the order of their ids. */
const membersOf = (
  budgets: ReadonlyArray<Budget>,
  streams: ReadonlyArray<Stream>
): ReadonlyMap<string, ReadonlyArray<number>> => {
  const members = new Map<string, Array<number>>(budgets.map(({ id }) => [id, []]))
  if (members.size !== budgets.length) throw new BadInput("two budgets have one id")
  streams.forEach(({ budget, id }, index) => {
    const list = members.get(budget)
    if (list === undefined)
      throw new BadInput(`the stream ${id} names the budget ${budget}, which is not there`)
    list.push(index)
  })
  const idOf = (index: number): string => streams[index]!.id
  for (const list of members.values()) {
    // Most callers have them in order, and to sort half a million names takes a second.
    if (list.some((index, i) => i > 0 && idOf(index) < idOf(list[i - 1]!)))
      list.sort((a, b) => TextOrder.compare(idOf(a), idOf(b)))
    const twice = list.find((index, i) => i > 0 && idOf(index) === idOf(list[i - 1]!))
    if (twice !== undefined) throw new BadInput(`two streams have the id ${idOf(twice)}`)
  }
  return members
}

const groundsOf = (
  row: Rows.Row,
  verdict: BudgetPlan.Verdict,
  lambda: number,
  settings: Settings,
  learned: Learn.Learned
): Grounds => {
  const { estimate, stream } = row
  const c = Rows.columns([row], settings.goal, learned.clickExponent)
  const { carts, clicks, orders, views } = estimate.counts
  const prior = Learn.priorOf(learned, stream)
  const isShown =
    verdict.verb === "bid" ||
    verdict.verb === "unpark" ||
    (verdict.verb === "leave" && stream.standing._tag === "Live")
  const after = isShown ? verdict.bidKopecks : 0
  const { rates, trial, worth } = estimate
  const value =
    stream.payment === "cpm"
      ? times(Value.interval("view", prior, trial, rates.ordersPerView), 1000 * worth.profitKopecks)
      : times(Value.interval("click", prior, trial, rates.cvr), worth.profitKopecks)
  return {
    _tag: "Decided",
    payment: stream.payment,
    views,
    clicks,
    orders,
    ...(prior.bought === undefined || carts === undefined ? {} : { carts }),
    valueKopecks: value,
    curve: {
      source: estimate.curve.source,
      exponent: estimate.exponent,
      halfKopecks: estimate.halfKopecks,
      exponentError: Math.sqrt(estimate.curve.varExponent),
      halfError: Math.sqrt(estimate.curve.varHalf),
      demandPerDay: estimate.demandPerDay
    },
    before: Rows.outlook(c, 0, stream.standing._tag === "Live" ? stream.bidKopecks : 0),
    after: Rows.outlook(c, 0, after),
    targetKopecks: verdict.targetKopecks,
    marginalKopecks: Rows.marginal(c, 0, after === 0 ? stream.floorKopecks : after, estimate.paidShare),
    lambda,
    binds: verdict.binds
  }
}

const times = ({ high, low, mean }: Interval, factor: number): Interval =>
  factor >= 0
    ? { low: low * factor, mean: mean * factor, high: high * factor }
    : { low: high * factor, mean: mean * factor, high: low * factor }

const verbs = ["leave", "bid", "minus", "park", "unpark"] as const

/** Verdicts of half a million streams, without an object for each. */
class Verdicts {
  /** 0: none. */
  private readonly verb: Uint8Array
  private readonly bid: Float64Array
  private readonly target: Float64Array
  private readonly binds: Uint8Array
  private readonly before: Float64Array
  private readonly after: Float64Array
  private readonly nothing = new Map<number, Nothing>()

  constructor(size: number) {
    this.verb = new Uint8Array(size)
    this.bid = new Float64Array(size)
    this.target = new Float64Array(size)
    this.binds = new Uint8Array(size)
    this.before = new Float64Array(size)
    this.after = new Float64Array(size)
  }

  set(index: number, verdict: BudgetPlan.Verdict, spendBefore: number, spendAfter: number): void {
    const { bidKopecks, binds, nothing, targetKopecks, verb } = verdict
    this.before[index] = spendBefore
    this.after[index] = spendAfter
    this.verb[index] = verbs.indexOf(verb) + 1
    this.bid[index] = bidKopecks
    this.target[index] = targetKopecks
    this.binds[index] = bidBounds.indexOf(binds)
    if (nothing !== undefined) this.nothing.set(index, nothing)
  }

  acts(index: number): boolean {
    return this.verb[index]! > 1
  }

  stake(index: number): Stake {
    const spendKopecks = this.before[index]!
    const verb = verbs[Math.max(0, this.verb[index]! - 1)]!
    return { verb, spendKopecks, moreKopecks: this.after[index]! - spendKopecks }
  }

  get(index: number): BudgetPlan.Verdict | undefined {
    const verb = this.verb[index]!
    if (verb === 0) return undefined
    const nothing = this.nothing.get(index)
    return {
      verb: verbs[verb - 1]!,
      bidKopecks: this.bid[index]!,
      targetKopecks: this.target[index]!,
      binds: bidBounds[this.binds[index]!]!,
      ...(nothing === undefined ? {} : { nothing })
    }
  }
}
