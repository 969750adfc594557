/** Time as the machine's own clock told it, which somebody may have set: it is the only one the program can know. */
import * as Moscow from "../../../src/sandbox/Moscow.js"
import type { Observed } from "../chaos/Record.js"

/** Epoch milliseconds that the machine showed at an instant of the marketplace's clock. */
export const shown = ({ events }: Pick<Observed, "events">, at: number): number => {
  const set = events.flatMap((event) => (event._tag === "Clock" && event.at <= at ? [event.byMs] : []))
  return at + set.reduce((sum, byMs) => sum + byMs, 0)
}

/** The seller's day by that clock, as a number of days. */
export const dayOf = (observed: Pick<Observed, "events">, at: number): number =>
  Moscow.dayOf(shown(observed, at))
