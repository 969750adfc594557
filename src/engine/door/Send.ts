/**
 * Sends approved changes in waves: read the live values, leave out what somebody changed, group the rest into
 * requests, and send one request after the other. Before each: kill switch, lock, live values that are not old, and a
 * committed journal row.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { BeforeSend } from "../../domain/BeforeSend.js"
import * as OutcomeReason from "../../domain/OutcomeReason.js"
import * as Progress from "../../domain/Progress.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as BudgetRoom from "../kinds/BudgetRoom.js"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import * as Whole from "../kinds/Whole.js"
import { Halving } from "./Halving.js"
import * as Holdings from "./Holdings.js"
import { Journal, type JournalRow, type JournalState } from "./Journal.js"
import * as JournalPoints from "./JournalPoints.js"
import * as LastLook from "./LastLook.js"
import type { Lease } from "./Lease.js"
import * as LookAgain from "./LookAgain.js"
import { isLost, isThere, skipPlanned } from "./Outcome.js"
import * as Parked from "./Parked.js"
import * as RefusedCampaigns from "./RefusedCampaigns.js"
import { type WriteBatch, type WriteOutcome, Writer } from "./Writer.js"
import type { Written } from "./WrittenSince.js"

/** Changes whose live values are read together: not so many that the first is old when the last is sent. */
const waveSize = 500

/** A change that left, or may have left, this machine. */
interface Sent {
  readonly change: Change
  readonly sentAt: number
}

interface Sending {
  readonly sent: ReadonlyArray<Sent>
  /** Why sending ended early; after `account_refused` reading back makes no sense either. */
  readonly stopped: OutcomeReason.StopReason | undefined
}

/** `size` changes at a time; `madeAtMs`: when the plan was made; `written`: by slot, what other runs have written since the plan was made; `others`: what they are looked at beside; what is sent joins it. */
export interface Manner {
  readonly size?: number
  readonly madeAtMs: number
  readonly written: ReadonlyMap<string, Written>
  readonly others: LookAgain.Others
}

/** Sends the changes of a run whose rows are `planned`; needs a permit through the batches' own requirement. */
export const all = (
  runId: string,
  changes: ReadonlyArray<Change>,
  lease: Lease,
  { madeAtMs, others, size = waveSize, written }: Manner
) =>
  Effect.gen(function* () {
    const { dearLook } = yield* Writer
    const looks = new LookAgain.Looks(madeAtMs, dearLook, written, others)
    const sent: Array<Sent> = []
    const run: Run = {
      runId,
      lease,
      looks,
      sent,
      halving: new Halving(),
      refused: RefusedCampaigns.make(),
      isParked: false,
      stopped: yield* LastLook.reasonToStop(lease)
    }
    let done = 0
    for (const wave of waves(changes, size, dearLook)) {
      if (run.stopped !== undefined) break
      const ready = yield* LookAgain.stillAsPlanned(runId, wave, looks)
      yield* JournalPoints.pass("compared")
      for (const part of dearerLast(ready)) {
        if (run.stopped !== undefined) break
        yield* requests(run, yield* paidFor(runId, part))
      }
      done += wave.length
      yield* Progress.report({ stage: "send", done, total: changes.length })
    }
    const { stopped } = run
    if (stopped !== undefined) yield* skipPlanned(runId, changes, stopped)
    return { sent, stopped } satisfies Sending
  })

/** What goes on from one request to the next. */
interface Run {
  readonly runId: string
  readonly lease: Lease
  readonly looks: LookAgain.Looks
  readonly sent: Array<Sent>
  readonly halving: Halving
  readonly refused: RefusedCampaigns.RefusedCampaigns
  /** The outcome of a payment is not known: no other is made. */
  isParked: boolean
  stopped: Sending["stopped"]
}

/** Sends changes in requests, one after the other; what a request leaves to be sent again joins the queue. */
const requests = (run: Run, changes: ReadonlyArray<Change>) =>
  Effect.gen(function* () {
    const { lease, looks, runId, sent } = run
    const writer = yield* Writer
    const queue = [...(yield* writer.batches(changes))]
    for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
      run.stopped = yield* LastLook.reasonToStop(lease)
      if (run.stopped !== undefined) return
      const free = yield* Holdings.free(runId, lease.fence.account, batch.changes)
      const whole = yield* wantedOnly(runId, lease.fence.account, yield* wholeOnly(runId, free))
      if (whole.length < batch.changes.length) {
        queue.unshift(...(yield* writer.batches(whole)))
        continue
      }
      const over = yield* run.refused.against(batch.changes)
      if (over.size > 0) {
        for (const [change, reason] of over) yield* skipPlanned(runId, [change], reason)
        queue.unshift(...(yield* writer.batches(batch.changes.filter((change) => !over.has(change)))))
        continue
      }
      const spent = run.halving.spent(batch.changes)
      if (spent !== undefined) {
        yield* skipPlanned(runId, batch.changes, spent.reason, stateOf[spent._tag])
        continue
      }
      if (run.isParked && batch.changes.some(Kinds.isPayment)) {
        yield* Parked.skipRest(runId, batch.changes)
        continue
      }
      const result = yield* dispatch(run, batch)
      run.isParked ||= result.parked
      sent.push(...result.sent)
      looks.others.add(result.sent.map(({ change }) => change))
      if (result.stale.length > 0)
        yield* LookAgain.again(runId, result.stale, queue, batch.operation, looks, run.halving)
      if (result.spoiled.length > 0) queue.push(...(yield* writer.batches(result.spoiled)))
      // A part before its sibling, and both before others: so a fault is found by the fewest refusals.
      const parts = yield* Effect.forEach(result.parts, writer.batches)
      queue.unshift(...parts.flat())
      run.stopped = result.stopped
      if (run.stopped !== undefined) return
    }
  })

/**
 * Cuts changes into waves of about `size`, kinds together so that few requests are cut in two, and last what others must make
 * room for. The minus phrases of one item are never parted: a second list, made before the first can be seen, would undo it.
 * Nor is what is made for others from these: they are looked at before it leaves.
 * What one dear look shows is a wave for itself, or its look would be old when its turn has come.
 */
export const waves = (
  changes: ReadonlyArray<Change>,
  size: number,
  dearLook: DearLookOf = () => undefined
): ReadonlyArray<ReadonlyArray<Change>> => {
  const [dear, others] = Arr.partition([...changes].sort(byTurn), (change) => dearLook(change) === undefined)
  const made = new Set(others.flatMap((change) => Kinds.of(change).madeFor?.(change) ?? []))
  const together = Arr.groupBy(others, (change) => {
    const ref = Kinds.of(change).madeFor?.(change) ?? Kinds.of(change).into?.(change)
    return ref !== undefined && made.has(ref) ? `into ${ref}` : groupOf(change)
  })
  const found: Array<Array<Change>> = []
  for (const group of Object.values(together)) {
    const last = found.at(-1)
    if (last !== undefined && last.length + group.length <= size) last.push(...group)
    else found.push([...group])
  }
  return [...found, ...Object.values(Arr.groupBy(dear, (change) => dearLook(change)?.shows ?? ""))]
}

type DearLookOf = NonNullable<(typeof Writer.Service)["dearLook"]>

/**
 * What of `optimise` is paid for by others of its plan leaves in requests of its own, once it is known what became of those; what goes
 * in one request with them stays with them.
 */
const dearerLast = (changes: ReadonlyArray<Change>): ReadonlyArray<ReadonlyArray<Change>> => {
  const first = new Set(changes.filter((change) => !BudgetRoom.isDearer(change)).map(groupOf))
  const [dearer, others] = Arr.partition(changes, (change) => first.has(groupOf(change)))
  return [others, dearer].filter((part) => part.length > 0)
}

/** Without those for which a budget has no room, since something does not come about that was to make it: they are skipped. */
const paidFor = (runId: string, changes: ReadonlyArray<Change>) =>
  Effect.gen(function* () {
    if (!changes.some(BudgetRoom.isDearer)) return changes
    const asked = new Set(changes.map(({ id }) => id))
    const rows = (yield* (yield* Journal).rows(runId)).filter(({ change }) => !asked.has(change.id))
    const others = rows.map(({ change }) => change)
    const gone = rows.filter(hasGone).map(({ change }) => change)
    const noRoom = BudgetRoom.without({ open: changes, gone, all: [...changes, ...others] })
    for (const [change, reason] of noRoom)
      yield* skipPlanned(runId, [change], { code: "budget_no_room", ...reason })
    return changes.filter((change) => !noRoom.has(change))
  })

/** Of what may or may not have left, what makes dearer counts, and what makes room does not. */
const hasGone = (row: JournalRow): boolean =>
  row.state === "accepted" ||
  row.state === "applied" ||
  isThere(row) ||
  (BudgetRoom.isDearer(row.change) && row.state !== "planned" && !isLost(row))

/**
 * Without those of groups that go whole or not at all of which one will not have its new value: they are skipped. What was
 * there already, or has left, is with them.
 */
const wholeOnly = (runId: string, changes: ReadonlyArray<Change>) =>
  Effect.gen(function* () {
    const groups = Whole.groups(changes)
    if (groups.length === 0) return changes
    const rows = yield* (yield* Journal).rows(runId)
    const standing = new Map<string, number>()
    for (const row of rows) {
      const group = Whole.groupOf(row.change)
      if (group === undefined || isLost(row)) continue
      standing.set(group.key, (standing.get(group.key) ?? 0) + 1)
    }
    const parted = groups.filter(({ key, size }) => (standing.get(key) ?? 0) < size)
    if (parted.length === 0) return changes
    const rest = new Set(parted.flatMap((group) => group.changes))
    yield* skipPlanned(runId, [...rest], OutcomeReason.of("set_parted"))
    return changes.filter((change) => !rest.has(change))
  })

/** Without what is made for others of the run of which none is left to go: an empty supply is nobody's wish. */
const wantedOnly = (runId: string, account: string, changes: ReadonlyArray<Change>) =>
  Effect.gen(function* () {
    const unwanted = yield* Holdings.madeForNone(runId, account, changes)
    if (unwanted.length === 0) return changes
    yield* skipPlanned(runId, unwanted, OutcomeReason.of("made_for_none"))
    return changes.filter((change) => !unwanted.includes(change))
  })

/** What is never parted from the change: one look at live values is for all of a group. */
const groupOf = (change: Change): string => {
  const key = Kinds.of(change).together?.(change) ?? Whole.groupOf(change)?.key
  return key === undefined ? `one ${change.id}` : `${change.kind} ${key}`
}

const byTurn = (a: Change, b: Change): number =>
  Number(BudgetRoom.isDearer(a)) - Number(BudgetRoom.isDearer(b)) || Kinds.turnOf(a) - Kinds.turnOf(b)

/** One request: claimed before the limiter is asked, dispatching right before it leaves, its outcomes after it. */
const dispatch = ({ halving, lease, looks, refused: campaigns, runId }: Run, batch: WriteBatch) =>
  Effect.gen(function* () {
    const claimed = yield* claim(runId, batch, lease)
    if (claimed !== undefined) {
      return { sent: [], spoiled: [], parts: [], stale: [], parked: false, stopped: claimed.stopped }
    }
    if (batch.changes.some(Kinds.isPayment)) looks.note(batch.changes, yield* Clock.currentTimeMillis)
    const look = yield* LastLook.make(runId, batch.changes, lease, looks)
    const { outcomes, parts } = yield* Effect.uninterruptibleMask((restore) =>
      restore(Effect.provideService(batch.send, BeforeSend, look.pass)).pipe(
        Effect.map(unlessKept(batch, look.letGo)),
        Effect.map(settled(batch)),
        Effect.map(withoutHeld(look.held)),
        Effect.map(withoutStale),
        Effect.map((answer) => halving.of(batch, answer)),
        Effect.tap((answer) => Effect.sync(() => campaigns.note(batch.changes, answer.outcomes))),
        Effect.tap(() => JournalPoints.pass("answered")),
        Effect.tap((answer) => look.failure() ?? recordOutcomes(runId, batch, answer.outcomes))
      )
    )
    yield* JournalPoints.pass("recorded")
    const sentAt = yield* Clock.currentTimeMillis
    const sent = batch.changes
      .filter((change) => left(outcomes.get(change.id)))
      .map((change) => ({ change, sentAt }))
    const unsent = batch.changes.filter((change) => outcomes.get(change.id)?._tag === "Spoiled")
    const [spoiled, stale] = Arr.partition(unsent, (change) => isStale(outcomes.get(change.id)))
    const isOpen = ({ id }: Change) => (outcomes.get(id) ?? unmentioned)._tag === "Unknown"
    const parked = batch.changes.some((change) => Kinds.isPayment(change) && isOpen(change))
    const refused = [...outcomes.values()].flatMap((one) =>
      "reason" in one && one.reason.code === "account_refused" ? [one.reason] : []
    )[0]
    return { sent, spoiled, parts, stale, parked, stopped: refused ?? look.stopped() }
  })

/** Takes a request's changes for this run; answers something only when they may not be sent. */
const claim = (runId: string, batch: WriteBatch, lease: Lease) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const ids = batch.changes.map((change) => change.id)
    const evidence = yield* Parked.evidence(lease.fence.account, batch.changes)
    if (evidence._tag === "Against") {
      yield* skipPlanned(runId, batch.changes, evidence.reason)
      return { stopped: undefined }
    }
    yield* JournalPoints.pass("claiming")
    const taken = yield* journal.claim(lease.fence, runId, ids, ["planned"], "claimed", {
      nowMs: yield* Clock.currentTimeMillis,
      operation: batch.operation,
      requestHash: batch.requestHash,
      ...(evidence._tag === "None" ? {} : { evidence: evidence.purse })
    })
    yield* JournalPoints.pass("claimed")
    if (taken._tag === "Moved") return undefined
    if (taken._tag === "Fenced") return { stopped: LastLook.lost(taken.holder) }
    yield* skipPlanned(runId, batch.changes, OutcomeReason.of("taken_by_another_run"))
    return { stopped: undefined }
  })

const left = (outcome: WriteOutcome | undefined): boolean =>
  outcome === undefined || outcome._tag === "Accepted" || outcome._tag === "Unknown"

/** A request may read before it writes: where that fails, what is not known is not whether it was written. */
const unlessKept =
  (batch: WriteBatch, letGo: () => boolean) =>
  (outcomes: ReadonlyMap<string, WriteOutcome>): ReadonlyMap<string, WriteOutcome> =>
    letGo()
      ? outcomes
      : new Map(batch.changes.map(({ id }) => [id, notBegun(outcomes.get(id) ?? unmentioned)]))

const notBegun = (outcome: WriteOutcome): WriteOutcome => {
  if (outcome._tag !== "Unknown") return outcome
  const said = outcome.reason.code === "no_answer" ? outcome.reason.said : "no answer"
  return { _tag: "NotSent", reason: { code: "unread_before", said } }
}

/** Sending again must leave somebody out each time, or it would never end: all spoiled is all refused. */
const settled =
  (batch: WriteBatch) =>
  (outcomes: ReadonlyMap<string, WriteOutcome>): ReadonlyMap<string, WriteOutcome> =>
    batch.changes.every((change) => outcomes.get(change.id)?._tag === "Spoiled")
      ? new Map(batch.changes.map((change) => [change.id, refusedTogether]))
      : outcomes

const refusedTogether: WriteOutcome = {
  _tag: "Rejected",
  reason: OutcomeReason.of("refused_together")
}

/** A hold of one change kept the whole request back at the last moment: the others are worth a request of their own. */
const withoutHeld =
  (held: () => ReadonlySet<string>) =>
  (outcomes: ReadonlyMap<string, WriteOutcome>): ReadonlyMap<string, WriteOutcome> => {
    const ids = held()
    if (ids.size === 0) return outcomes
    return new Map(
      [...outcomes].map(([id, outcome]) => [
        id,
        outcome._tag === "NotSent" && !ids.has(id) ? { _tag: "Spoiled", reason: outcome.reason } : outcome
      ])
    )
  }

/** What was looked at too long ago is worth another look. */
const withoutStale = (outcomes: ReadonlyMap<string, WriteOutcome>): ReadonlyMap<string, WriteOutcome> =>
  new Map(
    [...outcomes].map(([id, outcome]) => [
      id,
      outcome._tag === "NotSent" && isStale(outcome) ? { _tag: "Spoiled", reason: outcome.reason } : outcome
    ])
  )

const isStale = (outcome: WriteOutcome | undefined): boolean =>
  outcome !== undefined && "reason" in outcome && outcome.reason.code === "stale_value"

/** A change the answer does not mention may or may not have arrived. */
const unmentioned: WriteOutcome = { _tag: "Unknown", reason: OutcomeReason.of("not_mentioned") }

const recordOutcomes = (
  runId: string,
  batch: WriteBatch,
  answer: ReadonlyMap<string, WriteOutcome>
): Effect.Effect<void, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const nowMs = yield* Clock.currentTimeMillis
    const outcomes = batch.changes.map((change) => ({
      id: change.id,
      outcome: answer.get(change.id) ?? unmentioned
    }))
    for (const group of Object.values(Arr.groupBy(outcomes, (o) => JSON.stringify(o.outcome)))) {
      const { outcome } = group[0]
      const ids = group.map((o) => o.id)
      yield* journal.move(runId, ids, ["claimed", "dispatching"], stateOf[outcome._tag], {
        nowMs,
        sent: left(outcome),
        ...("reason" in outcome ? { reason: outcome.reason } : {}),
        ...("evidence" in outcome ? { evidence: outcome.evidence } : {})
      })
    }
  })

const stateOf: Readonly<Record<WriteOutcome["_tag"], JournalState>> = {
  Accepted: "accepted",
  Rejected: "rejected",
  NotSent: "skipped",
  Spoiled: "planned",
  Doubted: "planned",
  Unknown: "unknown"
}
