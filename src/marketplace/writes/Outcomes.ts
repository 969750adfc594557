/** What the marketplace's answer, or the lack of one, means for the changes of a request. */
import * as Effect from "effect/Effect"
import * as Hash from "../../domain/Hash.js"
import { ChangeId } from "../../domain/Ids.js"
import { WritePermit } from "../../domain/WritePermit.js"
import type { WriteBatch, WriteOutcome } from "../../engine/door/Writer.js"
import type { Change } from "../../engine/kinds/Change.js"
import { type CallError, effectOf } from "../../services/MarketplaceError.js"

export const accepted: WriteOutcome = { _tag: "Accepted" }

/** A failed request: not sent, refused, or maybe carried out. */
export const ofError = (error: CallError): WriteOutcome => {
  const said = error.message
  if (effectOf(error) === "unknown") return { _tag: "Unknown", reason: { code: "no_answer", said } }
  if (error._tag === "Forbidden" && error.switchedOff)
    return { _tag: "NotSent", reason: { code: "switched_off", said } }
  switch (error._tag) {
    case "LimitStopped":
      return { _tag: "NotSent", reason: { code: ofLimit[error.because], said } }
    case "Withheld":
      return { _tag: "NotSent", reason: error.reason }
    case "Throttled":
      return { _tag: "NotSent", reason: { code: "throttled", said } }
    case "Transport":
      return { _tag: "NotSent", reason: { code: "not_reached", said } }
    default:
      return {
        _tag: "Rejected",
        reason: { code: error._tag === "Unauthorised" ? "account_refused" : "refused", said }
      }
  }
}

const ofLimit = {
  no_room: "limit_left_no_room",
  not_kept: "limit_not_kept",
  switched_off: "switched_off"
} as const

/** The same outcome for every change of a request. */
export const forAll = (
  changes: ReadonlyArray<Change>,
  outcome: WriteOutcome
): ReadonlyMap<string, WriteOutcome> => new Map(changes.map((change) => [change.id, outcome]))

/**
 * A request whose body is `body`. It is sent only under a permit that covers each of its changes: a permit of
 * another plan sends nothing.
 */
export const batch = (
  operation: string,
  changes: ReadonlyArray<Change>,
  body: unknown,
  send: Effect.Effect<ReadonlyMap<string, WriteOutcome>, never, WritePermit>
): WriteBatch => ({
  operation,
  changes,
  requestHash: Hash.of({ operation, body }),
  send: Effect.flatMap(WritePermit, (permit) =>
    changes.every((change) => permit.changes.has(ChangeId(change.id)))
      ? send
      : Effect.succeed(forAll(changes, { _tag: "NotSent", reason: { code: "not_in_plan" } }))
  )
})
