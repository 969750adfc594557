/**
 * The last look before a raw call that writes (`bidhelm call --yes`): kill switch, holds and lock are asked right before
 * its first byte, as for changes of plans. A raw call names no target, so a hold counts as meant when the request
 * mentions all that the hold names.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { Withheld } from "../../domain/BeforeSend.js"
import type { HoldReason, StopReason } from "../../domain/OutcomeReason.js"
import * as OperatorHold from "../kinds/OperatorHold.js"
import * as Holdings from "./Holdings.js"
import { Journal } from "./Journal.js"
import * as LastLook from "./LastLook.js"
import type { Lease } from "./Lease.js"
import type { KillSwitch } from "./Stopping.js"

/** What keeps a call back. */
export type Against = StopReason | HoldReason

/** To be run before every request of the call; `tell` puts what speaks against it into words. */
export const pass = (
  runId: string,
  request: unknown,
  lease: Lease,
  tell: (reason: Against) => string
): Effect.Effect<void, Withheld, Journal | KillSwitch> =>
  Effect.gen(function* () {
    const reason = yield* LastLook.reasonToStop(lease)
    const withheld = (against: Against) => new Withheld({ reason: against, why: tell(against) })
    if (reason !== undefined) return yield* withheld(reason)
    const journal = yield* Journal
    const nowMs = yield* Clock.currentTimeMillis
    const holds = yield* journal.standing(lease.fence.account)
    const hold = holds.find((one) => OperatorHold.isStanding(one, nowMs) && mentions(one, request))
    if (hold !== undefined) return yield* withheld(Holdings.reason(hold))
    const claim = yield* journal.claim(lease.fence, runId, [], [], "dispatching", { nowMs })
    if (claim._tag === "Fenced") return yield* withheld(LastLook.lost(claim.holder))
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
