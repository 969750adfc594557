/**
 * Written values that cannot be seen yet: for minutes the marketplace answers the old one (seed 001 "Timing"). Where
 * the journal knows that a write was accepted, rules see what was written.
 */
import type * as Target from "../../domain/Target.js"
import * as Cells from "../facts/Cell.js"
import type { Table } from "../facts/Table.js"
import * as Kinds from "../kinds/Kinds.js"
import type { SlotHistory, SlotValue } from "../kinds/SlotHistory.js"
import type { Each } from "../language/Policy.js"

/** Well above what the marketplace takes to show a write: what it answers later is what is there. */
const longestMs = 20 * 60_000

/** Enters accepted values over those read back. Rows that the tables do not have are left alone. */
export const enter = (
  slots: ReadonlyMap<string, SlotHistory>,
  table: (each: Each) => Table,
  nowMs: number
): void => {
  for (const { lastWritten, pendingAfter, pendingSince, slot } of slots.values()) {
    if (pendingAfter === undefined || pendingSince === undefined) continue
    if (nowMs - pendingSince > longestMs) continue
    const place = Kinds.placeOf(slot)
    if (place === undefined) continue
    const rows = table(place.each)
    if (rows.indexOf(place.target) === undefined) continue
    set(rows, place.target, place.fact, pendingAfter)
    const isOwn = lastWritten?.clears !== true
    if (place.fact === "cluster.bid") set(rows, place.target, "cluster.has_own_bid", isOwn)
  }
}

const set = (rows: Table, target: Target.Target, fact: string, value: SlotValue): void => {
  rows.setFor(target, fact, Cells.known(value))
}
