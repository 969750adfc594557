/**
 * The only way from a plan to an approved plan. The types carry a seal that this file keeps to itself, so a plan
 * that was not reviewed cannot be approved, and one that was not approved cannot be applied.
 */
import * as Either from "effect/Either"
import * as Days from "../../domain/Days.js"
import { type AccountName, PlanId } from "../../domain/Ids.js"
import * as Target from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as Approved from "../kinds/Approved.js"
import * as Bids from "../kinds/Bids.js"
import type { Change } from "../kinds/Change.js"
import * as Changes from "../kinds/Change.js"
import * as ClusterBid from "../kinds/ClusterBid.js"
import * as HeldReasons from "../kinds/HeldReason.js"
import * as Kinds from "../kinds/Kinds.js"
import * as OperatorHold from "../kinds/OperatorHold.js"
import * as Whole from "../kinds/Whole.js"
import * as Meaning from "../language/Meaning.js"
import type { AutoApprove } from "../language/Mode.js"
import type { Policy, RuleSet } from "../language/Policy.js"
import * as Board from "./Board.js"
import * as Inverse from "./Inverse.js"
import * as Overlays from "./intents/Overlays.js"
import * as Limits from "./limits/Limits.js"
import * as Rejected from "./limits/Rejected.js"
import type { Stops } from "./limits/Stops.js"
import * as SwitchedOff from "./limits/SwitchedOff.js"
import * as Turns from "./optimise/Turns.js"
import type { Plan } from "./Plan.js"
import * as PlanJson from "./PlanJson.js"
import * as Summary from "./Summary.js"

export type ReviewContext = Limits.LimitContext

const reviewSeal: unique symbol = Symbol("bidhelm/ReviewedPlan")
/** A plan within every limit; what a limit stopped is in `plan.held`. */
export interface ReviewedPlan {
  readonly plan: Plan
  /** Changes of policies in mode `apply`. Those of policies in mode `preview` are only shown. */
  readonly appliable: ReadonlyArray<Change>
  /** Changes of policies in mode `approve`: made once somebody agrees (`approve` names them in `chosen`). */
  readonly waiting: ReadonlyArray<Waiting>
  /** Ids of its policies that may ask a person: what they asked for before and do not want any more is asked no longer. */
  readonly asking: ReadonlySet<string>
  /** Ids of policies that may ask nobody by now, those that are disabled as well: what they asked for before is asked no longer. */
  readonly silent: ReadonlySet<string>
  readonly [reviewSeal]: true
}

/** A change of a policy in mode `approve`, and how far that policy goes by itself. */
export interface Waiting {
  readonly change: Change
  readonly auto: AutoApprove | undefined
}

/** Holds what the limits hold, adds it to what the plan held before, and leaves out what is pointless then. */
export const within = (plan: Summary.Draft, context: ReviewContext): Summary.Draft => {
  const { changes: passed, held, overtaken } = Limits.sort(plan, context)
  // An item's bid that is held stays as it is, and with it what its clusters show.
  const changes = passed.map(
    ClusterBid.beside(
      held.map(({ change }) => change),
      ({ before }) => Number(before)
    )
  )
  return {
    ...plan,
    ...forecastsOf(plan, [...changes, ...held.map(({ change }) => change)]),
    changes,
    held: [...plan.held, ...held].sort(byChange),
    unchanged: [...plan.unchanged, ...overtaken].sort(Board.byTarget)
  }
}

/** What is within the limits, counted and named anew. */
export const review = (plan: Summary.Draft, context: ReviewContext): ReviewedPlan => {
  const limited = within(plan, context)
  const mayAct = limited.changes.filter((change) => isSure(change, plan, context))
  const applies = new Set(context.rules.policies.filter((p) => p.mode === "apply").map((p): string => p.id))
  const asks = new Map<string, Policy>(
    context.rules.policies.filter((p) => p.mode === "approve").map((p) => [p.id, p])
  )
  return {
    plan: Summary.seal(limited),
    appliable: mayAct.filter((change) => applies.has(change.origin.name) || Inverse.isByPerson(change)),
    waiting: mayAct.flatMap((change) => {
      const policy = asks.get(change.origin.name)
      return policy === undefined ? [] : [{ change, auto: policy.autoApprove }]
    }),
    asking: new Set(plan.policies.flatMap(({ id, mode }) => (mode === "approve" ? [id] : []))),
    silent: new Set(context.rules.policies.filter((p) => p.mode !== "approve").map((p): string => p.id)),
    [reviewSeal]: true
  }
}

/** What `left` has not of a plan, overtaken or done in another policy's name, comes to nothing in its own budget. */
const forecastsOf = (
  { changes, equals = [], forecasts }: Summary.Draft,
  left: ReadonlyArray<Change>
): Pick<Plan, "forecasts"> =>
  forecasts === undefined
    ? {}
    : { forecasts: Turns.withUnmade(forecasts, Turns.wishesOf([...changes, ...equals]), left) }

/**
 * The plan of a call by hand: the kill switch and holds stop it, limits of rules do not bind a person's word. One request
 * goes whole or not at all.
 */
export const ofCall = (
  plan: Plan,
  {
    holds,
    killSwitch,
    nowMs,
    zone
  }: Pick<Stops, "holds" | "nowMs" | "zone"> & Pick<ReviewContext, "killSwitch">
): ReviewedPlan => {
  const held = plan.changes.flatMap((change) => {
    const hold = OperatorHold.stopping(holds, change, nowMs)
    if (killSwitch !== undefined) return [Changes.held(change, Limits.killed(killSwitch))]
    return hold === undefined ? [] : [Changes.held(change, OperatorHold.verdict(hold, zone))]
  })
  const stopped = new Set(held.map(({ change }) => change))
  const changes = plan.changes.filter((change) => !stopped.has(change))
  const { id: _, summary: __, ...draft } = plan
  return {
    plan: Summary.seal({ ...draft, changes, held }),
    appliable: held.length === 0 ? changes : [],
    waiting: [],
    asking: new Set(),
    silent: new Set(),
    [reviewSeal]: true
  }
}

/** What a plan of the orders' lane is held against: no limit of advertising is about it. */
export interface AssemblyContext extends Pick<Stops, "holds" | "nowMs" | "zone"> {
  readonly rules: Pick<RuleSet, "fulfilment">
  readonly killSwitch?: string | undefined
  readonly rejected?: Rejected.Rejections
  readonly switchedOff?: ReadonlyArray<SwitchedOff.SwitchedOff>
}

/**
 * The plan of a turn of the orders' lane. What cannot be taken back waits for a person unless its policy says that it may go
 * alone; what only orders and supplies need goes by the policy's mode.
 */
export const ofAssembly = (plan: Summary.Draft, context: AssemblyContext): ReviewedPlan => {
  const { holds, killSwitch, nowMs, rejected = new Map(), switchedOff = [], zone } = context
  const alone = plan.changes.flatMap((change) => {
    if (killSwitch !== undefined) return [Changes.held(change, Limits.killed(killSwitch))]
    const hold = OperatorHold.stopping(holds, change, nowMs)
    if (hold !== undefined) return [Changes.held(change, OperatorHold.verdict(hold, zone))]
    const no = Rejected.of(change, undefined, rejected)
    const because = no === undefined ? SwitchedOff.verdict(change, switchedOff) : Rejected.reason(no, zone)
    return because === undefined ? [] : [Changes.held(change, because)]
  })
  const held = [...alone, ...madeForHeld(plan.changes, alone)]
  const stopped = new Set(held.map(({ change }) => change))
  const changes = plan.changes.filter((change) => !stopped.has(change))
  const mayAct = plan.observeOnly === undefined ? changes : []
  const modes = new Map(mayAct.map((change) => [change, modeOf(change, context.rules)]))
  return {
    plan: Summary.seal({ ...plan, changes, held: [...plan.held, ...held] }),
    appliable: mayAct.filter((change) => modes.get(change) === "apply"),
    waiting: mayAct
      .filter((change) => modes.get(change) === "approve")
      .map((change) => ({ change, auto: undefined })),
    asking: new Set(
      plan.policies.flatMap(({ id }) => {
        const policy = context.rules.fulfilment.find((one) => one.id === id)
        return mayAsk(policy) ? [id] : []
      })
    ),
    silent: new Set(context.rules.fulfilment.filter((one) => !mayAsk(one)).map(({ id }): string => id)),
    [reviewSeal]: true
  }
}

/** What is made for others of the plan that are all held waits with them, for what they wait for. */
const madeForHeld = (changes: ReadonlyArray<Change>, held: ReadonlyArray<Changes.Held>) => {
  const because = new Map(held.map((one) => [one.change, one.because]))
  return changes.flatMap((change) => {
    if (because.has(change) || Kinds.of(change).madeFor === undefined) return []
    const others = changes.filter((other) => Kinds.isMadeFor(change, other))
    const reasons = others.flatMap((other) => because.get(other) ?? [])
    const reason = reasons.length < others.length ? undefined : HeldReasons.madeForHeld(reasons)
    return reason === undefined ? [] : [Changes.held(change, reason)]
  })
}

/** How a change of a fulfilment policy may go; one of no policy that is switched on goes not at all, but what a person takes back. */
const modeOf = (change: Change, { fulfilment }: AssemblyContext["rules"]): Policy["mode"] => {
  if (Inverse.isByPerson(change)) return "apply"
  const policy = fulfilment.find(({ id }) => id === change.origin.name)
  if (policy === undefined) return "disabled"
  return Kinds.of(change).risk === "irreversible" && asksToDeliver(policy) ? "approve" : policy.mode
}

const mayAsk = (policy: AssemblyContext["rules"]["fulfilment"][number] | undefined): boolean =>
  policy?.mode === "approve" || asksToDeliver(policy)

/** A policy that does all by itself but what cannot be taken back. */
const asksToDeliver = (policy: AssemblyContext["rules"]["fulfilment"][number] | undefined): boolean =>
  policy?.mode === "apply" && policy.deliver === "approve"

/** Whatever the statistics say, an overlay whose time is over goes: it asks none, and what it set was for that time. */
const isSure = (change: Change, plan: Summary.Draft, { rules, zone }: ReviewContext): boolean => {
  if (plan.observeOnly === undefined) return true
  if (plan.observeOnlyFor !== "statistics") return false
  const policy = rules.policies.find(({ id }) => id === change.origin.name)
  const madeAt = Date.parse(plan.createdAt)
  return Bids.endsOverlay(change) && policy !== undefined && !Overlays.isAwake(policy, madeAt, zone)
}

/**
 * `approvedBy` is a person's name or `--yes`. The account must be the one that the plan was made for. Without `chosen`
 * these are the changes in mode `apply`; with it exactly the changes of those ids, which mode `approve` may have asked
 * for too. What goes whole or not at all is left out where a part of it was chosen.
 */
export const approve = (
  reviewed: ReviewedPlan,
  by: {
    readonly approvedBy: string
    readonly account: AccountName
    readonly chosen?: ReadonlySet<string>
  }
): Approved.ApprovedPlan => {
  const { plan, appliable, waiting } = reviewed
  const { chosen } = by
  const may = new Set([...appliable, ...waiting.map(({ change }) => change)])
  const changes = Whole.only(
    chosen === undefined ? appliable : plan.changes.filter((c) => may.has(c) && chosen.has(c.id))
  )
  if (plan.account !== by.account) {
    throw new RangeError(`a plan of account "${plan.account}" was to be applied to "${by.account}"`)
  }
  return Approved.issue({
    planId: PlanId(plan.id),
    madeAtMs: Date.parse(plan.createdAt),
    changes,
    account: by.account,
    approvedBy: by.approvedBy
  })
}

/** What a saved plan is held against. */
export interface ReloadContext extends ReviewContext {
  readonly account: string
  /** How many the configuration has: sentences name the account in commands unless it is the only one. */
  readonly accounts?: number
  readonly nowMs: number
  /** Twenty-four hours when absent. */
  readonly maxAgeMs?: number
}

/**
 * Reads a saved plan back and reviews it again under today's rules and limits. Left: one sentence for the person
 * who wanted to apply it. Whoever can edit the file can make its seal anew: only the store that made a plan, or a plan
 * made anew (`Elsewhere`), says that the rules made its changes.
 */
export const reload = (json: unknown, context: ReloadContext): Either.Either<ReviewedPlan, string> =>
  Either.map(read(json, context), (plan) => review(plan, context))

/** What a saved plan must be before anything is asked of it. */
export type ReadContext = Pick<ReloadContext, "account" | "accounts" | "nowMs" | "maxAgeMs"> & {
  readonly rules: Pick<RuleSet, "hashes">
}

/** A saved plan for this account, whole, young enough and of the rules as they are; or why it is not. */
export const read = (json: unknown, context: ReadContext): Either.Either<Plan, string> =>
  Either.gen(function* () {
    const again = anew(context)
    const plan = yield* Either.mapLeft(
      PlanJson.readExactly(json),
      (error) => `This is not a plan of version 2 (${firstLine(error.message)}). ${again}`
    )
    yield* refuse(
      Summary.idOf(plan) !== plan.id || Summary.sealOf(plan.id, plan.createdAt) !== plan.seal,
      `The plan was changed after it was made: its content does not match its id ${plan.id.slice(0, 12)}. ${again}`
    )
    yield* refuse(
      plan.account !== context.account,
      `The plan was made for account "${plan.account}", not for "${context.account}". Choose that account; ${again}`
    )
    const ageMs = context.nowMs - Date.parse(plan.createdAt)
    const maxAgeMs = context.maxAgeMs ?? Days.dayMs
    yield* refuse(
      !(ageMs <= maxAgeMs),
      `The plan of ${plan.createdAt} is older than ${Math.round(maxAgeMs / Days.hourMs)} hours; the account has moved on. ${again}`
    )
    yield* refuse(
      ageMs < -Days.hourMs,
      `The plan of ${plan.createdAt} is from the future. Set this machine's clock right. ${again}`
    )
    yield* refuse(
      !Meaning.isOf(plan, context.rules),
      `The rules have changed since the plan was made. ${again}`
    )
    return plan
  })

/**
 * The changes of those ids alone; the rest of the plan is left out, as if it had not been made. A part of what goes whole
 * or not at all is held.
 */
export const only = (reviewed: ReviewedPlan, ids: ReadonlySet<string>): ReviewedPlan => {
  const { id: _, seal: __, summary: ___, ...draft } = reviewed.plan
  const named = draft.changes.filter((change) => ids.has(change.id))
  const changes = Whole.only(named)
  const held = Whole.parted(named).flatMap(({ changes: own, size }) =>
    own.map((change) => Changes.held(change, Changes.parted(size, own.length)))
  )
  const may = new Set(changes)
  return {
    plan: Summary.seal({ ...draft, changes, held }),
    appliable: reviewed.appliable.filter((change) => may.has(change)),
    waiting: reviewed.waiting.filter(({ change }) => may.has(change)),
    asking: reviewed.asking,
    silent: reviewed.silent,
    [reviewSeal]: true
  }
}

/** `bidhelm plan --out plan.json makes a new one, bidhelm apply asks anew.` */
const anew = (context: OperatorHold.Among): string =>
  `${OperatorHold.command("bidhelm plan --out plan.json", context)} makes a new one, ${OperatorHold.command("bidhelm apply", context)} asks anew.`

const refuse = (isRefused: boolean, why: string): Either.Either<void, string> =>
  isRefused ? Either.left(why) : Either.void

const firstLine = (text: string): string => text.split("\n").slice(0, 3).join(" ").slice(0, 200)

const byChange = (a: { readonly change: Change }, b: { readonly change: Change }): number =>
  Target.compare(a.change.subject, b.change.subject) || TextOrder.compare(a.change.id, b.change.id)
