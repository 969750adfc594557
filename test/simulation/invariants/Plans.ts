/**
 * Invariant 10: never more changes in a run than `changes_per_run` and `share_of_scope` of the account and the policies.
 * Invariant 11: what is written was read again for it, and was then what the plan saw.
 * Invariant 12: minus phrases of others stay, whoever replaces the list.
 * Invariant 17: the same input gives the same plan, to the byte.
 * Invariant 18: a bid turns at most twice a day.
 */
import * as Inverse from "../../../src/engine/decide/Inverse.js"
import * as Bids from "../../../src/engine/kinds/Bids.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import * as Moscow from "../../../src/sandbox/Moscow.js"
import type { Cycle, Observed, Row, Violation } from "../chaos/Record.js"
import * as Effects from "./Effects.js"
import * as Reads from "./Reads.js"

/** A change that a turn made, and the rows that asked for it; several policies may share a list or a task. */
interface Counted {
  readonly effect: Effects.Effect
  readonly rows: ReadonlyArray<Row>
}

/** Of the account and of each policy; the beginning of an overlay is a change, the end of one is not counted by anybody. */
export const withinPerRun = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  const perTurn = new Map<Cycle, Map<string, Counted>>()
  for (const effect of Effects.of(observed)) {
    const { cycle, entry } = effect
    // What a person takes back is a list that somebody has seen.
    if (cycle === undefined || cycle.kind === "undo" || cycle.kind === "call") continue
    // No limit of advertising is about orders.
    if (Effects.isOfOrders(entry.slot)) continue
    const turn = perTurn.get(cycle) ?? new Map<string, Counted>()
    perTurn.set(cycle, turn)
    // The standard bid is one change and two entries, several phrases of a list, or items of a task, are several changes and one entry.
    const asked = rows(effect)
    if (entry.slot === "minus" || entry.slot === "promotion")
      for (const row of asked) turn.set(row.slot, { effect, rows: [row] })
    else turn.set(Effects.place(entry).replace(/^bid\.\w+/, "bid."), { effect, rows: asked })
  }
  return [...perTurn].flatMap(([cycle, turn]) => {
    const found = (of: string, counted: ReadonlyArray<Counted>, most: number | undefined) =>
      most === undefined || counted.length <= most
        ? []
        : [
            {
              invariant: 10,
              at: cycle.startedAt,
              what: `${counted.length} changes in one run, ${of} allows ${most}`,
              entries: counted.map(({ effect }) => effect.entry.seq)
            }
          ]
    const all = [...turn.values()]
    return [
      ...found("the account", all, cycle.rules.limits.changesPerRun),
      ...cycle.rules.policies.flatMap(({ id, limits }) => {
        const own = all.filter((one) => one.rows.some(({ policy }) => policy === id))
        const scope =
          cycle.plan?.policies.find((one) => one.id === id)?.rowsInScope ?? Number.POSITIVE_INFINITY
        const share = Math.min(
          limits.shareOfScopeBasisPoints ?? Number.POSITIVE_INFINITY,
          cycle.rules.limits.shareOfScopeBasisPoints ?? Number.POSITIVE_INFINITY
        )
        // What goes back is no share of a scope.
        const goesBack = (change: Change) => Bids.endsOverlay(change) || Inverse.takesBack(change)
        const chosen = own.filter((one) => one.rows.some((row) => !goesBack(Effects.changeOf(row))))
        return [
          ...found(id, own, limits.changesPerRun),
          ...found(
            `${share / 100}% of ${id}`,
            chosen,
            Number.isFinite(share) ? (share * scope) / 10_000 : undefined
          )
        ]
      })
    ]
  })
}

/** A minus list may differ: the list is merged, and what others did to it is invariant 12. */
export const asPlanned = (observed: Observed): ReadonlyArray<Violation> => {
  const others = Effects.byOthers(observed)
  return Effects.of(observed).flatMap((effect) => {
    const { cycle, entry, request } = effect
    const [row] = Effects.asking(effect)
    if (cycle === undefined || row === undefined) return []
    const found = (what: string, entries: ReadonlyArray<number>): ReadonlyArray<Violation> => [
      { invariant: 11, at: entry.at, what: `${Effects.place(entry)} ${what}`, entries }
    ]
    const lastRead = observed.requests.findLast(
      (one) =>
        one.life === request.life &&
        one.at <= request.at &&
        // A call reads right before it sends, and plans from that.
        one.at >= (cycle.kind === "call" ? cycle.startedAt : (cycle.applyFrom ?? cycle.startedAt)) &&
        Reads.tells(one, row.slot)
    )
    if (lastRead === undefined) return found("was written without being read again", [entry.seq])
    const edits = others.filter(
      (other) =>
        // Of a list that is merged, and of a task's items one by one, others judge.
        entry.slot !== "minus" &&
        entry.slot !== "promotion" &&
        other.effectiveAt < lastRead.at &&
        other.at >= (cycle.plannedAt ?? 0) &&
        Effects.place(other) === Effects.place(entry)
    )
    const edited = edits.at(-1)
    // Changed there and back, it is what was planned from: nobody who reads can tell.
    return edited === undefined || JSON.stringify(edits[0]?.before) === JSON.stringify(edited.after)
      ? []
      : found(`was changed by somebody at ${edited.at}, and written all the same`, [edited.seq, entry.seq])
  })
}

export const keepsOthersPhrases = (observed: Observed): ReadonlyArray<Violation> => {
  return Effects.of(observed).flatMap((effect) => {
    const { cycle, entry } = effect
    if (entry.slot !== "minus") return []
    const [before, after] = [entry.before, entry.after].map((list) => new Set(list as ReadonlyArray<string>))
    const asked = new Set(
      cycle?.plan?.changes.flatMap((change) =>
        change.kind === "minus_phrase" && change.after === false ? [`${change.subject.cluster}`] : []
      )
    )
    const lost = [...(before ?? [])].filter((phrase) => after?.has(phrase) === false && !asked.has(phrase))
    const raced = isRaced(observed, effect)
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

/** A list that is written has every phrase that its changes add, and none that they take out. */
export const hasItsPhrases = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  return Effects.of(observed).flatMap((effect) => {
    const { entry, request } = effect
    if (entry.slot !== "minus" || !Array.isArray(entry.after)) return []
    const list = new Set(entry.after)
    const sent = new Set(
      request.claimed.flatMap(({ runId, slot, state }) =>
        state === "dispatching" ? [`${runId} ${slot}`] : []
      )
    )
    const wrong = rows(effect)
      .filter(({ runId, slot }) => sent.has(`${runId} ${slot}`))
      .map(Effects.changeOf)
      .filter(({ after, subject }) => list.has(subject.cluster) !== after)
    const what = `${Effects.place(entry)} was written otherwise than claimed: ${wrong.map(({ subject }) => subject.cluster).join(", ")}`
    return wrong.length === 0 ? [] : [{ invariant: 12, at: entry.at, what, entries: [entry.seq] }]
  })
}

/**
 * Somebody changed the list after it was read for the last time, which was right before: ten seconds, or a minute where
 * it had to be read again and again.
 */
const isRaced = (observed: Observed, { entry, request }: Effects.Effect): boolean => {
  const [slot] = [entry.target].map(({ campaignId, itemId }) => `minus:${campaignId}/${itemId}/`)
  const reads = observed.requests.filter(
    (one) =>
      one.life === request.life &&
      one.at <= request.at &&
      one.at >= (request.cycle?.applyFrom ?? 0) &&
      Reads.tells(one, slot ?? "")
  )
  const last = reads.at(-1)
  if (last === undefined || request.at - (last.endedAt ?? last.at) > (reads.length > 3 ? 60_000 : 10_000))
    return false
  return Effects.byOthers(observed).some(
    (other) =>
      Effects.place(other) === Effects.place(entry) && other.at <= entry.at && other.effectiveAt >= last.at
  )
}

/**
 * What another process has begun to apply between the two looks is another input: the successor of one that hung, or one
 * that was woken beside its successor.
 */
export const repeatable = ({ cycles, zombies }: Observed): ReadonlyArray<Violation> =>
  cycles
    .filter(({ isRepeatable }) => isRepeatable === false)
    .filter(
      ({ endedAt = Number.POSITIVE_INFINITY, life, startedAt }) =>
        !zombies.some((hang) => hang.life === life && startedAt <= hang.hungAt && hang.hungAt <= endedAt) &&
        !cycles.some(
          ({ applyFrom, life: other }) =>
            other !== life && applyFrom !== undefined && startedAt <= applyFrom && applyFrom <= endedAt
        )
    )
    .map(({ startedAt }) => ({
      invariant: 17,
      at: startedAt,
      what: "the same input gave another plan",
      entries: []
    }))

/** Edges of overlays are no turns; other rules, and a person who calls or takes something back, may want something else. */
export const steady = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  const moves = new Map<string, Array<Effects.Effect>>()
  for (const effect of Effects.of(observed)) {
    const { entry } = effect
    const { action, undoes } = rows(effect).map(Effects.changeOf)[0] ?? {}
    if (action === "adjust_bid" || undoes !== undefined || effect.cycle?.kind === "call") continue
    if (!Effects.isBid(entry.slot) || typeof entry.after !== "number" || typeof entry.before !== "number")
      continue
    const key = `${Moscow.dayOf(entry.at)} ${Effects.place(entry)}`
    moves.set(key, [...(moves.get(key) ?? []), effect])
  }
  return [...moves].flatMap(([key, own]) => {
    const signs = own
      .map(({ entry }) => Math.sign(Number(entry.after) - Number(entry.before)))
      .filter((sign) => sign !== 0)
    const turns = signs.filter((sign, i) => i > 0 && sign !== signs[i - 1]).length
    const versions = new Set(own.map(({ cycle }) => cycle?.rules.hash)).size
    return turns <= 2 * Math.max(1, versions)
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
