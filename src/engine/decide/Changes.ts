/** From what won a slot to the change of the plan: what it does, whose rule it is, why, and what it may cost. */
import * as Hash from "../../domain/Hash.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as Cells from "../facts/Cell.js"
import * as FactRefs from "../facts/FactRefs.js"
import { factKey } from "../facts/Table.js"
import * as Trace from "../facts/Trace.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import * as Bids from "../kinds/Bids.js"
import type { Change, PolicyOrigin } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import * as MinusPhrase from "../kinds/MinusPhrase.js"
import * as Optimised from "../kinds/Optimised.js"
import type { ActionName } from "../kinds/Parts.js"
import type { Action, Each, FactRef, Policy } from "../language/Policy.js"
import * as Inverse from "./Inverse.js"
import * as Daytime from "./intents/Daytime.js"
import { factsOf, type Ground, type Intent, type Setting } from "./intents/Intent.js"
import type { Moving } from "./intents/Resolve.js"

/** Other policies that move the slot, by their ids: those that lost, and those that want the very same. */
export interface Others {
  readonly overruled: ReadonlyArray<string>
  readonly agreed: ReadonlyArray<string>
}

/** The change of a move; the way back from an earlier change is one already. */
export const of = (account: string, intent: Moving, others: Others): Change => {
  const { ground, target, slot } = intent
  const { setting } = intent.outcome
  if (intent.change !== undefined) return { ...intent.change, ...named(others) }
  const { takesBack, ...set } = setting
  const { action } = ground.rule
  if (action._tag === "Notify") throw new RangeError(`${ground.policy.id}: a message is no change`)
  const actionName = nameOf(action, setting)
  return {
    id: Hash.of({ account, slot, action: actionName, before: setting.before, after: setting.after }).slice(
      0,
      32
    ),
    origin: {
      by: "policy",
      name: ground.policy.id,
      ...calledBy(ground),
      line: action.span.line,
      ...(takesBack === true ? { takesBack } : {}),
      ...revertsTo(intent, setting)
    },
    subject: target,
    campaignName: campaignName(ground),
    action: actionName,
    ...set,
    ...forGood(setting),
    reason: [
      ...duringLine(ground),
      ...reasonOf(ground),
      ...(Bids.detailsOf(setting).clears === true ? [Bids.noneOfItsOwn] : [])
    ],
    ...named(others),
    ...moneyEstimate(ground, setting)
    // One intent's own target and setting belong together.
  } as Change
}

const named = ({ agreed, overruled }: Others): Pick<Change, "agreed" | "overruled"> => ({
  overruled,
  ...(agreed.length === 0 ? {} : { agreed })
})

/** Why a change cannot be taken back: said before it is made. */
const forGood = (setting: Setting): Pick<Change, "irreversible"> => {
  const why = setting.reversible ? undefined : Inverse.keptBy(setting)
  return why === undefined ? {} : { irreversible: why }
}

/** Only where there is something to tell apart. */
const calledBy = ({ policy, rule, ruleIndex }: Ground): Pick<PolicyOrigin, "rule"> =>
  rule.name === undefined && policy.rules.filter(({ action }) => action._tag !== "Revert").length === 1
    ? {}
    : { rule: rule.name ?? `rule ${ruleIndex + 1}` }

/** Where an unbroken row of changes of a policy with `revert_when` began. */
const revertsTo = (
  { ground, slot }: Intent,
  setting: Setting
): Pick<PolicyOrigin, "revertsTo" | "revertsInherited"> => {
  const { policy, slots } = ground
  const isOverlay = ground.rule.action._tag === "AdjustBid"
  if (isOverlay || setting.takesBack === true) return {}
  if (!policy.rules.some(({ action }) => action._tag === "Revert")) return {}
  const before = Bids.overlayOf(setting)?.baseBeforeKopecks ?? setting.before
  const ours = slots.get(slot)?.ours
  const goesOn = ours?.policy === policy.id && ours.after === before
  const isInherited = goesOn ? ours.inherited === true : Bids.detailsOf(setting).inherited === true
  return {
    revertsTo: goesOn ? ours.before : before,
    ...(isInherited ? { revertsInherited: true } : {})
  }
}

/** An overlay's time as a condition that holds, or does not any more. */
export const duringLine = ({
  nowMs,
  policy,
  zone
}: Pick<Ground, "nowMs" | "policy" | "zone">): Change["reason"] => {
  if (policy.during === undefined) return []
  const tz = policy.schedule?.tz ?? zone
  const holds = Daytime.begunAt(policy.during, tz, nowMs) === undefined ? "false" : "true"
  return [{ condition: `during ${Daytime.text(policy.during)}`, value: Daytime.shown(nowMs, tz), holds }]
}

const nameOf = (action: Exclude<Action, { readonly _tag: "Notify" }>, setting: Setting): ActionName => {
  if (action._tag === "Revert") return Kinds.of(setting).backwards(setting)
  if (action._tag !== "Optimise") return actionNames[action._tag]
  if (setting.kind !== MinusPhrase.name) return "set_bid"
  return setting.after === true ? "add_minus" : "remove_minus"
}

const actionNames: Readonly<Record<Exclude<Action["_tag"], "Revert" | "Notify" | "Optimise">, ActionName>> = {
  RaiseBid: "raise_bid",
  LowerBid: "lower_bid",
  SetBid: "set_bid",
  AdjustBid: "adjust_bid",
  AddMinus: "add_minus",
  RemoveMinus: "remove_minus",
  Pause: "pause",
  Start: "start",
  Deposit: "deposit",
  Placements: "placements",
  Enrol: "enrol"
}

/** The conditions of a row's rule, with what they saw. */
export const reasonOf = ({ amounts, policy, rule, table, row, sign }: Ground) =>
  Trace.needed(Trace.lines([...policy.where, ...rule.when], table, row, sign, amounts))

/** Of what the row is in, a campaign or a promotion; empty when the name was not reported. */
export const campaignName = (ground: Ground): string => {
  const { row, target } = ground
  const name = factsOf(ground).get(row, target.promotionId === undefined ? "campaign.name" : "promotion.name")
  return name._tag === "Known" ? String(name.value) : ""
}

// What a change may cost or save per day, estimated from the spend of the rule's window. Never used to decide.

/** Kopecks per day: the change, and the spend it was estimated from. */
type Estimate = Pick<Change, "moneyPerDayKopecks" | "spendPerDayKopecks">

const moneyEstimate = (ground: Ground, setting: Setting): Estimate => {
  const { isDearer, unforeseen: untold } = Kinds.of(setting)
  if (untold !== undefined) return { moneyPerDayKopecks: { unknown: untold } }
  const expected = Optimised.of(setting)
  if (expected !== undefined)
    return {
      moneyPerDayKopecks: expected.after.spendKopecks - expected.before.spendKopecks,
      spendPerDayKopecks: expected.before.spendKopecks
    }
  const spend = spendOf(ground)
  if ("unknown" in spend) return { moneyPerDayKopecks: spend }
  const { kopecks, days } = spend
  const spendPerDayKopecks = Math.round(kopecks / days)
  const { before, after } = setting
  if (typeof before === "number" && typeof after === "number") {
    return {
      moneyPerDayKopecks: Math.round((kopecks * (after - before)) / (before * days)),
      spendPerDayKopecks
    }
  }
  return {
    moneyPerDayKopecks: isDearer(setting) ? spendPerDayKopecks : 0 - spendPerDayKopecks,
    spendPerDayKopecks
  }
}

/** What is the very same costs the same, whoever does it: the most that any of its rules knows, of lower tiers (`below`) too. */
export const estimatedAlike = (
  same: ReadonlyArray<Change>,
  below: ReadonlyArray<Change> = []
): ReadonlyArray<Change> => {
  const all = [...same, ...below]
  const known = all.flatMap(({ moneyPerDayKopecks: money }) => (typeof money === "number" ? [money] : []))
  if (known.length === 0 || all.length === 1) return same
  return same.map((one) => ({ ...one, moneyPerDayKopecks: Math.max(...known) }))
}

type Spend = { readonly kopecks: number; readonly days: number } | { readonly unknown: string }

/** Of the windows the rule already reads, the longest whose spend is known: nothing is fetched for an estimate. */
const spendOf = (ground: Ground): Spend => {
  for (const ref of spendRefs(ground.policy, ground.table.each)) {
    const kopecks = Cells.numberOf(ground.table.get(ground.row, factKey(ref)))
    if (kopecks !== undefined) return { kopecks, days: daysOf(ref) }
  }
  return { unknown: "no spend is known over a window of this rule" }
}

/** Spend of a row, of the policy's own level unless said, over the windows that the policy reads anyway, the longest first. */
export const spendRefs = (policy: Policy, each: Each = policy.each): ReadonlyArray<FactRef> => {
  const spend = Vocabulary.byFactId(`${each}.spend`)
  const refs = FactRefs.ofPolicy(policy)
  return refs
    .flatMap(
      (ref): ReadonlyArray<FactRef> =>
        spend !== undefined &&
        ref.window !== undefined &&
        Vocabulary.byFactId(ref.id)?.source === spend.source
          ? [{ id: spend.id, window: ref.window }]
          : []
    )
    .sort((a, b) => daysOf(b) - daysOf(a) || TextOrder.compare(factKey(a), factKey(b)))
}

/** The running day counts as a whole one, so its estimate is on the low side. */
export const daysOf = (ref: FactRef): number => (ref.window?._tag === "Last" ? ref.window.days : 1)
