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
  if (effectOf(error) === "unknown") return { _tag: "Unknown", why: error.message }
  if (error._tag === "Forbidden" && error.switchedOff) return { _tag: "NotSent", why: error.message }
  switch (error._tag) {
    case "LimitStopped":
    case "Withheld":
    case "Throttled":
    case "Transport":
      return { _tag: "NotSent", why: error.message }
    default:
      return { _tag: "Rejected", why: error.message, stopsAccount: error._tag === "Unauthorised" }
  }
}

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
      : Effect.succeed(
          forAll(changes, { _tag: "NotSent", why: "the approved plan does not hold this change" })
        )
  )
})
