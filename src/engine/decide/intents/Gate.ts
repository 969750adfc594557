/** When a slot may not be moved yet, whatever the rule says: a change in flight, a cooldown, no new evidence. */
import * as Days from "../../../domain/Days.js"
import * as Reason from "../../../domain/Reason.js"
import * as Window from "../../../domain/Window.js"
import * as FactRefs from "../../facts/FactRefs.js"
import * as Sources from "../../facts/Sources.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import * as Kinds from "../../kinds/Kinds.js"
import type { SlotHistory } from "../../kinds/SlotHistory.js"
import type { FactRef, Policy } from "../../language/Policy.js"
import * as Watching from "../Watching.js"
import { type Ground, type Intent, type Outcome, stay, undecided } from "./Intent.js"

/** The outcome with the gate applied. A move that is stopped still votes, unless it would have been dearer. */
export const pass = (intent: Intent): Outcome => {
  const { outcome, ground } = intent
  const history = ground.slots.get(intent.slot)
  if (outcome._tag !== "Move" || history === undefined) return outcome
  if (history.pendingSince !== undefined)
    return undecided(Kinds.paysOf(outcome.setting)?.open ?? Reason.explain.pending, true)
  if (intent.layer !== undefined) return outcome
  const rested = restsUntil(ground.policy, history)
  if (rested > ground.nowMs) {
    const when = clock(rested, ground.nowMs, ground.policy.schedule?.tz ?? ground.zone)
    return stay(`its watch took a change back; left alone until ${when}`, !outcome.dearer)
  }
  const takesBack = outcome.setting.takesBack === true
  // An end, not a move: it needs no news, and a cooldown holds up only what would spend more.
  if (takesBack && !outcome.dearer) return outcome
  const until = cooldownUntil(ground.policy, history)
  const zone = ground.policy.schedule?.tz ?? ground.zone
  if (until > ground.nowMs) return stay(`cooldown until ${clock(until, ground.nowMs, zone)}`, !outcome.dearer)
  return Kinds.isSteered(outcome.setting) && !takesBack && !hasNews(ground, history)
    ? stay("no statistics newer than the bid's last change", !outcome.dearer)
    : outcome
}

/** A policy that has done harm does not do the same again at once; others may move the slot. */
const restsUntil = (policy: Policy, { rolledBack = [] }: SlotHistory): number => {
  const last = rolledBack.find((one) => one.policy === policy.id)
  return last === undefined ? Number.NEGATIVE_INFINITY : last.at + Watching.restMs(policy)
}

const cooldownUntil = (policy: Policy, history: SlotHistory): number =>
  policy.cooldownMs === undefined || history.lastAppliedAt === undefined
    ? Number.NEGATIVE_INFINITY
    : history.lastAppliedAt + policy.cooldownMs

/**
 * A bid is not changed again until every window that decided on the rule reaches the day of its last change: the
 * windows of the rule, and of those before it. The running day's figures may be as old as their source allows, so they
 * count as news only after that long.
 */
const hasNews = ({ policy, ruleIndex, nowMs }: Ground, history: SlotHistory): boolean => {
  const changedAt = history.lastAppliedAt
  if (changedAt === undefined) return true
  const refs = FactRefs.ofRules(policy, ruleIndex + 1)
  return refs.every((ref) => ref.window === undefined || reaches(ref, ref.window, changedAt, nowMs))
}

const reaches = (ref: FactRef, window: Window.Window, changedAt: number, nowMs: number): boolean => {
  if (window._tag === "Last") return Window.resolve(window, nowMs).to >= Days.ofMarket(changedAt)
  const source = Vocabulary.byFactId(ref.id)?.source
  const minutes = source === undefined ? 0 : Sources.sources[source].freshMinutes
  return nowMs - changedAt >= minutes * 60_000
}

/** `15:00`, with the day in front when it is not today. */
const clock = (epochMs: number, nowMs: number, zone: string): string => {
  const time = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23"
  }).format(epochMs)
  const day = Days.at(epochMs, zone)
  return day === Days.at(nowMs, zone) ? time : `${day} ${time}`
}
