/**
 * What a limit holds of a list of changes. Nothing is cut silently: what does not pass is held, with the limit's
 * name and how far over it was.
 */
import * as Days from "../../../domain/Days.js"
import type { CampaignId } from "../../../domain/Ids.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import { Reading } from "../../facts/Reading.js"
import type { Table } from "../../facts/Table.js"
import * as Bids from "../../kinds/Bids.js"
import * as BudgetRoom from "../../kinds/BudgetRoom.js"
import type { Change, Held } from "../../kinds/Change.js"
import * as Changes from "../../kinds/Change.js"
import type { HeldReason } from "../../kinds/HeldReason.js"
import * as Kinds from "../../kinds/Kinds.js"
import * as Whole from "../../kinds/Whole.js"
import type { AccountLimits, Policy, RuleSet } from "../../language/Policy.js"
import type { Calibration } from "../forecasts/Calibration.js"
import * as Inverse from "../Inverse.js"
import * as BidLimits from "../intents/BidLimits.js"
import * as Daytime from "../intents/Daytime.js"
import * as Overlays from "../intents/Overlays.js"
import type { Unchanged } from "../Plan.js"
import { toTheMinute } from "../RowReason.js"
import type { Draft } from "../Summary.js"
import * as Agreeing from "./Agreeing.js"
import * as CostsKept from "./CostsKept.js"
import * as DailySpend from "./DailySpend.js"
import * as Deposits from "./Deposits.js"
import * as Forecasts from "./Forecasts.js"
import * as Going from "./Going.js"
import * as NeverTouch from "./NeverTouch.js"
import * as Overtaken from "./Overtaken.js"
import * as PerRun from "./PerRun.js"
import * as PriceFloor from "./PriceFloor.js"
import * as Reconciled from "./Reconciled.js"
import * as Rejected from "./Rejected.js"
import * as StartNeeds from "./StartNeeds.js"
import * as Stops from "./Stops.js"
import * as SwitchedOff from "./SwitchedOff.js"
import * as Unread from "./Unread.js"

/** What the limits look at beside the plan. */
export interface LimitContext extends DailySpend.Account {
  readonly rules: RuleSet
  /** For `never_touch` and campaign selectors too; what is missing here counts as a match. */
  readonly campaigns: Table
  /** Campaigns that the marketplace lists among those that can be changed; absent where nobody asked. */
  readonly listed?: ReadonlySet<CampaignId>
  /** When the plan is looked at, epoch milliseconds: it may be long after it was made. Absent where it is not. */
  readonly nowMs?: number
  /** IANA zone of the seller, for times of day without one of their own. */
  readonly zone: string
  /** Deposits since the day's beginning; without them none may be made. */
  readonly made?: Deposits.Made
  /** Floors that stood in a table and are in none now; nothing joins a promotion then. */
  readonly floorsGone?: PriceFloor.Gone | undefined
  /** When the account of a restored store was reconciled, epoch milliseconds; absent where it never was. */
  readonly reconciledAt?: number | undefined
  /** Why every write is stopped; absent when none is. */
  readonly killSwitch?: string | undefined
  /** What people have stopped; nothing when absent. Sending looks at the holds again. */
  readonly stops?: Stops.Stops
  /** What people said no to; nothing when absent. */
  readonly rejected?: Rejected.Rejections
  /** What the marketplace refuses to the token now; nothing when absent. */
  readonly switchedOff?: ReadonlyArray<SwitchedOff.SwitchedOff>
  /** Budgets of the campaigns that the plan would start, and of those that stand still by now; nothing when absent. */
  readonly budgets?: StartNeeds.Budgets
  /** How well predictions hold, of policies that optimise; nothing is held for it when absent. */
  readonly forecasts?: ReadonlyArray<Calibration>
}

/** A change that passed is undefined; a held one says by what. */
type Verdict = HeldReason | undefined

/** The changes of a plan, each in one of the lists, in their order. */
export interface Sorted {
  readonly changes: ReadonlyArray<Change>
  readonly held: ReadonlyArray<Held>
  /** What others that may go make pointless. */
  readonly overtaken: ReadonlyArray<Unchanged>
}

/**
 * Splits the changes of a plan into those that may go and those that are held or pointless. Until one of several that want the very same
 * of a slot is chosen, each counts for its own policy, so that no limit of a policy asks who else agrees.
 */
export const sort = (plan: Draft, context: LimitContext): Sorted => {
  const { rules } = context
  const sorting = new Sorting([...plan.changes, ...(plan.equals ?? [])])
  const items = new Reading(context.campaigns.view("promotion_item"))
  sorting.hold(sorting.open(), (change) => byItself(change, context, items))
  sorting.hold(sorting.open(), (change) => aboveMaxBid(change, context))
  byAnotherDay(context, sorting)
  // After what people and guards hold: a pause that they stop pauses nothing, and its campaign would run dry. Before
  // the limits on numbers, which would count what is pointless.
  const { changes, overtaken } = Overtaken.part(sorting.open(), rules.policies)
  sorting.leave(new Set(changes))
  for (const policy of rules.policies) ofPolicy(policy, plan, context, sorting)
  const agreeing = Agreeing.of(plan, sorting.standing, sorting.verdicts, rules)
  sorting.standing = agreeing.chosen
  perRun(plan, context, sorting)
  withinBudgets(plan, context, sorting, agreeing)
  deposits(context, sorting, agreeing)
  spendPerDay(context, sorting)
  const wayOf = (change: Change) =>
    plan.observeOnly !== undefined ? "looks" : sorting.isHeld(change) ? "held" : Going.wayOf(change, rules)
  return { ...sorting.parts(), overtaken: Overtaken.told(overtaken, sorting.standing, wayOf) }
}

/** The changes of a plan while limits hold one after the other. */
class Sorting {
  readonly verdicts = new Map<Change, HeldReason>()
  /** Whether some go whole or not at all; nearly always none do. */
  private readonly hasGroups: boolean

  constructor(public standing: ReadonlyArray<Change>) {
    this.hasGroups = standing.some((change) => Whole.groupOf(change) !== undefined)
  }

  /** What is not held yet. */
  open(): ReadonlyArray<Change> {
    return this.verdicts.size === 0 ? this.standing : this.standing.filter((change) => !this.isHeld(change))
  }

  isHeld(change: Change): boolean {
    return this.verdicts.has(change)
  }

  hold(changes: Iterable<Change>, verdict: (change: Change) => Verdict): void {
    for (const change of changes) {
      const because = verdict(change)
      if (because !== undefined) this.verdicts.set(change, because)
    }
    if (!this.hasGroups) return
    // At once, so that what goes whole or not at all takes no room in the limits that come after.
    for (const group of Whole.parted(this.open())) {
      const parted = partedBy(group, this.verdicts)
      for (const change of group.changes) this.verdicts.set(change, parted)
    }
  }

  /** Leaves these of what is open; what is held stays. */
  leave(going: ReadonlySet<Change>): void {
    this.standing = this.standing.filter((change) => going.has(change) || this.isHeld(change))
  }

  parts(): Pick<Sorted, "changes" | "held"> {
    const held = this.standing.flatMap((change) => {
      const because = this.verdicts.get(change)
      return because === undefined ? [] : [Changes.held(change, because)]
    })
    return { changes: this.open(), held }
  }
}

/** What holds a change whatever else is in the plan. */
const byItself = (change: Change, context: LimitContext, items: Reading): Verdict =>
  stopped(change, context) ??
  Rejected.verdict(change, context) ??
  campaignOver(change, context) ??
  untouchable(change, context) ??
  PriceFloor.verdict(change, context.rules, items, context.floorsGone) ??
  CostsKept.verdict(change, items) ??
  Reconciled.verdict(change, context) ??
  unowned(change, context) ??
  tooLate(change, context) ??
  Forecasts.verdict(change, context.forecasts ?? []) ??
  Deposits.stopped(change, context) ??
  (context.budgets === undefined ? undefined : StartNeeds.verdict(change, context.budgets))

/**
 * A day that has not begun has spent nothing, and what the daily stop stopped would start. What is for another day than the marketplace's
 * would not be sent. Deposits have a stricter word of their own.
 */
const byAnotherDay = ({ made }: LimitContext, sorting: Sorting): void => {
  const apart = DailySpend.ofAnotherDay(made)
  if (apart === undefined) return
  const { day, said } = apart
  sorting.hold(sorting.open(), (change) => {
    const until = Kinds.of(change).holdsUntil?.(change)
    const isOfAnother = until !== undefined && Days.ofMarket(until - 1) !== day
    const isDearer = Kinds.of(change).isDearer(change) && !Kinds.isPayment(change)
    return isOfAnother || (isDearer && !Inverse.isByPerson(change))
      ? { code: "another_day", said }
      : undefined
  })
}

/** How many changes one run may make, of the campaigns of a selector and of the account. */
const perRun = (plan: Draft, context: LimitContext, sorting: Sorting): void => {
  for (const { selector, ...most } of PerRun.ofCampaigns(context.rules.limits)) {
    const own = sorting.open().filter((change) => matchesCampaign(change, selector, context))
    budget(own, { ...most, later: 0 }, context, sorting)
  }
  budget(
    sorting.open(),
    { ...PerRun.ofAccount(context.rules.limits), later: laterOf(plan) },
    context,
    sorting
  )
}

/** What makes dearer goes where there is room in its budget. */
const withinBudgets = (
  plan: Draft,
  context: LimitContext,
  sorting: Sorting,
  agreeing: Agreeing.Agreeing
): void => {
  // What makes room and is done in another policy's name is in no budget: its own has only the room that there is.
  const all = [...plan.changes, ...(plan.equals ?? []), ...plan.held.map(({ change }) => change)]
  const noRoom = BudgetRoom.without({
    open: appliedFirst(sorting.open(), context),
    gone: all.filter((change) => BudgetRoom.makesRoom(change) && campaignOver(change, context) !== undefined),
    all,
    absent: BudgetRoom.absentOf(plan.forecasts)
  })
  sorting.standing = sorting.standing.map((change) =>
    noRoom.has(change) ? Agreeing.outsideBudgets(agreeing, change) : change
  )
  sorting.hold(sorting.open(), (change) => {
    const none = noRoom.get(change)
    return none === undefined ? undefined : { code: "budget_no_room", ...none }
  })
}

/** A deposit that several want is made by one whose limits have room for it. */
const deposits = (context: LimitContext, sorting: Sorting, agreeing: Agreeing.Agreeing): void => {
  const paying = sorting.open().filter(Kinds.isPayment).flatMap(agreeing.withOthers)
  const { goes, held } = Deposits.settle(appliedFirst(paying, context), context.rules, context.made)
  sorting.standing = sorting.standing.map((change) =>
    Kinds.isPayment(change) ? (agreeing.withOthers(change).find((one) => goes.has(one)) ?? change) : change
  )
  sorting.hold(sorting.open(), (change) => (goes.has(change) ? undefined : held.get(change)))
}

const spendPerDay = (context: LimitContext, sorting: Sorting): void => {
  const { spendPerDayKopecks } = context.rules.limits
  if (spendPerDayKopecks === undefined) return
  const dearer = DailySpend.hold(appliedFirst(sorting.open(), context), context, spendPerDayKopecks)
  sorting.hold(dearer.keys(), (change) => dearer.get(change))
}

/** What a policy's own limits hold of all that it wants. */
const ofPolicy = (policy: Policy, plan: Draft, context: LimitContext, sorting: Sorting): void => {
  const own = sorting.open().filter((change) => change.origin.name === policy.id)
  const { unread } = plan.policies.find((summary) => summary.id === policy.id) ?? {}
  const unfit = Unread.over(policy, unread)
  sorting.hold(own, () => unfit)
  // A policy whose time is over has no scope any more, and would never bring a base back; nor has a pause that is
  // taken back, where only active campaigns are in scope. What came one by one may go back together.
  const chosen = own.filter((change) => !sorting.isHeld(change) && !isReturn(change))
  const share = shareOfScope(chosen, policy, plan, context.rules.limits)
  sorting.hold(policy.limits.excess === "worst_first" ? beyond(chosen, share) : chosen, () => share)
  const left = own.filter((change) => !sorting.isHeld(change))
  budget(left, { ...PerRun.ofPolicy(policy), later: laterOf(plan, policy) }, context, sorting)
}

/** Why the rest of a group does not go: what holds the first of those that are missing; nothing when they are not in the plan. */
const partedBy = (
  { changes, key, size }: Whole.Members,
  verdicts: ReadonlyMap<Change, HeldReason>
): HeldReason => {
  const first = [...verdicts].find(([change]) => Whole.groupOf(change)?.key === key)
  return Changes.parted(size, changes.length, first === undefined ? undefined : Changes.held(...first).by)
}

/** The end of an overlay, and what takes an earlier change back: `share_of_scope` binds neither. */
export const isReturn = (change: Change): boolean => Bids.endsOverlay(change) || Inverse.takesBack(change)

/** What waits for a person takes nothing from what is done at once, and what is only shown takes nothing at all. */
const appliedFirst = (changes: ReadonlyArray<Change>, { rules }: LimitContext): ReadonlyArray<Change> =>
  Going.turns.flatMap((turn) => changes.filter((change) => Going.turnOf(change, rules) === turn))

const killSwitch = ({ rules, killSwitch }: LimitContext): Verdict => {
  const why = killSwitch ?? (rules.limits.killSwitch ? "_shared/limits.yaml account.kill_switch" : undefined)
  return why === undefined ? undefined : killed(why)
}

/** What the kill switch says of whatever it stops. */
export const killed = (why: string): HeldReason => ({ code: "kill_switch", said: why })

const stopped = (change: Change, context: LimitContext): Verdict =>
  killSwitch(context) ??
  (context.stops === undefined ? undefined : Stops.verdict(change, context.stops)) ??
  SwitchedOff.verdict(change, context.switchedOff ?? [])

/** A plan may be looked at hours after it was made. */
const campaignOver = (change: Change, { listed }: LimitContext): Verdict =>
  Changes.isOfCampaign(change) && listed?.has(change.subject.campaignId) === false
    ? { code: "campaign_over" }
    : undefined

const untouchable = (change: Change, { rules, campaigns }: LimitContext): Verdict =>
  Changes.isOfCampaign(change)
    ? NeverTouch.ofCampaign(change.subject, rules.limits, campaigns)
    : NeverTouch.ofItem(change.subject, rules.limits, campaigns)

/**
 * A plan may only carry changes of policies that exist, since their limits could not be checked otherwise; and what a
 * person takes back, whose limits are the account's.
 */
const unowned = (change: Change, { rules }: LimitContext): Verdict =>
  Going.policyOf(change, rules) === undefined && !Inverse.isByPerson(change)
    ? { code: "policy_unknown", policy: change.origin.name }
    : undefined

/** What is laid over a bid for a part of the day is not laid after it. */
const tooLate = (change: Change, { nowMs, rules, zone }: LimitContext): Verdict => {
  const policy = Bids.isEdge(change) ? Going.policyOf(change, rules) : undefined
  if (policy?.during === undefined || nowMs === undefined || Bids.endsOverlay(change)) return undefined
  if (Overlays.isAwake(policy, nowMs, zone)) return undefined
  return {
    code: "during",
    where: `${policy.file} during`,
    during: Daytime.text(policy.during),
    nowMs: toTheMinute(nowMs),
    zone: policy.schedule?.tz ?? zone
  }
}

/** The clamps have done this already; a change that still breaks it comes from a bug or an old plan. */
const aboveMaxBid = (change: Change, { rules, campaigns }: LimitContext): Verdict => {
  const policy = boundBy(change, rules)
  const { payment } = Bids.detailsOf(change)
  if (policy === undefined || payment === undefined || typeof change.after !== "number") return undefined
  const row = campaigns.indexOf(change.subject)
  const own = BidLimits.maxBid(payment, rules.limits, policy, campaigns, row)
  const over = carriedOver(change, rules)
  const carried = over === undefined ? own : BidLimits.maxBid(payment, rules.limits, over, campaigns, row)
  if (own === undefined || carried === undefined) return undefined
  const bound = carried.kopecks > own.kopecks ? carried : own
  if (change.after <= bound.kopecks) return undefined
  return { code: "max_bid", where: bound.where, kopecks: bound.kopecks, bidKopecks: change.after }
}

/** The policy of the overlay that steering carries along: how high that stands above the base is not steering's to say. */
const carriedOver = (change: Change, rules: RuleSet): Policy | undefined =>
  Bids.isEdge(change) ? undefined : rules.policies.find(({ id }) => id === Bids.overlayOf(change)?.policy)

/** The policy whose limits bind a change. What a person takes back is bound by its policy while there is one. */
const boundBy = (change: Change, rules: RuleSet): Pick<Policy, "file" | "limits"> | undefined =>
  Going.policyOf(change, rules) ??
  (Inverse.isByPerson(change)
    ? (rules.policies.find(({ id }) => id === change.undoes?.policy) ?? { file: "", limits: {} })
    : undefined)

/** Moves that the plan leaves to later runs: they count as if they were in it. */
const laterOf = ({ forecasts = [] }: Draft, policy?: Policy): number =>
  forecasts.reduce(
    (sum, one) => (policy === undefined || one.policy === policy.id ? sum + (one.later?.changes ?? 0) : sum),
    0
  )

/** Tightest of the account's and the policy's; over it, all of the policy's changes are held. */
const shareOfScope = (
  own: ReadonlyArray<Change>,
  policy: Policy,
  plan: Draft,
  limits: AccountLimits
): Verdict => {
  const ofAccount = limits.shareOfScopeBasisPoints ?? Number.POSITIVE_INFINITY
  const ofPolicy = policy.limits.shareOfScopeBasisPoints ?? Number.POSITIVE_INFINITY
  const basisPoints = Math.min(ofAccount, ofPolicy)
  const rows = plan.policies.find((summary) => summary.id === policy.id)?.rowsInScope ?? 0
  const changes = own.length + laterOf(plan, policy)
  if (!Number.isFinite(basisPoints) || changes * 10_000 <= basisPoints * rows) return undefined
  const where =
    ofAccount <= ofPolicy
      ? "_shared/limits.yaml account.share_of_scope"
      : `${policy.file} limits.share_of_scope`
  return {
    code: "share_of_scope",
    where,
    basisPoints,
    rows: changes,
    of: rows,
    most: Math.floor((basisPoints * rows) / 10_000)
  }
}

/** Those that spend least, of which a share has no room. */
const beyond = (own: ReadonlyArray<Change>, share: Verdict): ReadonlyArray<Change> =>
  share?.code === "share_of_scope" ? [...own].sort(bySpend).slice(share.most) : []

/**
 * Over the number what goes alone takes turns: the ends of overlays first, then what spends most, what `optimise` makes dearer last. Of
 * all else none goes, since half of a decision to stop something is no decision. Policies in `apply` go before those in `approve`, and
 * these before those in `preview`.
 */
const budget = (
  found: ReadonlyArray<Change>,
  { later, most, where }: PerRun.PerRun & { readonly later: number },
  { rules }: LimitContext,
  sorting: Sorting
): void => {
  // A list that a person has seen and asked for is no rule run wild.
  const all = found.filter((change) => !Inverse.isByPerson(change))
  if (most === undefined || all.length <= most) return
  const over: Verdict = { code: "changes_per_run", where, most, changes: all.length + later }
  let left = most
  for (const turn of Going.turns) {
    const group = all.filter((change) => Going.turnOf(change, rules) === turn)
    const absolute = group.filter((change) => !Going.goesAlone(change, rules))
    if (absolute.length > left) sorting.hold(absolute, () => over)
    else left -= absolute.length
    const single = group
      .filter((change) => Going.goesAlone(change, rules))
      .sort((a, b) => last(a, rules) - last(b, rules) || bySpend(a, b))
    sorting.hold(single.slice(left), () => over)
    left -= Math.min(left, single.length)
  }
}

/**
 * 0 for what ends an overlay or brings a bid down to `max_bid`, which read no spend and would come last for ever where other bids
 * use the number up in every run; 2 for what others of the same plan must make room for first; 1 for the rest.
 */
const last = (change: Change, rules: RuleSet): number => {
  if (Bids.endsOverlay(change) || Going.policyOf(change, rules)?.isOfLimits === true) return 0
  return BudgetRoom.isDearer(change) ? 2 : 1
}

const bySpend = (a: Change, b: Change): number =>
  (b.spendPerDayKopecks ?? 0) - (a.spendPerDayKopecks ?? 0) || TextOrder.compare(a.id, b.id)

const matchesCampaign = (
  change: Change,
  selector: AccountLimits["campaigns"][number],
  { campaigns }: LimitContext
): boolean => Changes.isOfCampaign(change) && PerRun.isOf(selector, change.subject, campaigns)
