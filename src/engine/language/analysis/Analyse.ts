/** Static analysis of a rule set: what is wrong although every file, taken by itself, is well-formed. */
import { clock } from "../../../domain/Schedule.js"
import * as FactRefs from "../../facts/FactRefs.js"
import * as FactType from "../../facts/FactType.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { AccountLimits, Action, Clause, Condition, Expr, Policy } from "../Policy.js"
import { compare, type Diagnostic, usedHere } from "../problems/Diagnostic.js"
import * as Suggest from "../problems/Suggest.js"
import * as Bound from "./Bound.js"
import * as Boxes from "./Boxes.js"
import * as Chases from "./Chases.js"
import * as Fights from "./Fights.js"
import * as Overlaid from "./Overlaid.js"
import * as Steering from "./Steering.js"
import * as Subject from "./Subject.js"
import { type Finding, line, type Rule } from "./Subject.js"

/** What is gone through of one policy, and of all: beyond it nothing more is said, so that any set of rules is checked in seconds. */
const mostWork = { ofOne: 1_000_000, ofAll: 4_000_000 }

/**
 * Problems of policies and between them, sorted, each once. Errors are proved; a fight is shown by a row that both rules
 * match. `limits` is absent when they could not be read.
 */
export const all = (
  policies: ReadonlyArray<Policy>,
  limits: AccountLimits | undefined
): ReadonlyArray<Diagnostic> => {
  const subjects = policies.map(Subject.of)
  let left = mostWork.ofAll
  const single = subjects.flatMap((subject) => {
    const given = Math.max(0, Math.min(left, mostWork.ofOne))
    const work = { left: given }
    const found = ofOne(subject, limits, work).map((finding) => placed(finding, subject.policy))
    left -= given - work.left
    return found
  })
  const found = [
    ...single,
    ...fights(subjects),
    ...chases(subjects),
    ...steering(subjects),
    ...bound(subjects),
    ...overlaid(subjects)
  ]
  return [...new Map(found.map((one) => [keyOf(one), one])).values()].sort(compare)
}

/** In the file the finding points at, which may be the templates': then with the place of use. */
const placed = (finding: Finding, { file, use }: Policy): Diagnostic => {
  const isElsewhere = finding.span.file !== file && use !== undefined
  const related = isElsewhere ? { related: [{ span: use, message: usedHere }] } : {}
  return { ...finding, file: finding.span.file, ...related }
}

const keyOf = ({ code, file, message, related, span }: Diagnostic): string =>
  `${file}:${span.line}:${span.column}:${code}:${message}:${related?.[0]?.span.file ?? ""}`

const ofOne = (
  subject: Subject.Subject,
  limits: AccountLimits | undefined,
  work: Boxes.Work
): ReadonlyArray<Finding> => {
  const contradictions = subject.rules.flatMap(({ clauses }) => contradictionsAmong(clauses, work))
  const isNever = contradictions.some(({ code }) => code === "S02")
  return [
    ...contradictions,
    ...(isNever ? [] : shadowed(subject, work)),
    ...(isNever ? [] : Chases.of(subject, work)),
    ...(isNever ? [] : capabilitiesOf(subject, work)),
    ...ceilingsOf(subject, limits)
  ]
}

/** S07: rules of a funnel whose rows are all taken by the rules before them. */
const shadowed = ({ rules }: Subject.Subject, work: Boxes.Work): ReadonlyArray<Finding> =>
  rules.flatMap(({ action, clauses }, at): ReadonlyArray<Finding> => {
    const earlier = rules.slice(0, at)
    if (
      at === 0 ||
      work.left <= 0 ||
      !Boxes.isCovered(
        clauses,
        earlier.map((rule) => rule.clauses),
        work
      )
    )
      return []
    const span = clauses.at(-1)?.span ?? action.span
    const last = earlier.at(-1)!.action.span
    const message = `Never has its turn: every row it matches is taken by a rule before it (${line(last, span)} or above).`
    return [{ code: "S07", severity: "warning", span, message }]
  })

/** S03, once for two policies: in the file of the rule that does not get its way, which names the other. */
const fights = (subjects: ReadonlyArray<Subject.Subject>): ReadonlyArray<Diagnostic> => {
  const named = new Map<string, number>()
  return Fights.among(subjects).flatMap(({ loser, row, winner }): ReadonlyArray<Diagnostic> => {
    const { file } = loser.policy
    const count = (named.get(file) ?? 0) + 1
    named.set(file, count)
    if (count > Fights.mostPerPolicy) return []
    const { span } = winner.rule.action
    const message = `This ${Chases.verb(loser.rule.action)}, ${span.file}:${span.line} ${Chases.verb(winner.rule.action, "it")}; both match ${Chases.row(row)}.`
    const together = Fights.areDueTogether(loser, winner)
    const fix = `a condition that keeps the two rules apart, or ${together ? "tier: for the one that goes first" : "one schedule: for both, with tier: for the one that goes first"}`
    const cheaper = "of two outcomes the cheaper one wins"
    const wins = together
      ? cheaper
      : `${cheaper} where both are due in one run; due at different times, the first to come acts, and its change keeps the other waiting (cooldown, new statistics)`
    const related = [{ span, message: `${Chases.verb(winner.rule.action)}; ${wins}` }]
    return [{ code: "S03", severity: "warning", file, span: loser.rule.action.span, message, fix, related }]
  })
}

/** S11, named in both files. */
const chases = (subjects: ReadonlyArray<Subject.Subject>): ReadonlyArray<Diagnostic> =>
  Chases.among(subjects).flatMap(({ left, right }) =>
    [[left, right] as const, [right, left] as const].map(([own, other]): Diagnostic => {
      const { span } = own.rule.action
      const at = other.rule.action.span
      const message = `This ${Chases.verb(own.rule.action)}; as soon as its condition no longer holds, ${at.file}:${at.line} ${Chases.verb(other.rule.action, "it")}, and nothing slows the two down: a value near the border would be changed back and forth.`
      const fix = "a gap between the two conditions, or cooldown: 6h"
      return { code: "S11", severity: "warning", file: own.policy.file, span, message, fix }
    })
  )

/** S13, in the file that optimises. */
const steering = (subjects: ReadonlyArray<Subject.Subject>): ReadonlyArray<Diagnostic> =>
  Steering.among(subjects).map(({ optimising, other }): Diagnostic => {
    const { span } = optimising.rule.action
    const at = other.rule.action.span
    const message = `This sets bids and minus phrases together, and ${at.file}:${at.line} ${Chases.verb(other.rule.action)} in the same campaigns: what one plans the other changes, and each waits for the other.`
    const fix = "mode: disabled for one of the two, or campaigns that the other leaves alone"
    const related = [{ span: at, message: `${Chases.verb(other.rule.action)} too` }]
    return { code: "S13", severity: "warning", file: optimising.policy.file, span, message, fix, related }
  })

/** S14, in the file that starts, which names the one that pauses. */
const bound = (subjects: ReadonlyArray<Subject.Subject>): ReadonlyArray<Diagnostic> =>
  Bound.among(subjects).map(({ pausing, starting }): Diagnostic => {
    const { span } = starting.rule.action
    const at = pausing.rule.action.span
    const message = `This starts the campaign, but never one that ${at.file}:${at.line} paused: that is tier ${pausing.policy.tier}, this tier ${starting.policy.tier}. Such a pause stands until a person starts the campaign.`
    const canRevert = pausing.policy.rules.length === 1
    const fix = `the same tier: for both${canRevert ? ", or revert_when: beside the pause" : ""}`
    const related = [{ span: at, message: "pauses the campaign, and nothing takes it back" }]
    return { code: "S14", severity: "warning", file: starting.policy.file, span, message, fix, related }
  })

/** S15, in the file that never moves them, which names the overlay. */
const overlaid = (subjects: ReadonlyArray<Subject.Subject>): ReadonlyArray<Diagnostic> =>
  Overlaid.among(subjects).map(({ overlay, waiting }): Diagnostic => {
    const { span } = waiting.rule.action
    const at = overlay.rule.action.span
    const time = [overlay.during.fromMinute, overlay.during.toMinute].map(clock).join("-")
    const message = `This never moves clusters without a bid of their own: they wait while an overlay stands over their item's, and this is due within that of ${at.file}:${at.line} alone (${time}).`
    const fix = `a schedule: that is due outside of ${time} too`
    const related = [{ span: at, message: "lays the overlay" }]
    return { code: "S15", severity: "warning", file: waiting.policy.file, span, message, fix, related }
  })

// S08: rules for rows of which the marketplace tells or takes nothing.

/** Cluster statistics of campaigns paid per click lack these (field note M20). */
const paidPerView = /^cluster\.(views|ctr|cpm)$/

/** What a policy may meet that it cannot judge or change; one finding per rule. */
const capabilitiesOf = ({ policy, rules }: Subject.Subject, work: Boxes.Work): ReadonlyArray<Finding> =>
  policy.each === "cluster"
    ? rules.flatMap((rule) => unbiddable(rule, work) ?? unreported(rule, work) ?? [])
    : rules.flatMap((rule) => uncapped(rule, work) ?? [])

const unbiddable = ({ action, clauses }: Rule, work: Boxes.Work): Finding | undefined => {
  if (
    action._tag !== "RaiseBid" &&
    action._tag !== "LowerBid" &&
    action._tag !== "SetBid" &&
    action._tag !== "AdjustBid"
  )
    return undefined
  const missing = [
    ...(admits(clauses, standardBid, work) ? ["campaign.bid_type = manual"] : []),
    ...(admits(clauses, paidPerClick, work) ? ["campaign.payment = cpm"] : [])
  ]
  if (missing.length === 0) return undefined
  const message =
    "Only campaigns with manual bids, paid per 1000 views, have bids per cluster: others stay as they are."
  return warning(action, message, missing.join(" and "))
}

/** A budget that also pays for what nothing may set is not shared out at all. */
const uncapped = ({ action, turn }: Rule, work: Boxes.Work): Finding | undefined => {
  if (action._tag !== "Optimise" || action.budgetOf !== "account") return undefined
  const [lacking, other] =
    action.cap.cpm === undefined ? (["cpm", "cpc"] as const) : (["cpc", "cpm"] as const)
  if (action.cap[lacking] !== undefined || !admits(turn, is("campaign.payment", lacking), work))
    return undefined
  const message = `cap has no amount for ${lacking}, and campaigns paid so may match: the account's budget pays for them too, and while it does nothing moves. Give cap an amount for ${lacking}, or leave them out.`
  return warning(action, message, `campaign.payment = ${other}`)
}

const unreported = ({ clauses }: Rule, work: Boxes.Work): Finding | undefined => {
  const blind = clauses.find(({ condition }) =>
    FactRefs.ofCondition(condition).some(({ id }) => paidPerView.test(id))
  )
  if (blind === undefined || !admits(clauses, paidPerClick, work)) return undefined
  const message =
    "Campaigns paid per click report no views per cluster: there this stays unknown, and the rule never acts."
  return warning(blind, message, "campaign.payment = cpm")
}

const warning = (at: Pick<Clause, "span">, message: string, fix: string): Finding => ({
  code: "S08",
  severity: "warning",
  span: at.span,
  message: `${message} Add to where:`,
  fix
})

/** Whether rows of this kind are not ruled out, as far as that was looked at. */
const admits = (clauses: ReadonlyArray<Clause>, kind: Condition, work: Boxes.Work): boolean => {
  const isRuledOut = Boxes.disjoint(Boxes.ofClauses(clauses, work), Boxes.of(kind), work)
  return !isRuledOut && work.left > 0
}

const is = (id: string, word: string): Condition => {
  const type = FactType.oneOf(id, [word])
  return {
    _tag: "Compare",
    op: "=",
    left: { _tag: "Fact", type, fact: { id } },
    right: { _tag: "Literal", type, value: word }
  }
}

const paidPerClick = is("campaign.payment", "cpc")
const standardBid = is("campaign.bid_type", "unified")

// S02, E16, S06: conditions that can never hold together, that always hold, or that say nothing new.

/** What is wrong with a list of clauses that mean "and". Nothing is said twice about one clause. */
const contradictionsAmong = (clauses: ReadonlyArray<Clause>, work: Boxes.Work): ReadonlyArray<Finding> => {
  const asked = clauses.map((clause) => ({ clause, boxes: Boxes.of(clause.condition) }))
  const empty = asked.filter(({ boxes }) => boxes.length === 0)
  if (empty.length > 0) return empty.map(({ clause }) => never(clause))
  const core = conflict(asked, work)
  if (core !== undefined) return [together(core)]
  return [...clauses.flatMap(alternatives), ...always(clauses), ...repeated(asked, work)]
}

/** S02 of clauses that mean "and", whatever others there may be. */
export const contradictions = (clauses: ReadonlyArray<Clause>): ReadonlyArray<Diagnostic> =>
  contradictionsAmong(clauses, { left: mostWork.ofOne })
    .filter(({ code }) => code === "S02")
    .map((finding) => ({ ...finding, file: finding.span.file }))

/** True only when it is proved that no row makes every clause true. */
const isNever = (clauses: ReadonlyArray<Clause>, work: Boxes.Work): boolean =>
  Boxes.ofClauses(clauses, work).length === 0

interface Asked {
  readonly clause: Clause
  readonly boxes: Boxes.Boxes
}

/** The fewest clauses that cannot hold together, in their order; a pair if there is one. */
const conflict = (asked: ReadonlyArray<Asked>, work: Boxes.Work): ReadonlyArray<Clause> | undefined => {
  const all = asked.map(({ clause }) => clause)
  // With a box each, what all leave possible every two leave possible.
  if (asked.every(({ boxes }) => boxes.length === 1) && !isNever(all, work)) return undefined
  for (const [j, b] of asked.entries()) {
    if (work.left <= 0) return undefined
    const a = asked.slice(0, j).find(({ boxes }) => Boxes.disjoint(boxes, b.boxes, work))
    if (a !== undefined) return [a.clause, b.clause]
  }
  if (!isNever(all, work)) return undefined
  return all.reduce((left, clause) => {
    const without = left.filter((one) => one !== clause)
    return isNever(without, work) ? without : left
  }, all)
}

const never = (clause: Clause): Finding => {
  const { _tag } = clause.condition
  const what = _tag === "And" ? "These can never both hold" : "This can never hold"
  return { code: "S02", severity: "error", span: clause.span, message: `${what}, so the rule never acts.` }
}

const together = (core: ReadonlyArray<Clause>): Finding => {
  const last = core.at(-1)!
  const others = core.slice(0, -1).map((clause) => `${clause.text} (${line(clause.span, last.span)})`)
  const what = core.length === 2 ? "These can never both hold" : "These can never all hold"
  const message = `${what}, so the rule never acts: ${others.join(", ")}, and ${last.text}.`
  return { code: "S02", severity: "error", span: last.span, message }
}

/** Parts of an `or` that can never hold. */
const alternatives = ({ condition, span }: Clause): ReadonlyArray<Finding> => {
  const dead = choices(condition).findIndex((part) => Boxes.of(part).length === 0)
  if (dead < 0) return []
  const message = `One side of this "or" can never hold (the ${ordinal(dead)}). Mend it or leave it out.`
  return [{ code: "S02", severity: "error", span, message }]
}

const choices = (condition: Condition): ReadonlyArray<Condition> => {
  switch (condition._tag) {
    case "Or":
      return condition.any
    case "And":
      return condition.all.flatMap(choices)
    default:
      return []
  }
}

const ordinal = (index: number): string => ["first", "second", "third"][index] ?? `${index + 1}th`

/** E16 for what takes more than one comparison to see. */
const always = (clauses: ReadonlyArray<Clause>): ReadonlyArray<Finding> =>
  clauses
    .filter(({ condition }) => Boxes.of(condition, false).length === 0)
    .map(({ span }) => ({
      code: "E16",
      severity: "warning",
      span,
      message: "Always true wherever the value is known, so it rules nothing out. Leave it out, or mend it."
    }))

const repeated = (asked: ReadonlyArray<Asked>, work: Boxes.Work): ReadonlyArray<Finding> => {
  const outside = asked.map(({ clause }) => Boxes.of(clause.condition, false))
  const implies = (i: number, j: number) => Boxes.disjoint(asked[i]!.boxes, outside[j]!, work)
  return asked.flatMap(({ clause }, j): ReadonlyArray<Finding> => {
    if (outside[j]!.length === 0 || work.left <= 0) return []
    const i = asked.findIndex((_, other) => {
      if (other === j || outside[other]!.length === 0 || !implies(other, j)) return false
      return other < j || !implies(j, other)
    })
    const by = asked[i]?.clause
    if (by === undefined) return []
    const message = `Says nothing new: ${by.text} (${line(by.span, clause.span)}) already means it. Leave one of them out.`
    return [{ code: "S06", severity: "warning", span: clause.span, message }]
  })
}

// S01 and S09: bids that move without news, and bids without a ceiling in money.

/** `limits` is absent when the account's limits could not be read: then nothing is said about ceilings. */
const ceilingsOf = (
  { policy, rules }: Subject.Subject,
  limits: AccountLimits | undefined
): ReadonlyArray<Finding> =>
  rules.flatMap((rule) => [
    ...creeping(policy, rule),
    ...(limits === undefined ? [] : unbounded(policy, rule.action, limits))
  ])

/** A `set_bid` computed from the bid itself moves like a raise or a cut: each run moves it again. */
const creeping = (policy: Policy, { action, clauses }: Rule): ReadonlyArray<Finding> => {
  if (action._tag !== "SetBid" || policy.cooldownMs !== undefined) return []
  if (!FactRefs.ofExpr(action.to).some(({ id }) => ownBid.test(id))) return []
  if (FactRefs.ofClauses(clauses).some(({ id }) => Vocabulary.byFactId(id)?.windowed === true)) return []
  const message =
    "The new bid is computed from the bid itself, and no statistic is asked: it would move again in each run. Add cooldown:."
  const example = Suggest.forExample("cooldown: 6h")
  return [{ code: "S01", severity: "error", span: action.span, message: message + example }]
}

const ownBid = /^(cluster|campaign_item)\.bid(\.|$)/

const unbounded = (policy: Policy, action: Action, limits: AccountLimits): ReadonlyArray<Finding> => {
  if (action._tag !== "RaiseBid" && action._tag !== "SetBid") return []
  if (isAmount(action.cap)) return []
  const ceilings = [policy.limits.maxBidKopecks, limits.maxBidKopecks]
  const bounded = (["cpm", "cpc"] as const).every((payment) =>
    ceilings.some((ceiling) => ceiling?.[payment] !== undefined)
  )
  if (bounded || (ceilings.some((ceiling) => ceiling !== undefined) && policy.each === "cluster")) return []
  const message =
    "The cap is no amount of money and no max_bid is set, so nothing says how high the bid may go. Add to the account's limits:"
  return [
    { code: "S09", severity: "warning", span: action.span, message, fix: "max_bid: {cpm: 900 ₽, cpc: 40 ₽}" }
  ]
}

const isAmount = (cap: Expr): boolean => FactRefs.ofExpr(cap).length === 0
