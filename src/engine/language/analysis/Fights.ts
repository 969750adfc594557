/** S03: rules that pull one thing in opposite directions on rows they can both match. */
import type { Clause, Policy } from "../Policy.js"
import * as Box from "./Box.js"
import * as Boxes from "./Boxes.js"
import type { Rule, Subject } from "./Subject.js"
import * as Witness from "./Witness.js"

/** One side of a fight. */
export interface Side {
  readonly policy: Policy
  readonly rule: Rule
}

export interface Fight {
  readonly left: Side
  readonly right: Side
  /** A row that both rules act on. */
  readonly row: Witness.Row
}

/** Fights that are looked for between two policies that have as many already. */
export const mostPerPolicy = 5
/** Pairs of boxes that are compared in all, which bounds the time for any set of rules. */
const mostSteps = 4_000_000
/** Examples that are looked for in all: whoever has more fights mends these first. */
const mostSearches = 200
/** Common boxes of a pair in which an example is looked for. */
const mostLooks = 4

interface Contender extends Side {
  readonly tier: string
  readonly slot: string
  readonly direction: string
  readonly boxes: Boxes.Boxes
  /** Of the policy, shared by its rules. */
  readonly tally: { fights: number }
}

/** Every fight, in the order of the policies; a switched-off policy fights nobody. */
export const among = (subjects: ReadonlyArray<Subject>): ReadonlyArray<Fight> => {
  const budget: Budget = { steps: mostSteps, searches: mostSearches }
  const fights: Array<Fight> = []
  for (const group of bySlot(subjects).values()) {
    for (let i = 0; i < group.length; i++) {
      const left = group[i]!
      for (let j = i + 1; j < group.length; j++) {
        const right = group[j]!
        if (left.policy === right.policy || !opposed(left, right)) continue
        if (left.tally.fights >= mostPerPolicy && right.tally.fights >= mostPerPolicy) continue
        if (budget.steps <= 0 || budget.searches <= 0) return fights
        const row = common(left, right, budget)
        if (row === undefined) continue
        fights.push({ left, right, row })
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
export const disjoint = (a: ReadonlyArray<Clause>, b: ReadonlyArray<Clause>): boolean =>
  Boxes.disjoint(Boxes.ofClauses(a), Boxes.ofClauses(b))

const common = (left: Contender, right: Contender, budget: Budget): Witness.Row | undefined =>
  meeting(left.policy.each, [left.rule.turn, left.boxes], [right.rule.turn, right.boxes], budget)

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
      if (budget.steps-- <= 0 || budget.searches <= 0 || looks >= mostLooks) return undefined
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
  const groups = new Map<string, Array<Contender>>()
  for (const { policy, rules, tier } of subjects) {
    if (policy.mode === "disabled") continue
    const tally = { fights: 0 }
    for (const rule of rules) {
      const boxes = Boxes.ofClauses(rule.turn)
      for (const aim of aimsOf(policy, rule)) {
        const contender = { policy, rule, tier, ...aim, tally, boxes }
        // Money for a campaign and its pause are two things, of which no tier decides.
        const key = aim.slot === "money" ? aim.slot : `${aim.slot}\n${tier}`
        const group = groups.get(key)
        if (group === undefined) groups.set(key, [contender])
        else group.push(contender)
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
