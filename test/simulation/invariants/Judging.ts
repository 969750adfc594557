/** What several invariants say and ask alike. */
import type * as Faults from "../../../src/sandbox/Faults.js"
import type { Observed, Request, Violation } from "../chaos/Record.js"

/** A request that breaks an invariant. */
export const violation = (
  invariant: number,
  { at, entries, operation }: Request,
  what: string
): Violation => ({ invariant, at, what: `${operation}: ${what}`, entries })

/** Whether a fault of some operation, or of all, was armed when something was read at most `backMs` before `at`. */
export const isArmed = (
  { events }: Observed,
  { at, backMs }: { readonly at: number; readonly backMs: number },
  kinds: ReadonlySet<Faults.Fault["kind"]>,
  operations: ReadonlySet<string>
): boolean =>
  events.some(
    (event) =>
      event._tag === "Faults" &&
      event.at <= at &&
      event.untilMs >= at - backMs &&
      event.list.some(
        ({ kind, operation }) => kinds.has(kind) && (operation === undefined || operations.has(operation))
      )
  )
