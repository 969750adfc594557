/**
 * What a policy expects of scarce answers it has not got: for every key the money at stake in its rows, and the chance
 * that they act, guessed from the last answer. That answer is too old to decide on, so it is tried out on a table of
 * its own, as it was and with its prices moved as far as they may have drifted since. Pure.
 */

import * as Days from "../../domain/Days.js"
import * as Groups from "../../domain/Groups.js"
import * as Target from "../../domain/Target.js"
import * as Changes from "../decide/Changes.js"
import * as Cells from "../facts/Cell.js"
import * as Evaluate from "../facts/Evaluate.js"
import * as FactRefs from "../facts/FactRefs.js"
import * as Table from "../facts/Table.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { Action, Each, Expr, Move, Policy } from "../language/Policy.js"
import type { Remembered } from "./FactSource.js"
import type { Claim } from "./Worth.js"

/** Claims by key, one for every key; `recalled` answers are by key as well. */
export const of = (
  policy: Policy,
  table: Table.Table,
  rows: ReadonlyArray<number>,
  keys: ReadonlyArray<Target.Subject>,
  recalled: ReadonlyMap<string, Remembered>,
  nowMs: number
): ReadonlyMap<string, Claim> => {
  const below = rowsByKey(table, rows, keys)
  const told = [...below].flatMap(([key, own]) => (recalled.has(key) ? own : []))
  const moved = told.length === 0 ? new Map<number, number>() : shares(policy, table, told, recalled, nowMs)
  const refs = Changes.spendRefs(policy)
  return new Map(
    [...below].map(([key, own]) => {
      const answer = recalled.get(key)
      const trust = answer === undefined ? 0 : Math.exp(-daysSince(answer.readAt, nowMs) / trustDays)
      const scale = scaleOf(policy.rules[0]!.action)
      const sum = { told: 0, untold: 0, rowsTold: 0, rowsActing: 0 }
      for (const row of own) {
        const stake = stakeOf(refs, table, row) * scale
        const share = moved.get(row) ?? 0
        sum.told += stake * trust * share
        sum.untold += stake * (1 - trust)
        sum.rowsTold += answer === undefined ? 0 : 1
        sum.rowsActing += share
      }
      return [key, { policy: policy.id, rotates: policy.partial === "rotate", ...sum }] as const
    })
  )
}

/** In so many days the last answer loses two thirds of its weight against what is usual. */
const trustDays = 20
/** How far recommended prices wander in a day, as a share of themselves; with time as a random walk does. */
const driftPerDay = 0.05
const farthestDrift = 0.6
/** The middles of five equally likely parts of a normal distribution. */
const quantiles = [-1.28, -0.52, 0, 0.52, 1.28]

const daysSince = (readAt: number, nowMs: number): number => Math.max(0, nowMs - readAt) / Days.dayMs

/** How much of what it could move each row moves, on an average of the drifts; nothing where it does not act. */
const shares = (
  policy: Policy,
  table: Table.Table,
  rows: ReadonlyArray<number>,
  recalled: ReadonlyMap<string, Remembered>,
  nowMs: number
): ReadonlyMap<number, number> => {
  const trial = Table.make(table.each)
  const numbers = rows.map((row) => trial.add(table.target(row)))
  for (const fact of factsOf(policy))
    for (const [at, row] of rows.entries()) trial.set(numbers[at]!, fact, table.get(row, fact))
  const sums = new Map<number, number>()
  for (const quantile of quantiles) {
    for (const answer of recalled.values()) enter(trial, answer, quantile, nowMs)
    for (const { action, row } of acting(policy, trial, numbers)) {
      const part = partOf(action, policy.each, trial, row)
      sums.set(row, (sums.get(row) ?? 0) + part / quantiles.length)
    }
  }
  return new Map(rows.map((row, at) => [row, sums.get(numbers[at]!) ?? 0]))
}

/** What the conditions and the bounds of the actions look at. */
const factsOf = (policy: Policy): ReadonlySet<string> => {
  const bids = policy.rules.flatMap(({ action }) =>
    "placement" in action ? [bidOf(policy.each, action.placement)] : []
  )
  return new Set([...FactRefs.ofPolicy(policy).map(Table.factKey), ...bids])
}

/** Rows that act, by the first rule that holds; one that is unknown ends the search. */
const acting = (policy: Policy, trial: Table.Table, rows: ReadonlyArray<number>) => {
  let left = rows
  return policy.rules.flatMap(({ action, when }) => {
    const { holds, undecided } = Evaluate.sift([...policy.where, ...when], trial, left)
    const stopped = new Set([...holds, ...undecided.map(({ row }) => row)])
    left = left.filter((row) => !stopped.has(row))
    return holds.map((row) => ({ row, action }))
  })
}

/** An old answer with its prices as they may be by now. */
const enter = (trial: Table.Table, answer: Remembered, quantile: number, nowMs: number): void => {
  const spread = Math.min(farthestDrift, driftPerDay * Math.sqrt(daysSince(answer.readAt, nowMs)))
  const factor = Math.exp(quantile * spread)
  for (const { facts, target, values } of answer.rows) {
    for (const [at, id] of facts.entries()) {
      const value = values[at]!
      const isPrice = typeof value === "number" && Vocabulary.byFactId(id)?.type._tag === "Money"
      trial.setFor(target, id, Cells.ofGiven(isPrice ? value * factor : value))
    }
  }
}

/** Rows of each key: those of its campaign and item; a coarser row counts for each key below it. */
const rowsByKey = (
  table: Table.Table,
  rows: ReadonlyArray<number>,
  keys: ReadonlyArray<Target.Subject>
): ReadonlyMap<string, ReadonlyArray<number>> => {
  const own = Groups.by(rows, (row) => {
    const { cluster: _, ...above } = table.target(row)
    return Target.key(above)
  })
  return new Map(
    keys.map((key) => {
      const { campaignId } = key
      const above = Target.key(campaignId === undefined ? {} : { campaignId })
      const found = own.get(Target.key(key)) ?? own.get(above) ?? []
      return [Target.key(key), found] as const
    })
  )
}

/** What a view usually costs, where the spend is not known. */
const kopecksPerView = 30

/** Spend per day of the row, kopecks; never nothing, so that among rows without any the chance decides. */
const stakeOf = (refs: ReturnType<typeof Changes.spendRefs>, table: Table.Table, row: number): number => {
  for (const ref of refs) {
    const spend = numberOf(table, row, Table.factKey(ref))
    if (spend !== undefined && spend > 0) return 1 + spend / Changes.daysOf(ref)
    const views = numberOf(table, row, Table.factKey({ ...ref, id: ref.id.replace(/spend$/, "views") }))
    if (views !== undefined && views > 0) return 1 + (views * kopecksPerView) / Changes.daysOf(ref)
  }
  return 1
}

const numberOf = (table: Table.Table, row: number, fact: string): number | undefined =>
  Cells.numberOf(table.get(row, fact))

// How much of a row's money an action would move, guessed from facts that may be old: a bid that is nearly where it
// should be is hardly worth a call. Only for choosing what to ask; what is changed is decided elsewhere. Pure.

/** A step of a bid that is said in money, or not bounded at all, is taken to be about this share of it. */
const usualStep = 0.15

/** Share of the row's money that the whole action would move: 0.1 for a bid raised by 10%, 1 for a pause. */
const scaleOf = (action: Action): number => {
  switch (action._tag) {
    case "RaiseBid":
    case "LowerBid":
      return stepOf(action.by)
    case "SetBid":
      return action.maxStepBasisPoints === undefined ? usualStep : action.maxStepBasisPoints / 10_000
    default:
      return 1
  }
}

/** The part of it that the bounds leave, from 0 to 1; whole where they are not known. */
const partOf = (action: Action, each: Each, table: Table.Table, row: number): number => {
  if (action._tag !== "RaiseBid" && action._tag !== "LowerBid" && action._tag !== "SetBid") return 1
  const bid = numberOf(table, row, bidOf(each, action.placement))
  if (bid === undefined || bid <= 0) return 1
  const value = (expr: Expr | undefined): number | undefined =>
    expr === undefined ? undefined : Cells.numberOf(Evaluate.value(expr, table, row))
  const within = (far: number | undefined): number =>
    far === undefined ? 1 : Math.min(1, Math.max(0, far / bid / scaleOf(action)))
  switch (action._tag) {
    case "RaiseBid": {
      const bounds = [value(action.toward), value(action.cap)].filter((bound) => bound !== undefined)
      return within(bounds.length === 0 ? undefined : Math.min(...bounds) - bid)
    }
    case "LowerBid": {
      const bounds = [value(action.toward), value(action.floor)].filter((bound) => bound !== undefined)
      return within(bounds.length === 0 ? undefined : bid - Math.max(...bounds))
    }
    case "SetBid": {
      const to = value(action.to)
      return within(to === undefined ? undefined : Math.abs(to - bid))
    }
  }
}

/** Fact of the bid an action moves. */
const bidOf = (each: Each, placement: "search" | "recommendations"): string =>
  each === "cluster"
    ? "cluster.bid"
    : placement === "search"
      ? "campaign_item.bid"
      : "campaign_item.bid.recommendations"

const stepOf = (by: Move): number => (by._tag === "Percent" ? by.basisPoints / 10_000 : usualStep)
