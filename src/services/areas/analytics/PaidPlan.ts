/** Reports that the seller has no paid plan for: nothing is known, which is told apart from an error (field note A11). */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Reason } from "../../../domain/Reason.js"
import type * as Batches from "../../Batches.js"
import type { CallError } from "../../MarketplaceError.js"

/** The marketplace answered 402 or 403: this seller has no plan that holds the report. Ask again once a day at most. */
export class PlanMissing extends Data.TaggedError("PlanMissing")<{
  readonly operation: string
  readonly status: number
  /** The marketplace's own words. */
  readonly text: string
}> {
  /** Why the numbers are unknown. */
  readonly reason: Reason = "absent"
  override get message(): string {
    const said = this.text === "" ? "" : `: ${this.text}`
    return `${this.operation}: the seller's plan does not hold this report (${this.status})${said}. Take the paid analytics plan at the marketplace, or a token that may read analytics; all else goes on without it`
  }
}

/** A refusal for want of a plan as `PlanMissing`; a token that was refused unsent stays what it is. */
export const told = (error: CallError): CallError | PlanMissing =>
  error._tag === "Forbidden" && error.status !== undefined
    ? new PlanMissing({ operation: error.operation, status: error.status, text: error.text })
    : error

/** What came of asking: a value, or the reason why there is none. */
export type Outcome<A> = { readonly _tag: "Known"; readonly value: A } | PlanMissing

/** The missing plan as a value, for callers that go on without the report. */
export const orAbsent = <A, R>(
  effect: Effect.Effect<A, CallError | PlanMissing, R>
): Effect.Effect<Outcome<A>, CallError, R> =>
  effect.pipe(
    Effect.map((value): Outcome<A> => ({ _tag: "Known", value })),
    Effect.catchTag("PlanMissing", (missing) => Effect.succeed<Outcome<A>>(missing))
  )

/** Calls of one report: after the first that met a missing plan the others are not sent, they would meet it too. */
export const stopping = () => {
  let missing: CallError | undefined
  return <A>(call: Effect.Effect<A, CallError>): Effect.Effect<A, CallError> =>
    Effect.suspend(() =>
      missing !== undefined
        ? Effect.fail(missing)
        : Effect.tapError(call, (error) =>
            Effect.sync(() => {
              if (told(error)._tag === "PlanMissing") missing = error
            })
          )
    )
}

/** Fails when the plan is missing and nothing was read; what was read before is kept, with the failures beside it. */
export const failIfMissing = <K>({ failures, values }: Batches.Batched<K, unknown>) => {
  const missing = failures.map(({ error }) => told(error)).find((error) => error._tag === "PlanMissing")
  return missing === undefined || values.length > 0 ? Effect.void : Effect.fail(missing)
}
