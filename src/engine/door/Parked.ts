/**
 * Deposits are sent once ever. None is sent when another one was made since the plan, because the plan's limits did not
 * count it, nor while one is open. What became of one without an answer is proved by the money (`DepositProof`); where
 * that proves nothing it is parked, counts as paid, and is left to a person.
 */

import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type OutcomeReason, of } from "../../domain/OutcomeReason.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { ApprovedPlan } from "../kinds/Approved.js"
import type { Change } from "../kinds/Change.js"
import * as DepositProof from "../kinds/DepositProof.js"
import * as Kinds from "../kinds/Kinds.js"
import { awaitedStates, Journal, type JournalRow, type JournalState } from "./Journal.js"
import * as JournalPoints from "./JournalPoints.js"
import { outcomeOf, skipPlanned } from "./Outcome.js"
import { Senders } from "./Senders.js"
import * as Since from "./Since.js"
import { Writer } from "./Writer.js"

/** The money before a deposit leaves, as the journal keeps it; or why it may not leave. `None` of other changes. */
export type Evidence =
  | { readonly _tag: "None" }
  | { readonly _tag: "Recorded"; readonly purse: string }
  | { readonly _tag: "Against"; readonly reason: OutcomeReason }

/**
 * Reads the money before a deposit leaves. Deposits that the source does not show yet are taken off. A campaign whose
 * budget has grown since the plan gets none: reading may have taken an hour, and somebody may have topped it up.
 */
export const evidence = (
  account: string,
  changes: ReadonlyArray<Change>
): Effect.Effect<Evidence, StoreFailure, Journal | Writer> =>
  Effect.gen(function* () {
    const deposit = changes.find(Kinds.isPayment)
    if (deposit === undefined) return { _tag: "None" } as const
    const writer = yield* Writer
    const purse = yield* writer.purse(deposit)
    if (purse === undefined) return { _tag: "Against", reason: of("money_unreadable") } as const
    const seen = Kinds.compare(deposit, { _tag: "Value", value: purse.budgetRoubles * 100 })
    if (seen._tag === "Other") return { _tag: "Against", reason: seen.reason } as const
    const since = (yield* Clock.currentTimeMillis) - writer.visibilityMs(deposit)
    const hidden = (yield* (yield* Journal).deposits(account, since)).filter(
      ({ from }) => from === Kinds.moneySourceOf(deposit)
    )
    const source = DepositProof.sourceOf[Kinds.moneySourceOf(deposit)]
    const onTheWay = hidden.reduce((sum, { kopecks }) => sum + kopecks / 100, 0)
    const { name: sender } = yield* Senders
    const before: Recorded = { ...purse, [source]: purse[source] - onTheWay, sender }
    return { _tag: "Recorded", purse: JSON.stringify(before) } as const
  })

/**
 * The changes of an approved plan without what is made only once and for good, if the store was restored and reconciled since the plan: it does
 * not know whether this very plan was sent. Call it as `withoutOvertaken`.
 */
export const withoutForgotten = (
  runId: string,
  { account, changes, madeAtMs }: ApprovedPlan
): Effect.Effect<ReadonlyArray<Change>, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const [others, once] = Arr.partition(changes, isForGood)
    if (once.length === 0) return changes
    const reconciledAt = yield* (yield* Journal).reconciledAt(account)
    if (reconciledAt === undefined || reconciledAt <= madeAtMs) return changes
    yield* skipPlanned(runId, once, of("plan_before_reconcile"))
    return others
  })

const isForGood = (change: Change): boolean => {
  const { isOnce, writeClass } = Kinds.of(change)
  return isOnce === true && writeClass === "E"
}

/**
 * The changes of an approved plan without its deposits, if others were made since or may have been, or one is open: those are
 * skipped. A restored store does not know what was paid until it was reconciled, this very plan's deposits among it.
 * Call it while holding the apply lock, after the run's rows were journaled.
 */
export const withoutOvertaken = (
  runId: string,
  { account, changes, madeAtMs }: ApprovedPlan
): Effect.Effect<ReadonlyArray<Change>, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const deposits = changes.filter(Kinds.isPayment)
    if (deposits.length === 0) return changes
    const journal = yield* Journal
    const open = (yield* journal.open(account)).filter(
      (row) => row.runId !== runId && Kinds.isPayment(row.change)
    )
    const reconciledAt = (yield* journal.reconciledAt(account)) ?? Number.NEGATIVE_INFINITY
    const against =
      (yield* journal.deposits(account, madeAtMs)).length > 0
        ? "deposits_since_plan"
        : reconciledAt > madeAtMs
          ? "plan_before_reconcile"
          : open.length > 0
            ? "deposit_open"
            : undefined
    if (against === undefined) return changes
    yield* skipPlanned(runId, deposits, of(against))
    return changes.filter((change) => !Kinds.isPayment(change))
  })

/** After a deposit whose outcome is unknown none of the run's other deposits is sent. */
export const skipRest = (runId: string, changes: ReadonlyArray<Change>) =>
  skipPlanned(runId, changes, of("deposit_before_unknown"))

/**
 * In a store that commits may be missing from, "not sent yet" proves nothing: its open deposits of that state are
 * parked, so that they count as paid until a person has looked. Call it while holding the apply lock.
 */
export const unsure = (
  account: string,
  open: ReadonlyArray<JournalRow>
): Effect.Effect<void, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const found = open.filter(({ change, state }) => Kinds.isPayment(change) && beforeSending.includes(state))
    const journal = yield* Journal
    if (found.length === 0 || (yield* journal.observeOnly(account)) === undefined) return
    const nowMs = yield* Clock.currentTimeMillis
    const reason = unproved("store_replaced")
    for (const { change, runId } of found) {
      yield* journal.move(runId, [change.id], beforeSending, "parked", { nowMs, reason })
    }
  })

const beforeSending: ReadonlyArray<JournalState> = ["planned", "claimed"]

/** A change whose outcome is open. `sentAt`: the latest moment it can have left, epoch milliseconds. */
export interface Open {
  readonly runId: string
  readonly change: Change
  readonly sentAt: number
}

/**
 * Of deposits that left: those answered are applied once their money can be seen; the others are proved one after the
 * other, which takes up to eleven minutes each; hours where the call limit is that scarce.
 */
export const settle = (
  items: ReadonlyArray<Open>,
  visibilityMs: (change: Change) => number
): Effect.Effect<void, StoreFailure, Journal | Writer> =>
  Effect.forEach(
    items,
    (item) =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const { change, runId, sentAt } = item
        const row = (yield* journal.rows(runId)).find((one) => one.change.id === change.id)
        if (row === undefined || !awaitedStates.includes(row.state)) return
        if (row.state !== "accepted") return yield* prove(item, row)
        yield* Since.sleep(sentAt, visibilityMs(change))
        yield* JournalPoints.pass("seen")
        yield* end(item, "applied", of("budget_answered"))
      }),
    { discard: true }
  )

/**
 * Looks until two readings agree, or so long that no further look can tell. Where the call limit has let only one be
 * read by then, one more look is waited for: a later reading proves no less.
 */
const prove = (item: Open, { evidence, sentAt: claimedAt }: JournalRow) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const { change, runId, sentAt } = item
    const nowMs = yield* Clock.currentTimeMillis
    const before = decode(evidence)
    if (before === undefined) return yield* end(item, "parked", unproved("nothing_recorded"))
    // A deposit that a dead run was sending counts as sent now, but what was recorded before it is as old as it was.
    const recordedAt = claimedAt ?? sentAt
    const provableUntil = recordedAt + DepositProof.oldestMs
    // Recorded by a clock that was far ahead, it may be of any age.
    const isOfNoAge = recordedAt > nowMs + DepositProof.oldestMs
    if (nowMs > provableUntil || isOfNoAge) return yield* end(item, "parked", unproved("too_long_ago"))
    yield* journal.move(runId, [change.id], ["dispatching"], "unknown", {
      nowMs,
      reason: of("payment_pending")
    })
    const sinceSent = yield* Since.counted(sentAt)
    yield* Since.sleep(sentAt, DepositProof.firstLookMs)
    const read: Array<DepositProof.Verdict> = []
    for (let isExtra = false; ; ) {
      const seen = yield* look(before, change)
      yield* JournalPoints.pass("seen")
      const lookedAt = yield* Clock.currentTimeMillis
      if (lookedAt > provableUntil) return yield* end(item, "parked", unproved("too_long_ago"))
      const last = read.at(-1)
      if (seen === "paid" && last === "paid") return yield* end(item, "applied", of("paid_proved"))
      const passedMs = yield* sinceSent
      const isOld = passedMs >= DepositProof.decideMs
      if (isOld && seen === "unpaid" && last === "unpaid") {
        const mayWake = yield* sleeper(before)
        return mayWake === undefined
          ? yield* end(item, "not_applied", of("unpaid_proved"))
          : yield* end(item, "parked", { ...unproved("sender_may_wake"), sender: mayWake })
      }
      if (seen !== undefined) read.push(seen)
      if (passedMs >= DepositProof.decideMs + DepositProof.betweenMs) {
        const mayLookOnce = !isExtra && read.length === 1 && read[0] !== "unclear"
        if (!mayLookOnce) return yield* end(item, "parked", unproved("money_unclear"))
        isExtra = true
      }
      yield* Effect.sleep(DepositProof.betweenMs)
    }
  })

type Unproved = Extract<OutcomeReason, { readonly code: "unproved" }>

const unproved = (because: Unproved["because"]): Unproved => ({ code: "unproved", because })

/** Who was about to send it and may only hang; undefined when that one has ended, or is this process itself. */
const sleeper = ({ sender }: Recorded) =>
  Effect.map(Senders, ({ isOver, name }) =>
    sender === undefined || sender === name || isOver(sender) ? undefined : sender
  )

const look = (before: DepositProof.Purse, change: Change) =>
  Effect.gen(function* () {
    const now = yield* (yield* Writer).purse(change, before.spentFrom)
    return now === undefined ? undefined : DepositProof.verdict(before, now, change)
  })

/** The money, and the process that was going to send; stores of before know no sender. */
const Recorded = Schema.Struct({ ...DepositProof.Purse.fields, sender: Schema.optional(Schema.String) })
type Recorded = typeof Recorded.Type

const decodePurse = Schema.decodeUnknownEither(Schema.parseJson(Recorded))
const decode = (evidence: string | undefined): Recorded | undefined =>
  evidence === undefined ? undefined : Either.getOrUndefined(decodePurse(evidence))

const end = ({ change, runId }: Open, to: JournalState, reason: OutcomeReason) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const nowMs = yield* Clock.currentTimeMillis
    yield* journal.move(runId, [change.id], awaitedStates, to, { nowMs, reason })
  })

/**
 * A person's word on a deposit that nothing else can prove: settles a parked one as paid or not paid, in somebody's name; answers why it cannot be settled so, or nothing.
 * Call it while holding the apply lock.
 */
export const resolve = (
  row: JournalRow,
  paid: boolean,
  who: string
): Effect.Effect<string | undefined, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const { change, runId } = row
    if (!Kinds.isPayment(change)) return "only a deposit is settled by a person; everything else is read back"
    const nowMs = yield* Clock.currentTimeMillis
    const reason = { code: "person_said", who, paid } as const
    const to = paid ? "applied" : "not_applied"
    const moved = yield* journal.move(runId, [change.id], ["parked"], to, { nowMs, reason })
    if (moved.length === 0) return `the deposit is ${row.state}, not parked; there is nothing to settle`
    const { counts, status } = outcomeOf(yield* journal.rows(runId))
    yield* journal.finish(runId, status, counts, nowMs)
    return undefined
  })
