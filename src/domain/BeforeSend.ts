/**
 * What must happen between the call limit's permission and the first byte of a write: the last look whether it may
 * still leave, and the record that it does. Waiting for the limit may take minutes, so what was true before is not
 * enough. The journal sets it, the client of the marketplace runs it; by default it does nothing.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { OutcomeReason } from "./OutcomeReason.js"

/** The write was stopped before its first byte: certainly not sent. `why` is a sentence for whoever called by hand. */
export class Withheld extends Data.TaggedError("Withheld")<{
  readonly reason: OutcomeReason
  readonly why?: string
}> {
  /** As the errors of calls tell it: nothing has reached the marketplace. */
  readonly arrived = "no"

  override get message(): string {
    return this.why ?? `not sent: ${this.reason.code}`
  }
}

/** Runs before every request of an operation that writes, repeats after a 429 included; never before a read. */
export class BeforeSend extends Context.Reference<BeforeSend>()("bidhelm/BeforeSend", {
  defaultValue: (): Effect.Effect<void, Withheld> => Effect.void
}) {}
