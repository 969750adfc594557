/**
 * One cycle of an account for the policies that are due: settle what is open, plan, apply. It never fails: whatever
 * goes wrong is answered, for whoever called it decides when to try again. Policies that are not due neither ask nor
 * act; their limits hold, and what they did before is remembered.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AccountName } from "../../domain/Ids.js"
import type { Lane } from "../../domain/Lane.js"
import type { StopReason } from "../../domain/OutcomeReason.js"
import * as Plural from "../../domain/Plural.js"
import * as Progress from "../../domain/Progress.js"
import * as TextOrder from "../../domain/TextOrder.js"
import type * as Review from "../decide/Review.js"
import type * as Apply from "../door/Apply.js"
import * as Creations from "../door/Creations.js"
import { Journal } from "../door/Journal.js"
import * as Lease from "../door/Lease.js"
import * as ObserveOnly from "../door/ObserveOnly.js"
import * as Recover from "../door/Recover.js"
import * as Stopping from "../door/Stopping.js"
import { Writer } from "../door/Writer.js"
import * as Deadlines from "../fulfilment/Deadlines.js"
import type * as HandOver from "../fulfilment/HandOver.js"
import * as Passes from "../fulfilment/Passes.js"
import type { SourceFailure } from "../gather/FactSource.js"
import type * as Gather from "../gather/Gather.js"
import type { RuleSet } from "../language/Policy.js"
import type { CycleResult, Doing, Trouble } from "../schedule/Job.js"
import type * as Places from "../schedule/Places.js"
import { ApprovalStore } from "./ApprovalStore.js"
import * as Approvals from "./Approvals.js"
import * as Asking from "./Asking.js"
import * as AssemblyPlan from "./AssemblyPlan.js"
import * as Besides from "./Besides.js"
import * as Cycle from "./Cycle.js"
import * as LeftOpen from "./LeftOpen.js"
import * as PassTries from "./PassTries.js"
import * as PutOrders from "./PutOrders.js"

export interface CycleRequest {
  readonly account: AccountName
  readonly lane: Lane
  /** All rules of the account; they stay these until the cycle ends. */
  readonly rules: RuleSet
  /** The rules are of another folder than the configured one. */
  readonly isElsewhere?: boolean
  /** Ids of the policies that are due. */
  readonly due: ReadonlySet<string>
  readonly options: Gather.GatherOptions
  /** Who answers for the changes, in the journal: `schedule, rules 3f2a9c`. */
  readonly approvedBy: string
  /** What the amounts in the rules mean; an account in another currency is left alone. */
  readonly currency?: string
  readonly apply?: Apply.ApplyOptions
  /** Done when the program is about to end: planning ends at once, sending before the next request. */
  readonly stopping: Deferred.Deferred<void>
  /** Done once the plan is made; from then on the cycle mostly waits. */
  readonly planned?: Effect.Effect<void>
  /** Wraps what waits before the plan is made: reading back what an earlier run left open takes minutes. */
  readonly away?: Places.Place["away"]
  /** Told of the plan before anything of it is sent, and of what became of its changes. */
  readonly watching?: Watching
  /** Why a run sends nothing more, in words. */
  readonly tell: (reason: StopReason) => string
  /** What became of a creation that an earlier run left open, in words. */
  readonly tellSettled: (one: Creations.Settled) => string
  /** Why a turn does not hand a supply over, in words. */
  readonly tellStop: (checked: HandOver.Checked, zone: string) => string
  /** Told whenever the cycle begins with something else. */
  readonly doing?: (what: Doing) => Effect.Effect<void>
}

/** What a turn of the orders' lane finds, whatever it does. */
interface Dispatch {
  /** Undefined where a supply was not read that may hold such orders: nobody knows how many there are. */
  readonly counts: Deadlines.Counts | undefined
  /** In no supply yet, or to be shipped again. */
  readonly waiting: number
  /** Hand-overs of the next hours that no pass covers; undefined where none is planned, or passes were not read. */
  readonly withoutPass: number | undefined
}

export interface Watching {
  readonly planned: (reviewed: Review.ReviewedPlan) => Effect.Effect<void>
  /** Of lanes whose plan is made from facts; the orders' lane has none. */
  readonly gathered: (planned: Cycle.Planned) => Effect.Effect<void>
  /** Of the orders' lane. */
  readonly assembled: (found: Dispatch) => Effect.Effect<void>
  readonly applied: (report: Apply.ApplyReport) => Effect.Effect<void>
}

/** Runs the cycle. Interrupting it is safe at any moment: the next cycle settles what it left open. */
export const run = (request: CycleRequest) =>
  attempt(request).pipe(
    Effect.provideServiceEffect(Progress.Progress, Effect.map(Progress.Progress, followed(request))),
    Effect.provideService(Stopping.Stopping, Stopping.by(request.stopping, stoppingWhy)),
    Effect.catchAll((error) => {
      const _tag: Trouble =
        error._tag === "ApplyBusy" ? "Busy" : error._tag === "StoreFailure" ? "StoreFailed" : "Broken"
      return Effect.succeed<CycleResult>({ _tag, why: error.message })
    }),
    Effect.catchAllDefect((defect) =>
      Effect.zipRight(
        Effect.logError("a cycle broke", defect),
        Effect.succeed<CycleResult>({ _tag: "Broken", why: textOf(defect) })
      )
    ),
    Effect.withSpan("AccountCycle.run", { attributes: { account: request.account } })
  )

/** What a plan was made from is forgotten before anything is sent: sending and reading back take minutes. */
const attempt = (request: CycleRequest) =>
  Effect.flatMap(decided(request), (made) => {
    if ("_tag" in made) return Effect.succeed<CycleResult>(made)
    const { besides, isUnread, isWhole, mark, reviewed } = made
    const left: ReturnType<typeof carryOut> =
      mark === undefined
        ? carryOut(request, reviewed, isWhole)
        : lookedOnly(request.account, reviewed.plan, mark)
    return Effect.zipRight(request.planned ?? Effect.void, left).pipe(
      Effect.map((end) =>
        end._tag === "Done" ? { ...end, said: `${end.said}${besides}`, ...isUnread } : end
      )
    )
  })

const decided = (request: CycleRequest) =>
  Effect.gen(function* () {
    const found = yield* (yield* Journal).observeOnly(request.account)
    if (found === undefined) yield* settle(request)
    const { account, due, lane, options, rules, stopping } = request
    const isReadOnly = (yield* Writer).isReadOnly === true
    const mark =
      found === undefined
        ? isReadOnly
          ? ObserveOnly.readOnlyToken(account)
          : undefined
        : ObserveOnly.notice(found, account)
    const looking = mark === undefined ? {} : { observeOnly: mark }
    yield* told(request, "planning")
    if (lane === "orders") return yield* assembled(request, mark)
    const made = yield* Effect.raceFirst(
      Effect.asSome(Cycle.plan(rules, { ...options, ...looking, due, lane, keepsMembers: true })),
      Effect.as(Deferred.await(stopping), Option.none<Cycle.Planned>())
    )
    if (Option.isNone(made)) return { _tag: "Stopping" } satisfies CycleResult
    const planned = made.value
    const trouble = troubleOf(planned.gathered.failures) ?? otherCurrency(request, planned.gathered.currency)
    if (trouble !== undefined) return trouble
    if (request.watching !== undefined) {
      yield* request.watching.planned(planned.reviewed)
      yield* request.watching.gathered(planned)
    }
    if (yield* Deferred.isDone(stopping)) return { _tag: "Stopping" } satisfies CycleResult
    return {
      mark,
      reviewed: planned.reviewed,
      besides: Besides.text(planned),
      isUnread: unread(planned),
      isWhole: Besides.unread(planned).length === 0
    }
  })

/** A turn of the orders' lane: it has no facts, and its plan is made from the board alone. */
const assembled = (request: CycleRequest, mark: string | undefined) =>
  Effect.gen(function* () {
    const { account, currency = "RUB", due, options, rules, stopping } = request
    const looking = mark === undefined ? {} : { observeOnly: mark }
    const found = yield* Effect.raceFirst(
      Effect.asSome(AssemblyPlan.make(rules, { account, currency, due, zone: options.zone, ...looking })),
      Effect.as(Deferred.await(stopping), Option.none<AssemblyPlan.Planned>())
    )
    if (Option.isNone(found) || (yield* Deferred.isDone(stopping)))
      return { _tag: "Stopping" } satisfies CycleResult
    const planned = found.value
    const onlyLooks = rules.fulfilment.length === 0
    if (planned._tag === "Unread")
      return onlyLooks && planned.failure.isForbidden === true
        ? LeftOpen.barred(planned.failure.message)
        : troubleBecause(planned.failure)
    const { failures, reviewed, uncounted } = planned
    const fatal = [...failures, ...uncounted].find(({ stopsAccount }) => stopsAccount)
    if (fatal !== undefined) return troubleBecause(fatal)
    const isEmpty = reviewed.plan.changes.length + reviewed.plan.held.length === 0
    const dispatch = yield* dispatchOf(request, planned)
    if (request.watching !== undefined) {
      yield* request.watching.planned(reviewed)
      yield* request.watching.assembled(dispatch)
    }
    if (onlyLooks && planned.stops.length + failures.length === 0) return LeftOpen.none
    return {
      mark,
      reviewed,
      besides: `${deadlineWords(dispatch.counts)}${stopWords(request, planned)}${Besides.unreadText([...failures, ...uncounted])}`,
      isUnread: isEmpty && failures.length > 0 ? ({ isUnread: true } as const) : {},
      isWhole: failures.length === 0
    }
  })

type Assembled = Extract<AssemblyPlan.Planned, { readonly _tag: "Planned" }>

const dispatchOf = (
  { account, rules }: CycleRequest,
  { board, isCounted, waveOf }: Pick<Assembled, "board" | "isCounted" | "waveOf">
) =>
  Effect.gen(function* () {
    const { fulfilment: policies } = rules
    const nowMs = yield* Clock.currentTimeMillis
    const { passes } = board
    const withoutPass =
      passes === undefined || policies.every((one) => one.passes === undefined)
        ? undefined
        : Passes.plan(policies, passes, yield* PassTries.of(account), nowMs).lacking.length
    const inside = board.supplies.flatMap(({ orders = [] }) => orders.map(({ orderId }) => orderId))
    const counts = isCounted
      ? Deadlines.counts(policies, board, waveOf, yield* PutOrders.of(account, inside), nowMs)
      : undefined
    return { counts, waiting: board.waiting.length, withoutPass } satisfies Dispatch
  })

/** `; 3 orders late, 2 at risk`: what a person has to know whatever the turn does. */
const deadlineWords = (counts: Deadlines.Counts | undefined): string => {
  if (counts === undefined) return "; how many orders are late or at risk is not known"
  const { atRisk, late } = counts
  const parts = [
    ...(late === 0 ? [] : [`${Plural.of(late, "order")} late`]),
    ...(atRisk === 0 ? [] : [`${atRisk} at risk`])
  ]
  return parts.length === 0 ? "" : `; ${parts.join(", ")}`
}

/** Supplies are named up to this many. */
const mostStops = 3

/**
 * `; PLATFORM-GI-7 is not handed over: …`: nobody else says that its car leaves without it. First those whose pile somebody has to go
 * to, for time mends nothing there.
 */
const stopWords = ({ options, tellStop }: CycleRequest, { stops }: Pick<Assembled, "stops">): string => {
  const isForHands = ({ checked }: (typeof stops)[number]) => Number(checked.takeOut.length > 0)
  const named = stops
    .toSorted((a, b) => isForHands(b) - isForHands(a))
    .slice(0, mostStops)
    .map(({ checked }) => `; ${tellStop(checked, options.zone)}`)
  const others = stops.length - named.length
  return `${named.join("")}${others === 0 ? "" : `; ${Plural.of(others, "more supply", "more supplies")} not handed over`}`
}

/** Whether the plan is empty and something it should have been made from could not be read. */
const unread = (planned: Cycle.Planned): { readonly isUnread?: true } => {
  const { changes, held, holds = [], notices = [] } = planned.reviewed.plan
  // Messages of rules are of a row; the others tell of the run.
  const told = notices.filter(({ subject: target }) => target !== undefined)
  const isEmpty = [changes, held, told, holds.flatMap(({ rows }) => rows)].every((all) => all.length === 0)
  // What a limit left no room for is not read sooner by asking again.
  const failed = Besides.unread(planned).filter(({ reason }) => reason !== "notFetched")
  return isEmpty && failed.length > 0 ? { isUnread: true } : {}
}

/** Nothing is sent, counted or asked for: what was done before the store was restored is not known yet, or the token may not write. */
const lookedOnly = (account: AccountName, { changes, held, id }: Review.ReviewedPlan["plan"], mark: string) =>
  Effect.gen(function* () {
    const said = `only looked: ${mark} (${Plural.of(changes.length, "change")} planned, none sent)${heldWords(held)}`
    yield* Effect.logWarning(`${account}: nothing was sent: ${mark}`, {
      event: "observe_only",
      account,
      changes: changes.length
    })
    return { _tag: "Done", planId: id, runId: undefined, said } satisfies CycleResult
  })

/** The plan depends on what an earlier run left open, so that is read back first. */
const settle = (request: CycleRequest) =>
  Effect.gen(function* () {
    const { account, apply, away = (waiting) => waiting, lane } = request
    const here = { account, lane }
    const open = [
      ...(yield* Recover.open(here)),
      ...(yield* Recover.unended(account, lane)),
      ...(yield* Creations.open(here)),
      ...(yield* Approvals.cutShort(here))
    ]
    if (open.length === 0) return
    const holder = apply?.holder ?? "schedule"
    yield* told(request, "reading back")
    yield* Effect.gen(function* () {
      const lease = yield* Lease.hold(here, holder, apply?.abandoned)
      for (const one of yield* Creations.settle(here)) yield* Effect.logWarning(request.tellSettled(one))
      yield* Recover.settle(account, lease)
      yield* Approvals.settle(here)
    }).pipe(Effect.scoped, away)
  })

const carryOut = (request: CycleRequest, reviewed: Review.ReviewedPlan, isWhole: boolean) =>
  Effect.gen(function* () {
    const { account, apply, approvedBy, isElsewhere = false, stopping, watching } = request
    const { plan } = reviewed
    const { asked, chosen } = yield* split(reviewed, { isElsewhere, isWhole })
    if (chosen.size === 0) {
      yield* Cycle.count(reviewed)
      const words = plan.held.length + asked > 0 ? "nothing applied" : "nothing to apply"
      const isEmpty = plan.changes.length + plan.held.length === 0
      const said = isEmpty ? "nothing to change" : `${words}${left(plan, asked, 0)}`
      return { _tag: "Done", planId: plan.id, runId: undefined, said } satisfies CycleResult
    }
    yield* told(request, "sending")
    const report = yield* Cycle.apply(reviewed, { approvedBy, account, chosen }, apply)
    if (watching !== undefined) yield* watching.applied(report)
    if (report.stopped !== undefined && (yield* Deferred.isDone(stopping))) {
      return { _tag: "Stopping" } satisfies CycleResult
    }
    const stopped = report.stopped === undefined ? "" : `; ${request.tell(report.stopped)}`
    if (report.nothingSentLockLost) {
      return { _tag: "LockLost", why: `nothing was sent${stopped}` } satisfies CycleResult
    }
    const counts = Object.entries(report.counts).map(([state, n]) => `${n} ${state.replaceAll("_", " ")}`)
    // What the marketplace took and does not show yet is no part that is missing.
    const isTaken =
      report.status === "partial" && report.rows.every(({ state }) => /^(?:accepted|applied)$/.test(state))
    const said = `${isTaken ? "sent, not all seen yet" : ends[report.status]} (${counts.join(", ")})${left(plan, asked, chosen.size)}${stopped}`
    // Else the next turn sends the same again: what a refused token says is nothing of a change, so none rests.
    if (report.stopped?.code === "account_refused")
      return { _tag: "Refused", why: said } satisfies CycleResult
    const cut = report.stopped === undefined ? {} : ({ isCut: true } as const)
    return { _tag: "Done", planId: plan.id, runId: report.runId, said, ...cut } satisfies CycleResult
  })

const ends: Readonly<Record<Apply.ApplyReport["status"], string>> = {
  done: "applied",
  partial: "applied in part",
  failed: "nothing was changed"
}

const told = ({ doing }: CycleRequest, what: Doing): Effect.Effect<void> => doing?.(what) ?? Effect.void

const stages: ReadonlyMap<string, Doing> = new Map([
  ["send", "sending"],
  ["read back", "reading back"]
])

/** That something was sent, and that reading back begins, is within one apply, which only its progress tells. */
const followed =
  (request: CycleRequest) =>
  ({ report }: typeof Progress.Progress.Service): typeof Progress.Progress.Service => ({
    report: (step) => {
      const what = stages.get(step.stage)
      return what === undefined ? report(step) : Effect.zipRight(told(request, what), report(step))
    }
  })

/** What goes by itself; of mode `approve` the rest is asked of a person. Without a place for that only `apply` goes. */
const split = (reviewed: Review.ReviewedPlan, made: Asking.Made) =>
  Effect.gen(function* () {
    const store = yield* Effect.serviceOption(ApprovalStore)
    if (Option.isNone(store)) return { chosen: new Set(reviewed.appliable.map(({ id }) => id)), asked: 0 }
    const { now, waiting } = yield* Effect.provideService(
      Asking.afterPlan(reviewed, made),
      ApprovalStore,
      store.value
    )
    return { chosen: now, asked: waiting.length }
  })

const left = ({ changes, held }: Review.ReviewedPlan["plan"], asked: number, chosen: number): string => {
  const shown = changes.length - chosen - asked
  return `${asked === 0 ? "" : `, ${asked} ${Plural.choose(asked, "waits", "wait")} for approval`}${shown <= 0 ? "" : `, ${shown} only shown`}${heldWords(held)}`
}

/** Reasons are named up to this many, the commonest first. */
const mostReasons = 3

/** `, 7 held (4 human_edit, 3 hold)`: a stopped account must not look like one that has nothing to do. */
const heldWords = (held: Review.ReviewedPlan["plan"]["held"]): string => {
  if (held.length === 0) return ""
  const counts = new Map<string, number>()
  for (const { by } of held) counts.set(by, (counts.get(by) ?? 0) + 1)
  const reasons = [...counts].sort(([a, m], [b, n]) => n - m || TextOrder.compare(a, b))
  const named = reasons.slice(0, mostReasons).map(([by, n]) => (n === held.length ? by : `${n} ${by}`))
  const others = reasons.slice(mostReasons).reduce((sum, [, n]) => sum + n, 0)
  return `, ${held.length} held (${[...named, ...(others === 0 ? [] : [`${others} other`])].join(", ")})`
}

/** What no plan can do without: the token, and the list of campaigns. */
const troubleOf = (failures: ReadonlyArray<SourceFailure>): CycleResult | undefined => {
  const fatal =
    failures.find(({ stopsAccount }) => stopsAccount) ??
    failures.find(({ operation }) => operation === "listCampaignIds")
  return fatal === undefined ? undefined : troubleBecause(fatal)
}

const troubleBecause = ({ message: why, reason, stopsAccount }: SourceFailure): CycleResult => {
  if (stopsAccount) return { _tag: "Refused", why }
  return { _tag: reason === "notFetched" ? "Limited" : "Unreachable", why }
}

const otherCurrency = ({ currency }: CycleRequest, found: string): CycleResult | undefined =>
  currency === undefined || found === currency
    ? undefined
    : {
        _tag: "Refused",
        why: `the account is in ${found}, the configuration says ${currency}; mend currency: and check every amount in the rules`
      }

const stoppingWhy = "bidhelm is stopping; the next run plans anew"

const textOf = (defect: unknown): string => (defect instanceof Error ? defect.message : String(defect))
