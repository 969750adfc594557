/** After a restore: settles what is open and compares what the journal remembers with what the marketplace shows. */

import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TextOrder from "../../domain/TextOrder.js"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import type { Live } from "../kinds/Seen.js"
import { ChangeLog } from "./ChangeLog.js"
import { Journal, type JournalRow } from "./Journal.js"
import * as Recover from "./Recover.js"
import { Writer } from "./Writer.js"

interface Reconciled {
  /** Open rows of the journal, as they ended. */
  readonly settled: ReadonlyArray<JournalRow>
  /** Slots compared, and those that show something else than what was applied last. */
  readonly compared: number
  readonly moved: ReadonlyArray<Difference>
  /** Slots of orders and supplies that have gone on meanwhile: every turn reads where they are. */
  readonly over: number
  /** Slots that could not be read. */
  readonly unread: ReadonlyArray<Difference>
  /** A call limit left no room to read some of them. */
  readonly isLimited: boolean
}

interface Difference {
  readonly slot: string
  readonly change: Change
  readonly why: string
}

/** Changes of the last days are compared; what was not touched for longer is what the next plan reads anyway. */
export const comparedDays = 30
const mostRuns = 10_000

/** Sends nothing. Call it while holding the locks of all lanes. */
export const run = (account: string) =>
  Effect.gen(function* () {
    const settled = yield* Recover.settle(account)
    const latest = yield* latestApplied(account)
    const writer = yield* Writer
    const rows = [...latest.values()].sort(TextOrder.by(({ slot }) => slot))
    const live: ReadonlyMap<string, Live> =
      rows.length === 0 ? new Map() : yield* writer.readLive(rows.map(({ change }) => change))
    const moved: Array<Difference> = []
    const unread: Array<Difference> = []
    let over = 0
    for (const { change, slot } of rows) {
      const now = live.get(change.id)
      const seen = Kinds.compare(change, now)
      if (seen._tag === "Silent") unread.push({ slot, change, why: seen.why })
      const isMoved = seen._tag === "Other" || seen._tag === "Before"
      if (isMoved && Kinds.of(change).lane === "orders") over++
      else if (isMoved) {
        const gone =
          seen._tag === "Other"
            ? Kinds.seenText(change, seen.reason)
            : "shows the value before our last change"
        moved.push({ slot, change, why: now?._tag === "Value" ? shows(change, now.value) : gone })
      }
    }
    const isLimited = [...live.values()].some((one) => one._tag === "Unreadable" && one.isLimited === true)
    return { settled, compared: rows.length, moved, over, unread, isLimited } satisfies Reconciled
  })

const shows = (change: Change, value: number | string | boolean): string =>
  `shows ${Kinds.print(change, value)}; the journal's last is ${Kinds.print(change, change.after)}`

/** The latest applied change of every slot but deposits, which nothing shows. */
const latestApplied = (account: string) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const since = (yield* Clock.currentTimeMillis) - comparedDays * 86_400_000
    const runs = (yield* journal.runs(account, mostRuns)).filter(({ startedAt }) => startedAt >= since)
    const slots = new Set<string>()
    for (const { runId } of runs) for (const { slot } of yield* journal.rows(runId)) slots.add(slot)
    const latest = new Map<string, JournalRow>()
    const log = yield* ChangeLog
    // In parts: thirty days of a large account are more than memory holds.
    // In the order of the journal: what was done before a clock was set right may have the later date.
    for (const part of Arr.chunksOf([...slots], 200))
      for (const row of yield* log.ofSlots(account, part, since)) {
        // What is filed shows hours later: nobody took it back because no list has it yet.
        const isSet = row.state === "accepted" && Kinds.of(row.change).filedUntil === undefined
        if ((row.state === "applied" || isSet) && !Kinds.isPayment(row.change)) latest.set(row.slot, row)
      }
    return latest
  })
