/**
 * Invariant 11: what somebody changed where the program had written is left alone for `human_edit_hold`, and what a person
 * set by a call of the program is. By the ledger alone.
 */
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import * as World from "../../../src/sandbox/market/World.js"
import type { Observed, Row, Violation } from "../chaos/Record.js"
import * as Effects from "./Effects.js"
import * as MachineClock from "./MachineClock.js"
import * as Reads from "./Reads.js"

/** A value at a place, or a phrase's being in a list; who wrote it, and when. */
interface Step {
  readonly entry: Ledger.Entry
  readonly value: unknown
}

/** Until then what the program wrote may not have been read back; of what is no bid, somebody's value is then not known as such. */
const readBackMs = 20 * 60_000

export const held = (observed: Observed): ReadonlyArray<Violation> => {
  const own = new Map(Effects.of(observed).map((effect) => [effect.entry.seq, effect]))
  const rows = Effects.rowsOf(observed)
  return [...stepsOf(observed.ledger)].flatMap(([place, steps]) =>
    steps.flatMap(({ entry }, at): ReadonlyArray<Violation> => {
      const effect = own.get(entry.seq)
      const edit = steps[at - 1]
      const cycle = effect?.cycle
      if (effect === undefined || edit === undefined || cycle === undefined || cycle.kind === "call")
        return []
      const isCalled = own.get(edit.entry.seq)?.cycle?.kind === "call"
      if (!isCalled && !isKnownEdit(observed, steps.slice(0, at), { entry, rows: rows(effect) }, own))
        return []
      const { humanEditHoldMs: holdMs = usualHoldMs } = cycle.rules.limits
      const heldMs = MachineClock.shown(observed, entry.at) - MachineClock.shown(observed, edit.entry.at)
      if (edit.entry.at >= cycle.startedAt || heldMs >= holdMs) return []
      if (rows(effect).some((row) => Effects.changeOf(row).undoes !== undefined)) return []
      if (entry.slot === "status" && ranDry(observed, edit.entry, entry.at)) return []
      const what = `${place} was written ${Math.round((entry.at - edit.entry.at) / 60_000)} min after somebody changed it`
      return [{ invariant: 11, at: entry.at, what, entries: [edit.entry.seq, entry.seq] }]
    })
  )
}

/** The last of these steps is somebody's, over a value of ours, and the program had means to know it. */
const isKnownEdit = (
  observed: Observed,
  steps: ReadonlyArray<Step>,
  next: { readonly entry: Ledger.Entry; readonly rows: ReadonlyArray<Row> },
  own: ReadonlyMap<number, Effects.Effect>
): boolean => {
  const edit = steps.at(-1)
  const at = steps.findLastIndex((one, i) => i < steps.length - 1 && one.entry.operation !== "human-edit")
  const [written, replaced] = [steps[at], steps[at + 1]]
  if (edit?.entry.operation !== "human-edit" || written === undefined || replaced === undefined) return false
  if (!own.has(written.entry.seq)) return false
  if (isSame(edit.value, written.value)) return false
  // What we wrote before took effect after it, so that nobody finds theirs there.
  if (edit.entry.effectiveAt < written.entry.effectiveAt) return false
  // What somebody replaced before it was read nobody knows as ours, however often theirs is changed since.
  const isReadBack =
    replaced.entry.at - written.entry.at >= readBackMs &&
    wasRead(observed, next.rows, written.entry, replaced.entry)
  return isReadBack || (Effects.isBid(next.entry.slot) && !isSame(edit.value, written.entry.before))
}

/** An answer had the place since what was written could be seen: the network may have lost all of them, or faults spoilt them. */
const wasRead = (
  { requests }: Observed,
  rows: ReadonlyArray<Row>,
  written: Ledger.Entry,
  edit: Ledger.Entry
): boolean =>
  requests.some(
    (one) =>
      one.at >= written.at + Effects.lagMs(written.slot) &&
      one.at < edit.at &&
      one.isClear &&
      rows.some(({ slot }) => Reads.tells(one, slot))
  )

/** As the documents promise; the program's own word would be wrong where the program is. */
const usualHoldMs = 3 * 86_400_000

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** By place, and by phrase of a list, ascending. */
const stepsOf = (ledger: ReadonlyArray<Ledger.Entry>): ReadonlyMap<string, ReadonlyArray<Step>> => {
  const found = new Map<string, Array<Step>>()
  const add = (place: string, step: Step) => {
    const steps = found.get(place) ?? []
    found.set(place, steps)
    steps.push(step)
  }
  for (const entry of ledger) {
    const place = Effects.place(entry)
    if (entry.slot === "minus") {
      const [before, after] = [entry.before, entry.after].map(
        (list) => new Set(Array.isArray(list) ? list : [])
      )
      for (const phrase of new Set([...(before ?? []), ...(after ?? [])]))
        if (before?.has(phrase) !== after?.has(phrase))
          add(`${place} ${phrase}`, { entry, value: after?.has(phrase) })
    } else if ((Effects.isBid(entry.slot) && entry.after !== null) || entry.slot === "status")
      add(place, { entry, value: entry.after })
  }
  return found
}

/** A campaign without money stands still as if somebody had paused it, and that is nobody's word. */
const ranDry = ({ world }: Observed, { at: from, target }: Ledger.Entry, to: number): boolean =>
  World.campaign(world, target.campaignId ?? 0)?.purse.dry.some((gap) => gap.from < to && gap.to > from) ===
  true
