/**
 * The last look before a write leaves: the limiter has let it go, which may have taken minutes. The kill switch and the
 * lock are asked again, live values that were read long ago are not trusted, and the journal moves from `claimed` to
 * `dispatching` under the fence. Whatever speaks against it, not a byte leaves.
 */

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { Withheld } from "../../domain/BeforeSend.js"
import type { HoldReason, StopReason } from "../../domain/OutcomeReason.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import * as OperatorHold from "../kinds/OperatorHold.js"
import * as Holdings from "./Holdings.js"
import { Journal, type JournalState } from "./Journal.js"
import * as JournalPoints from "./JournalPoints.js"
import type { Lease } from "./Lease.js"
import type * as LookAgain from "./LookAgain.js"
import { KillSwitch, Stopping } from "./Stopping.js"

export interface LastLook {
  /** To be run before every request of the batch. */
  readonly pass: Effect.Effect<void, Withheld>
  /** Whether a request of the batch was let go; until then nothing of it can have left. */
  readonly letGo: () => boolean
  /** Why the run must send nothing more; undefined while it may. */
  readonly stopped: () => StopReason | undefined
  /** The changes because of which a hold kept the last request back; empty when none did. */
  readonly held: () => ReadonlySet<string>
  /** The store's failure, if that is what kept a request back: nothing can be recorded then. */
  readonly failure: () => Effect.Effect<never, StoreFailure> | undefined
}

/** Why nothing may be sent now; undefined when it may. */
export const reasonToStop = (lease: Lease): Effect.Effect<StopReason | undefined, never, KillSwitch> =>
  Effect.gen(function* () {
    const stopping = yield* (yield* Stopping).why
    if (stopping !== undefined) return { code: "program_ending", said: stopping }
    const killed = yield* (yield* KillSwitch).engaged
    if (killed !== undefined) return { code: "kill_switch", said: killed }
    return (yield* lease.held) ? undefined : lost()
  })

/** The lock is another's, or may be. */
export const lost = (holder = ""): StopReason => ({
  code: "lock_lost",
  ...(holder === "" ? {} : { holder })
})

/** The look of one batch of changes, which are `claimed`. A batch may make several requests, a deposit only one. */
export const make = (
  runId: string,
  changes: ReadonlyArray<Change>,
  lease: Lease,
  looks: LookAgain.Looks
): Effect.Effect<LastLook, never, Journal | KillSwitch> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Journal | KillSwitch>()
    let stopped: StopReason | undefined
    let failure: Effect.Effect<never, StoreFailure> | undefined
    let held: ReadonlySet<string> = new Set()
    let letGo = false
    const withhold = (reason: StopReason) => {
      stopped = reason
      return new Withheld({ reason })
    }
    const pass = Effect.gen(function* () {
      yield* JournalPoints.pass("permitted")
      const reason = yield* reasonToStop(lease)
      if (reason !== undefined) return yield* withhold(reason)
      const stops = yield* Holdings.stopping(lease.fence.account, changes)
      const [hold] = stops.values()
      if (hold !== undefined) {
        held = new Set(stops.keys())
        return yield* new Withheld({ reason: Holdings.reason(hold) })
      }
      const forNone = yield* Holdings.madeForNone(runId, lease.fence.account, changes)
      if (forNone.length > 0) {
        held = new Set(forNone.map(({ id }) => id))
        return yield* new Withheld({ reason: { code: "made_for_none" } })
      }
      if (looks.tooOld(changes, yield* Clock.currentTimeMillis)) {
        return yield* new Withheld({ reason: { code: "stale_value" } })
      }
      const claim = yield* dispatching(runId, changes, lease)
      if (claim._tag === "Fenced") return yield* withhold(lost(claim.holder))
      if (claim._tag === "Taken") return yield* new Withheld({ reason: { code: "taken_by_another_run" } })
      yield* JournalPoints.pass("dispatching")
      // The machine may have slept while that was written.
      if (!(yield* lease.held)) return yield* withhold(lost())
      letGo = true
    }).pipe(
      Effect.catchTag("StoreFailure", (error) => {
        failure = Effect.fail(error)
        return new Withheld({ reason: { code: "store_failed", said: error.message } })
      }),
      Effect.provide(context)
    )
    return { pass, letGo: () => letGo, stopped: () => stopped, held: () => held, failure: () => failure }
  })

const dispatching = (runId: string, changes: ReadonlyArray<Change>, lease: Lease) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const from: ReadonlyArray<JournalState> = changes.some(Kinds.isPayment)
      ? ["claimed"]
      : ["claimed", "dispatching"]
    return yield* journal.claim(
      lease.fence,
      runId,
      changes.map(({ id }) => id),
      from,
      "dispatching",
      {
        nowMs: yield* Clock.currentTimeMillis,
        sent: true,
        deadlineMs: Math.max(...changes.map((change) => Kinds.of(change).deadlineMs))
      }
    )
  })

/** What keeps a call back. */
export type Against = StopReason | HoldReason

/**
 * The look of a raw call that writes (`bidhelm call --yes`), to be run before every request of it; `tell` puts what speaks
 * against it into words. A raw call names no target, so a hold counts as meant when the request mentions all that it names.
 */
export const passRaw = (
  runId: string,
  request: unknown,
  lease: Lease,
  tell: (reason: Against) => string
): Effect.Effect<void, Withheld, Journal | KillSwitch> =>
  Effect.gen(function* () {
    const reason = yield* reasonToStop(lease)
    const withheld = (against: Against) => new Withheld({ reason: against, why: tell(against) })
    if (reason !== undefined) return yield* withheld(reason)
    const journal = yield* Journal
    const nowMs = yield* Clock.currentTimeMillis
    const holds = yield* journal.standing(lease.fence.account)
    const hold = holds.find((one) => OperatorHold.isStanding(one, nowMs) && mentions(one, request))
    if (hold !== undefined) return yield* withheld(Holdings.reason(hold))
    const claim = yield* journal.claim(lease.fence, runId, [], [], "dispatching", { nowMs })
    if (claim._tag === "Fenced") return yield* withheld(lost(claim.holder))
  }).pipe(
    Effect.catchTag(
      "StoreFailure",
      ({ message }) => new Withheld({ reason: { code: "store_failed", said: message }, why: message })
    )
  )

/** A hold of a policy is about rules, so no call is meant by it. */
const mentions = ({ kind, what }: OperatorHold.Scope, request: unknown): boolean => {
  if (kind === "policy") return false
  if (kind !== "target") return true
  const [first = "", second, ...cluster] = what.split("/")
  const named = first === "item" ? [second ?? ""] : [first, second, cluster.join("/")]
  const values = valuesOf(request)
  return named.every((part) => part === undefined || part === "" || values.has(part))
}

/** Every number and text of a request, however deep. */
const valuesOf = (request: unknown): ReadonlySet<string> => {
  const found = new Set<string>()
  const walk = (value: unknown): void => {
    if (typeof value === "string" || typeof value === "number") found.add(`${value}`)
    else if (Array.isArray(value)) value.forEach(walk)
    else if (Predicate.isRecord(value)) Object.values(value).forEach(walk)
  }
  walk(request)
  return found
}
