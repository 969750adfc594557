/**
 * S15: a policy that moves bids of clusters and runs only while an overlay stands over the bids of their items. A cluster without a bid
 * of its own waits for that overlay's end (decision 16), and of this policy's runs none comes after it.
 */
import { type Schedule, week } from "../../../domain/Schedule.js"
import * as FactType from "../../facts/FactType.js"
import * as Mode from "../Mode.js"
import type { Clause, During, Policy } from "../Policy.js"
import * as Boxes from "./Boxes.js"
import * as Fights from "./Fights.js"
import type { Rule, Subject } from "./Subject.js"

/** Two policies, each pair once. */
export interface Overlaid {
  readonly waiting: Fights.Side
  readonly overlay: Fights.Side & { readonly during: During }
}

/** Pairs of policies that act, the overlay's by itself: a person need not agree to one every time. Not where it is proved that no cluster is below an item of the other, or that each has a bid of its own. */
export const among = (subjects: ReadonlyArray<Subject>): ReadonlyArray<Overlaid> => {
  const work = Boxes.workOfPairs()
  const acting = subjects.filter(({ policy }) => Mode.acts(policy))
  const overlays = acting.filter(({ policy }) => policy.mode === "apply").flatMap(overlaysOf)
  return acting.flatMap(({ policy, rules }) =>
    overlays.flatMap((overlay): ReadonlyArray<Overlaid> => {
      if (!isWithin(policy.schedule, overlay)) return []
      const waiting = rules.find((rule) => waits(policy, rule) && mayMeet(rule, overlay, work))
      return waiting === undefined ? [] : [{ waiting: { policy, rule: waiting }, overlay }]
    })
  )
}

/** One that `when:` narrows may stand over no item. */
const overlaysOf = ({ policy, rules }: Subject): ReadonlyArray<Overlaid["overlay"]> => {
  const { during, each, where } = policy
  const [rule] = rules
  return rule?.action._tag === "AdjustBid" &&
    rule.action.placement === "search" &&
    rule.clauses.length === where.length &&
    each === "campaign_item" &&
    during !== undefined
    ? [{ policy, rule, during }]
    : []
}

const waits = ({ each }: Policy, { action }: Rule): boolean =>
  action._tag === "Optimise" ||
  (each === "cluster" && ["RaiseBid", "LowerBid", "SetBid", "AdjustBid"].includes(action._tag))

const mayMeet = (rule: Rule, overlay: Fights.Side, work: Boxes.Work): boolean =>
  work.left > 0 &&
  !Fights.disjoint([...rule.turn, follows(rule)], overlay.rule.clauses, work) &&
  work.left > 0

const follows = ({ action }: Rule): Clause => {
  const value = { _tag: "Fact", type: FactType.yesNo, fact: { id: "cluster.has_own_bid" } } as const
  const condition = { _tag: "Not", condition: { _tag: "IsTrue", value } } as const
  return { text: "not cluster.has_own_bid", condition, span: action.span }
}

const dayMinutes = 1_440

/** Whether every turn comes after the overlay has begun and at its end at the latest: what is due with the end is planned beside it. */
const isWithin = (
  schedule: Schedule | undefined,
  { during, policy }: Overlaid["overlay"]
): schedule is Schedule =>
  schedule !== undefined &&
  schedule.tz === policy.schedule?.tz &&
  turnsOf(schedule).every((minute) => {
    const since = minutesFrom(during.fromMinute, minute)
    if (since === 0 || since > (minutesFrom(during.fromMinute, during.toMinute) || dayMinutes)) return false
    const begun = (minute - since - during.fromMinute) / dayMinutes
    return (schedule.days ?? week).every(
      (day) =>
        during.days?.includes(week[(week.indexOf(day) + begun + 2 * week.length) % week.length]!) ?? true
    )
  })

/** When it is due on a day that it names, in minutes since that day began. */
const turnsOf = ({ at, between, every = dayMinutes * 60_000 }: Schedule): ReadonlyArray<number> => {
  if (at !== undefined) return at
  const { fromMinute, toMinute } = between ?? { fromMinute: 0, toMinute: 0 }
  const step = every / 60_000
  const length = minutesFrom(fromMinute, toMinute) || dayMinutes
  return Array.from({ length: Math.ceil(length / step) }, (_, turn) => fromMinute + turn * step)
}

const minutesFrom = (from: number, to: number): number =>
  (((to - from) % dayMinutes) + dayMinutes) % dayMinutes
