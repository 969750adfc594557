/**
 * What becomes of a request that waits for a person (`mode: approve`; `Asking` makes it): what a yes is bound to, and how one ends. A
 * request carries its whole plan, so that exactly what was shown is applied, or nothing.
 */

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { AccountLane } from "../../domain/Lane.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Rejected from "../decide/limits/Rejected.js"
import * as Risk from "../decide/limits/Risk.js"
import type { Plan } from "../decide/Plan.js"
import type { ReviewedPlan } from "../decide/Review.js"
import * as Stakes from "../decide/Stakes.js"
import { Journal, type JournalRow, type RunRecord } from "../door/Journal.js"
import { isThere, outcomeOf } from "../door/Outcome.js"
import { Writer } from "../door/Writer.js"
import * as Bids from "../kinds/Bids.js"
import * as BudgetRoom from "../kinds/BudgetRoom.js"
import type { Change } from "../kinds/Change.js"
import * as Changes from "../kinds/Change.js"
import type { HeldReason } from "../kinds/HeldReason.js"
import * as Kinds from "../kinds/Kinds.js"
import * as Seen from "../kinds/Seen.js"
import * as Whole from "../kinds/Whole.js"
import * as Meaning from "../language/Meaning.js"
import type { RuleSet } from "../language/Policy.js"
import { ApprovalStore, program, type Request, type State, unanswered } from "./ApprovalStore.js"
import { RuleMemory } from "./RuleMemory.js"

/** The state by the clock: nobody has to run for a request to expire. */
export const stateAt = ({ expiresAt, state }: Request, nowMs: number): State =>
  state === "requested" && nowMs >= expiresAt ? "expired" : state

/** True of a request whose rules have changed since: `approve` refuses it, by none of `sets`. What rules of another folder asked for is theirs. */
export const isOutdated = (
  { asked, plan, state }: Request,
  sets: ReadonlyArray<Pick<RuleSet, "hashes">>
): boolean =>
  state === "requested" &&
  sets.length > 0 &&
  !asked.some(({ elsewhere }) => elsewhere === true) &&
  !sets.some((rules) => Meaning.isOf(plan, rules))

/** When a request was over, by whom and why; empty while it waits. Nobody has to run for one to expire. */
export const endOf = (request: Request, nowMs: number): Pick<Request, "decidedAt" | "decidedBy" | "why"> => {
  if (stateAt(request, nowMs) === "expired")
    return { decidedAt: request.expiresAt, decidedBy: program, why: unanswered }
  const { decidedAt, decidedBy, why } = request
  return {
    ...(decidedAt === undefined ? {} : { decidedAt }),
    ...(decidedBy === undefined ? {} : { decidedBy }),
    ...(why === undefined ? {} : { why })
  }
}

/** What a person said no to within the last day; nothing where approvals are not kept. */
export const rejected = (account: string): Effect.Effect<Rejected.Rejections, StoreFailure> =>
  Effect.gen(function* () {
    const store = yield* Effect.serviceOption(ApprovalStore)
    if (Option.isNone(store)) return new Map()
    const since = (yield* Clock.currentTimeMillis) - Rejected.lastsMs
    const requests = yield* store.value.rejected(account, since)
    return new Map(
      requests.flatMap((request) => {
        const { decidedAt = since, decidedBy = "a person", why } = request
        const rejection = { by: decidedBy, why, until: decidedAt + Rejected.lastsMs }
        return changesOf(request).map((change) => [Rejected.keyOf(change), rejection] as const)
      })
    )
  })

/** Of a request that was replaced: the id of the one that asks now for any of its slots, or else of its policies, among all that are given. */
export const successorIn = (
  { asked, state }: Request,
  all: ReadonlyArray<Request>,
  nowMs: number
): string | undefined => {
  if (state !== "superseded") return undefined
  const slots = new Set(asked.map(({ slot }) => slot))
  const policies = new Set(asked.map(({ policy }) => policy))
  const waiting = all.filter((one) => stateAt(one, nowMs) === "requested")
  const found =
    waiting.find((one) => one.asked.some(({ slot }) => slots.has(slot))) ??
    waiting.find((one) => one.asked.some(({ policy }) => policies.has(policy)))
  return found?.id
}

/** As `successorIn`, among all that wait. */
export const successorOf = (
  request: Request
): Effect.Effect<string | undefined, StoreFailure, ApprovalStore> =>
  Effect.gen(function* () {
    if (request.state !== "superseded") return undefined
    const waiting = yield* (yield* ApprovalStore).list(request.account, 0)
    return successorIn(request, waiting, yield* Clock.currentTimeMillis)
  })

/** The changes of a request as its plan has them. */
export const changesOf = ({ asked, plan }: Pick<Request, "asked" | "plan">): ReadonlyArray<Change> => {
  const ids = new Set(asked.map(({ id }) => id))
  return plan.changes.filter(({ id }) => ids.has(id))
}

/** What a person should see of a request at a glance; money in kopecks, of raises and savings per day. */
export const figures = (request: Pick<Request, "asked" | "plan">) => {
  const changes = changesOf(request)
  const stakes = stakesOf(request)
  const { depositsKopecks, raises, savings, underPause } = stakes
  return {
    changes: changes.length,
    tier: Risk.gravest(request.asked.map(({ tier }) => tier)),
    moneyPerDayKopecks: raises.kopecks - savings.kopecks,
    raisesPerDayKopecks: raises.kopecks,
    savingsPerDayKopecks: savings.kopecks,
    moneyUnknown: Stakes.unestimated(stakes),
    underPause,
    depositsKopecks
  }
}

/** What the changes of a request put at stake, beside what else its plan does. */
export const stakesOf = (request: Pick<Request, "asked" | "plan">): Stakes.Stakes =>
  Stakes.sum(changesOf(request).map(Stakes.judge(request.plan)))

const idsOf = (changes: ReadonlyArray<Change>): ReadonlySet<string> => new Set(changes.map(({ id }) => id))

/** What of a request may be applied, and what may not any more. */
export interface Bound {
  readonly chosen: ReadonlySet<string>
  readonly refused: ReadonlyArray<{ readonly change: Change; readonly because: RefusedReason }>
}

/** Why a change may not be applied any more. `not_asked`: its policy does not ask for it by now. */
export type RefusedReason = HeldReason | { readonly code: "not_asked" }

/** Why nothing of an approval may be applied; `reporting/people/Approvals` says it. */
export type UnboundReason =
  | { readonly code: "not_requested"; readonly state: State }
  | { readonly code: "empty_name" }
  | { readonly code: "no_such_change"; readonly names: ReadonlyArray<string> }
  | { readonly code: "several_changes"; readonly name: string; readonly changes: number }
  | { readonly code: "nothing_left"; readonly first: RefusedReason | undefined }

/** What an approval is held against beside the plan. */
export interface Yes {
  /** Beginnings of the ids of the changes that a person named; all of the request when absent. */
  readonly only?: ReadonlyArray<string> | undefined
  readonly nowMs: number
  /** What of the plan is done already (`done`). */
  readonly done: ReadonlySet<string>
}

/** Holds an approval against the plan as `Review.reload` reviewed it today. Left: why nothing of it may be applied. */
export const bind = (
  request: Request,
  reviewed: ReviewedPlan,
  { done, nowMs, only }: Yes
): Either.Either<Bound, UnboundReason> => {
  const state = stateAt(request, nowMs)
  if (state !== "requested") return Either.left({ code: "not_requested", state })
  const unclear = only === undefined ? undefined : unclearly(request, only)
  if (unclear !== undefined) return Either.left(unclear)
  const asked = changesOf(request)
  const named = only === undefined ? asked : asked.filter(({ id }) => only.some((one) => id.startsWith(one)))
  const may = idsOf(reviewed.waiting.map(({ change }) => change))
  const held = new Map(reviewed.plan.held.map(({ because, change }) => [change.id, because]))
  const left = named.filter(({ id }) => may.has(id))
  const parts = Whole.parted(left).flatMap(({ changes, size }) =>
    changes.map((change) => ({ change, because: Changes.parted(size, changes.length) }))
  )
  const refused: Array<Bound["refused"][number]> = [
    ...named
      .filter(({ id }) => !may.has(id))
      .map((change) => ({ change, because: held.get(change.id) ?? ({ code: "not_asked" } as const) })),
    ...parts
  ]
  const whole = Whole.only(left)
  // Who leaves out what would make room has said so; of what is asked no more nobody has.
  const waived = asked.filter((change) => !named.includes(change) && !BudgetRoom.isDearer(change))
  const noRoom = unpaid(reviewed.plan, whole, new Set([...done, ...idsOf(waived)]))
  refused.push(...[...noRoom].map(([change, because]) => ({ change, because })))
  const chosen = idsOf(whole.filter((change) => !noRoom.has(change)))
  if (chosen.size > 0) return Either.right({ chosen, refused })
  return Either.left({ code: "nothing_left", first: refused[0]?.because })
}

/**
 * Of changes of a plan that leave without the rest of it those for which a budget of `optimise` has no room (decision 0109): what was to
 * make room neither goes with them nor is done, since it was refused, or another plan took it out of the request.
 */
const unpaid = (
  { changes, forecasts, held }: Pick<Plan, "changes" | "forecasts" | "held">,
  open: ReadonlyArray<Change>,
  done: ReadonlySet<string>
): ReadonlyMap<Change, HeldReason> => {
  const all = [...changes, ...held.map(({ change }) => change)]
  const goes = idsOf(open)
  const over = idsOf(
    held.flatMap(({ because, change }) => (because.code === "campaign_over" ? [change] : []))
  )
  const gone = all.filter(
    (change) =>
      (done.has(change.id) || (over.has(change.id) && BudgetRoom.makesRoom(change))) && !goes.has(change.id)
  )
  const noRoom = BudgetRoom.without({ open, gone, all, absent: BudgetRoom.absentOf(forecasts) })
  return new Map([...noRoom].map(([change, none]) => [change, { code: "budget_no_room", ...none }]))
}

/**
 * What of `ids` may still go of a plan that was reviewed anew, once somebody said yes to them: the review counts what nobody said yes to as
 * if it went, and what is held since may have been what paid. `done` as for `bind`.
 */
export const still = (
  { appliable, plan, waiting }: ReviewedPlan,
  ids: ReadonlySet<string>,
  done: ReadonlySet<string>
): Bound => {
  const may = [...appliable, ...waiting.map(({ change }) => change)].filter(({ id }) => ids.has(id))
  const noRoom = unpaid(plan, may, done)
  return {
    chosen: idsOf(may.filter((change) => !noRoom.has(change))),
    refused: [...noRoom].map(([change, because]) => ({ change, because }))
  }
}

/** What `approve` would leave out of a request for want of room in a budget, by change. */
export const withoutRoom = (
  request: Pick<Request, "asked" | "plan">,
  done: ReadonlySet<string>
): ReadonlyMap<Change, HeldReason> => unpaid(request.plan, changesOf(request), done)

/** Changes of a request's plan whose values stand by the journal, whoever set them since it was made; asked of budgets of `optimise` alone. */
export const done = ({
  account,
  plan
}: Pick<Request, "account" | "plan">): Effect.Effect<ReadonlySet<string>, StoreFailure, RuleMemory> =>
  Effect.gen(function* () {
    const budgeted = plan.changes.filter((change) => BudgetRoom.shareOf(change) !== undefined)
    if (budgeted.length === 0) return new Set<string>()
    const madeAt = Date.parse(plan.createdAt)
    const slots = yield* (yield* RuleMemory).slots(account, madeAt)
    return idsOf(
      budgeted.filter((change) => {
        const written = slots.get(Kinds.slotOf(change))?.lastWritten
        return written !== undefined && written.at >= madeAt && written.after === change.after
      })
    )
  })

/**
 * As `done`, of what a person is about to make dearer: what was made cheaper counts only where its live value says so, for somebody may have set it
 * back since. What cannot be read without calls that are few counts for nothing.
 */
export const standing = (
  request: Pick<Request, "account" | "plan">
): Effect.Effect<ReadonlySet<string>, StoreFailure, RuleMemory | Writer> =>
  Effect.gen(function* () {
    const made = yield* done(request)
    const { changes } = request.plan
    const dearer = new Set(
      changes
        .filter(({ id }) => !made.has(id))
        .flatMap((change) => (BudgetRoom.isDearer(change) ? (BudgetRoom.shareOf(change)?.key ?? []) : []))
    )
    const savings = changes.filter((change) => {
      const share = made.has(change.id) ? BudgetRoom.shareOf(change) : undefined
      return share !== undefined && share.moreKopecks < 0 && dearer.has(share.key)
    })
    if (savings.length === 0) return made
    const live = yield* (yield* Writer).readLive(savings, "sparing")
    const gone = idsOf(
      savings.filter((change) => Kinds.compare(change, Seen.toWrite(live.get(change.id)))._tag !== "After")
    )
    return new Set([...made].filter((id) => !gone.has(id)))
  })

/** Why the names do not say of exactly which changes a person approves; every beginning fits the empty one. */
const unclearly = (request: Request, only: ReadonlyArray<string>): UnboundReason | undefined => {
  if (only.length === 0 || only.includes("")) return { code: "empty_name" }
  const fits = (one: string) => changesOf(request).filter(({ id }) => id.startsWith(one)).length
  const unknown = only.filter((one) => fits(one) === 0)
  if (unknown.length > 0) return { code: "no_such_change", names: unknown }
  const several = only.find((one) => fits(one) > 1)
  return several === undefined
    ? undefined
    : { code: "several_changes", name: several, changes: fits(several) }
}

/** Approved requests of a lane of which no run is known; none where approvals are not kept. */
export const cutShort = (here: AccountLane): Effect.Effect<ReadonlyArray<Request>, StoreFailure> =>
  Effect.flatMap(
    Effect.serviceOption(ApprovalStore),
    Option.match({ onNone: () => Effect.succeed([]), onSome: (store) => cutShortIn(store, here) })
  )

const cutShortIn = (store: typeof ApprovalStore.Service, { account, lane }: AccountLane) =>
  Effect.map(store.underWay(account), (requests) =>
    requests.filter((request) => Kinds.laneOf(changesOf(request)) === lane)
  )

/** An approval that was cut short; without a run that sent some of it, it waits for a person again. */
export interface CutShort {
  readonly id: string
  readonly runId: string | undefined
}

/**
 * Settles approvals of a lane whose program ended between the yes and the word of what it led to: one of which a run sent
 * something is that run's, any other waits for a person again. Call it while holding the lane's lock, once what is open
 * is settled: then none has a run under way. Of another lane's somebody may be sending just now.
 */
export const settle = (
  here: AccountLane
): Effect.Effect<ReadonlyArray<CutShort>, StoreFailure, Journal | RuleMemory> =>
  Effect.gen(function* () {
    const found = yield* Effect.serviceOption(ApprovalStore)
    if (Option.isNone(found)) return []
    const store = found.value
    const requests = yield* cutShortIn(store, here)
    if (requests.length === 0) return []
    const journal = yield* Journal
    const runs = yield* journal.runs(here.account, 1000)
    const settled: Array<CutShort> = []
    for (const request of requests) {
      const { asked, decidedAt = 0, id } = request
      const ids = new Set(asked.map((one) => one.id))
      // The plan has another name where something of it was held by the time of the yes; what went by itself is a run of its own.
      const since = runs.filter(({ startedAt }) => startedAt >= decidedAt)
      const run = yield* Effect.findFirst(since, ({ runId }) =>
        Effect.map(journal.rows(runId), (rows) =>
          rows.some((row) => ids.has(row.change.id) && !isUnsent(row))
        )
      ).pipe(Effect.map(Option.getOrUndefined))
      settled.push({ id, runId: run?.runId })
      if (run === undefined) yield* store.reopen(here.account, id)
      else yield* Effect.provideService(carriedOut(request, run.runId), ApprovalStore, store)
    }
    return settled
  })

/**
 * Ends an approval whose run is over. True when nothing of it was sent: then it waits for a person again, as a whole.
 * `changes` are those that were approved, all when absent.
 */
export const ended = (
  request: Request,
  { rows, runId }: { readonly rows: ReadonlyArray<JournalRow>; readonly runId: string },
  changes: ReadonlyArray<Change> = changesOf(request)
): Effect.Effect<boolean, StoreFailure, ApprovalStore> =>
  Effect.gen(function* () {
    const ids = idsOf(changes)
    const isNothingSent = rows.filter(({ change }) => ids.has(change.id)).every(isUnsent)
    if (isNothingSent) yield* (yield* ApprovalStore).reopen(request.account, request.id)
    else yield* carriedOut(request, runId, changes)
    return isNothingSent
  })

/** Of an approval that `ended` so, for the person who gave it. */
export const waitsAgain = ({ id }: Pick<Request, "id">): string =>
  `nothing of approval ${id} was sent, so it waits again`

/**
 * How what was approved ended: as its run did; as `done` too where that was cut short, and every change was found to have its value
 * since. Undefined where nobody knows.
 */
export const endedAs = (
  { asked, runId }: Pick<Request, "asked" | "runId">,
  runs: ReadonlyArray<RunRecord>
): Effect.Effect<RunRecord["status"] | undefined, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const run = runs.find((one) => one.runId === runId)
    if (run === undefined || run.status === "done") return run?.status
    const ids = new Set(asked.map(({ id }) => id))
    const rows = (yield* (yield* Journal).rows(run.runId)).filter(({ change }) => ids.has(change.id))
    return rows.length === ids.size && outcomeOf(rows).status === "done" ? "done" : run.status
  })

/** What already had its new value needed no sending, and nobody has to approve it again. */
const isUnsent = (row: JournalRow): boolean => row.state === "skipped" && !isThere(row)

/** Records the run that an approved request led to; its bids are what automatic moves are measured from now. */
export const carriedOut = (
  request: Request,
  runId: string,
  changes: ReadonlyArray<Change> = changesOf(request)
): Effect.Effect<void, StoreFailure, ApprovalStore> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const store = yield* ApprovalStore
    yield* store.applied(request.account, request.id, runId, bidsOf(changes), nowMs)
  })

/** Bids that an approval set, by slot: what automatic moves are measured from. */
const bidsOf = (changes: ReadonlyArray<Change>): ReadonlyMap<string, number> =>
  new Map(changes.filter(Kinds.isSteered).map((change) => [Kinds.slotOf(change), Bids.baseAfter(change)]))
