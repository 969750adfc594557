import { type Cell, ofGiven } from "../../src/engine/facts/Cell.js"
import type { FactRow } from "../../src/engine/gather/FactSource.js"

/** What a row says, by fact. */
export const cellsOf = ({ facts, values }: FactRow): ReadonlyMap<string, Cell> =>
  new Map(facts.map((id, at) => [id, ofGiven(values[at]!)]))
