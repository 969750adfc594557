/**
 * S03: rules that pull one thing in opposite directions on rows they can both match, where nothing that the seller wrote
 * says which of the two is meant: neither a tier nor a cooldown.
 */

import type * as Arr from "effect/Array"
import * as Days from "../../../domain/Days.js"
import * as Groups from "../../../domain/Groups.js"
import * as FactRefs from "../../facts/FactRefs.js"
import { type Clause, type Policy, tiers } from "../Policy.js"
import * as Box from "./Box.js"
import * as Boxes from "./Boxes.js"
import type { Rule, Subject } from "./Subject.js"
import * as Witness from "./Witness.js"

/** One side of a fight. */
export interface Side {
  readonly policy: Policy
  readonly rule: Rule
}

/** Two policies, each pair once. */
export interface Fight {
  /** The side that does not get its way where both are due; the later file where that depends on the amounts. */
  readonly loser: Side
  readonly winner: Side
  /** A row that both rules act on. */
  readonly row: Witness.Row
}

/** Fights that are looked for between two policies that have as many already. */
export const mostPerPolicy = 5
/** What is gone through of boxes that are compared in all, which bounds the time for any set of rules. */
const mostSteps = 4_000_000
/** Examples that are looked for in all: whoever has more fights mends these first. */
const mostSearches = 200
/** Common boxes of a pair in which an example is looked for. */
const mostLooks = 8

interface Contender extends Side {
  readonly tier: string
  readonly slot: string
  readonly direction: string
  /** Made where it is opposed. */
  readonly boxes: () => Boxes.Boxes
  /** Of the policy, shared by its rules. */
  readonly tally: { fights: number }
}

/** Every fight, in the order of the policies; a switched-off policy fights nobody. */
export const among = (subjects: ReadonlyArray<Subject>): ReadonlyArray<Fight> => {
  const budget: Budget = { steps: mostSteps, searches: mostSearches }
  const fights: Array<Fight> = []
  const named = new Set<string>()
  for (const group of bySlot(subjects).values()) {
    for (let i = 0; i < group.length; i++) {
      const left = group[i]!
      for (let j = i + 1; j < group.length; j++) {
        const right = group[j]!
        if (left.policy === right.policy || !opposed(left, right) || isSettled(left, right)) continue
        const pair = `${left.policy.id}\n${right.policy.id}`
        if (named.has(pair)) continue
        if (left.tally.fights >= mostPerPolicy && right.tally.fights >= mostPerPolicy) continue
        if (budget.steps <= 0 || budget.searches <= 0) return fights
        const row = common(left, right, budget)
        if (row === undefined) continue
        named.add(pair)
        const [loser, winner] = losing(left, right) === left ? [left, right] : [right, left]
        fights.push({ loser, winner, row })
        for (const side of [left, right]) side.tally.fights++
      }
    }
  }
  return fights
}

/** A row for which the clauses of both lists are true, or undefined when none is found. */
export const between = (
  each: Policy["each"],
  a: ReadonlyArray<Clause>,
  b: ReadonlyArray<Clause>
): Witness.Row | undefined =>
  meeting(each, [a, Boxes.ofClauses(a)], [b, Boxes.ofClauses(b)], { steps: mostSteps, searches: mostLooks })

/** True only when it is proved that no row makes both lists true. */
export const disjoint = (
  a: ReadonlyArray<Clause>,
  b: ReadonlyArray<Clause>,
  work: Boxes.Work = { left: Number.POSITIVE_INFINITY }
): boolean => Boxes.disjoint(Boxes.ofClauses(a, work), Boxes.ofClauses(b, work), work)

const common = (left: Contender, right: Contender, budget: Budget): Witness.Row | undefined =>
  meeting(left.policy.each, [left.rule.turn, left.boxes()], [right.rule.turn, right.boxes()], budget)

interface Budget {
  steps: number
  searches: number
}

type Asked = readonly [ReadonlyArray<Clause>, Boxes.Boxes]

const meeting = (
  each: Policy["each"],
  [a, aBoxes]: Asked,
  [b, bBoxes]: Asked,
  budget: Budget
): Witness.Row | undefined => {
  let looks = 0
  for (const x of aBoxes) {
    for (const y of bBoxes) {
      budget.steps -= Box.weight(x) + Box.weight(y)
      if (budget.steps <= 0 || budget.searches <= 0 || looks >= mostLooks) return undefined
      const both = Box.intersect(x, y)
      if (both === undefined) continue
      looks++
      budget.searches--
      const row = Witness.find(each, [...a, ...b], both)
      if (row !== undefined) return row
    }
  }
  return undefined
}

const bySlot = (subjects: ReadonlyArray<Subject>): ReadonlyMap<string, ReadonlyArray<Contender>> => {
  const groups = new Map<string, Arr.NonEmptyArray<Contender>>()
  const work = { left: mostSteps }
  for (const { policy, rules, tier } of subjects) {
    if (policy.mode === "disabled") continue
    const tally = { fights: 0 }
    for (const rule of rules) {
      // Where too many rules stand before it they are left out: an example is asked of them all the same.
      const boxes = () => Boxes.ofClauses(work.left > 0 ? rule.turn : rule.clauses, work)
      for (const aim of aimsOf(policy, rule)) {
        const contender = { policy, rule, tier, ...aim, tally, boxes }
        // Money for a campaign and its pause are two things: whatever the tiers, no campaign is paused and topped up.
        Groups.add(groups, aim.slot === "money" ? aim.slot : `${aim.slot}\n${tier}`, contender)
      }
    }
  }
  return groups
}

export interface Aim {
  readonly slot: string
  readonly direction: string
}

/** What an action sets, and which way; none for an action that cannot be opposed. */
export const aimsOf = ({ each }: Policy, { action }: Rule): ReadonlyArray<Aim> => {
  switch (action._tag) {
    case "RaiseBid":
    case "LowerBid":
    case "SetBid":
      return [
        {
          slot: each === "cluster" ? "cluster bid" : `${action.placement} bid`,
          direction: action._tag === "SetBid" ? `sets ${target(action)}` : action._tag
        }
      ]
    case "AddMinus":
    case "RemoveMinus":
      return [{ slot: "minus", direction: action._tag }]
    case "Pause":
      return [
        { slot: "status", direction: action._tag },
        { slot: "money", direction: action._tag }
      ]
    case "Start":
      return [{ slot: "status", direction: action._tag }]
    case "Deposit":
      return [{ slot: "money", direction: action._tag }]
    case "Placements":
      return (["search", "recommendations"] as const).flatMap((place) =>
        action[place] === undefined ? [] : [{ slot: `shown in ${place}`, direction: `${action[place]}` }]
      )
    default:
      return []
  }
}

/** Two policies that set one and the same bid agree. */
const target = ({ to, cap, floor }: Extract<Rule["action"], { _tag: "SetBid" }>): string =>
  JSON.stringify([to, cap, floor])

const opposed = (a: Contender, b: Contender): boolean => a.direction !== b.direction

/** The side that never gets its way where both are due; undefined where the amounts or the list decide. */
const losing = (a: Contender, b: Contender): Contender | undefined =>
  [a, b].find(({ direction }, at) => yields[direction] === [a, b][1 - at]!.direction)

/** The cheaper outcome wins. */
const yields: Readonly<Record<string, string>> = { RaiseBid: "LowerBid", Start: "Pause", Deposit: "Pause" }

/** Whether the seller has already said who goes first, or that a change is left alone until the other side's next turn. */
const isSettled = (a: Contender, b: Contender): boolean => {
  const loser = losing(a, b)
  if (loser === undefined) return false
  const winner = loser === a ? b : a
  return rank(winner.tier) < rank(loser.tier) || rests(loser, winner)
}

/** Whether both are due in the same runs: only there the cheaper outcome wins, and a tier decides. No money goes to a paused campaign, whenever. */
export const areDueTogether = (a: Side, b: Side): boolean =>
  [a, b].some(({ rule }) => rule.action._tag === "Deposit") ||
  JSON.stringify(a.policy.schedule) === JSON.stringify(b.policy.schedule)

/** The lower goes first. */
export const rank = (tier: string): number => (tiers as ReadonlyArray<string>).indexOf(tier)

/**
 * A raise that rests after any change, whoever made it, until the lowering rule moves again never moves in between. Only
 * bids go on and on: a pause that stands is no change, and a start would come as soon as it has rested.
 */
const rests = ({ direction, policy }: Contender, lowering: Contender): boolean =>
  direction === "RaiseBid" && policy.cooldownMs !== undefined && policy.cooldownMs >= rhythmMs(lowering)

/** The longest time between two moves of a bid by a rule that matches all the time: it also waits for newer statistics. */
const rhythmMs = ({ policy, rule }: Contender): number => {
  const { cooldownMs = 0, schedule } = policy
  const at = policy.rules.findIndex(({ action }) => action === rule.action)
  const news = FactRefs.ofRules(policy, at + 1).map(({ window }) =>
    window?._tag === "Last" ? (1 + window.settleDays) * Days.dayMs : 0
  )
  const rest = Math.max(cooldownMs, ...news)
  const period = schedule === undefined ? 0 : periodMs(schedule)
  return period === 0 ? rest : Math.max(period, Math.ceil(rest / period) * period)
}

/** The longest time between two turns. */
const periodMs = ({ at, between, days, every }: NonNullable<Policy["schedule"]>): number => {
  if (days !== undefined) return 7 * Days.dayMs
  if (at !== undefined || between !== undefined) return Days.dayMs
  return every ?? 0
}
