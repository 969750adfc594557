/** What of a plan goes by itself and what is asked of a person (`mode: approve`), and how long it is asked. */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Hash from "../../domain/Hash.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Rejected from "../decide/limits/Rejected.js"
import * as Risk from "../decide/limits/Risk.js"
import type { Plan } from "../decide/Plan.js"
import type { ReviewedPlan, Waiting } from "../decide/Review.js"
import type { Journal } from "../door/Journal.js"
import * as BudgetRoom from "../kinds/BudgetRoom.js"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import type { RuleSet } from "../language/Policy.js"
import { ApprovalStore, type Asked, type Request } from "./ApprovalStore.js"
import * as Approvals from "./Approvals.js"
import { RuleMemory } from "./RuleMemory.js"

/** How long a plan may be applied, and so how long a request of it may be approved. */
const lifetimeMs = 86_400_000

export interface AfterPlan {
  /** Ids of every change that may be applied now: mode `apply`, and what mode `approve` lets go by itself. */
  readonly now: ReadonlySet<string>
  readonly automatic: ReadonlyArray<Risk.Assessed>
  /** Asked of a person, in `request`. */
  readonly waiting: ReadonlyArray<Risk.Assessed>
  /** Neither: the time they were planned for is over (`Kind.holdsUntil`). */
  readonly late: ReadonlyArray<Risk.Assessed>
  /** As a person rejected them within the last day: not asked again, nor made by themselves. */
  readonly rejected: ReadonlyArray<{ readonly change: Change }>
  readonly request: Request | undefined
}

/** How a plan was made that is split. */
export interface Made {
  /** False where something that it is made from could not be read: then what was asked for before is not taken for unwanted. */
  readonly isWhole?: boolean
  /** By rules of another folder than the configured one. */
  readonly isElsewhere?: boolean
}

/** Splits a reviewed plan into what may be applied now and what waits, and asks for the latter. */
export const afterPlan = (
  reviewed: ReviewedPlan,
  { isElsewhere = false, isWhole = true }: Made = {}
): Effect.Effect<AfterPlan, StoreFailure, ApprovalStore | Journal | RuleMemory> =>
  Effect.gen(function* () {
    const { appliable, asking, plan, silent } = reviewed
    const store = yield* ApprovalStore
    const answered = isWhole ? new Set([...asking, ...silent]) : new Set<string>()
    if (asking.size > 0) {
      // It may take long, and nobody else writes in a transaction's time.
      const measured = yield* basesOf(plan.account, yield* Clock.currentTimeMillis)
      // What a person says while it is asked would be asked again.
      return yield* store.atOnce(asked(reviewed, { answered, bases: measured, isElsewhere }))
    }
    if (plan.observeOnly === undefined && answered.size > 0)
      yield* store.replace(plan.account, answered, new Set(), undefined)
    return { automatic: [], waiting: [], late: [], rejected: [], request: undefined, now: idsOf(appliable) }
  }).pipe(Effect.withSpan("Asking.afterPlan"))

/** What is known before it is asked. */
interface Known {
  /** Policies whose older requests end. */
  readonly answered: ReadonlySet<string>
  readonly bases: Risk.Bases
  readonly isElsewhere: boolean
}

const asked = ({ appliable, plan, waiting }: ReviewedPlan, { answered, bases, isElsewhere }: Known) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const store = yield* ApprovalStore
    const rejections = yield* Approvals.rejected(plan.account)
    const isRejected = ({ auto, change }: Waiting) => Rejected.of(change, auto, rejections) !== undefined
    const single = Risk.assess(
      waiting.filter((one) => !isRejected(one)),
      bases,
      plan.currency,
      plan.changes
    )
    const assessed = Risk.withPayers(single, plan, appliable)
    const automatic = assessed.filter(({ tier }) => tier === "small")
    const [late, open] = Arr.partition(
      assessed.filter(({ tier }) => tier !== "small"),
      ({ change }) => holdsUntil(change) > nowMs
    )
    const request = open.length === 0 ? undefined : yield* asBefore(requestOf(plan, open, nowMs, isElsewhere))
    const slots = new Set(assessed.map(({ change }) => Kinds.slotOf(change)))
    // A run that only looks knows nothing better than what was asked for before it.
    const isAsked =
      plan.observeOnly !== undefined || (yield* store.replace(plan.account, answered, slots, request))
    // A plan that was asked for before waits since then, and no longer for being asked again.
    const kept = request === undefined ? undefined : yield* store.find(plan.account, request.id)
    return {
      now: idsOf([...appliable, ...automatic.map(({ change }) => change)]),
      automatic,
      // Of a saved plan that is applied again somebody may have answered already.
      waiting: isAsked ? open : [],
      late,
      // Said no to before the plan was made, and since.
      rejected: [...plan.held.filter(({ by }) => by === Rejected.by), ...waiting.filter(isRejected)],
      request: isAsked ? (kept ?? request) : undefined
    }
  })

const idsOf = (changes: ReadonlyArray<Change>): ReadonlySet<string> => new Set(changes.map(({ id }) => id))

const basesOf = (account: string, nowMs: number) =>
  Effect.gen(function* () {
    const since = nowMs - Risk.driftMs
    const slots = yield* (yield* RuleMemory).slots(account, since)
    const weekAgo = new Map<string, number>()
    for (const { dayFirstBid, slot } of slots.values()) {
      if (dayFirstBid !== undefined) weekAgo.set(slot, dayFirstBid)
    }
    const approved = yield* (yield* ApprovalStore).approvedBids(account, since)
    return { approved, weekAgo } satisfies Risk.Bases
  })

const requestOf = (
  plan: Plan,
  open: ReadonlyArray<Risk.Assessed>,
  nowMs: number,
  isElsewhere: boolean
): Request => {
  const asked = open.map(({ change, tier, why }) => ({
    id: change.id,
    slot: Kinds.slotOf(change),
    policy: change.origin.name,
    after: change.after,
    tier,
    why,
    ...(isElsewhere ? { elsewhere: true as const } : {})
  }))
  return {
    id: Hash.of([plan.seal, asked.map(({ id }) => id)]).slice(0, 12),
    account: plan.account,
    plan,
    asked,
    state: "requested",
    requestedAt: nowMs,
    // Reading may have taken hours, and a plan is as old as its reading. What is of one day alone goes on no other.
    expiresAt: Math.min(Math.min(nowMs, Date.parse(plan.createdAt)) + lifetimeMs, lastHoldsUntil(open))
  }
}

/** When the last of the changes holds no more, epoch milliseconds; endless where one holds on any day. */
const lastHoldsUntil = (open: ReadonlyArray<Risk.Assessed>): number =>
  open.reduce((last, { change }) => Math.max(last, holdsUntil(change)), 0)

const holdsUntil = (change: Change): number =>
  Kinds.of(change).holdsUntil?.(change) ?? Number.POSITIVE_INFINITY

/**
 * The request that waits already where this one asks for the same for the same reasons: it keeps its id, and takes the newer plan, so that a
 * yes is held against what the account was like last. A plan from before its plan, such as a saved one, asks by itself, and under no id
 * of which a person may have been shown something else.
 */
const asBefore = (request: Request): Effect.Effect<Request, StoreFailure, ApprovalStore> =>
  Effect.gen(function* () {
    const waiting = yield* (yield* ApprovalStore).list(request.account, 0)
    const meaning = meaningOf(request)
    const before = waiting.find((one) => madeAtMs(one) <= madeAtMs(request) && meaningOf(one) === meaning)
    return before === undefined
      ? yield* underOwnId(request)
      : { ...request, id: before.id, requestedAt: before.requestedAt }
  })

const underOwnId = (request: Request): Effect.Effect<Request, StoreFailure, ApprovalStore> =>
  Effect.gen(function* () {
    const known = yield* (yield* ApprovalStore).find(request.account, request.id)
    if (known?.id !== request.id || !isOpen(known) || isSame(known, request)) return request
    return yield* underOwnId({ ...request, id: Hash.of([request.id]).slice(0, 12) })
  })

/** Nobody has answered it. */
const isOpen = ({ state }: Request): boolean => state === "requested" || state === "superseded"

/** It took no newer plan, and lost nothing to another request, since it was asked. */
const isSame = (one: Request, other: Request): boolean =>
  one.plan.seal === other.plan.seal && Hash.of(one.asked) === Hash.of(other.asked)

const madeAtMs = ({ plan }: Pick<Request, "plan">): number => Date.parse(plan.createdAt)

/** All that a person is shown of a request, by which rules, and what of its budgets decides on a yes: requests of one meaning are one. */
const meaningOf = (request: Request): string => {
  const { asked, plan } = request
  const changes = Approvals.changesOf(request)
  const budgeted = changes.some((change) => BudgetRoom.shareOf(change) !== undefined)
  return Hash.of([
    plan.rulesHash,
    plan.currency,
    asked,
    changes,
    Approvals.figures(request),
    budgeted ? sharesOf(plan) : null
  ])
}

/** What decides of a plan whether its budgets have room. */
const sharesOf = ({ changes, forecasts, held }: Pick<Plan, "changes" | "forecasts" | "held">) => [
  [...changes, ...held.map(({ change }) => change)].flatMap((change) => {
    const share = BudgetRoom.shareOf(change)
    return share === undefined ? [] : [[change.id, change.origin.name, share]]
  }),
  BudgetRoom.absentOf(forecasts)
]

/**
 * Ends requests of policies that are not among the configured rules any more, or are disabled: no plan may ever come that would. Answers how many.
 * The others are asked for, or not, by their next plan.
 */
export const endOrphans = (
  account: string,
  { fulfilment, policies }: Pick<RuleSet, "fulfilment" | "policies">
): Effect.Effect<number, StoreFailure, ApprovalStore> =>
  Effect.gen(function* () {
    const on = [...policies, ...fulfilment].filter(({ mode }) => mode !== "disabled")
    const ids = new Set(on.map(({ id }): string => id))
    const store = yield* ApprovalStore
    // A store that may only be read is read all the same where there is nothing to end.
    const waiting = yield* store.list(account, 0)
    const isAsked = ({ elsewhere, policy }: Asked) => elsewhere === true || ids.has(policy)
    if (waiting.every(({ asked }) => asked.every(isAsked))) return 0
    return yield* store.keepOnly(account, ids, "its policy is gone from the rules, or disabled")
  })
