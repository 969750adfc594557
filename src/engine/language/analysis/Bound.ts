/**
 * S14: a pause that stands for good, though another policy is there to start what was paused. That one is of a tier below,
 * and what a higher tier has paused no tier below starts, whichever is due.
 */
import * as FactRefs from "../../facts/FactRefs.js"
import * as FactType from "../../facts/FactType.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import * as Mode from "../Mode.js"
import type { Clause, Policy, Span } from "../Policy.js"
import * as Boxes from "./Boxes.js"
import * as Fights from "./Fights.js"
import type { Subject } from "./Subject.js"

/** Findings in all: whoever has more mends these first. */
export const most = 20

/** Two policies, each pair once: the rule that pauses for good, and the first one below it that would start. */
export interface BoundPause {
  readonly pausing: Fights.Side
  readonly starting: Fights.Side
}

/**
 * Every such pair, in the order of the policies. Not where the pausing policy takes its pauses back itself, where a policy
 * that goes first or beside it may start them, nor where it is proved that no campaign is in both or that the start is for none that
 * is paused.
 */
export const among = (subjects: ReadonlyArray<Subject>): ReadonlyArray<BoundPause> => {
  const work = Boxes.workOfPairs()
  const live = subjects.filter(({ policy }) => policy.mode !== "disabled")
  const pauses = live.filter(({ policy }) => !takesBack(policy)).flatMap((one) => sides(one, "Pause"))
  const starts = live
    .flatMap((one) => sides(one, "Start"))
    .filter(({ rule }) => !Fights.disjoint(rule.clauses, [isPaused(rule.action.span)], work))
  const found = new Map<string, BoundPause>()
  for (const pausing of pauses) {
    const { policy } = pausing
    const met = starts.filter((start) => mayMeet(pausing, start, work))
    if (met.some((start) => !isBelow(start, pausing) && isThere(start.policy, policy))) continue
    for (const starting of met) {
      const pair = `${policy.id}\n${starting.policy.id}`
      if (work.left <= 0 || found.size >= most) return [...found.values()]
      if (!found.has(pair) && isBelow(starting, pausing)) found.set(pair, { pausing, starting })
    }
  }
  return [...found.values()]
}

/** Whether the pause is of a higher tier than the start, which then leaves it alone. */
export const isBelow = (starting: Fights.Side, pausing: Fights.Side): boolean =>
  Fights.rank(pausing.policy.tier) < Fights.rank(starting.policy.tier)

const takesBack = ({ rules, watch }: Policy): boolean =>
  watch !== undefined || rules.some(({ action }) => action._tag === "Revert")

/** A policy that only shows starts nothing that one that acts has paused. */
const isThere = (starting: Policy, pausing: Policy): boolean => Mode.acts(starting) || !Mode.acts(pausing)

interface Chooser extends Fights.Side {
  /** What chooses the same campaigns on every day. */
  readonly scope: ReadonlyArray<Clause>
}

const sides = ({ policy, rules }: Subject, action: "Pause" | "Start"): ReadonlyArray<Chooser> =>
  rules.flatMap((rule) =>
    rule.action._tag === action ? [{ policy, rule, scope: rule.clauses.flatMap(lasting) }] : []
  )

const mayMeet = (a: Chooser, b: Chooser, work: Boxes.Work): boolean =>
  work.left > 0 && !Fights.disjoint(a.scope, b.scope, work)

/** A start that is for campaigns that have not run yet rules it out. */
const isPaused = (span: Span): Clause => {
  const type = Vocabulary.byFactId("campaign.status")?.type ?? FactType.text
  const left = { _tag: "Fact", type, fact: { id: "campaign.status" } } as const
  const right = { _tag: "Literal", type, value: "paused" } as const
  return { text: "campaign.status = paused", condition: { _tag: "Compare", op: "=", left, right }, span }
}

/** The parts of a condition that are true of a campaign at the pause and at the start alike. */
const lasting = (clause: Clause): ReadonlyArray<Clause> => {
  const { condition } = clause
  if (condition._tag === "And")
    return condition.all.flatMap((part) => lasting({ ...clause, condition: part }))
  return FactRefs.ofClauses([clause]).every(({ id }) => isLasting(id)) ? [clause] : []
}

const isLasting = (id: string): boolean =>
  /^campaign\.(id|name|payment|bid_type)$/.test(id) || Vocabulary.byFactId(id)?.source === "own"
