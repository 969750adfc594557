/** When a slot may not be moved yet, whatever the rule says: a refusal, a change in flight, a cooldown, no new evidence. */
import * as Days from "../../../domain/Days.js"
import * as Window from "../../../domain/Window.js"
import * as Economics from "../../facts/Economics.js"
import * as FactRefs from "../../facts/FactRefs.js"
import * as Sources from "../../facts/Sources.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import * as Kinds from "../../kinds/Kinds.js"
import type { SlotHistory } from "../../kinds/SlotHistory.js"
import { acts } from "../../language/Mode.js"
import { type FactRef, type Policy, tiers } from "../../language/Policy.js"
import { toTheMinute } from "../RowReason.js"
import * as Watching from "../Watching.js"
import { type Ground, type Intent, type Outcome, stay, undecided } from "./Intent.js"
import * as Refused from "./Refused.js"
import * as Resolve from "./Resolve.js"

/** The outcome with the gate applied. A move that is stopped still votes, unless it would have been dearer. */
export const pass = (intent: Intent): Outcome => {
  const { outcome, ground } = intent
  const history = ground.slots.get(intent.slot)
  if (outcome._tag !== "Move") return outcome
  const zone = ground.policy.schedule?.tz ?? ground.zone
  const refusal = refusalRests(intent, outcome, history)
  if (refusal !== undefined && refusal.untilMs > ground.nowMs) {
    const { untilMs, ...page } = refusal
    return stay({ code: "refused_before", until: toTheMinute(untilMs), zone, ...page }, !outcome.dearer)
  }
  if (history === undefined) return outcome
  if (history.pendingSince !== undefined) {
    const { kind } = outcome.setting
    return undecided(
      Kinds.isPayment({ kind }) ? { code: "payment_open", kind } : { code: "change_pending" },
      true
    )
  }
  if (intent.layer !== undefined) return outcome
  const rested = restsUntil(ground, history)
  if (rested > ground.nowMs)
    return stay({ code: "watch_rests", until: toTheMinute(rested), zone }, !outcome.dearer)
  const takesBack = outcome.setting.takesBack === true
  // An end, not a move: it needs no news, and a cooldown holds up only what would spend more.
  if (takesBack && !outcome.dearer) return outcome
  const until = cooldownUntil(ground, history)
  if (until > ground.nowMs)
    return stay({ code: "cooldown", until: toTheMinute(until), zone }, !outcome.dearer)
  return Kinds.isSteered(outcome.setting) && !takesBack && !hasNews(ground, history)
    ? stay({ code: "no_new_statistics" }, !outcome.dearer)
    : outcome
}

/**
 * What was refused before waits, but no end that saves and no overlay's edge. Nor does what `optimise` moves: its budget counts with
 * it, and what a saving that waits would pay for would wait with it.
 */
const refusalRests = (
  { ground, layer, slot }: Intent,
  { dearer, setting }: Extract<Outcome, { readonly _tag: "Move" }>,
  history: SlotHistory | undefined
): Refused.Rest | undefined =>
  layer !== undefined || ground.rule.action._tag === "Optimise" || (setting.takesBack === true && !dearer)
    ? undefined
    : Refused.rest(ground.refused, { slot, after: setting.after, dearer }, history, ground.nowMs)

/** A policy that has done harm does not do the same again at once; others may move the slot. */
const restsUntil = ({ nowMs, policy }: Ground, { rolledBack = [] }: SlotHistory): number => {
  const lastAt = doneAt(rolledBack.find((one) => one.policy === policy.id)?.at, nowMs)
  return lastAt === undefined ? Number.NEGATIVE_INFINITY : lastAt + Watching.restMs(policy)
}

const cooldownUntil = ({ nowMs, policy }: Ground, history: SlotHistory): number => {
  const changedAt = doneAt(history.lastAppliedAt, nowMs)
  return policy.cooldownMs === undefined || changedAt === undefined
    ? Number.NEGATIVE_INFINITY
    : changedAt + policy.cooldownMs
}

/** When something was done to a slot. Nobody knows it where a clock far ahead has dated it, and nothing waits for that day. */
export const doneAt = (at: number | undefined, nowMs: number): number | undefined =>
  at === undefined || at > nowMs + Days.clockMayErrMs ? undefined : at

/**
 * A bid is not changed again until every window that decided on the rule reaches the day of its last change: the
 * windows of the rule, and of those before it. The running day's figures may be as old as their source allows, so they
 * count as news only after that long.
 */
const hasNews = ({ policy, ruleIndex, nowMs }: Ground, history: SlotHistory): boolean => {
  const changedAt = doneAt(history.lastAppliedAt, nowMs)
  if (changedAt === undefined) return true
  return newsOf(policy, ruleIndex).every(
    (ref) => ref.window === undefined || reaches(ref, ref.window, changedAt, nowMs)
  )
}

/** How many orders buyers keep is measured on sales of long ago: a margin that rests on it waits for no news of these. */
const newsOf = (policy: Policy, ruleIndex: number): ReadonlyArray<FactRef> =>
  FactRefs.ofRules(policy, ruleIndex + 1).filter((ref) => !Economics.isOfLongAgo(ref))

const reaches = (ref: FactRef, window: Window.Window, changedAt: number, nowMs: number): boolean => {
  if (window._tag === "Last") return Window.resolve(window, nowMs).to >= Days.ofMarket(changedAt)
  const source = Vocabulary.byFactId(ref.id)?.source
  const minutes = source === undefined ? 0 : Sources.sources[source].freshMinutes
  return nowMs - changedAt >= minutes * 60_000
}

// Steering and overlays of one slot, each resolved by itself, since an overlay opposes no steering. One change per
// slot and run: where an overlay begins or ends, steering waits for the next run, unless its tier is higher. A
// policy in preview never keeps one in apply waiting.

/** `intents` are all of one slot, in the order of their policies' ids. */
export const slot = (intents: ReadonlyArray<Intent>): ReadonlyArray<Resolve.Verdict> => {
  if (intents.every(({ layer }) => layer === undefined)) return Resolve.slot(intents)
  const all = intents.filter(({ layer }) => layer !== undefined)
  const idle = all.filter(isBesideEnd(all.filter(isEnd)))
  const overlays = all.filter((intent) => !idle.includes(intent))
  const wanted = overlays.filter(({ layer, ground }) => layer === "overlay" && acts(ground.policy))
  // What one policy lays anew, or keeps, takes the place of what another one ends.
  const edges: ReadonlyArray<Resolve.Verdict> = [
    ...Resolve.slot(wanted.length > 0 ? overlays.filter(({ layer }) => layer === "overlay") : overlays),
    ...idle.map((intent) => ({ intent, outcome: intent.outcome, overruled: [] }))
  ]
  const steering = Resolve.slot(intents.filter(({ layer }) => layer === undefined))
  const edge = edges.find(isMove)
  const move = steering.find(isMove)
  if (edge === undefined || move === undefined) return [...steering, ...edges]
  const [winner, loser] = goesFirst(move, edge) ? [move, edge] : [edge, move]
  const losers = [loser.intent, ...(loser.equals ?? [])].map(({ ground }) => ground.policy.id)
  const overruled = [
    ...new Set([...winner.overruled, ...losers, ...(loser.agreed ?? []), ...loser.overruled])
  ].sort()
  return [...steering, ...edges].flatMap((verdict) =>
    verdict === loser ? [] : [verdict === winner ? { ...verdict, overruled } : verdict]
  )
}

const isEnd = (intent: Intent): intent is Resolve.Moving =>
  intent.layer === "ending" && intent.outcome._tag === "Move"

/**
 * Neither lays an overlay nor has one: no reason to leave another's standing when its time is over. Who cannot decide is one where
 * the end is dearer.
 */
const isBesideEnd =
  (ends: ReadonlyArray<Resolve.Moving>) =>
  ({ ground, layer, outcome }: Intent): boolean =>
    ends.length > 0 &&
    layer === "overlay" &&
    acts(ground.policy) &&
    (outcome._tag === "Stay" ? !outcome.votes : outcome._tag === "Undecided" && ends.some(isCheaper))

const isCheaper = ({ outcome }: Resolve.Moving): boolean => !outcome.dearer

const isMove = ({ outcome }: Resolve.Verdict): boolean => outcome._tag === "Move"

/** Whether steering goes before an overlay's edge. */
const goesFirst = (steering: Resolve.Verdict, edge: Resolve.Verdict): boolean => {
  const [a, b] = [steering.intent.ground.policy, edge.intent.ground.policy]
  return acts(a) === acts(b) ? tiers.indexOf(a.tier) < tiers.indexOf(b.tier) : acts(a)
}

// What a slot waits for after a change, so that nobody wonders why nothing happens: `Gate.pass` turned round. Pure.

/** Every part must have come to pass; without any the slot may move in the next run. */
export interface NextMove {
  /** End of the policy's cooldown, or of the time after which the running day's figures are news; epoch milliseconds. */
  readonly notBeforeMs?: number
  /** Complete days of statistics must reach this day of the marketplace; `settleDays` after it they do. */
  readonly statisticsOf?: { readonly day: Days.Day; readonly settleDays: number }
}

/** For a change made at `changedAtMs` by a rule of the policy; only bids wait for statistics. */
export const nextMove = (
  policy: Policy,
  ruleIndex: number,
  changedAtMs: number,
  isBid: boolean
): NextMove => {
  const refs = isBid ? newsOf(policy, ruleIndex) : []
  const instants = policy.cooldownMs === undefined ? [] : [changedAtMs + policy.cooldownMs]
  const settle: Array<number> = []
  for (const { id, window } of refs) {
    if (window?._tag === "Last") settle.push(window.settleDays)
    if (window?._tag !== "Today") continue
    const source = Vocabulary.byFactId(id)?.source
    if (source !== undefined) instants.push(changedAtMs + Sources.sources[source].freshMinutes * 60_000)
  }
  return {
    ...(instants.length === 0 ? {} : { notBeforeMs: Math.max(...instants) }),
    ...(settle.length === 0
      ? {}
      : { statisticsOf: { day: Days.ofMarket(changedAtMs), settleDays: Math.max(...settle) } })
  }
}
