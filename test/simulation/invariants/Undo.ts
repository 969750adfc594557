/**
 * Invariant 15: what is taken back is exactly what was there before, over exactly what we wrote, and once. A policy's
 * `watch:` and a person's `bidhelm undo` are judged alike.
 */
import type { Change } from "../../../src/engine/kinds/Change.js"
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import * as Blueprint from "../../../src/sandbox/market/Blueprint.js"
import type { Observed, Violation } from "../chaos/Record.js"
import * as Effects from "./Effects.js"

export const exact = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  const past = new Map(
    observed.rows.map((row) => {
      const change = Effects.changeOf(row)
      return [`${row.runId}/${change.id}`, change]
    })
  )
  const done = new Set<string>()
  const written = writtenBy(observed)
  return Effects.of(observed).flatMap((effect) => {
    const { entry } = effect
    const found = (what: string): ReadonlyArray<Violation> => [
      { invariant: 15, at: entry.at, what: `${Effects.place(entry)} ${what}`, entries: [entry.seq] }
    ]
    return rows(effect).flatMap((row) => {
      const change = Effects.changeOf(row)
      if (change.undoes === undefined) return []
      const name = `${change.undoes.runId}/${change.undoes.changeId}`
      const first = past.get(name)
      if (first === undefined) return found(`takes back ${name}, which the journal does not have`)
      // The standard bid is one change and two entries.
      const mark = `${name} ${entry.slot}`
      if (done.has(mark)) return found(`was taken back twice: ${name}`)
      done.add(mark)
      // What was taken back stands again once that is itself taken back.
      if (first.undoes !== undefined)
        done.delete(`${first.undoes.runId}/${first.undoes.changeId} ${entry.slot}`)
      // Under an overlay it was the base that moved; the overlay has ended since.
      const { baseBeforeKopecks, baseKopecks } = first
      const isBase = baseKopecks !== undefined && baseBeforeKopecks !== undefined
      if (isBase && entry.before === baseKopecks && entry.after === baseBeforeKopecks) return []
      // The ledger's own word for it, where it is one value.
      const original = written.get(`${change.undoes.runId} ${Effects.place(entry)}`)
      if (original !== undefined && isValue(original.after) && entry.before !== original.after)
        return found(`was ${print(entry.before)} when ${print(original.after)} of ours was taken back`)
      if (original !== undefined && isValue(original.before) && entry.after !== original.before)
        return found(`was ${print(original.before)} and came back as ${print(entry.after)}`)
      if (!isSame(entry.before, first.after, first, first.clears))
        return found(`was ${print(entry.before)} when ${print(first.after)} of ours was taken back`)
      return isSame(entry.after, first.before, first, first.inherited)
        ? []
        : found(`was ${print(first.before)} and came back as ${print(entry.after)}`)
    })
  })
}

/** What each run wrote where, as the ledger has it. */
const writtenBy = (observed: Observed): ReadonlyMap<string, Ledger.Entry> =>
  new Map(
    Effects.of(observed).flatMap((effect) =>
      Effects.asking(effect).map(
        ({ runId }) => [`${runId} ${Effects.place(effect.entry)}`, effect.entry] as const
      )
    )
  )

const isValue = (value: unknown): boolean => typeof value === "number"

const print = (value: unknown): string => JSON.stringify(value)

/** A value of the ledger and one of the journal. Where a cluster had no bid of its own the ledger has none. */
const isSame = (
  shown: unknown,
  meant: Change["after"],
  { kind, target }: Change,
  isNone: boolean | undefined
): boolean => {
  if (kind === "campaign_status")
    return shown === (meant === "active" ? Blueprint.status.active : Blueprint.status.paused)
  if (kind === "minus_phrase") return Array.isArray(shown) && shown.includes(target.cluster) === meant
  if (kind === "campaign_placements") return JSON.stringify(shown) === JSON.stringify(places(`${meant}`))
  return isNone === true ? shown === null || shown === undefined : shown === meant
}

const places = (text: string) => ({
  search: text.includes("search"),
  recommendations: text.includes("recommendations")
})
