/** How far a long run has come. Silent unless somebody listens; the CLI draws a bar from it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** `stage` is an operation id while facts are gathered, `send` or `read back` while changes are applied. */
export interface Step {
  readonly stage: string
  readonly done: number
  /** What is known to be needed so far; grows while rows are still being discovered. */
  readonly total: number
  /** For so long nothing comes of it, for the marketplace works off what was filed; milliseconds. */
  readonly waitMs?: number
}

export class Progress extends Context.Reference<Progress>()("bidhelm/Progress", {
  defaultValue: (): { readonly report: (step: Step) => Effect.Effect<void> } => ({
    report: () => Effect.void
  })
}) {}

/** Tells the listener, if there is one. */
export const report = (step: Step): Effect.Effect<void> =>
  Effect.flatMap(Progress, (progress) => progress.report(step))
