/**
 * Invariant 15: what is taken back is exactly what was there before, over exactly what we wrote, and once. A policy's
 * `watch:` and a person's `bidhelm undo` are judged alike.
 */
import * as Bids from "../../../src/engine/kinds/Bids.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import * as Blueprint from "../../../src/sandbox/market/Blueprint.js"
import type { Observed, Row, Violation } from "../chaos/Record.js"
import * as Effects from "./Effects.js"

export const exact = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  const past = new Map(
    observed.rows.map((row) => {
      const change = Effects.changeOf(row)
      return [`${row.runId}/${change.id}`, change]
    })
  )
  const done = new Map<string, { readonly row: Row; readonly entry: Ledger.Entry }>()
  const written = writtenBy(observed)
  return Effects.of(observed).flatMap((effect) => {
    const { entry } = effect
    // Where an order goes back to, invariant 19 judges.
    if (Effects.isOfOrders(entry.slot)) return []
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
      const before = done.get(mark)
      if (before !== undefined && !wasPutBack(observed, before, entry))
        return found(`was taken back twice: ${name}`)
      done.set(mark, { row, entry })
      // What was taken back stands again once that is itself taken back.
      if (first.undoes !== undefined)
        done.delete(`${first.undoes.runId}/${first.undoes.changeId} ${entry.slot}`)
      // Under an overlay it was the base that moved; the overlay has ended since.
      const { clears, inherited, overlay } = Bids.detailsOf(first)
      if (
        overlay !== undefined &&
        entry.before === overlay.baseKopecks &&
        entry.after === overlay.baseBeforeKopecks
      )
        return []
      // The ledger's own word for it; the journal's where its entry is not known any more.
      const original = written(change.undoes.runId, entry, change.subject.cluster)
      if (original !== undefined) {
        const [was, ours] = [valueOf(original.before, change), valueOf(original.after, change)]
        const [over, back] = [valueOf(beforeEchoes(observed, entry), change), valueOf(entry.after, change)]
        if (isKnown(ours) && over !== ours)
          return found(`was ${print(over)} when ${print(ours)} of ours was taken back`)
        if (isKnown(was) && back !== was) return found(`was ${print(was)} and came back as ${print(back)}`)
      }
      if (!isSame(beforeEchoes(observed, entry), first.after, first, clears))
        return found(`was ${print(entry.before)} when ${print(first.after)} of ours was taken back`)
      return isSame(entry.after, first.before, first, inherited)
        ? []
        : found(`was ${print(first.before)} and came back as ${print(entry.after)}`)
    })
  })
}

/**
 * What stood before an entry and before what the network had written there of the same: a request that it repeats may be
 * refused the first time and accepted the second, and who hears the refusal asks again for what is there already.
 */
const beforeEchoes = ({ echoed, ledger }: Observed, entry: Ledger.Entry): unknown => {
  const place = Effects.place(entry)
  let { before } = entry
  for (const one of ledger.filter(({ seq }) => seq < entry.seq).reverse()) {
    if (Effects.place(one) !== place) continue
    if (!echoed.has(one.seq) || print(one.after) !== print(entry.after)) break
    before = one.before
  }
  return before
}

/**
 * True when somebody set what the first of two entries had taken away before anybody could see it gone: then nobody can
 * tell it from one that never arrived, and it may be asked for again.
 */
const wasPutBack = (
  observed: Observed,
  { entry: first, row }: { readonly row: Row; readonly entry: Ledger.Entry },
  second: Ledger.Entry
): boolean =>
  row.state === "not_applied" &&
  Effects.byOthers(observed).some(
    (one) =>
      one.seq > first.seq &&
      one.seq < second.seq &&
      Effects.place(one) === Effects.place(first) &&
      print(valueOf(one.after, Effects.changeOf(row))) === print(valueOf(first.before, Effects.changeOf(row)))
  )

/** What a run wrote last at the place of an entry, as the ledger has it: of a list what it wrote of the phrase. */
const writtenBy = (observed: Observed) => {
  const entries = new Map<string, Array<Ledger.Entry>>()
  for (const effect of Effects.of(observed))
    for (const runId of new Set(Effects.asking(effect).map((row) => row.runId))) {
      const key = `${runId} ${Effects.place(effect.entry)}`
      entries.set(key, [...(entries.get(key) ?? []), effect.entry])
    }
  return (runId: string, { seq, slot, target }: Ledger.Entry, phrase: string | undefined) =>
    entries
      .get(`${runId} ${Effects.place({ slot, target })}`)
      ?.findLast(
        (one) =>
          one.seq < seq && (slot !== "minus" || includes(one.before, phrase) !== includes(one.after, phrase))
      )
}

/** Of a list whether the phrase is in it; of a bid and a status what it is. Where a cluster had no bid of its own the ledger has none. */
const valueOf = (value: unknown, { kind, subject: target }: Change): unknown =>
  kind === "minus_phrase" ? includes(value, target.cluster) : value

const includes = (value: unknown, phrase: string | undefined): boolean =>
  Array.isArray(value) && value.includes(phrase)

const isKnown = (value: unknown): boolean => typeof value === "number" || typeof value === "boolean"

const print = (value: unknown): string => JSON.stringify(value)

/** A value of the ledger and one of the journal. Where a cluster had no bid of its own the ledger has none. */
const isSame = (
  shown: unknown,
  meant: Change["after"],
  { kind, subject: target }: Change,
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
