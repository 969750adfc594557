/**
 * The moments of a run at which its journal stands differently, in their order. A process that is killed at any of
 * them must leave something from which the next run goes on rightly; tests stop there.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export const points = [
  /** The apply lock is taken. */
  "locked",
  /** What earlier runs left open is settled. */
  "recovered",
  /** The run and its changes are journaled; nothing is claimed. */
  "begun",
  /** Live values are read and compared; nothing is claimed. */
  "compared",
  /** Right before a request's changes are claimed. */
  "claiming",
  /** Claimed; the limiter has not been asked. */
  "claimed",
  /** The limiter lets it go; the journal still says claimed. */
  "permitted",
  /** The journal says dispatching; not a byte has left. */
  "dispatching",
  /** The answer is here; the journal does not know it. */
  "answered",
  /** The answer is journaled. */
  "recorded",
  /** All is sent; nothing is read back. */
  "sent",
  /** Values are read back; the journal does not know them. */
  "seen",
  /** What was read back is journaled. */
  "settled",
  /** The run's end is journaled; the lock is still held. */
  "finished"
] as const

export type Point = (typeof points)[number]

/** Told of every point a run passes; does nothing unless a test wants to stop there. */
export class AtPoint extends Context.Reference<AtPoint>()("bidhelm/AtPoint", {
  defaultValue: (): ((point: Point) => Effect.Effect<void>) => () => Effect.void
}) {}

export const pass = (point: Point): Effect.Effect<void> => Effect.flatMap(AtPoint, (told) => told(point))
