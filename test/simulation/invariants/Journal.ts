/**
 * Invariant 5: every effect has a journal row that was committed, with its hash, before the request left.
 * Invariant 22: when all has come to rest, every row of the journal is settled, and none says that nothing happened
 * where something did.
 * Invariant 25: every effect can be told: which policy, why, from what, to what; and the audit chain is unbroken and
 * agrees with the journal.
 */

import * as Inverse from "../../../src/engine/decide/Inverse.js"
import * as Bids from "../../../src/engine/kinds/Bids.js"
import type { Observed, Row, Violation } from "../chaos/Record.js"
import * as Effects from "./Effects.js"
import * as Enrolments from "./Enrolments.js"
import * as MachineClock from "./MachineClock.js"

export const beforeEffect = (observed: Observed): ReadonlyArray<Violation> =>
  Effects.of(observed).flatMap((effect) => {
    const { entry, request } = effect
    const meant = Effects.asking(effect).filter(({ hash, operation }) => hash !== null && operation !== null)
    // A task has a row for each of its items.
    const isMeant = meant.length >= (entry.task === undefined ? 1 : new Set(entry.task.asked).size)
    return isMeant
      ? []
      : [
          {
            invariant: 5,
            at: request.at,
            what: `${Effects.place(entry)} = ${JSON.stringify(entry.after)} was sent without a committed row`,
            entries: [entry.seq]
          }
        ]
  })

const settled = ["rejected", "applied", "not_applied", "conflict", "parked", "skipped"]

export const atRest = (observed: Observed): ReadonlyArray<Violation> =>
  observed.rows
    .filter((row) => !settled.includes(row.state) && !Enrolments.mayBeOpen(observed, row))
    .map((row) => ({
      invariant: 22,
      at: row.updatedAt,
      what: `${row.slot} of ${row.runId} is still ${row.state}`,
      entries: []
    }))

const denying = ["rejected", "not_applied", "skipped"]

/** What others did to the same place since may have brought the old value back before anybody looked. */
export const truthful = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  const others = Effects.byOthers(observed)
  return Effects.of(observed).flatMap((effect) => {
    const { entry } = effect
    const [row, ...more] = rows(effect)
    if (row === undefined || more.length > 0 || !denying.includes(row.state)) return []
    const isMixed = others.some(
      (other) =>
        Effects.place(other) === Effects.place(entry) &&
        MachineClock.shown(observed, other.at) <= row.updatedAt &&
        other.effectiveAt >= entry.at
    )
    return isMixed
      ? []
      : [
          {
            invariant: 22,
            at: entry.at,
            what: `${Effects.place(entry)} was written, and the journal says ${row.state}: ${row.reason}`,
            entries: [entry.seq]
          }
        ]
  })
}

/** Of deposits that came late: none is called unpaid when the marketplace has taken it already. */
export const truthfulOfMoney = (observed: Observed): ReadonlyArray<Violation> => {
  const bySeq = new Map(observed.ledger.map((entry) => [entry.seq, entry]))
  const byPlace = new Map(observed.rows.map((row) => [`${row.runId} ${row.slot}`, row]))
  return observed.requests.flatMap((request) =>
    (request.lateEntries ?? []).flatMap((seq): ReadonlyArray<Violation> => {
      const entry = bySeq.get(seq)
      if (entry?.slot !== "budget") return []
      const asked = Effects.asking({ entry, request, cycle: request.cycle })[0]
      const row = asked && byPlace.get(`${asked.runId} ${asked.slot}`)
      if (row === undefined || !denying.includes(row.state)) return []
      if (MachineClock.shown(observed, entry.at) > row.updatedAt) return []
      const what = `${Effects.place(entry)} was paid, and the journal says ${row.state}: ${row.reason}`
      return [{ invariant: 22, at: entry.at, what, entries: [seq] }]
    })
  )
}

const isTold = (row: Row): boolean => {
  const change = Effects.changeOf(row)
  const { after, before, reason } = change
  return (
    row.decoded &&
    row.policy !== "" &&
    before !== undefined &&
    after !== undefined &&
    (reason.length > 0 ||
      change.origin.by === "call" ||
      Inverse.isRevert(change) ||
      Bids.overlayOf(change) !== undefined)
  )
}

export const told = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  return Effects.of(observed).flatMap((effect) => {
    const [row] = rows(effect)
    if (row !== undefined && isTold(row)) return []
    const { entry } = effect
    const what = `${Effects.place(entry)} cannot be told: ${row?.change ?? "no row"}`
    return [{ invariant: 25, at: entry.at, what, entries: [entry.seq] }]
  })
}

/** As `bidhelm history --verify` finds it when all is over. */
export const unbroken = ({ chain, toMs }: Observed): ReadonlyArray<Violation> =>
  chain.map((what) => ({ invariant: 25, at: toMs, what: `the audit chain: ${what}`, entries: [] }))
