/**
 * Reads changes back once they can be seen and settles their journal rows: the new value is `applied`; the old one,
 * seen twice, is `not_applied`; any other is a `conflict`. Twice is by two looks in a row that were answered; three are made at most. What is not listed twice, because somebody removed it or the
 * list was not whole, is what the answer said: `applied` when the marketplace had accepted it, else a `conflict`. So is
 * what was to be created and is not listed twice: no list proves that it was not. A bid that was to be removed is `applied`
 * when it is not listed twice. A slot that has no value of its own still shows the old one where it shows what its run has set in the
 * slot that it follows. What cannot be read stays open for the next run, and so
 * does what is filed and takes its time; when that is not there by its time, seen twice, it is a `conflict`.
 * Deposits are proved by the money instead (`Parked.ts`).
 */

import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type OutcomeReason, of } from "../../domain/OutcomeReason.js"
import * as Progress from "../../domain/Progress.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { instead } from "../kinds/HumanEdit.js"
import * as Kinds from "../kinds/Kinds.js"
import type { Offer, Seen } from "../kinds/Seen.js"
import { awaitedStates, Journal, type JournalState } from "./Journal.js"
import * as JournalPoints from "./JournalPoints.js"
import * as LookAgain from "./LookAgain.js"
import * as Parked from "./Parked.js"
import * as Since from "./Since.js"
import { Writer } from "./Writer.js"

/** The old value must be seen twice before "not applied" is believed; pause between both reads, milliseconds. */
const secondReadMs = (visibilityMs: number): number => Math.max(visibilityMs / 3, 1000)

/** Settles changes in Clock time, one group per visibility delay, groups side by side. */
export const settle = (
  open: ReadonlyArray<Parked.Open>
): Effect.Effect<void, StoreFailure, Journal | Writer> =>
  Effect.gen(function* () {
    if (open.length === 0) return
    const writer = yield* Writer
    // Waiting until the first of it can be seen is part of reading back.
    yield* Progress.report({ stage: "read back", done: 0, total: open.length })
    const [others, deposits] = Arr.partition(open, ({ change }) => Kinds.isPayment(change))
    const [readable, filed] = Arr.partition(others, ({ change }) => Kinds.of(change).filedUntil !== undefined)
    const groups = Arr.groupBy(readable, (item) => `${writer.visibilityMs(item.change)}`)
    const all = Effect.forEach(
      Object.entries(groups),
      ([visibilityMs, items]) => settleGroup(items, Number(visibilityMs)),
      { concurrency: "unbounded", discard: true }
    )
    yield* Effect.all([all, settleFiled(filed), Parked.settle(deposits, writer.visibilityMs)], {
      concurrency: "unbounded",
      discard: true
    })
  })

/** One read without waiting: settles only what is already seen as applied, and answers the rest. */
export const glance = (
  open: ReadonlyArray<Parked.Open>
): Effect.Effect<ReadonlyArray<Parked.Open>, StoreFailure, Journal | Writer> =>
  Effect.gen(function* () {
    const [readable, deposits] = Arr.partition(open, ({ change }) => Kinds.isPayment(change))
    const seen = yield* read(readable)
    const [later, now] = Arr.partition(seen, isSure)
    yield* record(now, "After", "applied", of("read_back"))
    return [...later.map((s) => s.open), ...deposits]
  })

const settleGroup = (items: ReadonlyArray<Parked.Open>, visibilityMs: number) =>
  Effect.gen(function* () {
    const lastSentAt = items.reduce((last, { sentAt }) => Math.max(last, sentAt), 0)
    yield* Since.sleep(lastSentAt, visibilityMs)
    yield* Progress.report({ stage: "read back", done: 0, total: items.length })
    const first = yield* read(items)
    yield* JournalPoints.pass("seen")
    yield* record(first.filter(isSure), "After", "applied", of("read_back"))
    yield* record(
      first.filter((s) => !isGone(s)),
      "Other",
      "conflict"
    )
    let rest = first.filter(isUndecided)
    for (let looks = 1; looks < mostLooks && rest.length > 0; looks++) {
      yield* Effect.sleep(secondReadMs(visibilityMs))
      const again = yield* read(rest.map((s) => s.open))
      yield* record(again.filter(isSure), "After", "applied", of("read_back_late"))
      yield* record(
        again.filter((s) => !isGone(s)),
        "Other",
        "conflict"
      )
      const before = rest
      const twice = again.filter((s, at) => isUndecided(s) && isAlike(before[at]?.seen, s.seen))
      yield* record(twice, "After", "applied", of("read_back_late"))
      yield* record(twice, "Other", "applied", unlisted, ["accepted"])
      yield* record(twice, "Other", "conflict")
      yield* record(twice.filter(isNotListed), "Before", "applied", unlisted, ["accepted"])
      yield* record(twice.filter(isCreation), "Before", "conflict", of("unanswered_unlisted"))
      yield* record(twice, "Before", "not_applied", of("old_value_remains"))
      const decided = new Set(twice)
      rest = again.filter((s) => isUndecided(s) && !decided.has(s))
    }
    yield* Progress.report({ stage: "read back", done: items.length, total: items.length })
  })

/** One that fails, or shows something else than the one before, is worth one more. */
const mostLooks = 3

/** What one look alone does not settle. */
const isUndecided = (one: SeenOpen): boolean => !isSure(one) && (one.seen._tag !== "Other" || isGone(one))

/** True of two looks that were answered, and alike. */
const isAlike = (a: Seen | undefined, b: Seen): boolean =>
  a !== undefined && a._tag !== "Silent" && a._tag === b._tag && isListed(a) === isListed(b)

const isListed = (seen: Seen): boolean => !("isUnlisted" in seen && seen.isUnlisted === true)

/**
 * What is not there yet stays open until its time has come; then it is looked for twice more. Where it was to enter is
 * waited for no longer than an answer takes once it is gone: its own time may never come.
 */
const settleFiled = (items: ReadonlyArray<Parked.Open>) =>
  Effect.gen(function* () {
    const [first] = items
    if (first === undefined) return
    const visibilityMs = (yield* Writer).visibilityMs(first.change)
    const lastSentAt = items.reduce((last, { sentAt }) => Math.max(last, sentAt), 0)
    const waitMs = lastSentAt + visibilityMs - (yield* Clock.currentTimeMillis)
    if (waitMs > 0) yield* Progress.report({ stage: "read back", done: 0, total: items.length, waitMs })
    yield* Since.sleep(lastSentAt, visibilityMs)
    const seen = yield* read(items)
    yield* JournalPoints.pass("seen")
    yield* record(seen, "After", "applied", of("read_back"))
    const nowMs = yield* Clock.currentTimeMillis
    const due = seen.filter((s) => s.seen._tag !== "After" && until(s) <= nowMs)
    if (due.length > 0) {
      yield* Effect.sleep(secondReadMs(visibilityMs))
      const second = yield* read(due.map((s) => s.open))
      yield* record(second, "After", "applied", of("read_back_late"))
      const twice = second.filter((s, at) => isAlike(due[at]?.seen, s.seen))
      yield* record(twice, "Before", "conflict", of("not_entered"))
      yield* record(twice, "Other", "conflict")
    }
    // From here on it counts from when it was sent, and whoever hangs before its first byte finds it taken.
    const journal = yield* Journal
    for (const [runId, group] of Object.entries(Arr.groupBy(seen, ({ open }) => open.runId))) {
      const ids = group.map(({ open }) => open.change.id)
      yield* journal.move(runId, ids, ["dispatching"], "unknown", { nowMs })
    }
    yield* Progress.report({ stage: "read back", done: items.length, total: items.length })
  })

const until = (seen: SeenOpen): number => {
  const { change, sentAt } = seen.open
  const { offer } = seen
  const { deadlineMs, filedUntil } = Kinds.of(change)
  return isGone(seen) ? sentAt + deadlineMs : (filedUntil?.(change, sentAt, offer) ?? sentAt)
}

/** The marketplace accepted it; it is not listed, so that nobody can look again. */
const unlisted = of("accepted_unlisted")

/** No list can tell what was not made, or a cluster's first bid of its own, from one that the list leaves out. */
const isNotListed = (one: SeenOpen): boolean =>
  one.seen._tag === "Before" && (one.seen.isUnlisted === true || isCreation(one))

/** Sent again, it makes another. */
const isCreation = ({ open }: SeenOpen): boolean => Kinds.of(open.change).writeClass === "C"

const isGone = ({ seen }: SeenOpen): boolean => seen._tag === "Other" && seen.isGone === true

/** Seen in place; what was to be removed and is not listed is looked for once more. */
const isSure = ({ seen }: SeenOpen): boolean => seen._tag === "After" && seen.isUnlisted !== true

interface SeenOpen {
  readonly open: Parked.Open
  readonly seen: Seen
  /** The terms that were read with it. */
  readonly offer?: Offer | undefined
  /** The marketplace's id of what was made. */
  readonly made?: string | undefined
}

const read = (
  items: ReadonlyArray<Parked.Open>
): Effect.Effect<ReadonlyArray<SeenOpen>, StoreFailure, Journal | Writer> =>
  Effect.gen(function* () {
    if (items.length === 0) return []
    const writer = yield* Writer
    const live = yield* writer.readLive(items.map((item) => item.change))
    const seen: Array<SeenOpen> = []
    const rows = yield* Effect.cachedFunction((runId: string) =>
      Effect.flatMap(Journal, (journal) => journal.rows(runId))
    )
    for (const open of items) {
      const { change, runId } = open
      const found = live.get(change.id)
      const { made, offer } = found?._tag === "Value" ? found : {}
      const own = Kinds.compare(change, found)
      // What its run has set in the slot that it follows is the old value still, as far as its own is concerned.
      const isOurs =
        own._tag === "Other" &&
        LookAgain.mayFollow(change, found) &&
        LookAgain.isSetBy(yield* rows(runId), change, found)
      seen.push({ open, seen: isOurs ? { _tag: "Before", isUnlisted: true } : own, offer, made })
    }
    return seen
  })

const record = (
  seen: ReadonlyArray<SeenOpen>,
  tag: Seen["_tag"],
  to: JournalState,
  known?: OutcomeReason,
  from: ReadonlyArray<JournalState> = awaitedStates
): Effect.Effect<void, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const nowMs = yield* Clock.currentTimeMillis
    const matching = seen.filter((s) => s.seen._tag === tag)
    const why = (s: SeenOpen) => known ?? (s.seen._tag === "Other" ? s.seen.reason : undefined)
    if (to === "conflict") yield* leaveAlone(matching, nowMs)
    for (const group of Object.values(
      Arr.groupBy(matching, (s) => `${s.open.runId} ${JSON.stringify([why(s), s.made])}`)
    )) {
      const ids = group.map((s) => s.open.change.id)
      const [{ made, open }] = group
      const reason = why(group[0])
      const note = { nowMs, ...(reason === undefined ? {} : { reason }) }
      if (tag === "After" && made !== undefined)
        yield* journal.move(open.runId, ids, from.filter(isUnanswered), to, { ...note, evidence: made })
      yield* journal.move(open.runId, ids, from, to, note)
    }
  })

/** An answer says better than a look what was made. */
const isUnanswered = (state: JournalState): boolean => state !== "accepted"

/** What somebody set before our value was seen in place is theirs like any other edit, though we never saw ours. */
const leaveAlone = (
  seen: ReadonlyArray<SeenOpen>,
  nowMs: number
): Effect.Effect<void, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    for (const [runId, group] of Object.entries(Arr.groupBy(seen, ({ open }) => open.runId))) {
      const edits = group.flatMap(({ open: { change, sentAt }, seen }) =>
        seen._tag === "Other" && seen.live !== undefined
          ? instead(change, { ours: change.after, writtenAt: sentAt, live: seen.live, firstSeenAt: nowMs })
          : []
      )
      const account = edits.length === 0 ? undefined : (yield* journal.rows(runId))[0]?.account
      if (account !== undefined) yield* journal.keepEdits(account, edits, [])
    }
  })
