/**
 * Looks at live values right before they are written, as often as it takes: a call limit may hold a request back for
 * hours, and what a person changed meanwhile must not be overwritten. A request whose turn came when its look was old is
 * withheld, costs no call, and is looked at again; then its turn is still there.
 */

import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Groups from "../../domain/Groups.js"
import * as OutcomeReason from "../../domain/OutcomeReason.js"
import type { Change } from "../kinds/Change.js"
import { type HumanEdit, instead } from "../kinds/HumanEdit.js"
import * as Kinds from "../kinds/Kinds.js"
import * as Seen from "../kinds/Seen.js"
import type { Halving } from "./Halving.js"
import { Journal, type JournalRow, type JournalState } from "./Journal.js"
import { skipPlanned } from "./Outcome.js"
import { type DearLook, type WriteBatch, Writer } from "./Writer.js"
import type { Written } from "./WrittenSince.js"

/** A live value that was read longer ago is read again before its change leaves, milliseconds. */
const oldestMs = 5 * 60_000

/** So many changes are looked at together, which takes no more calls than one. */
const together = 50

/** So often a change may lose its turn to an old look; a limit that lets nothing leave soon is left to the next run. */
const mostTurns = 3

/** Others of the kinds of a run's changes, which some of these are looked at beside (`Kind.beside`). */
export class Others {
  private readonly known = new Map<string, Arr.NonEmptyArray<Change>>()

  constructor(changes: ReadonlyArray<Change> = []) {
    this.add(changes)
  }

  add(changes: ReadonlyArray<Change>): void {
    for (const change of changes) {
      const key = this.keyOf(change)
      if (key !== undefined) Groups.add(this.known, key, change)
    }
  }

  /** What a person calls by hand goes as it was called. */
  lookedAt(change: Change): Change {
    const key = this.keyOf(change)
    if (key === undefined || change.origin.by !== "policy") return change
    return Kinds.of(change).beside?.lookedAt(change, this.known.get(key) ?? []) ?? change
  }

  private keyOf(change: Change): string | undefined {
    const { beside, prefix } = Kinds.of(change)
    return beside === undefined ? undefined : `${prefix} ${beside.about(change)}`
  }
}

/**
 * When the changes of a run were last looked at; a `dear` look may be older than others. `written`: what other runs have written since
 * the plan, by slot. `madeAtMs`: when the plan saw its values.
 */
export class Looks {
  constructor(
    private readonly madeAtMs: number,
    private readonly dear: (change: Change) => DearLook | undefined = () => undefined,
    private readonly written: ReadonlyMap<string, Written> = new Map(),
    readonly others: Others = new Others()
  ) {}

  /** As `Writer.clockAheadMs`, by the latest look. */
  aheadMs = 0
  private readonly at = new Map<string, number>()
  private readonly turns = new Map<string, number>()

  note(changes: ReadonlyArray<Change>, nowMs: number): void {
    for (const { id } of changes) this.at.set(id, nowMs)
  }

  /**
   * Whether some of the changes were looked at too long ago, before something passed that counts, or never; a clock that was set
   * back proves nothing either.
   * What a writer looks at itself is left to it.
   */
  tooOld(changes: ReadonlyArray<Change>, nowMs: number): boolean {
    return changes.some((change) => {
      const at = this.at.get(change.id)
      const lastsMs = this.dear(change)?.lastsMs ?? oldestMs
      const { holdsUntil, writerLooks } = Kinds.of(change)
      const until = (holdsUntil?.(change) ?? Number.POSITIVE_INFINITY) + this.aheadMs
      const isOld = at === undefined || Math.abs(nowMs - at) > lastsMs || (at < until && until <= nowMs)
      return writerLooks !== true && isOld
    })
  }

  /** Why a change whose slot shows the value that its plan saw may not go all the same; undefined when it may. */
  setBack(change: Change): OutcomeReason.OutcomeReason | undefined {
    const written = this.written.get(Kinds.slotOf(change))
    return written === undefined ? undefined : { code: "set_back_since_plan", ...written }
  }

  /** What somebody set in a change's slot between its plan and now, to be left alone like any other edit; other runs' writes are ours. */
  editsOf(change: Change, seen: Seen.Seen, nowMs: number): ReadonlyArray<HumanEdit> {
    if (seen._tag !== "Other" || seen.live === undefined || this.written.has(Kinds.slotOf(change))) return []
    const { live } = seen
    return instead(change, { ours: change.before, writtenAt: this.madeAtMs, live, firstSeenAt: nowMs })
  }

  /** Counts a lost turn of each; true for those that may have another. */
  loseTurn({ id }: Change): boolean {
    const turns = (this.turns.get(id) ?? 0) + 1
    this.turns.set(id, turns)
    return turns < mostTurns
  }
}

/** The changes whose slot, and what else they were planned on, is still as the plan saw it, or shows what this run has set; the others are skipped with the reason. */
export const stillAsPlanned = (runId: string, changes: ReadonlyArray<Change>, looks: Looks) =>
  Effect.gen(function* () {
    const asked = changes.map((change) => looks.others.lookedAt(change))
    const { clockAheadMs = Effect.succeed(undefined), readLive } = yield* Writer
    const live = yield* readLive(asked)
    looks.aheadMs = (yield* clockAheadMs) ?? 0
    const nowMs = yield* Clock.currentTimeMillis
    const marketMs = nowMs - looks.aheadMs
    const rows = yield* Effect.cached(Effect.flatMap(Journal, (journal) => journal.rows(runId)))
    const ready: Array<Change> = []
    const skipped: Array<readonly [OutcomeReason.OutcomeReason, Change]> = []
    const edits: Array<HumanEdit> = []
    for (const [at, change] of changes.entries()) {
      const beside = asked[at] ?? change
      const found = Seen.toWrite(live.get(change.id))
      looks.note([change], found?._tag === "Value" ? (found.readAt ?? nowMs) : nowMs)
      const seen = Kinds.compare(change, found)
      const isOurs = seen._tag === "Other" && mayFollow(change, found) && isSetBy(yield* rows, change, found)
      const reason =
        seen._tag === "Before"
          ? (looks.setBack(change) ?? Kinds.stale(beside, found, marketMs))
          : isOurs
            ? Kinds.stale(beside, found, marketMs)
            : against(seen, found)
      if (reason === undefined) ready.push(change)
      else skipped.push([reason, change])
      if (!isOurs) edits.push(...looks.editsOf(change, seen, nowMs))
    }
    if (edits.length > 0) yield* keep(edits, (yield* rows)[0]?.account)
    for (const some of Object.values(Arr.groupBy(skipped, ([reason]) => JSON.stringify(reason)))) {
      yield* skipPlanned(
        runId,
        some.map(([, change]) => change),
        some[0][0]
      )
    }
    return ready
  })

/** An edit that is known stays as it is: a person may have given its slot back since. */
const keep = (edits: ReadonlyArray<HumanEdit>, account: string | undefined) =>
  Effect.gen(function* () {
    if (account === undefined) return
    const journal = yield* Journal
    const known = new Map((yield* journal.stops(account)).edits.map((edit) => [edit.slot, edit.live]))
    const fresh = edits.filter(({ live, slot }) => known.get(slot) !== live)
    if (fresh.length > 0) yield* journal.keepEdits(account, fresh, [])
  })

/** Whether a change's slot has no value of its own yet, and shows that of another. */
export const mayFollow = (change: Change, found: Seen.Live | undefined): boolean =>
  followedBy(change, found) !== undefined

/** Whether the value that is shown instead of the change's own is one that the changes of its run have set: nobody's edit. */
export const isSetBy = (
  run: ReadonlyArray<JournalRow>,
  change: Change,
  found: Seen.Live | undefined
): boolean => {
  const followed = followedBy(change, found)
  return followed !== undefined && run.some((row) => row.slot === followed && isShown(row, found))
}

/** The slot whose value is shown instead of the change's own, which has none yet. */
const followedBy = (change: Change, found: Seen.Live | undefined): string | undefined =>
  found?._tag === "Value" && found.inherited === true ? Kinds.of(change).follows?.(change) : undefined

/** Whether a value that was found is the one that a change has set. */
const isShown = ({ change, state }: JournalRow, found: Seen.Live | undefined): boolean =>
  hasLeft.includes(state) && found?._tag === "Value" && found.value === change.after

/** A run that died while it sent may have sent. */
const hasLeft: ReadonlyArray<JournalState> = ["dispatching", "accepted", "applied", "unknown"]

/**
 * After a request was withheld: what of it, and of those behind it that one look covers, is still as planned, in new
 * requests. They are taken out of `queue` and put before it, so that the turn is used at once. What was halved stays apart.
 */
export const again = (
  runId: string,
  withheld: ReadonlyArray<Change>,
  queue: Array<WriteBatch>,
  operation: string,
  looks: Looks,
  halving: Halving
) =>
  Effect.gen(function* () {
    const writer = yield* Writer
    const changes: Array<Change> = []
    const exhausted: Array<Change> = []
    for (const change of withheld) (looks.loseTurn(change) ? changes : exhausted).push(change)
    if (exhausted.length > 0) yield* skipPlanned(runId, exhausted, noTurn)
    for (let next = queue[0]; next?.operation === operation; next = queue[0]) {
      if (changes.length + next.changes.length > together) break
      if ([...withheld, ...next.changes].some((change) => halving.isPart(change))) break
      changes.push(...next.changes)
      queue.shift()
    }
    // The money around a deposit is read when it is claimed.
    const deposits = changes.filter(Kinds.isPayment)
    const others = changes.filter((change) => !Kinds.isPayment(change))
    const ready = others.length === 0 ? [] : yield* stillAsPlanned(runId, others, looks)
    queue.unshift(...(yield* writer.batches([...deposits, ...ready])))
  })

const against = (
  seen: Exclude<Seen.Seen, { readonly _tag: "Before" }>,
  found: Seen.Live | undefined
): OutcomeReason.OutcomeReason => {
  if (found?._tag === "Unreadable" && found.isClosed === true) return { code: "closed", said: found.why }
  if (found?._tag === "Unreadable" && found.isLimited === true)
    return { code: "limit_left_no_room", said: found.why }
  if (seen._tag === "After") return OutcomeReason.of("already_there")
  return seen._tag === "Other" ? seen.reason : { code: "live_value_unread", said: seen.why }
}

const noTurn = { code: "limit_gave_no_turn", turns: mostTurns } as const
