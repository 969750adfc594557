/**
 * Holds that people place and lift (`bidhelm hold`, `kill`, `resume`), and what a run makes of them: what is stopped
 * now, asked when a plan is reviewed and again right before anything is sent.
 */
import type * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Groups from "../../domain/Groups.js"
import type { HoldReason } from "../../domain/OutcomeReason.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import * as OperatorHold from "../kinds/OperatorHold.js"
import { Journal } from "./Journal.js"
import { isLost, skipPlanned } from "./Outcome.js"
import { KillSwitch } from "./Stopping.js"

/** The changes that no hold stops now; those that one does are skipped with its reason. Call it before each request. */
export const free = (
  runId: string,
  account: string,
  changes: ReadonlyArray<Change>
): Effect.Effect<ReadonlyArray<Change>, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const holds = yield* (yield* Journal).standing(account)
    if (holds.length === 0) return changes
    const nowMs = yield* Clock.currentTimeMillis
    const left: Array<Change> = []
    const held = new Map<OperatorHold.OperatorHold, Arr.NonEmptyArray<Change>>()
    for (const change of changes) {
      const hold = OperatorHold.stopping(holds, change, nowMs)
      if (hold === undefined) left.push(change)
      else Groups.add(held, hold, change)
    }
    for (const [hold, some] of held) yield* skipPlanned(runId, some, reason(hold))
    return left
  })

/** A hold as the journal keeps it. */
export const reason = ({
  account,
  by,
  kind,
  since,
  until,
  what,
  why
}: OperatorHold.OperatorHold): HoldReason => ({
  code: "hold",
  kind,
  what,
  account,
  since,
  by,
  ...(until === undefined ? {} : { until }),
  ...(why === undefined ? {} : { why })
})

/** What stops which of the changes now, by change id; empty when nothing does. */
export const stopping = (
  account: string,
  changes: ReadonlyArray<Change>
): Effect.Effect<ReadonlyMap<string, OperatorHold.OperatorHold>, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const holds = yield* (yield* Journal).standing(account)
    if (holds.length === 0) return new Map()
    const nowMs = yield* Clock.currentTimeMillis
    return new Map(
      changes.flatMap((change) => {
        const hold = OperatorHold.stopping(holds, change, nowMs)
        return hold === undefined ? [] : [[change.id, hold] as const]
      })
    )
  })

/**
 * What is made for others of its run of which none is left to go: those that came to nothing, and those that wait for their turn
 * and that a hold stops now. What is made for none from the start is somebody's wish.
 */
export const madeForNone = (
  runId: string,
  account: string,
  changes: ReadonlyArray<Change>
): Effect.Effect<ReadonlyArray<Change>, StoreFailure, Journal> =>
  Effect.gen(function* () {
    if (changes.every((change) => Kinds.of(change).madeFor === undefined)) return []
    const rows = yield* (yield* Journal).rows(runId)
    const stops = yield* stopping(
      account,
      rows.flatMap(({ change, state }) => (state === "planned" ? [change] : []))
    )
    return changes.filter((change) => {
      const others = rows.filter((row) => Kinds.isMadeFor(change, row.change))
      return others.length > 0 && others.every((row) => isLost(row) || stops.has(row.change.id))
    })
  })

/** A hold and how it is lifted; instants as in journal rows, which know no zone of the seller's: in UTC, and said so. */
export const text = (hold: OperatorHold.OperatorHold): string =>
  `${OperatorHold.text(hold, shownZone, ` ${shownZone}`)}; resume with: ${OperatorHold.resumeWith(hold, hold)}`

/** Of instants in journal rows. */
const shownZone = "UTC"

/**
 * A kill switch that looks at the store as well, so that `bidhelm kill` stops every process that uses it within one
 * request. A store that cannot be read stops everything too.
 */
export const killSwitch = (
  account: string,
  others: Effect.Effect<string | undefined, StoreFailure>
): Layer.Layer<KillSwitch, never, Journal> =>
  Layer.effect(
    KillSwitch,
    Effect.map(Journal, (journal) => ({
      engaged: Effect.gen(function* () {
        const why = yield* others
        if (why !== undefined) return why
        const nowMs = yield* Clock.currentTimeMillis
        const holds = yield* journal.standing(account)
        const kill = holds.find((hold) => hold.kind === "kill" && OperatorHold.isStanding(hold, nowMs))
        return kill === undefined ? undefined : text(kill)
      }).pipe(Effect.catchAll(({ message }) => Effect.succeed(`the store could not be read: ${message}`)))
    }))
  )
