/**
 * Invariant 9: while no statistics can be read, nothing that needs them is changed; 14: nothing is paused then either.
 * Invariant 10: never more changes in a run than `changes_per_run`.
 * Invariant 11: what is written was, when it was last read, what the plan saw.
 * Invariant 12: minus phrases of others stay, whoever replaces the list.
 * Invariant 17: the same input gives the same plan, to the byte.
 * Invariant 18: a bid turns at most twice a day.
 * Invariant 27: some minutes after all has healed, runs end without an error.
 */

import * as Moscow from "../../../src/sandbox/Moscow.js"
import type { Cycle, Observed, Violation } from "../chaos/Record.js"
import * as Trouble from "../chaos/Trouble.js"
import * as Effects from "./Effects.js"

/** A turn whose every reading of statistics failed. */
const isBlind = (observed: Observed, cycle: Cycle): boolean => {
  const reads = observed.requests
    .slice(cycle.requestsFrom, cycle.requestsPlanned)
    .filter(({ operation }) => Trouble.statistics.some((one) => one === operation))
  return reads.length > 0 && reads.every(({ status }) => status !== 200)
}

export const neverFromAbsence = (observed: Observed): ReadonlyArray<Violation> =>
  Effects.of(observed).flatMap(({ cycle, entry }) => {
    if (cycle === undefined || !isBlind(observed, cycle)) return []
    const needs = cycle.plan?.changes.some(
      (change) =>
        change.target.campaignId === entry.target.campaignId &&
        change.reason.some(
          ({ condition, holds }) => holds !== "true" && /orders|spend|views|ctr/.test(condition)
        )
    )
    return needs === true
      ? [
          {
            invariant: entry.slot === "status" ? 14 : 9,
            at: entry.at,
            what: `${Effects.place(entry)} changed without statistics`,
            entries: [entry.seq]
          }
        ]
      : []
  })

/** Money a hundred times too large, from the first reading to the last, is never acted on. */
export const neverFromNonsense = (observed: Observed): ReadonlyArray<Violation> =>
  Effects.of(observed).flatMap(({ cycle, entry }) => {
    if (cycle === undefined) return []
    const isNonsense = observed.events.some(
      (event) =>
        event._tag === "Faults" &&
        event.list.some(({ kind }) => kind === "hundredfold") &&
        event.at <= cycle.startedAt &&
        (cycle.plannedAt ?? Number.POSITIVE_INFINITY) <= event.untilMs
    )
    const needs = cycle.plan?.changes.some(
      (change) =>
        change.target.campaignId === entry.target.campaignId &&
        change.reason.some(({ condition }) => /spend|cpo|acos/.test(condition))
    )
    return cycle.plan?.observeOnly !== undefined || (isNonsense && needs === true)
      ? [
          {
            invariant: 9,
            at: entry.at,
            what: `${Effects.place(entry)} changed on implausible statistics`,
            entries: [entry.seq]
          }
        ]
      : []
  })

export const withinPerRun = (observed: Observed): ReadonlyArray<Violation> => {
  const perTurn = new Map<Cycle, Array<number>>()
  for (const { cycle, entry } of Effects.of(observed))
    if (cycle !== undefined) perTurn.set(cycle, [...(perTurn.get(cycle) ?? []), entry.seq])
  return [...perTurn].flatMap(([cycle, entries]) => {
    const most = cycle.rules.limits.changesPerRun ?? Number.POSITIVE_INFINITY
    // The standard bid is one change and two entries.
    const places = new Set(
      entries.map((seq) => Effects.place(observed.ledger[seq - 1]!).replace(/^bid\.\w+/, "bid."))
    )
    return places.size <= most
      ? []
      : [
          {
            invariant: 10,
            at: cycle.startedAt,
            what: `${places.size} changes in one run, allowed are ${most}`,
            entries
          }
        ]
  })
}

/** Somebody's edit after the last reading cannot be known; any other difference can. */
export const asPlanned = (observed: Observed): ReadonlyArray<Violation> => {
  const edits = observed.ledger.filter(
    ({ operation, seq }) => operation === "human-edit" || observed.echoed.has(seq)
  )
  return Effects.of(observed).flatMap(({ cycle, entry, request }) => {
    if (cycle === undefined || (entry.slot !== "status" && !Effects.isBid(entry.slot))) return []
    const lastRead = observed.requests.findLast(
      (one) => !one.isWrite && one.at < request.at && one.status === 200 && one.life === request.life
    )
    const since = Math.min(lastRead?.at ?? 0, cycle.applyFrom ?? cycle.startedAt)
    const edited = edits.findLast(
      (edit) =>
        edit.at <= since && edit.at >= (cycle.plannedAt ?? 0) && Effects.place(edit) === Effects.place(entry)
    )
    return edited === undefined
      ? []
      : [
          {
            invariant: 11,
            at: entry.at,
            what: `${Effects.place(entry)} was changed by somebody at ${edited.at}, and written all the same`,
            entries: [edited.seq, entry.seq]
          }
        ]
  })
}

export const keepsOthersPhrases = (observed: Observed): ReadonlyArray<Violation> => {
  const own = new Set<string>()
  return Effects.of(observed).flatMap(({ cycle, entry }) => {
    if (entry.slot !== "minus") return []
    const [before, after] = [entry.before, entry.after].map((list) => new Set(list as ReadonlyArray<string>))
    const asked = new Set(
      cycle?.plan?.changes.flatMap((change) =>
        change.unit === "minus_phrase" && change.after === false ? [`${change.target.cluster}`] : []
      )
    )
    const lost = [...(before ?? [])].filter((phrase) => after?.has(phrase) === false && !asked.has(phrase))
    for (const phrase of after ?? []) own.add(phrase)
    const raced = observed.ledger.some(
      (other) =>
        (other.operation === "human-edit" || observed.echoed.has(other.seq)) &&
        Effects.place(other) === Effects.place(entry) &&
        other.at <= entry.at &&
        entry.at - other.effectiveAt < 10_000
    )
    return lost.length === 0 || raced
      ? []
      : [
          {
            invariant: 12,
            at: entry.at,
            what: `phrases of others are gone: ${lost.join(", ")}`,
            entries: [entry.seq]
          }
        ]
  })
}

export const repeatable = (observed: Observed): ReadonlyArray<Violation> =>
  observed.cycles
    .filter(({ isRepeatable }) => isRepeatable === false)
    .map(({ startedAt }) => ({
      invariant: 17,
      at: startedAt,
      what: "the same input gave another plan",
      entries: []
    }))

/** Edges of overlays and what people do are no turns of ours; other rules may want something else. */
export const steady = (observed: Observed): ReadonlyArray<Violation> => {
  const moves = new Map<string, Array<Effects.Effect>>()
  for (const effect of Effects.of(observed)) {
    const { entry } = effect
    if (!Effects.isBid(entry.slot) || typeof entry.after !== "number" || typeof entry.before !== "number")
      continue
    const key = `${Moscow.dayOf(entry.at)} ${Effects.place(entry)}`
    moves.set(key, [...(moves.get(key) ?? []), effect])
  }
  const versionChanges = observed.events.filter(({ _tag }) => _tag === "Rules").length
  return [...moves].flatMap(([key, own]) => {
    const signs = own.map(({ entry }) => Math.sign(Number(entry.after) - Number(entry.before)))
    const turns = signs.filter((sign, i) => i > 0 && sign !== signs[i - 1]).length
    return turns <= 2 + versionChanges * 2
      ? []
      : [
          {
            invariant: 18,
            at: own[0]!.entry.at,
            what: `${key} turned ${turns} times in a day`,
            entries: own.map(({ entry }) => entry.seq)
          }
        ]
  })
}

const calmMs = 20 * 60_000

export const converges = (observed: Observed): ReadonlyArray<Violation> =>
  observed.cycles
    .filter(({ error, startedAt }) => startedAt >= observed.healedAt + calmMs && error !== undefined)
    .map(({ error, startedAt }) => ({
      invariant: 27,
      at: startedAt,
      what: `a run after healing failed: ${error}`,
      entries: []
    }))
