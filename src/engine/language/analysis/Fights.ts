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
}

/** Every fight, in the order of the policies; a switched-off policy fights nobody. */
export const among = (subjects: ReadonlyArray<Subject>): ReadonlyArray<Fight> => {
  const budget: Budget = { steps: mostSteps, searches: mostSearches }
  const named = new Map<string, number>()
  const count = ({ policy }: Side) => named.get(policy.file) ?? 0
  const fights: Array<Fight> = []
  for (const group of bySlot(subjects).values()) {
    for (const [i, left] of group.entries()) {
      for (const right of group.slice(i + 1)) {
        if (left.policy === right.policy || !opposed(left, right)) continue
        if (count(left) >= mostPerPolicy && count(right) >= mostPerPolicy) continue
        const row = common(left, right, budget)
        if (row === undefined) continue
        fights.push({ left, right, row })
        for (const side of [left, right]) named.set(side.policy.file, count(side) + 1)
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
  Boxes.and(Boxes.ofClauses(a), Boxes.ofClauses(b)).length === 0

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
    for (const rule of rules) {
      const aim = aimOf(policy, rule)
      if (aim === undefined) continue
      const contender = { policy, rule, tier, ...aim, boxes: Boxes.ofClauses(rule.turn) }
      const key = `${aim.slot}\n${tier}`
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [contender])
      else group.push(contender)
    }
  }
  return groups
}

/** What an action sets, and which way; undefined for an action that cannot be opposed. */
const aimOf = (
  { each }: Policy,
  { action }: Rule
): { readonly slot: string; readonly direction: string } | undefined => {
  switch (action._tag) {
    case "RaiseBid":
    case "LowerBid":
    case "SetBid":
      return {
        slot: each === "cluster" ? "cluster bid" : `${action.placement} bid`,
        direction: action._tag === "SetBid" ? `sets ${target(action)}` : action._tag
      }
    case "AddMinus":
    case "RemoveMinus":
      return { slot: "minus", direction: action._tag }
    case "Pause":
    case "Start":
      return { slot: "status", direction: action._tag }
    default:
      return undefined
  }
}

/** Two policies that set one and the same bid agree. */
const target = ({ to, cap, floor }: Extract<Rule["action"], { _tag: "SetBid" }>): string =>
  JSON.stringify([to, cap, floor])

const opposed = (a: Contender, b: Contender): boolean => a.direction !== b.direction
